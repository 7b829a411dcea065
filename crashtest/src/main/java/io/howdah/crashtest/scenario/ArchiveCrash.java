package io.howdah.crashtest.scenario;

import io.howdah.ArchiveReport;
import io.howdah.Store;
import io.howdah.StoreArchives;
import io.howdah.StoreOptions;
import io.howdah.archive.ArchiveMoment;
import io.howdah.core.Execution;
import io.howdah.core.HowdahException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.testkit.schedule.SimulationOutcome;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A store with an archive, in a directory or in an object store. The process ends anywhere; the
 * machine of the store, or that of the archive, or both lose power; and the archive's place cannot
 * be written for a while. Each life begins a run of the same archive, whose base refers to that of
 * the life before. What is in the object store has to be kept for a minute, and lives may be
 * further apart than that.
 *
 * <p>Each thread counts its commits in a word, and all of them in a common one. After each life,
 * some LSNs of each range of the archive are restored. Each must be the state after a serial
 * execution of the commits up to it, and the last one has what the archive had promised. The store
 * must have all that the archive has.
 */
final class ArchiveCrash implements Scenario {

  private static final int MOST_THREADS = 3;
  private static final int MOST_LIVES = 4;
  private static final int MOST_COMMITS = 60;
  private static final int WORDS = 700;
  private static final int SYNC_ONE_IN = 6;
  private static final int FIRST_GUESS_STEPS = 60_000;
  private static final int FIRST_GUESS_OPERATIONS = 150;
  private static final int RESTORES = 2;

  /** Updates of the archive in a life that makes many small parts, which become a large one. */
  private static final int MANY_UPDATES = 80;

  private static final int MANY_ONE_IN = 6;
  private static final Duration KEEP = Duration.ofMinutes(1);
  private static final long LONGEST_ABSENCE_NANOS = 90_000_000_000L;

  private final StoreMemory memory;
  private final boolean isInObjects;

  private ArchiveCrash(StoreMemory memory, boolean isInObjects) {
    this.memory = memory;
    this.isInObjects = isInObjects;
  }

  /** Returns the scenario of an archive in a directory. */
  static ArchiveCrash inDirectory(StoreMemory memory) {
    return new ArchiveCrash(memory, false);
  }

  /** Returns the scenario of an archive in an object store. */
  static ArchiveCrash inObjects(StoreMemory memory) {
    return new ArchiveCrash(memory, true);
  }

  @Override
  public String name() {
    return memory.nameOf(isInObjects ? "archive-crash-objects" : "archive-crash");
  }

  @Override
  public String hazard() {
    return "an archive has what the store has lost, or is restored to no state of the store";
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      Replay.attempt(
          name(), budget.seed(), () -> new Run(budget.seed(), memory, isInObjects).run());
    }
  }

  /** What is known of the commits of one thread. */
  private static final class Commits {
    final TreeMap<Long, Long> numbers = new TreeMap<>(); // by LSN

    /** Commits that have not returned and may have happened. */
    final TreeSet<Long> open = new TreeSet<>();

    long begun;

    /** Returns whether a thread may have made so many commits up to an LSN. */
    boolean mayBe(long count, long lsn) {
      Map.Entry<Long, Long> last = numbers.floorEntry(lsn);
      long known = last == null ? 0 : last.getValue();
      return count == known || (count == known + 1 && open.contains(count));
    }

    /** Forgets what a recovery has not found. */
    void found(long count) {
      numbers.values().removeIf(number -> number > count);
      open.removeIf(number -> number > count);
      begun = count;
    }
  }

  private static final class Run {
    private final SplittableRandom random;
    private final SimulatedExecution execution;
    private final SimulatedDisk disk;
    private final ArchiveSite place;
    private final Commits[] commits;
    private final StoreMemory memory;
    private long promised;
    private long usualSteps = FIRST_GUESS_STEPS;
    private long usualOperations = FIRST_GUESS_OPERATIONS;

    Run(long seed, StoreMemory memory, boolean isInObjects) {
      this.memory = memory;
      random = new SplittableRandom(seed);
      execution =
          SimulatedExecution.builder(Schedule.roundRobin(1))
              .virtualThreads((seed & 1) == 0)
              .maxSteps(5_000_000)
              .processors(1 + random.nextInt(3))
              .build();
      disk =
          SimulatedDisk.builder(seed)
              .execution(execution)
              .volatileBytes(memory.volatileBytes(seed, false))
              .build();
      place =
          isInObjects
              ? new ObjectSite(execution.scheduling(), seed + 1, KEEP)
              : new DirectorySite(SimulatedDisk.builder(seed + 1).execution(execution).build());
      commits = new Commits[1 + random.nextInt(MOST_THREADS)];
      for (int t = 0; t < commits.length; t++) {
        commits[t] = new Commits();
      }
    }

    void run() {
      int lives = 2 + random.nextInt(MOST_LIVES - 1);
      for (int i = 0; i < lives; i++) {
        life();
        execution.use(Schedule.roundRobin(1));
        long[] archived = new long[commits.length];
        judgeArchive(archived);
        execution.run(() -> judgeStore(archived));
        execution.jump(random.nextLong(LONGEST_ABSENCE_NANOS));
      }
    }

    private void life() {
      execution.use(Schedule.random(random.nextLong(), 1 << random.nextInt(7)));
      boolean closes = random.nextInt(4) == 0;
      if (!closes) {
        placeDeath();
      }
      SplittableRandom life = random.split();
      SimulationOutcome outcome = execution.run(() -> live(life, closes));
      if (!outcome.crashed()) {
        usualSteps = Math.max(FIRST_GUESS_STEPS, outcome.steps());
      }
      DirectorySite.die(disk, random);
      place.die(random);
      place.setAway(false);
      memory.judge(disk);
    }

    private void placeDeath() {
      if (random.nextBoolean()) {
        execution.killAtStep(1 + random.nextLong(usualSteps));
        return;
      }
      CrashMoment[] moments = CrashMoment.values();
      CrashMoment moment = moments[random.nextInt(moments.length)];
      long operation = 1 + random.nextLong(usualOperations);
      if (random.nextBoolean()) {
        disk.crashAtOperation(disk.operations() + operation, moment);
      } else {
        place.crashAtOperation(place.operations() + operation, moment);
      }
    }

    private StoreOptions options(SimulatedDisk of) {
      return StoreOptions.defaults()
          .withStorage(of.storage())
          .withExecution(execution)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(4096)
          .withMaxSize(1 << 17)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
    }

    private void live(SplittableRandom life, boolean closes) {
      boolean isKept = memory == StoreMemory.SHARED && life.nextBoolean();
      Store store = Store.open(memory.of(options(disk).withArchive(place.archive()), isKept));
      create(store);
      boolean hasManyUpdates = life.nextInt(MANY_ONE_IN) == 0;
      Thread[] workers = new Thread[commits.length];
      for (int t = 0; t < workers.length; t++) {
        int number = t;
        SplittableRandom own = life.split();
        workers[t] = execution.spawn("worker-" + t, () -> work(store, number, own, hasManyUpdates));
      }
      for (int i = life.nextInt(4); i > 0; i--) {
        switch (life.nextInt(4)) {
          case 0 -> checkpoint(store);
          case 1 -> place.setAway(life.nextBoolean());
          default -> update(store);
        }
      }
      for (Thread worker : workers) {
        execution.join(worker);
      }
      place.setAway(false);
      update(store);
      if (closes) {
        store.close();
      }
    }

    private static void checkpoint(Store store) {
      try {
        store.admin().checkpoint();
      } catch (StoreClosedException e) {
        // The process is about to end.
      }
    }

    private void update(Store store) {
      try {
        long lsn = store.admin().updateArchive().lsn();
        promised = Math.max(promised, lsn);
      } catch (HowdahException e) {
        // The place cannot be written. What it has stays, and the archive is tried again.
      }
    }

    private void create(Store store) {
      store.run(
          TxOptions.sync(),
          tx -> {
            if (tx.root(0) == 0) {
              tx.root(0, tx.allocate(WORDS * 8L));
              for (int i = 0; i < WORDS; i++) {
                tx.putLong(tx.root(0) + 8L * i, 0);
              }
            }
          });
    }

    private void work(Store store, int thread, SplittableRandom own, boolean hasManyUpdates) {
      Commits mine = commits[thread];
      boolean updates = hasManyUpdates && thread == 0;
      for (int i = updates ? MANY_UPDATES : own.nextInt(MOST_COMMITS); i > 0; i--) {
        long number = mine.begun + 1;
        mine.begun = number;
        mine.open.add(number);
        boolean isSync = own.nextInt(SYNC_ONE_IN) == 0;
        try {
          long lsn =
              store.run(
                  isSync ? TxOptions.sync() : TxOptions.async(),
                  tx -> {
                    long base = tx.root(0);
                    tx.putLong(base, tx.getLong(base) + 1);
                    tx.putLong(base + word(thread), number);
                  });
          mine.numbers.put(lsn, number);
          mine.open.remove(number);
          if (updates) {
            update(store);
          }
        } catch (StoreClosedException e) {
          return;
        }
      }
    }

    /** Words of threads are on pages of their own, as far as there are pages. */
    private static long word(int thread) {
      return 8L * (1 + (thread + 1) * 200L);
    }

    /** Returns the counts of all threads, which are consistent with the common one. */
    private long[] counts(Store store, String of) {
      long[] counts = new long[commits.length];
      long sum =
          store.read(
              tx -> {
                long base = tx.root(0);
                for (int t = 0; t < counts.length; t++) {
                  counts[t] = base == 0 ? 0 : tx.getLong(base + word(t));
                }
                return base == 0 ? 0L : tx.getLong(base);
              });
      long all = 0;
      for (long count : counts) {
        all += count;
      }
      if (sum != all) {
        throw new Violation(of + " has " + sum + " commits, and its threads have " + all);
      }
      return counts;
    }

    private void judgeArchive(long[] archived) {
      if (!StoreArchives.isArchive(place.archive())) {
        if (promised > 0) {
          throw new Violation("the archive is gone, but had LSN " + promised);
        }
        return;
      }
      List<ArchiveReport.Range> ranges = StoreArchives.list(place.archive()).ranges();
      long last = ranges.isEmpty() ? 0 : ranges.getLast().lsn();
      if (last < promised) {
        throw new Violation("the archive ends at LSN " + last + ", but had LSN " + promised);
      }
      for (ArchiveReport.Range range : ranges) {
        for (int i = 0; i < RESTORES; i++) {
          long lsn =
              i == 0
                  ? range.lsn()
                  : range.fromLsn() + random.nextLong(range.lsn() - range.fromLsn() + 1);
          long[] counts = restored(lsn);
          for (int t = 0; t < counts.length; t++) {
            if (!commits[t].mayBe(counts[t], lsn)) {
              throw new Violation(
                  "restored as of LSN " + lsn + ", thread " + t + " has made " + counts[t]);
            }
            archived[t] = Math.max(archived[t], counts[t]);
          }
        }
      }
    }

    private long[] restored(long lsn) {
      SimulatedDisk target = SimulatedDisk.seeded(1);
      StoreArchives.restore(place.archive(), target::storage, ArchiveMoment.atLsn(lsn));
      try (Store store = Store.open(options(target).withExecution(Execution.system()))) {
        return counts(store, "the store as of LSN " + lsn);
      }
    }

    private void judgeStore(long[] archived) {
      try (Store store = Store.open(memory.of(options(disk), true))) {
        create(store);
        long[] found = counts(store, "the store");
        for (int t = 0; t < found.length; t++) {
          if (found[t] < archived[t]) {
            throw new Violation(
                "thread "
                    + t
                    + " has made "
                    + found[t]
                    + " commits, and the archive has "
                    + archived[t]);
          }
          commits[t].found(found[t]);
        }
      }
    }
  }
}
