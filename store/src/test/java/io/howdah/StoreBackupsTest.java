package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.ImageSumsLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StoreLockedException;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups of stores at work, stores made of them, and checks of both. */
class StoreBackupsTest {

  private static final int WORDS = 2048;
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  @TempDir Path folder;

  private static long counters(Store store) {
    return store.call(
        tx -> {
          if (tx.root(0) == 0) {
            tx.root(0, tx.allocate(WORDS * 8L));
          }
          return tx.root(0);
        });
  }

  /**
   * Sets word after word to the same value in each transaction: two words never differ by more than
   * 1.
   */
  private static long next(Store store, long counters, Durability durability) {
    return store.run(
        TxOptions.of(durability),
        tx -> {
          long value = tx.getLong(counters) + 1;
          for (int i = 0; i < 64; i++) {
            tx.putLong(counters + i * 256L, value);
          }
        });
  }

  private static List<Long> values(Store store) {
    return store.read(
        tx -> {
          List<Long> values = new ArrayList<>();
          for (int i = 0; i < 64; i++) {
            values.add(tx.getLong(tx.root(0) + i * 256L));
          }
          return values;
        });
  }

  private static List<String> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.map(Path::toString).sorted().toList();
    }
  }

  @Test
  void aBackupOfAStoreAtWorkHoldsEverythingUpToItsLsn() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    try (Store store = Store.open(folder.resolve("store"), OPTIONS)) {
      long counters = counters(store);
      Thread writer =
          new Thread(
              () -> {
                while (!stop.get()) {
                  next(store, counters, Durability.ASYNC);
                  LockSupport.parkNanos(300_000);
                }
              });
      writer.start();
      for (int i = 0; i < 8; i++) {
        long before = next(store, counters, Durability.ASYNC);
        Path target = folder.resolve("backup-" + i);
        BackupReport report = store.admin().backup(target);
        assertThat(report.lsn()).isGreaterThanOrEqualTo(before);
        CheckReport check = StoreBackups.check(target);
        assertThat(check.lsn()).isGreaterThanOrEqualTo(report.lsn());
        try (Store copy = Store.open(target, OPTIONS)) {
          assertThat(values(copy).stream().distinct()).hasSize(1);
          assertThat(values(copy).getFirst()).isPositive();
          next(copy, counters, Durability.SYNC);
        }
      }
      stop.set(true);
      writer.join();
    }
  }

  @Test
  void aBackupIsRestoredAsOfAnyLsnItHolds() {
    List<Long> lsns = new ArrayList<>();
    BackupReport report;
    Path backup = folder.resolve("backup");
    try (Store store = Store.open(folder.resolve("store"), OPTIONS)) {
      long counters = counters(store);
      store.admin().checkpoint();
      for (int i = 0; i < 10; i++) {
        lsns.add(next(store, counters, Durability.SYNC));
      }
    }
    // A store that was killed, so that its log is there: as a backup of one that went on to write.
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      long counters = counters(store);
      store.admin().checkpoint();
      lsns.clear();
      for (int i = 0; i < 10; i++) {
        lsns.add(next(store, counters, Durability.SYNC));
      }
      SimulatedDisk killed = disk.fork();
      killed.kill();
      for (int i = 0; i < 10; i++) {
        SimulatedDisk target = SimulatedDisk.builder(2).build();
        long restored =
            StoreBackups.restore(
                killed.storage(),
                target.storage(),
                OptionalLong.of(lsns.get(i)),
                OPTIONS.execution());
        assertThat(restored).isEqualTo(lsns.get(i));
        target.kill();
        try (Store copy = Store.open(OPTIONS.withStorage(target.storage()))) {
          assertThat(values(copy).stream().distinct()).containsExactly(i + 1L);
          assertThat(next(copy, counters, Durability.SYNC)).isGreaterThan(lsns.get(i));
        }
      }
      SimulatedDisk none = SimulatedDisk.builder(3).build();
      for (long lsn : new long[] {lsns.getFirst() - 3, lsns.getLast() + 1}) {
        assertThatThrownBy(
                () ->
                    StoreBackups.restore(
                        killed.storage(),
                        none.storage(),
                        OptionalLong.of(lsn),
                        OPTIONS.execution()))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("can be restored as of an LSN from");
        assertThat(none.storage().list("")).isEmpty();
      }
    }
    try (Store store = Store.open(folder.resolve("store"), OPTIONS)) {
      report = store.admin().backup(backup);
    }
    assertThat(StoreBackups.restore(backup, folder.resolve("restored"), OptionalLong.empty()))
        .isGreaterThanOrEqualTo(report.lsn());
    try (Store copy = Store.open(folder.resolve("restored"), OPTIONS)) {
      assertThat(values(copy).stream().distinct()).containsExactly(10L);
    }
  }

  @Test
  void whatIsNoBackupAndWhatIsInTheWayIsLeftAlone() throws Exception {
    Path store = folder.resolve("store");
    Path other = folder.resolve("other");
    try (Store open = Store.open(store, OPTIONS)) {
      next(open, counters(open), Durability.SYNC);
      Store.open(other, OPTIONS).close();
      List<String> before = files(other);
      assertThatThrownBy(() -> open.admin().backup(other))
          .isInstanceOf(UnsupportedStoreException.class);
      assertThatThrownBy(
              () -> StoreBackups.restore(store, folder.resolve("x"), OptionalLong.empty()))
          .isInstanceOf(StoreLockedException.class);
      assertThat(files(other)).isEqualTo(before);
    }
    Path incomplete = folder.resolve("incomplete");
    try (Store open = Store.open(store, OPTIONS)) {
      open.admin().backup(incomplete);
    }
    Files.delete(incomplete.resolve("store.howdah"));
    assertThatThrownBy(
            () -> StoreBackups.restore(incomplete, folder.resolve("y"), OptionalLong.empty()))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("store.howdah: the file is missing");
    assertThat(Files.exists(folder.resolve("y"))).isFalse();
    assertThatThrownBy(() -> StoreBackups.check(folder.resolve("nowhere")))
        .isInstanceOf(StorageException.class);
  }

  @Test
  void aTargetThatHoldsAStoreIsNotRestoredOver() throws IOException {
    Path shop = folder.resolve("store");
    Path other = folder.resolve("other");
    Store.open(shop, OPTIONS).close();
    Store.open(other, OPTIONS).close();
    List<String> before = files(folder);
    refused(() -> StoreBackups.restore(shop, other, OptionalLong.empty()), other.toString());
    assertThat(files(folder)).isEqualTo(before);
    assertThat(StoreBackups.check(other).closed()).isTrue();
  }

  @Test
  void whatIsNoStoreIsNotChecked() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    refused(() -> StoreBackups.check(empty), "there is no store in " + empty);
  }

  @Test
  void theOldestAndTheNewestCommitOfACheckCanBeRestored() {
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    SimulatedDisk killed;
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      long counters = counters(store);
      next(store, counters, Durability.SYNC);
      store.admin().checkpoint();
      next(store, counters, Durability.SYNC);
      killed = disk.fork();
      killed.kill();
    }
    CheckReport check = StoreBackups.check(killed.storage(), OPTIONS.execution());
    assertThat(check.fromLsn()).isPositive().isLessThan(check.lsn());
    for (long lsn : new long[] {check.fromLsn(), check.lsn()}) {
      SimulatedDisk target = SimulatedDisk.builder(2).build();
      assertThat(
              StoreBackups.restore(
                  killed.storage(), target.storage(), OptionalLong.of(lsn), OPTIONS.execution()))
          .isEqualTo(lsn);
    }
  }

  @Test
  void aRestoreThatHasNoRoomLeavesNothing() {
    Path shop = folder.resolve("store");
    try (Store store = Store.open(shop, OPTIONS)) {
      next(store, counters(store), Durability.SYNC);
    }
    SimulatedDisk target = SimulatedDisk.builder(4).build();
    target.setFreeBytes(1 << 13);
    try (Storage source = FileStorage.open(shop)) {
      assertThatThrownBy(
              () ->
                  StoreBackups.restore(
                      source, target.storage(), OptionalLong.empty(), OPTIONS.execution()))
          .isInstanceOf(StorageException.class);
    }
    assertThat(target.storage().list("")).isEmpty();
  }

  @Test
  void aCheckNamesTheFileThatIsMissingOrTooShort() throws IOException {
    Path shop = folder.resolve("store");
    Store.open(shop, OPTIONS).close();
    Path image = shop.resolve("image");
    try (FileChannel file = FileChannel.open(image, StandardOpenOption.WRITE)) {
      file.truncate(1 << 13);
    }
    requireNamed("image", 1 << 13, () -> StoreBackups.check(shop));
    Files.delete(image);
    assertThatThrownBy(() -> StoreBackups.check(shop))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("the region's image is missing");
  }

  @Test
  void anAcceptedRollbackTellsTheNewestCommit() {
    Path shop = folder.resolve("store");
    try (Store store = Store.open(shop, OPTIONS)) {
      next(store, counters(store), Durability.SYNC);
    }
    long lsn = StoreBackups.check(shop).lsn();
    assertThat(lsn).isPositive();
    assertThat(StoreBackups.acceptRollback(shop)).isEqualTo(lsn);
  }

  /**
   * Rings stay where they are, so nobody is given a copy that lacks what only they hold unasked.
   */
  @Test
  void aKilledStoreIsRestoredAsOfWhatItsLogHoldsIfThatIsAskedFor() {
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    Store store =
        Store.open(
            OPTIONS.withGroupCommitInterval(Duration.ofSeconds(10)).withStorage(disk.storage()));
    long counters = counters(store);
    long forced = next(store, counters, Durability.SYNC);
    long published = next(store, counters, Durability.ASYNC);
    SimulatedDisk killed = disk.fork();
    killed.kill();
    store.close();
    CheckReport check = StoreBackups.check(killed.storage(), OPTIONS.execution());
    assertThat(check.lsn()).isEqualTo(published);
    assertThat(check.restorableLsn()).isEqualTo(forced);
    assertThat(check.remarks())
        .anySatisfy(remark -> assertThat(remark).contains("only there", "LSN " + forced));
    SimulatedDisk target = SimulatedDisk.builder(2).build();
    assertThatThrownBy(
            () ->
                StoreBackups.restore(
                    killed.storage(),
                    target.storage(),
                    OptionalLong.of(published),
                    OPTIONS.execution()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("to " + forced);
    assertThatThrownBy(
            () ->
                StoreBackups.restore(
                    killed.storage(), target.storage(), OptionalLong.empty(), OPTIONS.execution()))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("above LSN " + forced + ", up to " + published)
        .hasMessageContaining("howdah checkpoint");
    assertThat(target.storage().list("")).isEmpty();
    assertThat(
            StoreBackups.restore(
                killed.storage(), target.storage(), OptionalLong.of(forced), OPTIONS.execution()))
        .isEqualTo(forced);
    try (Store copy = Store.open(OPTIONS.withStorage(target.storage()))) {
      assertThat(values(copy).stream().distinct()).containsExactly(1L);
    }
    Store.open(OPTIONS.withStorage(killed.storage())).close();
    SimulatedDisk whole = SimulatedDisk.builder(3).build();
    assertThat(
            StoreBackups.restore(
                killed.storage(), whole.storage(), OptionalLong.empty(), OPTIONS.execution()))
        .isGreaterThanOrEqualTo(published);
    try (Store copy = Store.open(OPTIONS.withStorage(whole.storage()))) {
      assertThat(values(copy).stream().distinct()).containsExactly(2L);
    }
  }

  @Test
  void aDamagedBackupIsNotRestored() {
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      long counters = counters(store);
      for (int i = 0; i < 5; i++) {
        next(store, counters, Durability.SYNC);
      }
      SimulatedDisk killed = disk.fork();
      killed.kill();
      killed.flipBit("log/0/" + killed.storage().list("log/0").getFirst(), 4096 + 100, 1);
      SimulatedDisk target = SimulatedDisk.builder(2).build();
      assertThatThrownBy(
              () ->
                  StoreBackups.restore(
                      killed.storage(),
                      target.storage(),
                      OptionalLong.empty(),
                      OPTIONS.execution()))
          .isInstanceOf(CorruptStoreException.class);
      assertThat(target.storage().list("")).isEmpty();
    }
  }

  /** Damage of each kind of file that nobody notices while the store is open, or opened again. */
  @Test
  void damageIsNeitherBackedUpNorRestored() {
    record Damage(String file, long offset, String namedFile, long namedOffset) {}
    long sums = ImageSumsLayout.HEADER_LENGTH;
    for (Damage damage :
        List.of(
            new Damage("image", 3 * 4096 + 17, "image", 3 * 4096),
            new Damage("image.sums", sums + 3 * 4, "image", 3 * 4096),
            new Damage("image.sums", sums + 200 * 4 + 1, "image.sums", sums + 200 * 4),
            new Damage("image.sums", 20, "image.sums", 0))) {
      SimulatedDisk disk = SimulatedDisk.builder(1).build();
      try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
        next(store, counters(store), Durability.SYNC);
      }
      SimulatedDisk closed = disk.fork();
      closed.kill();
      closed.flipBit(damage.file(), damage.offset(), 1);
      SimulatedDisk target = SimulatedDisk.builder(2).build();
      requireNamed(
          damage.namedFile(),
          damage.namedOffset(),
          () -> StoreBackups.check(closed.storage(), OPTIONS.execution()));
      requireNamed(
          damage.namedFile(),
          damage.namedOffset(),
          () ->
              StoreBackups.restore(
                  closed.storage(), target.storage(), OptionalLong.empty(), OPTIONS.execution()));
      assertThat(target.storage().list("")).isEmpty();

      disk.kill();
      try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
        // In pages that this process has neither read nor written.
        disk.flipBit(damage.file(), damage.offset(), 1);
        requireNamed(
            damage.namedFile(), damage.namedOffset(), () -> store.admin().backup(target::storage));
        target.kill();
        assertThat(target.storage().list("")).isEmpty();
        // Mended: a checkpoint that met the page would stop the store.
        disk.flipBit(damage.file(), damage.offset(), 1);
        next(store, counters(store), Durability.SYNC);
        store.admin().checkpoint();
        assertThat(values(store).stream().distinct()).containsExactly(2L);
      }
    }
  }

  private static void requireNamed(String file, long offset, ThrowingCallable action) {
    assertThatThrownBy(action)
        .isInstanceOfSatisfying(
            CorruptStoreException.class,
            e -> {
              assertThat(e.file()).isEqualTo(file);
              assertThat(e.offset()).isEqualTo(offset);
            });
  }

  @Test
  void aDamagedLogIsNotBackedUp() {
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    SimulatedDisk target = SimulatedDisk.builder(2).build();
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      long counters = counters(store);
      next(store, counters, Durability.SYNC);
      store.admin().checkpoint();
      String segment = "log/0/" + disk.storage().list("log/0").getFirst();
      long end = 4096;
      for (byte[] log = disk.contents(segment); end < log.length && log[(int) end] != 0; ) {
        disk.flipBit(segment, end + 100, 1);
        end += 4096;
      }
      assertThat(end).isGreaterThan(4096);
      assertThatThrownBy(() -> store.admin().backup(target::storage))
          .isInstanceOfSatisfying(
              CorruptStoreException.class, e -> assertThat(e.file()).startsWith("log"));
      target.kill();
      assertThat(target.storage().list("")).isEmpty();
      next(store, counters, Durability.SYNC);
    }
  }

  @Test
  void aBackupThatFailsEndsNotTheStore() {
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    SimulatedDisk target = SimulatedDisk.builder(2).build();
    target.inject(Fault.onNth(Operation.WRITE, 1).with(StorageException.Reason.NO_SPACE).forEver());
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      long counters = counters(store);
      next(store, counters, Durability.SYNC);
      assertThatThrownBy(() -> store.admin().backup(target::storage))
          .isInstanceOf(StorageException.class);
      target.kill();
      assertThat(target.storage().list("")).isEmpty();
      next(store, counters, Durability.SYNC);
      store.admin().checkpoint();
      assertThat(values(store).stream().distinct()).containsExactly(2L);
    }
  }

  @Test
  void aCopyThatCannotLookWhoseTheDirectoryIsLeavesNoMark() {
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    SimulatedDisk target = SimulatedDisk.builder(2).build();
    target.inject(Fault.onNth(Operation.LIST, 3)); // the one behind the mark
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      assertThatThrownBy(() -> store.admin().backup(target::storage))
          .isInstanceOf(StorageException.class);
    }
    target.kill();
    assertThat(target.storage().list("")).isEmpty();
  }

  @Test
  void aCopyIntoTheDirectoryThatIsCopiedIsRefused() throws IOException {
    Path shop = folder.resolve("store");
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
    try (Store store = Store.open(shop, OPTIONS)) {
      List<String> before = files(shop);
      for (Path inside : List.of(shop, shop.resolve("bk"), link.resolve("store/a/bk"))) {
        assertThatThrownBy(() -> store.admin().backup(inside))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage(inside + " lies in " + shop + "; name a directory outside of it");
      }
      assertThat(files(shop)).isEqualTo(before);
    }
    assertThatThrownBy(() -> StoreBackups.restore(shop, shop.resolve("bk"), OptionalLong.empty()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lies in " + shop);
    assertThat(shop.resolve("bk")).doesNotExist();
  }

  /** A reader creates no lock file, so the restored store has to bring one. */
  @Test
  void aReaderOfARestoredStoreKeepsAWriterOut() {
    Path shop = folder.resolve("store");
    Path backup = folder.resolve("backup");
    Path restored = folder.resolve("restored");
    try (Store store = Store.open(shop, OPTIONS)) {
      next(store, counters(store), Durability.SYNC);
      store.admin().backup(backup);
    }
    StoreBackups.restore(backup, restored, OptionalLong.empty());
    try (Store reader = Store.open(restored, StoreOptions.defaults().withReadOnly(true))) {
      assertThatThrownBy(() -> Store.open(restored, OPTIONS))
          .isInstanceOf(StoreLockedException.class);
      assertThat(values(reader).stream().distinct()).hasSize(1);
    }
    Store.open(restored, OPTIONS).close();
  }

  /** A process that was killed may have left one; it may be as long as the log. */
  @Test
  void aSegmentThatIsNotFinishedIsNotCopied() throws IOException {
    Path shop = folder.resolve("store");
    Path restored = folder.resolve("restored");
    Store.open(shop, OPTIONS).close();
    Files.write(shop.resolve("log/0/unfinished"), new byte[1 << 16]);
    StoreBackups.restore(shop, restored, OptionalLong.empty());
    assertThat(shop.resolve("log/0/unfinished")).exists();
    assertThat(restored.resolve("log/0/unfinished")).doesNotExist();
    Store.open(restored, OPTIONS).close();
  }

  @Test
  void aRefusedOpeningLeavesNothingBehind() throws IOException {
    Path other = Files.createDirectory(folder.resolve("other"));
    Files.createFile(other.resolve("x"));
    Path empty = Files.createDirectory(folder.resolve("empty"));
    List<String> before = files(folder);
    refused(() -> Store.open(other, OPTIONS), "holds x");
    refused(() -> StoreBackups.acceptRollback(other), "there is no store in " + other);
    refused(() -> StoreBackups.acceptRollback(empty), "there is no store in " + empty);
    assertThat(files(folder)).isEqualTo(before);
  }

  private static void refused(ThrowingCallable action, String text) {
    assertThatThrownBy(action)
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining(text);
  }

  /** A compaction would give what is damaged new checksums. */
  @Test
  void damageThatACheckFindsIsNotCompactedAway() throws IOException {
    Path shop = folder.resolve("store");
    try (Store store = Store.open(shop, OPTIONS)) {
      long counters = counters(store);
      for (int i = 0; i < 50; i++) {
        next(store, counters, Durability.SYNC);
      }
      long freed = store.call(tx -> tx.allocate(100_000));
      store.run(tx -> tx.putLong(freed, -1));
      store.run(tx -> tx.free(freed));
    }
    int refused = 0;
    for (String file : files(shop)) {
      Path path = Path.of(file);
      if (!Files.isRegularFile(path) || path.getFileName().toString().startsWith("store.lock")) {
        continue;
      }
      byte[] whole = Files.readAllBytes(path);
      for (int at = 0; at < whole.length; at += Math.max(1, whole.length / 40)) {
        byte[] damaged = whole.clone();
        damaged[at] ^= 1;
        Files.write(path, damaged);
        if (isDamaged(shop)) {
          refused++;
          Map<String, byte[]> before = bytes(shop);
          assertThatThrownBy(() -> StoreBackups.compact(shop))
              .as(file + " at " + at)
              .isInstanceOf(HowdahException.class);
          assertThat(bytes(shop)).as(file + " at " + at).containsExactlyInAnyOrderEntriesOf(before);
        }
        Files.write(path, whole);
      }
    }
    assertThat(refused).isGreaterThan(20);
    StoreBackups.compact(shop);
  }

  private static boolean isDamaged(Path shop) {
    try {
      CheckReport _ = StoreBackups.check(shop);
      return false;
    } catch (HowdahException e) {
      return true;
    }
  }

  private static Map<String, byte[]> bytes(Path shop) throws IOException {
    Map<String, byte[]> all = new TreeMap<>();
    for (String file : files(shop)) {
      if (Files.isRegularFile(Path.of(file)) && !file.contains("store.lock")) {
        all.put(file, Files.readAllBytes(Path.of(file)));
      }
    }
    return all;
  }
}
