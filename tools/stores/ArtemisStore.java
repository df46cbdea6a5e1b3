import java.util.Random;
import javax.jms.*;
import javax.transaction.xa.*;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.*;

/** Arguments: DIRECTORY MESSAGES SEED stop|halt. Lets a broker write an Artemis store, then stops it or halts as kill -9 does. */
public class ArtemisStore {
  record Branch(String name) implements Xid {
    public int getFormatId() { return 131077; }
    public byte[] getGlobalTransactionId() { return name.getBytes(); }
    public byte[] getBranchQualifier() { return new byte[] {1}; }
  }

  public static void main(String[] arguments) throws Exception {
    String directory = arguments[0];
    int count = Integer.parseInt(arguments[1]);
    Random random = new Random(Long.parseLong(arguments[2]));
    ConfigurationImpl settings = new ConfigurationImpl();
    settings.setPersistenceEnabled(true).setSecurityEnabled(false).setJournalType(JournalType.NIO);
    settings.setJournalDirectory(directory + "/journal").setBindingsDirectory(directory + "/bindings");
    settings.setLargeMessagesDirectory(directory + "/large-messages").setPagingDirectory(directory + "/paging");
    settings.setJMXManagementEnabled(false).addAcceptorConfiguration("invm", "vm://0");
    // Small files, so that a small store has several of them.
    settings.setJournalFileSize((int) Math.max(100 << 10, Math.min(10 << 20, count * 32L)));
    settings.setJournalMinFiles(2).setJournalCompactMinFiles(4).setJournalCompactPercentage(50);
    settings.setJournalSyncTransactional(false).setJournalSyncNonTransactional(false);
    settings.setTransactionTimeout(36_000_000L);
    AddressSettings usual = new AddressSettings();
    usual.setAutoCreateQueues(true).setAutoCreateAddresses(true).setAutoDeleteQueues(false).setAutoDeleteAddresses(false);
    settings.addAddressesSetting("#", usual);
    EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    broker.setConfiguration(settings);
    broker.start();
    String[] queues = {"orders", "invoices", "audit"};
    ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://0");
    factory.setBlockOnDurableSend(false);
    factory.setBlockOnAcknowledge(false);
    ActiveMQXAConnectionFactory branches = new ActiveMQXAConnectionFactory("vm://0");
    Connection connection = factory.createConnection();
    connection.setClientID("client");
    connection.start();
    Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
    Session consuming = connection.createSession(true, Session.SESSION_TRANSACTED);
    MessageProducer[] producers = new MessageProducer[queues.length];
    for (int at = 0; at < queues.length; at++) producers[at] = session.createProducer(session.createQueue(queues[at]));
    for (int number = 0; number < count; number++) {
      StringBuilder text = new StringBuilder("{\"order\":" + number + ",\"lines\":[");
      for (int line = random.nextInt(12); line >= 0; line--) text.append("\"").append(random.nextLong()).append("\",");
      TextMessage message = session.createTextMessage(text + "]}");
      message.setIntProperty("attempt", random.nextInt(3));
      message.setJMSPriority(random.nextInt(10));
      producers[random.nextInt(queues.length)].send(message);
      if (number % 50 == 49) session.commit();
    }
    session.commit();
    for (int at = 0; at < 2; at++) {
      MessageConsumer consumer = consuming.createConsumer(consuming.createQueue(queues[at]));
      for (int number = 0; number < count / (at == 0 ? 8 : 4); number++) {
        if (consumer.receive(5000) == null) break;
        if (number % 20 == 19) consuming.commit();
      }
      consuming.commit();
      consumer.close();
    }
    producers[0].send(session.createTextMessage("rolled back"));
    session.rollback();
    XAConnection own = branches.createXAConnection();
    own.start();
    for (String name : new String[] {"done", "in-doubt"}) {
      XASession branch = own.createXASession();
      XAResource resource = branch.getXAResource();
      Xid id = new Branch(name);
      resource.start(id, XAResource.TMNOFLAGS);
      branch.createProducer(branch.createQueue("audit")).send(branch.createTextMessage("in branch " + name));
      resource.end(id, XAResource.TMSUCCESS);
      resource.prepare(id);
      if (name.equals("done")) resource.commit(id, false);
    }
    Thread.sleep(500);
    System.out.println("written by " + broker.getActiveMQServer().getVersion().getFullVersion());
    System.out.flush();
    if (arguments[3].equals("halt")) Runtime.getRuntime().halt(0);
    broker.stop();
    System.exit(0);
  }
}
