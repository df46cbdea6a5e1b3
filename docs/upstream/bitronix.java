import bitronix.tm.TransactionManagerServices;
import bitronix.tm.journal.DiskJournal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** @TITLE@ */
public class @NAME@ {
    static Path directory;

    public static void main(String[] args) throws Exception {
        directory = Files.createTempDirectory("btm");
@FILES@
        var configuration = TransactionManagerServices.getConfiguration();
        configuration.setServerId("report").setDisableJmx(true);
        configuration.setLogPart1Filename(directory.resolve("btm1.tlog").toString());
        configuration.setLogPart2Filename(directory.resolve("btm2.tlog").toString());
        configuration.setSkipCorruptedLogs(@SKIP@);
        attempt(() -> {
            DiskJournal journal = new DiskJournal();
            journal.open();
            System.out.println("the journal opens");
            TreeSet<String> found = new TreeSet<>();
            for (Object id : ((Map<?, ?>) journal.collectDanglingRecords()).keySet()) {
                found.add(id.toString());
            }
            System.out.println("transactions to recover: " + found.size());
            found.stream().limit(4).forEach(System.out::println);
            return null;
        });
    }

@SHARED@
}
