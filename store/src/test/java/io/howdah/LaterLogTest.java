package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A store whose log is long serves before that is read: what a summary lets an opening leave out is
 * read later, and comes to the same.
 */
@Timeout(60)
class LaterLogTest {

  private static final int SLOTS = 1 << 13;
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private SimulatedDisk disk = SimulatedDisk.builder(1).build();
  private final HeldReplay held = new HeldReplay();

  /** What each commit has written: its number, from 1 on, to a slot. */
  private final List<Integer> slots = new ArrayList<>();

  @AfterEach
  void release() {
    held.release();
  }

  private StoreOptions options() {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 20)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
  }

  /**
   * Root 0 has an array that commits overwrite, root 1 one that they do not, root 2 counts them.
   */
  private void create() {
    try (Store store = Store.open(options())) {
      store.run(
          tx -> {
            tx.root(0, tx.allocate(SLOTS * 8L));
            tx.root(1, tx.allocate(SLOTS * 8L));
            for (int i = 0; i < SLOTS; i++) {
              tx.putLong(tx.root(1) + i * 8L, -i);
            }
          });
    }
  }

  private void commit(Store store, SplittableRandom random, TxOptions how) {
    int slot = random.nextInt(1, SLOTS);
    long number = slots.size() + 1L;
    store.run(
        how,
        tx -> {
          tx.putLong(tx.root(0) + slot * 8L, number);
          tx.putLong(tx.root(0), number);
          tx.root(2, tx.root(0) + slot * 8L);
        });
    slots.add(slot);
  }

  private boolean hasSummary() {
    return disk.storage().exists("log/summary-0");
  }

  private List<String> summaries() {
    List<String> summaries = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      String name = "log/summary-" + i;
      byte[] bytes = disk.storage().exists(name) ? disk.contents(name) : new byte[0];
      summaries.add(
          HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, LogSummaryLayout.MAP_OFFSET)));
    }
    return summaries;
  }

  private static void await(BooleanSupplier condition, Runnable meanwhile) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - begun).isLessThan(DEADLINE_NANOS);
      meanwhile.run();
    }
  }

  /** Commits until the log is some segments long and has a summary, and a few times more. */
  private void commitUntilSummarised(Store store, SplittableRandom random) {
    int before = slots.size();
    List<String> old = summaries();
    await(
        () -> slots.size() - before >= 4000 && !summaries().equals(old),
        () -> {
          for (int i = 0; i < 100; i++) {
            commit(store, random, TxOptions.async());
          }
        });
    for (int i = random.nextInt(300); i > 0; i--) {
      commit(store, random, TxOptions.async());
    }
  }

  private void killWithASummary() {
    create();
    Store store = Store.open(options());
    commitUntilSummarised(store, new SplittableRandom(1));
    kill(store);
  }

  private void kill(Store store) {
    disk.kill();
    assertThatThrownBy(store::close).isNotNull();
  }

  private static long cold(Store store, int slot) {
    return store.read(tx -> tx.getLong(tx.root(1) + slot * 8L));
  }

  private static void requireRoot3(Store store) {
    long distance = store.read(tx -> tx.root(3) - tx.root(1));
    assertThat(distance).isZero();
  }

  private static long count(Store store) {
    return store.read(tx -> tx.getLong(tx.root(0)));
  }

  /** Returns which slot root 2 names. */
  private static long lastSlot(Store store) {
    return store.read(tx -> (tx.root(2) - tx.root(0)) / 8);
  }

  /** Holds a store to the commits up to a number, and returns that. */
  private long check(Store store, long atLeast) {
    long count = count(store);
    assertThat(count).isBetween(atLeast, (long) slots.size());
    if (count > 0) {
      assertThat(lastSlot(store)).isEqualTo((long) slots.get((int) count - 1));
    }
    long[] expected = new long[SLOTS];
    expected[0] = count;
    for (int i = 0; i < count; i++) {
      expected[slots.get(i)] = i + 1L;
    }
    long[] found = new long[SLOTS];
    store.run(
        tx -> {
          for (int i = 0; i < SLOTS; i++) {
            found[i] = tx.getLong(tx.root(0) + i * 8L);
          }
        });
    assertThat(found).isEqualTo(expected);
    assertThat(cold(store, 7)).isEqualTo(-7);
    return count;
  }

  @Test
  void theHeaderAndUntouchedPagesAreServedBeforeTheLogIsRead() throws Exception {
    killWithASummary();
    try (Store store = Store.open(options().withExecution(held))) {
      assertThat(store.admin().recoveryReport().laterLogBytes()).isPositive();
      assertThat(lastSlot(store)).isEqualTo((long) slots.getLast());
      assertThat(cold(store, 100)).isEqualTo(-100);
      store.run(TxOptions.sync(), tx -> tx.root(3, tx.root(1)));
      assertThat(store.admin().replayStats().isDone()).isFalse();
      CompletableFuture<Long> all = new CompletableFuture<>();
      new Thread(() -> all.complete(check(store, slots.size()))).start();
      held.release();
      assertThat(all.get(60, TimeUnit.SECONDS)).isEqualTo(slots.size());
      requireRoot3(store);
    }
    try (Store store = Store.open(options())) {
      assertThat(check(store, slots.size())).isEqualTo(slots.size());
    }
  }

  @Test
  void theReplayIsNotDoneWhileALaterLogIsUnreadThoughNoWordsAreLeft() throws Exception {
    create();
    HeldThreads threads = new HeldThreads();
    threads.hold("howdah-checkpoint");
    Store killed = Store.open(options().withExecution(threads));
    await(() -> threads.isStanding("howdah-checkpoint"), Thread::onSpinWait);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 4000; i++) {
      commit(killed, random, i % 100 == 0 ? TxOptions.sync() : TxOptions.async());
    }
    commit(killed, random, TxOptions.sync());
    // Written after the last commit, so nothing lies behind its shortcut.
    threads.releaseAll();
    await(this::hasSummary, Thread::onSpinWait);
    long parks = threads.parks("howdah-checkpoint");
    // The file is there before its bytes are; the thread parks once it has written them.
    await(() -> threads.parks("howdah-checkpoint") > parks, Thread::onSpinWait);
    kill(killed);
    threads.end();
    try (Store store = Store.open(options().withExecution(held))) {
      ReplayStats before = store.admin().replayStats();
      Object isBeanDone = new StoreBean(store.admin()).getAttribute("ReplayDone");
      StoreUpkeep upkeep = new StoreUpkeep(store.admin());
      Map<String, Long> figures = upkeep.figures();
      held.release(); // else the store cannot close, and nobody hears what failed
      assertThat(store.admin().recoveryReport().laterLogBytes()).isPositive();
      assertThat(before.wordsLeft()).isZero();
      assertThat(before.isDone()).isFalse();
      assertThat(isBeanDone).isEqualTo(false);
      assertThat(figures).containsEntry("replayDone", 0L).containsEntry("replayWordsLeft", 0L);
      await(() -> store.admin().replayStats().isDone(), Thread::onSpinWait);
      assertThat(new StoreBean(store.admin()).getAttribute("ReplayDone")).isEqualTo(true);
      assertThat(upkeep.figures()).containsEntry("replayDone", 1L);
      check(store, slots.size());
      assertThat(store.admin().replayStats().words()).isPositive();
    }
  }

  @Test
  void aTimeLimitEndsTheWaitForTheRestOfTheLog() {
    killWithASummary();
    int slot = slots.getFirst();
    TxOptions limited = TxOptions.async().withTimeLimit(Duration.ofMillis(20));
    try (Store store = Store.open(options().withExecution(held))) {
      long array = store.read(tx -> tx.root(0));
      List<Consumer<Tx>> bodies =
          List.of(
              tx -> tx.getLong(array + slot * 8L),
              tx -> tx.putLong(array + slot * 8L, 4711),
              tx -> tx.getLongs(new long[] {array + slot * 8L, array}, new long[2]));
      for (Consumer<Tx> body : bodies) {
        assertThatThrownBy(() -> store.run(limited, body::accept))
            .isInstanceOf(TransactionTimeoutException.class);
      }
      held.release();
      check(store, slots.size());
    } finally {
      held.release();
    }
  }

  @Test
  void blindWritesAreNotOverwrittenByTheLog() {
    killWithASummary();
    int slot = slots.getFirst();
    try (Store store = Store.open(options().withExecution(held))) {
      long array = store.read(tx -> tx.root(0));
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(
              () -> store.run(tx -> tx.putLong(array + slot * 8L, 4711)),
              r -> new Thread(r).start());
      held.release();
      written.join();
      store.admin().checkpoint();
      long found = store.read(tx -> tx.getLong(array + slot * 8L));
      assertThat(found).isEqualTo(4711);
    }
  }

  @Test
  void aKillBeforeTheLogIsReadLosesNothing() {
    killWithASummary();
    Store store = Store.open(options().withExecution(held));
    assertThat(store.admin().recoveryReport().laterLogBytes()).isPositive();
    store.run(TxOptions.sync(), tx -> tx.root(3, tx.root(1)));
    disk.kill();
    held.release();
    assertThatThrownBy(store::close).isNotNull();
    try (Store again = Store.open(options())) {
      assertThat(again.admin().recoveryReport().laterLogBytes()).isPositive();
      assertThat(check(again, slots.size())).isEqualTo(slots.size());
      requireRoot3(again);
    }
  }

  /** More of them where few have left a later log. */
  private static final int LIVES = 24 / Integer.getInteger("howdah.stride", 3);

  @Test
  @Tag("scaled")
  void anyCrashLeavesAStoreThatTheLogDescribes() {
    create();
    SplittableRandom random = new SplittableRandom(5);
    int later = 0;
    long sure = 0;
    // how much of the log a life leaves for later depends on when the watch has written a summary
    for (int life = 0; life < LIVES || later < 4; life++) {
      assertThat(life).as("lives, of which %d left a later log", later).isLessThan(100);
      Store store = Store.open(options());
      later += store.admin().recoveryReport().laterLogBytes() > 0 ? 1 : 0;
      int kind = random.nextInt(4);
      if (random.nextBoolean()) {
        long count = check(store, sure);
        slots.subList((int) count, slots.size()).clear();
      } else {
        long count = count(store);
        assertThat(count).isGreaterThanOrEqualTo(sure);
        slots.subList((int) count, slots.size()).clear();
      }
      if (kind != 0) {
        commitUntilSummarised(store, random);
      }
      if (random.nextInt(6) == 0) {
        store.admin().checkpoint();
      }
      if (kind == 1) {
        commit(store, random, TxOptions.sync());
        sure = slots.size();
        for (int i = random.nextInt(200); i > 0; i--) {
          commit(store, random, TxOptions.async());
        }
        disk.powerCut(new CrashChoice(random.nextLong(), random.nextInt(1, 100)));
      } else {
        sure = slots.size();
        disk.kill();
      }
      assertThatThrownBy(store::close).isNotNull();
    }
    try (Store store = Store.open(options())) {
      check(store, sure);
    }
  }

  /** Changes both summaries, and gives them valid checksums again. */
  private void forge(Consumer<ByteBuffer> change) {
    Storage storage = disk.storage();
    for (int i = 0; i < 2; i++) {
      String name = "log/summary-" + i;
      if (storage.exists(name)) {
        try (StagingMemory memory = new StagingMemory();
            StorageFile file = storage.open(name, Storage.Access.READ_WRITE)) {
          ByteBuffer bytes = memory.allocate((int) file.sizeBytes());
          file.read(0, bytes);
          change.accept(bytes);
          int length =
              (int) LogSummaryLayout.length(bytes.getLong(LogSummaryLayout.MAP_WORDS_OFFSET));
          if (length > 0 && length <= bytes.capacity()) {
            bytes.putInt(
                LogSummaryLayout.CRC_OFFSET,
                Crc32c.around(bytes, LogSummaryLayout.CRC_OFFSET, length));
          }
          file.write(0, bytes.clear());
        }
      }
    }
  }

  /**
   * Opens a store and waits until it has read its log, or has stopped; returns whether it has left
   * some of the log for later.
   */
  private boolean openAndUse() {
    boolean later = true;
    try (Store store = Store.open(options())) {
      later = store.admin().recoveryReport().laterLogBytes() > 0;
      await(() -> store.admin().replayStats().isDone(), () -> lastSlot(store));
    } catch (HowdahException e) {
      // it has stopped
    }
    return later;
  }

  @Test
  void aSummaryWithAnyBitWrongChangesNothing() {
    killWithASummary();
    for (int i = 0; i < 2; i++) {
      if (disk.storage().exists("log/summary-" + i)) {
        int length = disk.contents("log/summary-" + i).length;
        disk.flipBit("log/summary-" + i, new SplittableRandom(i).nextInt(length), 3);
      }
    }
    try (Store store = Store.open(options())) {
      assertThat(store.admin().recoveryReport().laterLogBytes()).isZero();
      check(store, slots.size());
    }
  }

  @Test
  void aForgedPlaceInTheLogIsNotBelieved() {
    killWithASummary();
    int[] offsets = {
      LogSummaryLayout.GENERATION_OFFSET,
      LogSummaryLayout.SEGMENT_OFFSET,
      LogSummaryLayout.BATCH_OFFSET
    };
    for (int offset : offsets) {
      for (long wrong : new long[] {0, 1, 2, -1, Long.MAX_VALUE, Long.MIN_VALUE, 77}) {
        SimulatedDisk copy = disk.fork();
        LaterLogTest other = on(copy);
        other.forge(bytes -> bytes.putLong(offset, wrong));
        if (offset == LogSummaryLayout.GENERATION_OFFSET && wrong >= 77) {
          // A summary is written under a superblock that knows its generation.
          assertThatThrownBy(() -> Store.open(other.options()).close())
              .isInstanceOf(CorruptStoreException.class)
              .hasMessageContaining("the superblock is older than the log");
          continue;
        }
        try (Store store = Store.open(other.options())) {
          other.check(store, slots.size());
        }
      }
    }
  }

  @Test
  void aSummaryThatLeavesOutAPageStopsTheStoreAndIsGone() {
    killWithASummary();
    forge(
        bytes -> {
          for (int at = LogSummaryLayout.MAP_OFFSET; at < bytes.capacity(); at += 8) {
            bytes.putLong(at, 0);
          }
        });
    boolean later = openAndUse();
    assertThat(hasSummary()).isEqualTo(!later);
    try (Store store = Store.open(options())) {
      check(store, slots.size());
    }
  }

  @Test
  void aSummaryWithAnotherHeaderStopsTheStoreAndIsGone() {
    killWithASummary();
    // Root 7, which no commit writes.
    forge(bytes -> bytes.putLong(LogSummaryLayout.REGION_HEADER_OFFSET + 576 + 7 * 8, 13));
    boolean later = openAndUse();
    assertThat(hasSummary()).isEqualTo(!later);
    try (Store store = Store.open(options())) {
      check(store, slots.size());
      long root = store.read(tx -> tx.root(7));
      assertThat(root).isZero();
    }
  }

  @Test
  void damageInThePartThatIsReadLaterStopsTheStoreAndEachOneAfterIt() {
    killWithASummary();
    long generation =
        ByteBuffer.wrap(disk.contents("log/summary-0"))
            .order(ByteOrder.LITTLE_ENDIAN)
            .getLong(LogSummaryLayout.GENERATION_OFFSET);
    String first = "";
    long least = Long.MAX_VALUE;
    int lastByte = 0;
    for (String name : disk.storage().list("log/0")) {
      ByteBuffer bytes =
          ByteBuffer.wrap(disk.contents("log/0/" + name)).order(ByteOrder.LITTLE_ENDIAN);
      long sequence = bytes.getLong(SegmentLayout.SEQUENCE_OFFSET);
      if (bytes.getLong(SegmentLayout.GENERATION_OFFSET) == generation && sequence < least) {
        least = sequence;
        first = name;
        // The first batch has what was committed until the flusher woke: one commit, or many.
        int batch = SegmentLayout.HEADER_LENGTH;
        lastByte = batch + bytes.getInt(batch + BatchLayout.LENGTH_OFFSET) - 1;
      }
    }
    disk.flipBit("log/0/" + first, lastByte, 1);
    assertThatThrownBy(
            () -> {
              try (Store store = Store.open(options())) {
                assertThat(store.admin().recoveryReport().laterLogBytes()).isPositive();
                await(() -> store.admin().replayStats().isDone(), () -> lastSlot(store));
              }
            })
        .isInstanceOf(HowdahException.class)
        .hasMessageContaining("is damaged or missing");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> Store.open(options()).close())
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("is damaged or missing");
    }
  }

  private void putBack(String name, byte[] bytes) {
    try (StagingMemory memory = new StagingMemory();
        StorageFile file = disk.storage().open(name, Storage.Access.READ_WRITE)) {
      file.write(0, memory.allocate(bytes.length).put(bytes).flip());
    }
  }

  /** The summary knows what the log has above a newer checkpoint than the one that is there. */
  @Test
  void anOlderCheckpointThatWasPutBackUsesNoSummary() {
    create();
    Store store = Store.open(options());
    Map<String, byte[]> older = new TreeMap<>();
    for (String name : List.of("store.howdah", "image", "image.sums")) {
      older.put(name, disk.contents(name));
    }
    store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(1) + 5000 * 8L, 4711));
    store.admin().checkpoint();
    commitUntilSummarised(store, new SplittableRandom(1));
    kill(store);
    older.forEach(this::putBack);
    try (Store again = Store.open(options().withExecution(held))) {
      long laterBytes = again.admin().recoveryReport().laterLogBytes();
      held.release();
      assertThat(laterBytes).isZero();
      assertThat(cold(again, 5000)).isEqualTo(4711);
      check(again, slots.size());
    }
  }

  private LaterLogTest on(SimulatedDisk copy) {
    LaterLogTest other = new LaterLogTest();
    other.disk = copy;
    other.slots.addAll(slots);
    return other;
  }
}
