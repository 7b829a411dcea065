package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.log.commit.Lsn;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which records survive, by rule. */
class CutTest {

  /** Records in the order of LSNs: dense LSN, partition, dense LSN and partition depended on. */
  private static LogTail tail(long[]... records) {
    LogTail tail = new LogTail();
    for (long[] r : records) {
      add(tail, r);
    }
    return tail;
  }

  private static void add(LogTail tail, long... r) {
    long dep = r.length > 2 ? Lsn.pack(r[2], (int) r[3]) : 0;
    tail.add(Lsn.pack(r[0], (int) r[1]), dep, r[0]);
  }

  private static long[] of(long... record) {
    return record;
  }

  @Test
  void densityEndsAtTheFirstMissingLsn() {
    LogTail tail = tail(of(11, 0), of(12, 1), of(14, 0), of(15, 1, 13, 0));
    Cut cut = Cut.byDensity(10, tail, 2);
    assertThat(cut.lsn()).isEqualTo(12);
    assertThat(cut.survivorEnds()).containsExactly(14L, 0L);
    assertThat(cut.partitionsBeyond()).isOne();
    assertThat(cut.keeps(tail, 1)).isTrue();
    assertThat(cut.keeps(tail, 2)).isTrue();
    assertThat(cut.keeps(tail, 3)).isFalse();
  }

  @Test
  void aRecordThatReadWhatIsLostIsLostAndWhatFollowsItInItsPartition() {
    // LSN 1 is lost; 3 has read from it, and 4 follows 3 in the same partition.
    LogTail tail = tail(of(2, 1), of(3, 1, 1, 0), of(4, 1));
    Cut cut = Cut.byDensity(0, LogTail.merge(tail, new LogTail()), 2);
    assertThat(cut.survivorEnds()).containsExactly(0L, 2L);
    assertThat(cut.keeps(tail, 0)).isTrue();
    assertThat(cut.keeps(tail, 1)).isFalse();
    assertThat(cut.keeps(tail, 2)).isFalse();
    assertThat(tail.dep(1)).isEqualTo(Lsn.pack(1, 0));
  }

  @Test
  void nothingMissingNothingBeyond() {
    assertThat(Cut.byDensity(3, tail(), 2)).isEqualTo(new Cut(3, List.of(0L, 0L), 0));
    assertThat(Cut.byDensity(3, tail(of(4, 1)), 2)).isEqualTo(new Cut(4, List.of(0L, 0L), 0));
  }

  @Test
  void aRunBeyondTheCutEndsAtTheFirstDependencyOnWhatIsLost() {
    // LSN 1 is lost. 3 depends on 2, which survives in its own partition only.
    Cut cut =
        Cut.byDensity(
            0, tail(of(2, 1), of(3, 2, 2, 1), of(4, 1), of(5, 2, 2, 1), of(6, 1, 3, 2)), 3);
    assertThat(cut.lsn()).isZero();
    assertThat(cut.survivorEnds()).containsExactly(0L, 4L, 0L);
  }

  @Test
  void dependenciesUpToTheCutAreHarmless() {
    Cut cut = Cut.byDensity(5, tail(of(6, 0), of(8, 1, 6, 0), of(9, 1, 6, 0)), 2);
    assertThat(cut.survivorEnds()).containsExactly(0L, 9L);
  }

  @Test
  void withRingsTheCutIsTheLargestLsn() {
    // The shortest trace by which density breaks the promise of ASYNC: docs/protocol.md, R22.
    LogTail tail = tail(of(2, 1), of(3, 2, 2, 1));
    assertThat(Cut.withRings(0, tail, List.of(0L), 3)).isEqualTo(new Cut(3, zeros(3), 1));
    assertThat(Cut.byDensity(0, tail, 3).keeps(tail, 1)).isFalse();
  }

  private static List<Long> zeros(int count) {
    return java.util.Collections.nCopies(count, 0L);
  }

  @Test
  void everyHoleNeedsALaneAnnouncedBelow() {
    LogTail tail = tail(of(12, 0), of(14, 0));
    assertThat(Cut.withRings(10, tail, List.of(10L, 12L), 2).holes()).isEqualTo(2);
    // Announced at 11 the earliest, the lane took 12 or later: 11 stays unexplained.
    assertThatThrownBy(() -> Cut.withRings(10, tail, List.of(11L, 12L), 2))
        .isInstanceOf(UntrustedRingsException.class)
        .hasMessageContaining("LSN 11");
  }

  @Test
  void thereAreNoMoreHolesThanLanesUnderWay() {
    LogTail tail = tail(of(12, 0), of(14, 0));
    assertThatThrownBy(() -> Cut.withRings(10, tail, List.of(10L), 2))
        .isInstanceOf(UntrustedRingsException.class);
    assertThatThrownBy(() -> Cut.withRings(10, tail, List.of(), 2))
        .isInstanceOf(UntrustedRingsException.class);
    // A wild LSN is refused without counting up to it.
    assertThatThrownBy(() -> Cut.withRings(10, tail(of(Lsn.MAX, 0)), List.of(1L, 2L, 3L), 2))
        .isInstanceOf(UntrustedRingsException.class);
  }

  @Test
  void anLsnOccursOnce() {
    assertThatThrownBy(() -> Cut.withRings(10, tail(of(10, 0)), List.of(), 2))
        .isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> Cut.withRings(10, tail(of(11, 0), of(11, 1)), List.of(), 2))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("twice");
  }

  @Test
  void nobodyCanHaveReadAHole() {
    LogTail tail = tail(of(12, 0, 11, 1));
    assertThatThrownBy(() -> Cut.withRings(10, tail, List.of(10L), 2))
        .isInstanceOf(UntrustedRingsException.class)
        .hasMessageContaining("depends on LSN 11");
    assertThat(Cut.withRings(11, tail, List.of(), 2).lsn()).isEqualTo(12);
  }
}
