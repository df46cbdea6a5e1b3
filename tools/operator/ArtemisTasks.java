import java.io.*;
import java.util.Random;
import javax.jms.*;
import javax.transaction.xa.*;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.journal.impl.*;
import org.apache.activemq.artemis.core.persistence.impl.journal.DescribeJournal;
import org.apache.activemq.artemis.core.server.*;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.*;

/** Arguments: write DIRECTORY MESSAGES | start DIRECTORY | print DIRECTORY. Says what the broker counts. */
public class ArtemisTasks {
  static final String[] QUEUES = {"orders", "invoices", "audit", "payments", "notify", "large"};

  record Branch(String name) implements Xid {
    public int getFormatId() { return 131077; }
    public byte[] getGlobalTransactionId() { return name.getBytes(); }
    public byte[] getBranchQualifier() { return "branch".getBytes(); }
  }

  static EmbeddedActiveMQ broker(String directory) throws Exception {
    ConfigurationImpl settings = new ConfigurationImpl();
    settings.setPersistenceEnabled(true).setSecurityEnabled(false).setJournalType(JournalType.NIO);
    settings.setJournalDirectory(directory + "/journal").setBindingsDirectory(directory + "/bindings");
    settings.setLargeMessagesDirectory(directory + "/large-messages").setPagingDirectory(directory + "/paging");
    settings.setJournalSyncTransactional(false).setJournalSyncNonTransactional(false);
    settings.setJMXManagementEnabled(false).addAcceptorConfiguration("invm", "vm://0");
    settings.setTransactionTimeout(36_000_000L);
    AddressSettings usual = new AddressSettings();
    usual.setMaxSizeBytes(-1).setAutoCreateQueues(true).setAutoCreateAddresses(true);
    usual.setAutoDeleteQueues(false).setAutoDeleteAddresses(false);
    settings.addAddressSetting("#", usual);
    EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    broker.setConfiguration(settings);
    broker.start();
    return broker;
  }

  static void say(EmbeddedActiveMQ broker) throws Exception {
    for (String name : QUEUES) {
      var queue = broker.getActiveMQServer().locateQueue(SimpleString.of(name));
      System.out.println("queue " + name + " " + (queue == null ? 0 : queue.getMessageCount()));
      System.out.println("id " + name + " " + (queue == null ? 0 : queue.getID()));
    }
    for (Xid branch : broker.getActiveMQServer().getResourceManager().getPreparedTransactions())
      System.out.println("prepared " + new String(branch.getGlobalTransactionId()) + " 1");
    JournalImpl journal = (JournalImpl) broker.getActiveMQServer().getStorageManager().getMessageJournal();
    // Files that the reclaimer keeps: of their records not all are deleted, or they delete records in such a file.
    JournalFile[] files = journal.getDataFiles();
    boolean[] kept = new boolean[files.length];
    for (int at = 0; at < files.length; at++) {
      int live = files[at].getPosCount();
      for (JournalFile later : files) live -= later.getNegCount(files[at]);
      kept[at] = live > 0;
      for (int before = 0; before < at; before++) kept[at] |= kept[before] && files[at].getNegCount(files[before]) > 0;
      System.out.println("file " + files[at].getFile().getFileName() + " " + (kept[at] ? Math.max(live, 1) : 0));
    }
    System.out.println("started yes 1");
    System.out.flush();
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("print")) {
      PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
      DescribeJournal.describeBindingsJournal(new File(arguments[1], "bindings"), nowhere, true, true, true);
      DescribeJournal.describeMessagesJournal(new File(arguments[1], "journal"), nowhere, false, true, true, false);
    } else {
      try {
        EmbeddedActiveMQ broker = broker(arguments[1]);
        if (arguments[0].equals("write")) write(broker, Integer.parseInt(arguments[2]));
        say(broker);
      } catch (Throwable problem) {
        System.out.println("refused " + String.valueOf(problem).replaceAll("\\s+", "_") + " 1");
        System.out.flush();
      }
    }
    Runtime.getRuntime().halt(0);
  }

  static void write(EmbeddedActiveMQ broker, int count) throws Exception {
    Random random = new Random(1);
    ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://0");
    factory.setBlockOnDurableSend(false);
    factory.setBlockOnAcknowledge(false);
    factory.setConsumerWindowSize(16 << 20);
    Connection connection = factory.createConnection();
    connection.start();
    Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
    Session consuming = connection.createSession(true, Session.SESSION_TRANSACTED);
    int[] share = {50, 20, 15, 10, 5}, sent = new int[5], taken = new int[5];
    MessageProducer[] producers = new MessageProducer[5];
    for (int at = 0; at < 5; at++) producers[at] = session.createProducer(session.createQueue(QUEUES[at]));
    for (int number = 0; number < count; number++) {
      int draw = random.nextInt(100), at = 0;
      for (int sum = share[0]; draw >= sum; sum += share[++at]) ;
      StringBuilder text = new StringBuilder("{\"orderId\":\"" + QUEUES[at] + "-" + number + "\",\"lines\":[");
      for (int line = random.nextInt(20); line >= -5; line--) text.append("{\"sku\":\"SKU-").append(random.nextInt()).append("\"},");
      TextMessage message = session.createTextMessage(text + "{}]}");
      message.setStringProperty("tenant", "tenant" + random.nextInt(20));
      message.setJMSPriority(random.nextInt(10));
      producers[at].send(message);
      sent[at]++;
      if (number % 200 == 199) session.commit();
      if (number % 20_000 < 19_999 && number < count - 1) continue;
      session.commit();
      // What is taken: all but 40,000 orders, half of invoices and audit, nearly all of the others.
      for (int queue = 0; queue < 5; queue++) {
        int target = queue == 1 || queue == 2 ? sent[queue] / 2 : Math.max(0, sent[queue] - (queue == 0 ? 40_000 : 800));
        MessageConsumer consumer = consuming.createConsumer(consuming.createQueue(QUEUES[queue]));
        for (; taken[queue] < target; taken[queue]++) {
          if (consumer.receive(10_000) == null) throw new java.lang.IllegalStateException("no message in " + QUEUES[queue]);
          if (taken[queue] % 100 == 99) consuming.commit();
        }
        consuming.commit();
        consumer.close();
      }
    }
    Session single = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    BytesMessage large = single.createBytesMessage();
    large.writeBytes(new byte[400 << 10]);
    for (int number = 0; number < 15; number++) single.createProducer(single.createQueue("large")).send(large);
    producers[0].send(session.createTextMessage("rolled back"));
    session.rollback();
    XAConnection own = factory.createXAConnection();
    own.start();
    for (String name : new String[] {"gtx-order-4711", "gtx-order-4712", "gtx-refund-0815", "gtx-done"}) {
      XASession branch = own.createXASession();
      XAResource resource = branch.getXAResource();
      Xid id = new Branch(name);
      resource.start(id, XAResource.TMNOFLAGS);
      MessageProducer producer = branch.createProducer(branch.createQueue("payments"));
      for (int number = 0; number < 10; number++) producer.send(branch.createTextMessage("in branch " + name));
      resource.end(id, XAResource.TMSUCCESS);
      resource.prepare(id);
      if (name.equals("gtx-done")) resource.commit(id, false);
    }
    for (int number = 0; number < 20; number++) producers[2].send(session.createTextMessage("uncommitted"));
    Thread.sleep(1500);
  }
}
