package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.HandSummary;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.layout.SuperblockLayout;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.flush.BatchId;
import io.howdah.log.recovery.LogShortcut;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A killed store whose log has a summary: what an opening serves before the part in front of the
 * shortcut is read, what it makes of that part, and when it makes no use of the summary.
 */
@Timeout(60)
class LateReplayTest {

  private static final long PAGE = 4096;

  /** Words of the region's header: one before the shortcut has it, one behind, one neither. */
  private static final long EARLY_ROOT = 64;

  private static final long LATE_ROOT = 72;
  private static final long UNUSED_ROOT = 80;

  /** What the image has of the header. */
  private static final long OLD_ROOT = 88;

  private static final HandStore.Setup SETUP =
      new HandStore.Setup(2, true, 1L << 40, Backing.MAPPED, false);

  private static final long RING_BYTES = SETUP.partitions() * HandLog.ringBytes();

  /** Words behind the shortcut, without the header's. */
  private static final int BEHIND = 3;

  /** Words before the shortcut, one of them the header's. */
  private static final int BEFORE = 4;

  private SimulatedDisk disk = SimulatedDisk.seeded(3);
  private SimulatedExecution execution = execution(2);
  private final long[] header = new long[LogSummaryLayout.REGION_HEADER_LENGTH / Long.BYTES];
  private final long[] map = {1L | 1L << 10 | 1L << 11};
  private LogShortcut shortcut = new LogShortcut(1, 1, 1, 0, 1, 1, new BatchId(1, 0));
  private long since;
  private long lastLsn;
  private final List<String> segments = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();

  private static SimulatedExecution execution(int processors) {
    return SimulatedExecution.builder(Schedule.roundRobin(20))
        .processors(processors)
        .maxSteps(30_000)
        .virtualThreads()
        .build();
  }

  private HandStore openByHand(long nonce) {
    return HandStore.open(disk.storage(), new SoloExecution(), SETUP, nonce);
  }

  /** A store that was closed once, and killed so many times before the last. */
  private void kill(int kills) {
    disk = SimulatedDisk.seeded(3);
    HandStore.create(disk.storage(), SETUP);
    HandStore first = openByHand(1);
    first.commit(0, OLD_ROOT, 9);
    first.commit(0, 12 * PAGE, 9);
    first.closeCleanly();
    for (int i = 0; i < kills; i++) {
      HandStore store = openByHand(100 + i);
      store.commit(0, 11 * PAGE + 16, i);
      store.log.flush();
      disk.kill();
    }
    killAStore();
  }

  @BeforeEach
  void killAStoreThatWasClosedOnce() {
    kill(0);
  }

  /** Two segments and a record that only a ring holds; the shortcut is the second segment. */
  private void killAStore() {
    HandStore store = openByHand(2);
    Superblock superblock = store.superblock.current();
    long base = store.log.clock();
    store.commit(0, 10 * PAGE, 1);
    store.commit(1, 11 * PAGE + 8, 2);
    store.commit(0, EARLY_ROOT, 3);
    store.log.flush();
    store.commit(1, 10 * PAGE + 8, 4);
    store.log.flush();
    for (int i = 0; i < header.length; i++) {
      header[i] = store.region().getLong(8L * i);
    }
    store.log.nextSegment();
    store.commit(0, 10 * PAGE, 5);
    store.commit(1, 12 * PAGE, 6);
    store.commit(0, LATE_ROOT, 7);
    store.log.flush();
    since = superblock.checkpoint().replayAboveLsn();
    long segment = superblock.log().firstSegment();
    shortcut =
        new LogShortcut(
            superblock.generation(),
            segment + 1,
            3,
            since,
            base + 4,
            base + 4,
            store.log.lastBatch());
    lastLsn = base + 8;
    segments.clear();
    segments.add(store.log.names().getFirst());
    segments.add(store.log.names().getLast());
    store.commit(1, 13 * PAGE, 8);
    disk.kill();
  }

  private void summarise() {
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      HandSummary.write(disk.storage(), superblock.current(), shortcut, header, map);
    }
  }

  private boolean hasSummary() {
    return disk.storage().exists("log/summary-0");
  }

  private static RecoveryOptions later(long laterAboveBytes, long stashBytes) {
    return new RecoveryOptions(
        Backing.MAPPED,
        1L << 40,
        Long.MAX_VALUE,
        stashBytes,
        false,
        Long.MAX_VALUE,
        laterAboveBytes);
  }

  private static RecoveryOptions later() {
    return later(1, 64 << 20);
  }

  /** What is done with a store that was opened. */
  private interface Use {
    void use(RecoveredStore store);
  }

  /** Opens the store in a simulated process, uses and closes it. */
  private void open(RecoveryOptions options, Use use) {
    disk.scheduleWith(execution);
    HeldResources resources = new HeldResources(disk.storage());
    execution.run(
        () -> {
          try (SuperblockFile superblock = SuperblockFile.open(resources.storage())) {
            RecoveredStore store =
                StoreRecovery.recover(resources.storage(), execution, superblock, options);
            try {
              use.use(store);
            } finally {
              store.replay().close();
              store.region().close();
              store.dirty().close();
            }
          }
          assertThat(resources.held()).isEmpty();
        });
  }

  private void start(RecoveredStore store) {
    store.replay().start(() -> {}, failures::add);
  }

  /** Waits for so long; one park is not enough, since a simulated park may end early. */
  private void pass(long nanos) {
    for (long until = execution.nanoTime() + nanos; execution.nanoTime() < until; ) {
      execution.parkNanos(this, until - execution.nanoTime());
    }
  }

  private void awaitDone(RecoveredStore store) {
    while (!store.replay().isDone()) {
      assertThat(failures).isEmpty();
      execution.parkNanos(this, 10_000);
    }
  }

  private long segmentBytes(int number) {
    return disk.contents(segments.get(number)).length;
  }

  private static void requireAll(Region region) {
    assertThat(region.getLong(10 * PAGE)).isEqualTo(5);
    assertThat(region.getLong(10 * PAGE + 8)).isEqualTo(4);
    assertThat(region.getLong(11 * PAGE + 8)).isEqualTo(2);
    assertThat(region.getLong(12 * PAGE)).isEqualTo(6);
    assertThat(region.getLong(13 * PAGE)).isEqualTo(8);
    assertThat(region.getLong(EARLY_ROOT)).isEqualTo(3);
    assertThat(region.getLong(LATE_ROOT)).isEqualTo(7);
    assertThat(region.getLong(OLD_ROOT)).isEqualTo(9);
  }

  // ---- what is served when

  @Test
  void theHeaderAndPagesThatTheLogDoesNotTouchAreServedBeforeItIsRead() {
    summarise();
    open(
        later(),
        store -> {
          DeferredReplay replay = store.replay();
          assertThat(store.report().laterLogBytes()).isEqualTo(segmentBytes(0));
          assertThat(store.report().outcome()).isEqualTo(new RecoveryOutcome.AfterKill(lastLsn, 0));
          assertThat(store.report().deferredWords()).isEqualTo(BEHIND);
          assertThat(store.region().getLong(EARLY_ROOT)).isEqualTo(3);
          assertThat(store.region().getLong(LATE_ROOT)).isEqualTo(7);
          assertThat(store.dirty().next(0)).as("the header differs from the image").isZero();
          assertThat(store.dirty().next(1)).as("its second page").isEqualTo(1);
          assertThat(store.dirty().next(2)).as("nothing else is replayed").isEqualTo(-1);
          // None of these waits: no thread is there that would read the log.
          replay.require(EARLY_ROOT);
          replay.require(9 * PAGE + 4088);
          replay.require(14 * PAGE, 300 * PAGE);
          replay.require(8 * PAGE, 2 * PAGE);
          assertThat(replay.tryReplay(12)).isFalse();
          assertThat(replay.isDone()).isFalse();
          assertThat(replay.words()).isEqualTo(BEHIND);
          assertThat(replay.wordsLeft()).isEqualTo(BEHIND);
          assertThat(replay.onDemandChunks()).isZero();
          assertThat(store.region().getLong(12 * PAGE)).as("as in the image").isEqualTo(9);
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {10 * PAGE, 11 * PAGE + 4088, 12 * PAGE + 16, 13 * PAGE})
  void aPageThatTheLogTouchesIsServedOnceItIsRead(long address) {
    summarise();
    open(
        later(),
        store -> {
          boolean[] served = new boolean[1];
          Thread reader =
              execution.spawn(
                  "reader",
                  () -> {
                    store.replay().require(address);
                    served[0] = true;
                  });
          for (int i = 0; i < 50; i++) {
            execution.parkNanos(this, 1_000_000);
          }
          assertThat(served[0]).isFalse();
          start(store);
          execution.join(reader);
          assertThat(served[0]).isTrue();
          awaitDone(store);
          requireAll(store.region());
        });
  }

  @Test
  void aRangeIsServedOnceAllOfItIsReplayed() {
    summarise();
    open(
        later(),
        store -> {
          Thread reader =
              execution.spawn(
                  "reader",
                  () -> {
                    store.replay().require(11 * PAGE + 16, 2 * PAGE - 8);
                    assertThat(store.region().getLong(11 * PAGE + 8)).isEqualTo(2);
                    assertThat(store.region().getLong(12 * PAGE)).isEqualTo(6);
                    assertThat(store.region().getLong(13 * PAGE)).isEqualTo(8);
                  });
          start(store);
          execution.join(reader);
          awaitDone(store);
        });
  }

  @Test
  void whatTheLogBeforeTheShortcutHasComesFirst() {
    summarise();
    open(
        later(),
        store -> {
          start(store);
          awaitDone(store);
          requireAll(store.region());
          assertThat(store.replay().words()).isEqualTo(BEFORE + BEHIND);
          assertThat(store.replay().wordsLeft()).isZero();
          assertThat(failures).isEmpty();
          List<Long> dirty = new ArrayList<>();
          for (long page = store.dirty().next(0); page >= 0; page = store.dirty().next(page + 1)) {
            dirty.add(page);
          }
          assertThat(dirty).containsExactly(0L, 1L, 10L, 11L, 12L, 13L);
        });
    assertThat(hasSummary()).isTrue();
  }

  @Test
  void finishingReadsTheLogAndReplaysAllOfIt() {
    summarise();
    open(
        later(),
        store -> {
          store.replay().finish();
          assertThat(store.replay().isDone()).isTrue();
          assertThat(store.replay().wordsLeft()).isZero();
          requireAll(store.region());
          store.replay().require(10 * PAGE);
          assertThat(store.replay().onDemandChunks()).isZero();
        });
  }

  @Test
  void theTimeThatTheReplayTakesEndsWithIt() {
    summarise();
    open(
        later(),
        store -> {
          long before = store.replay().nanos();
          execution.jump(1_000_000_000);
          assertThat(store.replay().nanos() - before).isBetween(1_000_000_000L, 1_000_100_000L);
          store.replay().finish();
          long taken = store.replay().nanos();
          assertThat(taken).isBetween(before + 1_000_000_000L, before + 2_000_000_000L);
          execution.jump(1_000_000_000);
          assertThat(store.replay().nanos()).isEqualTo(taken);
        });
  }

  /** All that the log has is in the header, which is not deferred. */
  @Test
  void aLogOfTheHeaderAloneIsReplayedOnceItIsRead() {
    SimulatedDisk other = SimulatedDisk.seeded(4);
    HandStore.create(other.storage(), SETUP);
    HandStore store = HandStore.open(other.storage(), new SoloExecution(), SETUP, 1);
    store.commit(0, EARLY_ROOT, 3);
    store.log.flush();
    Arrays.fill(header, 0);
    header[(int) EARLY_ROOT / 8] = 3;
    store.log.nextSegment();
    store.commit(0, LATE_ROOT, 7);
    store.log.flush();
    LogShortcut of = new LogShortcut(1, 2, 2, 0, 1, 1, store.log.lastBatch());
    other.kill();
    try (SuperblockFile superblock = SuperblockFile.open(other.storage())) {
      HandSummary.write(other.storage(), superblock.current(), of, header, new long[] {1});
    }
    other.scheduleWith(execution);
    execution.run(
        () -> {
          SuperblockFile superblock = SuperblockFile.open(other.storage());
          RecoveredStore opened =
              StoreRecovery.recover(other.storage(), execution, superblock, later());
          assertThat(opened.report().laterLogBytes()).isPositive();
          assertThat(opened.replay().isDone()).isFalse();
          start(opened);
          awaitDone(opened);
          assertThat(opened.replay().words()).isEqualTo(1);
          assertThat(opened.region().getLong(EARLY_ROOT)).isEqualTo(3);
          assertThat(opened.region().getLong(LATE_ROOT)).isEqualTo(7);
          opened.replay().close();
        });
  }

  // ---- ends

  @Test
  void aCloseBeforeTheLogIsReadLeavesItUnread() {
    summarise();
    open(
        later(),
        store -> {
          start(store);
          store.replay().close();
          assertThat(failures).isEmpty();
          assertThat(store.replay().isDone()).isFalse();
          assertThat(store.replay().words()).isEqualTo(BEHIND);
          store.replay().close();
        });
    assertThat(hasSummary()).isTrue();
    open(
        later(),
        store -> {
          store.replay().finish();
          requireAll(store.region());
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void whileTooManyFilesAreOpenTheLogIsTriedAgain(int operation) {
    summarise();
    open(
        later(),
        store -> {
          disk.inject(Fault.onNth(Operation.OPEN, operation).with(Reason.TOO_MANY_FILES).forEver());
          start(store);
          pass(100_000_000);
          long opened = disk.operations(Operation.OPEN);
          pass(3_000_000_000L);
          assertThat(disk.operations(Operation.OPEN) - opened).isBetween(2L, 4L);
          assertThat(failures).isEmpty();
          assertThat(store.replay().isDone()).isFalse();
          store.replay().require(EARLY_ROOT);
          store.replay().require(9 * PAGE);
          disk.clearFaults();
          store.replay().require(10 * PAGE);
          awaitDone(store);
          requireAll(store.region());
          assertThat(store.replay().wordsLeft()).isZero();
        });
    assertThat(hasSummary()).isTrue();
  }

  @Test
  void theProgramsLogIsToldOnceThatTheLogIsTriedAgain() {
    summarise();
    Logger logger = Logger.getLogger("io.howdah.checkpoint");
    List<String> written = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord message) {
            written.add(message.getLevel() + " " + message.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    try {
      open(
          later(),
          store -> {
            disk.inject(Fault.onNth(Operation.OPEN, 1).with(Reason.TOO_MANY_FILES).forEver());
            start(store);
            pass(4_000_000_000L);
            disk.clearFaults();
            store.replay().require(10 * PAGE);
            awaitDone(store);
          });
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    assertThat(written).hasSize(1);
    assertThat(written.getFirst())
        .startsWith("WARNING the rest of the log could not be read and is tried again")
        .contains("too many open files");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anEndDoesNotWaitUntilFewerFilesAreOpen(boolean isFinished) {
    summarise();
    open(
        later(),
        store -> {
          disk.inject(Fault.onNth(Operation.OPEN, 1).with(Reason.TOO_MANY_FILES).forEver());
          start(store);
          execution.parkNanos(this, 100_000_000);
          long ending = execution.nanoTime();
          if (isFinished) {
            assertThatThrownBy(store.replay()::finish)
                .isInstanceOf(StoreFailedException.class)
                .hasMessageContaining("too many open files");
          } else {
            store.replay().close();
            assertThat(failures).isEmpty();
          }
          assertThat(execution.nanoTime() - ending).isLessThan(1_500_000_000L);
          assertThat(store.replay().isDone()).isFalse();
        });
    disk.clearFaults();
    assertThat(hasSummary()).isTrue();
    open(
        later(),
        store -> {
          store.replay().finish();
          requireAll(store.region());
        });
  }

  @Test
  void anOpeningThatMustReadTheLogSaysThatTooManyFilesAreOpen() {
    summarise();
    open(
        later(),
        store -> {
          disk.inject(Fault.onNth(Operation.OPEN, 1).with(Reason.TOO_MANY_FILES).forEver());
          assertThatThrownBy(store.replay()::finish).hasMessageContaining("too many open files");
          disk.clearFaults();
        });
  }

  private void requireStop(String message) {
    summarise();
    open(
        later(),
        store -> {
          assertThat(store.report().laterLogBytes()).isPositive();
          start(store);
          assertThatThrownBy(() -> store.replay().require(10 * PAGE))
              .isInstanceOf(StoreFailedException.class)
              .hasMessageContaining(message);
          while (failures.size() < 2) {
            execution.parkNanos(this, 10_000);
          }
          assertThat(failures).hasAtLeastOneElementOfType(CorruptStoreException.class);
          assertThatThrownBy(store.replay()::finish).isInstanceOf(StoreFailedException.class);
          assertThat(store.replay().isDone()).isFalse();
        });
    assertThat(hasSummary()).as("the next opening reads the log first").isFalse();
  }

  private void requireReplayWithoutSummary() {
    open(
        later(),
        store -> {
          assertThat(store.report().laterLogBytes()).isZero();
          store.replay().finish();
          requireAll(store.region());
        });
  }

  @Test
  void aSummaryWithoutAPageThatTheLogTouchesStopsTheStore() {
    map[0] &= ~(1L << 11);
    requireStop("at address " + (11 * PAGE + 8));
    requireReplayWithoutSummary();
  }

  @Test
  void aSummaryWithAnotherWordOfTheHeaderStopsTheStore() {
    header[(int) UNUSED_ROOT / 8] = 1;
    requireStop("the region's word at address " + UNUSED_ROOT);
    requireReplayWithoutSummary();
  }

  @Test
  void aWordOfTheHeaderThatTheRestOfTheLogWritesMayBeAnother() {
    header[(int) LATE_ROOT / 8] = 99;
    summarise();
    open(
        later(),
        store -> {
          store.replay().finish();
          requireAll(store.region());
        });
    assertThat(hasSummary()).isTrue();
  }

  @Test
  void damageBeforeTheShortcutStopsTheStore() {
    disk.flipBit(segments.getFirst(), SegmentLayout.HEADER_LENGTH + 100, 3);
    requireStop("names batch 3");
  }

  // ---- whether a summary is used

  private void requireLater(RecoveryOptions options, boolean expected) {
    open(
        options,
        store -> {
          assertThat(store.report().laterLogBytes() > 0).isEqualTo(expected);
          store.replay().finish();
          requireAll(store.region());
        });
  }

  @Test
  void enoughOfTheLogIsLeftOut() {
    summarise();
    long before = segmentBytes(0);
    SimulatedDisk same = disk.fork();
    requireLater(later(before, 64 << 20), true);
    LateReplayTest other = on(same);
    other.requireLater(later(before + 1, 64 << 20), false);
  }

  @Test
  void theRestOfTheLogAndTheRingsFitAQuarterOfTheStash() {
    summarise();
    long kept = segmentBytes(1) + RING_BYTES;
    SimulatedDisk same = disk.fork();
    requireLater(later(1, 4 * kept), true);
    on(same).requireLater(later(1, 4 * kept - 1), false);
  }

  private static LateReplayTest on(SimulatedDisk copy) {
    LateReplayTest other = new LateReplayTest();
    other.disk = copy;
    return other;
  }

  @Test
  void anOpeningThatReadsAllOfTheImageReadsAllOfTheLog() {
    summarise();
    List<RecoveryOptions> all =
        List.of(
            later(Long.MAX_VALUE, 64 << 20),
            new RecoveryOptions(
                Backing.RESIDENT, 1L << 40, Long.MAX_VALUE, 64 << 20, false, 1L << 40, 1),
            new RecoveryOptions(
                Backing.MAPPED, 1L << 40, Long.MAX_VALUE, 64 << 20, true, 1L << 40, 1),
            new RecoveryOptions(Backing.MAPPED, 1L << 40, lastLsn, 64 << 20, false, 1L << 40, 1));
    for (RecoveryOptions options : all) {
      on(disk.fork()).requireLater(options, false);
    }
    requireLater(later(), true);
  }

  private LogShortcut of(long segment, long imageLsn, BatchId last) {
    return new LogShortcut(
        shortcut.generation(), segment, 3, since, shortcut.replayAboveLsn(), imageLsn, last);
  }

  @Test
  void whereTheSuperblockHasRoomForOneMoreGenerationAllOfTheLogIsReadFirst() {
    int most = SuperblockLayout.MAX_CLOSED_GENERATIONS;
    kill(most - 2);
    summarise();
    requireLater(later(), true);
    kill(most - 1);
    summarise();
    requireLater(later(), false);
  }

  @Test
  void onOneProcessorTheThreadThatFinishesReadsTheLog() {
    execution = execution(1);
    summarise();
    requireLater(later(), true);
  }

  private LateReplayTest summarised(LogShortcut other) {
    LateReplayTest test = on(disk.fork());
    test.shortcut = other;
    System.arraycopy(header, 0, test.header, 0, header.length);
    test.summarise();
    return test;
  }

  @Test
  void aSummaryThatNamesAnotherSegmentIsLeftAside() {
    LogShortcut right = shortcut;
    summarised(of(right.segment() + 1, right.imageLsn(), right.lastBatch()))
        .requireLater(later(), false);
  }

  /** Such a batch, and such an LSN, were durable before the summary was written (R34). */
  @Test
  void aLogThatLacksWhatASummaryNamesAsDurableIsDamaged() {
    LogShortcut right = shortcut;
    BatchId last = right.lastBatch();
    List<LogShortcut> newer =
        List.of(
            of(right.segment(), right.imageLsn(), new BatchId(3, last.crc() + 1)),
            of(right.segment(), lastLsn + 1, last));
    for (LogShortcut each : newer) {
      LateReplayTest other = summarised(each);
      assertThatThrownBy(() -> other.requireLater(later(), false))
          .hasRootCauseInstanceOf(CorruptStoreException.class);
    }
  }

  @Test
  void ofACopyWhoseRingsBelongToTheOriginalNoSummaryIsUsed() {
    summarise();
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      superblock.write(
          superblock
              .current()
              .change()
              .withRings(new RingPlacement.VolatilePlace("howdah-of-another", 1))
              .build());
    }
    open(
        later(),
        store -> {
          assertThat(store.report().laterLogBytes()).isZero();
          store.replay().finish();
          assertThat(store.region().getLong(12 * PAGE)).isEqualTo(6);
          assertThat(store.region().getLong(13 * PAGE)).as("only in rings").isZero();
        });
    assertThat(hasSummary()).isFalse();
  }
}
