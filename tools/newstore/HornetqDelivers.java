import java.io.ByteArrayOutputStream;
import java.io.File;
import java.security.MessageDigest;
import java.util.*;
import org.hornetq.api.core.*;
import org.hornetq.api.core.client.*;
import org.hornetq.core.config.impl.ConfigurationImpl;
import org.hornetq.core.remoting.impl.invm.*;
import org.hornetq.core.server.*;
import org.hornetq.core.server.Queue;
import org.hornetq.core.settings.impl.*;

/**
 * Arguments: any number of DIRECTORY. Starts a broker on each (on a copy: a start changes a store), receives all messages of
 * all queues and prints them, one line for each message, then what is prepared: as ArtemisDelivers does.
 */
public class HornetqDelivers {
  public static void main(String[] arguments) throws Exception {
    for (String directory : arguments) {
      System.out.println("store\t" + directory);
      try {
        HornetQServer server = server(directory);
        try {
          deliver(server);
        } finally {
          server.stop();
        }
      } catch (Throwable problem) {
        System.out.println("failed\t" + problem);
        problem.printStackTrace();
      }
    }
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  static HornetQServer server(String directory) throws Exception {
    ConfigurationImpl settings = new ConfigurationImpl();
    settings.setPersistenceEnabled(true);
    settings.setSecurityEnabled(false);
    settings.setJournalType(JournalType.NIO);
    settings.setJournalDirectory(directory + "/journal");
    settings.setBindingsDirectory(directory + "/bindings");
    settings.setLargeMessagesDirectory(directory + "/large-messages");
    settings.setPagingDirectory(directory + "/paging");
    settings.setJMXManagementEnabled(false);
    settings.setJournalFileSize((int) new File(directory + "/journal").listFiles((where, name) -> name.endsWith(".hq"))[0].length());
    settings.setTransactionTimeout(36_000_000L);
    settings.setMessageExpiryScanPeriod(-1);
    settings.setJournalSyncTransactional(false);
    settings.setJournalSyncNonTransactional(false);
    settings.getAcceptorConfigurations().add(new TransportConfiguration(InVMAcceptorFactory.class.getName()));
    AddressSettings usual = new AddressSettings();
    usual.setMaxSizeBytes(10_000_000);
    usual.setPageSizeBytes(1_000_000);
    usual.setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE);
    settings.getAddressesSettings().put("#", usual);
    HornetQServer server = HornetQServers.newHornetQServer(settings);
    server.start();
    if (!server.isStarted() || !server.isActive()) {
      server.stop();
      throw new IllegalStateException("the broker does not start");
    }
    return server;
  }

  static void deliver(HornetQServer server) throws Exception {
    TransportConfiguration here = new TransportConfiguration(InVMConnectorFactory.class.getName());
    try (ServerLocator locator = HornetQClient.createServerLocatorWithoutHA(here); ClientSessionFactory factory = locator.createSessionFactory()) {
      ClientSession session = factory.createSession(false, false, false);
      session.start();
      for (String name : server.getHornetQServerControl().getQueueNames()) {
        Queue queue = server.locateQueue(new SimpleString(name));
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
      HornetQBuffer buffer = message.getBodyBuffer();
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
}
