package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a store's files hold, shown without changing any of them. */
@ParameterizedClass
@EnumSource(Backing.class)
class ReadOnlyRecoveryTest {

  private static final long PAGE = 4096;

  /** In the middle of the pages of the image: an opening looks at the first and the last. */
  private static final long MIDDLE = 8;

  private static final HandStore.Setup SETUP =
      new HandStore.Setup(2, true, 1L << 40, Backing.MAPPED, false);

  private final Backing backing;
  private final SimulatedDisk disk = SimulatedDisk.seeded(6);
  private Map<String, byte[]> before = Map.of();
  private long nonce = 1;

  ReadOnlyRecoveryTest(Backing backing) {
    this.backing = backing;
  }

  private HandStore open() {
    return HandStore.open(disk.storage(), new SoloExecution(), SETUP, nonce++);
  }

  /** A store that was closed, with an image of 16 pages. */
  @BeforeEach
  void close() {
    HandStore.create(disk.storage(), SETUP);
    HandStore store = open();
    for (long page = 2; page < 18; page++) {
      store.commit(0, page * PAGE, 100 + page);
    }
    store.closeCleanly();
  }

  /** Opened again: one batch, and a record that only a ring holds. */
  private void kill() {
    HandStore store = open();
    store.commit(0, 3 * PAGE, 1);
    store.log.run(1, 20 * PAGE - 16, 2, 3, 4, 5);
    store.log.flush();
    store.commit(1, 4 * PAGE, 6);
    disk.kill();
  }

  /** A checkpoint counts, and the image has some of it without the sum of that page. */
  private void journal() {
    HandStore store = open();
    store.commit(0, MIDDLE * PAGE, 7);
    store.commit(0, 30 * PAGE, 8);
    store.log.flush();
    new Checkpointer(store.storage, store.superblock)
        .journal(store.region(), store.dirty(), store.log.clock());
    try (StorageFile image = disk.storage().open("image", Storage.Access.READ_WRITE)) {
      ByteBuffer line = ByteBuffer.allocateDirect(64);
      store.region().copyTo(MIDDLE * PAGE, line);
      image.write(MIDDLE * PAGE, line.flip());
      image.force();
    }
    disk.kill();
  }

  private Map<String, byte[]> contents() {
    Map<String, byte[]> contents = new TreeMap<>();
    for (String directory : List.of("log/0", "journal", "rings")) {
      for (String name : disk.storage().list(directory)) {
        contents.put(directory + "/" + name, disk.contents(directory + "/" + name));
      }
    }
    for (String name : List.of(SuperblockFile.NAME, "image", "image.sums")) {
      contents.put(name, disk.contents(name));
    }
    return contents;
  }

  private ReadOnlyRecovery.Result recover(boolean imageVerified) {
    before = contents();
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      return ReadOnlyRecovery.recover(
          disk.storage(), new SoloExecution(), superblock, backing, imageVerified);
    }
  }

  @AfterEach
  void nothingWasChanged() {
    Map<String, byte[]> after = contents();
    assertThat(after.keySet()).isEqualTo(before.keySet());
    after.forEach((name, bytes) -> assertThat(bytes).as(name).isEqualTo(before.get(name)));
  }

  private void requireRefused(boolean imageVerified, String message) {
    assertThatThrownBy(() -> recover(imageVerified))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining(message);
  }

  private static void requireImage(Region region, long... others) {
    for (long page = 2; page < 18; page++) {
      long own = page;
      if (Arrays.stream(others).noneMatch(other -> other == own)) {
        assertThat(region.getLong(page * PAGE)).isEqualTo(100 + page);
      }
    }
  }

  @Test
  void aClosedStoreIsShownAsItWasClosed() {
    ReadOnlyRecovery.Result result = recover(true);
    requireImage(result.region());
    assertThat(result.region().capacityBytes()).isEqualTo(HandStore.REGION_BYTES);
    assertThat(result.report().outcome()).isEqualTo(new RecoveryOutcome.Clean());
    assertThat(result.report().foldedPages()).isZero();
    assertThat(result.report().lsn()).isEqualTo(16);
    result.region().close();
  }

  @Test
  void aKilledStoreIsShownAsARecoveryWouldBringItBack() {
    kill();
    Region region = recover(true).region();
    requireImage(region, 3, 4);
    assertThat(region.getLong(3 * PAGE)).isEqualTo(1);
    assertThat(region.getLong(4 * PAGE)).isEqualTo(6);
    for (int i = 0; i < 4; i++) {
      assertThat(region.getLong(20 * PAGE - 16 + 8L * i)).isEqualTo(2 + i);
    }
    region.close();
  }

  @Test
  void aJournalThatIsNotFoldedIsShownAsIfItWere() {
    journal();
    for (boolean imageVerified : new boolean[] {true, false}) {
      ReadOnlyRecovery.Result result = recover(imageVerified);
      assertThat(result.report().foldedPages()).isEqualTo(2);
      assertThat(result.report().counts().records()).as("the journal has them").isZero();
      requireImage(result.region(), MIDDLE);
      assertThat(result.region().getLong(MIDDLE * PAGE)).isEqualTo(7);
      assertThat(result.region().getLong(30 * PAGE)).isEqualTo(8);
      result.region().close();
    }
  }

  @Test
  void ifTheJournalIsDamagedTheLogTells() {
    journal();
    for (String area : disk.storage().list("journal")) {
      disk.flipBit("journal/" + area, 8, 1);
    }
    ReadOnlyRecovery.Result result = recover(false);
    assertThat(result.report().foldedPages()).isEqualTo(-1);
    assertThat(result.report().counts().records()).isEqualTo(2);
    requireImage(result.region(), MIDDLE);
    assertThat(result.region().getLong(MIDDLE * PAGE)).isEqualTo(7);
    assertThat(result.region().getLong(30 * PAGE)).isEqualTo(8);
    result.region().close();
  }

  @Test
  void aDamagedPageOfAClosedStoreIsRefusedIfItIsLookedAt() {
    disk.flipBit("image", MIDDLE * PAGE + 5, 1);
    requireRefused(true, "at offset " + MIDDLE * PAGE);
    if (backing != Backing.RESIDENT) {
      requireImage(recover(false).region(), MIDDLE);
    } else {
      requireRefused(false, "at offset " + MIDDLE * PAGE);
    }
  }

  @Test
  void soIsOneOfAKilledStore() {
    kill();
    disk.flipBit("image", MIDDLE * PAGE + 5, 1);
    requireRefused(true, "at offset " + MIDDLE * PAGE);
  }

  @Test
  void withAJournalTheOtherPagesAreVerifiedAgainstTheirSums() {
    journal();
    disk.flipBit("image", 9 * PAGE + 5, 1);
    requireRefused(true, "at offset " + 9 * PAGE);
    if (backing != Backing.RESIDENT) {
      requireImage(recover(false).region(), MIDDLE, 9);
    } else {
      requireRefused(false, "at offset " + 9 * PAGE);
    }
  }

  /** Which every transaction goes by, and which is looked at in any case. */
  @Test
  void aDamagedHeaderIsRefused() {
    disk.flipBit("image", 100, 1);
    requireRefused(false, "image at offset 0");
  }

  @Test
  void anImageThatWasCutOffIsRefused() {
    disk.truncate("image", HandStore.REGION_BYTES - 1);
    requireRefused(false, "ends here");
  }

  @Test
  void aSuperblockThatIsOlderThanAJournalIsRefused() {
    byte[] older = disk.contents(SuperblockFile.NAME);
    for (int i = 0; i < 2; i++) {
      HandStore store = open();
      store.commit(0, 3 * PAGE, i);
      store.closeCleanly();
    }
    try (StorageFile file = disk.storage().open(SuperblockFile.NAME, Storage.Access.READ_WRITE)) {
      file.write(0, ByteBuffer.allocateDirect(older.length).put(older).flip());
    }
    requireRefused(false, "older than the store");
  }

  /** What the kernel does not map is not needed: only what is used is. */
  @Test
  void whereLessCanBeMappedWhatIsUsedIs() {
    HandStore store = open();
    store.commit(0, RegionHeaderLayout.TOP_ADDRESS, 33 * PAGE);
    store.log.flush();
    disk.kill();
    Operation mapping = backing != Backing.RESIDENT ? Operation.MAP_PRIVATE : Operation.ALLOCATE;
    disk.inject(Fault.onNth(mapping, 1).with(Reason.NO_MEMORY));
    Region region = recover(false).region();
    disk.clearFaults();
    assertThat(region.capacityBytes()).isEqualTo(33 * PAGE);
    requireImage(region);
    region.close();
  }

  @Test
  void aForgedEndOfTheDataIsNotBelieved() {
    HandStore store = open();
    store.commit(0, RegionHeaderLayout.TOP_ADDRESS, Long.MAX_VALUE);
    store.log.flush();
    disk.kill();
    Operation mapping = backing != Backing.RESIDENT ? Operation.MAP_PRIVATE : Operation.ALLOCATE;
    disk.inject(Fault.onNth(mapping, 1).with(Reason.NO_MEMORY));
    assertThatThrownBy(() -> recover(false))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(Long.toString(HandStore.REGION_BYTES));
    disk.clearFaults();
  }

  @Test
  void whereAJournalIsNotFoldedItsPagesCountAsUsed() {
    journal();
    Operation mapping = backing != Backing.RESIDENT ? Operation.MAP_PRIVATE : Operation.ALLOCATE;
    disk.inject(Fault.onNth(mapping, 1).with(Reason.NO_MEMORY));
    Region region = recover(false).region();
    disk.clearFaults();
    assertThat(region.capacityBytes()).isEqualTo(31 * PAGE);
    assertThat(region.getLong(30 * PAGE)).isEqualTo(8);
    region.close();
  }

  @Test
  void thePhasesTakeAsLongAsTheReading() {
    kill();
    before = contents();
    SoloExecution execution = new SoloExecution();
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      long started = execution.nanoTime();
      ReadOnlyRecovery.Result result =
          ReadOnlyRecovery.recover(disk.storage(), execution, superblock, backing, false);
      long taken = execution.nanoTime() - started;
      RecoveryReport.Durations durations = result.report().durations();
      assertThat(durations.total()).isEqualTo(taken - 2000);
      assertThat(List.of(durations.fold(), durations.image(), durations.replay()))
          .allSatisfy(nanos -> assertThat(nanos).isBetween(1000L, taken));
      result.region().close();
    }
  }
}
