import jakarta.jms.*;
import java.io.File;
import java.util.*;
import javax.management.ObjectName;
import javax.transaction.xa.*;
import org.apache.activemq.*;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.region.Destination;
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;

/** Arguments: write DIRECTORY MESSAGES | start DIRECTORY [check] [ignore] [clean] [log]. Says what the broker counts. */
public class KahaTasks {
  static final String[] QUEUES = {"ORDERS", "INVOICES", "AUDIT", "PAYMENTS", "NOTIFY"};

  record Branch(String name) implements Xid {
    public int getFormatId() { return 131077; }
    public byte[] getGlobalTransactionId() { return name.getBytes(); }
    public byte[] getBranchQualifier() { return "branch".getBytes(); }
  }

  static BrokerService broker(String directory, Set<String> options) throws Exception {
    BrokerService broker = new BrokerService();
    broker.setBrokerName("b");
    broker.setUseJmx(true);
    broker.getManagementContext().setCreateConnector(false);
    broker.setUseShutdownHook(false);
    broker.setAdvisorySupport(false);
    broker.setSchedulerSupport(false);
    KahaDBPersistenceAdapter store = new KahaDBPersistenceAdapter();
    store.setDirectory(new File(directory));
    store.setJournalMaxFileLength(12 << 20);
    store.setEnableJournalDiskSyncs(false);
    store.setCheckpointInterval(1000);
    // Clean-ups while it is written, and on demand; the copying of old acknowledgements would make new files.
    store.setCleanupInterval(options.contains("write") || options.contains("clean") ? 2000 : 3_600_000);
    store.setEnableAckCompaction(false);
    store.setCheckForCorruptJournalFiles(options.contains("check"));
    store.setIgnoreMissingJournalfiles(options.contains("ignore"));
    broker.setPersistenceAdapter(store);
    broker.getSystemUsage().getStoreUsage().setLimit(50L << 30);
    broker.getSystemUsage().getMemoryUsage().setLimit(512L << 20);
    broker.start();
    broker.waitUntilStarted();
    return broker;
  }

  static void say(BrokerService broker) throws Exception {
    for (Map.Entry<ActiveMQDestination, Destination> each : broker.getRegionBroker().getDestinationMap().entrySet())
      System.out.println("queue " + each.getKey().getPhysicalName() + " " + (each.getKey().isTopic() ? 0 : each.getValue().getMessageStore().getMessageCount()));
    ObjectName recovered = new ObjectName("org.apache.activemq:type=Broker,brokerName=b,transactionType=RecoveredXaTransaction,*");
    for (ObjectName branch : broker.getManagementContext().queryNames(recovered, null))
      System.out.println("prepared " + branch.getKeyProperty("xid").replaceAll("[^A-Za-z0-9_:-]", "_") + " 1");
    for (Integer file : ((KahaDBPersistenceAdapter) broker.getPersistenceAdapter()).getStore().getJournal().getFileMap().keySet())
      System.out.println("file db-" + file + ".log 1");
    System.out.println("started yes 1");
    System.out.flush();
  }

  public static void main(String[] arguments) throws Exception {
    Set<String> options = new HashSet<>(Arrays.asList(arguments));
    String logger = "org.slf4j.simpleLogger.";
    System.setProperty(logger + "logFile", "System.out");
    System.setProperty(logger + "defaultLogLevel", options.contains("log") ? "info" : "off");
    // The log of a clean-up names what keeps each file, at this level only.
    if (options.contains("log") && options.contains("clean"))
      System.setProperty(logger + "log.org.apache.activemq.store.kahadb.MessageDatabase", "trace");
    try {
      BrokerService broker = broker(arguments[1], options);
      if (options.contains("write")) write(broker, Integer.parseInt(arguments[2]));
      if (options.contains("clean")) Thread.sleep(6000);
      say(broker);
    } catch (Throwable problem) {
      System.out.println("refused " + String.valueOf(problem.getMessage()).replaceAll("\\s+", "_") + " 1");
      System.out.flush();
    }
    Runtime.getRuntime().halt(0);
  }

  static void write(BrokerService broker, int count) throws Exception {
    Random random = new Random(1);
    ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://b?create=false");
    factory.setUseAsyncSend(true);
    ActiveMQConnection connection = (ActiveMQConnection) factory.createConnection();
    connection.setClientID("client");
    connection.start();
    Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
    Session consuming = connection.createSession(true, Session.SESSION_TRANSACTED);
    Session single = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    // Three old dead letters hold the first file.
    MessageProducer letters = single.createProducer(single.createQueue("ActiveMQ.DLQ"));
    for (int number = 0; number < 3; number++) letters.send(single.createTextMessage("stuck in the DLQ"));
    int[] share = {50, 20, 15, 10, 5}, sent = new int[5], taken = new int[5];
    List<MessageProducer> producers = new ArrayList<>();
    for (String name : QUEUES) producers.add(session.createProducer(session.createQueue(name)));
    for (int number = 0; number < count; number++) {
      int draw = random.nextInt(100), at = 0;
      for (int sum = share[0]; draw >= sum; sum += share[++at]) ;
      StringBuilder text = new StringBuilder("{\"orderId\":\"" + QUEUES[at] + "-" + number + "\",\"lines\":[");
      for (int line = random.nextInt(20); line >= -5; line--) text.append("{\"sku\":\"SKU-").append(random.nextInt()).append("\"},");
      TextMessage message = session.createTextMessage(text + "{}]}");
      message.setStringProperty("tenant", "tenant" + random.nextInt(20));
      producers.get(at).send(message);
      sent[at]++;
      if (number % 100 == 99) session.commit();
      if (number % 20_000 < 19_999 && number < count - 1) continue;
      session.commit();
      // What is taken: all but 30,000 orders, all audit, half of the invoices, nearly all of the others.
      for (int queue = 0; queue < 5; queue++) {
        int target = queue == 1 ? sent[1] / 2 : Math.max(0, sent[queue] - new int[] {30_000, 0, 0, 800, 500}[queue]);
        MessageConsumer consumer = consuming.createConsumer(consuming.createQueue(QUEUES[queue]));
        for (; taken[queue] < target; taken[queue]++) {
          if (consumer.receive(20_000) == null) throw new java.lang.IllegalStateException("no message in " + QUEUES[queue]);
          if (taken[queue] % 100 == 99) consuming.commit();
        }
        consuming.commit();
        consumer.close();
      }
    }
    producers.get(0).send(session.createTextMessage("rolled back"));
    session.rollback();
    ActiveMQXAConnectionFactory branches = new ActiveMQXAConnectionFactory("vm://b?create=false");
    XAConnection own = branches.createXAConnection();
    own.start();
    for (String name : new String[] {"gtx-order-4711", "gtx-order-4712", "gtx-refund-0815", "gtx-done"}) {
      XASession branch = own.createXASession();
      XAResource resource = branch.getXAResource();
      Xid id = new Branch(name);
      resource.start(id, XAResource.TMNOFLAGS);
      MessageProducer producer = branch.createProducer(branch.createQueue("PAYMENTS"));
      for (int number = 0; number < 10; number++) producer.send(branch.createTextMessage("in branch " + name));
      resource.end(id, XAResource.TMSUCCESS);
      resource.prepare(id);
      if (name.equals("gtx-done")) resource.commit(id, false);
      else System.out.println("prepared " + name + " 1");
    }
    for (int number = 0; number < 20; number++) producers.get(2).send(session.createTextMessage("uncommitted"));
    Thread.sleep(5000);
  }
}
