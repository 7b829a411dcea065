package io.howdah.jmh.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.jmh.workload.SharedLines.Line;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class SharedLinesTest {

  private static final long NANOS = 5_000_000;

  @ParameterizedTest
  @EnumSource
  void eachTransactionAddsOne(Line line) throws Exception {
    try (SharedLines lines = SharedLines.create(2)) {
      long done = lines.run(line, NANOS).operations();
      boolean isEmpty = line == Line.POOL || line == Line.EMPTY_NONE;
      assertThat(lines.sum(line)).isEqualTo(isEmpty ? 0 : done);
    }
  }

  @Test
  void wordsShareTheLinesThatTheSettingNames() {
    for (int thread = 1; thread < 4; thread++) {
      // Orecs guard 32 bytes each, and those of 256 bytes are on one line.
      assertThat(SharedLines.offset(Line.ORECS, thread) / 256).isZero();
      assertThat(SharedLines.offset(Line.ORECS, thread) / 64).isEqualTo(thread);
      assertThat(SharedLines.offset(Line.CLOCK, thread) / 256).isPositive();
    }
    assertThat(SharedLines.offset(Line.DATA, 1) / 64).isZero();
    Set<Long> stripes = new HashSet<>();
    Set<Long> far = new HashSet<>();
    for (int thread = 0; thread < 16; thread++) {
      stripes.add(SharedLines.offset(Line.DATA, thread) / 32);
      far.add(SharedLines.offset(Line.ORECS, thread) / 64);
    }
    assertThat(stripes).hasSize(16);
    assertThat(far).hasSize(16);
    assertThat(SharedLines.offset(Line.WORD, 3)).isEqualTo(SharedLines.offset(Line.WORD, 0));
  }
}
