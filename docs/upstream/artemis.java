import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.activemq.artemis.core.io.nio.NIOSequentialFileFactory;
import org.apache.activemq.artemis.core.journal.PreparedTransactionInfo;
import org.apache.activemq.artemis.core.journal.RecordInfo;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/** @TITLE@ */
public class @NAME@ {
    static Path directory;

    public static void main(String[] args) throws Exception {
        directory = Files.createTempDirectory("artemis");
@FILES@
        attempt(() -> {
            for (int start = 1; start <= @STARTS@; start++) {
                var factory = new NIOSequentialFileFactory(directory.toFile(), false, 1);
                var journal = new JournalImpl(1024, 2, 2, 0, 0, factory, "activemq-data", "amq", 1, 0);
                List<RecordInfo> records = new ArrayList<>();
                List<PreparedTransactionInfo> prepared = new ArrayList<>();
                journal.start();
                journal.load(records, prepared, (transaction, lost, deleted) -> { }, true);
                List<Long> ids = records.stream().map(record -> record.id).toList();
                System.out.println("start " + start + ": records " + ids + ", prepared " + prepared.size());
                Thread.sleep(500);
                journal.stop();
            }
            return null;
        });
    }

@SHARED@
}
