package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Backing;
import io.howdah.jmh.study.KilledStore.Opening;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.RawMemory;
import io.howdah.jmh.workload.RedoTail;
import io.howdah.jmh.workload.SixWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How long a store takes to open, whatever happened before. One folder holds one store at a time:
 * {@link #fill} it, open it in all ways, and delete it. For one thread.
 */
public final class RecoveryStudy {

  /** How long a replay may take when the store is killed while it takes checkpoints. */
  public static final Duration GOAL = Duration.ofMillis(500);

  /** What the bar of a full recovery grants: this share of the rate of raw reading. */
  public static final double FULL_SHARE_OF_RAW = 0.6;

  /** What the bar of a full recovery grants: words per second and processor. */
  public static final double FULL_WORDS_PER_SECOND = 20e6;

  /** Each takes a child JVM that fills a log, and a close that writes the whole image anew. */
  private static final int MAX_KILLS = 2;

  private static final int MAX_SHARED_KILLS = 3;

  /** A goal is measured more often: how long the log is depends on when the kill comes. */
  private static final int MAX_GOAL_KILLS = 3;

  private static final int MAX_LOADS = 4;

  /** Of one killed store, in turns with others that map it. */
  private static final int RESIDENT_OPENINGS = 3;

  private static final int MAPPED_OPENINGS = 2;
  private static final int FULL_OPENINGS = 5;

  /** Of the commits that run with checkpoints beside them, of all that a log otherwise holds. */
  private static final int GOAL_SHARE = 3;

  private static final double GIB = 1L << 30;

  private final Path folder;
  private final int rounds;
  private final long tailWords;
  private final KilledStore.Killer killer;
  private final StudyProgress progress;

  /**
   * Creations of empty stores.
   *
   * @param millis each took
   * @param mebibytes each occupies on disk while it is open
   */
  public record Creations(List<Double> millis, List<Double> mebibytes) {}

  /**
   * Loads of the image.
   *
   * @param bytesPerSecond of the loads
   * @param rawBytesPerSecond of reading the same file
   * @param touchBytesPerSecond of touching as much memory for the first time
   */
  public record ImageLoads(
      List<Double> bytesPerSecond,
      List<Double> rawBytesPerSecond,
      List<Double> touchBytesPerSecond) {

    /** Returns the rates over that of reading the file and then touching the memory for it. */
    public List<Double> overReadAndTouch() {
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < bytesPerSecond.size(); i++) {
        double secondsPerByte = 1 / rawBytesPerSecond.get(i) + 1 / touchBytesPerSecond.get(i);
        ratios.add(bytesPerSecond.get(i) * secondsPerByte);
      }
      return ratios;
    }

    /** Returns their ratios. */
    public List<Double> overRaw() {
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < bytesPerSecond.size(); i++) {
        ratios.add(bytesPerSecond.get(i) / rawBytesPerSecond.get(i));
      }
      return ratios;
    }
  }

  /**
   * Openings of killed stores.
   *
   * @param mapped with the image mapped
   * @param resident with all of it in memory
   * @param mappedStores stores a second to random words of a new mapping of the same image, as many
   *     as the log has words, before each of {@code mapped}
   * @param residentStores the same, to memory that was touched before, before each of {@code
   *     resident}
   */
  public record KilledOpenings(
      List<Opening> mapped,
      List<Opening> resident,
      List<Double> mappedStores,
      List<Double> residentStores) {

    /** Returns the rates of replay beyond reading over those of the stores. */
    public List<Double> mappedOverStores() {
      return over(mapped, mappedStores);
    }

    /** Returns the rates of replay beyond reading over those of the stores. */
    public List<Double> residentOverStores() {
      return over(resident, residentStores);
    }

    private static List<Double> over(List<Opening> openings, List<Double> stores) {
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < openings.size(); i++) {
        ratios.add(openings.get(i).allWordsPerSecondBeyondReading() / stores.get(i));
      }
      return ratios;
    }
  }

  /**
   * Recoveries of whole regions.
   *
   * @param seconds until everything was in memory
   * @param barSeconds what that may take
   * @param rawBytesPerSecond of reading image and log
   * @param logGib length of the logs
   */
  public record FullRecoveries(
      List<Double> seconds,
      List<Double> barSeconds,
      List<Double> rawBytesPerSecond,
      List<Double> logGib) {

    /** Returns the times over what they may be. */
    public List<Double> overBar() {
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < seconds.size(); i++) {
        ratios.add(seconds.get(i) / barSeconds.get(i));
      }
      return ratios;
    }
  }

  /**
   * Prepares the study.
   *
   * @param folder of the store
   * @param tailWords that the log of a killed store holds
   */
  public RecoveryStudy(
      Path folder, int rounds, long tailWords, KilledStore.Killer killer, StudyProgress progress) {
    this.folder = folder;
    this.rounds = rounds;
    this.tailWords = tailWords;
    this.killer = killer;
    this.progress = progress;
  }

  /** Creates the store, puts this much data into it, and closes it; returns its options. */
  public StoreOptions fill(double gib) {
    return fill(gib, gib);
  }

  /** Does the same in a region that has room for {@code regionGib}. */
  public StoreOptions fill(double gib, double regionGib) {
    StoreOptions options =
        StoreOptions.defaults().withMaxSize(SixWords.maxSize((long) (regionGib * GIB)));
    progress.begins("filling %.2f GiB".formatted(gib));
    try (Store filled = Store.open(folder, options)) {
      SixWords.fill(filled, (long) (gib * GIB));
    }
    return options;
  }

  /** Deletes the store. */
  public void delete() throws IOException {
    Folders.delete(folder);
  }

  /** Creates empty stores. */
  public Creations create() throws IOException, InterruptedException {
    List<Double> millis = new ArrayList<>();
    List<Double> mebibytes = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      long begin = System.nanoTime();
      try (Store created = Store.open(folder, StoreOptions.defaults())) {
        millis.add((System.nanoTime() - begin) / 1e6);
        mebibytes.add(DiskUsage.bytes(folder) / (double) (1 << 20));
        created.run(tx -> tx.root(0, 0));
      }
      delete();
    }
    return new Creations(millis, mebibytes);
  }

  /** Opens the store after a close; returns how many milliseconds each opening took. */
  public List<Double> openClean(StoreOptions options) {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      progress.begins("opening after a close");
      long begin = System.nanoTime();
      try (Store opened = Store.open(folder, options)) {
        millis.add((System.nanoTime() - begin) / 1e6);
        requireFilled(opened);
      }
    }
    return millis;
  }

  private static void requireFilled(Store store) {
    if (store.read(tx -> tx.root(0)) == 0) {
      throw new IllegalStateException("the store has lost its data");
    }
  }

  /** Loads the image and reads the same file raw, in turns. */
  public ImageLoads loadImage(StoreOptions options) throws IOException, InterruptedException {
    Path image = folder.resolve("image");
    List<Double> loaded = new ArrayList<>();
    List<Double> raw = new ArrayList<>();
    List<Double> touched = new ArrayList<>();
    for (int i = 0; i < Math.min(rounds, MAX_LOADS); i++) {
      progress.begins("loading the image");
      raw.add(RawDisk.sequentialReadBytesPerSecond(List.of(image)));
      touched.add(Files.size(image) / RawMemory.touchSeconds(Files.size(image)));
      try (Store opened = Store.open(folder, options.withBacking(Backing.RESIDENT))) {
        requireFilled(opened);
        RecoveryReport report = opened.admin().recoveryReport();
        loaded.add(Files.size(image) * 1e9 / report.durations().image());
      }
    }
    return new ImageLoads(loaded, raw, touched);
  }

  /**
   * Opens what a killed process has left: first as it is by default, then with the region's pages
   * there before the log is read.
   *
   * @param once whether to kill once only: a larger region takes long to write, and one kill serves
   *     several openings
   */
  public KilledOpenings openAfterKill(StoreOptions options, boolean once)
      throws IOException, InterruptedException {
    KilledStore store = new KilledStore(folder, killer);
    List<Opening> mapped = new ArrayList<>();
    List<Opening> resident = new ArrayList<>();
    List<Double> mappedStores = new ArrayList<>();
    List<Double> residentStores = new ArrayList<>();
    int kills = once ? 1 : Math.min(rounds, MAX_KILLS);
    for (int kill = 0; kill < kills; kill++) {
      progress.begins("leaving a log of words, %d of %d".formatted(kill + 1, kills));
      store.kill(options.withRecoveryGoal(KilledStore.NO_GOAL), RedoTail.Kind.WORDS, tailWords);
      progress.begins("opening after a kill, %d of %d".formatted(kill + 1, kills));
      for (int i = 0; i < RESIDENT_OPENINGS - 1; i++) {
        if (i < MAPPED_OPENINGS) {
          mappedStores.add(RawMemory.mappedStoresPerSecond(store.image(), tailWords));
          mapped.add(replayed(store.openAndKeep(options)));
        }
        residentStores.add(residentStores(store));
        resident.add(replayed(store.openAndKeep(options.withBacking(Backing.RESIDENT))));
      }
      residentStores.add(residentStores(store));
      resident.add(replayed(store.open(options.withBacking(Backing.RESIDENT))));
    }
    return new KilledOpenings(mapped, resident, mappedStores, residentStores);
  }

  /** Opens what is left of a process whose memory outlives it. */
  public List<Opening> openWithMemory(StoreOptions options, boolean once)
      throws IOException, InterruptedException {
    KilledStore store = new KilledStore(folder, killer);
    StoreOptions shared = options.withBacking(Backing.SHARED);
    List<Opening> openings = new ArrayList<>();
    int kills = once ? 1 : Math.min(rounds, MAX_SHARED_KILLS);
    for (int kill = 0; kill < kills; kill++) {
      progress.begins("committing in shared memory, %d of %d".formatted(kill + 1, kills));
      store.kill(shared.withRecoveryGoal(KilledStore.NO_GOAL), RedoTail.Kind.WORDS, tailWords);
      openings.add(store.open(shared));
    }
    return openings;
  }

  /**
   * Openings of one killed store in both kinds of memory.
   *
   * @param shared with the memory of the killed process, once for each kill
   * @param mapped of the same files after that, without this memory
   * @param setUpSeconds how long it took to commit what the log holds, once for each kill
   */
  public record BothOpenings(
      List<Opening> shared, List<Opening> mapped, List<Double> setUpSeconds) {}

  /**
   * Opens what is left of a process whose memory outlives it, first with that memory, then without
   * it. No opening but the last of a kill takes a checkpoint, so all find the same log.
   */
  public BothOpenings openInBoth(StoreOptions options) throws IOException, InterruptedException {
    KilledStore store = new KilledStore(folder, killer);
    StoreOptions sharing = options.withBacking(Backing.SHARED);
    List<Opening> shared = new ArrayList<>();
    List<Opening> mapped = new ArrayList<>();
    List<Double> setUp = new ArrayList<>();
    for (int kill = 0; kill < rounds; kill++) {
      progress.begins("leaving a log of words, %d of %d".formatted(kill + 1, rounds));
      long begin = System.nanoTime();
      store.kill(sharing.withRecoveryGoal(KilledStore.NO_GOAL), RedoTail.Kind.WORDS, tailWords);
      setUp.add((System.nanoTime() - begin) / 1e9);
      progress.begins("opening after a kill, %d of %d".formatted(kill + 1, rounds));
      shared.add(withLog(store.openAndKeep(sharing)));
      mapped.add(replayed(store.openAndKeep(options)));
      boolean isLast = kill == rounds - 1;
      mapped.add(replayed(isLast ? store.openAndKeep(options) : store.open(options)));
    }
    return new BothOpenings(shared, mapped, setUp);
  }

  /** Requires that there was a log as long as it should be, whether or not it was needed. */
  private Opening withLog(Opening opening) {
    RecoveryReport report = opening.report();
    long logBytes = report.counts().scannedBytes() + report.laterLogBytes();
    if (report.memory() instanceof MemoryOrigin.Attached attached) {
      logBytes += attached.skippedLogBytes();
    }
    if (logBytes < tailWords * Long.BYTES) {
      throw new IllegalStateException(
          "the killed store had %d words in its log, but its opening reports %s"
              .formatted(tailWords, opening.report()));
    }
    return opening;
  }

  private double residentStores(KilledStore store) throws IOException, InterruptedException {
    return RawMemory.storesPerSecond(Files.size(store.image()), tailWords);
  }

  /** Opens what is left of a process that took checkpoints as often as {@link #GOAL} asked for. */
  public List<Opening> openWithinGoal(StoreOptions options)
      throws IOException, InterruptedException {
    KilledStore store = new KilledStore(folder, killer);
    List<Opening> openings = new ArrayList<>();
    int kills = Math.min(rounds, MAX_GOAL_KILLS);
    for (int kill = 0; kill < kills; kill++) {
      progress.begins("committing with checkpoints, %d of %d".formatted(kill + 1, kills));
      store.kill(options.withRecoveryGoal(GOAL), RedoTail.Kind.WORDS, tailWords / GOAL_SHARE);
      openings.add(store.open(options));
    }
    return openings;
  }

  /** Opens a store whose log is made of ranges of 64 KiB. */
  public List<Opening> readRanges(StoreOptions options) throws IOException, InterruptedException {
    KilledStore store = new KilledStore(folder, killer);
    progress.begins("leaving a log of ranges");
    store.kill(options.withRecoveryGoal(KilledStore.NO_GOAL), RedoTail.Kind.RANGES, tailWords);
    List<Opening> openings = new ArrayList<>();
    for (int i = 0; i < Math.min(rounds, MAX_LOADS); i++) {
      openings.add(replayed(store.openAndKeep(options)));
    }
    return openings;
  }

  /**
   * Recovers a whole region and a long log, until all of it is in memory, and compares that to what
   * reading as many bytes raw and replaying as many words may take.
   */
  public FullRecoveries recoverInFull(StoreOptions options)
      throws IOException, InterruptedException {
    KilledStore store = new KilledStore(folder, killer);
    progress.begins("leaving a log of words");
    store.kill(options.withRecoveryGoal(KilledStore.NO_GOAL), RedoTail.Kind.WORDS, tailWords);
    List<Double> seconds = new ArrayList<>();
    List<Double> bars = new ArrayList<>();
    List<Double> raws = new ArrayList<>();
    List<Double> logGib = new ArrayList<>();
    int openings = Math.min(rounds, FULL_OPENINGS);
    for (int i = 0; i < openings; i++) {
      progress.begins("recovering, %d of %d".formatted(i + 1, openings));
      double raw = RawDisk.sequentialReadBytesPerSecond(store.imageAndLog());
      Opening opening = replayed(store.openAndKeep(options.withBacking(Backing.RESIDENT)));
      long logBytes = opening.report().counts().scannedBytes();
      double bytes = Files.size(store.image()) + (double) logBytes;
      int processors = Runtime.getRuntime().availableProcessors();
      raws.add(raw);
      bars.add(
          bytes / (FULL_SHARE_OF_RAW * raw)
              + opening.words() / (processors * FULL_WORDS_PER_SECOND));
      seconds.add(opening.allNanos() / 1e9);
      logGib.add(logBytes / GIB);
    }
    return new FullRecoveries(seconds, bars, raws, logGib);
  }

  private Opening replayed(Opening opening) {
    if (opening.words() < tailWords) {
      throw new IllegalStateException(
          "the killed store had %d words to replay, but replayed %s"
              .formatted(tailWords, opening.report()));
    }
    return opening;
  }
}
