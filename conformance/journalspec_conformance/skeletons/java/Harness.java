// A harness for @FORMAT@: it answers the questions of `journalspec run`, one JSON object per line.
// Build it with `javac Harness.java`, then: journalspec run --impl 'java Harness' --format @FORMAT@
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

public final class Harness {
    static final String HELLO = "\"protocol\":1,\"impl\":{\"name\":\"my-@FORMAT@\",\"version\":\"0\"},"
            + "\"formats\":{\"@FORMAT@\":@CLAIMS_QUOTED@}";

    /** What the files in `dir` hold: integers as decimal strings, bytes as hex digits, as in
     *  {@code "ok":{"verdict":"clean","records":[...]}}. */
    static String read(String dir, String edition) {
        return "\"unsupported\":{\"what\":\"read\"}";
    }

    /** What recovery keeps under `policy`. */
    static String recover(String dir, String edition, String policy) {
        return "\"unsupported\":{\"what\":\"recover\"}";
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String command = text(line, "cmd");
            if (command.equals("bye")) {
                return;
            }
            String answer = switch (command) {
                case "read" -> read(text(line, "dir"), text(line, "edition"));
                case "recover" -> recover(text(line, "dir"), text(line, "edition"), text(line, "policy"));
                default -> HELLO;
            };
            out.print("{\"seq\":" + member(line, "seq") + "," + answer + "}\n");
            out.flush(); // the runner waits for the line
        }
    }

    /** The text of a member of an object; its escapes are undone. */
    static String text(String line, String name) {
        String value = member(line, name);
        StringBuilder out = new StringBuilder();
        for (int at = 1; at < value.length() - 1; at++) {
            char c = value.charAt(at);
            if (c != '\\') {
                out.append(c);
                continue;
            }
            c = value.charAt(++at);
            if (c == 'u') {
                out.append((char) Integer.parseInt(value.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                int known = "bfnrt".indexOf(c);
                out.append(known < 0 ? c : "\b\f\n\r\t".charAt(known));
            }
        }
        return out.toString();
    }

    /** The JSON of a member of an object, empty if it has none of this name. */
    static String member(String line, String name) {
        String key = "";
        int depth = 0, from = 0;
        for (int at = 0; at < line.length(); at++) {
            char c = line.charAt(at);
            if (c == '"') {
                int start = at++;
                while (line.charAt(at) != '"') {
                    at += line.charAt(at) == '\\' ? 2 : 1;
                }
                if (depth == 1 && key.isEmpty()) {
                    key = line.substring(start + 1, at);
                }
            } else if (c == ':' && depth == 1) {
                from = at + 1;
            } else if (c == '{' || c == '[') {
                depth++;
            }
            if (depth == 1 && (c == ',' || c == '}')) {
                if (key.equals(name)) {
                    return line.substring(from, at).trim();
                }
                key = "";
            }
            if (c == '}' || c == ']') {
                depth--;
            }
        }
        return "";
    }
}
