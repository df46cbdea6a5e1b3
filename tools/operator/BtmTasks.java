import bitronix.tm.*;
import bitronix.tm.recovery.Recoverer;
import bitronix.tm.resource.jdbc.PoolingDataSource;
import java.io.*;
import java.lang.reflect.*;
import java.sql.*;
import java.util.concurrent.CountDownLatch;
import javax.sql.*;
import javax.transaction.xa.XAResource;
import org.apache.derby.jdbc.EmbeddedXADataSource;

/** Arguments: write DIRECTORY TRANSACTIONS MEGABYTES | start DIRECTORY. Says what the transaction manager counts. */
public class BtmTasks {
  static final int DOUBTFUL = 5;
  static final CountDownLatch HELD = new CountDownLatch(DOUBTFUL);
  static volatile boolean holding;

  /** Derby, whose commit of the second branch does not come back while `holding`: a crash between two commits. */
  public static class HeldSource implements XADataSource {
    private final EmbeddedXADataSource real = new EmbeddedXADataSource();

    public void setDatabaseName(String name) {
      real.setDatabaseName(name);
      real.setCreateDatabase("create");
    }

    public XAConnection getXAConnection() throws SQLException {
      XAConnection opened = real.getXAConnection();
      XAResource branch = opened.getXAResource();
      Object held = proxy(XAResource.class, branch, (method, given) -> {
        if (holding && method.getName().equals("commit") && real.getDatabaseName().endsWith("stockdb")) {
          HELD.countDown();
          Thread.sleep(Long.MAX_VALUE);
        }
        return null;
      });
      return (XAConnection) proxy(XAConnection.class, opened, (method, given) -> method.getName().equals("getXAResource") ? held : null);
    }

    public XAConnection getXAConnection(String user, String word) throws SQLException { return getXAConnection(); }
    public PrintWriter getLogWriter() { return null; }
    public void setLogWriter(PrintWriter out) {}
    public void setLoginTimeout(int seconds) {}
    public int getLoginTimeout() { return 0; }
    public java.util.logging.Logger getParentLogger() { return null; }
  }

  interface Before { Object call(Method method, Object[] given) throws Throwable; }

  static Object proxy(Class<?> type, Object real, Before before) {
    return Proxy.newProxyInstance(BtmTasks.class.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
      if (method.getName().equals("equals")) return given[0] == self;
      Object own = before.call(method, given);
      try {
        return own != null ? own : method.invoke(real, given);
      } catch (InvocationTargetException problem) {
        throw problem.getCause();
      }
    });
  }

  static PoolingDataSource source(String name, String directory) {
    PoolingDataSource source = new PoolingDataSource();
    source.setUniqueName(name);
    source.setClassName(HeldSource.class.getName());
    source.setMaxPoolSize(8);
    source.getDriverProperties().setProperty("databaseName", directory + "/" + name);
    source.init();
    return source;
  }

  static void insert(PoolingDataSource source, int number) throws SQLException {
    try (Connection connection = source.getConnection(); PreparedStatement statement = connection.prepareStatement("insert into t values(?)")) {
      statement.setInt(1, number);
      statement.execute();
    }
  }

  public static void main(String[] arguments) throws Exception {
    String directory = arguments[1];
    Configuration settings = TransactionManagerServices.getConfiguration();
    settings.setServerId("prod-node-1");
    new File(directory, "tlogs").mkdirs();
    // The databases are not what is looked at: they need not force their logs.
    System.setProperty("derby.system.durability", "test");
    settings.setLogPart1Filename(directory + "/tlogs/btm1.tlog");
    settings.setLogPart2Filename(directory + "/tlogs/btm2.tlog");
    settings.setForcedWriteEnabled(false);
    if (arguments.length > 3) settings.setMaxLogSizeInMb(Integer.parseInt(arguments[3]));
    try {
      PoolingDataSource orders = source("ordersdb", directory), stock = source("stockdb", directory);
      BitronixTransactionManager manager = TransactionManagerServices.getTransactionManager();
      if (arguments[0].equals("write")) write(manager, orders, stock, Integer.parseInt(arguments[2]));
      else {
        Recoverer recoverer = TransactionManagerServices.getRecoverer();
        if (recoverer.getCompletionException() != null) throw recoverer.getCompletionException();
        System.out.println("count committed " + recoverer.getCommittedCount());
        System.out.println("count rolledback " + recoverer.getRolledbackCount());
      }
      System.out.println("started yes 1");
    } catch (Throwable problem) {
      for (Throwable at = problem; at != null; at = at.getCause())
        System.out.println("refused " + String.valueOf(at.getMessage()).replaceAll("\\s+", "_") + " 1");
    }
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  static void write(BitronixTransactionManager manager, PoolingDataSource orders, PoolingDataSource stock, int count) throws Exception {
    manager.begin();
    for (PoolingDataSource source : new PoolingDataSource[] {orders, stock})
      try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
        statement.execute("create table t(id int primary key)");
      }
    manager.commit();
    for (int number = 0; number < count; number++) {
      manager.begin();
      insert(orders, number);
      insert(stock, number);
      if (number % 50 == 49) manager.rollback();
      else manager.commit();
    }
    // A start is to recover transactions, not databases.
    for (PoolingDataSource source : new PoolingDataSource[] {orders, stock})
      try (Connection connection = DriverManager.getConnection("jdbc:derby:" + source.getDriverProperties().getProperty("databaseName")); Statement statement = connection.createStatement()) {
        statement.execute("call syscs_util.syscs_checkpoint_database()");
      }
    holding = true;
    for (int number = 0; number < DOUBTFUL; number++) {
      int own = count + number;
      new Thread(() -> {
        try {
          manager.begin();
          insert(orders, own);
          insert(stock, own);
          System.out.println("decided " + manager.getCurrentTransaction().getGtrid() + " 1");
          manager.commit();
        } catch (Exception problem) {
          problem.printStackTrace();
        }
      }).start();
    }
    HELD.await();
  }
}
