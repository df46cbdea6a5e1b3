import java.io.*;
import java.sql.*;

/** Arguments: NAME=DIRECTORY[,STATEMENT]: boots each database, runs the statement, shuts it down. */
public class DerbyStarts {
  /** What Derby would write to derby.log, by the property derby.stream.error.field. */
  public static final ByteArrayOutputStream LOG = new ByteArrayOutputStream();

  static void thrown(SQLException problem) {
    int depth = 0;
    for (SQLException at = problem; at != null && depth++ < 8; at = at.getNextException()) {
      Recorder.line("SQLException " + at.getSQLState() + ": " + at.getMessage());
      Throwable cause = at.getCause();
      if (cause != null && !(cause instanceof SQLException)) {
        Recorder.thrown("  caused by ", cause);
      }
    }
  }

  /** Writes a database with several log files, and beside it the files of its tables as an earlier checkpoint left them. */
  static void write(String directory) throws Exception {
    System.setProperty("derby.storage.logSwitchInterval", "100000");
    System.setProperty("derby.storage.checkpointInterval", "64000000");
    new File(directory).getParentFile().mkdirs();
    Connection connection = DriverManager.getConnection("jdbc:derby:" + directory + ";create=true");
    connection.setAutoCommit(false);
    Statement statement = connection.createStatement();
    statement.execute("create table orders (id int primary key, line varchar(500))");
    connection.commit();
    for (int round = 0; round < 3; round++) {
      for (int number = 0; number < 200; number++) {
        statement.execute("insert into orders values (" + (1000 * round + number) + ", '" + "x".repeat(200) + "')");
        if (number % 20 == 19) connection.commit();
      }
      statement.execute("update orders set line = '" + "y".repeat(150 + round) + "'");
      connection.commit();
      if (round < 2) statement.execute("call syscs_util.syscs_checkpoint_database()");
      if (round == 0) {
        new File(directory, "older").mkdir();
        for (File file : new File(directory, "seg0").listFiles())
          java.nio.file.Files.copy(file.toPath(), new File(directory + "/older", file.getName()).toPath());
      }
    }
    ResultSet row = statement.executeQuery(
        "select conglomeratenumber from sys.sysconglomerates c, sys.systables t where c.tableid = t.tableid"
        + " and tablename = 'ORDERS' and not isindex");
    row.next();
    try (Writer table = new FileWriter(directory + "/table.txt")) {
      table.write("c" + Long.toHexString(row.getLong(1)) + ".dat");
    }
    connection.commit();
    statement.execute("insert into orders values (9999, 'open')");
    Connection other = DriverManager.getConnection("jdbc:derby:" + directory);
    other.setAutoCommit(false);
    other.createStatement().execute("create table held (id int)");
    other.commit();
    Runtime.getRuntime().halt(0);
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("write")) write(arguments[1]);
    if (arguments[0].equals("hold")) {
      DriverManager.getConnection("jdbc:derby:" + arguments[1]);
      System.out.println("open");
      Thread.sleep(600_000);
    }
    System.setProperty("derby.stream.error.field", "DerbyStarts.LOG");
    for (String argument : arguments) {
      String name = argument.substring(0, argument.indexOf('='));
      String[] place = argument.substring(name.length() + 1).split(",", 2);
      String url = "jdbc:derby:" + place[0];
      Recorder.begin(name);
      LOG.reset();
      Process other = null;
      if (place.length > 1 && place[1].equals("LOCK")) {
        String[] words = {"java", "-cp", System.getProperty("java.class.path"), "DerbyStarts", "hold", place[0]};
        other = new ProcessBuilder(words).redirectErrorStream(true).start();
        other.getInputStream().read();
      }
      try (Connection connection = DriverManager.getConnection(url)) {
        for (SQLWarning warning = connection.getWarnings(); warning != null; warning = warning.getNextWarning())
          Recorder.line("SQLWarning " + warning.getSQLState() + ": " + warning.getMessage());
        if (place.length > 1 && other == null) {
          try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(place[1])) {
            while (rows.next()) rows.getObject(1);
          }
        }
      } catch (SQLException problem) {
        thrown(problem);
      }
      try {
        DriverManager.getConnection(url.split(";")[0] + ";shutdown=true");
      } catch (SQLException expected) {
        // A shutdown is reported as an exception.
      }
      if (other != null) other.destroyForcibly().waitFor();
      for (String line : LOG.toString("UTF-8").split("\n")) {
        boolean trace = line.startsWith("\tat ") || line.isBlank() || line.startsWith("-----") || line.startsWith("\t... ");
        if (!trace) Recorder.line("derby.log: " + line);
      }
    }
    System.exit(0);
  }
}
