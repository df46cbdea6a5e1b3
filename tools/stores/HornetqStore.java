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
 * Arguments: DIRECTORY MESSAGES SEED stop|halt|browse. Lets a broker write a HornetQ store, then stops it or halts
 * as kill -9 does. With browse it starts on a store (give it a copy) and prints what it has, as JSON.
 */
public class HornetqStore {
  static final String[] QUEUES = {"jms.queue.orders", "jms.queue.invoices", "jms.queue.paged", "jms.queue.DLQ"};

  record Branch(String name) implements Xid {
    public int getFormatId() { return 131077; }
    public byte[] getGlobalTransactionId() { return name.getBytes(); }
    public byte[] getBranchQualifier() { return new byte[] {98, 49}; }
  }

  public static void main(String[] arguments) throws Exception {
    String directory = arguments[0];
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
    HornetQServer broker = HornetQServers.newHornetQServer(settings);
    broker.start();
    if (arguments[3].equals("browse")) browse(broker);
    else write(broker, Integer.parseInt(arguments[1]), new Random(Long.parseLong(arguments[2])));
    System.out.flush();
    if (!arguments[3].equals("stop")) Runtime.getRuntime().halt(0);
    broker.stop();
    System.exit(0);
  }

  static HornetQConnectionFactory factory() {
    TransportConfiguration here = new TransportConfiguration(InVMConnectorFactory.class.getName());
    HornetQConnectionFactory factory = HornetQJMSClient.createConnectionFactoryWithoutHA(JMSFactoryType.XA_CF, here);
    factory.setBlockOnDurableSend(true);
    factory.setMinLargeMessageSize(10_000);
    return factory;
  }

  static void write(HornetQServer broker, int count, Random random) throws Exception {
    for (String name : QUEUES) broker.createQueue(new SimpleString(name), new SimpleString(name), null, true, false);
    SimpleString topic = new SimpleString("jms.topic.prices");
    broker.createQueue(topic, new SimpleString("client.all"), null, true, false);
    broker.createQueue(topic, new SimpleString("client.eu"), new SimpleString("region = 'EU'"), true, false);
    HornetQConnectionFactory factory = factory();
    Connection connection = factory.createConnection();
    connection.start();
    Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
    MessageProducer orders = session.createProducer(session.createQueue("orders"));
    MessageProducer invoices = session.createProducer(session.createQueue("invoices"));
    for (int number = 0; number < count; number++) {
      Message message = message(session, number, random);
      orders.send(message, DeliveryMode.PERSISTENT, random.nextInt(10), number % 7 == 0 ? 3_000_000_000_000L : 0);
      if (number % 3 == 0) invoices.send(session.createTextMessage("invoice " + number));
    }
    session.commit();
    MessageProducer prices = session.createProducer(session.createTopic("prices"));
    for (int number = 0; number < 6; number++) {
      TextMessage price = session.createTextMessage("price " + number);
      price.setStringProperty("region", number % 2 == 0 ? "EU" : "US");
      prices.send(price);
    }
    Message scheduled = session.createTextMessage("later");
    scheduled.setLongProperty("_HQ_SCHED_DELIVERY", 4_102_444_800_000L);
    orders.send(scheduled);
    Message once = session.createTextMessage("once");
    once.setStringProperty("_HQ_DUPL_ID", "dup-0001");
    orders.send(once);
    BytesMessage large = session.createBytesMessage();
    byte[] bytes = new byte[30_000];
    random.nextBytes(bytes);
    large.writeBytes(bytes);
    orders.send(large);
    orders.send(session.createTextMessage("large text ".repeat(3000)));
    session.commit();
    compressed();
    MessageProducer paging = session.createProducer(session.createQueue("paged"));
    for (int number = 0; number < 60; number++) {
      TextMessage message = session.createTextMessage("paged " + number + " ".repeat(400));
      message.setIntProperty("number", number);
      paging.setDeliveryMode(number % 5 == 4 ? DeliveryMode.NON_PERSISTENT : DeliveryMode.PERSISTENT);
      paging.send(message);
      if (number % 10 == 9) session.commit();
    }
    paging.send(session.createTextMessage("paged and rolled back"));
    session.rollback();
    consume(session, "paged", 35, true);
    consume(session, "invoices", 4, true);
    consume(session, "orders", 1, false);
    branches(factory);
    Thread.sleep(1000);
    System.out.println("written by " + broker.getVersion().getFullVersion());
  }

  static void compressed() throws Exception {
    HornetQConnectionFactory factory = factory();
    factory.setCompressLargeMessage(true);
    Connection connection = factory.createConnection();
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    MessageProducer producer = session.createProducer(session.createQueue("orders"));
    producer.send(session.createTextMessage("compressed \u00e9 ".repeat(9000)));
    StringBuilder random = new StringBuilder();
    for (int at = 0; at < 40_000; at++) random.append((char) (32 + (at * 7919L * at) % 5000));
    producer.send(session.createTextMessage(random.toString()));
    connection.close();
  }

  static void consume(Session session, String queue, int count, boolean commit) throws Exception {
    MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
    for (int number = 0; number < count; number++)
      if (consumer.receive(5000) == null) throw new AssertionError(queue + " has only " + number);
    if (commit) session.commit();
    else session.rollback();
    consumer.close();
  }

  static void branches(HornetQConnectionFactory factory) throws Exception {
    XAConnection connection = factory.createXAConnection();
    connection.start();
    for (String name : new String[] {"done", "sends", "acknowledges", "heuristic"}) {
      XASession session = connection.createXASession();
      XAResource resource = session.getXAResource();
      Xid id = new Branch(name);
      resource.start(id, XAResource.TMNOFLAGS);
      if (name.equals("acknowledges")) session.createConsumer(session.createQueue("invoices")).receive(5000);
      else session.createProducer(session.createQueue("invoices")).send(session.createTextMessage("in branch " + name));
      resource.end(id, XAResource.TMSUCCESS);
      resource.prepare(id);
      if (name.equals("done")) resource.commit(id, false);
    }
  }

  static Message message(Session session, int number, Random random) throws Exception {
    Message message;
    switch (number % 6) {
      case 0 -> message = session.createTextMessage(number == 0 ? null : "text " + number + " h\u00e9\u6f22\ud83d\ude00");
      case 1 -> {
        MapMessage map = session.createMapMessage();
        map.setString("s", "value " + number);
        map.setInt("i", random.nextInt());
        map.setDouble("d", random.nextDouble());
        map.setBoolean("b", true);
        map.setChar("c", 'z');
        map.setBytes("bs", new byte[] {1, 2, (byte) 200});
        message = map;
      }
      case 2 -> {
        BytesMessage bytes = session.createBytesMessage();
        bytes.writeInt(random.nextInt());
        bytes.writeUTF("bytes");
        message = bytes;
      }
      case 3 -> message = session.createObjectMessage(new ArrayList<>(List.of("one", number)));
      case 4 -> {
        StreamMessage stream = session.createStreamMessage();
        stream.writeString("s" + number);
        stream.writeString("a longer string that has another form");
        stream.writeLong(random.nextLong());
        stream.writeChar('c');
        stream.writeBytes(new byte[] {7});
        stream.writeBoolean(false);
        message = stream;
      }
      default -> message = session.createMessage();
    }
    message.setJMSCorrelationID("corr-" + number);
    message.setJMSType("order.v" + number % 3);
    message.setJMSReplyTo(session.createQueue("invoices"));
    if (number % 4 == 0) message.setStringProperty("JMSXGroupID", "group-" + number % 3);
    message.setBooleanProperty("bo", number % 2 == 0);
    message.setByteProperty("by", (byte) -number);
    message.setShortProperty("sh", (short) -300);
    message.setIntProperty("in", random.nextInt());
    message.setLongProperty("lo", random.nextLong());
    message.setFloatProperty("fl", 1.5f);
    message.setDoubleProperty("do", random.nextDouble());
    message.setStringProperty("st", "str\u00fc " + number);
    return message;
  }

  static void browse(HornetQServer broker) throws Exception {
    Map<String, Object> all = new TreeMap<>();
    Connection connection = factory().createConnection();
    connection.start();
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
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
      if (name.startsWith("jms.queue.")) found.put("bodies", bodies(session, name.substring(10)));
      all.put(name, found);
    }
    List<Object> prepared = new ArrayList<>();
    for (Xid id : broker.getResourceManager().getPreparedTransactions())
      prepared.add(List.of(id.getFormatId(), id.getGlobalTransactionId(), id.getBranchQualifier()));
    System.out.println(json(Map.of("queues", all, "prepared", prepared)));
  }

  static Map<String, Object> headers(MessageReference reference, long scheduled) throws Exception {
    ServerMessage message = reference.getMessage();
    Map<String, Object> found = new TreeMap<>(), properties = new TreeMap<>();
    found.put("id", message.getMessageID());
    found.put("message_id", message.getUserID() == null ? null : "ID:" + message.getUserID());
    found.put("address", message.getAddress().toString());
    found.put("type", message.getType());
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

  static Map<String, Object> bodies(Session session, String queue) throws Exception {
    Map<String, Object> found = new TreeMap<>();
    for (var each = session.createBrowser(session.createQueue(queue)).getEnumeration(); each.hasMoreElements(); ) {
      Message message = (Message) each.nextElement();
      Object body = null;
      if (message instanceof TextMessage text) body = text.getText();
      else if (message instanceof MapMessage map) {
        Map<String, Object> values = new TreeMap<>();
        for (var names = map.getMapNames(); names.hasMoreElements(); ) {
          String name = (String) names.nextElement();
          values.put(name, map.getObject(name));
        }
        body = values;
      } else if (message instanceof BytesMessage bytes) {
        byte[] data = new byte[(int) bytes.getBodyLength()];
        bytes.readBytes(data);
        body = data;
      } else if (message instanceof StreamMessage stream) {
        List<Object> values = new ArrayList<>();
        try { while (true) values.add(stream.readObject()); } catch (MessageEOFException end) { body = values; }
      } else if (message instanceof ObjectMessage object) body = object.getObject().getClass().getName();
      Map<String, Object> fields = new TreeMap<>();
      fields.put("body", body);
      fields.put("correlation_id", message.getJMSCorrelationID());
      fields.put("type", message.getJMSType());
      fields.put("group_id", message.getStringProperty("JMSXGroupID"));
      found.put(message.getJMSMessageID(), fields);
    }
    return found;
  }

  static String json(Object value) {
    if (value == null || value instanceof Boolean || value instanceof Number) return String.valueOf(value);
    if (value instanceof byte[] bytes) return "{\"bytes\":\"" + HexFormat.of().formatHex(bytes) + "\"}";
    StringBuilder out = new StringBuilder();
    if (value instanceof Map<?, ?> map) {
      map.forEach((name, each) -> out.append(out.length() == 0 ? "" : ",").append(json(name)).append(":").append(json(each)));
      return "{" + out + "}";
    }
    if (value instanceof List<?> list) {
      list.forEach(each -> out.append(out.length() == 0 ? "" : ",").append(json(each)));
      return "[" + out + "]";
    }
    for (char each : value.toString().toCharArray())
      out.append(each < 32 || each > 126 || each == '"' || each == '\\' ? String.format("\\u%04x", (int) each) : "" + each);
    return "\"" + out + "\"";
  }
}
