
/** Traffic of JMS clients with messages of all kinds, and what a browser prints of them as JSON. */
abstract class JmsTraffic {
  record Branch(String name) implements Xid {
    public int getFormatId() { return 131077; }
    public byte[] getGlobalTransactionId() { return name.getBytes(); }
    public byte[] getBranchQualifier() { return new byte[] {98, 49}; }
  }

  /** A broker with its connections; addresses of queues begin with `prefix`. */
  abstract String prefix();
  abstract Connection connection(boolean compressing) throws Exception;
  abstract XAConnection branching() throws Exception;
  /** The queues of the broker by name: id, address, filter, messages. */
  abstract Map<String, Map<String, Object>> queues() throws Exception;
  abstract Iterable<Xid> prepared() throws Exception;

  void write(int count, Random random) throws Exception {
    Connection connection = connection(false);
    connection.start();
    Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
    MessageProducer orders = session.createProducer(session.createQueue("orders"));
    MessageProducer invoices = session.createProducer(session.createQueue("invoices"));
    for (int number = 0; number < count; number++) {
      Message message = message(session, number, random);
      orders.send(message, DeliveryMode.PERSISTENT, random.nextInt(10), number % 7 == 0 ? 3_000_000_000_000L : 0);
      if (number % 3 == 0) invoices.send(session.createTextMessage("invoice " + number));
      if (number % 1000 == 999) session.commit();
    }
    session.commit();
    MessageProducer prices = session.createProducer(session.createTopic("prices"));
    for (int number = 0; number < 6; number++) {
      TextMessage price = session.createTextMessage("price " + number);
      price.setStringProperty("region", number % 2 == 0 ? "EU" : "US");
      prices.send(price);
    }
    Message scheduled = session.createTextMessage("later");
    scheduled.setLongProperty(prefix() + "SCHED_DELIVERY", 4_102_444_800_000L);
    orders.send(scheduled);
    Message once = session.createTextMessage("once");
    once.setStringProperty(prefix() + "DUPL_ID", "dup-0001");
    orders.send(once);
    BytesMessage large = session.createBytesMessage();
    byte[] bytes = new byte[30_000];
    for (int at = 0; at < bytes.length; at++) bytes[at] = (byte) (at % 251);
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
    branches();
    Thread.sleep(1000);
  }

  void compressed() throws Exception {
    Connection connection = connection(true);
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    MessageProducer producer = session.createProducer(session.createQueue("orders"));
    producer.send(session.createTextMessage("compressed \u00e9 ".repeat(9000)));
    // This one is large though it is compressed.
    Random random = new Random(7);
    StringBuilder text = new StringBuilder();
    for (int at = 0; at < 9_000; at++) text.append((char) (32 + random.nextInt(5000)));
    producer.send(session.createTextMessage(text.toString()));
    connection.close();
  }

  static void consume(Session session, String queue, int count, boolean commit) throws Exception {
    MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
    for (int number = 0; number < count; number++) {
      if (consumer.receive(5000) == null) throw new AssertionError(queue + " has only " + number);
      // Of pages Artemis reads no more than it gets acknowledged.
      if (commit && number % 5 == 4) session.commit();
    }
    if (commit) session.commit();
    else session.rollback();
    consumer.close();
  }

  void branches() throws Exception {
    XAConnection connection = branching();
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

  void browse() throws Exception {
    Connection connection = connection(false);
    connection.start();
    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    Map<String, Map<String, Object>> queues = queues();
    for (var each : queues.entrySet()) {
      String name = each.getKey().substring(each.getKey().lastIndexOf('.') + 1);
      if (List.of("orders", "invoices", "paged").contains(name)) each.getValue().put("bodies", bodies(session, name));
    }
    List<Object> prepared = new ArrayList<>();
    for (Xid id : prepared())
      prepared.add(List.of(id.getFormatId(), id.getGlobalTransactionId(), id.getBranchQualifier()));
    System.out.println(json(Map.of("queues", queues, "prepared", prepared)));
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
