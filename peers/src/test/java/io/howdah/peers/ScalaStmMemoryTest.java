package io.howdah.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.jmh.workload.SixRefs;
import org.junit.jupiter.api.Test;

final class ScalaStmMemoryTest {

  private static final long NANOS = 50_000_000;

  /** Few words, so that transactions meet. */
  @Test
  void everyTransactionAddsSixAlsoWhenTheyMeet() throws Exception {
    SixRefs words = new SixRefs(new ScalaStmMemory(64));
    long operations = 0;
    for (int threads : new int[] {1, 2, 8}) {
      operations += words.run(threads, NANOS).operations();
    }
    assertThat(words.verify()).isEqualTo(operations).isPositive();
  }
}
