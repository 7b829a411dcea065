package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.layout.SuperblockLayout;
import io.howdah.core.storage.StorageException;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A store that crashes again and again without a checkpoint in between: each crash adds a closed
 * generation to the superblock, which has room for {@value
 * SuperblockLayout#MAX_CLOSED_GENERATIONS}. The opening that fills the last place takes a
 * checkpoint, which empties the list.
 */
final class ManyCrashesTest {

  private static final int MOST = SuperblockLayout.MAX_CLOSED_GENERATIONS;
  private static final long WORDS = 8192;

  /** Nothing but the table's limit asks for a checkpoint. */
  private static StoreOptions options(SimulatedDisk disk, int partitions) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 20)
        .withPartitions(partitions)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10)
        .withMaxLogBytes(1L << 40)
        .withRecoveryGoal(Duration.ofHours(1));
  }

  /** Opens the store, commits one word, and returns the disk as a crash leaves it then. */
  private static SimulatedDisk live(SimulatedDisk disk, int partitions, int life, boolean power) {
    try (Store store = Store.open(options(disk, partitions))) {
      for (int i = 0; i < life; i++) {
        long value = i + 1L;
        assertThat((long) store.read(tx -> tx.getLong(WORDS + 8 * value))).isEqualTo(value);
      }
      store.run(TxOptions.sync(), tx -> tx.putLong(WORDS + 8 * (life + 1L), life + 1));
      SimulatedDisk crashed = disk.fork();
      if (power) {
        crashed.powerCut(CrashChoice.LOSE_ALL);
      } else {
        crashed.kill();
      }
      return crashed;
    }
  }

  private static Superblock superblock(SimulatedDisk disk) {
    try (SuperblockFile file = SuperblockFile.open(disk.fork().storage())) {
      return file.current();
    }
  }

  @ParameterizedTest
  @CsvSource({"1,false", "256,true"})
  void fortyCrashesInARowLoseNothing(int partitions, boolean power) {
    crashInARow(partitions, power, partitions == 1 ? 40 : MOST + 3);
  }

  @Tag("campaign")
  @ParameterizedTest
  @CsvSource({"1,true", "256,false", "256,true"})
  void nothingIsLostHoweverOftenAndWithHoweverManyPartitions(int partitions, boolean power) {
    crashInARow(partitions, power, 40);
  }

  private static void crashInARow(int partitions, boolean power, int lives) {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    List<Integer> closed = new ArrayList<>();
    for (int life = 0; life < lives; life++) {
      disk = live(disk, partitions, life, power);
      closed.add(superblock(disk).closedGenerations().size());
    }
    assertThat(closed.subList(0, MOST))
        .as("one more each time")
        .containsExactlyElementsOf(counted());
    assertThat(closed.get(MOST)).as("the last place is taken: a checkpoint").isZero();
    assertThat(closed.get(MOST + 1)).isEqualTo(1);
    assertThat(closed).allSatisfy(count -> assertThat(count).isLessThan(MOST));
    try (Store store = Store.open(options(disk, partitions))) {
      long last = lives;
      assertThat((long) store.read(tx -> tx.getLong(WORDS + 8 * last))).isEqualTo(last);
    }
  }

  /** 0 to 15. */
  private static List<Integer> counted() {
    List<Integer> counts = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      counts.add(i);
    }
    return counts;
  }

  /** Crashed so often that the next opening takes the last place of the table. */
  private static final SimulatedDisk ALMOST_FULL = crashUntilAlmostFull();

  private static SimulatedDisk crashUntilAlmostFull() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    for (int life = 0; life < MOST; life++) {
      disk = live(disk, 1, life, false);
    }
    assertThat(superblock(disk).closedGenerations()).hasSize(MOST - 1);
    return disk;
  }

  @ParameterizedTest
  @ValueSource(strings = {"journal/", "image"})
  void anOpeningThatCannotTakeItsCheckpointSaysSoAndTheNextOneTakesIt(String file) {
    SimulatedDisk disk = ALMOST_FULL.fork();
    for (int attempt = 0; attempt < 2; attempt++) {
      disk.inject(
          Fault.onNth(Operation.WRITE, 1)
              .in(file)
              .with(StorageException.Reason.NO_SPACE)
              .forEver());
      SimulatedDisk full = disk;
      assertThatThrownBy(() -> Store.open(options(full, 1)))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(file)
          .hasMessageContaining("no space left");
      disk.clearFaults();
      assertThat(superblock(disk).closedGenerations()).hasSize(MOST);
    }
    disk = live(disk, 1, MOST, false);
    assertThat(superblock(disk).closedGenerations()).isEmpty();
    live(disk, 1, MOST + 1, false);
  }

  @Test
  void aReaderOpensAFullTable() {
    SimulatedDisk disk = ALMOST_FULL.fork();
    try (Store reader = Store.open(options(disk, 1).withReadOnly(true))) {
      assertThat((long) reader.read(tx -> tx.getLong(WORDS + 8L * MOST))).isEqualTo(MOST);
    }
    disk.inject(
        Fault.onNth(Operation.WRITE, 1).in("journal/").with(StorageException.Reason.NO_SPACE));
    assertThatThrownBy(() -> Store.open(options(disk, 1))).isInstanceOf(StorageException.class);
    disk.clearFaults();
    assertThat(superblock(disk).closedGenerations()).hasSize(MOST);
    try (Store reader = Store.open(options(disk, 1).withReadOnly(true))) {
      assertThat((long) reader.read(tx -> tx.getLong(WORDS + 8L * MOST))).isEqualTo(MOST);
    }
  }
}
