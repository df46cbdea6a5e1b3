import bitronix.tm.*;
import bitronix.tm.resource.jdbc.PoolingDataSource;
import java.io.*;
import java.lang.reflect.Proxy;
import java.sql.*;
import javax.sql.*;
import javax.transaction.xa.*;

/** Arguments: NAME=DIRECTORY[,OPTION...]: starts the transaction manager on each pair, and stops it. */
public class BtmStarts {
  static String options = "";

  /** A resource that is in doubt about the branches that the log decided, or does what the options say. */
  static XAResource resource() {
    return (XAResource) Proxy.newProxyInstance(BtmStarts.class.getClassLoader(), new Class<?>[] {XAResource.class}, (self, method, given) -> {
      switch (method.getName()) {
        case "recover":
          if (options.contains("recover-fails")) throw new XAException(XAException.XAER_RMERR);
          // A scan that starts lists the branches; one that goes on has no more.
          return ((Integer) given[0] & XAResource.TMSTARTRSCAN) != 0 ? branches() : new Xid[0];
        case "commit":
          if (options.contains("heuristic")) throw new XAException(XAException.XA_HEURRB);
          if (options.contains("unknown")) throw new XAException(XAException.XAER_NOTA);
          if (options.contains("away")) throw new XAException(XAException.XAER_RMFAIL);
          return null;
        case "rollback":
          if (options.contains("rollback-heuristic")) throw new XAException(XAException.XA_HEURCOM);
          if (options.contains("rollback-away")) throw new XAException(XAException.XAER_RMFAIL);
          return null;
        case "isSameRM":
          return given[0] == self;
        case "equals":
          return given[0] == self;
        case "hashCode":
          return System.identityHashCode(self);
        case "prepare":
          if (options.contains("prepare-away")) throw new XAException(XAException.XAER_RMFAIL);
          return XAResource.XA_OK;
        case "setTransactionTimeout":
          return true;
        default:
          return method.getReturnType() == int.class ? (Object) 0 : null;
      }
    });
  }

  static Xid[] branches() {
    if (!options.contains("branch")) return new Xid[0];
    byte[] gtrid = java.util.HexFormat.of().parseHex(options.replaceAll(".*branch:([0-9a-f]*).*", "$1"));
    bitronix.tm.utils.Uid uid = new bitronix.tm.utils.Uid(gtrid);
    return new Xid[] {new BitronixXid(uid, bitronix.tm.utils.UidGenerator.generateUid())};
  }

  /** The data source that the product opens; its connections do nothing. */
  public static class FakeSource implements XADataSource {
    public XAConnection getXAConnection() throws SQLException {
      if (options.contains("no-connection")) throw new SQLException("connection refused");
      XAResource own = resource();
      return (XAConnection) Proxy.newProxyInstance(BtmStarts.class.getClassLoader(), new Class<?>[] {XAConnection.class}, (self, method, given) -> {
        switch (method.getName()) {
          case "getXAResource": return own;
          case "getConnection": return connection();
          case "equals": return given[0] == self;
          case "hashCode": return System.identityHashCode(self);
          default: return null;
        }
      });
    }

    public XAConnection getXAConnection(String user, String word) throws SQLException { return getXAConnection(); }
    public PrintWriter getLogWriter() { return null; }
    public void setLogWriter(PrintWriter out) {}
    public void setLoginTimeout(int seconds) {}
    public int getLoginTimeout() { return 0; }
    public java.util.logging.Logger getParentLogger() { return null; }
  }

  static Connection connection() {
    return (Connection) Proxy.newProxyInstance(BtmStarts.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, given) -> {
      Class<?> type = method.getReturnType();
      if (method.getName().equals("equals")) return given[0] == self;
      if (method.getName().equals("hashCode")) return System.identityHashCode(self);
      if (method.getName().equals("getAutoCommit") || method.getName().equals("isValid")) return true;
      return type == boolean.class ? (Object) false : type == int.class ? (Object) 0 : null;
    });
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("hold")) {
      new RandomAccessFile(arguments[1], "rw").getChannel().lock();
      System.out.println("locked");
      Thread.sleep(600_000);
    }
    Recorder.listen();
    for (String argument : arguments) {
      String name = argument.substring(0, argument.indexOf('='));
      String[] place = argument.substring(name.length() + 1).split(",", 2);
      options = place.length > 1 ? place[1] : "";
      Recorder.begin(name);
      Thread start = new Thread(() -> start(place[0]));
      start.start();
      start.join(8000);
      if (start.isAlive()) {
        Recorder.line("(no answer after 8 seconds)");
        start.stop();
      }
      // A failed start leaves the services as they are: the next start gets new ones.
      java.lang.reflect.Method clear = TransactionManagerServices.class.getDeclaredMethod("clear");
      clear.setAccessible(true);
      clear.invoke(null);
    }
    System.exit(0);
  }

  static void start(String directory) {
    PoolingDataSource source = null;
    Process other = null;
    try {
      Configuration settings = TransactionManagerServices.getConfiguration();
      settings.setServerId(options.contains("other-server") ? "node2" : "journalspec");
      settings.setLogPart1Filename(directory + "/btm1.tlog");
      settings.setLogPart2Filename(directory + (options.contains("same") ? "/btm1.tlog" : "/btm2.tlog"));
      settings.setMaxLogSizeInMb(1);
      settings.setGracefulShutdownInterval(1);
      settings.setSkipCorruptedLogs(options.contains("skip"));
      settings.setCurrentNodeOnlyRecovery(!options.contains("all-nodes"));
      if (options.contains("nulljournal")) settings.setJournal("null");
      if (options.contains("locked")) {
        String[] words = {"java", "-cp", System.getProperty("java.class.path"), "BtmStarts", "hold", directory + "/btm1.tlog"};
        other = new ProcessBuilder(words).redirectErrorStream(true).start();
        other.getInputStream().read();
      }
      if (!options.contains("no-resource")) {
        source = new PoolingDataSource();
        source.setUniqueName("db1");
        source.setClassName(FakeSource.class.getName());
        source.setMaxPoolSize(2);
        source.setAllowLocalTransactions(true);
        source.setIgnoreRecoveryFailures(options.contains("ignore"));
        source.init();
      }
      BitronixTransactionManager manager = TransactionManagerServices.getTransactionManager();
      if (options.contains("use")) {
        for (int number = 0; number < 2; number++) {
          manager.begin();
          source.getConnection().close();
          manager.commit();
        }
      }
      if (options.contains("unfinished")) manager.begin();
      Thread.sleep(200);
    } catch (Throwable problem) {
      Recorder.thrown("thrown ", problem);
    }
    try {
      if (TransactionManagerServices.isTransactionManagerRunning()) TransactionManagerServices.getTransactionManager().shutdown();
      else {
        if (TransactionManagerServices.isTaskSchedulerRunning()) TransactionManagerServices.getTaskScheduler().shutdown();
        TransactionManagerServices.getJournal().close();
      }
      if (source != null) source.close();
      if (other != null) other.destroyForcibly().waitFor();
    } catch (Throwable problem) {
      Recorder.thrown("thrown at stop ", problem);
    }
  }
}
