package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.ImageFile;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A close that takes no checkpoint, and what the next openings find. */
class LogLeftByACloseTest {

  private static final int WORDS = 256;

  /** So many closes in a row leave their logs. */
  private static final int LEFT = 8;

  private SimulatedDisk disk = SimulatedDisk.builder(1).volatileBytes(1 << 22).build();

  private StoreOptions options() {
    return TestStores.simulated(disk.storage(), Execution.system()).withCheckpointAtClose(false);
  }

  private Store open() {
    return Store.open(options());
  }

  private void create() {
    try (Store store = open()) {
      store.run(tx -> tx.root(0, tx.allocate(WORDS * 8L)));
    }
  }

  private static long put(Store store, int index, long value) {
    return store.run(TxOptions.async(), tx -> tx.putLong(tx.root(0) + 8L * index, value));
  }

  private static long get(Store store, int index) {
    return store.read(tx -> tx.getLong(tx.root(0) + 8L * index));
  }

  private List<ClosedGeneration> closedGenerations() {
    try (SuperblockFile file = SuperblockFile.open(disk.storage())) {
      return file.current().closedGenerations();
    }
  }

  private List<String> segments() {
    Storage storage = disk.storage();
    return storage.list("log/0").stream().map(entry -> "log/0/" + entry).toList();
  }

  @Test
  void everyCommitSurvivesTheCloseAndAPowerCutBehindIt() {
    create();
    long newest;
    try (Store store = open()) {
      for (int i = 0; i < WORDS; i++) {
        long _ = put(store, i, i + 1);
      }
      newest = store.run(tx -> tx.putLong(tx.root(0), 1));
    }
    disk.powerCut(CrashChoice.LOSE_ALL);
    try (Store store = open()) {
      assertThat(store.admin().recoveryReport().outcome())
          .isInstanceOf(RecoveryOutcome.Clean.class);
      assertThat(store.admin().recoveryReport().lsn()).isEqualTo(newest);
      assertThat(store.admin().recoveryReport().counts().words()).isGreaterThanOrEqualTo(WORDS);
      for (int i = 0; i < WORDS; i++) {
        assertThat(get(store, i)).isEqualTo(i + 1);
      }
      assertThat(store.run(tx -> tx.putLong(tx.root(0), 2))).isGreaterThan(newest);
    }
  }

  @Test
  void theCloseWritesBothSlotsOfTheSuperblockAndNothingElse() {
    create();
    Store store = open();
    store.durability().awaitStable(put(store, 7, 70));
    byte[] image = disk.contents(ImageFile.NAME);
    long writes = disk.operations(Operation.WRITE);
    store.close();
    assertThat(disk.contents(ImageFile.NAME)).isEqualTo(image);
    assertThat(disk.operations(Operation.WRITE) - writes).as("slots").isEqualTo(2);
    assertThat(closedGenerations()).hasSize(2);
  }

  @Test
  void aCloseTakesACheckpointOnceEightHaveLeftTheirLogs() {
    create();
    for (int life = 1; life < LEFT; life++) {
      try (Store store = open()) {
        long _ = put(store, life, life);
      }
      assertThat(closedGenerations()).hasSize(life + 1);
    }
    try (Store store = open()) {
      long _ = put(store, LEFT, LEFT);
    }
    assertThat(closedGenerations()).isEmpty();
    try (Store store = open()) {
      assertThat(store.admin().recoveryReport().counts().scannedBytes()).isZero();
      for (int life = 1; life <= LEFT; life++) {
        assertThat(get(store, life)).isEqualTo(life);
      }
    }
  }

  @Test
  void openingsWithoutCommitsLeaveTheLogAsItWas() {
    create();
    for (int life = 0; life < 2 * LEFT; life++) {
      try (Store store = open()) {
        assertThat(get(store, 3)).isZero();
      }
      assertThat(closedGenerations()).hasSize(1);
    }
  }

  @Test
  void aKillBehindSuchACloseLosesNothing() {
    create();
    for (int life = 1; life < LEFT; life++) {
      Store store = open();
      store.durability().awaitStable(put(store, life, life));
      if (life % 2 == 0) {
        store.close();
      } else {
        SimulatedDisk left = disk.fork();
        store.close();
        disk = left;
        disk.kill();
      }
    }
    try (Store store = open()) {
      for (int life = 1; life < LEFT; life++) {
        assertThat(get(store, life)).isEqualTo(life);
      }
    }
  }

  @Test
  void memoryThatIsKeptNeedsACheckpoint() {
    create();
    try (Store store = Store.open(options().withBacking(Backing.SHARED).withWarmClose(true))) {
      long _ = put(store, 9, 90);
    }
    assertThat(closedGenerations()).isEmpty();
    try (Store store = open()) {
      assertThat(get(store, 9)).isEqualTo(90);
    }
  }

  @Test
  void aLogThatWasLeftAndIsGoneIsDamage() {
    create();
    try (Store store = open()) {
      long _ = put(store, 7, 70);
    }
    segments().forEach(disk::remove);
    assertThatThrownBy(this::open).isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> Store.open(options().withReadOnly(true)))
        .isInstanceOf(CorruptStoreException.class);
  }

  /** A crash at operations of an opening, a commit and a close; then the machine's, too. */
  @ParameterizedTest
  @EnumSource
  void aCrashAtAnyOperationLosesNoAcknowledgedCommit(CrashMoment moment) {
    create();
    SimulatedDisk created = disk;
    boolean hasEnded = false;
    int operation = OperationSample.first(moment);
    for (; !hasEnded; operation += OperationSample.STRIDE) {
      disk = created.fork();
      disk.crashAtOperation(disk.operations() + operation, moment);
      List<Integer> acknowledged = new ArrayList<>();
      hasEnded = lives(acknowledged);
      SimulatedDisk crashed = disk;
      List<CrashChoice> choices = new ArrayList<>(crashed.crashStates().choices(2));
      choices.add(CrashChoice.LOSE_ALL);
      choices.add(CrashChoice.KEEP_ALL);
      for (CrashChoice choice : choices) {
        disk = crashed.fork();
        disk.powerCut(choice);
        try (Store store = open()) {
          for (int index : acknowledged) {
            assertThat(get(store, index))
                .as("cut at operation %d, %s", operation, choice)
                .isEqualTo(index);
          }
        }
      }
      disk = crashed.fork();
      disk.kill();
      try (Store store = open()) {
        for (int index : acknowledged) {
          assertThat(get(store, index)).as("kill at operation %d", operation).isEqualTo(index);
        }
      }
    }
    assertThat(operation).as("operations").isGreaterThan(60);
  }

  /** Returns whether the lives ended without a crash. */
  private boolean lives(List<Integer> acknowledged) {
    try {
      for (int life = 1; life <= 2; life++) {
        try (Store store = open()) {
          int index = life;
          store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0) + 8L * index, index));
          acknowledged.add(index);
        }
      }
      return !disk.hasCrashed();
    } catch (SimulatedCrash e) {
      return false;
    }
  }
}
