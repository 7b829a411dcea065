package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.txn.TxOptions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Files that were put back from an earlier time: one by accident, or all of them on purpose. */
class OlderFilesTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(1)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  private final SimulatedDisk disk = SimulatedDisk.seeded(5);

  private Store open() {
    return Store.open(OPTIONS.withStorage(disk.storage()));
  }

  private static void add(Store store, int times) {
    for (int i = 0; i < times; i++) {
      store.run(
          TxOptions.sync(),
          tx -> {
            if (tx.root(0) == 0) {
              tx.root(0, tx.allocate(8));
            }
            tx.putLong(tx.root(0), tx.getLong(tx.root(0)) + 1);
          });
    }
  }

  private static long count(Store store) {
    return store.read(tx -> tx.getLong(tx.root(0)));
  }

  private Map<String, byte[]> contents() {
    Map<String, byte[]> contents = new TreeMap<>();
    DamagedStores.files(disk.storage()).forEach(name -> contents.put(name, disk.contents(name)));
    return contents;
  }

  private void kill(int commits) {
    add(open(), commits);
    disk.kill();
  }

  /**
   * The later lives are in the log, whose segments are of generations unknown to the superblock.
   */
  @Test
  void anOldSuperblockOfAKilledStoreIsRefusedByReadersToo() {
    kill(5);
    byte[] old = disk.contents("store.howdah");
    kill(5);
    kill(5);
    DamagedStores.write(disk, "store.howdah", old);
    disk.kill();
    List<ThrowingCallable> waysIn =
        List.of(
            () -> open().close(),
            () -> Store.open(OPTIONS.withReadOnly(true).withStorage(disk.storage())).close(),
            () -> StoreBackups.check(disk.storage(), OPTIONS.execution()));
    for (ThrowingCallable wayIn : waysIn) {
      assertThatThrownBy(wayIn)
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("the superblock is older than the log");
      disk.kill();
    }
  }

  @Test
  void anOldSuperblockOfAClosedStoreIsRefusedThoughTheLogIsGone() {
    add(open(), 5);
    disk.kill();
    open().close();
    byte[] old = disk.contents("store.howdah");
    for (int life = 0; life < 2; life++) {
      try (Store store = open()) {
        add(store, 1);
      }
    }
    disk.storage().list("log/0").forEach(segment -> disk.remove("log/0/" + segment));
    DamagedStores.write(disk, "store.howdah", old);
    assertThatThrownBy(() -> open().close())
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("the file is older than the store");
  }

  @Test
  void anOldImageIsRefusedThoughItsChecksumsAreThatOld() {
    try (Store store = open()) {
      add(store, 5);
    }
    Map<String, byte[]> old = contents();
    try (Store store = open()) {
      add(store, 5);
    }
    DamagedStores.write(disk, "image", Objects.requireNonNull(old.get("image")));
    DamagedStores.write(disk, "image.sums", Objects.requireNonNull(old.get("image.sums")));
    for (ThrowingCallable wayIn :
        List.<ThrowingCallable>of(
            () -> open().close(),
            () -> Store.open(OPTIONS.withReadOnly(true).withStorage(disk.storage())).close(),
            () -> StoreBackups.check(disk.storage(), OPTIONS.execution()))) {
      assertThatThrownBy(wayIn)
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("image and image.sums are older than the store");
      disk.kill();
    }
  }

  /** Its rings lie elsewhere, and are not rolled back. */
  private void rollBackInPlace(StoreOptions options) {
    Store store = Store.open(options.withStorage(disk.storage()));
    add(store, 5);
    Map<String, byte[]> snapshot = contents();
    add(store, 5);
    disk.kill();
    snapshot.forEach((name, bytes) -> DamagedStores.write(disk, name, bytes));
    DamagedStores.files(disk.storage()).stream()
        .filter(name -> !snapshot.containsKey(name))
        .forEach(disk::remove);
  }

  @Test
  void aStoreRolledBackInPlaceOpensOnceThatIsSaid() {
    rollBackInPlace(OPTIONS);
    for (ThrowingCallable wayIn :
        List.<ThrowingCallable>of(
            () -> open().close(), () -> StoreBackups.check(disk.storage(), OPTIONS.execution()))) {
      assertThatThrownBy(wayIn)
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("rolling back a file system's snapshot")
          .hasMessageContaining("howdah accept-rollback");
      disk.kill();
    }
    long lsn = StoreBackups.acceptRollback(disk.storage(), OPTIONS.execution());
    assertThat(disk.trace())
        .as("rings are removed")
        .anyMatch(did -> did.contains("DELETE howdah-"));
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      assertThat(superblock.current().rings()).isEqualTo(RingPlacement.ABSENT);
    }
    assertThat(StoreBackups.check(disk.storage(), OPTIONS.execution()).lsn()).isEqualTo(lsn);
    disk.kill();
    try (Store again = open()) {
      assertThat(count(again)).isEqualTo(5);
      add(again, 1);
    }
    try (Store again = open()) {
      assertThat(count(again)).isEqualTo(6);
    }
  }

  /** Wherever the command ends, the store is still refused, or opens as of the roll-back. */
  @Test
  void anAcceptanceThatIsCutShortCanBeRepeated() {
    CrashMoment[] moments = CrashMoment.values();
    StoreOptions options = OPTIONS.withPartitions(4); // so there are several rings to remove
    rollBackInPlace(options);
    boolean isOver = false;
    int accepted = 0;
    for (int operation = 1; !isOver; operation++) {
      SimulatedDisk cut = disk.fork();
      cut.crashAtOperation(cut.operations() + operation, moments[operation % moments.length]);
      try {
        StoreBackups.acceptRollback(cut.storage(), OPTIONS.execution());
      } catch (RuntimeException | SimulatedCrash e) {
        assertThat(cut.hasCrashed()).as("%s", e).isTrue();
      }
      isOver = cut.operations() < operation;
      cut.kill();
      try (Store opened = Store.open(options.withStorage(cut.storage()))) {
        assertThat(count(opened)).isEqualTo(5);
        accepted++;
        continue;
      } catch (CorruptStoreException e) {
        assertThat(e).hasMessageContaining("howdah accept-rollback");
      }
      cut.kill();
      StoreBackups.acceptRollback(cut.storage(), OPTIONS.execution());
      cut.kill();
      try (Store opened = Store.open(options.withStorage(cut.storage()))) {
        assertThat(count(opened)).isEqualTo(5);
      }
    }
    assertThat(accepted).isGreaterThan(1);
  }

  @Test
  void aRollbackOfADamagedLogIsNotAccepted() {
    add(open(), 5);
    disk.kill();
    String segment = "log/0/" + disk.storage().list("log/0").getFirst();
    disk.flipBit(segment, 4096 + 100, 1);
    byte[] before = disk.contents("store.howdah");
    assertThatThrownBy(() -> StoreBackups.acceptRollback(disk.storage(), OPTIONS.execution()))
        .isInstanceOf(CorruptStoreException.class);
    assertThat(disk.contents("store.howdah")).isEqualTo(before);
  }
}
