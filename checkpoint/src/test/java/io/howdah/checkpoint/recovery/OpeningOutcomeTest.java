package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.WarmMemory;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.SuperblockLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What an opening makes of the superblock, of the log's segments and of its report, when it takes a
 * checkpoint first, and what it gives back if it fails.
 */
class OpeningOutcomeTest {

  private static final long PAGE = 4096;
  private static final long NEVER = 1L << 40;
  private static final HandStore.Setup SETUP =
      new HandStore.Setup(2, true, NEVER, Backing.MAPPED, false);

  private final SimulatedDisk disk = SimulatedDisk.seeded(8);
  private long nonce = 1;

  private HandStore open() {
    return HandStore.open(disk.storage(), new SoloExecution(), SETUP, nonce++);
  }

  private void create() {
    HandStore.create(disk.storage(), SETUP);
  }

  /** An opening of its own, whose store commits nothing. */
  private record Opened(RecoveredStore store, Superblock superblock) {}

  private Opened recover(RecoveryOptions options) {
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      RecoveredStore store =
          StoreRecovery.recover(disk.storage(), new SoloExecution(), superblock, options);
      store.replay().finish();
      return new Opened(store, superblock.current());
    }
  }

  private static RecoveryOptions options(long checkpointAboveBytes) {
    return new RecoveryOptions(
        Backing.MAPPED, checkpointAboveBytes, Long.MAX_VALUE, 1 << 20, false);
  }

  private void commitAndKill(long address, long value) {
    HandStore store = open();
    store.commit(0, address, value);
    store.log.flush();
    disk.kill();
  }

  // ---- generations

  @Test
  void anOpeningThatAcceptedNothingIsNoGeneration() {
    create();
    Opened first = recover(options(NEVER));
    assertThat(first.superblock().generation()).isEqualTo(1);
    assertThat(first.superblock().closedGenerations()).isEmpty();
    assertThat(first.store().report().generation()).isEqualTo(1);
    assertThat(first.superblock().log()).isEqualTo(new LogState(1, 1, 1));
  }

  @Test
  void aKilledGenerationIsClosedByARecord() {
    create();
    commitAndKill(8 * PAGE, 1);
    Opened opened = recover(options(NEVER));
    assertThat(opened.superblock().generation()).isEqualTo(2);
    assertThat(opened.superblock().baseLsn()).isEqualTo(1);
    assertThat(opened.superblock().rings()).isEqualTo(new RingPlacement.None());
    assertThat(opened.superblock().closedGenerations())
        .containsExactly(new ClosedGeneration(1, 0, 1, 1, List.of(0L, 0L)));
    assertThat(opened.superblock().log()).isEqualTo(new LogState(1, 3, 1));
    assertThat(opened.store().lastLsn()).isEqualTo(1);
    assertThat(opened.store().logStart().neededSegments())
        .containsExactlyInAnyOrder("log/0/00000000.seg", "log/0/00000001.seg");
    assertThat(opened.store().logStart().freeSegments()).isEmpty();
    assertThat(opened.store().logStart().nextSegmentSequence()).isEqualTo(3);
    assertThat(opened.store().logStart().nextSegmentName()).isEqualTo(2);
    assertThat(opened.store().logStart().generation()).isEqualTo(2);
    assertThat(opened.store().logStart().baseLsn()).isEqualTo(1);
  }

  @Test
  void aStoreThatWasClosedForgetsItsGenerations() {
    create();
    commitAndKill(8 * PAGE, 1);
    HandStore store = open();
    store.commit(1, 9 * PAGE, 2);
    store.closeCleanly();
    Opened opened = recover(options(NEVER));
    assertThat(opened.superblock().generation()).isEqualTo(3);
    assertThat(opened.superblock().clean()).isFalse();
    assertThat(opened.superblock().closedGenerations()).isEmpty();
    long next = opened.store().logStart().nextSegmentSequence();
    assertThat(opened.superblock().log()).isEqualTo(new LogState(next, next, 1));
    assertThat(opened.store().logStart().neededSegments()).isEmpty();
    assertThat(opened.store().logStart().freeSegments()).hasSize(3);
    assertThat(opened.store().report().deferredWords()).isZero();
    assertThat(opened.store().region().getLong(8 * PAGE)).isEqualTo(1);
    assertThat(opened.store().region().getLong(9 * PAGE)).isEqualTo(2);
  }

  @Test
  void directoriesThatAreGoneAreMadeAgain() {
    create();
    commitAndKill(8 * PAGE, 1);
    disk.storage().list("rings").forEach(name -> disk.storage().delete("rings/" + name));
    disk.storage().delete("rings");
    recover(options(NEVER));
    assertThat(disk.storage().exists("rings")).isTrue();
    assertThat(disk.storage().exists("journal")).isTrue();
  }

  // ---- a checkpoint first

  private void requireCheckpoint(Opened opened, boolean expected) {
    assertThat(opened.store().report().checkpointedPages() > 0).isEqualTo(expected);
    assertThat(opened.superblock().closedGenerations().isEmpty()).isEqualTo(expected);
    assertThat(opened.store().logStart().neededSegments().isEmpty()).isEqualTo(expected);
    assertThat(opened.store().logStart().freeSegments().isEmpty()).isEqualTo(!expected);
    assertThat(opened.superblock().checkpoint().replayAboveLsn()).isEqualTo(expected ? 1 : 0);
    assertThat(opened.store().region().getLong(8 * PAGE)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"4096, false", "4095, true"})
  void moreLogThanMayBeLeftIsCheckpointed(long checkpointAboveBytes, boolean expected) {
    create();
    commitAndKill(8 * PAGE, 1);
    Opened opened = recover(options(checkpointAboveBytes));
    assertThat(opened.store().report().counts().scannedBytes()).isEqualTo(4096);
    requireCheckpoint(opened, expected);
  }

  @Test
  void anOpeningUpToAnLsnTakesACheckpointThatMakesItFinal() {
    create();
    HandStore store = open();
    store.commit(0, 8 * PAGE, 1);
    store.commit(0, 9 * PAGE, 2);
    store.log.flush();
    disk.kill();
    Opened opened = recover(new RecoveryOptions(Backing.MAPPED, NEVER, 1, 1 << 20, false));
    assertThat(opened.store().report().checkpointedPages()).isEqualTo(1);
    assertThat(opened.store().region().getLong(9 * PAGE)).isZero();
    assertThat(opened.superblock().checkpoint().replayAboveLsn()).isEqualTo(2);
    assertThat(opened.superblock().closedGenerations()).isEmpty();
    assertThat(open().region().getLong(9 * PAGE)).isZero();
  }

  @Test
  void theSuperblockHasARecordForSoManyGenerations() {
    create();
    int most = SuperblockLayout.MAX_CLOSED_GENERATIONS;
    for (int i = 1; i < most; i++) {
      commitAndKill(i * PAGE, i);
    }
    HandStore store = open();
    assertThat(store.recovered.report().checkpointedPages()).isZero();
    assertThat(store.superblock.current().closedGenerations()).hasSize(most - 1);
    store.commit(0, most * PAGE, most);
    store.log.flush();
    disk.kill();
    Opened opened = recover(options(NEVER));
    assertThat(opened.store().report().checkpointedPages()).isEqualTo(most);
    assertThat(opened.superblock().closedGenerations()).isEmpty();
    assertThat(opened.superblock().log().oldestSegment())
        .isEqualTo(opened.superblock().log().firstSegment());
    for (int i = 1; i <= most; i++) {
      assertThat(opened.store().region().getLong(i * PAGE)).isEqualTo(i);
    }
  }

  // ---- the report

  @Test
  void thePhasesTakeAsLongAsTheOpening() {
    create();
    commitAndKill(8 * PAGE, 1);
    SoloExecution execution = new SoloExecution();
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      long before = execution.nanoTime();
      RecoveredStore store =
          StoreRecovery.recover(disk.storage(), execution, superblock, options(0));
      long looks = 2; // one before the first phase, one that a replay without a rest takes
      long taken = execution.nanoTime() - before - looks * 1000;
      RecoveryReport.Durations durations = store.report().durations();
      assertThat(durations.total()).isBetween(taken - 2000, taken);
      assertThat(
              List.of(
                  durations.fold(),
                  durations.image(),
                  durations.replay(),
                  durations.relog(),
                  durations.fence(),
                  durations.checkpoint()))
          .allSatisfy(nanos -> assertThat(nanos).isBetween(1000L, taken));
      assertThat(store.report().checkpointedPages()).isEqualTo(1);
      assertThat(store.report().healedSuperblock()).isFalse();
      assertThat(store.report().foldedPages()).isZero();
    }
  }

  @Test
  void aDamagedSlotOfTheSuperblockIsReportedAndWrittenAgain() {
    create();
    commitAndKill(8 * PAGE, 1);
    disk.flipBit(SuperblockFile.NAME, 100, 1);
    assertThat(recover(options(NEVER)).store().report().healedSuperblock()).isTrue();
    assertThat(recover(options(NEVER)).store().report().healedSuperblock()).isFalse();
  }

  // ---- how much is mapped

  @ParameterizedTest
  @CsvSource({"262144, 262144", "524288, 262144", "131072, 131072", "4096, 86016"})
  void asMuchIsMappedAsAllowedOrAsIsUsed(long maxRegionBytes, long expected) {
    create();
    commitAndKill(20 * PAGE, 1);
    RecoveryOptions options =
        new RecoveryOptions(Backing.MAPPED, NEVER, Long.MAX_VALUE, 1 << 20, false, maxRegionBytes);
    Opened opened = recover(options);
    assertThat(opened.store().region().capacityBytes()).isEqualTo(expected);
    assertThat(opened.store().region().getLong(20 * PAGE)).isEqualTo(1);
  }

  /** Blocks that were allocated and never written lie behind all words that have a value. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsAllocatedIsMappedWhoeverTellsOfIt(boolean closed) {
    create();
    HandStore store = open();
    store.commit(0, 8 * PAGE, 1);
    store.commit(0, RegionHeaderLayout.TOP_ADDRESS, 30 * PAGE);
    store.commit(0, 9 * PAGE, 1);
    if (closed) {
      store.closeCleanly();
    } else {
      store.log.flush();
      disk.kill();
    }
    RecoveryOptions options =
        new RecoveryOptions(Backing.MAPPED, NEVER, Long.MAX_VALUE, 1 << 20, false, PAGE);
    assertThat(recover(options).store().region().capacityBytes()).isEqualTo(30 * PAGE);
  }

  @Test
  void wordsBesideTheTopAreNotTakenForIt() {
    create();
    HandStore store = open();
    store.log.run(0, RegionHeaderLayout.TOP_ADDRESS - 16, 16, 7, 30 * PAGE, 7);
    for (int i = 0; i < 8; i++) {
      store.commit(0, RegionHeaderLayout.TOP_ADDRESS - 8, i);
      store.commit(0, RegionHeaderLayout.TOP_ADDRESS + 8, i * 7777L * PAGE);
    }
    store.log.flush();
    disk.kill();
    RecoveryOptions options =
        new RecoveryOptions(Backing.MAPPED, NEVER, Long.MAX_VALUE, 1 << 20, false, PAGE);
    assertThat(recover(options).store().region().capacityBytes()).isEqualTo(30 * PAGE);
  }

  // ---- failures

  /** A store with an image, a journal that is not folded, two generations and rings. */
  private void kill() {
    create();
    commitAndKill(8 * PAGE, 1);
    HandStore store = open();
    store.commit(1, 9 * PAGE, 2);
    store.log.flush();
    store.commit(0, 10 * PAGE, 3);
    disk.kill();
  }

  @Test
  void anImageThatWasCutOffIsRefused() {
    create();
    commitAndKill(8 * PAGE, 1);
    disk.truncate("image", HandStore.REGION_BYTES - 1);
    assertThatThrownBy(() -> recover(options(NEVER)))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("image ends here");
  }

  @Test
  void aSuperblockThatIsOlderThanAJournalIsRefused() {
    create();
    byte[] older = disk.contents(SuperblockFile.NAME);
    for (int i = 1; i <= 3; i++) {
      HandStore store = open();
      store.commit(0, i * PAGE, i);
      store.closeCleanly();
    }
    ByteBuffer bytes = ByteBuffer.allocateDirect(older.length).put(older).flip();
    try (StorageFile file = disk.storage().open(SuperblockFile.NAME, Storage.Access.READ_WRITE)) {
      file.write(0, bytes);
    }
    assertThatThrownBy(() -> recover(options(NEVER)))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("older than the store");
  }

  private static void giveBack(RecoveredStore store) {
    store.replay().close();
    store.region().close();
    store.dirty().close();
    WarmMemory warm = store.warm();
    if (warm != null) {
      warm.close();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"CREATE_DIRECTORY", "LOCK", "RENAME"},
      mode = EnumSource.Mode.EXCLUDE)
  void anOpeningThatFailsGivesEverythingBackAndMayBeRepeated(Operation operation) {
    kill();
    int failed = 0;
    long tried = 0;
    for (Backing backing : Backing.values()) {
      RecoveryOptions options =
          new RecoveryOptions(backing, 0, Long.MAX_VALUE, 1 << 20, backing == Backing.MAPPED);
      SimulatedDisk sound = disk.fork();
      long count = count(sound, operation, options);
      tried += count;
      for (long n = 1; n <= count; n++) {
        SimulatedDisk faulty = disk.fork();
        HeldResources resources = new HeldResources(faulty.storage());
        try (SuperblockFile superblock = SuperblockFile.open(faulty.storage())) {
          faulty.inject(Fault.onNth(operation, n));
          giveBack(
              StoreRecovery.recover(resources.storage(), new SoloExecution(), superblock, options));
        } catch (HowdahException e) {
          failed++;
        }
        assertThat(resources.held()).as("%s %d of %d", operation, n, count).isEmpty();
        faulty.clearFaults();
        faulty.kill();
        HandStore again = HandStore.open(faulty.storage(), new SoloExecution(), SETUP, nonce++);
        assertThat(again.region().getLong(8 * PAGE)).isEqualTo(1);
        assertThat(again.region().getLong(9 * PAGE)).isEqualTo(2);
        assertThat(again.region().getLong(10 * PAGE)).isEqualTo(3);
      }
    }
    assertThat(tried).isPositive();
    if (operation == Operation.MAP_SHARED) {
      assertThat(failed).as("the region is in memory of the process then").isZero();
    } else {
      assertThat(failed).isPositive();
    }
  }

  /** A fault fails the opening, or only its use of the memory of the process before. */
  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"EXISTS", "OPEN", "READ", "WRITE", "LIST", "MAP_SHARED", "ALLOCATE"})
  void anOpeningThatFindsMemoryOfTheProcessBeforeGivesEverythingBack(Operation operation) {
    create();
    HandStore.Setup setup = new HandStore.Setup(2, false, NEVER, Backing.SHARED, false);
    HandStore store = HandStore.open(disk.storage(), new SoloExecution(), setup, nonce++);
    store.commit(0, 8 * PAGE, 1);
    store.log.flush();
    store.commit(1, 9 * PAGE, 2);
    disk.kill();
    RecoveryOptions options = setup.recoveryOptions();
    try (SuperblockFile superblock = SuperblockFile.open(disk.fork().storage())) {
      assertThat(superblock.current().rings()).isInstanceOf(RingPlacement.VolatilePlace.class);
    }
    long count = count(disk.fork(), operation, options);
    assertThat(count).isPositive();
    int attached = 0;
    for (long n = 1; n <= count + 1; n++) {
      SimulatedDisk faulty = disk.fork();
      HeldResources resources = new HeldResources(faulty.storage());
      try (SuperblockFile superblock = SuperblockFile.open(faulty.storage())) {
        faulty.inject(Fault.onNth(operation, n));
        RecoveredStore recovered =
            StoreRecovery.recover(resources.storage(), new SoloExecution(), superblock, options);
        attached += recovered.report().memory() instanceof MemoryOrigin.Attached ? 1 : 0;
        giveBack(recovered);
      } catch (HowdahException e) {
        // Nothing of it may remain.
      }
      assertThat(resources.held()).as("%s %d of %d", operation, n, count).isEmpty();
      faulty.clearFaults();
      faulty.kill();
      HandStore again = HandStore.open(faulty.storage(), new SoloExecution(), setup, nonce++);
      assertThat(again.region().getLong(8 * PAGE)).isEqualTo(1);
      assertThat(again.region().getLong(9 * PAGE)).isEqualTo(2);
    }
    assertThat(attached).as("the last one has no fault").isPositive();
  }

  private static long count(SimulatedDisk disk, Operation operation, RecoveryOptions options) {
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      long before = disk.operations(operation);
      giveBack(StoreRecovery.recover(disk.storage(), new SoloExecution(), superblock, options));
      return disk.operations(operation) - before;
    }
  }

  @Test
  void readingAStoreWithoutChangingItGivesEverythingBackToo() {
    kill();
    List<Operation> tried =
        List.of(Operation.OPEN, Operation.READ, Operation.MAP_PRIVATE, Operation.ALLOCATE);
    List<Operation> failed = new ArrayList<>();
    for (Operation operation : tried) {
      for (Backing backing : Backing.values()) {
        for (int n = 1; n <= 12; n++) {
          SimulatedDisk faulty = disk.fork();
          HeldResources resources = new HeldResources(faulty.storage());
          try (SuperblockFile superblock = SuperblockFile.open(faulty.storage())) {
            faulty.inject(Fault.onNth(operation, n));
            ReadOnlyRecovery.recover(
                    resources.storage(), new SoloExecution(), superblock, backing, true)
                .region()
                .close();
          } catch (HowdahException e) {
            failed.add(operation);
          }
          assertThat(resources.held()).as("%s %d", operation, n).isEmpty();
        }
      }
    }
    assertThat(failed).contains(tried.toArray(new Operation[0]));
  }

  @Test
  void aDamagedPageIsRefusedWithTheRegionGivenBack() {
    create();
    HandStore store = open();
    for (int page = 2; page < 18; page++) {
      store.commit(0, page * PAGE, 1);
    }
    store.closeCleanly();
    disk.flipBit("image", 8 * PAGE + 5, 1);
    // Without the look at all pages, a mapped image shows it only when it is read.
    assertThat(recover(options(NEVER)).store().region().getLong(9 * PAGE)).isEqualTo(1);
    for (Backing backing : Backing.values()) {
      HeldResources resources = new HeldResources(disk.storage());
      try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
        assertThatThrownBy(
                () ->
                    StoreRecovery.recover(
                        resources.storage(),
                        new SoloExecution(),
                        superblock,
                        new RecoveryOptions(backing, NEVER, Long.MAX_VALUE, 1 << 20, true)))
            .hasMessageContaining("at offset " + 8 * PAGE);
      }
      assertThat(resources.held()).isEmpty();
    }
  }
}
