package io.howdah.jmh.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.jmh.study.Effort;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PeerNeedsTest {

  private static final int HEAP_MIB = 512;
  private static final PeerSize SMALL = new PeerSize(1000, 20, PeerKeys.LONG);
  private static final PeerSize LARGE = new PeerSize(10_000_000, 1000, PeerKeys.STRING);

  @ParameterizedTest
  @EnumSource
  void aHeapCountsWhollyAndDataWhereItStaysInMemory(PeerKind kind) {
    long small = PeerNeeds.memoryBytes(kind, SMALL, HEAP_MIB);
    long large = PeerNeeds.memoryBytes(kind, LARGE, HEAP_MIB);
    assertThat(small).isGreaterThan((long) HEAP_MIB << 20);
    if (kind.isHowdah() || kind.isInMemory()) {
      assertThat(large - small).isGreaterThan(LARGE.bytes());
    } else {
      assertThat(large).isEqualTo(small);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aMapOfTheJavaLibraryHasRoomForItsDataOnItsHeap(PeerKind kind) {
    int heap = PeerNeeds.heapMegabytes(kind, LARGE, HEAP_MIB);
    if (kind.isInMemory()) {
      assertThat((long) heap << 20).isGreaterThan(LARGE.bytes());
    } else {
      assertThat(heap).isEqualTo(HEAP_MIB);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyStoreWithFilesNeedsDiskForItsData(PeerKind kind) {
    if (kind.isInMemory()) {
      assertThat(PeerNeeds.diskBytes(kind, LARGE)).isZero();
    } else {
      assertThat(PeerNeeds.diskBytes(kind, LARGE)).isGreaterThan(2 * LARGE.bytes());
    }
  }

  @Test
  void aPlanNeedsWhatItsStoresNeedTogether() {
    PeersPlan plan =
        PeersPlan.of(
            List.of(PeerKind.HOWDAH, PeerKind.LMDB),
            LARGE,
            1,
            List.of(1),
            HEAP_MIB,
            new Effort(1, 1));
    assertThat(plan.memoryBytes())
        .isEqualTo(
            PeerNeeds.memoryBytes(PeerKind.HOWDAH, LARGE, HEAP_MIB)
                + PeerNeeds.memoryBytes(PeerKind.LMDB, LARGE, HEAP_MIB));
    assertThat(plan.diskBytes())
        .isEqualTo(
            PeerNeeds.diskBytes(PeerKind.HOWDAH, LARGE)
                + PeerNeeds.diskBytes(PeerKind.LMDB, LARGE));
  }
}
