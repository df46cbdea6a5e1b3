import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;

/** @TITLE@ */
public class @NAME@ {
    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            work(args[0]);
        }
        Path place = Files.createTempDirectory("derby");
        System.setProperty("derby.stream.error.file", place.resolve("derby.log").toString());
        Path database = place.resolve("db");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        // Another process writes and is killed, as by a power cut.
        new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "-Dderby.stream.error.file="
            + place.resolve("first.log"), "@NAME@", database.toString()).inheritIO().start().waitFor();
        Path log = database.resolve("log");
@DAMAGE@
        Files.deleteIfExists(database.resolve("db.lck"));
        Files.deleteIfExists(database.resolve("dbex.lck"));
        try (Connection connection = DriverManager.getConnection("jdbc:derby:" + database);
             ResultSet rows = connection.createStatement().executeQuery("select count(*) from T")) {
            rows.next();
            System.out.println("the database boots with " + rows.getInt(1) + " of 10 committed rows");
        } catch (SQLException error) {
            Throwable cause = error;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            String said = String.valueOf(cause).replace(place.toString(), "DIR");
            System.out.println("the database does not boot: " + said.lines().findFirst().orElse("").split("\\. ")[0]);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    static void work(String database) throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:derby:" + database + ";create=true");
        Statement statement = connection.createStatement();
        statement.execute("create table T (N int)");
        statement.execute("call SYSCS_UTIL.SYSCS_CHECKPOINT_DATABASE()");
        for (int i = 0; i < 10; i++) {
            statement.execute("insert into T values (" + i + ")");
        }
        Runtime.getRuntime().halt(0);
    }

    static void overwrite(Path file, int offset, int count, int with) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, offset, offset + count, (byte) with);
        Files.write(file, bytes);
    }

    static void cut(Path file, int length) throws IOException {
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), length));
    }
}
