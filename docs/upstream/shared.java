    /** Writes a file: its size, what fills it, then pairs of an offset and bytes in hex. */
    static void file(String name, int size, int fill, Object... parts) throws IOException {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) fill);
        for (int i = 0; i < parts.length; i += 2) {
            byte[] part = HexFormat.of().parseHex((String) parts[i + 1]);
            System.arraycopy(part, 0, bytes, (Integer) parts[i], part.length);
        }
        Files.write(directory.resolve(name), bytes);
    }

    /** Does the work and prints what it throws; gives up after five seconds. */
    static void attempt(Callable<?> work) throws Exception {
        Thread thread = new Thread(() -> {
            try {
                work.call();
            } catch (Throwable thrown) {
                while (thrown.getCause() != null) {
                    thrown = thrown.getCause();
                }
                String said = thrown.getMessage() == null ? "" : ": " + thrown.getMessage().lines().findFirst().orElse("");
                System.out.println("throws " + thrown.getClass().getName() + said.replace(directory.toString(), "DIR"));
            }
        });
        thread.setDaemon(true);
        thread.start();
        thread.join(5_000);
        if (thread.isAlive()) {
            System.out.println("no answer after 5 seconds, and still busy");
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
