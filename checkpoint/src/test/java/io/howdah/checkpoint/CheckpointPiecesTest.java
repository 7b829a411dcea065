package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The smallest parts of a checkpoint, each at its bounds: options, witnesses, words of maps. */
class CheckpointPiecesTest {

  @TempDir Path folder;

  // ---- granularity

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 0, ''",
    "64, 65, 127, 100, ''",
    "65, 0, 0, 0, wholeAbove",
    "-1, 0, 0, 0, wholeAbove",
    "10, 11, 0, 0, ''",
    "10, 12, 0, 0, linesBelow",
    "10, -1, 0, 0, linesBelow",
    "10, 0, 128, 0, wholeRounds",
    "10, 0, 0, 101, joinPercent",
    "10, 0, 0, -1, joinPercent"
  })
  void aGranularityHasBounds(int above, int below, int rounds, int percent, String refused) {
    if (refused.isEmpty()) {
      assertThat(new Granularity(above, below, rounds, percent).compares()).isEqualTo(above > 0);
    } else {
      assertThatThrownBy(() -> new Granularity(above, below, rounds, percent))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(refused + " is from 0 to ");
    }
  }

  @Test
  void aCheckpointThatIsAwaitedJoinsMoreUnlessNoneAreJoined() {
    assertThat(Granularity.DUAL.awaited()).isEqualTo(new Granularity(59, 52, 3, 100));
    assertThat(Granularity.LINES.awaited()).isSameAs(Granularity.LINES);
  }

  @Test
  void linesThatDoNotDifferAreWrittenForAShareOfThoseThatDo() {
    long differing = 0b1111_0_1111; // eight lines, with a gap of one
    assertThat(new Granularity(64, 65, 0, 12).lines(differing)).isEqualTo(differing);
    assertThat(new Granularity(64, 65, 0, 13).lines(differing)).isEqualTo(0b1_1111_1111);
    assertThat(Granularity.LINES.lines(differing)).isEqualTo(differing);
  }

  // ---- options

  @Test
  void theGoalOfARecoveryBoundsTheLog() {
    assertThat(CheckpointOptions.forGoal(1_000_000_000).logBytes()).isEqualTo(200L << 20);
    assertThat(CheckpointOptions.forGoal(500_000_000).logBytes()).isEqualTo(100L << 20);
    assertThat(CheckpointOptions.forGoal(1).logBytes()).as("at least").isEqualTo(4L << 20);
    assertThat(CheckpointOptions.replayNanos(100L << 20)).isEqualTo(500_000_000);
    assertThat(new CheckpointOptions(1).logBytes()).isEqualTo(1);
    assertThatThrownBy(() -> new CheckpointOptions(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aResultAddsUpWhatWasWritten() {
    assertThat(new CheckpointResult(1, 2, 3, 4, 5, 60, 700, 8000, 0, 0, 0, 0, 0, 0).writtenBytes())
        .isEqualTo(8760);
  }

  // ---- witnesses

  private static ByteBuffer page() {
    return ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void aFullWitnessListKeepsItsFirstHalf() {
    List<Witness> witnesses = new ArrayList<>();
    for (int i = 0; i < 11; i++) {
      Witness.add(witnesses, new Witness(i, -i));
    }
    assertThat(witnesses.stream().map(Witness::page))
        .containsExactly(0L, 1L, 2L, 3L, 7L, 8L, 9L, 10L);
    ByteBuffer page = page();
    Witness.write(witnesses, page);
    assertThat(Witness.read(page)).isEqualTo(witnesses);
    Witness.write(witnesses.subList(0, 2), page);
    assertThat(Witness.read(page)).isEqualTo(witnesses.subList(0, 2));
  }

  @Test
  void moreWitnessesThanThereCanBeAreNotRead() {
    ByteBuffer page = page().putInt(JournalLayout.WITNESS_COUNT_OFFSET, 100);
    assertThat(Witness.read(page)).hasSize(JournalLayout.MAX_WITNESSES);
  }

  @Test
  void aPageThatIsNotAsItWasLeftIsDamage() {
    ByteBuffer page = page().putLong(8, 5);
    new Witness(3, Crc32c.of(page, 0, 4096)).require(page);
    assertThatThrownBy(() -> new Witness(3, 1).require(page))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("page 3 is not as the newest checkpoint has left it")
        .hasMessageContaining("" + 3 * 4096);
  }

  // ---- words of maps

  /** On the heap, and in a region where somebody has to see every access. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void wordsAreZeroUntilTheyAreSet(boolean inRegion) {
    try (Storage storage = inRegion ? SimulatedDisk.seeded(1).storage() : FileStorage.open(folder);
        MapWords words = MapWords.create(storage, 1024)) {
      assertThat(words.getOpaque(0)).isZero();
      assertThat(words.getAcquire(1023)).isZero();
      words.setOpaque(1, 11);
      words.setVolatile(1023, 12);
      assertThat(words.getOpaque(1)).isEqualTo(11);
      assertThat(words.getAcquire(1023)).isEqualTo(12);
      assertThat(words.getAcquire(1)).isEqualTo(11);
      assertThat(words.compareAndSet(1, 10, 13)).isFalse();
      assertThat(words.getOpaque(1)).isEqualTo(11);
      assertThat(words.compareAndSet(1, 11, 13)).isTrue();
      assertThat(words.getOpaque(1)).isEqualTo(13);
      assertThat(words.getOpaque(2)).isZero();
      assertThat(words.getOpaque(0)).isZero();
    }
  }
}
