
/**
 * Arguments: any number of DIRECTORY[=FILE.xml]. Starts a broker on each (on a copy: a start changes a store), receives all
 * messages of all queues and prints them, one line for each message, then what is prepared. With a file it is empty before
 * that is imported as `artemis data imp` does. What a product calls its own way is in its file, with the imports of both.
 */
abstract class Delivers {
  abstract void start(String directory) throws Exception;
  abstract void stop() throws Exception;
  abstract ServerLocator locator() throws Exception;
  abstract String[] names();
  abstract Queue located(String name) throws Exception;
  abstract Iterable<Xid> prepared();
  abstract byte[] body(ClientMessage message);

  void imported(String file) throws Exception {
    throw new UnsupportedOperationException("it imports no XML");
  }

  void run(String[] arguments) throws Exception {
    for (String argument : arguments) {
      String[] parts = argument.split("=", 2);
      System.out.println("store\t" + parts[0]);
      try {
        start(parts[0]);
        try {
          if (parts.length > 1) imported(parts[1]);
          deliver();
        } finally {
          stop();
        }
      } catch (Throwable problem) {
        System.out.println("failed\t" + problem);
        problem.printStackTrace();
      }
    }
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  void deliver() throws Exception {
    try (ServerLocator locator = locator(); ClientSessionFactory factory = locator.createSessionFactory()) {
      ClientSession session = factory.createSession(false, false, false);
      session.start();
      for (String name : names()) {
        Queue queue = located(name);
        if (queue == null || queue.isTemporary()) continue;
        System.out.println("queue\t" + quoted(name) + "\t" + queue.getMessageCount());
        for (MessageReference each : queue.getScheduledMessages())
          System.out.println("scheduled\t" + each.getMessage().getMessageID() + "\t" + each.getScheduledDeliveryTime());
        ClientConsumer consumer = session.createConsumer(name);
        while (true) {
          ClientMessage message = consumer.receiveImmediate();
          if (message == null && queue.getMessageCount() > queue.getDeliveringCount() + queue.getScheduledCount())
            message = consumer.receive(500);
          if (message == null) break;
          boolean complete = print(message);
          message.acknowledge();
          if (!complete) {
            // HornetQ's consumer waits for ever for the rest of a body that could not be inflated.
            consumer.close();
            consumer = session.createConsumer(name);
          }
        }
        consumer.close();
      }
    }
    for (Xid branch : prepared())
      System.out.println("prepared\t" + branch.getFormatId() + ":" + HexFormat.of().formatHex(branch.getGlobalTransactionId()));
  }

  /** Tells whether all of the body could be read. */
  boolean print(ClientMessage message) throws Exception {
    byte[] body;
    if (message.isLargeMessage()) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      try {
        message.saveToOutputStream(all);
        body = all.toByteArray();
      } catch (Exception notInflated) {
        body = null;
      }
    } else {
      body = body(message);
    }
    TreeMap<String, String> properties = new TreeMap<>();
    for (SimpleString name : message.getPropertyNames()) {
      Object value = message.getObjectProperty(name);
      String kind = value == null ? "null" : value instanceof SimpleString ? "string" : value.getClass().getSimpleName().toLowerCase();
      String shown = value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value instanceof Character each ? "" + (int) each : String.valueOf(value);
      properties.put(name.toString(), kind + ":" + shown);
    }
    StringBuilder line = new StringBuilder("message");
    for (Object part : new Object[] {message.getMessageID(), message.getType(), message.isDurable(), message.getExpiration(), message.getTimestamp(), message.getPriority(), body == null ? "-" : digest(body), body == null ? -1 : body.length})
      line.append('\t').append(part);
    properties.forEach((name, value) -> line.append('\t').append(quoted(name + "=" + value)));
    System.out.println(line);
    return body != null;
  }

  static String digest(byte[] body) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body), 0, 8);
  }

  static String quoted(String text) {
    StringBuilder out = new StringBuilder();
    for (char each : text.toCharArray())
      out.append(each < 0x20 || each > 0x7e || each == '\\' ? "\\u%04x".formatted((int) each) : String.valueOf(each));
    return out.toString();
  }
}
