import java.io.File;
import java.sql.*;
import java.util.*;
import javax.sql.XAConnection;
import javax.transaction.xa.*;
import org.apache.derby.jdbc.EmbeddedXADataSource;

/** Arguments: write DIRECTORY MEGABYTES | start DIRECTORY [checkpoint]. Says what the database counts. */
public class DerbyTasks {
  record Branch(String name) implements Xid {
    public int getFormatId() { return 131077; }
    public byte[] getGlobalTransactionId() { return name.getBytes(); }
    public byte[] getBranchQualifier() { return "branch".getBytes(); }
  }

  static XAConnection branches(String directory) throws SQLException {
    EmbeddedXADataSource source = new EmbeddedXADataSource();
    source.setDatabaseName(directory);
    return source.getXAConnection();
  }

  static Connection open(String directory, String more) throws SQLException {
    Connection connection = DriverManager.getConnection("jdbc:derby:" + directory + more);
    connection.setAutoCommit(false);
    return connection;
  }

  static void say(String directory) throws Exception {
    Connection connection = open(directory, "");
    // Rows of transactions without an end are seen, too: their locks would hold the question up.
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
    for (String text : new String[] {"account", "hold", "hold where id = 2"}) {
      ResultSet rows = connection.createStatement().executeQuery("select count(*) from " + text);
      rows.next();
      System.out.println("rows " + (text.endsWith("2") ? "last" : text) + " " + rows.getInt(1));
    }
    for (Xid branch : branches(directory).getXAResource().recover(XAResource.TMSTARTRSCAN))
      System.out.println("prepared " + new String(branch.getGlobalTransactionId()) + " 1");
    for (String name : new File(directory, "log").list())
      if (name.matches("log\\d+\\.dat")) System.out.println("file " + name + " 1");
    System.out.println("started yes 1");
    System.out.flush();
  }

  public static void main(String[] arguments) throws Exception {
    String directory = arguments[1];
    Set<String> options = new HashSet<>(Arrays.asList(arguments));
    try {
      if (options.contains("write")) write(directory, Long.parseLong(arguments[2]));
      if (options.contains("checkpoint")) open(directory, "").createStatement().execute("call syscs_util.syscs_checkpoint_database()");
      say(directory);
    } catch (SQLException problem) {
      for (Throwable at = problem; at != null; at = at.getCause())
        System.out.println("refused " + (at instanceof SQLException ? ((SQLException) at).getSQLState() + " " : "").trim() + "_" + String.valueOf(at.getMessage()).replaceAll("\\s+", "_") + " 1");
      System.out.flush();
    }
    Runtime.getRuntime().halt(0);
  }

  static void write(String directory, long megabytes) throws Exception {
    System.setProperty("derby.storage.logSwitchInterval", "16000000");
    Random random = new Random(1);
    Connection connection = open(directory, ";create=true");
    Statement statement = connection.createStatement();
    statement.execute("create table account(id int primary key, owner varchar(60), balance bigint, note varchar(400))");
    statement.execute("create index owners on account(owner)");
    statement.execute("create table hold(id int primary key, t varchar(100))");
    PreparedStatement insert = connection.prepareStatement("insert into account values(?, ?, 1000, 'secret note')");
    for (int number = 0; number < 20_000; number++) {
      insert.setInt(1, number);
      insert.setString(2, "owner" + number % 500);
      insert.executeUpdate();
    }
    connection.commit();
    PreparedStatement update = connection.prepareStatement("update account set balance = balance + ?, note = ? where id = ?");
    File log = new File(directory, "log");
    boolean held = false;
    for (long number = 1, size = 0; size < megabytes << 20; number++) {
      StringBuilder text = new StringBuilder();
      for (int word = random.nextInt(20); word >= -5; word--) text.append("word").append(random.nextInt(9999)).append(' ');
      update.setInt(1, random.nextInt(200) - 100);
      update.setString(2, text.toString());
      update.setInt(3, random.nextInt(20_000));
      update.executeUpdate();
      if (number % 10 == 0) {
        if (random.nextInt(50) == 0) connection.rollback();
        else connection.commit();
      }
      if (number % 5000 > 0) continue;
      size = 0;
      for (File file : log.listFiles()) if (file.getName().matches("log\\d+\\.dat")) size += file.length();
      if (held) continue;
      // From here on these hold the log.
      held = true;
      open(directory, "").createStatement().execute("insert into hold values(1, 'a transaction that stays open')");
      for (String name : new String[] {"gtx-order-4711", "gtx-order-4712", "gtx-refund-0815"}) {
        XAConnection own = branches(directory);
        Xid id = new Branch(name);
        own.getXAResource().start(id, XAResource.TMNOFLAGS);
        own.getConnection().createStatement().execute("insert into hold values(" + name.hashCode() + ", '" + name + "')");
        own.getXAResource().end(id, XAResource.TMSUCCESS);
        own.getXAResource().prepare(id);
      }
    }
    connection.rollback();
    Connection last = open(directory, "");
    last.createStatement().execute("insert into hold values(2, 'last committed')");
    last.commit();
    System.out.println("rows committed 1");
  }
}
