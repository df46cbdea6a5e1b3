import java.util.*;
import javax.jms.*;
import javax.transaction.xa.*;
import org.hornetq.api.core.SimpleString;
import org.hornetq.api.core.TransportConfiguration;
import org.hornetq.api.jms.*;
import org.hornetq.core.config.impl.ConfigurationImpl;
import org.hornetq.core.remoting.impl.invm.*;
import org.hornetq.core.server.*;
import org.hornetq.core.settings.impl.*;
import org.hornetq.jms.client.*;

/**
 * Arguments: DIRECTORY MESSAGES SEED stop|halt. Lets a broker write a HornetQ store, then stops it or halts as kill -9
 * does. With a directory alone it starts on the store there (give it a copy) and prints what it has, as JSON.
 */
public class HornetqStore extends JmsTraffic {
  static final String[] QUEUES = {"jms.queue.orders", "jms.queue.invoices", "jms.queue.paged", "jms.queue.DLQ"};
  final HornetQServer broker;

  HornetqStore(String directory) throws Exception {
    ConfigurationImpl settings = new ConfigurationImpl();
    settings.setPersistenceEnabled(true);
    settings.setSecurityEnabled(false);
    settings.setJournalType(JournalType.NIO);
    settings.setJournalDirectory(directory + "/journal");
    settings.setBindingsDirectory(directory + "/bindings");
    settings.setLargeMessagesDirectory(directory + "/large-messages");
    settings.setPagingDirectory(directory + "/paging");
    settings.setJMXManagementEnabled(false);
    settings.setJournalFileSize(200 << 10);
    settings.setTransactionTimeout(36_000_000L);
    settings.getAcceptorConfigurations().add(new TransportConfiguration(InVMAcceptorFactory.class.getName()));
    AddressSettings usual = new AddressSettings();
    usual.setMaxDeliveryAttempts(2);
    usual.setDeadLetterAddress(new SimpleString("jms.queue.DLQ"));
    settings.getAddressesSettings().put("#", usual);
    AddressSettings paged = new AddressSettings();
    paged.setMaxSizeBytes(20_000);
    paged.setPageSizeBytes(5_000);
    paged.setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE);
    settings.getAddressesSettings().put("jms.queue.paged", paged);
    broker = HornetQServers.newHornetQServer(settings);
    broker.start();
  }

  public static void main(String[] arguments) throws Exception {
    Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {
      error.printStackTrace();
      Runtime.getRuntime().halt(1);
    });
    HornetqStore store = new HornetqStore(arguments[0]);
    if (arguments.length == 1) store.browse();
    else {
      for (String name : QUEUES) store.create(name, name, null);
      store.create("jms.topic.prices", "client.all", null);
      store.create("jms.topic.prices", "client.eu", "region = 'EU'");
      store.write(Integer.parseInt(arguments[1]), new Random(Long.parseLong(arguments[2])));
      System.out.println("written by " + store.broker.getVersion().getFullVersion());
    }
    System.out.flush();
    if (arguments.length == 1 || arguments[3].equals("halt")) Runtime.getRuntime().halt(0);
    store.broker.stop();
    System.exit(0);
  }

  void create(String address, String name, String filter) throws Exception {
    SimpleString condition = filter == null ? null : new SimpleString(filter);
    broker.createQueue(new SimpleString(address), new SimpleString(name), condition, true, false);
  }

  HornetQConnectionFactory factory() {
    TransportConfiguration here = new TransportConfiguration(InVMConnectorFactory.class.getName());
    HornetQConnectionFactory factory = HornetQJMSClient.createConnectionFactoryWithoutHA(JMSFactoryType.XA_CF, here);
    factory.setBlockOnDurableSend(true);
    factory.setMinLargeMessageSize(10_000);
    return factory;
  }

  String prefix() { return "_HQ_"; }

  Connection connection(boolean compressing) throws Exception {
    HornetQConnectionFactory factory = factory();
    factory.setCompressLargeMessage(compressing);
    return factory.createConnection();
  }

  XAConnection branching() throws Exception { return factory().createXAConnection(); }

  Iterable<Xid> prepared() { return broker.getResourceManager().getPreparedTransactions(); }

  Map<String, Map<String, Object>> queues() throws Exception {
    Map<String, Map<String, Object>> all = new TreeMap<>();
    List<String> names = new ArrayList<>(List.of(QUEUES));
    names.addAll(List.of("client.all", "client.eu"));
    for (String name : names) {
      var queue = broker.locateQueue(new SimpleString(name));
      Map<String, Object> found = new TreeMap<>();
      found.put("id", queue.getID());
      found.put("address", queue.getAddress().toString());
      found.put("filter", queue.getFilter() == null ? null : queue.getFilter().getFilterString().toString());
      List<Object> messages = new ArrayList<>();
      for (var iterator = queue.totalIterator(); iterator.hasNext(); ) messages.add(headers(iterator.next(), 0));
      for (MessageReference each : queue.getScheduledMessages()) messages.add(headers(each, each.getScheduledDeliveryTime()));
      found.put("messages", messages);
      all.put(name, found);
    }
    return all;
  }

  static Map<String, Object> headers(MessageReference reference, long scheduled) throws Exception {
    ServerMessage message = reference.getMessage();
    Map<String, Object> found = new TreeMap<>(), properties = new TreeMap<>();
    found.put("id", message.getMessageID());
    found.put("message_id", message.getUserID() == null ? null : "ID:" + message.getUserID());
    found.put("address", message.getAddress().toString());
    found.put("kind", message.getType());
    found.put("durable", message.isDurable());
    found.put("expiration", message.getExpiration());
    found.put("timestamp", message.getTimestamp());
    found.put("priority", message.getPriority());
    found.put("delivery_count", reference.getDeliveryCount());
    found.put("scheduled", scheduled);
    found.put("large", message.isLargeMessage());
    found.put("paged", reference.isPaged());
    for (SimpleString name : message.getPropertyNames()) properties.put(name.toString(), message.getObjectProperty(name));
    found.put("properties", properties);
    return found;
  }
}
