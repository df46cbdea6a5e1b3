import java.io.File;
import java.io.OutputStream;
import java.io.PrintStream;
import org.apache.activemq.artemis.core.persistence.impl.journal.DescribeJournal;

/** Argument: DIRECTORY with a journal. Does what `artemis data print` does with it, and throws the text away. */
public class ArtemisRead {
  public static void main(String[] arguments) throws Exception {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    DescribeJournal.describeMessagesJournal(new File(arguments[0]), nowhere, false, true, true, false);
    System.exit(0);
  }
}
