import java.io.File;
import org.apache.activemq.store.kahadb.JournalCommand;
import org.apache.activemq.store.kahadb.data.KahaEntryType;
import org.apache.activemq.store.kahadb.disk.journal.*;
import org.apache.activemq.util.*;

/** Argument: DIRECTORY, which may be changed. Reads all commands of a KahaDB journal with the product's own classes. */
public class KahaRead {
  public static void main(String[] arguments) throws Exception {
    Journal journal = new Journal();
    journal.setDirectory(new File(arguments[0]));
    journal.start();
    long count = 0;
    for (Location at = journal.getNextLocation(null); at != null; at = journal.getNextLocation(at)) {
      DataByteArrayInputStream input = new DataByteArrayInputStream(journal.read(at));
      JournalCommand<?> command = (JournalCommand<?>) KahaEntryType.valueOf(input.readByte()).createMessage();
      command.mergeFramed(input);
      count++;
    }
    System.out.println(count + " commands");
    System.exit(0);
  }
}
