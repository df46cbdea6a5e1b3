import javax.jms.*;
import javax.transaction.xa.*;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.*;
import org.apache.activemq.artemis.jms.client.*;

/** Arguments: write DIRECTORY, or any number of NAME=DIRECTORY[,OPTION]: starts a broker on each, and stops it. */
public class ArtemisStarts {
  record Branch(String name) implements Xid {
    public int getFormatId() { return 131077; }
    public byte[] getGlobalTransactionId() { return name.getBytes(); }
    public byte[] getBranchQualifier() { return new byte[] {1}; }
  }

  static EmbeddedActiveMQ broker(String directory, String options) {
    ConfigurationImpl settings = new ConfigurationImpl();
    settings.setPersistenceEnabled(true).setSecurityEnabled(false);
    settings.setJournalType(options.contains("aio") ? JournalType.ASYNCIO : JournalType.NIO);
    settings.setJournalDirectory(directory + "/journal").setBindingsDirectory(directory + "/bindings");
    settings.setLargeMessagesDirectory(directory + "/large-messages").setPagingDirectory(directory + "/paging");
    settings.setJMXManagementEnabled(false).setJournalMinFiles(2).setJournalCompactMinFiles(0);
    settings.setJournalFileSize(options.contains("double") ? 204800 : 102400);
    settings.setJournalSyncTransactional(false).setJournalSyncNonTransactional(false).setTransactionTimeout(36_000_000L);
    settings.setMessageExpiryScanPeriod(-1).setMaxDiskUsage(options.contains("full") ? 0 : -1).setDiskScanPeriod(300);
    try {
      settings.addAcceptorConfiguration("invm", "vm://0");
    } catch (Exception impossible) {
      throw new RuntimeException(impossible);
    }
    AddressSettings usual = new AddressSettings();
    usual.setAutoCreateQueues(true).setAutoCreateAddresses(true).setAutoDeleteQueues(false).setAutoDeleteAddresses(false);
    settings.addAddressSetting("#", usual);
    AddressSettings paged = new AddressSettings();
    paged.setMaxSizeBytes(20_000).setPageSizeBytes(10_000).setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE);
    paged.setAutoCreateQueues(true).setAutoDeleteQueues(false).setAutoDeleteAddresses(false);
    settings.addAddressSetting("paged", paged);
    EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    broker.setConfiguration(settings);
    return broker;
  }

  static void write(String directory) throws Exception {
    broker(directory, "").start();
    ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://0");
    Connection connection = factory.createConnection();
    connection.setClientID("client");
    connection.start();
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    MessageProducer orders = session.createProducer(session.createQueue("orders"));
    for (int number = 0; number < 80; number++) orders.send(session.createTextMessage("order " + number + "x".repeat(1500)));
    Topic prices = session.createTopic("prices");
    session.createDurableSubscriber(prices, "slow").close();
    session.createProducer(prices).send(session.createTextMessage("price"));
    orders.setDeliveryDelay(36_000_000);
    orders.send(session.createTextMessage("tomorrow"));
    orders.setDeliveryDelay(0);
    BytesMessage large = session.createBytesMessage();
    large.writeBytes(new byte[300_000]);
    session.createProducer(session.createQueue("files")).send(large);
    MessageProducer many = session.createProducer(session.createQueue("paged"));
    for (int number = 0; number < 60; number++) {
      BytesMessage message = session.createBytesMessage();
      message.writeBytes(new byte[1000]);
      many.send(message);
    }
    MessageConsumer reader = session.createConsumer(session.createQueue("paged"));
    for (int number = 0; number < 45; number++) reader.receive(2000);
    reader.close();
    Session grouped = connection.createSession(true, Session.SESSION_TRANSACTED);
    MessageProducer sender = grouped.createProducer(grouped.createQueue("audit"));
    for (int number = 0; number < 3; number++) sender.send(grouped.createTextMessage("together " + number));
    grouped.commit();
    XAConnection own = new ActiveMQXAConnectionFactory("vm://0").createXAConnection();
    own.start();
    for (String name : new String[] {"sends", "reads"}) {
      XASession branch = own.createXASession();
      Xid id = new Branch(name);
      branch.getXAResource().start(id, XAResource.TMNOFLAGS);
      if (name.equals("sends")) branch.createProducer(branch.createQueue("audit")).send(branch.createTextMessage("in doubt"));
      else branch.createConsumer(branch.createQueue("orders")).receive(2000);
      branch.getXAResource().end(id, XAResource.TMSUCCESS);
      branch.getXAResource().prepare(id);
    }
    sender.send(grouped.createTextMessage("open"));
    Thread.sleep(500);
    Runtime.getRuntime().halt(0);
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("write")) write(arguments[1]);
    Recorder.listen();
    for (String argument : arguments) {
      String name = argument.substring(0, argument.indexOf('='));
      String[] place = argument.substring(name.length() + 1).split(",", 2);
      Recorder.begin(name);
      EmbeddedActiveMQ broker = broker(place[0], place.length > 1 ? place[1] : "");
      try {
        broker.start();
        Thread.sleep(1000);
      } catch (Throwable problem) {
        Recorder.thrown("thrown ", problem);
      }
      try {
        broker.stop();
      } catch (Throwable problem) {
        Recorder.thrown("thrown at stop ", problem);
      }
    }
    System.exit(0);
  }
}
