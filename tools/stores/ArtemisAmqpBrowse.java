import java.lang.reflect.Array;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.apache.activemq.artemis.api.core.management.QueueControl;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.*;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.protocol.amqp.broker.AMQPMessage;
import org.apache.activemq.artemis.utils.collections.LinkedListIterator;
import org.apache.qpid.proton.amqp.*;
import org.apache.qpid.proton.amqp.messaging.*;
import org.apache.qpid.proton.message.impl.MessageImpl;

/**
 * Arguments: DIRECTORY. Starts a broker on a store and prints one line of JSON for each message of each queue: what its
 * decoder (proton-j) and its management make of it. It changes the store: give it a copy.
 */
public class ArtemisAmqpBrowse {
  public static void main(String[] arguments) throws Exception {
    String directory = arguments[0];
    ConfigurationImpl settings = new ConfigurationImpl();
    settings.setPersistenceEnabled(true).setSecurityEnabled(false).setJournalType(JournalType.NIO);
    settings.setJournalDirectory(directory + "/journal").setBindingsDirectory(directory + "/bindings");
    settings.setLargeMessagesDirectory(directory + "/large-messages").setPagingDirectory(directory + "/paging");
    settings.setJournalFileSize(512 << 10).setJournalMinFiles(2).setJMXManagementEnabled(true);
    settings.addAcceptorConfiguration("amqp", "tcp://127.0.0.1:0?protocols=AMQP");
    AddressSettings usual = new AddressSettings();
    usual.setAutoDeleteQueues(false).setAutoDeleteAddresses(false).setManagementBrowsePageSize(1_000_000_000);
    usual.setManagementMessageAttributeSizeLimit(-1);
    settings.addAddressSetting("#", usual);
    AddressSettings paged = new AddressSettings();
    paged.setMaxSizeBytes(20_000).setPageSizeBytes(10_000).setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE);
    settings.addAddressSetting("paged", paged);
    EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    broker.setConfiguration(settings);
    broker.start();
    ActiveMQServer server = broker.getActiveMQServer();
    for (String name : new String[] {"DLQ", "kinds", "drawn", "paged", "taken", "first", "second"}) {
      Queue queue = server.locateQueue(name);
      Map<Long, CompositeData> managed = new HashMap<>();
      QueueControl control = (QueueControl) server.getManagementService().getResource("queue." + name);
      if (!name.equals("drawn"))
        for (CompositeData data : control.browse()) managed.put(Long.valueOf(data.get("messageID").toString()), data);
      Map<String, Object> head = new LinkedHashMap<>();
      head.put("queue", name);
      head.put("count", queue.getMessageCount());
      head.put("scheduled", queue.getScheduledCount());
      System.out.println(json(head));
      for (MessageReference reference : queue.getScheduledMessages()) print(name, reference, managed);
      try (LinkedListIterator<MessageReference> all = queue.browserIterator()) {
        while (all.hasNext()) print(name, all.next(), managed);
      }
    }
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  static void print(String queue, MessageReference reference, Map<Long, CompositeData> managed) throws Exception {
    AMQPMessage message = (AMQPMessage) reference.getMessage();
    MessageImpl decoded = message.getProtonMessage();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("queue", queue);
    row.put("id", message.getMessageID());
    row.put("address", message.getAddress());
    row.put("timestamp", message.getTimestamp());
    row.put("expiration", message.getExpiration());
    row.put("priority", message.getPriority());
    row.put("durable", message.isDurable());
    row.put("large", message.isLargeMessage());
    row.put("paged", reference.isPaged());
    row.put("count", reference.getDeliveryCount());
    row.put("scheduled", reference.getScheduledDeliveryTime());
    Properties properties = decoded.getProperties();
    if (properties != null) {
      row.put("message-id", properties.getMessageId());
      row.put("correlation-id", properties.getCorrelationId());
      row.put("to", properties.getTo());
      row.put("reply-to", properties.getReplyTo());
      row.put("subject", properties.getSubject());
      row.put("user-id", properties.getUserId());
      row.put("group-id", properties.getGroupId());
      row.put("group-sequence", properties.getGroupSequence());
      row.put("reply-to-group-id", properties.getReplyToGroupId());
      row.put("content-type", properties.getContentType());
      row.put("content-encoding", properties.getContentEncoding());
    }
    Header header = decoded.getHeader();
    row.put("ttl", header == null ? null : header.getTtl());
    row.put("first-acquirer", header == null ? null : header.getFirstAcquirer());
    row.put("application-properties", decoded.getApplicationProperties() == null ? null : decoded.getApplicationProperties().getValue());
    row.put("message-annotations", decoded.getMessageAnnotations() == null ? null : decoded.getMessageAnnotations().getValue());
    row.put("delivery-annotations", decoded.getDeliveryAnnotations() == null ? null : decoded.getDeliveryAnnotations().getValue());
    row.put("footer", decoded.getFooter() == null ? null : decoded.getFooter().getValue());
    Section body = decoded.getBody();
    row.put("section", body == null ? null : body.getClass().getSimpleName());
    if (body instanceof AmqpValue value) row.put("body", value.getValue());
    if (body instanceof AmqpSequence sequence) row.put("body", sequence.getValue());
    if (body instanceof Data data) row.put("body", data.getValue());
    CompositeData data = managed.get(message.getMessageID());
    if (data != null) {
      Map<String, Object> seen = new LinkedHashMap<>();
      for (String key : data.getCompositeType().keySet()) {
        Object value = data.get(key);
        if (!(value instanceof TabularData) && !(value instanceof CompositeData)) seen.put(key, value);
      }
      row.put("management", seen);
    }
    System.out.println(json(row));
  }

  static String json(Object value) {
    if (value == null || value instanceof Boolean) return String.valueOf(value);
    if (value instanceof Decimal32 bits) return "{\"hex\":\"%08x\"}".formatted(bits.getBits());
    if (value instanceof Decimal64 bits) return "{\"hex\":\"%016x\"}".formatted(bits.getBits());
    if (value instanceof Decimal128 bits) return "{\"hex\":\"%016x%016x\"}".formatted(bits.getMostSignificantBits(), bits.getLeastSignificantBits());
    if (value instanceof UnsignedLong number) return number.bigIntegerValue().toString();
    if (value instanceof Float || value instanceof Double) {
      double number = ((Number) value).doubleValue();
      return Double.isFinite(number) ? Double.toString(number) : "{\"float\":\"" + number + "\"}";
    }
    if (value instanceof Number) return value.toString();
    if (value instanceof Date date) return Long.toString(date.getTime());
    if (value instanceof Binary binary) return "{\"hex\":\"" + HexFormat.of().formatHex(binary.getArray(), binary.getArrayOffset(), binary.getArrayOffset() + binary.getLength()) + "\"}";
    if (value instanceof DescribedType described) return "{\"descriptor\":" + json(described.getDescriptor()) + ",\"value\":" + json(described.getDescribed()) + "}";
    StringBuilder text = new StringBuilder();
    if (value instanceof Map<?, ?> map) {
      Set<String> keys = new HashSet<>();
      for (Object key : map.keySet()) if (key instanceof String || key instanceof Symbol) keys.add(key.toString());
      boolean named = keys.size() == map.size();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        text.append(text.isEmpty() ? "" : ",");
        if (named) text.append(json(entry.getKey().toString())).append(":").append(json(entry.getValue()));
        else text.append("[").append(json(entry.getKey())).append(",").append(json(entry.getValue())).append("]");
      }
      return named ? "{" + text + "}" : "[" + text + "]";
    }
    if (value instanceof Iterable<?> list) {
      for (Object each : list) text.append(text.isEmpty() ? "" : ",").append(json(each));
      return "[" + text + "]";
    }
    if (value.getClass().isArray()) {
      for (int at = 0; at < Array.getLength(value); at++) text.append(at == 0 ? "" : ",").append(json(Array.get(value, at)));
      return "[" + text + "]";
    }
    for (char each : value.toString().toCharArray())
      text.append(each < 0x20 || each > 0x7e || each == '"' || each == '\\' ? "\\u%04x".formatted((int) each) : String.valueOf(each));
    return "\"" + text + "\"";
  }
}
