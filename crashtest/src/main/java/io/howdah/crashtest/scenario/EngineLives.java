package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.Backing;
import io.howdah.core.HowdahException;
import io.howdah.core.LogFullException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StoreLockedException;
import io.howdah.crashtest.oracle.Attempt;
import io.howdah.crashtest.oracle.History;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One store on one simulated disk through several lives: in each, a process opens it, judges what
 * it found, lets several threads commit in all modes, and closes it or dies. Everything follows
 * from a seed. For one thread.
 */
final class EngineLives {

  private static final int MOST_THREADS = 4;
  private static final int MOST_TRANSACTIONS = 12;
  private static final int MOST_CHECKPOINTS = 3;

  /** The threads of the engine that a life has: opening, segments, flusher, checkpoint. */
  private static final int ENGINE_THREADS = 4;

  final SplittableRandom random;
  final SimulatedExecution execution;
  final SimulatedDisk disk;
  private boolean journalsDamaged;
  private boolean imageLoaded;
  private boolean secondOpener;
  private boolean memoryShared;

  private final boolean faultsInjected;
  private final boolean checkpoints;
  private final History history = new History();
  private final AtomicReference<@Nullable Violation> seen = new AtomicReference<>();
  private final int threads;
  private final int partitions;

  /** One in so many transactions fills the wide cell, which soon fills the rings too. */
  private final int wideOneIn;

  /** One in so many transactions waits: where many do, one commit that is stopped stops all. */
  private final int syncOneIn;

  /** The worst that happened since the store was last judged. */
  private History.Ending ending = History.Ending.KILLED;

  /**
   * Creates a disk without a store.
   *
   * @param disk settings of its own; its execution is set here
   * @param faultsInjected whether the store may stop, and refuse to open
   * @param checkpoints whether checkpoints are taken beside the commits, of a log in short segments
   */
  EngineLives(long seed, SimulatedDisk.Builder disk, boolean faultsInjected, boolean checkpoints) {
    this.random = new SplittableRandom(seed);
    this.faultsInjected = faultsInjected;
    this.checkpoints = checkpoints;
    this.execution =
        SimulatedExecution.builder(Schedule.roundRobin(1))
            .virtualThreads((seed & 1) == 0) // the engine's waits for durability differ
            .spuriousOneIn(random.nextInt(2) * 16)
            .maxSteps(3_000_000)
            .processors(1 + random.nextInt(4))
            .build();
    this.disk = disk.execution(execution).build();
    this.threads = 1 + random.nextInt(MOST_THREADS);
    this.partitions = 1 + random.nextInt(4);
    this.wideOneIn = random.nextInt(5) == 0 ? 3 : 40;
    this.syncOneIn = random.nextBoolean() ? 3 : 30;
  }

  /** Notes what happened to the process or its machine, after its life. */
  void ended(History.Ending how) {
    if (ending != History.Ending.POWER_CUT) {
      ending = how;
    }
  }

  /** Notes that the journals were damaged: the next opening may do without one that counts. */
  void journalsDamaged() {
    journalsDamaged = true;
  }

  /** Has the openings from now on load the image. */
  void loadImage() {
    imageLoaded = true;
  }

  /** Has somebody else try to open the store in each life. */
  void secondOpener() {
    secondOpener = true;
  }

  /** Has the openings from now on use memory that outlives the process. */
  void shareMemory() {
    memoryShared = true;
  }

  private Backing backing(SplittableRandom life) {
    // Loading the image holds every page of it to its checksum.
    boolean isLoaded = imageLoaded || life.nextInt(3) == 0;
    if (memoryShared && imageLoaded) {
      // Memory of the process before does without the image; new memory is loaded, too.
      return life.nextBoolean() ? Backing.RESIDENT : Backing.SHARED;
    }
    if (memoryShared) {
      // Now and then another opening comes between, which uses no such memory.
      return life.nextInt(8) == 0 ? Backing.MAPPED : Backing.SHARED;
    }
    return isLoaded ? Backing.RESIDENT : Backing.MAPPED;
  }

  /** Draws a schedule for a life of about so many steps. */
  Schedule schedule(long steps) {
    long seed = random.nextLong();
    return switch (random.nextInt(8)) {
      case 0 -> Schedule.random(seed, 1);
      case 1 -> Schedule.random(seed, 8);
      case 2 -> Schedule.random(seed, 64);
      case 3 -> Schedule.pct(seed, 2 + random.nextInt(4), steps);
      case 4, 5 -> new StarvingSchedule(seed, -1, 100 << random.nextInt(4), longestStop());
      default ->
          // One thread, stopped again and again: the flusher between two tails it reads, or a
          // commit between its LSN and its record.
          new StarvingSchedule(
              seed,
              random.nextInt(ENGINE_THREADS + threads),
              10 << random.nextInt(3),
              longestStop());
    };
  }

  private int longestStop() {
    return 500 << random.nextInt(6);
  }

  /** Fails if a transaction saw what no transaction may see. */
  void requireNothingSeen() {
    Violation violation = seen.get();
    if (violation != null) {
      throw violation;
    }
  }

  /** The life of one process; run by {@link SimulatedExecution#run}. */
  void live(SplittableRandom life) {
    Store store = Store.open(options(life));
    CellStore.judge(store, history, ending);
    requireJournalWhole(store);
    if (secondOpener) {
      requireLocked();
    }
    ending = History.Ending.KILLED;
    try {
      CellStore.create(store);
    } catch (StoreFailedException | LogFullException e) {
      requireFaults(e);
      close(store);
      return;
    }
    CellStore cells = CellStore.of(store);
    Thread[] workers = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      SplittableRandom own = life.split();
      workers[t] = execution.spawn("worker-" + t, () -> work(store, cells, own));
    }
    if (checkpoints) {
      int rounds = 1 + life.nextInt(MOST_CHECKPOINTS);
      execution.join(execution.spawn("checkpoints", () -> checkpoint(store, rounds)));
    }
    for (Thread worker : workers) {
      execution.join(worker);
    }
    close(store);
  }

  private void requireLocked() {
    StoreOptions options =
        StoreOptions.defaults()
            .withStorage(disk.storage())
            .withExecution(execution)
            .withMaxSize(1 << 17);
    try {
      Store.open(options).close();
    } catch (StoreLockedException e) {
      return;
    }
    throw new Violation("two have the store open at the same time");
  }

  private void checkpoint(Store store, int rounds) {
    for (int i = 0; i < rounds; i++) {
      try {
        store.admin().checkpoint();
      } catch (StorageException | StoreFailedException e) {
        requireFaults(e);
      }
    }
  }

  private StoreOptions options(SplittableRandom life) {
    StoreOptions defaults = StoreOptions.defaults();
    return defaults
        .withPartitions(partitions)
        // Seldom enough that most forces are those that a thread waits for.
        .withGroupCommitInterval(
            life.nextInt(4) == 0 ? Duration.ofMillis(10) : defaults.groupCommitInterval())
        .withStorage(disk.storage())
        .withExecution(execution)
        .withBacking(backing(life))
        .withWarmClose(memoryShared && life.nextBoolean())
        // Not drawn, so that the seeds of lives before mean the same.
        .withCheckpointAtClose(disk.operations() % 2 == 0)
        .withRingBytes(1 << 16)
        .withOrecs(life.nextInt(3) == 0 ? 64 : 4096)
        .withMaxSize(1 << 17)
        .withLogSegmentBytes(checkpoints ? SegmentLayout.MIN_LENGTH : SegmentLayout.MAX_LENGTH)
        .withIrrevocableAfterAborts(life.nextInt(3) == 0 ? 1 + life.nextInt(8) : 64);
  }

  /** A store that stopped, or could not be closed cleanly, says so; it is as if killed. */
  private void close(Store store) {
    try {
      store.close();
    } catch (HowdahException e) {
      requireFaults(e);
    }
  }

  /** Notes that a life ended before the store was open. */
  void refusedToOpen(HowdahException e) {
    requireFaults(e);
  }

  /**
   * Fails if a checkpoint that counts had lost its journal. The log it falls back to hides that
   * from the data; only with a fault of the disk may it come about.
   */
  private void requireJournalWhole(Store store) {
    if (!faultsInjected && !journalsDamaged && store.admin().recoveryReport().foldedPages() < 0) {
      throw new Violation("the superblock names a journal that did not outlast the power");
    }
    journalsDamaged = false;
  }

  private void requireFaults(HowdahException e) {
    if (!faultsInjected) {
      throw new Violation("the store gave up without a fault: " + e.getMessage(), e);
    }
  }

  private void work(Store store, CellStore cells, SplittableRandom own) {
    int transactions = 1 + own.nextInt(MOST_TRANSACTIONS);
    for (int i = 0; i < transactions && history.size() < CellStore.MARKS - MOST_THREADS; i++) {
      transaction(store, cells, own);
    }
  }

  private void transaction(Store store, CellStore cells, SplittableRandom own) {
    boolean readOnly = own.nextInt(6) == 0;
    Durability durability = durability(own);
    long choices = own.nextLong();
    boolean wide = !readOnly && own.nextInt(wideOneIn) == 0;
    TxOptions how = readOnly ? TxOptions.of(durability).withReadOnly() : TxOptions.of(durability);
    Attempt attempt = history.begin(readOnly);
    try {
      long lsn = store.callWithReceipt(how, tx -> body(tx, cells, attempt, choices, wide)).lsn();
      if (durability != Durability.ASYNC) {
        attempt.durable(lsn);
      } else {
        attempt.returned(lsn);
      }
    } catch (LogFullException e) {
      requireFaults(e);
      attempt.refused();
    } catch (StoreFailedException e) {
      // Whether it happened is open: the next life tells.
      requireFaults(e);
    } catch (HowdahException e) {
      throw new Violation("refused without a reason: " + e, e);
    }
  }

  private Durability durability(SplittableRandom own) {
    if (own.nextInt(syncOneIn) != 0) {
      return Durability.ASYNC;
    }
    return own.nextBoolean() ? Durability.SYNC : Durability.PARTITION;
  }

  private int body(Tx tx, CellStore cells, Attempt attempt, long choices, boolean wide) {
    attempt.restart();
    SplittableRandom own = new SplittableRandom(choices);
    Violation mixed = cells.seenPair(tx, own.nextBoolean(), own.nextInt(CellStore.CELLS));
    if (mixed != null) {
      seen.compareAndSet(null, mixed);
    }
    int reads = own.nextInt(4);
    for (int i = 0; i < reads; i++) {
      cells.read(tx, attempt, own.nextInt(CellStore.CELLS + 1));
    }
    if (!attempt.isReadOnly()) {
      write(tx, cells, attempt, own, wide);
    }
    return 0;
  }

  private static void write(
      Tx tx, CellStore cells, Attempt attempt, SplittableRandom own, boolean wide) {
    int writes = own.nextInt(3);
    for (int i = 0; i < writes; i++) {
      int cell = own.nextInt(CellStore.CELLS);
      if (own.nextInt(3) != 0) {
        cells.read(tx, attempt, cell);
      }
      cells.write(tx, attempt, cell);
    }
    if (wide) {
      cells.write(tx, attempt, CellStore.WIDE);
    }
    if (own.nextInt(4) == 0) {
      cells.writePair(tx, attempt);
    }
    cells.mark(tx, attempt);
  }
}
