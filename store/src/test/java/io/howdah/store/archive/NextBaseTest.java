package io.howdah.store.archive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much log behind a base makes an archive begin the next one. */
final class NextBaseTest {

  private static final long GIB = 1L << 30;

  @ParameterizedTest
  @CsvSource({"0", "1048576", "536870912"})
  void behindASmallBaseAGibibyteOfLogIsAllowed(long baseBytes) {
    assertThat(ArchiveThread.isLogLong(GIB, baseBytes)).isFalse();
    assertThat(ArchiveThread.isLogLong(GIB + 1, baseBytes)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"536870913", "1073741824", "34359738368"})
  void behindALargeBaseTwiceItsLengthIsAllowed(long baseBytes) {
    assertThat(ArchiveThread.isLogLong(2 * baseBytes, baseBytes)).isFalse();
    assertThat(ArchiveThread.isLogLong(2 * baseBytes + 1, baseBytes)).isTrue();
  }
}
