package io.howdah.jmh.study;

import io.howdah.LaboratoryStore;
import io.howdah.ReplayStats;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.RedoTail;
import io.howdah.jmh.workload.SixWords;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A store that a process was killed over, so that it has a log to replay, and what opening it
 * takes.
 *
 * <p>Opened {@link #openAndKeep to keep its log}, it closes without a checkpoint, so the next
 * opening finds the same log: one kill serves several openings, of one backing and the other, which
 * are then comparable word by word. Only the first finds the rings of the process that was killed.
 */
public final class KilledStore {

  /** With it no checkpoint takes anything off the log. */
  public static final Duration NO_GOAL = Duration.ofHours(1);

  private final Path folder;
  private final Killer killer;

  public KilledStore(Path folder, Killer killer) {
    this.folder = folder;
    this.killer = killer;
  }

  /** Runs programs in processes of their own and kills them. */
  @FunctionalInterface
  public interface Killer {

    /**
     * Runs a program until it prints a line, then kills it.
     *
     * @param program a class with a main method
     * @param output the file that its output goes to while it runs
     */
    void runAndKill(Class<?> program, List<String> arguments, Path output, String line)
        throws IOException, InterruptedException;
  }

  /**
   * Starts a process that commits, and kills it.
   *
   * @param options whose size, backing and recovery goal it has
   * @param words that it commits
   */
  public void kill(StoreOptions options, RedoTail.Kind kind, long words)
      throws IOException, InterruptedException {
    killer.runAndKill(
        RedoTail.class,
        RedoTail.arguments(folder, options, kind, words),
        folder.resolveSibling("child.log"),
        RedoTail.DONE);
  }

  /**
   * How one opening went.
   *
   * @param rawLog bytes per second at which the same log was read raw, just before
   * @param openNanos until {@code Store.open} returned
   * @param firstNanos until a first commit was durable
   * @param firstWordsNanos until a first commit was durable that has read and written six random
   *     words, of the pages that the log touches
   * @param allNanos until every word of the log was in memory
   */
  public record Opening(
      double rawLog,
      long openNanos,
      long firstNanos,
      long firstWordsNanos,
      long allNanos,
      RecoveryReport report,
      ReplayStats replay) {

    /** Returns the words that the log held. */
    public long words() {
      return report.counts().words() + replay.words() - report.deferredWords();
    }

    /** Returns how long the log is, in bytes. */
    private double logBytes() {
      return report.counts().scannedBytes() + (double) report.laterLogBytes();
    }

    /** Returns how long the log took to be read, checked, sorted by chunk, and put in place. */
    private double seconds() {
      return (report.durations().replay() + replay.lasted().toNanos()) / 1e9;
    }

    /** Returns the rate at which the log was read and put in place, over that of reading it raw. */
    public double readOverRaw() {
      return logBytes() / seconds() / rawLog;
    }

    /** Returns words per second and processor, everything included that the log costs. */
    public double wordsPerSecond() {
      return words() / seconds() / processors();
    }

    /**
     * Returns words per second and processor, without the time that reading the same bytes raw
     * takes.
     */
    public double wordsPerSecondBeyondReading() {
      return allWordsPerSecondBeyondReading() / processors();
    }

    /** Returns the same of all processors together. */
    double allWordsPerSecondBeyondReading() {
      // At least a tenth: the raw read may have been slow by chance.
      return words() / Math.max(seconds() - logBytes() / rawLog, seconds() / 10);
    }

    private static int processors() {
      return Runtime.getRuntime().availableProcessors();
    }
  }

  /** Opens it, commits once, waits for the replay, and closes it with a checkpoint. */
  public Opening open(StoreOptions options) throws IOException, InterruptedException {
    return measured(() -> Store.open(folder, options));
  }

  private Opening measured(Supplier<Store> opening) throws IOException, InterruptedException {
    double rawLog = RawDisk.sequentialReadBytesPerSecond(files(folder.resolve("log")));
    long begin = System.nanoTime();
    try (Store opened = opening.get()) {
      long openNanos = System.nanoTime() - begin;
      opened.run(TxOptions.sync(), tx -> tx.root(1, 0));
      long firstNanos = System.nanoTime() - begin;
      SixWords.of(opened).transactions().next(Durability.SYNC);
      long firstWordsNanos = System.nanoTime() - begin;
      while (!opened.admin().replayStats().isDone()) {
        Thread.sleep(1);
      }
      long allNanos = System.nanoTime() - begin;
      return new Opening(
          rawLog,
          openNanos,
          firstNanos,
          firstWordsNanos,
          allNanos,
          opened.admin().recoveryReport(),
          opened.admin().replayStats());
    }
  }

  /** Does the same, but leaves the log as it is for the next opening. */
  public Opening openAndKeep(StoreOptions options) throws IOException, InterruptedException {
    return measured(() -> LaboratoryStore.keepingItsLog(folder, options));
  }

  /** Returns the image and the files of the log. */
  public List<Path> imageAndLog() throws IOException {
    return Stream.concat(Stream.of(image()), files(folder.resolve("log")).stream()).toList();
  }

  public Path image() {
    return folder.resolve("image");
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
