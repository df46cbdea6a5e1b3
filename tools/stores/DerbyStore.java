import java.io.File;
import java.sql.*;
import java.util.Random;

/** Arguments: DIRECTORY ROWS SEED stop|halt. Lets Derby write a database, then shuts it down or halts as kill -9 does. */
public class DerbyStore {
  public static void main(String[] arguments) throws Exception {
    int count = Integer.parseInt(arguments[1]);
    Random random = new Random(Long.parseLong(arguments[2]));
    // Small files, so that a small database has several of them; no checkpoint in a small one, so that all stay.
    System.setProperty("derby.storage.logSwitchInterval", count > 100_000 ? "16000000" : "200000");
    System.setProperty("derby.storage.checkpointInterval", "64000000");
    String url = "jdbc:derby:" + new File(arguments[0]).getPath();
    try (Connection connection = DriverManager.getConnection(url + ";create=true")) {
      connection.setAutoCommit(false);
      Statement statement = connection.createStatement();
      statement.execute("create table orders (id int primary key, line varchar(2000), amount bigint)");
      statement.execute("create index amounts on orders (amount)");
      connection.commit();
      PreparedStatement insert = connection.prepareStatement("insert into orders values (?, ?, ?)");
      PreparedStatement update = connection.prepareStatement("update orders set line = ?, amount = ? where id = ?");
      PreparedStatement delete = connection.prepareStatement("delete from orders where id = ?");
      Connection open = null;
      if (count > 100_000) {
        // A transaction that stays open keeps all of a large log.
        open = DriverManager.getConnection(url);
        open.setAutoCommit(false);
        open.createStatement().execute("create table held (id int primary key)");
      }
      for (int number = 0; number < count; number++) {
        insert.setInt(1, number);
        insert.setString(2, "x".repeat(random.nextInt(400)));
        insert.setLong(3, random.nextLong());
        insert.executeUpdate();
        if (number % 7 == 3) {
          update.setString(1, "y".repeat(random.nextInt(1500)));
          update.setLong(2, random.nextLong());
          update.setInt(3, random.nextInt(number));
          update.executeUpdate();
        }
        if (number % 11 == 5) {
          delete.setInt(1, random.nextInt(number));
          delete.executeUpdate();
        }
        if (number % 50 == 49) connection.commit();
        else if (number % 333 == 0) connection.rollback();
      }
      connection.commit();
      if (open != null) {
        open.rollback();
        open.close();
      }
      DatabaseMetaData about = connection.getMetaData();
      System.out.println("written by " + about.getDatabaseProductVersion());
      System.out.flush();
      if (arguments[3].equals("halt")) Runtime.getRuntime().halt(0);
    }
    try {
      DriverManager.getConnection(url + ";shutdown=true");
    } catch (SQLException expected) {
      // Derby reports a shutdown as an exception.
    }
  }
}
