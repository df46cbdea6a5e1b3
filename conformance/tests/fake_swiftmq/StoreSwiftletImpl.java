// SPDX-License-Identifier: Apache-2.0
package com.swiftmq.impl.store.standard;

import com.swiftmq.impl.store.standard.log.CheckPointFinishedListener;
import com.swiftmq.jms.MessageImpl;
import com.swiftmq.jms.XidImpl;
import com.swiftmq.mgmt.Configuration;
import com.swiftmq.swiftlet.SwiftletManager;
import com.swiftmq.swiftlet.log.LogSwiftlet;
import com.swiftmq.swiftlet.store.CompositeStoreTransaction;
import com.swiftmq.swiftlet.store.DurableStoreEntry;
import com.swiftmq.swiftlet.store.DurableSubscriberStore;
import com.swiftmq.swiftlet.store.NonPersistentStore;
import com.swiftmq.swiftlet.store.PersistentStore;
import com.swiftmq.swiftlet.store.PrepareLogRecord;
import com.swiftmq.swiftlet.store.StoreEntry;
import com.swiftmq.swiftlet.store.StoreException;
import com.swiftmq.swiftlet.store.StoreReadTransaction;
import com.swiftmq.swiftlet.store.StoreSwiftlet;
import com.swiftmq.swiftlet.store.StoreTransaction;
import com.swiftmq.swiftlet.store.StoreWriteTransaction;
import com.swiftmq.swiftlet.threadpool.EventLoop;
import com.swiftmq.swiftlet.threadpool.ThreadpoolSwiftlet;
import com.swiftmq.tools.concurrent.AsyncCompletionCallback;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/**
 * A store that is none: it has the product's class name and interfaces, and keeps a text.
 *
 * What stands in db/page.db is done or held from the start on, line by line: warn TEXT, throw TEXT, memory, exit,
 * hang, queue NAME, message QUEUE KEY PRIORITY DELIVERIES EXPIRATION HEX (or unreadable), durable CLIENT NAME
 * TOPIC. Each batch that the log is handed becomes a line of log/transaction.log.
 */
public class StoreSwiftletImpl extends StoreSwiftlet {
    StoreContext ctx = null;
    RootIndex rootIndex = null;
    private final Map<String, List<Entry>> queues = new TreeMap<>();
    private final List<PrepareLogRecord> prepared = new ArrayList<>();
    private final List<DurableStoreEntry> durables = new ArrayList<>();
    private Path pages;
    private Path log;

    public static class StoreContext {
        public TransactionManager transactionManager;
        EventLoop loop;
    }

    public class RootIndex {
        public List<Entry> getEntries() {
            List<Entry> found = new ArrayList<>();
            queues.keySet().forEach(name -> found.add(new Entry(name, 0, 0, 0, null)));
            return found;
        }

        public void unloadPages() {
        }
    }

    public record Entry(Object key, int priority, int deliveries, long expiration, byte[] data) {
        public Object getKey() {
            return key;
        }
    }

    public class TransactionManager {
        private int active;

        public synchronized long createTxId() {
            return active++;
        }

        public synchronized void removeTxId(long number) {
            active--;
        }

        public void initiateCheckPoint(CheckPointFinishedListener listener) {
            ctx.loop.submit((Runnable) () -> {
                save();
                line("checkpoint, active " + active);
                listener.checkpointFinished();
            });
        }
    }

    private void line(String text) {
        try {
            Files.writeString(log, text + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private String property(Configuration configuration, String entity, String name) {
        return configuration.getEntity(entity).getProperty(name).getValue().toString();
    }

    @Override
    protected void startup(Configuration configuration) {
        if (!"sys$store".equals(getName())) {
            throw new IllegalStateException("no name");
        }
        ctx = new StoreContext();
        ctx.transactionManager = new TransactionManager();
        ThreadpoolSwiftlet pool = (ThreadpoolSwiftlet) SwiftletManager.getInstance().getSwiftlet("sys$threadpool");
        ctx.loop = pool.createEventLoop("sys$store.log", events -> {
            line("batch of " + events.size());
            events.forEach(event -> ((Runnable) event).run());
        });
        pages = Path.of(property(configuration, "database", "path")).resolve("page.db");
        log = Path.of(property(configuration, "transaction-log", "path")).resolve("transaction.log");
        try {
            Files.createDirectories(pages.getParent());
            Files.createDirectories(log.getParent());
            line("page size " + property(configuration, "database", "page-size-current") + ", force-sync "
                + property(configuration, "transaction-log", "force-sync") + ", "
                + configuration.getEntity("usage").getEntity("backup").getName());
            if (Files.exists(pages)) {
                for (String text : Files.readAllLines(pages)) {
                    take(text.split(" ", 7), text);
                }
            }
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
        queue("sys$prepared");
        rootIndex = new RootIndex();
    }

    private void take(String[] words, String text) {
        LogSwiftlet logs = (LogSwiftlet) SwiftletManager.getInstance().getSwiftlet("sys$log");
        switch (words[0]) {
            case "warn" -> logs.logWarning("sys$store", text.substring(5));
            case "throw" -> throw new RuntimeException(text.substring(6));
            case "memory" -> throw new OutOfMemoryError("Requested array size exceeds VM limit");
            case "exit" -> System.exit(-1);
            case "hang" -> {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException error) {
                    Thread.currentThread().interrupt();
                }
            }
            case "queue" -> queue(words[1]);
            case "message" -> queue(words[1]).add(new Entry(Long.valueOf(words[2]), Integer.parseInt(words[3]),
                Integer.parseInt(words[4]), Long.parseLong(words[5]),
                words[6].equals("unreadable") ? null : HexFormat.of().parseHex(words[6])));
            case "durable" -> durables.add(new DurableStoreEntry(words[1], words[2], words[3], null, true));
            default -> throw new IllegalStateException(text);
        }
    }

    private List<Entry> queue(String name) {
        return queues.computeIfAbsent(name, ignored -> new ArrayList<>());
    }

    private void save() {
        StringBuilder text = new StringBuilder();
        queues.forEach((name, entries) -> {
            text.append("queue ").append(name).append('\n');
            entries.forEach(entry -> text.append(String.format("message %s %s %d %d %d %s%n", name, entry.key(),
                entry.priority(), entry.deliveries(), entry.expiration(),
                entry.data() == null ? "unreadable" : HexFormat.of().formatHex(entry.data()))));
        });
        try {
            Files.writeString(pages, text.toString());
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    @Override
    protected void shutdown() {
        save();
        line("shutdown");
        ctx.loop.close();
    }

    /** Ends of transactions of all kinds: changes of the lists, made by the log's thread. */
    private final class Transaction implements StoreWriteTransaction, StoreReadTransaction {
        private final String name;
        private final List<StoreEntry> inserts = new ArrayList<>();
        private final List<Object> removals = new ArrayList<>();
        private PrepareLogRecord record;

        Transaction(String name) {
            this.name = name;
        }

        @Override
        public void insert(StoreEntry entry) {
            inserts.add(entry);
        }

        @Override
        public void remove(Object key) {
            removals.add(key);
        }

        private void add() {
            for (StoreEntry entry : inserts) {
                long key = queue(name).stream().mapToLong(one -> (Long) one.key()).max().orElse(-1) + 1;
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try {
                    entry.message.writeContent(new DataOutputStream(out));
                } catch (IOException error) {
                    throw new IllegalStateException(error);
                }
                Entry added = new Entry(key, entry.priority, entry.deliveryCount, entry.expirationTime, out.toByteArray());
                queue(name).add(added);
                entry.key = added;
            }
        }

        private void end() {
            add();
            queue(name).removeAll(removals);
        }

        private void wait(Runnable work) {
            CountDownLatch done = new CountDownLatch(1);
            ctx.loop.submit((Runnable) () -> {
                work.run();
                done.countDown();
            });
            try {
                done.await();
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void commit() {
            wait(this::end);
        }

        @Override
        public void commit(AsyncCompletionCallback callback) {
            ctx.loop.submit((Runnable) () -> {
                end();
                callback.notifyCallbackStack(true);
            });
        }

        @Override
        public void abort() {
            wait(() -> line("abort " + name));
        }

        @Override
        public void abort(AsyncCompletionCallback callback) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void prepare(XidImpl xid) {
            boolean writes = !inserts.isEmpty();
            wait(this::add);
            List<Object> keys = new ArrayList<>(removals);
            inserts.forEach(entry -> keys.add(entry.key));
            String queue = name;
            record = new PrepareLogRecord() {
                @Override
                public int getType() {
                    return writes ? WRITE_TRANSACTION : READ_TRANSACTION;
                }

                @Override
                public XidImpl getGlobalTxId() {
                    return xid;
                }

                @Override
                public String getQueueName() {
                    return queue;
                }

                @Override
                public List<Object> getKeyList() {
                    return keys;
                }
            };
            prepared.add(record);
        }

        @Override
        public void commit(XidImpl xid) {
            prepared.remove(record);
            wait(() -> queue(name).removeAll(removals));
        }

        @Override
        public void abort(XidImpl xid) {
            prepared.remove(record);
            wait(() -> inserts.forEach(entry -> queue(name).remove(entry.key)));
        }
    }

    private final class Composite extends CompositeStoreTransaction {
        private final Map<String, Transaction> parts = new TreeMap<>();
        private Transaction current;

        @Override
        public boolean isReferencable() {
            return false;
        }

        @Override
        public void setReferencable(boolean value) {
            if (value) {
                throw new UnsupportedOperationException();
            }
        }

        @Override
        public void setPersistentStore(PersistentStore store) {
            current = parts.computeIfAbsent(store.toString(), Transaction::new);
        }

        @Override
        public void insert(StoreEntry entry) {
            current.insert(entry);
        }

        @Override
        public void remove(Object key) {
            current.remove(key);
        }

        @Override
        public void commitTransaction() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void commitTransaction(AsyncCompletionCallback callback) {
            ctx.loop.submit((Runnable) () -> {
                parts.values().forEach(Transaction::end);
                callback.notifyCallbackStack(true);
            });
        }

        @Override
        public void abortTransaction() {
            parts.values().forEach(Transaction::abort);
        }

        @Override
        public void abortTransaction(AsyncCompletionCallback callback) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void prepare(XidImpl xid) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void commit(XidImpl xid) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void commit() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void commit(AsyncCompletionCallback callback) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void abort(XidImpl xid) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void abort() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void abort(AsyncCompletionCallback callback) {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public PersistentStore getPersistentStore(String name) {
        queue(name);
        return new PersistentStore() {
            @Override
            public String toString() {
                return name;
            }

            @Override
            public List<StoreEntry> getStoreEntries() {
                List<StoreEntry> found = new ArrayList<>();
                for (Entry entry : queue(name)) {
                    StoreEntry one = new StoreEntry();
                    one.key = entry;
                    one.priority = entry.priority();
                    one.deliveryCount = entry.deliveries();
                    one.expirationTime = entry.expiration();
                    found.add(one);
                }
                return found;
            }

            @Override
            public StoreEntry get(Object key) throws StoreException {
                Entry entry = (Entry) key;
                if (entry.data() == null) {
                    throw new StoreException("damaged");
                }
                StoreEntry one = new StoreEntry();
                try {
                    DataInputStream in = new DataInputStream(new ByteArrayInputStream(entry.data()));
                    one.message = MessageImpl.createInstance(in.readInt());
                    one.message.readContent(in);
                } catch (IOException error) {
                    throw new StoreException(error.toString());
                }
                return one;
            }

            @Override
            public void delete() {
                queues.remove(name);
            }

            @Override
            public StoreReadTransaction createReadTransaction(boolean redelivered) {
                return new Transaction(name);
            }

            @Override
            public StoreWriteTransaction createWriteTransaction() {
                return new Transaction(name);
            }

            @Override
            public void close() {
            }
        };
    }

    @Override
    public NonPersistentStore getNonPersistentStore(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public DurableSubscriberStore getDurableSubscriberStore() {
        return (DurableSubscriberStore) Proxy.newProxyInstance(getClass().getClassLoader(),
            new Class<?>[] {DurableSubscriberStore.class}, (on, method, values) -> durables.iterator());
    }

    @Override
    public List<PrepareLogRecord> getPrepareLogRecords() {
        return new ArrayList<>(prepared);
    }

    @Override
    public void removePrepareLogRecord(PrepareLogRecord record) {
        prepared.remove(record);
    }

    @Override
    public CompositeStoreTransaction createCompositeStoreTransaction() {
        return new Composite();
    }
}
