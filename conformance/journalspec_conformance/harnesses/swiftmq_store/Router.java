// SPDX-License-Identifier: Apache-2.0
package journalspec;

import com.swiftmq.mgmt.Configuration;
import com.swiftmq.swiftlet.Swiftlet;
import com.swiftmq.swiftlet.SwiftletManager;
import com.swiftmq.swiftlet.event.SwiftletManagerAdapter;
import com.swiftmq.swiftlet.log.LogSink;
import com.swiftmq.swiftlet.log.LogSwiftlet;
import com.swiftmq.swiftlet.threadpool.EventLoop;
import com.swiftmq.swiftlet.threadpool.EventProcessor;
import com.swiftmq.swiftlet.threadpool.ThreadpoolSwiftlet;
import com.swiftmq.swiftlet.timer.TimerSwiftlet;
import com.swiftmq.swiftlet.timer.event.SystemTimeChangeListener;
import com.swiftmq.swiftlet.timer.event.TimerListener;
import com.swiftmq.swiftlet.trace.TraceSpace;
import com.swiftmq.swiftlet.trace.TraceSwiftlet;
import com.swiftmq.tools.concurrent.AsyncCompletionCallback;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * As much of a router as a store needs: where it logs, who runs its tasks, and nobody else.
 *
 * What a router has but a store does not ask for is null. Classes of the product are extended here because
 * they are classes, which no proxy can stand for; everything else is done in Python.
 */
public final class Router extends SwiftletManager {
    /** What a store has warned of; whoever reads it takes it away. */
    public final List<String> said = new CopyOnWriteArrayList<>();
    /** The loops that run. */
    public final List<Loop> loops = new CopyOnWriteArrayList<>();
    private final Map<String, Swiftlet> swiftlets = Map.of(
        "sys$log", new Logs(), "sys$trace", new Traces(), "sys$timer", new Timers(), "sys$threadpool", new Pool());

    /** Make the router that the product finds when it asks for one. */
    public Router() {
        _instance.set(this);
        // Listeners of these come and go with a store; the product cannot do without a last one.
        for (String name : new String[] {"sys$mgmt", "sys$scheduler"}) {
            addSwiftletManagerListener(name, new SwiftletManagerAdapter() { });
        }
    }

    public Swiftlet getSwiftlet(String name) {
        return swiftlets.get(name);
    }

    /** Waits for the end of an asynchronous commit. */
    public static final class Done extends AsyncCompletionCallback {
        private final CountDownLatch ended = new CountDownLatch(1);

        public void done(boolean success) {
            ended.countDown();
        }

        /** Wait, and throw what went wrong. */
        public void await() throws Exception {
            ended.await();
            if (getException() != null) {
                throw getException();
            }
        }
    }

    /** Hands over what has come together, as one batch; what comes while it is held is one batch then. */
    public static final class Loop implements EventLoop {
        private final List<Object> waiting = new ArrayList<>();
        private boolean held;
        private boolean closed;

        Loop(String name, EventProcessor processor) {
            Thread thread = new Thread(() -> {
                for (List<Object> batch = next(); !batch.isEmpty(); batch = next()) {
                    processor.process(batch);
                }
            }, name);
            thread.setDaemon(true);
            thread.start();
        }

        public synchronized void submit(Object event) {
            waiting.add(event);
            notifyAll();
        }

        public synchronized void hold(boolean value) {
            held = value;
            notifyAll();
        }

        public synchronized void close() {
            closed = true;
            notifyAll();
        }

        private synchronized List<Object> next() {
            try {
                while (!closed && (held || waiting.isEmpty())) {
                    wait();
                }
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
            List<Object> batch = new ArrayList<>(waiting);
            waiting.clear();
            return batch;
        }
    }

    private final class Logs extends LogSwiftlet {
        public void logInformation(String from, String text) { }

        public void logWarning(String from, String text) {
            said.add(text);
        }

        public void logError(String from, String text) {
            said.add(text);
        }

        public LogSink createLogSink(String name) {
            return new LogSink() {
                public void log(String text) { }
                public void close() { }
            };
        }

        protected void startup(Configuration configuration) { }
        protected void shutdown() { }
    }

    private static final class Traces extends TraceSwiftlet {
        protected TraceSpace createTraceSpace(String name) {
            return new TraceSpace(name, false) {
                public void trace(String from, String text) { }
                protected void closeSpaceResources() { }
            };
        }

        protected void startup(Configuration configuration) { }
    }

    /** No time passes: nothing of a store's log or pages depends on it. */
    private static final class Timers extends TimerSwiftlet {
        public void addInstantTimerListener(long delay, TimerListener listener) { }
        public void addInstantTimerListener(long delay, TimerListener listener, boolean inline) { }
        public void addTimerListener(long delay, TimerListener listener) { }
        public void addTimerListener(long delay, TimerListener listener, boolean inline) { }
        public void removeTimerListener(TimerListener listener) { }
        public void addSystemTimeChangeListener(SystemTimeChangeListener listener) { }
        public void removeSystemTimeChangeListener(SystemTimeChangeListener listener) { }
        protected void startup(Configuration configuration) { }
        protected void shutdown() { }
    }

    private final class Pool extends ThreadpoolSwiftlet {
        public EventLoop createEventLoop(String name, EventProcessor processor) {
            loops.add(new Loop(name, processor));
            return loops.get(loops.size() - 1);
        }

        /** As later versions ask for one. */
        public EventLoop createEventLoop(String name, EventProcessor processor, boolean bulk) {
            return createEventLoop(name, processor);
        }

        public CompletableFuture<?> runAsync(Runnable task) {
            return CompletableFuture.runAsync(task);
        }

        public CompletableFuture<?> runAsync(Runnable task, boolean virtual) {
            return runAsync(task);
        }

        public void freeze() { }
        public void unfreeze() { }
        protected void startup(Configuration configuration) { }
        protected void shutdown() { }
    }
}
