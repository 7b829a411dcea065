package io.howdah.nvmsim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class WorkloadKindTest {
  private static final int TRANSACTIONS = 400;

  private static long count(AccessTrace trace, int kind) {
    return IntStream.range(0, trace.length())
        .filter(i -> AccessTrace.kind(trace.entry(i)) == kind)
        .count();
  }

  /** The structure checks itself at the end of {@code trace}. */
  @ParameterizedTest
  @EnumSource
  void staysWellFormedAndIsTheSameEachTime(WorkloadKind kind) {
    AccessTrace trace = kind.trace(TRANSACTIONS, 8, 1, 7);
    AccessTrace again = kind.trace(TRANSACTIONS, 8, 1, 7);
    assertThat(trace.length()).isEqualTo(again.length());
    assertThat(IntStream.range(0, trace.length()).allMatch(i -> trace.entry(i) == again.entry(i)))
        .isTrue();
    assertThat(count(trace, AccessTrace.BEGIN))
        .isEqualTo(TRANSACTIONS + WorkloadKind.WARM_UP_OPERATIONS / 8);
    assertThat(count(trace, AccessTrace.COMMIT)).isEqualTo(count(trace, AccessTrace.BEGIN));
    assertThat(count(trace, AccessTrace.MEASURE)).isEqualTo(1);
    assertThat(count(trace, AccessTrace.STORE)).isGreaterThan(TRANSACTIONS);
    assertThat(AccessTrace.kind(trace.entry(0))).isEqualTo(AccessTrace.BUILT);
  }

  @ParameterizedTest
  @EnumSource
  void fitsTheLastLevelAndFillsMostOfIt(WorkloadKind kind) {
    long bytes = kind.trace(256, 2, 1, 1).lines() * 64;
    assertThat(bytes).isBetween(512L << 10, 1200L << 10);
  }

  @ParameterizedTest
  @EnumSource
  void storesLieInTransactions(WorkloadKind kind) {
    AccessTrace trace = kind.trace(256, 2, 1, 1);
    boolean open = false;
    for (int i = 0; i < trace.length(); i++) {
      switch (AccessTrace.kind(trace.entry(i))) {
        case AccessTrace.BEGIN -> open = true;
        case AccessTrace.COMMIT -> open = false;
        case AccessTrace.STORE -> assertThat(open).isTrue();
        default -> {}
      }
    }
  }

  @Test
  void seedsDiffer() {
    AccessTrace one = WorkloadKind.SPS.trace(256, 2, 1, 1);
    AccessTrace two = WorkloadKind.SPS.trace(256, 2, 1, 2);
    assertThat(IntStream.range(0, one.length()).allMatch(i -> one.entry(i) == two.entry(i)))
        .isFalse();
  }

  @Test
  void impossibleSizesAreRefused() {
    assertThatThrownBy(() -> WorkloadKind.SPS.trace(0, 2, 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("transactions must be 1");
    assertThatThrownBy(() -> WorkloadKind.SPS.trace(1, 5000, 1, 1))
        .hasMessageContaining("operations per transaction must be 1 to 4096: 5000");
    assertThatThrownBy(() -> WorkloadKind.of("nonsense"))
        .hasMessageContaining("no workload 'nonsense'; there are [btree, hash");
  }
}
