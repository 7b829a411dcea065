package io.howdah;

import io.howdah.archive.Archive;
import io.howdah.codec.derived.CodecRegistry;
import io.howdah.core.Backing;
import io.howdah.core.Execution;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.MachineMemory;
import io.howdah.log.LogOptions;
import io.howdah.log.commit.Lsn;
import io.howdah.store.open.OpenedStore;
import io.howdah.store.open.OpeningOptions;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.OrecTable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How a store is opened. Immutable: each {@code with} method returns new options. Every value has a
 * default that suits most programs, and a range that the method checks, with {@link
 * IllegalArgumentException}.
 *
 * <p>What a store keeps for its lifetime, {@link #withPartitions} above all, is chosen when it is
 * created; later openings take it from the store.
 */
public final class StoreOptions {

  /** Smallest {@link #withMaxSize}: 64 KiB. */
  public static final long MIN_SIZE = OpeningOptions.MIN_SIZE_BYTES;

  /** Largest {@link #withMaxSize}: 2<sup>46</sup> bytes. */
  public static final long MAX_SIZE = OpeningOptions.MAX_SIZE_BYTES;

  private static final int PAGE_BYTES = 4096;
  private static final int LEAST_SEGMENTS = LogOptions.MIN_SEGMENTS;

  private static final StoreOptions DEFAULTS = new StoreOptions(new Values());

  private final Values values;

  private StoreOptions(Values values) {
    this.values = values;
  }

  /**
   * One field for each option, with its default. Only setters of options change a copy, before the
   * copy belongs to options; then the final field publishes it.
   */
  private static final class Values implements Cloneable {

    long maxSize;
    int partitions;
    int ringBytes = 1 << 20;
    int orecs = 1 << 20;
    long maxTransactionBytes = 64L << 20;
    Durability defaultDurability = Durability.SYNC;
    Backing backing = Backing.MAPPED;
    boolean warmRestart = true;
    boolean warmClose;
    boolean checkpointAtClose = true;
    Duration groupCommitInterval = Duration.ofMillis(1);
    Duration closeTimeout = Duration.ofSeconds(10);
    Duration durabilityTimeout = Duration.ofSeconds(60);
    Duration recoveryGoal = Duration.ofSeconds(5);
    boolean adminSocket;
    boolean managementBean;
    boolean verifyImage;
    boolean readOnly;
    int logSegmentBytes = 16 << 20;
    long maxLogBytes;
    int irrevocableAfterAborts = 64;
    Executor completionExecutor = new CompletableFuture<Void>().defaultExecutor();
    @Nullable Archive archive;
    @Nullable Storage storage;
    Execution execution = Execution.system();
    CodecRegistry codecs = CodecRegistry.defaults();
    @Nullable InstantSource clock;
    @Nullable StoreTimings timings;
    SchemaChanges schemaChanges = SchemaChanges.ALLOW;

    /** Returns a copy with the same value in each field. */
    Values copy() {
      try {
        return (Values) clone();
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Returns the defaults. */
  public static StoreOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets the most bytes that data may take, header and free space included. Default: 60 % of the
   * memory of the machine, or of the container, that creates the store.
   *
   * <p>The store keeps it. An opening with a larger value raises it, one with a smaller value
   * lowers it, down to what is used. It costs address space only, until data is there. A kernel may
   * refuse so much address space, as on a machine with less memory than the one that created the
   * store, or under {@code ulimit -v}: then the opening maps what is used and as much beyond as it
   * can get, says so in the log and by {@link StoreStats#capacityBytes}, and allocations beyond get
   * {@link io.howdah.core.RegionFullException}. A value that is given for a new store, or raises
   * the limit, has to be mappable when it is given.
   *
   * <p>Every page that a transaction writes is memory of the process from then on, and is given
   * back only when the store is closed; pages that are only read are not. When the process holds 90
   * % of the machine's or the container's memory, the store warns: logger {@code io.howdah.txn},
   * JFR event {@code io.howdah.MemoryLow}, {@link StoreStats#memoryBytes}.
   *
   * @param bytes {@link #MIN_SIZE} to {@link #MAX_SIZE}; rounded down to whole pages of 4 KiB
   */
  public StoreOptions withMaxSize(long bytes) {
    Values next = values.copy();
    next.maxSize = range("maxSize", bytes, MIN_SIZE, MAX_SIZE) & -PAGE_BYTES;
    return new StoreOptions(next);
  }

  /**
   * Returns the most bytes that data may take in a store that is created with these options. A
   * store that exists keeps its own value unless {@link #withMaxSize} was called; {@link
   * StoreStats#capacityBytes} has what an open store has room for.
   */
  public long maxSize() {
    return values.maxSize != 0
        ? values.maxSize
        : (MachineMemory.usableBytes() / 10 * 6) & -PAGE_BYTES;
  }

  /**
   * Sets into how many partitions the log is divided: how many transactions can append to it at the
   * same instant. Default: twice the number of processors, at most 64. 1 gives a single log.
   *
   * @param count 1 to 256
   */
  public StoreOptions withPartitions(int count) {
    Values next = values.copy();
    next.partitions = (int) range("partitions", count, 1, Lsn.MAX_PARTITIONS);
    return new StoreOptions(next);
  }

  /** Returns the partition count. */
  public int partitions() {
    return values.partitions != 0
        ? values.partitions
        : Math.min(64, 2 * values.execution.availableProcessors());
  }

  /**
   * Sets how many bytes of commits each partition holds that are not forced yet. Default: 1 MiB.
   *
   * @param bytes a power of two from 64 KiB to 16 MiB
   */
  public StoreOptions withRingBytes(int bytes) {
    Values next = values.copy();
    next.ringBytes =
        powerOfTwo("ringBytes", bytes, RingLayout.MIN_CAPACITY, RingLayout.MAX_CAPACITY);
    return new StoreOptions(next);
  }

  /** Returns the length of each partition's ring in bytes. */
  public int ringBytes() {
    return values.ringBytes;
  }

  /**
   * Sets how many ownership records there are; each takes 8 bytes. More of them make false
   * conflicts rarer, fewer stay in the processor's cache. Default: 2<sup>20</sup>.
   *
   * @param count a power of two from 64 to 2<sup>26</sup>
   */
  public StoreOptions withOrecs(int count) {
    Values next = values.copy();
    next.orecs = powerOfTwo("orecs", count, OrecTable.MIN_ORECS, OrecTable.MAX_ORECS);
    return new StoreOptions(next);
  }

  /** Returns how many ownership records there are. */
  public int orecs() {
    return values.orecs;
  }

  /**
   * Sets how many bytes one transaction may write, counting each word of 8 bytes once. A
   * transaction holds them on the Java heap until it commits, with about three times as much of its
   * own data. Default: 64 MiB.
   *
   * @param bytes 4 KiB to 1 GiB
   */
  public StoreOptions withMaxTransactionBytes(long bytes) {
    Values next = values.copy();
    next.maxTransactionBytes = range("maxTransactionBytes", bytes, 1 << 12, 1 << 30);
    return new StoreOptions(next);
  }

  /** Returns how many bytes one transaction may write. */
  public long maxTransactionBytes() {
    return values.maxTransactionBytes;
  }

  /** Sets what transactions do that do not say otherwise. Default: {@link Durability#SYNC}. */
  public StoreOptions withDefaultDurability(Durability durability) {
    Values next = values.copy();
    next.defaultDurability = Objects.requireNonNull(durability, "durability");
    return new StoreOptions(next);
  }

  /** Returns what transactions do that do not say otherwise. */
  public Durability defaultDurability() {
    return values.defaultDurability;
  }

  /** Sets how data comes into memory. Default: {@link Backing#MAPPED}. */
  public StoreOptions withBacking(Backing backing) {
    Values next = values.copy();
    next.backing = Objects.requireNonNull(backing, "backing");
    return new StoreOptions(next);
  }

  /** Returns how data comes into memory. */
  public Backing backing() {
    return values.backing;
  }

  /**
   * Sets whether this opening may use memory of the process before ({@link Backing#SHARED}). If
   * not, it loads the image into new memory: for a process that ended by damage to its own memory,
   * which this library does not see. A fatal error that the JVM has reported is found, and then the
   * memory is not used either. No effect with other backings. Default: it may.
   */
  public StoreOptions withWarmRestart(boolean wanted) {
    Values next = values.copy();
    next.warmRestart = wanted;
    return new StoreOptions(next);
  }

  /** Returns whether this opening may use memory of the process before. */
  public boolean warmRestart() {
    return values.warmRestart;
  }

  /**
   * Sets whether a close keeps memory that outlives the process ({@link Backing#SHARED}), so that
   * the next opening finds all data in memory: after an upgrade of the program for example. The
   * memory of a store that is not opened again stays until the machine restarts, or until {@code
   * howdah volatile rm} removes it. No effect with other backings. Default: the close deletes it.
   */
  public StoreOptions withWarmClose(boolean wanted) {
    Values next = values.copy();
    next.warmClose = wanted;
    return new StoreOptions(next);
  }

  /** Returns whether a close keeps memory that outlives the process. */
  public boolean warmClose() {
    return values.warmClose;
  }

  /**
   * Sets whether a close writes what has changed since the last checkpoint to the image, so that
   * the next opening has nothing to replay. This takes the longer the more has changed. If not, a
   * close forces the log and leaves it: the close is short, the next opening reads the log as it
   * does after a kill, and the files keep the log until a checkpoint of a later opening. All
   * commits survive in either case, a power cut too. A close takes the checkpoint all the same if
   * it keeps memory ({@link #withWarmClose}), or if the eight openings before have left their logs
   * and no checkpoint has come since. Default: it does.
   */
  public StoreOptions withCheckpointAtClose(boolean wanted) {
    Values next = values.copy();
    next.checkpointAtClose = wanted;
    return new StoreOptions(next);
  }

  /** Returns whether a close writes what has changed to the image. */
  public boolean checkpointAtClose() {
    return values.checkpointAtClose;
  }

  /**
   * Sets how long a commit that nobody waits for may take to become durable, beside the force
   * itself. A commit that a thread waits for is forced at once, or, if several threads wait again
   * and again, at most one interval later, so that one force serves them together. In a store in
   * which nothing was committed for a second, the first commit may take ten times as long; after a
   * minute without, up to 100 ms, or ten intervals if that is longer. Default: 1 ms.
   *
   * @param interval 1 µs to 10 s
   */
  public StoreOptions withGroupCommitInterval(Duration interval) {
    Values next = values.copy();
    next.groupCommitInterval =
        range("groupCommitInterval", interval, Duration.ofNanos(1000), Duration.ofSeconds(10));
    return new StoreOptions(next);
  }

  /** Returns how long a commit that nobody waits for may take to become durable. */
  public Duration groupCommitInterval() {
    return values.groupCommitInterval;
  }

  /**
   * Sets how long {@link Store#close} waits for running transactions. Default: 10 s.
   *
   * @param timeout 0 to 1 day
   */
  public StoreOptions withCloseTimeout(Duration timeout) {
    Values next = values.copy();
    next.closeTimeout = range("closeTimeout", timeout, Duration.ZERO, Duration.ofDays(1));
    return new StoreOptions(next);
  }

  /** Returns how long {@link Store#close} waits for running transactions. */
  public Duration closeTimeout() {
    return values.closeTimeout;
  }

  /**
   * Sets how long a wait for durability may take: at the end of a transaction, of a {@link
   * DurableScope}, and in each method that awaits durability and has no timeout of its own. Past it
   * the wait ends with {@link NotYetDurableException}, and the commit stands. A transaction's own
   * {@linkplain TxOptions#timeLimit time limit} ends it earlier. Such waits take milliseconds; they
   * get as long as this on a full disk, or one that has stopped to answer. Default: 60 s.
   *
   * <p>From five seconds on the end is noticed up to half a second late, and costs nothing until
   * then. A shorter timeout costs a look at the clock for each wait, and a timer for that of a
   * virtual thread.
   *
   * @param timeout at least 1 ms; {@link java.time.temporal.ChronoUnit#FOREVER}'s duration, or any
   *     other longer than 292 years, waits for as long as it takes
   */
  public StoreOptions withDurabilityTimeout(Duration timeout) {
    Values next = values.copy();
    next.durabilityTimeout =
        range("durabilityTimeout", timeout, Duration.ofMillis(1), ChronoUnit.FOREVER.getDuration());
    return new StoreOptions(next);
  }

  /** Returns how long a wait for durability may take. */
  public Duration durabilityTimeout() {
    return values.durabilityTimeout;
  }

  /**
   * Sets after how many conflicts in a row a transaction runs irrevocably, that is, while nobody
   * else commits. Default: 64.
   *
   * @param aborts 1 to 1,000,000
   */
  public StoreOptions withIrrevocableAfterAborts(int aborts) {
    Values next = values.copy();
    next.irrevocableAfterAborts = (int) range("irrevocableAfterAborts", aborts, 1, 1_000_000);
    return new StoreOptions(next);
  }

  /** Returns after how many conflicts in a row a transaction runs irrevocably. */
  public int irrevocableAfterAborts() {
    return values.irrevocableAfterAborts;
  }

  /**
   * Sets how long the replay of the log may take when the store is opened after a crash.
   * Checkpoints are taken beside transactions, often enough for that; a shorter time writes more.
   * Default: 5 s.
   *
   * @param time 10 ms to 1 hour
   */
  public StoreOptions withRecoveryGoal(Duration time) {
    Values next = values.copy();
    next.recoveryGoal = range("recoveryGoal", time, Duration.ofMillis(10), Duration.ofHours(1));
    return new StoreOptions(next);
  }

  /**
   * Sets whether other processes of the same user may ask the open store for figures, checkpoints
   * and backups, as {@code howdah backup} does, through a Unix domain socket in its directory.
   * Default: they may not.
   */
  public StoreOptions withAdminSocket(boolean wanted) {
    Values next = values.copy();
    next.adminSocket = wanted;
    return new StoreOptions(next);
  }

  /** Returns whether other processes may ask the store. */
  public boolean adminSocket() {
    return values.adminSocket;
  }

  /**
   * Sets whether an opening first holds every page of the image to its checksum, which reads as
   * much of it as was ever written: a gigabyte takes about a second. Without it a page that has
   * rotted since the store was closed is mapped as it is. An image that is loaded ({@link
   * Backing#RESIDENT}) is always verified, and so is a store by {@link StoreBackups#check}.
   * Default: it does not.
   */
  public StoreOptions withVerifyImage(boolean wanted) {
    Values next = values.copy();
    next.verifyImage = wanted;
    return new StoreOptions(next);
  }

  /** Returns whether an opening verifies an image that it maps. */
  public boolean verifyImage() {
    return values.verifyImage;
  }

  /**
   * Sets whether a store that exists is opened for reading only: nothing in its directory is
   * written, and a transaction that writes gets {@link io.howdah.core.ReadOnlyStoreException}. Any
   * number of such openings, of this and other processes, share a store; they and an opening that
   * writes exclude each other, unless the directory is a backup, without {@code store.lock}: then
   * the store is loaded whole. A store that was not closed is recovered in memory, anew by each
   * opening; what it shows then of commits that nobody was told are durable, a power cut may still
   * take away. Options that concern log, checkpoints and the store's size have no effect. Default:
   * it is opened to be changed.
   */
  public StoreOptions withReadOnly(boolean wanted) {
    Values next = values.copy();
    next.readOnly = wanted;
    return new StoreOptions(next);
  }

  /** Returns whether the store is opened for reading only. */
  public boolean readOnly() {
    return values.readOnly;
  }

  /**
   * Sets whether the open store has a bean in the platform's JMX server, with the rows of {@link
   * StoreFigure#all} as attributes, named {@code io.howdah:type=Store,directory="..."}. Default: it
   * has none.
   */
  public StoreOptions withManagementBean(boolean wanted) {
    Values next = values.copy();
    next.managementBean = wanted;
    return new StoreOptions(next);
  }

  /** Returns whether the store has a JMX bean. */
  public boolean managementBean() {
    return values.managementBean;
  }

  /**
   * Sets the maximum length of a log segment; a segment is never shorter than a ring. The log gives
   * space back by segments, and keeps up to 32 to use again. After a kill, a store that opens reads
   * one or two segments before it serves, and the rest of the log later. Default: 16 MiB.
   *
   * @param bytes a power of two from 64 KiB to 64 MiB
   */
  public StoreOptions withLogSegmentBytes(int bytes) {
    Values next = values.copy();
    next.logSegmentBytes =
        powerOfTwo("logSegmentBytes", bytes, SegmentLayout.MIN_LENGTH, SegmentLayout.MAX_LENGTH);
    return new StoreOptions(next);
  }

  /** Returns how long a segment of the log gets at most. */
  public int logSegmentBytes() {
    return values.logSegmentBytes;
  }

  /**
   * Sets how long the log may get, whatever becomes of checkpoints. From there on commits, of every
   * durability, wait until a checkpoint has given some of it back; after five seconds each is
   * refused, with nothing of it done ({@link io.howdah.core.LogFullException}). What was under way
   * comes on top: a ring for each partition, large transactions that were being handed over, and
   * three segments. Checkpoints begin far earlier; commits wait where these do not keep up, fail,
   * or have to wait themselves for a {@linkplain StoreAdmin#backup backup}. Segments are an eighth
   * of this at most.
   *
   * <p>Default: four times what {@link #recoveryGoal} allows, or {@link #maxSize}, whichever is
   * more.
   *
   * @param bytes 512 KiB to 2<sup>50</sup>; less than eight rings counts as eight
   */
  public StoreOptions withMaxLogBytes(long bytes) {
    Values next = values.copy();
    next.maxLogBytes =
        range("maxLogBytes", bytes, (long) LEAST_SEGMENTS * SegmentLayout.MIN_LENGTH, 1L << 50);
    return new StoreOptions(next);
  }

  /** Returns how long the log may get. */
  public long maxLogBytes() {
    return opening().maxLogBytes(maxSize());
  }

  /** Returns how long a replay may take. */
  public Duration recoveryGoal() {
    return values.recoveryGoal;
  }

  /**
   * Sets where the stages of {@link StoreDurability#whenStable} complete and the hooks of {@link
   * Tx#onStable} run. Default: that of {@link CompletableFuture}, the common pool. Where it refuses
   * a task, a new virtual thread takes its place.
   */
  public StoreOptions withCompletionExecutor(Executor executor) {
    Values next = values.copy();
    next.completionExecutor = Objects.requireNonNull(executor, "completionExecutor");
    return new StoreOptions(next);
  }

  /** Returns where stages complete. */
  public Executor completionExecutor() {
    return values.completionExecutor;
  }

  /**
   * Sets where the store is copied to while it is open: a base, and behind it the log as it becomes
   * durable. {@link StoreArchives} restores it as of any moment of that time. The archive never
   * makes a transaction wait; if its place is slow, full or gone, it falls behind, and {@link
   * StoreAdmin#archive} and the log of the program tell so. Default: nowhere.
   *
   * @see StoreAdmin#startArchive
   */
  public StoreOptions withArchive(Archive archive) {
    Values next = values.copy();
    next.archive = Objects.requireNonNull(archive, "archive");
    return new StoreOptions(next);
  }

  /** Returns where the store is copied to while it is open, if anywhere. */
  public Optional<Archive> archive() {
    return Optional.ofNullable(values.archive);
  }

  /** Sets where the store's files are, in place of a directory of the file system. For tests. */
  public StoreOptions withStorage(Storage storage) {
    Values next = values.copy();
    next.storage = Objects.requireNonNull(storage, "storage");
    return new StoreOptions(next);
  }

  /** Returns where the store's files are, if that is not a directory of the file system. */
  public Optional<Storage> storage() {
    return Optional.ofNullable(values.storage);
  }

  /** Sets the source of threads and time. Default: the operating system. For tests. */
  public StoreOptions withExecution(Execution execution) {
    Values next = values.copy();
    next.execution = Objects.requireNonNull(execution, "execution");
    return new StoreOptions(next);
  }

  /** Returns the source of threads and time. */
  public Execution execution() {
    return values.execution;
  }

  /**
   * Sets how the store derives the codecs of collections that are opened by classes, as in {@code
   * store.map("orders", UUID.class, Order.class)}. Default: {@link CodecRegistry#defaults}. A
   * program in a named module gives its lookup by {@link CodecRegistry#withLookup}.
   */
  public StoreOptions withCodecs(CodecRegistry registry) {
    Values next = values.copy();
    next.codecs = Objects.requireNonNull(registry, "codecs");
    return new StoreOptions(next);
  }

  /** Returns how codecs are derived from classes. */
  public CodecRegistry codecs() {
    return values.codecs;
  }

  /**
   * Sets the clock by which entries expire ({@link io.howdah.collections.Expiry}): for tests.
   * Default: the clock of {@link #withExecution}, which is that of the system.
   */
  public StoreOptions withClock(InstantSource clock) {
    Values next = values.copy();
    next.clock = Objects.requireNonNull(clock, "clock");
    return new StoreOptions(next);
  }

  /** Returns the clock by which entries expire, if it was set. */
  public Optional<InstantSource> clock() {
    return Optional.ofNullable(values.clock);
  }

  /**
   * Sets whether the program may change what the store knows of types and collections that it has.
   * With {@link SchemaChanges#REFUSE} the opening of a collection or a type throws {@link
   * io.howdah.core.SchemaChangeException}, and changes nothing, if it would add a shape to a
   * record, a constant to an enum, a class to a sealed interface or a property to a type of
   * objects, or an index or a change journal to a map. So a release that needs such a change does
   * not make it unnoticed, and the release before it can take its place again. New collections and
   * types are created all the same: a program that does not know them is not affected. Default:
   * {@link SchemaChanges#ALLOW}.
   */
  public StoreOptions withSchemaChanges(SchemaChanges wanted) {
    Values next = values.copy();
    next.schemaChanges = Objects.requireNonNull(wanted, "wanted");
    return new StoreOptions(next);
  }

  /** Returns whether the program may change what the store knows of its types and collections. */
  public SchemaChanges schemaChanges() {
    return values.schemaChanges;
  }

  /**
   * Sets what is called with the time that transactions, waits for durability, forces, checkpoints
   * and the opening took. Two readings of the clock and the call itself are added to each
   * transaction. Default: nothing.
   */
  public StoreOptions withTimings(StoreTimings timings) {
    Values next = values.copy();
    next.timings = Objects.requireNonNull(timings, "timings");
    return new StoreOptions(next);
  }

  /** Returns what is called with times, if anything. */
  public Optional<StoreTimings> timings() {
    return Optional.ofNullable(values.timings);
  }

  /** Returns the clock by which entries expire. */
  InstantSource expiryClock() {
    InstantSource clock = values.clock;
    return clock == null ? new ClockOfExecution(values.execution) : clock;
  }

  private record ClockOfExecution(Execution execution) implements InstantSource {
    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(execution.wallClockMillis());
    }
  }

  /** Returns what these options ask of an opening. */
  OpeningOptions opening() {
    return new OpeningOptions(
        values.execution,
        values.readOnly,
        values.adminSocket,
        values.verifyImage,
        values.backing,
        values.warmRestart,
        values.warmClose,
        values.checkpointAtClose,
        values.orecs,
        dimensions(),
        values.maxSize == 0 ? OptionalLong.empty() : OptionalLong.of(values.maxSize),
        values.maxLogBytes == 0 ? OptionalLong.empty() : OptionalLong.of(values.maxLogBytes),
        values.logSegmentBytes,
        values.groupCommitInterval,
        values.recoveryGoal,
        archive());
  }

  /** Returns what a new store of these options keeps for its lifetime. */
  OpenedStore.Dimensions dimensions() {
    return new OpenedStore.Dimensions(partitions(), values.ringBytes, maxSize());
  }

  /** Returns these options for a store that has its dimensions already. */
  StoreOptions of(OpenedStore.Dimensions dimensions) {
    return withPartitions(dimensions.partitions())
        .withRingBytes(dimensions.ringBytes())
        .withMaxSize(dimensions.maxSizeBytes());
  }

  private static int powerOfTwo(String name, int value, int least, int most) {
    if (Integer.bitCount((int) range(name, value, least, most)) != 1) {
      throw new IllegalArgumentException(name + " must be a power of two, not " + value);
    }
    return value;
  }

  private static long range(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " must be from " + least + " to " + most + ", not " + value);
    }
    return value;
  }

  private static Duration range(String name, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          name + " must be from " + least + " to " + most + ", not " + value);
    }
    return value;
  }
}
