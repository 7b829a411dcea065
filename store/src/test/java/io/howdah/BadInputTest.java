package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.SuperblockLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.StoreLockedException;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a store meets that it cannot work with: each is a typed exception that says what, where and
 * what to do, and costs nothing that was acknowledged.
 */
@Timeout(120)
final class BadInputTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10);

  private static SimulatedDisk diskWithAStore() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    try (Store store = Store.open(SMALL.withStorage(disk.storage()))) {
      store.run(tx -> tx.root(0, tx.allocate(8)));
    }
    return disk;
  }

  private static void holdsItsRoot(SimulatedDisk disk) {
    try (Store store = Store.open(SMALL.withStorage(disk.storage()))) {
      assertThat((long) store.read(tx -> tx.root(0))).isNotZero();
    }
  }

  @Test
  void aFileInPlaceOfTheDirectoryIsNamed(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "mine");
    assertThatThrownBy(() -> Store.open(file, SMALL))
        .isInstanceOf(HowdahException.class)
        .hasMessageContaining(file.toString());
    assertThat(Files.readString(file)).isEqualTo("mine");
  }

  @Test
  void aNewerFormatIsNotTakenForDamage() {
    SimulatedDisk disk = diskWithAStore();
    Storage storage = disk.storage();
    try (StorageFile file = storage.open("store.howdah", Storage.Access.READ_WRITE)) {
      for (int slot = 0; slot < 2; slot++) {
        ByteBuffer bytes =
            ByteBuffer.allocateDirect(SuperblockLayout.SLOT_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        file.read((long) slot * SuperblockLayout.SLOT_LENGTH, bytes);
        bytes.flip();
        bytes.putInt(SuperblockLayout.VERSION_OFFSET, SuperblockLayout.VERSION + 1);
        bytes.putInt(
            SuperblockLayout.CRC_OFFSET,
            Crc32c.around(bytes, SuperblockLayout.CRC_OFFSET, SuperblockLayout.SLOT_LENGTH));
        file.write((long) slot * SuperblockLayout.SLOT_LENGTH, bytes);
      }
    }
    assertThatThrownBy(() -> Store.open(SMALL.withStorage(storage)))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining(Integer.toString(SuperblockLayout.VERSION + 1));
  }

  @Test
  void aForeignFileInPlaceOfTheSuperblockIsNoStore() {
    SimulatedDisk disk = diskWithAStore();
    for (long offset = 0; offset < 2L * SuperblockLayout.SLOT_LENGTH; offset++) {
      disk.flipBit("store.howdah", offset, 3);
    }
    assertThatThrownBy(() -> Store.open(SMALL.withStorage(disk.storage())))
        .isInstanceOfAny(UnsupportedStoreException.class, CorruptStoreException.class)
        .hasMessageContaining("store.howdah");
  }

  @ParameterizedTest
  @ValueSource(strings = {"image", "store.howdah"})
  void aFileThatIsMissingIsNamed(String name) {
    SimulatedDisk disk = diskWithAStore();
    disk.remove(name);
    assertThatThrownBy(() -> Store.open(SMALL.withStorage(disk.storage())))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"image", "store.howdah"})
  void aFileThatIsCutShortIsNamed(String name) {
    SimulatedDisk disk = diskWithAStore();
    disk.truncate(name, 100);
    assertThatThrownBy(() -> Store.open(SMALL.withStorage(disk.storage())))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining(name);
  }

  @Test
  void aLogThatIsMissingOrCutShortAfterAKillIsDamageAndNoEmptyStore() {
    for (boolean remove : new boolean[] {true, false}) {
      SimulatedDisk disk = diskWithAStore();
      Store store = Store.open(SMALL.withStorage(disk.storage()));
      store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0), 7));
      disk.kill();
      for (String segment : disk.storage().list("log/0")) {
        if (remove) {
          disk.remove("log/0/" + segment);
        } else {
          disk.truncate("log/0/" + segment, 5000);
        }
      }
      assertThatThrownBy(() -> Store.open(SMALL.withStorage(disk.storage())))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("log/0");
    }
  }

  @Test
  void aReadOnlyFileSystemIsRefusedAndLeftAsItIs() {
    SimulatedDisk disk = diskWithAStore();
    disk.setReadOnly(true);
    assertThatThrownBy(() -> Store.open(SMALL.withStorage(disk.storage())))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("read-only");
    disk.setReadOnly(false);
    holdsItsRoot(disk);
  }

  @Test
  void aSecondOpenerInAnotherJvmIsToldWhoHoldsTheStore(@TempDir Path directory) throws Exception {
    Path bank = directory.resolve("bank");
    try (Store store = Store.open(bank, SMALL)) {
      Process other =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  SecondOpener.class.getName(),
                  bank.toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(said)
          .contains(StoreLockedException.class.getSimpleName())
          .contains(Long.toString(ProcessHandle.current().pid()));
      assertThat(store.run(TxOptions.sync(), tx -> tx.root(0, 0))).isPositive();
    }
  }

  /** The other JVM. */
  static final class SecondOpener {

    private SecondOpener() {}

    public static void main(String[] args) {
      try (Store store = Store.open(Path.of(args[0]), SMALL)) {
        System.out.println("opened " + store.admin().options().maxSize());
      } catch (HowdahException e) {
        System.out.println(e);
      }
    }
  }

  /** Whichever write or force fails, alone or for ever: what was acknowledged is there again. */
  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"WRITE", "FORCE"})
  @Tag("scaled")
  void whicheverWriteOrForceFailsNothingAcknowledgedIsLost(Operation operation) {
    for (boolean forEver : new boolean[] {false, true}) {
      int first = OperationSample.first(forEver ? CrashMoment.MIDDLE : CrashMoment.BEFORE);
      for (int nth = first; nth <= 30; nth += OperationSample.STRIDE) {
        SimulatedDisk disk = SimulatedDisk.seeded(nth);
        Store store = Store.open(SMALL.withStorage(disk.storage()));
        store.run(TxOptions.sync(), tx -> tx.root(0, tx.allocate(8)));
        Fault fault = Fault.onNth(operation, nth);
        disk.inject(forEver ? fault.forEver() : fault);
        long acknowledged = 0;
        try {
          for (long i = 1; i <= 15; i++) {
            long value = i;
            store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0), value));
            acknowledged = value;
          }
          store.close();
        } catch (HowdahException e) {
          assertThat(e).hasMessageMatching("(?s).*(WRITE|FORCE) .*input/output error.*");
          assertThatThrownBy(() -> store.run(tx -> tx.putLong(tx.root(0), 99)))
              .isInstanceOf(HowdahException.class);
          try {
            store.close();
          } catch (StoreFailedException again) {
            // as it should be: not everything could be forced
          }
        }
        disk.clearFaults();
        disk.powerCut(disk.crashStates().choice(nth % disk.crashStates().count()));
        try (Store again = Store.open(SMALL.withStorage(disk.storage()))) {
          assertThat((long) again.read(tx -> tx.getLong(tx.root(0))))
              .as("%s %d", fault, nth)
              .isGreaterThanOrEqualTo(acknowledged);
        }
      }
    }
  }

  /** Committers and waiters, on platform and virtual threads, interrupted all the time. */
  @Test
  void anInterruptStormEndsNoWaitAndClosesNoFile(@TempDir Path directory) throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    AtomicLong commits = new AtomicLong();
    List<Throwable> wrong = new ArrayList<>();
    try (Store store = Store.open(directory, SMALL)) {
      List<Thread> workers = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        Runnable work =
            () -> {
              try {
                for (int i = 0; i < 60; i++) {
                  Durability durability = i % 3 == 0 ? Durability.SYNC : Durability.ASYNC;
                  long lsn =
                      store.run(
                          TxOptions.of(durability), tx -> tx.putLong(8192, tx.getLong(8192) + 1));
                  store.durability().awaitStable(lsn);
                  commits.incrementAndGet();
                }
              } catch (Throwable e) {
                synchronized (wrong) {
                  wrong.add(e);
                }
              }
            };
        workers.add(t % 2 == 0 ? Thread.ofPlatform().start(work) : Thread.ofVirtual().start(work));
      }
      Thread storm =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!done.get()) {
                      workers.forEach(Thread::interrupt);
                      Thread.onSpinWait();
                    }
                  });
      for (Thread worker : workers) {
        worker.join();
      }
      done.set(true);
      storm.join();
      assertThat(wrong).isEmpty();
      assertThat((long) store.read(tx -> tx.getLong(8192))).isEqualTo(commits.get());
    }
    try (Store store = Store.open(directory, SMALL)) {
      assertThat((long) store.read(tx -> tx.getLong(8192))).isEqualTo(480);
    }
  }

  @Test
  void aTransactionOrAnAddressOfAnotherStoreIsRefused() {
    try (Store small = Store.inMemory(SMALL);
        Store large = Store.inMemory(SMALL.withMaxSize(2 << 20))) {
      Session txSession = large.session();
      Tx tx = txSession.begin();
      long address = (2 << 20) - 8;
      tx.putLong(address, 1);
      txSession.commit();
      assertThatThrownBy(() -> small.run(other -> other.putLong(address, 1)))
          .isInstanceOf(InvalidAddressException.class)
          .hasMessageContaining(Long.toString(address));
    }
  }
}
