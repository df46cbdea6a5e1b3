import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTopic;
import org.apache.activemq.store.MessageStore;
import org.apache.activemq.store.kahadb.KahaDBStore;
import org.apache.activemq.store.kahadb.disk.journal.Location;

/** @TITLE@ */
public class @NAME@ {
    static Path directory;

    static KahaDBStore store() throws IOException {
        KahaDBStore store = new KahaDBStore();
        store.setDirectory(directory.toFile());
        store.setChecksumJournalFiles(true);
        store.setCheckForCorruptJournalFiles(@CHECK@);
        store.setIgnoreMissingJournalfiles(@IGNORE@);
        store.setJournalMaxFileLength(1 << 20);
        return store;
    }

    public static void main(String[] args) throws Exception {
        directory = Files.createTempDirectory("kahadb");
@FILES@
        attempt(() -> {
            var journal = store().getJournal();
            journal.start();
            List<String> places = new ArrayList<>();
            for (Location at = journal.getNextLocation(null); at != null; at = journal.getNextLocation(at)) {
                places.add("db-" + at.getDataFileId() + ".log:" + at.getOffset());
            }
            System.out.println("records that replay reads: " + places);
            journal.close();
            KahaDBStore store = store();
            store.start();
            System.out.println("the store starts");
            for (ActiveMQDestination each : store.getDestinations()) {
                MessageStore messages = each.isQueue()
                    ? store.createQueueMessageStore((ActiveMQQueue) each)
                    : store.createTopicMessageStore((ActiveMQTopic) each);
                messages.start();
                System.out.println(each + ": " + messages.getMessageCount() + " messages");
            }
            return null;
        });
    }

@SHARED@
}
