package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.jmh.workload.Accounts;
import io.howdah.jmh.workload.BatchLoads;
import io.howdah.jmh.workload.Entries;
import io.howdah.jmh.workload.GrowingMap;
import io.howdah.jmh.workload.RawMemory;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.Structures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Collections and persistent objects beside their counterparts. Each part opens stores of its own,
 * below the folder. For one thread.
 */
public final class ObjectsStudy {

  private static final int WARM_UPS = 4;
  private static final int TRANSFERS = 300_000;
  private static final int LOADERS = 2;
  private static final int LOADS = 5;
  private static final long PROPERTIES_STORE_BYTES = 16L << 20;
  private static final double MIB = 1 << 20;

  private final Path folder;
  private final int entries;
  private final int loadEntries;
  private final Effort effort;
  private final StudyProgress progress;

  /**
   * A map beside the JDK's concurrent map.
   *
   * @param getNanos a get, in a transaction of its own
   * @param twinGetNanos a get from the concurrent map, and a copy
   * @param getOverTwin their ratios
   * @param putNanos an asynchronous put
   * @param twinPutNanos a put of a copy into the concurrent map
   * @param putOverTwin their ratios
   * @param manyOverSingle an asynchronous transaction that puts eight entries in one call over one
   *     that puts one
   * @param callsOverSingle the same with eight calls
   */
  public record Maps(
      List<Double> getNanos,
      List<Double> twinGetNanos,
      List<Double> getOverTwin,
      List<Double> putNanos,
      List<Double> twinPutNanos,
      List<Double> putOverTwin,
      List<Double> manyOverSingle,
      List<Double> callsOverSingle) {}

  /**
   * Loads of new entries in transactions of {@value BatchLoads#BATCH}, by one thread.
   *
   * @param nanos processor time of an entry
   * @param twinNanos the same of a concurrent map, into which copies are put
   * @param overTwin their ratios
   */
  public record Batches(List<Double> nanos, List<Double> twinNanos, List<Double> overTwin) {}

  /**
   * Other collections.
   *
   * @param scanPerSecond entries of a sorted map
   * @param transfersPerSecond through a queue
   */
  public record Collections(List<Double> scanPerSecond, List<Double> transfersPerSecond) {}

  /**
   * A load into an empty map.
   *
   * @param perSecond entries, by load
   * @param overTouch bytes of the entries a second, over those of a first touch before each load
   * @param baseSeconds how long that first touch of as many bytes as the entries have took, and as
   *     many stores to random words of them
   * @param overBase the loads' times over those
   * @param spaceOverhead blocks over payload, less 1
   * @param heapMib what the Java heap held more than before
   */
  public record Load(
      List<Double> perSecond,
      List<Double> overTouch,
      List<Double> baseSeconds,
      List<Double> overBase,
      double spaceOverhead,
      double heapMib) {}

  /**
   * Prepares the study.
   *
   * @param folder for the stores
   * @param entries of the maps that are read
   * @param loadEntries of the maps that are loaded
   */
  public ObjectsStudy(
      Path folder, int entries, int loadEntries, Effort effort, StudyProgress progress) {
    this.folder = folder;
    this.entries = entries;
    this.loadEntries = loadEntries;
    this.effort = effort;
    this.progress = progress;
  }

  /** Returns how much room on disk the study may take. */
  public static long neededBytes(int entries, int loadEntries) {
    return 3L * Entries.PAYLOAD_BYTES * (2L * entries + 2L * loadEntries) + (4L << 30);
  }

  /**
   * Returns what properties of objects cost over words. Run it first, like a benchmark in a process
   * of its own: what the compilers know of other transactions decides how much of a body they
   * inline, and moves either side more than the difference.
   */
  public List<Double> propertiesOverWords() throws Exception {
    StoreOptions options = StoreOptions.defaults().withMaxSize(PROPERTIES_STORE_BYTES);
    try (Store store = Store.open(folder.resolve("properties"), options)) {
      Accounts accounts = Accounts.create(store);
      return new Rounds()
          .add("words", () -> accounts.wordNanos(effort.roundNanos()))
          .add("properties", () -> accounts.objectNanos(effort.roundNanos()))
          .run(WARM_UPS, effort.rounds(), progress.rounds("properties"))
          .ratios("properties", "words");
    }
  }

  /** Compares a map with its twin. */
  public Maps maps() throws Exception {
    progress.begins("filling a map of %,d entries and its twin".formatted(entries));
    try (Store store = store("maps", entries)) {
      Entries map = Entries.fill(store, entries);
      Rounds.Samples samples =
          new Rounds()
              .add("get", () -> map.getNanos(effort.roundNanos()))
              .add("twin", () -> map.twinGetNanos(effort.roundNanos()))
              .add("put", () -> map.putNanos(effort.roundNanos()))
              .add("twin put", () -> map.twinPutNanos(effort.roundNanos()))
              .add("many", () -> map.putAllNanos(effort.roundNanos()))
              .add("calls", () -> map.putManyNanos(effort.roundNanos()))
              .run(WARM_UPS, effort.rounds(), progress.rounds("maps"));
      return new Maps(
          samples.of("get"),
          samples.of("twin"),
          samples.ratios("get", "twin"),
          samples.of("put"),
          samples.of("twin put"),
          samples.ratios("put", "twin put"),
          samples.ratios("many", "put"),
          samples.ratios("calls", "put"));
    }
  }

  /** Measures other collections. */
  public Collections collections() throws Exception {
    progress.begins("filling a sorted map of %,d entries".formatted(entries));
    try (Store store = store("structures", entries)) {
      PersistentSortedMap<Long, Long> sorted = Structures.sorted(store, entries);
      Rounds.Samples samples =
          new Rounds()
              .add("scan", () -> Structures.scanPerSecond(store, sorted))
              .add("queue", () -> Structures.transfersPerSecond(store, TRANSFERS))
              .run(WARM_UPS, effort.rounds(), progress.rounds("structures"));
      return new Collections(samples.of("scan"), samples.of("queue"));
    }
  }

  /** Loads maps in transactions of many entries, where others were before. */
  public Batches batches() throws Exception {
    try (Store store = store("batches", entries)) {
      BatchLoads loads = new BatchLoads(store, entries);
      Rounds.Samples samples =
          new Rounds()
              .add("load", loads::mapNanos)
              .add("twin", loads::twinNanos)
              .run(WARM_UPS, effort.rounds(), progress.rounds("batches"));
      return new Batches(samples.of("load"), samples.of("twin"), samples.ratios("load", "twin"));
    }
  }

  /** Loads maps, each in a store of its own. */
  public Load load() throws Exception {
    Files.createDirectories(folder.resolve("load"));
    progress.begins("loading, for the compilers");
    try (Store store = store("load/first", loadEntries)) {
      Entries.load(store, "load", Math.max(1000, loadEntries / 5), LOADERS);
    }
    List<Double> perSecond = new ArrayList<>();
    List<Double> overTouch = new ArrayList<>();
    List<Double> baseSeconds = new ArrayList<>();
    List<Double> overBase = new ArrayList<>();
    double spaceOverhead = 0;
    double heapMib = 0;
    for (int i = 0; i < LOADS; i++) {
      progress.begins("loading %,d entries, %d of %d".formatted(loadEntries, i + 1, LOADS));
      String name = "load/" + i;
      long bytes = (long) loadEntries * Entries.PAYLOAD_BYTES;
      long stores = bytes / Long.BYTES;
      double touch = RawMemory.touchSeconds(bytes);
      double base = touch + stores / RawMemory.storesPerSecond(bytes, stores);
      baseSeconds.add(base);
      long heapBefore = usedHeap();
      try (Store store = store(name, loadEntries)) {
        double rate = Entries.load(store, "load", loadEntries, LOADERS);
        perSecond.add(rate);
        overTouch.add(rate * touch / loadEntries);
        overBase.add(loadEntries / rate / base);
        if (i == 0) {
          double payload = (double) loadEntries * Entries.PAYLOAD_BYTES;
          spaceOverhead = store.admin().stats().allocatedBytes() / payload - 1;
          heapMib = (usedHeap() - heapBefore) / MIB;
        }
      }
      Folders.delete(folder.resolve(name));
    }
    return new Load(perSecond, overTouch, baseSeconds, overBase, spaceOverhead, heapMib);
  }

  private Store store(String name, int room) {
    return Store.open(
        folder.resolve(name), StoreOptions.defaults().withMaxSize(Entries.maxSize(room)));
  }

  private static long usedHeap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Measures puts into a map that grows to the size of a load, beside one that has grown. */
  public GrowingMap.Result growth() throws Exception {
    return GrowingMap.run(
        loadEntries,
        folder.resolve("growth.jfr"),
        done ->
            progress.begins(
                "a map that grows to %,d entries beside one that has: %.0f %%"
                    .formatted(loadEntries, 100.0 * done / (5.0 * loadEntries))));
  }
}
