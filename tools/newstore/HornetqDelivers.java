import java.io.ByteArrayOutputStream;
import java.io.File;
import java.security.MessageDigest;
import java.util.*;
import javax.transaction.xa.Xid;
import org.hornetq.api.core.*;
import org.hornetq.api.core.client.*;
import org.hornetq.core.config.impl.ConfigurationImpl;
import org.hornetq.core.remoting.impl.invm.*;
import org.hornetq.core.server.*;
import org.hornetq.core.server.Queue;
import org.hornetq.core.settings.impl.*;

/** HornetQ 2.4 of {@link Delivers}. */
public class HornetqDelivers extends Delivers {
  HornetQServer server;

  public static void main(String... arguments) throws Exception {
    new HornetqDelivers().run(arguments);
  }

  void start(String directory) throws Exception {
    ConfigurationImpl settings = new ConfigurationImpl();
    settings.setPersistenceEnabled(true);
    settings.setSecurityEnabled(false);
    settings.setJournalType(JournalType.NIO);
    settings.setJournalDirectory(directory + "/journal");
    settings.setBindingsDirectory(directory + "/bindings");
    settings.setLargeMessagesDirectory(directory + "/large-messages");
    settings.setPagingDirectory(directory + "/paging");
    settings.setJMXManagementEnabled(false);
    File[] files = new File(directory + "/journal").listFiles((where, name) -> name.endsWith(".hq"));
    // A broker killed at its first start leaves none.
    if (files.length > 0) settings.setJournalFileSize((int) files[0].length());
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
    server = HornetQServers.newHornetQServer(settings);
    server.start();
    if (!server.isStarted() || !server.isActive()) {
      server.stop();
      throw new IllegalStateException("the broker does not start");
    }
  }

  void stop() throws Exception {
    server.stop();
  }

  ServerLocator locator() {
    return HornetQClient.createServerLocatorWithoutHA(new TransportConfiguration(InVMConnectorFactory.class.getName()));
  }

  String[] names() {
    return server.getHornetQServerControl().getQueueNames();
  }

  Queue located(String name) throws Exception {
    return server.locateQueue(new SimpleString(name));
  }

  Iterable<Xid> prepared() {
    return server.getResourceManager().getPreparedTransactions();
  }

  byte[] body(ClientMessage message) {
    HornetQBuffer buffer = message.getBodyBuffer();
    byte[] body = new byte[buffer.readableBytes()];
    buffer.readBytes(body);
    return body;
  }
}
