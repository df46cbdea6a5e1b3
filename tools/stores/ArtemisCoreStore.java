import java.util.*;
import javax.jms.*;
import javax.transaction.xa.*;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.*;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.*;
import org.apache.activemq.artemis.jms.client.*;

/**
 * Arguments: DIRECTORY MESSAGES SEED stop|halt. Lets a broker write an Artemis store, then stops it or halts as kill -9
 * does. With a directory alone it starts on the store there (give it a copy) and prints what it has, as JSON.
 */
public class ArtemisCoreStore extends JmsTraffic {
  final EmbeddedActiveMQ broker = new EmbeddedActiveMQ();

  ArtemisCoreStore(String directory) throws Exception {
    ConfigurationImpl settings = new ConfigurationImpl();
    settings.setPersistenceEnabled(true).setSecurityEnabled(false).setJournalType(JournalType.NIO);
    settings.setJournalDirectory(directory + "/journal").setBindingsDirectory(directory + "/bindings");
    settings.setLargeMessagesDirectory(directory + "/large-messages").setPagingDirectory(directory + "/paging");
    settings.setJMXManagementEnabled(false).addAcceptorConfiguration("invm", "vm://0");
    settings.setJournalFileSize(200 << 10).setTransactionTimeout(36_000_000L);
    AddressSettings usual = new AddressSettings();
    usual.setAutoCreateQueues(true).setAutoCreateAddresses(true).setAutoDeleteQueues(false).setAutoDeleteAddresses(false);
    usual.setMaxDeliveryAttempts(2).setDeadLetterAddress(SimpleString.toSimpleString("DLQ"));
    settings.addAddressesSetting("#", usual);
    AddressSettings paged = new AddressSettings();
    paged.setMaxSizeBytes(20_000).setPageSizeBytes(5_000).setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE);
    settings.addAddressesSetting("paged", paged);
    broker.setConfiguration(settings);
    broker.start();
  }

  public static void main(String[] arguments) throws Exception {
    Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {
      error.printStackTrace();
      Runtime.getRuntime().halt(1);
    });
    ArtemisCoreStore store = new ArtemisCoreStore(arguments[0]);
    if (arguments.length == 1) store.browse();
    else {
      Connection subscriber = store.factory().createConnection();
      subscriber.setClientID("client");
      Session session = subscriber.createSession(false, Session.AUTO_ACKNOWLEDGE);
      session.createDurableSubscriber(session.createTopic("prices"), "all");
      session.createDurableSubscriber(session.createTopic("prices"), "eu", "region = 'EU'", false);
      subscriber.close();
      store.write(Integer.parseInt(arguments[1]), new Random(Long.parseLong(arguments[2])));
      System.out.println("written by " + store.broker.getActiveMQServer().getVersion().getFullVersion());
    }
    System.out.flush();
    if (arguments.length == 1 || arguments[3].equals("halt")) Runtime.getRuntime().halt(0);
    store.broker.stop();
    System.exit(0);
  }

  ActiveMQXAConnectionFactory factory() {
    ActiveMQXAConnectionFactory factory = new ActiveMQXAConnectionFactory("vm://0");
    factory.setMinLargeMessageSize(10_000);
    return factory;
  }

  String prefix() { return "_AMQ_"; }

  Connection connection(boolean compressing) throws Exception {
    ActiveMQXAConnectionFactory factory = factory();
    factory.setCompressLargeMessage(compressing);
    return factory.createConnection();
  }

  XAConnection branching() throws Exception { return factory().createXAConnection(); }

  Iterable<Xid> prepared() { return broker.getActiveMQServer().getResourceManager().getPreparedTransactions(); }

  Map<String, Map<String, Object>> queues() throws Exception {
    Map<String, Map<String, Object>> all = new TreeMap<>();
    for (String name : new String[] {"orders", "invoices", "paged", "client.all", "client.eu"}) {
      var queue = broker.getActiveMQServer().locateQueue(SimpleString.toSimpleString(name));
      Map<String, Object> found = new TreeMap<>();
      found.put("id", queue.getID());
      found.put("address", queue.getAddress().toString());
      found.put("filter", queue.getFilter() == null ? null : queue.getFilter().getFilterString().toString());
      List<Object> messages = new ArrayList<>();
      for (var iterator = queue.browserIterator(); iterator.hasNext(); ) messages.add(headers(iterator.next(), 0));
      for (MessageReference each : queue.getScheduledMessages()) messages.add(headers(each, each.getScheduledDeliveryTime()));
      found.put("messages", messages);
      all.put(name, found);
    }
    return all;
  }

  static Map<String, Object> headers(MessageReference reference, long scheduled) throws Exception {
    var message = reference.getMessage();
    Map<String, Object> found = new TreeMap<>(), properties = new TreeMap<>();
    found.put("id", message.getMessageID());
    found.put("message_id", message.getUserID() == null ? null : "ID:" + message.getUserID());
    found.put("address", message.getAddress());
    found.put("kind", message.toCore().getType());
    found.put("durable", message.isDurable());
    found.put("expiration", message.getExpiration());
    found.put("timestamp", message.getTimestamp());
    found.put("priority", message.getPriority());
    found.put("delivery_count", reference.getDeliveryCount());
    found.put("scheduled", scheduled);
    found.put("large", message.isLargeMessage());
    found.put("paged", reference.isPaged());
    for (SimpleString name : message.getPropertyNames()) properties.put(name.toString(), message.getObjectProperty(name.toString()));
    found.put("properties", properties);
    return found;
  }
}
