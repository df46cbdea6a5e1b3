import jakarta.jms.*;
import java.io.File;
import java.nio.file.*;
import java.util.*;
import java.util.zip.CRC32;
import javax.transaction.xa.*;
import org.apache.activemq.*;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.region.policy.*;
import org.apache.activemq.command.*;
import org.apache.activemq.store.*;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;

/**
 * Arguments: any number of DIRECTORY=OPENWIRE[=count]. Starts a broker on each (on a copy: a start changes a store), receives
 * all messages of all queues and durable subscriptions and prints them, one line for each message, then what is prepared.
 * With `count` no message is received. Durable subscriptions that DIRECTORY.last names (topic, tab, key) receive after the
 * others of their topic.
 */
public class KahaDelivers {
  static final long LONGEST_START = 60_000;

  public static void main(String[] arguments) throws Exception {
    int number = 0;
    for (String argument : arguments) {
      String[] parts = argument.split("=");
      String name = "b" + ++number;
      System.out.println("store\t" + parts[0]);
      BrokerService broker = new BrokerService();
      try {
        started(broker, name, parts);
        List<String> last = Files.readAllLines(Paths.get(parts[0] + ".last"));
        deliver(broker, "vm://" + name + "?create=false", parts.length < 3, last);
        broker.stop();
      } catch (Throwable problem) {
        System.out.println("failed\t" + problem.toString().replaceAll("\\s+", " "));
        problem.printStackTrace();
        // Whoever waits for its store waits for a start that has no end, too.
        Thread stops = new Thread(() -> { try { broker.stop(); } catch (Exception late) { late.printStackTrace(); } });
        stops.setDaemon(true);
        stops.start();
        stops.join(LONGEST_START / 6);
      }
      System.out.flush();
    }
    Runtime.getRuntime().halt(0);
  }

  /** A start on a damaged store may run for ever: KHD-DEV-001. */
  @SuppressWarnings("removal")
  static void started(BrokerService broker, String name, String[] parts) throws Throwable {
    Throwable[] problem = {null};
    Thread starts = new Thread(() -> { try { broker(broker, name, parts); } catch (Throwable found) { problem[0] = found; } });
    starts.setDaemon(true);
    starts.start();
    starts.join(LONGEST_START);
    if (starts.isAlive()) {
      starts.stop();
      throw new RuntimeException("the start has no end");
    }
    if (problem[0] != null) throw problem[0];
  }

  static void broker(BrokerService broker, String name, String[] parts) throws Exception {
    broker.setBrokerName(name);
    broker.setUseJmx(false);
    broker.setUseShutdownHook(false);
    broker.setAdvisorySupport(false);
    broker.setSchedulerSupport(false);
    try {
      BrokerService.class.getMethod("setStoreOpenWireVersion", int.class).invoke(broker, Integer.parseInt(parts[1]));
    } catch (NoSuchMethodException early) {
      // ActiveMQ 5.8 and earlier have one version.
    }
    // What is expired goes nowhere.
    SharedDeadLetterStrategy letters = new SharedDeadLetterStrategy();
    letters.setProcessExpired(false);
    PolicyEntry policy = new PolicyEntry();
    policy.setDeadLetterStrategy(letters);
    PolicyMap policies = new PolicyMap();
    policies.setDefaultEntry(policy);
    broker.setDestinationPolicy(policies);
    KahaDBPersistenceAdapter store = new KahaDBPersistenceAdapter();
    store.setDirectory(new File(parts[0]));
    store.setEnableJournalDiskSyncs(false);
    store.setCleanupInterval(3_600_000);
    broker.setPersistenceAdapter(store);
    broker.getSystemUsage().getStoreUsage().setLimit(1L << 40);
    broker.getSystemUsage().getTempUsage().setLimit(1L << 40);
    broker.start();
    broker.waitUntilStarted();
  }

  static void deliver(BrokerService broker, String url, boolean receives, List<String> last) throws Exception {
    ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url);
    for (ActiveMQDestination each : new TreeSet<>(broker.getPersistenceAdapter().getDestinations())) {
      if (each.isTopic()) {
        TopicMessageStore store = broker.getPersistenceAdapter().createTopicMessageStore((ActiveMQTopic) each);
        SubscriptionInfo[] infos = store.getAllSubscriptions();
        Arrays.sort(infos, Comparator.comparing((SubscriptionInfo info) -> last.contains(each.getPhysicalName() + "\t" + key(info))));
        for (SubscriptionInfo info : infos) {
          int count = store.getMessageCount(info.getClientId(), info.getSubscriptionName());
          String key = key(info);
          System.out.println("subscription\t" + each.getPhysicalName() + "\t" + key + "\t" + count);
          if (!receives) continue;
          boolean own = false;
          try {
            own = (Boolean) SubscriptionInfo.class.getMethod("isNoLocal").invoke(info);
          } catch (NoSuchMethodException early) {
            // It is not stored.
          }
          Connection connection = factory.createConnection();
          connection.setClientID(info.getClientId());
          connection.start();
          Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
          receive(session.createDurableSubscriber((Topic) each, info.getSubscriptionName(), info.getSelector(), own), count, each.getPhysicalName() + "\t" + key);
          connection.close();
        }
      } else {
        int count = broker.getPersistenceAdapter().createQueueMessageStore((ActiveMQQueue) each).getMessageCount();
        System.out.println("queue\t" + each.getPhysicalName() + "\t" + count);
        if (!receives) continue;
        Connection connection = factory.createConnection();
        connection.start();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        receive(session.createConsumer(each), count, each.getPhysicalName() + "\t");
        connection.close();
      }
    }
    ActiveMQXAConnectionFactory branches = new ActiveMQXAConnectionFactory(url);
    XAConnection connection = branches.createXAConnection();
    connection.start();
    for (Xid xid : connection.createXASession().getXAResource().recover(XAResource.TMSTARTRSCAN))
      System.out.println("prepared\t" + xid.getFormatId() + ":" + hex(xid.getGlobalTransactionId()) + ":" + hex(xid.getBranchQualifier()));
    connection.close();
  }

  static String key(SubscriptionInfo info) {
    return info.getClientId() + ":" + info.getSubscriptionName();
  }

  static void receive(MessageConsumer consumer, int count, String where) throws Exception {
    for (int number = 0; ; number++) {
      jakarta.jms.Message message = consumer.receive(number == 0 && count > 0 ? 2000 : number < count ? (count > 1000 ? 20_000 : 400) : 20);
      if (message == null) return;
      CRC32 sum = new CRC32();
      if (message instanceof TextMessage && ((TextMessage) message).getText() != null) sum.update(((TextMessage) message).getText().getBytes("UTF-8"));
      if (message instanceof BytesMessage) {
        byte[] body = new byte[(int) ((BytesMessage) message).getBodyLength()];
        ((BytesMessage) message).readBytes(body);
        sum.update(body);
      }
      System.out.println("message\t" + where + "\t" + message.getJMSMessageID() + "\t" + sum.getValue());
    }
  }

  static String hex(byte[] bytes) {
    StringBuilder out = new StringBuilder();
    for (byte each : bytes) out.append(String.format("%02x", each));
    return out.toString();
  }
}
