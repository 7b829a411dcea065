package io.howdah.jmh.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class RawLoopsTest {

  private static final long NANOS = 5_000_000;

  @Test
  void eachLoopRuns() throws Exception {
    try (RawLoops loops = RawLoops.create(2 << 20)) {
      assertThat(loops.emptyPerSecond(2, NANOS)).isPositive();
      assertThat(loops.copiedBytesPerSecond(2, NANOS)).isPositive();
      assertThat(loops.handOverNanos(NANOS)).isPositive().isLessThanOrEqualTo(1e9);
    }
  }

  @Test
  void refusesLessThanAChunk() {
    assertThatThrownBy(() -> RawLoops.create(1000)).hasMessageContaining("1 MiB: 1000");
  }
}
