import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.*;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.*;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.*;

/**
 * Arguments: any number of DIRECTORY[=FILE.xml]. Starts a broker on each (on a copy: a start changes a store), receives all
 * messages of all queues and prints them, one line for each message, then what is prepared. With a file it is empty before
 * that is imported as `artemis data imp` does.
 */
public class ArtemisDelivers {
  public static void main(String[] arguments) throws Exception {
    for (String argument : arguments) {
      String[] parts = argument.split("=", 2);
      System.out.println("store\t" + parts[0]);
      try {
        EmbeddedActiveMQ broker = broker(parts[0]);
        try {
          if (parts.length > 1) imported(parts[1]);
          deliver(broker.getActiveMQServer());
        } finally {
          broker.stop();
        }
      } catch (Throwable problem) {
        System.out.println("failed\t" + problem);
        problem.printStackTrace();
      }
    }
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  static EmbeddedActiveMQ broker(String directory) throws Exception {
    ConfigurationImpl settings = new ConfigurationImpl();
    settings.setPersistenceEnabled(true).setSecurityEnabled(false).setJournalType(JournalType.NIO);
    settings.setJournalDirectory(directory + "/journal").setBindingsDirectory(directory + "/bindings");
    settings.setLargeMessagesDirectory(directory + "/large-messages").setPagingDirectory(directory + "/paging");
    settings.setJMXManagementEnabled(false).addAcceptorConfiguration("invm", "vm://0");
    File[] there = new File(directory + "/journal").listFiles((where, name) -> name.endsWith(".amq"));
    if (there != null && there.length > 0) settings.setJournalFileSize((int) there[0].length());
    settings.setTransactionTimeout(36_000_000L).setMessageExpiryScanPeriod(-1).setMaxDiskUsage(-1);
    settings.setJournalSyncTransactional(false).setJournalSyncNonTransactional(false);
    AddressSettings usual = new AddressSettings();
    usual.setAutoDeleteQueues(false).setAutoDeleteAddresses(false).setAutoCreateQueues(true);
    settings.addAddressSetting("#", usual);
    EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    broker.setConfiguration(settings);
    broker.start();
    if (!broker.getActiveMQServer().waitForActivation(10, TimeUnit.SECONDS) || !broker.getActiveMQServer().isStarted()) {
      broker.stop();
      throw new IllegalStateException("the broker does not start");
    }
    return broker;
  }

  static void deliver(ActiveMQServer server) throws Exception {
    try (ServerLocator locator = ActiveMQClient.createServerLocator("vm://0"); ClientSessionFactory factory = locator.createSessionFactory()) {
      ClientSession session = factory.createSession(false, false, false);
      session.start();
      for (String name : server.getActiveMQServerControl().getQueueNames()) {
        Queue queue = server.locateQueue(SimpleString.toSimpleString(name));
        if (queue == null || queue.isTemporary()) continue;
        System.out.println("queue\t" + quoted(name) + "\t" + queue.getMessageCount());
        for (MessageReference each : queue.getScheduledMessages())
          System.out.println("scheduled\t" + each.getMessage().getMessageID() + "\t" + each.getScheduledDeliveryTime());
        ClientConsumer consumer = session.createConsumer(name);
        while (true) {
          ClientMessage message = consumer.receiveImmediate();
          if (message == null && queue.getMessageCount() > queue.getDeliveringCount() + queue.getScheduledCount())
            message = consumer.receive(500);
          if (message == null) break;
          print(message);
          message.acknowledge();
        }
        consumer.close();
      }
    }
    for (var branch : server.getResourceManager().getPreparedTransactions())
      System.out.println("prepared\t" + branch.getFormatId() + ":" + HexFormat.of().formatHex(branch.getGlobalTransactionId()));
  }

  static void print(ClientMessage message) throws Exception {
    byte[] body;
    if (message.isLargeMessage()) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      try {
        message.saveToOutputStream(all);
        body = all.toByteArray();
      } catch (Exception notInflated) {
        body = null;
      }
    } else {
      ActiveMQBuffer buffer = message.getDataBuffer();
      body = new byte[buffer.readableBytes()];
      buffer.readBytes(body);
    }
    TreeMap<String, String> properties = new TreeMap<>();
    for (SimpleString name : message.getPropertyNames()) {
      Object value = message.getObjectProperty(name);
      String kind = value == null ? "null" : value instanceof SimpleString ? "string" : value.getClass().getSimpleName().toLowerCase();
      String shown = value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value instanceof Character each ? "" + (int) each : String.valueOf(value);
      properties.put(name.toString(), kind + ":" + shown);
    }
    StringBuilder line = new StringBuilder("message");
    for (Object part : new Object[] {message.getMessageID(), message.getType(), message.isDurable(), message.getExpiration(), message.getTimestamp(), message.getPriority(), body == null ? "-" : digest(body), body == null ? -1 : body.length})
      line.append('\t').append(part);
    properties.forEach((name, value) -> line.append('\t').append(quoted(name + "=" + value)));
    System.out.println(line);
  }

  static String digest(byte[] body) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body), 0, 8);
  }

  static String quoted(String text) {
    StringBuilder out = new StringBuilder();
    for (char each : text.toCharArray())
      out.append(each < 0x20 || each > 0x7e || each == '\\' ? "\\u%04x".formatted((int) each) : String.valueOf(each));
    return out.toString();
  }

  static void imported(String file) throws Exception {
    try (InputStream input = new FileInputStream(file); ServerLocator locator = ActiveMQClient.createServerLocator("vm://0"); ClientSessionFactory factory = locator.createSessionFactory()) {
      ClientSession session = factory.createSession(false, true, true), managing = factory.createSession(false, true, true);
      Class<?> importer = Class.forName("org.apache.activemq.artemis.cli.commands.tools.xml.XmlDataImporter");
      importer.getMethod("process", InputStream.class, ClientSession.class, ClientSession.class)
          .invoke(importer.getDeclaredConstructor().newInstance(), input, session, managing);
    }
  }
}
