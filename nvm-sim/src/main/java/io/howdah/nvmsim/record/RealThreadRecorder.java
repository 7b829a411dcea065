package io.howdah.nvmsim.record;

import io.howdah.nvmsim.mem.MemoryPort;
import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.steps.SpinWait;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.EventBatch;
import io.howdah.nvmsim.trace.TraceSink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Records real threads. Each access holds the locks of its memory while it is performed and
 * stamped; afterwards the threads' logs are merged by stamp into one trace in the order memory saw.
 * The interleaving is the host's own, so two runs differ.
 */
public final class RealThreadRecorder {
  /** What a thread does. */
  @FunctionalInterface
  public interface Body {
    void run(MemoryPort port);
  }

  private final SimMemory memory;
  private final LockBank bank;
  private final boolean locked;
  private final int maxEventsPerThread;
  private final List<EventLog> logs = new ArrayList<>();
  private long setUpClock;

  /**
   * Records accesses to the memory.
   *
   * @param log2Stripes locks in the bank, as a power of two
   * @param maxEventsPerThread a thread that records more fails; bounds the heap to about 32 bytes
   *     per event
   */
  public RealThreadRecorder(SimMemory memory, int log2Stripes, int maxEventsPerThread) {
    this(memory, log2Stripes, maxEventsPerThread, true);
  }

  /** With {@code locked} false the bank is left out, to show that the self-test notices. */
  RealThreadRecorder(SimMemory memory, int log2Stripes, int maxEventsPerThread, boolean locked) {
    this.memory = memory;
    this.bank = new LockBank(log2Stripes);
    this.locked = locked;
    this.maxEventsPerThread = maxEventsPerThread;
  }

  /** A port for setting up memory before {@link #run}; its events come first, as thread 0's. */
  public MemoryPort setUp() {
    EventLog log = new EventLog(0, maxEventsPerThread);
    logs.add(log);
    return new Port(0, log);
  }

  /**
   * Runs the bodies at once, each on a platform thread of its own, and waits for them.
   *
   * @throws IllegalStateException if a body failed, with its exception as the cause
   */
  public void run(List<Body> bodies) throws InterruptedException {
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < bodies.size(); i++) {
      EventLog log = new EventLog(i, maxEventsPerThread);
      logs.add(log);
      Port port = new Port(i, log);
      Body body = bodies.get(i);
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("recorded-" + i)
              .start(
                  () -> {
                    try {
                      start.await();
                      port.mark(Event.THREAD_START);
                      body.run(port);
                      port.mark(Event.THREAD_END);
                    } catch (Throwable e) {
                      synchronized (failures) {
                        failures.add(e);
                      }
                    }
                  }));
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw new IllegalStateException("a recorded thread failed", failures.getFirst());
    }
  }

  /** Merges the logs by stamp, then thread, into the sink; returns the number of events. */
  public long merge(TraceSink sink) {
    int[] at = new int[logs.size()];
    EventBatch batch = new EventBatch();
    batch.begin(0);
    long events = 0;
    while (true) {
      int first = -1;
      for (int i = 0; i < at.length; i++) {
        EventLog log = logs.get(i);
        if (at[i] < log.count()
            && (first < 0 || log.stamp(at[i]) < logs.get(first).stamp(at[first]))) {
          first = i;
        }
      }
      if (first < 0) {
        break;
      }
      EventLog log = logs.get(first);
      int index = at[first]++;
      batch.append(log.packed(index), log.address(index), log.value(index));
      events++;
      if (batch.isFull()) {
        sink.accept(batch);
        batch.begin(events);
      }
    }
    if (batch.count() > 0) {
      sink.accept(batch);
    }
    return events;
  }

  /** A real thread's port. */
  private final class Port implements MemoryPort {
    private static final int WORD = Long.BYTES;

    private final int thread;
    private final EventLog log;
    private long clock;

    Port(int thread, EventLog log) {
      this.thread = thread;
      this.log = log;
      this.clock = setUpClock;
    }

    @Override
    public int thread() {
      return thread;
    }

    private int enter(long address) {
      if ((address & 7) != 0) {
        throw new IllegalArgumentException(
            "word access at 0x" + Long.toHexString(address) + " is not aligned to 8 bytes");
      }
      int stripe = bank.stripeOf(address);
      if (locked) {
        bank.lock(stripe);
      }
      return stripe;
    }

    /** Stamps the access later than all before it in this thread and on this stripe. */
    private void leave(int stripe, int kind, long address, long value, int site) {
      clock = Math.max(clock, bank.clock(stripe)) + 1;
      bank.setClock(stripe, clock);
      if (locked) {
        bank.unlock(stripe);
      }
      log.add(
          clock,
          Event.access(kind, thread, WORD, memory.isPersistent(address), site),
          address,
          value);
    }

    @Override
    public long load(long address, int site) {
      int stripe = enter(address);
      long value = memory.getAcquire(address);
      leave(stripe, Event.LOAD, address, value, site);
      return value;
    }

    @Override
    public void store(long address, long value, int site) {
      int stripe = enter(address);
      memory.setRelease(address, value);
      leave(stripe, Event.STORE, address, value, site);
    }

    @Override
    public long load(long address, int size, int site) {
      throw new UnsupportedOperationException("real threads are recorded by words");
    }

    @Override
    public void store(long address, int size, long value, int site) {
      throw new UnsupportedOperationException("real threads are recorded by words");
    }

    @Override
    public long exchange(long address, long value, int site) {
      int stripe = enter(address);
      long old = memory.getAndSet(address, value);
      leave(stripe, Event.RMW, address, value, site);
      return old;
    }

    @Override
    public boolean compareAndSet(long address, long expected, long value, int site) {
      int stripe = enter(address);
      boolean done = memory.compareAndSet(address, expected, value);
      leave(stripe, done ? Event.RMW : Event.LOAD, address, value, site);
      return done;
    }

    @Override
    public long fetchAndAdd(long address, long delta, int site) {
      int stripe = enter(address);
      long old = memory.getAndAdd(address, delta);
      leave(stripe, Event.RMW, address, old + delta, site);
      return old;
    }

    /** Traces a load, then polls untraced until the word has changed, then traces the next. */
    @Override
    public long spinWhile(long address, long value, int site) {
      while (true) {
        long now = load(address, site);
        if (now != value) {
          return now;
        }
        for (int spins = 0; memory.getAcquire(address) == value; spins++) {
          SpinWait.step(spins);
        }
      }
    }

    void mark(int kind) {
      mark(kind, 0, 0, 0);
    }

    private void mark(int kind, long address, long value, int site) {
      log.add(++clock, Event.marker(kind, thread, site), address, value);
      if (address != 0) {
        setUpClock = Math.max(setUpClock, clock);
      }
    }

    @Override
    public void persistBarrier(int site) {
      mark(Event.PERSIST_BARRIER, 0, 0, site);
    }

    @Override
    public void newStrand(int site) {
      mark(Event.NEW_STRAND, 0, 0, site);
    }

    @Override
    public void flush(long address, int size, int site) {
      log.add(++clock, Event.flush(thread, size, memory.isPersistent(address), site), address, 0);
    }

    @Override
    public void fence(int site) {
      mark(Event.FENCE, 0, 0, site);
    }

    @Override
    public void persistSync(int site) {
      mark(Event.PERSIST_SYNC, 0, 0, site);
    }

    @Override
    public long persistentMalloc(long length, long alignment, int site) {
      synchronized (memory) {
        long address = memory.allocatePersistent(length, alignment);
        mark(Event.PMALLOC, address, length, site);
        return address;
      }
    }

    @Override
    public void persistentFree(long address, int site) {
      synchronized (memory) {
        memory.freePersistent(address);
        mark(Event.PFREE, address, 0, site);
      }
    }

    @Override
    public void opBegin(long index, int site) {
      mark(Event.OP_BEGIN, 0, index, site);
    }

    @Override
    public void opEnd(long index, int site) {
      mark(Event.OP_END, 0, index, site);
    }
  }
}
