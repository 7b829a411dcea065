package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StoreLockedException;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.commit.Lsn;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores on real files: opened, closed, and refused with a reason. */
class StoreOpeningTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10);

  @TempDir Path directory;

  private Path bank() {
    return directory.resolve("bank");
  }

  private static long deposit(Store store, long amount) {
    return store.call(
        tx -> {
          if (tx.root(0) == 0) {
            tx.root(0, tx.allocate(8));
          }
          long sum = tx.getLong(tx.root(0)) + amount;
          tx.putLong(tx.root(0), sum);
          return sum;
        });
  }

  @Test
  void dataOutlivesACleanClose() {
    for (long expected = 100; expected <= 500; expected += 100) {
      try (Store store = Store.open(bank(), SMALL)) {
        assertThat(store.admin().recoveryReport().outcome())
            .isInstanceOf(RecoveryOutcome.Clean.class);
        assertThat(deposit(store, 100)).isEqualTo(expected);
      }
    }
  }

  @Test
  void aCleanCloseLeavesNothingToReplayAndNoRings() throws IOException {
    try (Store store = Store.open(bank(), SMALL)) {
      deposit(store, 1);
    }
    try (Store store = Store.open(bank(), SMALL)) {
      RecoveryReport report = store.admin().recoveryReport();
      assertThat(report.counts().records()).isZero();
      assertThat(deposit(store, 1)).isEqualTo(2);
    }
    try (FileStorage storage = FileStorage.open(bank());
        SuperblockFile superblock = SuperblockFile.open(storage)) {
      assertThat(superblock.current().clean()).isTrue();
      assertThat(superblock.current().rings()).isEqualTo(new RingPlacement.None());
    }
    try (Stream<Path> rings = Files.list(bank().resolve("rings"))) {
      assertThat(rings).isEmpty();
    }
  }

  @Test
  void ringsLieInTheStoreWhereThereIsNoVolatilePlace() throws IOException {
    FileStorage storage =
        FileStorage.open(
            bank(), FileStorageOptions.DEFAULT.withVolatileDirectory(directory.resolve("none")));
    try (Store store = Store.open(SMALL.withStorage(storage))) {
      deposit(store, 1);
      try (Stream<Path> rings = Files.list(bank().resolve("rings"))) {
        assertThat(rings).hasSize(2);
      }
    }
  }

  @Test
  void aSecondOpenerIsToldWhoHoldsTheStore() {
    try (Store store = Store.open(bank(), SMALL)) {
      deposit(store, 1);
      assertThatThrownBy(() -> Store.open(bank(), SMALL))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining(Long.toString(ProcessHandle.current().pid()));
      assertThat(deposit(store, 1)).isEqualTo(2);
    }
    Store.open(bank(), SMALL).close();
  }

  @Test
  void aDirectoryWithOtherFilesIsNotTakenOver() throws IOException {
    Files.createDirectories(bank());
    Files.writeString(bank().resolve("notes.txt"), "mine");
    assertThatThrownBy(() -> Store.open(bank(), SMALL))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("notes.txt");
    assertThat(bank().resolve("store.howdah")).doesNotExist();
  }

  @Test
  void whatAnInterruptedCreationLeftIsNoObstacle() throws IOException {
    Files.createDirectories(bank().resolve("log").resolve("0"));
    Files.createDirectories(bank().resolve("journal"));
    try (Store store = Store.open(bank(), SMALL)) {
      assertThat(deposit(store, 7)).isEqualTo(7);
    }
  }

  @Test
  void aLogWithoutASuperblockIsDamageAndNoNewStore() throws IOException {
    try (Store store = Store.open(bank(), SMALL)) {
      deposit(store, 1);
    }
    Files.delete(bank().resolve("store.howdah"));
    assertThatThrownBy(() -> Store.open(bank(), SMALL))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("store.howdah");
  }

  @Test
  void aTruncatedImageIsNamedWithItsOffset() throws IOException {
    try (Store store = Store.open(bank(), SMALL)) {
      deposit(store, 1);
    }
    try (FileChannel image = FileChannel.open(bank().resolve("image"), StandardOpenOption.WRITE)) {
      image.truncate(8192);
    }
    assertThatThrownBy(() -> Store.open(bank(), SMALL))
        .isInstanceOfSatisfying(
            CorruptStoreException.class, e -> assertThat(e.offset()).isEqualTo(8192));
  }

  @Test
  void aStoreGrowsAndShrinksDownToWhatIsUsed() {
    try (Store store = Store.open(bank(), SMALL)) {
      deposit(store, 5);
    }
    try (Store store = Store.open(bank(), SMALL.withMaxSize(4 << 20))) {
      assertThat(deposit(store, 5)).isEqualTo(10);
      store.run(tx -> tx.putLong(tx.allocate(2_000_000), 1));
    }
    try (Store store = Store.open(bank())) {
      assertThat(store.admin().stats().capacityBytes()).isEqualTo(4 << 20);
      assertThat(deposit(store, 5)).isEqualTo(15);
    }
    try (Store store = Store.open(bank(), SMALL.withMaxSize(1 << 20))) {
      assertThat(store.admin().options().maxSize()).isBetween(2_000_000L, (4L << 20) - 1);
      assertThat(deposit(store, 5)).isEqualTo(20);
    }
  }

  @Test
  void directoriesAboveAStoreAreCreatedForTheirOwnerAlone() throws IOException {
    Path deep = directory.resolve("data").resolve("of").resolve("the bank");
    try (Store store = Store.open(deep, SMALL)) {
      assertThat(deposit(store, 5)).isEqualTo(5);
    }
    for (Path made : List.of(deep, deep.resolve(".."), deep.resolve("..").resolve(".."))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
          .isEqualTo("rwx------");
    }
  }

  /** Nothing in them is needed once a store was closed. */
  @Test
  void directoriesMissingFromAClosedStoreAreMadeAgain() throws IOException {
    for (String missing : List.of("log/0", "log", "journal", "rings")) {
      try (Store store = Store.open(bank(), SMALL)) {
        deposit(store, 1);
      }
      try (Stream<Path> files = Files.walk(bank().resolve(missing))) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
      assertThat(StoreBackups.check(bank()).remarks())
          .anySatisfy(
              remark -> assertThat(remark).contains("the directory " + missing + " is missing"));
      try (Store store = Store.open(bank(), SMALL)) {
        deposit(store, 1);
        store.admin().checkpoint();
      }
      assertThat(StoreBackups.check(bank()).remarks()).isEmpty();
    }
    try (Store store = Store.open(bank(), SMALL)) {
      assertThat(deposit(store, 0)).isEqualTo(8);
    }
  }

  @Test
  void aClosedStoreSaysSo() {
    Store store = Store.open(bank(), SMALL);
    store.close();
    store.close();
    assertThatThrownBy(() -> deposit(store, 1)).isInstanceOf(StoreClosedException.class);
  }

  @Test
  void interruptsNeitherHarmTheStoreNorGetLost() throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    Thread worker = Thread.currentThread();
    Thread storm =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!done.get()) {
                    worker.interrupt();
                    Thread.onSpinWait();
                  }
                });
    try (Store store = Store.open(bank(), SMALL)) {
      for (int i = 1; i <= 200; i++) {
        assertThat(deposit(store, 1)).isEqualTo(i);
      }
    } finally {
      done.set(true);
    }
    while (storm.isAlive()) {
      Thread.onSpinWait();
    }
    assertThat(Thread.interrupted()).isTrue();
    try (Store store = Store.open(bank(), SMALL)) {
      assertThat(deposit(store, 1)).isEqualTo(201);
    }
  }

  @Test
  void theLastLsnIsNeverGivenOut() {
    Store.open(bank(), SMALL).close();
    try (FileStorage storage = FileStorage.open(bank());
        SuperblockFile superblock = SuperblockFile.open(storage)) {
      superblock.write(superblock.current().change().withBaseLsn(Lsn.MAX - (1 << 16) - 3).build());
    }
    try (Store store = Store.open(bank(), SMALL)) {
      assertThatThrownBy(
              () -> {
                while (true) {
                  deposit(store, 1);
                }
              })
          .isInstanceOf(StoreFailedException.class)
          .hasMessageContaining("all " + Lsn.MAX + " LSNs");
    }
  }

  /**
   * An opening that fails at any operation leaves nothing locked, and the next one succeeds: the
   * first few of each kind, and a sample of those after them.
   */
  @Test
  @Tag("scaled")
  void everyOperationOfAnOpeningMayFail() {
    SimulatedDisk made = SimulatedDisk.seeded(0);
    try (Store store = Store.open(SMALL.withStorage(made.storage()))) {
      deposit(store, 3);
    }
    SimulatedDisk opened = made.fork();
    try (Store store = Store.open(SMALL.withStorage(opened.storage()))) {
      deposit(store, 4);
    }
    for (Operation operation : Operation.values()) {
      for (int nth = 1;
          nth <= Math.min(40, opened.operations(operation));
          nth += nth < 4 ? 1 : OperationSample.STRIDE) {
        SimulatedDisk disk = SimulatedDisk.seeded(nth);
        try (Store store = Store.open(SMALL.withStorage(disk.storage()))) {
          deposit(store, 3);
        }
        disk.inject(Fault.onNth(operation, nth));
        try (Store store = Store.open(SMALL.withStorage(disk.storage()))) {
          deposit(store, 4);
        } catch (io.howdah.core.HowdahException e) {
          assertThat(e).as("%s %d", operation, nth).isNotInstanceOf(CorruptStoreException.class);
        }
        disk.clearFaults();
        try (Store store = Store.open(SMALL.withStorage(disk.storage()))) {
          assertThat(deposit(store, 0)).as("%s %d", operation, nth).isIn(3L, 7L);
        }
      }
    }
  }

  @Test
  void dimensionsThatThisReleaseDoesNotHaveAreRefused() {
    try (Store store = Store.open(bank(), SMALL)) {
      deposit(store, 100);
    }
    Geometry made;
    try (Storage storage = FileStorage.open(bank());
        SuperblockFile file = SuperblockFile.open(storage)) {
      made = file.current().geometry();
    }
    for (Geometry other :
        List.of(
            new Geometry(2, made.ringBytes(), 1L << 47, 1024, 32, 4096),
            new Geometry(2, made.ringBytes(), 4096, 1024, 32, 4096),
            new Geometry(2, made.ringBytes(), made.maxSizeBytes(), 1024, 64, 4096),
            new Geometry(2, made.ringBytes(), made.maxSizeBytes(), 1024, 32, 8192))) {
      rewriteGeometry(other);
      assertThatThrownBy(() -> Store.open(bank(), SMALL))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("dimensions");
      assertThatThrownBy(() -> StoreBackups.check(bank()))
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("dimensions");
    }
    rewriteGeometry(made);
    try (Store store = Store.open(bank(), SMALL)) {
      assertThat(deposit(store, 100)).isEqualTo(200);
    }
  }

  private void rewriteGeometry(Geometry geometry) {
    try (Storage storage = FileStorage.open(bank());
        SuperblockFile file = SuperblockFile.open(storage)) {
      file.write(file.current().change().withGeometry(geometry).build());
    }
  }
}
