import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.client.*;
import org.apache.qpid.protonj2.types.*;
import org.apache.qpid.protonj2.types.messaging.*;

/**
 * Arguments: DIRECTORY MESSAGES SEED stop|halt. Sends messages over AMQP to a broker: one of every kind of body, property
 * and encoding that there is, then MESSAGES drawn ones; takes some; and stops the broker or halts as kill -9 does.
 */
public class ArtemisAmqpStore {
  static final long FAR = 4_102_444_800_000L; // 2100: nothing expires and nothing is due before.
  static Random random;
  static int number;

  public static void main(String[] arguments) throws Exception {
    String directory = arguments[0];
    int count = Integer.parseInt(arguments[1]);
    random = new Random(Long.parseLong(arguments[2]));
    ConfigurationImpl settings = new ConfigurationImpl();
    settings.setPersistenceEnabled(true).setSecurityEnabled(false).setJournalType(JournalType.NIO);
    settings.setJournalDirectory(directory + "/journal").setBindingsDirectory(directory + "/bindings");
    settings.setLargeMessagesDirectory(directory + "/large-messages").setPagingDirectory(directory + "/paging");
    settings.setJournalFileSize((int) Math.max(512 << 10, Math.min(10 << 20, count * 32L))).setJournalMinFiles(2);
    settings.setJMXManagementEnabled(false).setJournalSyncTransactional(false).setJournalSyncNonTransactional(false);
    int port;
    try (java.net.ServerSocket free = new java.net.ServerSocket(0)) {
      port = free.getLocalPort();
    }
    settings.addAcceptorConfiguration("amqp", "tcp://127.0.0.1:" + port + "?protocols=AMQP;amqpMinLargeMessageSize=102400");
    AddressSettings usual = new AddressSettings();
    usual.setAutoCreateQueues(false).setAutoDeleteQueues(false).setAutoDeleteAddresses(false).setMaxDeliveryAttempts(1);
    usual.setDeadLetterAddress(SimpleString.of("DLQ"));
    settings.addAddressSetting("#", usual);
    AddressSettings paged = new AddressSettings();
    paged.setMaxSizeBytes(20_000).setPageSizeBytes(10_000).setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE);
    settings.addAddressSetting("paged", paged);
    for (String name : new String[] {"DLQ", "kinds", "drawn", "paged", "taken"})
      settings.addQueueConfiguration(QueueConfiguration.of(name).setAddress(name).setRoutingType(RoutingType.ANYCAST));
    for (String name : new String[] {"first", "second"})
      settings.addQueueConfiguration(QueueConfiguration.of(name).setAddress("prices").setRoutingType(RoutingType.MULTICAST));
    EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    broker.setConfiguration(settings);
    broker.start();
    Client client = Client.create();
    Connection connection = client.connect("127.0.0.1", port);
    Sender kinds = connection.openSender("kinds");
    for (Object body : bodies()) send(kinds, message().addBodySection(new AmqpValue<>(body)));
    for (Object value : scalars()) send(kinds, message().applicationProperties(named("value", value)));
    for (AdvancedMessage<Object> message : others()) send(kinds, message);
    for (String encoded : ENCODED) send(kinds, raw(HexFormat.of().parseHex(encoded.replace(" ", ""))));
    Map<String, Object> delivery = new LinkedHashMap<>();
    delivery.put("x-opt-delivered", "by test");
    kinds.send(message().addBodySection(new AmqpValue<>("delivery annotations")), delivery).awaitSettlement();
    Sender drawn = connection.openSender("drawn");
    Tracker last = null;
    for (int at = 0; at < count; at++) {
      Tracker tracker = drawn.send(drawn());
      if (at % 500 == 499) tracker.awaitSettlement();
      last = tracker;
    }
    if (last != null) last.awaitSettlement();
    for (String address : new String[] {"prices", "taken", "paged"}) {
      Sender sender = connection.openSender(address);
      for (int at = 0; at < 40; at++) send(sender, drawn());
      if (address.equals("paged")) send(sender, notDurable());
      if (address.equals("paged")) send(sender, message().addBodySection(new AmqpValue<>("large ".repeat(40_000))));
    }
    Receiver receiver = connection.openReceiver("taken", new ReceiverOptions().autoAccept(false).creditWindow(20));
    for (int at = 0; at < 10; at++) {
      Delivery taken = receiver.receive();
      if (at % 2 == 0) taken.accept();
      else taken.reject("test:refused", "to the dead letters");
    }
    receiver.close();
    receiver = connection.openReceiver("paged", new ReceiverOptions().creditWindow(0));
    receiver.addCredit(5);
    for (int at = 0; at < 5; at++) receiver.receive();
    Thread.sleep(1000);
    System.out.println("written by " + broker.getActiveMQServer().getVersion().getFullVersion());
    System.out.flush();
    if (arguments[3].equals("halt")) Runtime.getRuntime().halt(0);
    client.close();
    broker.stop();
    System.exit(0);
  }

  static void send(Sender sender, AdvancedMessage<?> message) throws Exception {
    Tracker tracker = sender.send(message).awaitSettlement();
    if (!tracker.remoteState().isAccepted()) throw new IllegalStateException("message " + number + ": " + tracker.remoteState());
  }

  static AdvancedMessage<Object> message() throws Exception {
    AdvancedMessage<Object> message = AdvancedMessage.create();
    message.durable(true).messageId("ID:" + number++);
    return message;
  }

  static AdvancedMessage<Object> notDurable() throws Exception {
    AdvancedMessage<Object> message = message();
    message.durable(false);
    return message.addBodySection(new AmqpValue<>("not durable"));
  }

  static ApplicationProperties named(Object... pairs) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int at = 0; at < pairs.length; at += 2) map.put((String) pairs[at], pairs[at + 1]);
    return new ApplicationProperties(map);
  }

  static Binary binary(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return new Binary(bytes);
  }

  static Object[] scalars() {
    return new Object[] {
      null, true, false, UnsignedByte.valueOf((byte) 200), (byte) -100, UnsignedShort.valueOf((short) 65000), (short) -30000,
      UnsignedInteger.valueOf(0), UnsignedInteger.valueOf(200), UnsignedInteger.valueOf(4_000_000_000L), 0, -100, 100_000, -2_000_000_000,
      UnsignedLong.valueOf(0), UnsignedLong.valueOf(200), UnsignedLong.valueOf(-1), 0L, -100L, Long.MIN_VALUE, Long.MAX_VALUE,
      1.5f, Float.NaN, Float.NEGATIVE_INFINITY, -0.0f, Math.PI, Double.MIN_VALUE, Double.POSITIVE_INFINITY, 'a', '\u20ac',
      new Decimal32(new BigDecimal("1.5")), new Decimal64(new BigDecimal("-1234.5")), new Decimal128(new BigDecimal("1E+10")),
      new Date(0), new Date(1795840739667L), new Date(-1), new UUID(0x0123456789abcdefL, 0xfedcba9876543210L), binary(0), binary(300),
      "", "hello \u00e9 \u20ac \u6f22 \ud83d\ude00 \u0000", "long ".repeat(100), Symbol.valueOf("symbol"), Symbol.valueOf("s".repeat(300)),
    };
  }

  static List<Object> bodies() {
    List<Object> bodies = new ArrayList<>(Arrays.asList(scalars()));
    bodies.add(new ArrayList<>());
    bodies.add(new ArrayList<>(Arrays.asList(scalars())));
    bodies.add(new LinkedHashMap<>());
    Map<Object, Object> map = new LinkedHashMap<>();
    for (Object value : scalars()) map.put("key " + map.size(), value);
    bodies.add(map);
    Map<Object, Object> odd = new LinkedHashMap<>();
    odd.put(1, "int");
    odd.put("1", "string");
    odd.put(Symbol.valueOf("s"), "symbol");
    odd.put(true, new ArrayList<>(List.of(1, 2)));
    bodies.add(odd);
    bodies.add(Map.of("map", Map.of("list", List.of(List.of(), List.of(Map.of("deep", 1L))))));
    bodies.add(new boolean[] {true, false, true});
    bodies.add(new boolean[] {true, true});
    bodies.add(new byte[] {1, -1});
    bodies.add(new short[] {1, -1});
    bodies.add(new int[] {1, -1, 100_000});
    bodies.add(new long[] {1, -1, Long.MAX_VALUE});
    bodies.add(new float[] {1.5f, -0.5f});
    bodies.add(new double[] {1.5, -0.5});
    bodies.add(new char[] {'a', '\u20ac'});
    bodies.add(new String[] {"a", "b".repeat(300)});
    bodies.add(new Symbol[] {Symbol.valueOf("x"), Symbol.valueOf("y")});
    bodies.add(new UUID[] {new UUID(1, 2), new UUID(3, 4)});
    bodies.add(new UnsignedLong[] {UnsignedLong.valueOf(0), UnsignedLong.valueOf(7)});
    bodies.add(new int[][] {{1, 2}, {3}});
    bodies.add(new UnknownDescribedType(Symbol.valueOf("test:point"), List.of(1, 2)));
    bodies.add(new UnknownDescribedType(UnsignedLong.valueOf(0x1234567890L), "described"));
    bodies.add(List.of(new UnknownDescribedType(UnsignedLong.valueOf(1), new UnknownDescribedType(Symbol.valueOf("inner"), 1))));
    bodies.add("large text ".repeat(20_000));
    bodies.add(binary(200_000));
    return bodies;
  }

  static List<AdvancedMessage<Object>> others() throws Exception {
    List<AdvancedMessage<Object>> all = new ArrayList<>();
    all.add(message());
    for (Object id : new Object[] {"plain", UnsignedLong.valueOf(42), new UUID(5, 6), binary(5)}) {
      AdvancedMessage<Object> message = message();
      message.messageId(id).correlationId(id);
      all.add(message);
    }
    AdvancedMessage<Object> message = message();
    message.userId("user \u00e9".getBytes(StandardCharsets.UTF_8)).to("elsewhere").subject("subject").replyTo("replies");
    message.contentEncoding("gzip").absoluteExpiryTime(FAR).creationTime(1795840739667L);
    message.groupId("group").groupSequence(2_000_000_000).replyToGroupId("back").priority((byte) 200).firstAcquirer(true);
    message.annotation("x-opt-text", "annotation").annotation("x-opt-number", 7L).footer("x-opt-sum", 1234).property("p", 1);
    message.addBodySection(new AmqpValue<>("everything"));
    all.add(message);
    for (int at = 0; at < 4; at++) all.add(message());
    all.get(all.size() - 4).timeToLive(4_000_000_000L);
    all.get(all.size() - 3).annotation("x-opt-delivery-time", FAR);
    all.get(all.size() - 2).annotation("x-opt-jms-msg-type", (byte) 0).annotation("x-opt-jms-dest", (byte) 1);
    all.get(all.size() - 1).userId(new byte[] {(byte) 0xff, 0});
    String[] types = {null, "application/octet-stream", "text/plain", "text/plain;charset=utf-8", "text/plain; charset=us-ascii",
      "application/json", "application/vnd.test+xml", "application/x-java-serialized-object", "image/png", "not a type"};
    for (String type : types) {
      AdvancedMessage<Object> data = message();
      if (type != null) data.contentType(type);
      data.addBodySection(new Data("d\u00e9ta".getBytes(StandardCharsets.UTF_8)));
      all.add(data);
    }
    AdvancedMessage<Object> wrong = message();
    wrong.contentType("text/plain");
    all.add(wrong.addBodySection(new Data(new byte[] {(byte) 0xff})));
    all.add(message().addBodySection(new Data(new byte[0])));
    all.add(message().addBodySection(new Data(binary(3))).addBodySection(new Data(binary(300))));
    all.add(message().addBodySection(new AmqpSequence<>(Arrays.asList(scalars()))));
    all.add(message().addBodySection(new AmqpSequence<>(List.of(1))).addBodySection(new AmqpSequence<>(List.of("two", 3L))));
    all.add(message().addBodySection(new Data(binary(300_000))));
    AdvancedMessage<Object> large = message();
    large.property("kind", "large").annotation("x-opt-large", true).subject("subject").priority((byte) 7).absoluteExpiryTime(FAR);
    all.add(large.addBodySection(new AmqpSequence<>(List.of("x".repeat(150_000), 2))));
    return all;
  }

  /** Sections in encodings that no usual client writes: long forms, names as descriptors, arrays of arrays and of described values. */
  static final String[] ENCODED = {
    // header as list32 with boolean 0x56 and ubyte; long descriptors; properties by name; value: str32
    "00 80 0000000000000070 d0 00000008 00000002 5601 5009"
      + "00 a3 14 616d71703a70726f706572746965733a6c697374 d0 0000000a 00000001 b1 00000001 41" + "00 80 0000000000000077 b1 00000002 6869",
    // the header gives durable only; value: array of described values (list8 of 2), descriptor symbol
    "00 53 70 c0 02 01 41" + "00 53 77 e0 16 02 00 a3 05 706f696e74 c0 05 02 5401 5402 05 02 5403 5404",
    // array8 of array8 of ubyte; empty array; map32 and list32 nested, all values in their longest forms
    "00 53 70 c0 02 01 41" + "00 53 77 e0 0b 02 e0 04 02 50 01 02 03 01 50 03",
    "00 53 70 c0 02 01 41" + "00 53 77 d1 00000028 00000002 b3 00000001 6b d0 00000019 00000004 71 00000001 81 0000000000000002 b0 00000001 ff 40",
    // application properties first given as map32, boolean 0x56 00, smallint, smalllong, null
    "00 53 70 c0 02 01 41" + "00 53 74 d1 00000017 00000008 a1 01 61 5600 a1 01 62 54ff a1 01 63 55fe a1 01 64 40" + "00 53 77 40",
    // properties all null; no body
    "00 53 70 c0 02 01 41" + "00 53 73 c0 0e 0d 40404040404040404040404040",
    // header and properties as list0
    "00 53 70 c0 02 01 41" + "00 53 73 45" + "00 53 77 45",
  };

  static AdvancedMessage<?> raw(byte[] encoded) {
    return (AdvancedMessage<?>) Proxy.newProxyInstance(ArtemisAmqpStore.class.getClassLoader(), new Class<?>[] {AdvancedMessage.class}, (self, method, given) -> switch (method.getName()) {
      case "toAdvancedMessage" -> self;
      case "encode" -> ProtonBufferAllocator.defaultAllocator().copy(encoded);
      case "messageFormat" -> 0;
      case "durable" -> true;
      default -> throw new IllegalStateException(method.getName());
    });
  }

  static AdvancedMessage<Object> drawn() throws Exception {
    AdvancedMessage<Object> message = message();
    if (random.nextInt(3) == 0) message.priority((byte) random.nextInt(12));
    if (random.nextInt(4) == 0) message.absoluteExpiryTime(FAR + random.nextInt());
    if (random.nextInt(2) == 0) message.creationTime(1795840739667L + random.nextInt());
    if (random.nextInt(3) == 0) message.correlationId(random.nextBoolean() ? text() : (Object) UnsignedLong.valueOf(random.nextLong()));
    if (random.nextInt(4) == 0) message.subject(text());
    if (random.nextInt(5) == 0) message.replyTo(text());
    if (random.nextInt(6) == 0) message.groupId(text()).groupSequence(random.nextInt(1 << 20));
    if (random.nextInt(6) == 0) message.userId(text().getBytes(StandardCharsets.UTF_8));
    for (int at = random.nextInt(6); at > 0; at--) message.property("p" + random.nextInt(100), scalars()[random.nextInt(scalars().length)]);
    for (int at = random.nextInt(3); at > 0; at--) message.annotation("x-opt-" + random.nextInt(100), value(2));
    if (random.nextInt(10) == 0) message.footer("x-opt-footer", value(1));
    switch (random.nextInt(6)) {
      case 0 -> message.addBodySection(new Data(binary(random.nextInt(400)).asByteArray()));
      case 1 -> message.addBodySection(new AmqpSequence<>(List.of(value(2), value(2))));
      case 2, 3 -> message.addBodySection(new AmqpValue<>(value(3)));
      case 4 -> message.addBodySection(new AmqpValue<>(text()));
      default -> { }
    }
    return message;
  }

  static String text() {
    StringBuilder text = new StringBuilder();
    for (int at = random.nextInt(20); at >= 0; at--) text.append("abc \u00e9\u6f22".charAt(random.nextInt(6)));
    return text.toString();
  }

  static Object value(int depth) {
    int kind = random.nextInt(depth == 0 ? 1 : 5);
    if (kind == 3) {
      Map<Object, Object> map = new LinkedHashMap<>();
      for (int at = random.nextInt(4); at > 0; at--) map.put(random.nextInt(5) == 0 ? (Object) random.nextInt() : text(), value(depth - 1));
      return map;
    }
    if (kind == 4) {
      List<Object> list = new ArrayList<>();
      for (int at = random.nextInt(4); at > 0; at--) list.add(value(depth - 1));
      return list;
    }
    Object value;
    do value = scalars()[random.nextInt(scalars().length)]; while (value == null);
    return value;
  }
}
