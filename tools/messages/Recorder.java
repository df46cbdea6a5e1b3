import java.util.logging.*;

/** Prints what a product logs and throws between two starts, one line a message; "\n" in a message is written as such. */
class Recorder extends Handler {
  static final Recorder ALL = new Recorder();

  /** From now on the root logger of java.util.logging, to which SLF4J and JBoss Logging are bound, prints here. */
  static void listen() {
    Logger root = LogManager.getLogManager().getLogger("");
    for (Handler handler : root.getHandlers()) root.removeHandler(handler);
    root.addHandler(ALL);
    root.setLevel(Level.INFO);
  }

  static void begin(String state) {
    line("=== " + state);
  }

  static synchronized void line(String text) {
    System.out.println(text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", ""));
    System.out.flush();
  }

  /** An exception, and what caused it, each as class and message. */
  static void thrown(String lead, Throwable problem) {
    Throwable last = null;
    for (Throwable at = problem; at != null && at != last; at = at.getCause()) {
      line(lead + at.getClass().getName() + ": " + at.getMessage());
      lead = "  caused by ";
      last = at;
    }
  }

  @Override
  public void publish(LogRecord entry) {
    String level = entry.getLevel() == Level.SEVERE ? "ERROR" : entry.getLevel() == Level.WARNING ? "WARN" : "INFO";
    String text = entry.getMessage();
    if (entry.getParameters() != null) text = new SimpleFormatter().formatMessage(entry);
    line(level + " " + entry.getLoggerName() + ": " + text);
    if (entry.getThrown() != null) thrown("  with ", entry.getThrown());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
