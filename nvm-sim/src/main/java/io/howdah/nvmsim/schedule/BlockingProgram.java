package io.howdah.nvmsim.schedule;

import io.howdah.nvmsim.mem.MemoryPort;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs ordinary code as a simulated thread: the code runs on a virtual thread of its own, which
 * stops before each event until it has the turn. A turn of another thread costs two hand-overs
 * between virtual threads, about a microsecond; one more turn of the same thread costs none. A
 * state machine that does the same has the same trace and needs none at all.
 */
public final class BlockingProgram implements SimProgram {
  /** What the thread does. */
  @FunctionalInterface
  public interface Body {
    void run(MemoryPort port);
  }

  /** Unwinds the body of a program whose run was given up. */
  private static final class Abandoned extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Abandoned() {
      super(null, null, false, false);
    }
  }

  private final Body body;
  private @Nullable Thread worker;
  private @Nullable Thread scheduler;

  /** Which of the two threads may run: the program's, or the scheduler's. */
  private volatile boolean programRuns;

  private volatile boolean ended;
  private volatile boolean abandoned;
  private volatile @Nullable Throwable failure;

  public BlockingProgram(Body body) {
    this.body = body;
  }

  @Override
  public boolean step(SimThread self) {
    if (worker == null) {
      worker =
          Thread.ofVirtual().name("sim-thread-" + self.thread()).unstarted(() -> runBody(self));
      scheduler = Thread.currentThread();
      programRuns = true;
      worker.start();
      awaitProgram();
    }
    if (!ended) {
      resume(worker);
    }
    Throwable thrown = failure;
    if (thrown instanceof RuntimeException e) {
      throw e;
    }
    if (thrown instanceof Error e) {
      throw e;
    }
    return !ended;
  }

  @Override
  public boolean handsOver() {
    return true;
  }

  private void resume(Thread program) {
    scheduler = Thread.currentThread();
    programRuns = true;
    LockSupport.unpark(program);
    awaitProgram();
  }

  private void awaitProgram() {
    while (programRuns) {
      LockSupport.park(this);
    }
  }

  private void runBody(SimThread self) {
    try {
      body.run(new Port(self));
    } catch (Abandoned _) {
      // The scheduler gave the run up and has its own reason to report.
    } catch (Throwable e) {
      failure = e;
    } finally {
      ended = true;
      stop();
    }
  }

  @Override
  public void abandon() {
    if (worker != null && !ended) {
      abandoned = true;
      resume(worker);
    }
  }

  /** The program's thread gives the turn back. */
  private void stop() {
    Thread waiting = scheduler;
    programRuns = false;
    LockSupport.unpark(waiting);
  }

  /** Stops before each event; what it forwards to records it. */
  private final class Port implements MemoryPort {
    private final SimThread self;

    /** The first turn was given before the program had begun. */
    private boolean hadTurn;

    Port(SimThread self) {
      this.self = self;
    }

    private void awaitTurn() {
      if (hadTurn && self.goesOn()) {
        return;
      }
      hadTurn = true;
      stop();
      while (!programRuns) {
        LockSupport.park(this);
      }
      if (abandoned) {
        throw new Abandoned();
      }
    }

    @Override
    public int thread() {
      return self.thread();
    }

    @Override
    public long load(long address, int site) {
      awaitTurn();
      return self.load(address, site);
    }

    @Override
    public void store(long address, long value, int site) {
      awaitTurn();
      self.store(address, value, site);
    }

    @Override
    public long load(long address, int size, int site) {
      awaitTurn();
      return self.load(address, size, site);
    }

    @Override
    public void store(long address, int size, long value, int site) {
      awaitTurn();
      self.store(address, size, value, site);
    }

    @Override
    public long exchange(long address, long value, int site) {
      awaitTurn();
      return self.exchange(address, value, site);
    }

    @Override
    public boolean compareAndSet(long address, long expected, long value, int site) {
      awaitTurn();
      return self.compareAndSet(address, expected, value, site);
    }

    @Override
    public long fetchAndAdd(long address, long delta, int site) {
      awaitTurn();
      return self.fetchAndAdd(address, delta, site);
    }

    @Override
    public long spinWhile(long address, long value, int site) {
      while (true) {
        awaitTurn();
        long now = self.load(address, site);
        if (now != value) {
          return now;
        }
        self.blockUntilWritten(address);
      }
    }

    @Override
    public void persistBarrier(int site) {
      awaitTurn();
      self.persistBarrier(site);
    }

    @Override
    public void newStrand(int site) {
      awaitTurn();
      self.newStrand(site);
    }

    @Override
    public void flush(long address, int size, int site) {
      awaitTurn();
      self.flush(address, size, site);
    }

    @Override
    public void fence(int site) {
      awaitTurn();
      self.fence(site);
    }

    @Override
    public void persistSync(int site) {
      awaitTurn();
      self.persistSync(site);
    }

    @Override
    public long persistentMalloc(long length, long alignment, int site) {
      awaitTurn();
      return self.persistentMalloc(length, alignment, site);
    }

    @Override
    public void persistentFree(long address, int site) {
      awaitTurn();
      self.persistentFree(address, site);
    }

    @Override
    public void opBegin(long index, int site) {
      self.opBegin(index, site);
    }

    @Override
    public void opEnd(long index, int site) {
      self.opEnd(index, site);
    }
  }
}
