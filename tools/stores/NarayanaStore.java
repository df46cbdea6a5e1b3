import com.arjuna.ats.arjuna.common.CoordinatorEnvironmentBean;
import com.arjuna.ats.arjuna.common.CoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.coordinator.TwoPhaseOutcome;
import com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqJournalEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqObjectStoreAdaptor;
import com.arjuna.ats.internal.jta.resources.arjunacore.XAResourceRecord;
import com.arjuna.ats.internal.jta.resources.arjunacore.XAResourceRecordWrappingPlugin;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionImple;
import com.arjuna.ats.internal.jta.transaction.arjunacore.jca.SubordinateTransaction;
import com.arjuna.ats.internal.jta.transaction.arjunacore.jca.SubordinationManager;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import jakarta.transaction.TransactionManager;
import java.io.PrintStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.transaction.xa.*;
import org.jboss.tm.XAResourceWrapper;

/**
 * Arguments: DIRECTORY MESSAGES SEED stop|halt. Lets Narayana keep transactions in a journal: done ones, and some with
 * participants that fail, decide by themselves, or never hear of the end. "expected.jsonl" there has what each of the
 * latter is, as the resources and the transaction manager see it. Only the first argument counts.
 */
public class NarayanaStore {
  /** A resource that ends a commit with an error (0: with none; 1: it stops the process). */
  static class Resource implements XAResource {
    final int error;
    Xid seen;

    Resource(int error) {
      this.error = error;
    }

    public void start(Xid xid, int flags) {
      seen = xid;
    }

    public void commit(Xid xid, boolean once) throws XAException {
      if (error == 1) Runtime.getRuntime().halt(0);
      if (error != 0) throw new XAException(error);
    }

    public void end(Xid xid, int flags) {}

    public void forget(Xid xid) {}

    public int getTransactionTimeout() {
      return 0;
    }

    public boolean isSameRM(XAResource other) {
      return false;
    }

    public int prepare(Xid xid) {
      return XA_OK;
    }

    public Xid[] recover(int flags) {
      return new Xid[0];
    }

    public void rollback(Xid xid) {}

    public boolean setTransactionTimeout(int seconds) {
      return true;
    }
  }

  /** One that has names, and may be serialised. */
  static class Named extends Resource implements XAResourceWrapper, Serializable {
    Named(int error) {
      super(error);
    }

    public XAResource getResource() {
      return this;
    }

    public String getProductName() {
      return "Product \u00e9";
    }

    public String getProductVersion() {
      return "1.2";
    }

    public String getJndiName() {
      return "java:/jms/xa";
    }

    private Object writeReplace() {
      return "a serialised resource";
    }
  }

  /** Gives a record the names of its resource, as WildFly's does, and each resource the number 7. */
  static class Names implements XAResourceRecordWrappingPlugin {
    public void transcribeWrapperData(XAResourceRecord record) {
      if (record.value() instanceof Named named) {
        record.setProductName(named.getProductName());
        record.setProductVersion(named.getProductVersion());
        record.setJndiName(named.getJndiName());
      }
    }

    public Integer getEISName(XAResource resource) {
      return 7;
    }

    public String getEISName(Integer number) {
      return "resource";
    }
  }

  /** A transaction of another server. */
  record Foreign(byte[] gtrid, byte[] bqual) implements Xid {
    public int getFormatId() {
      return 4711;
    }

    public byte[] getGlobalTransactionId() {
      return gtrid;
    }

    public byte[] getBranchQualifier() {
      return bqual;
    }
  }

  static PrintStream expected;

  public static void main(String[] arguments) {
    try {
      write(arguments[0]);
    } catch (Throwable error) {
      error.printStackTrace();
    }
    Runtime.getRuntime().halt(1);
  }

  static void write(String directory) throws Exception {
    new java.io.File(directory).mkdirs();
    expected = new PrintStream(directory + "/expected.jsonl", StandardCharsets.UTF_8);
    HornetqJournalEnvironmentBean journal = BeanPopulator.getDefaultInstance(HornetqJournalEnvironmentBean.class);
    journal.setStoreDir(directory + "/tx-object-store/HornetqObjectStore");
    journal.setAsyncIO(false);
    journal.setFileSize(64 << 10);
    journal.setMinFiles(2);
    ObjectStoreEnvironmentBean store = BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class);
    store.setObjectStoreType(HornetqObjectStoreAdaptor.class.getName());
    for (String name : new String[] {"stateStore", "communicationStore"})
      BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, name).setObjectStoreDir(directory + "/tx-object-store");
    BeanPopulator.getDefaultInstance(CoordinatorEnvironmentBean.class).setTransactionStatusManagerEnable(false);
    BeanPopulator.getDefaultInstance(CoreEnvironmentBean.class).setNodeIdentifier("n\u00f6de-1");
    jtaPropertyManager.getJTAEnvironmentBean().setXAResourceRecordWrappingPlugin(new Names());
    TransactionManager manager = com.arjuna.ats.jta.TransactionManager.transactionManager();
    for (int at = 0; at < 40; at++) run(manager, "nothing", new Resource(0), new Resource(0));
    run(manager, "commit", new Resource(0), new Resource(XAException.XAER_RMFAIL));
    run(manager, "commit", new Named(XAException.XAER_RMFAIL), new Resource(XAException.XAER_RMFAIL), new Resource(0));
    run(manager, "operator", new Resource(0), new Resource(XAException.XA_HEURMIX));
    run(manager, "operator", new Resource(0), new Named(XAException.XA_HEURMIX), new Resource(XAException.XA_HEURHAZ));
    Foreign parent = new Foreign("a foreign transaction".getBytes(), new byte[] {1, 2, 3});
    SubordinateTransaction imported = SubordinationManager.getTransactionImporter().importTransaction(parent);
    Resource inner = new Resource(0);
    imported.enlistResource(inner);
    if (imported.doPrepare() != TwoPhaseOutcome.PREPARE_OK) throw new IllegalStateException("not prepared");
    print("wait-for-parent", ((TransactionImple) imported).get_uid(), List.of(inner), List.of(), parent);
    System.out.println("written by Narayana " + com.arjuna.ats.arjuna.utils.Utility.class.getPackage().getImplementationVersion());
    System.out.flush();
    run(manager, "commit", new Resource(1), new Named(0));
    throw new IllegalStateException("it goes on");
  }

  static void run(TransactionManager manager, String recovery, Resource... resources) throws Exception {
    manager.begin();
    TransactionImple transaction = (TransactionImple) manager.getTransaction();
    for (Resource resource : resources) transaction.enlistResource(resource);
    List<Resource> pending = new ArrayList<>();
    List<Resource> heuristic = new ArrayList<>();
    boolean halts = List.of(resources).stream().anyMatch(each -> each.error == 1);
    for (Resource each : resources) {
      if (halts || each.error == XAException.XAER_RMFAIL) pending.add(each);
      else if (each.error != 0) heuristic.add(each);
    }
    if (!recovery.equals("nothing")) print(recovery, transaction.get_uid(), pending, heuristic, null);
    try {
      manager.commit();
    } catch (jakarta.transaction.HeuristicMixedException | jakarta.transaction.HeuristicRollbackException error) {
      if (heuristic.isEmpty()) throw error;
    }
  }

  static void print(String recovery, Uid uid, List<Resource> pending, List<Resource> heuristic, Xid parent) {
    expected.println(
        "{\"recovery\":\"" + recovery + "\",\"uid\":\"" + uid.stringForm() + "\",\"pending\":" + xids(pending)
            + ",\"heuristic\":" + xids(heuristic) + ",\"parent\":" + (parent == null ? "null" : xid(parent)) + "}");
    expected.flush();
  }

  static String xids(List<Resource> resources) {
    List<String> all = new ArrayList<>();
    for (Resource each : resources) all.add("{\"named\":" + (each instanceof Named) + ",\"xid\":" + xid(each.seen) + "}");
    return "[" + String.join(",", all) + "]";
  }

  static String xid(Xid xid) {
    HexFormat hex = HexFormat.of();
    return "[" + xid.getFormatId() + ",\"" + hex.formatHex(xid.getGlobalTransactionId()) + "\",\"" + hex.formatHex(xid.getBranchQualifier()) + "\"]";
  }
}
