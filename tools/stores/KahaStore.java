import jakarta.jms.*;
import java.io.File;
import java.util.Random;
import javax.transaction.xa.*;
import org.apache.activemq.*;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;

/** Arguments: DIRECTORY MESSAGES SEED stop|halt. Lets a broker write a KahaDB store, then stops it or halts as kill -9 does. */
public class KahaStore {
  record Branch(String name) implements Xid {
    public int getFormatId() { return 131077; }
    public byte[] getGlobalTransactionId() { return name.getBytes(); }
    public byte[] getBranchQualifier() { return new byte[] {1}; }
  }

  public static void main(String[] arguments) throws Exception {
    int count = Integer.parseInt(arguments[1]);
    Random random = new Random(Long.parseLong(arguments[2]));
    BrokerService broker = new BrokerService();
    broker.setBrokerName("store");
    broker.setUseJmx(false);
    broker.setUseShutdownHook(false);
    broker.setAdvisorySupport(false);
    broker.setSchedulerSupport(false);
    KahaDBPersistenceAdapter store = new KahaDBPersistenceAdapter();
    store.setDirectory(new File(arguments[0]));
    // Small files, so that a small store has several of them; clean-ups in time, so that some are gone.
    store.setJournalMaxFileLength((int) Math.max(32 << 10, Math.min(32 << 20, count * 64L)));
    store.setCleanupInterval(500);
    store.setCheckpointInterval(250);
    store.setEnableJournalDiskSyncs(false);
    broker.setPersistenceAdapter(store);
    broker.getSystemUsage().getMemoryUsage().setLimit(256L << 20);
    broker.getSystemUsage().getStoreUsage().setLimit(50L << 30);
    broker.start();
    broker.waitUntilStarted();

    ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory("vm://store?create=false");
    factory.setUseAsyncSend(true);
    Connection connection = factory.createConnection();
    connection.setClientID("client");
    connection.start();
    Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
    Session consuming = connection.createSession(true, Session.SESSION_TRANSACTED);
    String[] queues = {"ORDERS", "INVOICES", "AUDIT"};
    MessageProducer[] producers = new MessageProducer[queues.length];
    for (int at = 0; at < queues.length; at++) producers[at] = session.createProducer(session.createQueue(queues[at]));
    Topic topic = session.createTopic("PRICES");
    consuming.createDurableSubscriber(topic, "slow").close();
    TopicSubscriber fast = consuming.createDurableSubscriber(topic, "fast");
    MessageProducer prices = session.createProducer(topic);
    for (int number = 0; number < count; number++) {
      StringBuilder text = new StringBuilder("{\"order\":" + number + ",\"lines\":[");
      for (int line = random.nextInt(12); line >= 0; line--) text.append("\"").append(random.nextLong()).append("\",");
      TextMessage message = session.createTextMessage(text + "]}");
      message.setIntProperty("attempt", random.nextInt(3));
      message.setJMSPriority(random.nextInt(10));
      producers[random.nextInt(queues.length)].send(message);
      if (number % 20 == 0) prices.send(session.createTextMessage("price " + number));
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
    while (fast.receive(200) != null) consuming.commit();
    producers[0].send(session.createTextMessage("rolled back"));
    session.rollback();
    ActiveMQXAConnectionFactory branches = new ActiveMQXAConnectionFactory("vm://store?create=false");
    XAConnection own = branches.createXAConnection();
    own.start();
    for (String name : new String[] {"done", "in-doubt"}) {
      XASession branch = own.createXASession();
      XAResource resource = branch.getXAResource();
      Xid id = new Branch(name);
      resource.start(id, XAResource.TMNOFLAGS);
      branch.createProducer(branch.createQueue("AUDIT")).send(branch.createTextMessage("in branch " + name));
      resource.end(id, XAResource.TMSUCCESS);
      resource.prepare(id);
      if (name.equals("done")) resource.commit(id, false);
    }
    Thread.sleep(1200);
    System.out.println("written by " + BrokerService.class.getPackage().getImplementationVersion());
    System.out.flush();
    if (arguments[3].equals("halt")) Runtime.getRuntime().halt(0);
    broker.stop();
    broker.waitUntilStopped();
    System.exit(0);
  }
}
