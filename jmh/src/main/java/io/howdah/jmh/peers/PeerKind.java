package io.howdah.jmh.peers;

import java.util.List;
import java.util.Optional;

/** The stores that are compared, how each is set up, and what its commits promise. */
public enum PeerKind {
  /** Howdah's sorted map. */
  HOWDAH(
      "Howdah",
      "howdah",
      DurabilityClass.PROCESS_KILL,
      "sortedMap; ASYNC and SYNC commits; defaults",
      ""),

  /** Howdah's hash map, which has no ranges. */
  HOWDAH_HASH(
      "Howdah, hash map",
      "howdah",
      DurabilityClass.PROCESS_KILL,
      "map; ASYNC and SYNC commits; defaults",
      ""),

  /** H2's MVStore with its transactions. */
  MVSTORE(
      "H2 MVStore",
      "h2-mvstore",
      DurabilityClass.MEMORY,
      "TransactionStore; written each second in the background, or MVStore.commit and sync with"
          + " each transaction",
      ""),

  /** MapDB's B-tree. */
  MAPDB(
      "MapDB",
      "mapdb",
      DurabilityClass.POWER_LOSS,
      "treeMap, transactionEnable, mapped file; one transaction for all threads; its only commit"
          + " forces the log",
      "--sun-misc-unsafe-memory-access=allow"),

  /** LMDB through lmdbjava. */
  LMDB(
      "LMDB",
      "lmdbjava",
      DurabilityClass.PROCESS_KILL,
      "lmdbjava; MDB_NOSYNC, or no flags; one writer at a time",
      "--add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED"
          + " --sun-misc-unsafe-memory-access=allow"),

  /** RocksDB through its JNI library. */
  ROCKSDB(
      "RocksDB",
      "rocksdbjni",
      DurabilityClass.PROCESS_KILL,
      "WriteBatch into the write-ahead log, with and without sync; 256 MiB block cache, Bloom"
          + " filter, no compression",
      ""),

  /** JetBrains Xodus, its environments. */
  XODUS(
      "Xodus",
      "xodus-environment",
      DurabilityClass.PROCESS_KILL,
      "Environment; log.durableWrite off and on",
      "--sun-misc-unsafe-memory-access=allow"),

  /** Oracle Berkeley DB Java Edition. */
  JE(
      "Berkeley DB JE",
      "je",
      DurabilityClass.PROCESS_KILL,
      "COMMIT_WRITE_NO_SYNC and COMMIT_SYNC",
      ""),

  /** Chronicle Map: a map in a mapped file. A put is atomic by itself; several puts are not. */
  CHRONICLE(
      "ceiling: Chronicle Map",
      "chronicle-map",
      DurabilityClass.PROCESS_KILL,
      "createPersistedTo; each put by itself, loads too; no transactions, no ranges, no force",
      "--sun-misc-unsafe-memory-access=allow"
          + " --add-exports=java.base/jdk.internal.ref=ALL-UNNAMED"
          + " --add-exports=java.base/sun.nio.ch=ALL-UNNAMED"
          + " --add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED"
          + " --add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED"
          + " --add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED"
          + " --add-opens=java.base/java.lang=ALL-UNNAMED"
          + " --add-opens=java.base/java.lang.reflect=ALL-UNNAMED"
          + " --add-opens=java.base/java.io=ALL-UNNAMED"
          + " --add-opens=java.base/java.util=ALL-UNNAMED"),

  /** The baseline: a map of the Java library, which is not a store. */
  HEAP(
      "ceiling: skip list",
      "",
      DurabilityClass.MEMORY,
      "ConcurrentSkipListMap; no transactions, nothing survives",
      ""),

  /** The same for single keys. */
  HEAP_HASH(
      "ceiling: hash map",
      "",
      DurabilityClass.MEMORY,
      "ConcurrentHashMap; no transactions, no ranges, nothing survives",
      "");

  /** What a commit without a wait for the disk survives. */
  public enum DurabilityClass {
    /** Nothing but a clean close. */
    MEMORY("memory only"),
    /** The death of the process; not a power failure. */
    PROCESS_KILL("process kill"),
    /** A power failure. */
    POWER_LOSS("power loss");

    private final String text;

    DurabilityClass(String text) {
      this.text = text;
    }

    /** Returns it in words. */
    public String text() {
      return text;
    }
  }

  private final String text;
  private final String artifact;
  private final DurabilityClass async;
  private final String profile;
  private final String flags;

  PeerKind(String text, String artifact, DurabilityClass async, String profile, String flags) {
    this.text = text;
    this.artifact = artifact;
    this.async = async;
    this.profile = profile;
    this.flags = flags;
  }

  /** Returns its name. */
  public String text() {
    return text;
  }

  /** Returns the version in the name of its jar, or empty: a map of the Java library has no jar. */
  public Optional<String> version(PeerJars jars) {
    return artifact.isEmpty() ? Optional.empty() : jars.version(artifact);
  }

  /** Returns what its fastest commit survives, by its documents. */
  public DurabilityClass async() {
    return async;
  }

  /** Returns how it is set up. */
  public String profile() {
    return profile;
  }

  /** Returns the flags that its JVM needs, beyond native access. */
  public List<String> flags() {
    return flags.isEmpty() ? List.of() : List.of(flags.split(" ", -1));
  }

  /** Returns whether it is Howdah. */
  public boolean isHowdah() {
    return this == HOWDAH || this == HOWDAH_HASH;
  }

  /** Returns whether it has no transactions, so that it is shown as a ceiling and not compared. */
  public boolean isCeiling() {
    return this == CHRONICLE || isInMemory();
  }

  /** Returns whether it has no files, so that nothing is left after its JVM has ended. */
  public boolean isInMemory() {
    return this == HEAP || this == HEAP_HASH;
  }

  /** Returns whether its commits can wait until they survive a power loss. */
  public boolean hasSyncCommits() {
    return !isCeiling();
  }

  /** Returns whether it has what the workload needs: ranges, or one call for several puts. */
  public boolean runs(PeerWorkload workload) {
    return switch (workload) {
      case SCAN -> hasRanges();
      case PUT_8 -> this != CHRONICLE;
      case GET, PUT, MIXED_50, MIXED_95 -> true;
    };
  }

  /** Returns by what it loads entries whose keys ascend; empty if it has nothing for that. */
  public Optional<String> bulkLoad() {
    return switch (this) {
      case HOWDAH -> Optional.of("PersistentSortedMap.load");
      case LMDB -> Optional.of("MDB_APPEND, a transaction for each 100,000 entries");
      case ROCKSDB -> Optional.of("SstFileWriter and ingestExternalFile, 100,000 entries a file");
      case XODUS -> Optional.of("putRight, a transaction for each 100,000 entries");
      case HOWDAH_HASH, MVSTORE, MAPDB, JE, CHRONICLE, HEAP, HEAP_HASH -> Optional.empty();
    };
  }

  /** Returns whether it can read a range of keys. */
  public boolean hasRanges() {
    return this != HOWDAH_HASH && this != HEAP_HASH && this != CHRONICLE;
  }
}
