package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Orecs that were read together are told of together. */
final class ReadSetRangeTest {

  private static final int STRIPES = 8;

  private final List<Integer> counts = new ArrayList<>();
  private final ReadSet reads = new ReadSet(this::countStripes);

  private void countStripes() {
    int found = 0;
    for (int i = 0; i < reads.count(); i++) {
      found += reads.orec(i) < STRIPES ? 1 : 0;
    }
    counts.add(found);
  }

  /** Whoever is told validates what is there, and takes all else for read later. */
  @ParameterizedTest
  @ValueSource(ints = {1024, 1023, 1020, 1017})
  void nobodyIsToldOfManyReadsBeforeAllOfARangeAreThere(int before) {
    for (int i = 0; i < before; i++) {
      reads.add(100 + i, 2);
    }
    long[] seen = new long[STRIPES];
    reads.add(0, seen, 0, STRIPES);
    for (int i = 0; counts.isEmpty(); i++) {
      reads.add(100_000 + i, 2);
    }
    assertThat(counts).containsOnly(STRIPES);
    assertThat(reads.count()).isGreaterThanOrEqualTo(before + STRIPES);
  }
}
