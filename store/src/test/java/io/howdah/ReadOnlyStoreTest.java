package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.CollectionMismatchException;
import io.howdah.collections.PersistentMap;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StoreLockedException;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stores that are opened for reading only. */
class ReadOnlyStoreTest {

  private static final int WORDS = 4096;

  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  private static final StoreOptions READ_ONLY = SMALL.withReadOnly(true);

  @TempDir Path folder;

  @Persistent
  interface Person {
    int age();

    void age(int years);
  }

  private Path bank() {
    return folder.resolve("bank");
  }

  private static PersistentMap<String, Long> accounts(Store store) {
    return store.map("accounts", Codec.utf8(), Codec.int64());
  }

  private static long balance(Store store, String name) {
    PersistentMap<String, Long> accounts = accounts(store);
    return store.read(tx -> accounts.getOrDefault(tx, name, -1L));
  }

  private void createBank() {
    try (Store store = Store.open(bank(), SMALL)) {
      PersistentMap<String, Long> accounts = accounts(store);
      PersistentType<Person> people = store.type(Person.class, MethodHandles.lookup());
      store.run(
          tx -> {
            accounts.put(tx, "alice", 100L);
            accounts.put(tx, "bob", 50L);
            Person person = people.create(tx);
            person.age(33);
            tx.root(1, people.address(person));
          });
    }
  }

  /** What tells that a directory was touched. */
  private record Entry(FileTime modified, String permissions, ByteBuffer bytes) {}

  private static SortedMap<String, Entry> entries(Path folder) throws IOException {
    SortedMap<String, Entry> entries = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.toList()) {
        entries.put(
            file.toString(),
            new Entry(
                Files.getLastModifiedTime(file),
                PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
                ByteBuffer.wrap(
                    Files.isRegularFile(file) ? Files.readAllBytes(file) : new byte[0])));
      }
    }
    return entries;
  }

  private static void allow(Path folder, String directories, String files) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted().toList().reversed()) {
        Files.setPosixFilePermissions(
            path, PosixFilePermissions.fromString(Files.isDirectory(path) ? directories : files));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Backing.class)
  void aStoreIsReadAndNothingInItsDirectoryChanges(Backing backing) throws IOException {
    createBank();
    allow(bank(), "r-xr-xr-x", "r--r--r--");
    SortedMap<String, Entry> before = entries(bank());
    try (Store store = Store.open(bank(), READ_ONLY.withBacking(backing).withVerifyImage(true))) {
      assertThat(entries(bank())).isEqualTo(before);
      PersistentType<Person> people = store.type(Person.class, MethodHandles.lookup());
      assertThat(balance(store, "alice")).isEqualTo(100);
      int age = store.call(tx -> people.at(tx, tx.root(1)).age());
      assertThat(age).isEqualTo(33);
      assertThat(store.admin().inspect().collections()).hasSize(1);
      assertThat(store.admin().recoveryReport().outcome())
          .isInstanceOf(RecoveryOutcome.Clean.class);
      assertThat(store.durability().isStable(store.admin().stats().lsn())).isTrue();
    }
    assertThat(entries(bank())).isEqualTo(before);
    allow(bank(), "rwx------", "rw-------");
    try (Store store = Store.open(bank(), SMALL)) {
      PersistentMap<String, Long> accounts = accounts(store);
      store.run(tx -> accounts.put(tx, "alice", 1L));
    }
  }

  @Test
  void whatWouldChangeItIsRefusedAndNamed() {
    createBank();
    try (Store store = Store.open(bank(), READ_ONLY)) {
      PersistentMap<String, Long> accounts = accounts(store);
      assertThatThrownBy(() -> store.run(tx -> accounts.put(tx, "alice", 1L)))
          .isInstanceOf(ReadOnlyStoreException.class)
          .hasMessageContaining("open it without readOnly");
      assertThatThrownBy(() -> store.run(tx -> accounts.remove(tx, "alice")))
          .isInstanceOf(ReadOnlyStoreException.class);
      assertThatThrownBy(() -> store.run(tx -> tx.allocate(64)))
          .isInstanceOf(ReadOnlyStoreException.class);
      assertThatThrownBy(
              () ->
                  store.callWithReceipt(
                      TxOptions.async().withIrrevocable(), tx -> tx.allocate(1 << 16)))
          .isInstanceOf(ReadOnlyStoreException.class);
      assertThatThrownBy(() -> store.run(tx -> tx.root(0, tx.root(1))))
          .isInstanceOf(ReadOnlyStoreException.class);
      assertThatThrownBy(() -> store.map("others", Codec.utf8(), Codec.utf8()))
          .isInstanceOf(ReadOnlyStoreException.class)
          .hasMessageContaining("\"others\"");
      assertThatThrownBy(() -> store.map("accounts", Codec.utf8(), Codec.utf8()))
          .isInstanceOf(CollectionMismatchException.class);
      assertThatThrownBy(() -> store.admin().drop("accounts"))
          .isInstanceOf(ReadOnlyStoreException.class);
      assertThatThrownBy(store.admin()::checkpoint).isInstanceOf(ReadOnlyStoreException.class);
      assertThatThrownBy(store.admin()::checkpointStats).isInstanceOf(ReadOnlyStoreException.class);
      assertThatThrownBy(() -> store.admin().backup(folder.resolve("backup")))
          .isInstanceOf(ReadOnlyStoreException.class);
      assertThatThrownBy(() -> StoreBackups.compact(bank()))
          .isInstanceOf(StoreLockedException.class);
      // A refused call ends its transaction, whatever the body makes of it.
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        try {
                          accounts.put(tx, "alice", 1L);
                        } catch (ReadOnlyStoreException e) {
                          // Swallowed.
                        }
                      }))
          .isInstanceOf(ReadOnlyStoreException.class);
      assertThat(balance(store, "alice")).isEqualTo(100);
    }
    assertThat(folder.resolve("backup")).doesNotExist();
  }

  @Test
  void aTypeThatTheStoreLacksOrHasOtherwiseIsNamed() {
    try (Store store = Store.open(bank(), SMALL)) {
      store.run(tx -> tx.root(0, tx.allocate(8)));
    }
    try (Store store = Store.open(bank(), READ_ONLY)) {
      assertThatThrownBy(() -> store.type(Person.class, MethodHandles.lookup()))
          .isInstanceOf(ReadOnlyStoreException.class)
          .hasMessageContaining(Person.class.getName());
    }
  }

  @Test
  void readersShareTheStoreAndExcludeAWriter() {
    createBank();
    try (Store two = Store.open(bank(), READ_ONLY)) {
      Store gone;
      try (Store one = Store.open(bank(), READ_ONLY)) {
        gone = one;
        assertThat(balance(one, "bob")).isEqualTo(50);
        assertThat(balance(two, "bob")).isEqualTo(50);
        assertThatThrownBy(() -> Store.open(bank(), SMALL))
            .isInstanceOf(StoreLockedException.class);
      }
      assertThatThrownBy(() -> Store.open(bank(), SMALL)).isInstanceOf(StoreLockedException.class);
      assertThat(StoreBackups.check(bank()).closed()).isTrue();
      assertThatThrownBy(() -> gone.read(tx -> tx.root(0)))
          .isInstanceOf(StoreClosedException.class);
      assertThat(balance(two, "bob")).isEqualTo(50);
    }
    try (Store store = Store.open(bank(), SMALL)) {
      assertThatThrownBy(() -> Store.open(bank(), READ_ONLY))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining("process " + ProcessHandle.current().pid());
      assertThat(balance(store, "bob")).isEqualTo(50);
    }
  }

  @Test
  void nothingIsCreatedToBeReadOnly() throws IOException {
    assertThatThrownBy(() -> Store.open(bank(), READ_ONLY))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.MISSING));
    assertThat(bank()).doesNotExist();
    Files.createDirectory(bank());
    assertThatThrownBy(() -> Store.open(bank(), READ_ONLY))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining(bank().toString());
    assertThat(bank()).isEmptyDirectory();
    createBank();
    assertThatThrownBy(() -> Store.open(bank(), READ_ONLY.withAdminSocket(true)))
        .isInstanceOf(IllegalArgumentException.class);
    Store.open(bank(), SMALL).close();
  }

  @Test
  void aBackupIsReadWhereItLies() throws IOException {
    createBank();
    Path backup = folder.resolve("backup");
    try (Store store = Store.open(bank(), SMALL)) {
      store.admin().backup(backup);
      PersistentMap<String, Long> accounts = accounts(store);
      store.run(tx -> accounts.put(tx, "alice", 1L));
    }
    SortedMap<String, Entry> before = entries(backup);
    assertThat(StoreBackups.check(backup).lsn()).isPositive();
    try (Store store = Store.open(backup, READ_ONLY)) {
      assertThat(balance(store, "alice")).isEqualTo(100);
      // Without a lock's file nobody is kept out, and nobody disturbs.
      try (Store writer = Store.open(backup, SMALL)) {
        PersistentMap<String, Long> accounts = accounts(writer);
        writer.run(tx -> accounts.put(tx, "alice", 2L));
        writer.admin().checkpoint();
      }
      assertThat(balance(store, "alice")).isEqualTo(100);
    }
    assertThat(before.keySet()).noneMatch(name -> name.contains("store.lock"));
  }

  // ---- After crashes.

  private static StoreOptions options(SimulatedDisk disk) {
    return SMALL.withStorage(disk.storage());
  }

  private static StoreOptions mortal(SimulatedDisk disk) {
    return options(disk).withExecution(new MortalThreads());
  }

  /** The system's threads; one that dies with its process does not complain. */
  private static final class MortalThreads extends SystemThreads {

    @Override
    public Thread start(String name, Runnable body) {
      return system.start(
          name,
          () -> {
            try {
              body.run();
            } catch (SimulatedCrash e) {
              // As it should.
            }
          });
    }
  }

  /** Overwrites words, with a checkpoint now and then, until the disk crashes or all is done. */
  private static void work(SimulatedDisk disk, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Store store = null;
    try {
      for (int life = 0; life < 2; life++) {
        store = Store.open(mortal(disk));
        long array =
            store.call(
                tx -> {
                  if (tx.root(0) == 0) {
                    tx.root(0, tx.allocate(WORDS * 8L));
                  }
                  return tx.root(0);
                });
        for (int i = 0; i < 40; i++) {
          int at = random.nextInt(WORDS - 64);
          int run = 1 + random.nextInt(64);
          Durability durability = random.nextInt(4) == 0 ? Durability.SYNC : Durability.ASYNC;
          store.run(
              TxOptions.of(durability),
              tx -> {
                for (int word = at; word < at + run; word++) {
                  tx.putLong(array + word * 8L, tx.getLong(array + word * 8L) + word);
                }
              });
          if (i % 15 == 14) {
            store.admin().checkpoint();
          }
        }
        store.close();
      }
    } catch (SimulatedCrash | RuntimeException e) {
      // Out of whichever thread was at the disk.
      assertThat(disk.hasCrashed()).as("%s", e).isTrue();
      closeAfterCrash(store);
    }
  }

  private static void closeAfterCrash(@Nullable Store store) {
    try {
      if (store != null) {
        store.close();
      }
    } catch (SimulatedCrash | RuntimeException e) {
      // What it could not do, the crash has kept it from.
    }
  }

  private static Object contents(StoreOptions options) {
    try (Store store = Store.open(options)) {
      List<Long> words = new ArrayList<>();
      words.add(store.admin().recoveryReport().lsn());
      store.read(
          tx -> {
            for (int i = 0; tx.root(0) != 0 && i < WORDS; i++) {
              words.add(tx.getLong(tx.root(0) + i * 8L));
            }
            return 0;
          });
      return words;
    } catch (ReadOnlyStoreException | CorruptStoreException | UnsupportedStoreException e) {
      return e.getClass();
    }
  }

  /** Compares what a reader of a crashed store finds with what a recovery makes of it. */
  private static boolean isReadAsRecovered(SimulatedDisk disk, String what) {
    disk.setReadOnly(true);
    Object mapped = contents(options(disk).withReadOnly(true));
    Object loaded = contents(options(disk).withReadOnly(true).withBacking(Backing.RESIDENT));
    disk.setReadOnly(false);
    Object recovered = contents(options(disk));
    if (mapped == ReadOnlyStoreException.class || mapped == UnsupportedStoreException.class) {
      // There is no store yet, or nothing in it.
      assertThat(recovered).as(what).isInstanceOfAny(List.class, Class.class);
      return false;
    }
    assertThat(mapped).as("%s, mapped", what).isEqualTo(recovered);
    assertThat(loaded).as("%s, loaded", what).isEqualTo(recovered);
    return true;
  }

  @Test
  @Tag("scaled")
  void afterACrashAnywhereAReaderSeesWhatARecoveryMakesOfIt() {
    SimulatedDisk whole = SimulatedDisk.builder(1).build();
    work(whole, 1);
    long operations = whole.operations();
    int crashes = 60 / Integer.getInteger("howdah.stride", 3);
    int read = 0;
    for (long seed = 1; seed <= crashes; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      SimulatedDisk disk = SimulatedDisk.builder(seed).build();
      long at = 40 + random.nextLong(operations - 40);
      disk.crashAtOperation(at, random.nextBoolean() ? CrashMoment.BEFORE : CrashMoment.MIDDLE);
      work(disk, seed);
      boolean power = random.nextBoolean();
      if (power) {
        disk.powerCut(new CrashChoice(seed, random.nextInt(1000)));
      } else {
        disk.kill();
      }
      String what = "seed %d, operation %d, %s".formatted(seed, at, power ? "power cut" : "kill");
      read += isReadAsRecovered(disk, what) ? 1 : 0;
    }
    assertThat(read).as("how many of the crashed disks held a store").isGreaterThan(crashes / 2);
  }

  @Test
  void whatOnlyRingsHoldIsReadAfterAKill() {
    SimulatedDisk disk = SimulatedDisk.builder(1).build();
    Store store = Store.open(mortal(disk).withGroupCommitInterval(Duration.ofSeconds(10)));
    store.run(tx -> tx.root(0, tx.allocate(WORDS * 8L)));
    for (int i = 0; i < 100; i++) {
      long at = i;
      store.run(TxOptions.async(), tx -> tx.putLong(tx.root(0) + at * 8, at));
    }
    disk.kill();
    closeAfterCrash(store);
    disk.setReadOnly(true);
    try (Store reader = Store.open(options(disk).withReadOnly(true))) {
      long last = reader.read(tx -> tx.getLong(tx.root(0) + 99 * 8));
      assertThat(last).isEqualTo(99);
      assertThat(reader.admin().recoveryReport().outcome())
          .isInstanceOf(RecoveryOutcome.AfterKill.class);
    }
    disk.setReadOnly(false);
    assertThat(isReadAsRecovered(disk, "kill")).isTrue();
  }
}
