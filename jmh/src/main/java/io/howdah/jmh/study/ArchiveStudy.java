package io.howdah.jmh.study;

import io.howdah.ArchiveStatus;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.archive.Archive;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What an archive costs the transactions of its store: two equal stores in turns, of which one has
 * an archive. One of two stores in a process is a few percent faster for where its memory came to
 * lie, so the archive changes between them, and a ratio is the geometric mean of a round with the
 * archive at the one store and a round with it at the other. For one thread.
 */
public final class ArchiveStudy implements AutoCloseable {

  private static final long CPU_TICK_NANOS = 10_000_000;
  private static final com.sun.management.OperatingSystemMXBean SYSTEM =
      (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  /** How often both stores have had the archive at the end. */
  private static final int EXCHANGES = 2;

  private static final int WARM_UPS = 2;
  private static final long MIB = 1 << 20;
  private static final long SEQUENTIAL_BYTES = 64 * MIB;
  private static final long LOG_BYTES_PER_SECOND = 400_000_000;
  private static final int[] SYNC_THREADS = {1, 8};

  private static final String FORCE = "raw force";
  private static final String SEQUENTIAL = "raw sequential write";

  private final Path place;
  private final Duration interval;
  private final Effort effort;
  private final StudyProgress progress;
  private final RawDisk disk;
  private final List<Store> stores = new ArrayList<>();
  private final List<SixWords> words = new ArrayList<>();
  private final int processors = Runtime.getRuntime().availableProcessors();

  /**
   * One way to commit; each list has an entry for each round.
   *
   * @param without transactions per second without an archive
   * @param with transactions per second with it
   * @param kept the ratios of both
   * @param nanosWithout processor time of the process for a transaction, without an archive
   * @param nanosWith the same with it, until all of the round is in the archive
   * @param costs the ratios of both
   * @param restMillis how long the archive still copied and forced when a round had ended
   */
  public record Mode(
      Durability durability,
      int threads,
      List<Double> without,
      List<Double> with,
      List<Double> kept,
      List<Double> nanosWithout,
      List<Double> nanosWith,
      List<Double> costs,
      List<Double> restMillis) {}

  /**
   * What was found.
   *
   * @param forcesPerSecond of small raw writes beside the stores, by round
   * @param writtenBytesPerSecond of raw writing in sequence beside the stores, by round
   * @param archivedBytes of log and bases
   * @param bases that were completed
   * @param gaps how often an archive has lost track of its store and has begun again
   */
  public record Found(
      List<Double> forcesPerSecond,
      List<Double> writtenBytesPerSecond,
      List<Mode> modes,
      long archivedBytes,
      long bases,
      long gaps) {}

  /**
   * Fills the stores of the study.
   *
   * @param place of the archive, absent or empty
   * @param interval of the archive
   */
  public ArchiveStudy(
      Path folder,
      Path place,
      long heapBytes,
      Duration interval,
      Effort effort,
      StudyProgress progress)
      throws IOException {
    this.place = place;
    this.interval = interval;
    this.effort = effort;
    this.progress = progress;
    this.disk = RawDisk.create(folder);
    StoreOptions options = StoreOptions.defaults().withMaxSize(SixWords.maxSize(heapBytes));
    try {
      for (String name : List.of("one", "other")) {
        progress.begins("filling two heaps");
        Store store = Store.open(folder.resolve(name), options);
        stores.add(store);
        words.add(SixWords.fill(store, heapBytes));
        store.admin().checkpoint();
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Returns how much room on disk the stores may take, and as much the archive. */
  public static long neededBytes(long heapBytes, Effort effort) {
    long turns = (effort.rounds() + WARM_UPS) * 2L;
    return turns * effort.roundNanos() / 1_000_000_000 * LOG_BYTES_PER_SECOND
        + 4 * heapBytes
        + (1L << 30);
  }

  /** A way to commit, with all of its turns. */
  private final class Subject {
    final Durability durability;
    final int threads;
    final List<Double> without = new ArrayList<>();
    final List<Double> with = new ArrayList<>();
    final List<Double> nanosWithout = new ArrayList<>();
    final List<Double> nanosWith = new ArrayList<>();
    final List<Double> restMillis = new ArrayList<>();

    Subject(Durability durability, int threads) {
      this.durability = durability;
      this.threads = threads;
    }

    String name(boolean isArchived) {
      return "%s, %d threads%s".formatted(durability, threads, isArchived ? ", archive" : "");
    }

    /**
     * Runs a turn, and then waits until nothing of it is left to do: it would be done in the turn
     * of the other store.
     */
    double turn(int store, boolean isArchived) throws Exception {
      long cpuBefore = SYSTEM.getProcessCpuTime();
      ThreadTeam.Outcome outcome = words.get(store).run(durability, threads, effort.roundNanos());
      long ended = System.nanoTime();
      words.get(store).transactions().next(Durability.SYNC);
      if (isArchived) {
        stores.get(store).admin().updateArchive();
        restMillis.add((System.nanoTime() - ended) / 1e6);
      }
      // At least a tick, of 10 ms on many systems: a short round may see none.
      long taken = Math.max(CPU_TICK_NANOS, SYSTEM.getProcessCpuTime() - cpuBefore);
      double nanos = (double) taken / outcome.operations();
      (isArchived ? with : without).add(outcome.perSecond());
      (isArchived ? nanosWith : nanosWithout).add(nanos);
      return outcome.perSecond();
    }

    Mode mode() {
      return new Mode(
          durability,
          threads,
          counted(without),
          counted(with),
          ratios(counted(with), counted(without)),
          counted(nanosWithout),
          counted(nanosWith),
          ratios(counted(nanosWith), counted(nanosWithout)),
          counted(restMillis));
    }

    /** Leaves out the rounds before those that count. */
    private List<Double> counted(List<Double> turns) {
      List<Double> counted = new ArrayList<>();
      int all = WARM_UPS + effort.rounds();
      for (int i = 0; i < turns.size(); i++) {
        if (i % all >= WARM_UPS) {
          counted.add(turns.get(i));
        }
      }
      return List.copyOf(counted);
    }

    /** Returns geometric means over the two stores that have the archive one after the other. */
    private List<Double> ratios(List<Double> numerators, List<Double> denominators) {
      List<Double> ratios = new ArrayList<>();
      int rounds = effort.rounds();
      for (int exchange = 0; exchange < EXCHANGES; exchange++) {
        for (int i = 0; i < rounds; i++) {
          int one = 2 * exchange * rounds + i;
          int other = one + rounds;
          ratios.add(
              Math.sqrt(
                  numerators.get(one)
                      / denominators.get(one)
                      * numerators.get(other)
                      / denominators.get(other)));
        }
      }
      return List.copyOf(ratios);
    }
  }

  /** Measures all modes with and without an archive, in turns. */
  public Found measure() throws Exception {
    List<Subject> subjects = new ArrayList<>();
    subjects.add(new Subject(Durability.ASYNC, processors));
    for (int threads : SYNC_THREADS) {
      subjects.add(new Subject(Durability.SYNC, threads));
    }
    List<Double> forces = new ArrayList<>();
    List<Double> writes = new ArrayList<>();
    long archivedBytes = 0;
    long bases = 0;
    long gaps = 0;
    for (int phase = 0; phase < 2 * EXCHANGES; phase++) {
      int archived = phase % 2;
      progress.begins("copying a base");
      Store store = stores.get(archived);
      store.admin().startArchive(Archive.to(place, interval));
      store.admin().updateArchive();
      Rounds.Samples samples = rounds(subjects, archived);
      ArchiveStatus status = store.admin().updateArchive();
      forces.addAll(samples.of(FORCE));
      writes.addAll(samples.of(SEQUENTIAL));
      archivedBytes += status.writtenBytes();
      bases += status.bases();
      gaps += status.gaps();
      store.admin().stopArchive();
      Folders.delete(place);
    }
    return new Found(
        forces, writes, subjects.stream().map(Subject::mode).toList(), archivedBytes, bases, gaps);
  }

  private Rounds.Samples rounds(List<Subject> subjects, int archived) throws Exception {
    Rounds rounds =
        new Rounds()
            .mirrored()
            .add(FORCE, () -> disk.forcesPerSecond(effort.roundNanos()))
            .add(SEQUENTIAL, () -> disk.sequentialWriteBytesPerSecond(SEQUENTIAL_BYTES));
    for (Subject subject : subjects) {
      rounds
          .add(subject.name(false), () -> subject.turn(1 - archived, false))
          .add(subject.name(true), () -> subject.turn(archived, true));
    }
    return rounds.run(WARM_UPS, effort.rounds(), progress.rounds("commits"));
  }

  /**
   * Checks the stores: no addition to a word was lost.
   *
   * @throws IllegalStateException if one was
   */
  public void verify() {
    progress.begins("verifying the heaps");
    words.forEach(SixWords::verify);
  }

  @Override
  public void close() throws IOException {
    stores.forEach(Store::close);
    disk.close();
  }
}
