package io.howdah.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each option, at both ends of its range and just outside. */
class LogOptionsTest {

  private static final int SEGMENT = 1 << 20;

  private static LogOptions options(
      long interval, long spin, long timeout, int first, int largest, long max) {
    return new LogOptions(interval, spin, timeout, first, largest, max);
  }

  private static LogOptions interval(long nanos) {
    return options(nanos, 0, 0, SEGMENT, SEGMENT, Long.MAX_VALUE);
  }

  private static LogOptions spin(long nanos) {
    return options(1_000, nanos, 0, SEGMENT, SEGMENT, Long.MAX_VALUE);
  }

  private static LogOptions segments(int first, int largest) {
    return options(1_000, 0, 0, first, largest, Long.MAX_VALUE);
  }

  private static void assertRefused(Runnable creation, String what, long value) {
    assertThatThrownBy(creation::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(what + " is out of range: " + value);
  }

  @ParameterizedTest
  @ValueSource(longs = {1_000, 10_000_000_000L})
  void theIntervalIsAMicrosecondToTenSeconds(long nanos) {
    assertThat(interval(nanos).groupCommitIntervalNanos()).isEqualTo(nanos);
  }

  @ParameterizedTest
  @ValueSource(longs = {999, 0, -1, 10_000_000_001L})
  void otherIntervalsAreRefused(long nanos) {
    assertRefused(() -> interval(nanos), "group commit interval", nanos);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1_000_000})
  void theSpinTimeIsAMillisecondAtMost(long nanos) {
    assertThat(spin(nanos).spinNanos()).isEqualTo(nanos);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 1_000_001})
  void otherSpinTimesAreRefused(long nanos) {
    assertRefused(() -> spin(nanos), "spin time", nanos);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE})
  void aTimeoutIsNotNegative(long nanos) {
    assertRefused(
        () -> options(1_000, 0, nanos, SEGMENT, SEGMENT, Long.MAX_VALUE),
        "log full timeout",
        nanos);
  }

  @ParameterizedTest
  @ValueSource(ints = {SegmentLayout.MIN_LENGTH, SEGMENT, SegmentLayout.MAX_LENGTH})
  void segmentsHaveEveryLengthThatAFileMayHave(int length) {
    assertThat(segments(length, length).largestSegmentBytes()).isEqualTo(length);
    assertThat(segments(length, SegmentLayout.MAX_LENGTH).firstSegmentBytes()).isEqualTo(length);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        SegmentLayout.MIN_LENGTH - BatchLayout.ALIGNMENT,
        SegmentLayout.MIN_LENGTH + BatchLayout.ALIGNMENT / 2,
        SEGMENT + 1,
        SEGMENT - 1,
        0,
        -BatchLayout.ALIGNMENT
      })
  void otherFirstLengthsAreRefused(int length) {
    assertRefused(() -> segments(length, SegmentLayout.MAX_LENGTH), "first segment length", length);
  }

  @ParameterizedTest
  @ValueSource(ints = {SEGMENT - 1, 0, SegmentLayout.MAX_LENGTH + 1})
  void theLargestSegmentIsNoShorterThanTheFirst(int length) {
    assertRefused(() -> segments(SEGMENT, length), "largest segment length", length);
  }

  @ParameterizedTest
  @ValueSource(longs = {8L * SEGMENT, 9L * SEGMENT - 1, Long.MAX_VALUE})
  void aLogHasRoomForEightSegments(long bytes) {
    assertThat(options(1_000, 0, 0, SEGMENT / 2, SEGMENT, bytes).maxBytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(longs = {8L * SEGMENT - 1, SEGMENT, 0, -1})
  void aShorterLogIsRefused(long bytes) {
    assertRefused(
        () -> options(1_000, 0, 0, SEGMENT / 2, SEGMENT, bytes), "most bytes of log", bytes);
  }
}
