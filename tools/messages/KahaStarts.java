import java.io.File;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;

/** Arguments: NAME=DIRECTORY[,OPTION...]: starts a broker on each, and stops it. */
public class KahaStarts {
  static BrokerService broker(String directory, String options, String name) {
    BrokerService broker = new BrokerService();
    broker.setBrokerName(name);
    broker.setDataDirectory(directory + "/../" + name);
    broker.setUseJmx(false);
    broker.setUseShutdownHook(false);
    broker.setAdvisorySupport(false);
    broker.setSchedulerSupport(false);
    KahaDBPersistenceAdapter store = new KahaDBPersistenceAdapter();
    store.setDirectory(new File(directory));
    store.setJournalMaxFileLength(32 << 10);
    store.setCheckForCorruptJournalFiles(options.contains("check"));
    store.setIgnoreMissingJournalfiles(options.contains("ignore"));
    store.setArchiveCorruptedIndex(options.contains("archive"));
    store.setCheckpointInterval(200);
    store.setCleanupInterval(400);
    if (options.contains("locked")) store.setLockKeepAlivePeriod(0);
    try {
      broker.setPersistenceAdapter(store);
      store.getLocker().setFailIfLocked(true);
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
    broker.getSystemUsage().getMemoryUsage().setLimit(64L << 20);
    broker.getSystemUsage().getStoreUsage().setLimit(options.contains("small") ? 1000L : 1L << 30);
    return broker;
  }

  static void stop(BrokerService broker) {
    try {
      broker.stop();
      broker.waitUntilStopped();
    } catch (Throwable problem) {
      Recorder.thrown("thrown at stop ", problem);
    }
  }

  public static void main(String[] arguments) throws Exception {
    Recorder.listen();
    for (String argument : arguments) {
      String name = argument.substring(0, argument.indexOf('='));
      String[] place = argument.substring(name.length() + 1).split(",", 2);
      String options = place.length > 1 ? place[1] : "";
      BrokerService first = null;
      if (options.contains("locked")) {
        first = broker(place[0], "", "first");
        first.start();
      }
      Recorder.begin(name);
      BrokerService broker = broker(place[0], options, "store");
      Thread start = new Thread(() -> {
        try {
          broker.start();
          Thread.sleep(1500);
        } catch (Throwable problem) {
          Recorder.thrown("thrown ", problem);
        }
        stop(broker);
      });
      start.start();
      start.join(15_000);
      if (start.isAlive()) {
        Recorder.line("(no answer after 15 seconds)");
        start.stop();
      }
      if (first != null) stop(first);
    }
    Recorder.begin("end");
    System.exit(0);
  }
}
