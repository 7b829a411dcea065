package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a summary of the log must survive: lost rings, full rings, failing files, another log. */
@Timeout(60)
class LogSummaryCrashTest {

  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final String FLUSHER = "howdah-flusher";
  private static final String CHECKPOINTS = "howdah-checkpoint";
  private static final int WORDS = 128;

  private SimulatedDisk disk = SimulatedDisk.builder(1).volatileBytes(1 << 26).build();
  private final HeldThreads threads = new HeldThreads();
  private int partitions = 2;
  private int ringBytes = 1 << 16;

  /** How many commits have begun, and how many survive whatever happens. */
  private long begun;

  private long sure;

  @AfterEach
  void end() {
    threads.end();
  }

  private StoreOptions options() {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withExecution(threads)
        .withMaxSize(1 << 17)
        .withPartitions(partitions)
        .withRingBytes(ringBytes)
        .withOrecs(1 << 10)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
  }

  private void create() {
    try (Store store = Store.open(options())) {
      store.run(tx -> tx.root(0, tx.allocate(WORDS * 8L)));
    }
  }

  /** The array and the header have the number of the last commit. */
  private void commit(Store store, TxOptions how) {
    long number = ++begun;
    store.run(
        how,
        tx -> {
          for (int i = 0; i < WORDS; i++) {
            tx.putLong(tx.root(0) + 8L * i, number);
          }
          tx.root(2, tx.root(0) + number * 8);
        });
  }

  private void sync(Store store) {
    commit(store, TxOptions.sync());
    sure = begun;
  }

  /**
   * Holds header and array to each other; from here on, the commits that are there are the ones.
   */
  private void check(Store store) {
    long[] words = new long[WORDS];
    long header =
        store.call(
            tx -> {
              for (int i = 0; i < WORDS; i++) {
                words[i] = tx.getLong(tx.root(0) + 8L * i);
              }
              return tx.root(2) == 0 ? 0 : (tx.root(2) - tx.root(0)) / 8;
            });
    assertThat(header).isBetween(sure, begun);
    assertThat(Arrays.stream(words).distinct()).containsExactly(header);
    begun = header;
    sure = header;
  }

  private static void await(BooleanSupplier condition) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - begun).isLessThan(DEADLINE_NANOS);
      Thread.onSpinWait();
    }
  }

  private byte[] summary(SimulatedDisk from, int file) {
    String name = "log/summary-" + file;
    return from.storage().exists(name) ? from.contents(name) : new byte[0];
  }

  private boolean hasSummary() {
    return summary(disk, 0).length + summary(disk, 1).length > 0;
  }

  /** Commits some three segments, and waits until the checkpoint's thread has seen them. */
  private void threeSegments(Store store) {
    for (int i = 0; i < 3 * SegmentLayout.MIN_LENGTH / (WORDS * 8); i++) {
      commit(store, TxOptions.async());
    }
    sync(store);
    awaitCheckpointThread(2);
  }

  /** Waits until the thread has parked so many times more: it has looked at the log between. */
  private void awaitCheckpointThread(int times) {
    long parks = threads.parks(CHECKPOINTS);
    await(() -> threads.parks(CHECKPOINTS) >= parks + times);
  }

  private void end(Store store, Consumer<SimulatedDisk> how) {
    how.accept(disk);
    threads.releaseAll();
    assertThatThrownBy(store::close).isNotNull();
  }

  private boolean openAndCheck() {
    try (Store store = Store.open(options())) {
      boolean later = store.admin().recoveryReport().laterLogBytes() > 0;
      check(store);
      return later;
    }
  }

  private void nothingIsSummarisedThatOnlyRingsHave(Consumer<SimulatedDisk> end) {
    create();
    Store store = Store.open(options());
    threeSegments(store);
    threads.hold(CHECKPOINTS);
    await(() -> threads.isStanding(CHECKPOINTS));
    for (int i = 0; i < 3 * SegmentLayout.MIN_LENGTH / (WORDS * 8); i++) {
      commit(store, TxOptions.async());
    }
    sync(store);
    threads.hold(FLUSHER);
    await(() -> threads.isStanding(FLUSHER));
    for (int i = 0; i < 5; i++) {
      commit(store, TxOptions.async());
    }
    threads.release(CHECKPOINTS);
    awaitCheckpointThread(3);
    end(store, end);
    assertThat(openAndCheck()).isTrue();
    assertThat(openAndCheck()).isFalse();
  }

  @Test
  void aReplacedContainerKeepsNothingThatOnlyItsRingsHad() {
    nothingIsSummarisedThatOnlyRingsHave(SimulatedDisk::replaceContainer);
  }

  @Test
  void aPowerCutThatLosesNothingOnDiskKeepsNothingThatOnlyRingsHad() {
    nothingIsSummarisedThatOnlyRingsHave(cut -> cut.powerCut(CrashChoice.KEEP_ALL));
  }

  @Test
  void aKillKeepsWhatOnlyRingsHave() {
    nothingIsSummarisedThatOnlyRingsHave(SimulatedDisk::kill);
    assertThat(begun).isEqualTo(sure);
  }

  /** Five megabytes of the same words, of which the log has little. */
  @Test
  void fullRingsAreKeptBehindASummary() throws InterruptedException {
    partitions = 8;
    ringBytes = 1 << 20;
    create();
    Store store = Store.open(options());
    while (!hasSummary()) {
      commit(store, TxOptions.async());
    }
    sync(store);
    threads.hold(FLUSHER);
    await(() -> threads.isStanding(FLUSHER));
    for (int t = 0; t < partitions; t++) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 5 * ringBytes / 8 / (WORDS * 8); i++) {
                  commit(store, TxOptions.async());
                }
              });
      thread.start();
      thread.join();
    }
    long last = begun;
    end(store, SimulatedDisk::kill);
    assertThat(openAndCheck()).isTrue();
    assertThat(sure).isEqualTo(last);
  }

  @ParameterizedTest
  @EnumSource(names = {"EXISTS", "OPEN", "CREATE", "WRITE", "READ"})
  void noFailureOfASummarysFileStopsAStoreOrAnOpening(Operation operation) {
    create();
    List<Fault> faults =
        List.of(
            Fault.onNth(operation, 1),
            Fault.onNth(operation, 2),
            Fault.onNth(operation, 1).forEver(),
            Fault.onNth(operation, 1).with(Reason.NO_SPACE).forEver());
    for (Fault fault : faults) {
      disk.inject(fault.in("summary"));
      Store store = Store.open(options());
      threeSegments(store);
      disk.kill();
      assertThatThrownBy(store::close).isNotNull();
      openAndCheck();
      disk.clearFaults();
    }
  }

  @Test
  void afterAFailureTheNextSegmentIsSummarised() {
    create();
    disk.inject(Fault.onNth(Operation.WRITE, 1).in("summary"));
    try (Store store = Store.open(options())) {
      for (int i = 0; i < 3; i++) {
        threeSegments(store);
      }
      assertThat(hasSummary()).isTrue();
    }
  }

  private void put(SimulatedDisk onto, int file, byte[] bytes) {
    Storage storage = onto.storage();
    storage.delete("log/summary-" + file);
    if (bytes.length > 0) {
      try (StagingMemory memory = new StagingMemory();
          StorageFile target = storage.create("log/summary-" + file)) {
        target.write(0, memory.allocate(bytes.length).put(bytes).flip());
      }
    }
  }

  /** Changes both summaries, and gives them valid checksums again. */
  private void forge(Consumer<ByteBuffer> change) {
    for (int i = 0; i < 2; i++) {
      byte[] found = summary(disk, i);
      if (found.length > 0) {
        ByteBuffer bytes = ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN);
        change.accept(bytes);
        int length =
            (int) LogSummaryLayout.length(bytes.getLong(LogSummaryLayout.MAP_WORDS_OFFSET));
        bytes.putInt(
            LogSummaryLayout.CRC_OFFSET, Crc32c.around(bytes, LogSummaryLayout.CRC_OFFSET, length));
        put(disk, i, found);
      }
    }
  }

  private void killWithSummaries() {
    create();
    Store store = Store.open(options());
    threeSegments(store);
    threeSegments(store);
    end(store, SimulatedDisk::kill);
    assertThat(hasSummary()).isTrue();
  }

  /** The log lacks what a summary names as durable: an older state, or another store's. */
  private static void requireRefused(LogSummaryCrashTest store, String problem) {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> Store.open(store.options()).close())
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining(problem)
          .hasMessageContaining("accept-rollback");
    }
  }

  @Test
  void aLastBatchWithAnotherChecksumIsDamage() {
    killWithSummaries();
    int at = LogSummaryLayout.LAST_BATCH_CRC_OFFSET;
    forge(bytes -> bytes.putInt(at, bytes.getInt(at) ^ 1));
    requireRefused(this, "has another checksum");
  }

  @Test
  void aLastBatchThatTheLogDoesNotReachIsDamage() {
    killWithSummaries();
    int at = LogSummaryLayout.LAST_BATCH_OFFSET;
    forge(bytes -> bytes.putLong(at, bytes.getLong(at) + 1000));
    requireRefused(this, "names batch");
  }

  /** Otherwise it would refuse the store, or mislead it, once more. */
  @Test
  void aSummaryThatContradictsTheLogIsGoneForGood() {
    killWithSummaries();
    // Root 7, which no commit writes.
    forge(bytes -> bytes.putLong(LogSummaryLayout.REGION_HEADER_OFFSET + 576 + 7 * 8, 13));
    disk.storage().forceDirectory("log");
    try (Store store = Store.open(options())) {
      Storage files = disk.storage();
      await(() -> !files.exists("log/summary-0") && !files.exists("log/summary-1"));
      assertThatThrownBy(() -> await(() -> store.call(tx -> tx.getLong(tx.root(0))) < 0))
          .isInstanceOf(HowdahException.class);
    } catch (HowdahException e) {
      // it has stopped
    }
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(hasSummary()).isFalse();
    openAndCheck();
    long root = Store.open(options()).read(tx -> tx.root(7));
    assertThat(root).isZero();
  }

  /** Two histories from one point on, with the same numbers of generation, segments, batches. */
  @Test
  void aSummaryOfAnotherHistoryIsDamage() {
    create();
    SimulatedDisk other = disk.fork();
    Store one = Store.open(options());
    threeSegments(one);
    threeSegments(one);
    end(one, SimulatedDisk::kill);
    List<byte[]> summaries = List.of(summary(disk, 0), summary(disk, 1));
    assertThat(hasSummary()).isTrue();

    LogSummaryCrashTest second = new LogSummaryCrashTest();
    second.disk = other;
    second.begun = 1000;
    Store two = Store.open(second.options());
    for (int i = 0; i < 4; i++) {
      second.threeSegments(two);
    }
    second.end(two, SimulatedDisk::kill);
    for (int i = 0; i < summaries.size(); i++) {
      put(other, i, summaries.get(i));
    }
    requireRefused(second, "has another checksum");
  }

  /** The log's files are those of a copy, the summaries are not. */
  @Test
  void aSummaryThatIsNewerThanTheLogIsDamage() {
    create();
    Store store = Store.open(options());
    threeSegments(store);
    threeSegments(store);
    SimulatedDisk copy = disk.fork();
    long then = begun;
    threeSegments(store);
    end(store, SimulatedDisk::kill);
    for (int i = 0; i < 2; i++) {
      put(copy, i, summary(disk, i));
    }
    LogSummaryCrashTest second = new LogSummaryCrashTest();
    second.disk = copy;
    second.begun = then;
    second.sure = then;
    requireRefused(second, "names batch");
    StoreBackups.acceptRollback(copy.storage(), second.options().execution());
    assertThat(second.openAndCheck()).isFalse();
  }

  @Test
  void aSummaryOfAnotherStoreIsNotUsed() {
    killWithSummaries();
    LogSummaryCrashTest second = new LogSummaryCrashTest();
    second.disk = SimulatedDisk.builder(2).volatileBytes(1 << 26).build();
    second.create();
    Store other = Store.open(second.options());
    second.threeSegments(other);
    second.end(other, SimulatedDisk::kill);
    for (int i = 0; i < 2; i++) {
      put(second.disk, i, summary(disk, i));
    }
    assertThat(second.openAndCheck()).isFalse();
  }

  /** An opening deletes segments without a header; one of the late part must not be among them. */
  @Test
  void aDamagedHeaderInTheLatePartIsFoundBeforeAnythingIsDeleted() {
    killWithSummaries();
    String first = oldestSegment();
    disk.flipBit(first, SegmentLayout.SEQUENCE_OFFSET, 2);
    assertThatThrownBy(() -> Store.open(options()).close())
        .isInstanceOf(CorruptStoreException.class);
    assertThat(disk.storage().exists(first)).isTrue();
    disk.flipBit(first, SegmentLayout.SEQUENCE_OFFSET, 2);
    openAndCheck();
  }

  /** Returns the name of the oldest segment that has a batch of the newest generation. */
  private String oldestSegment() {
    List<String> names = new ArrayList<>();
    long generation = 0;
    long least = Long.MAX_VALUE;
    for (String name : disk.storage().list("log/0")) {
      ByteBuffer head =
          ByteBuffer.wrap(disk.contents("log/0/" + name)).order(ByteOrder.LITTLE_ENDIAN);
      long found = head.getLong(SegmentLayout.GENERATION_OFFSET);
      long sequence = head.getLong(SegmentLayout.SEQUENCE_OFFSET);
      if (found > generation || (found == generation && sequence < least)) {
        generation = found;
        least = sequence;
        names.add(name);
      }
    }
    return "log/0/" + names.getLast();
  }

  @Test
  void aBackupHasNoSummary() {
    create();
    SimulatedDisk target = SimulatedDisk.builder(3).build();
    try (Store store = Store.open(options())) {
      threeSegments(store);
      threeSegments(store);
      assertThat(hasSummary()).isTrue();
      store.admin().backup(target::storage);
    }
    assertThat(summary(target, 0)).isEmpty();
    assertThat(summary(target, 1)).isEmpty();
  }
}
