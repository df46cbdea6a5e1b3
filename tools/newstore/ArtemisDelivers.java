import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.TimeUnit;
import javax.transaction.xa.Xid;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.*;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.*;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.*;

/** Artemis 2 of {@link Delivers}. */
public class ArtemisDelivers extends Delivers {
  EmbeddedActiveMQ broker;

  public static void main(String... arguments) throws Exception {
    new ArtemisDelivers().run(arguments);
  }

  void start(String directory) throws Exception {
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
    broker = new EmbeddedActiveMQ();
    broker.setConfiguration(settings);
    broker.start();
    if (!broker.getActiveMQServer().waitForActivation(10, TimeUnit.SECONDS) || !broker.getActiveMQServer().isStarted()) {
      broker.stop();
      throw new IllegalStateException("the broker does not start");
    }
  }

  void stop() throws Exception {
    broker.stop();
  }

  ServerLocator locator() throws Exception {
    return ActiveMQClient.createServerLocator("vm://0");
  }

  String[] names() {
    return broker.getActiveMQServer().getActiveMQServerControl().getQueueNames();
  }

  Queue located(String name) {
    return broker.getActiveMQServer().locateQueue(SimpleString.toSimpleString(name));
  }

  Iterable<Xid> prepared() {
    return broker.getActiveMQServer().getResourceManager().getPreparedTransactions();
  }

  byte[] body(ClientMessage message) {
    ActiveMQBuffer buffer = message.getDataBuffer();
    byte[] body = new byte[buffer.readableBytes()];
    buffer.readBytes(body);
    return body;
  }

  @Override void imported(String file) throws Exception {
    try (InputStream input = new FileInputStream(file); ServerLocator locator = locator(); ClientSessionFactory factory = locator.createSessionFactory()) {
      ClientSession session = factory.createSession(false, true, true), managing = factory.createSession(false, true, true);
      Class<?> importer = Class.forName("org.apache.activemq.artemis.cli.commands.tools.xml.XmlDataImporter");
      importer.getMethod("process", InputStream.class, ClientSession.class, ClientSession.class)
          .invoke(importer.getDeclaredConstructor().newInstance(), input, session, managing);
    }
  }
}
