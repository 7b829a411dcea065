package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.testkit.disk.SimulatedDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each option that has a range: its smallest and its largest value are taken and kept, one beyond
 * each is refused with the option's name, the value and the ends; a store opens and commits with
 * the smallest one. A new option without a row fails.
 */
final class StoreOptionsEndsTest {

  private static final long WORD = 8192;

  /**
   * An option and the ends of its range.
   *
   * @param between values between them that are refused
   */
  record Range(String option, Object smallest, Object largest, List<?> between) {

    Object below() {
      return next(smallest, -1);
    }

    /** Null if there is no larger value. */
    @Nullable Object above() {
      return largest.equals(ChronoUnit.FOREVER.getDuration()) ? null : next(largest, 1);
    }

    private static Object next(Object value, int step) {
      return switch (value) {
        case Integer number -> number + step;
        case Long number -> number + step;
        case Duration time -> time.plusNanos(step);
        default -> throw new AssertionError(value);
      };
    }

    @Override
    public String toString() {
      return option;
    }
  }

  static List<Range> ranges() {
    return List.of(
        new Range("maxSize", StoreOptions.MIN_SIZE, StoreOptions.MAX_SIZE, List.of()),
        new Range("partitions", 1, 256, List.of()),
        new Range("ringBytes", 64 << 10, 16 << 20, List.of((64 << 10) + 8, (16 << 20) - 8)),
        new Range("orecs", 64, 1 << 26, List.of(65, 96, (1 << 26) - 1)),
        new Range("maxTransactionBytes", 4L << 10, 1L << 30, List.of()),
        new Range("groupCommitInterval", Duration.ofNanos(1000), Duration.ofSeconds(10), List.of()),
        new Range("closeTimeout", Duration.ZERO, Duration.ofDays(1), List.of()),
        new Range(
            "durabilityTimeout", Duration.ofMillis(1), ChronoUnit.FOREVER.getDuration(), List.of()),
        new Range("recoveryGoal", Duration.ofMillis(10), Duration.ofHours(1), List.of()),
        new Range("logSegmentBytes", 64 << 10, 64 << 20, List.of((64 << 10) + 8, 96 << 10)),
        new Range("maxLogBytes", 512L << 10, 1L << 50, List.of()),
        new Range("irrevocableAfterAborts", 1, 1_000_000, List.of()));
  }

  private static Map<String, Method> setters() {
    Map<String, Method> setters = new HashMap<>();
    for (Method method : StoreOptions.class.getMethods()) {
      String name = method.getName();
      if (name.startsWith("with") && method.getParameterCount() == 1) {
        setters.put(Character.toLowerCase(name.charAt(4)) + name.substring(5), method);
      }
    }
    return setters;
  }

  @Test
  void everyOptionWithARangeHasARow() {
    Set<String> expected = new TreeSet<>();
    setters()
        .forEach(
            (name, setter) -> {
              Class<?> type = setter.getParameterTypes()[0];
              if (type == int.class || type == long.class || type == Duration.class) {
                expected.add(name);
              }
            });
    assertThat(ranges().stream().map(Range::option)).containsExactlyInAnyOrderElementsOf(expected);
  }

  private static StoreOptions set(StoreOptions options, Range range, Object value) {
    try {
      Method setter = Objects.requireNonNull(setters().get(range.option()));
      return (StoreOptions) setter.invoke(options, value);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new AssertionError(e);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static Object get(StoreOptions options, Range range) throws Exception {
    return StoreOptions.class.getMethod(range.option()).invoke(options);
  }

  /** A log of few bytes gets as long as eight rings; the other options are kept as they are. */
  private static StoreOptions base(Range range) {
    StoreOptions options = StoreOptions.defaults().withPartitions(1);
    return range.option().equals("maxLogBytes") ? options.withRingBytes(64 << 10) : options;
  }

  @ParameterizedTest
  @MethodSource("ranges")
  void theEndsAreKeptAndNothingBeyondIsTaken(Range range) throws Exception {
    for (Object kept : List.of(range.smallest(), range.largest())) {
      assertThat(get(set(base(range), range, kept), range)).isEqualTo(kept);
    }
    List<Object> refused = new ArrayList<>(range.between());
    refused.add(range.below());
    Object above = range.above();
    if (above != null) {
      refused.add(above);
    }
    for (Object value : refused) {
      assertThatThrownBy(() -> set(base(range), range, value))
          .as("%s of %s", range, value)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(range.option());
    }
  }

  /** A store with the smallest value of an option, and with the largest that costs nothing. */
  @ParameterizedTest
  @MethodSource("ranges")
  void aStoreWorksAtTheEnds(Range range) {
    List<Object> values = new ArrayList<>(List.of(range.smallest()));
    if (range.largest() instanceof Duration
        || Set.of("maxTransactionBytes", "irrevocableAfterAborts", "maxLogBytes", "partitions")
            .contains(range.option())) {
      values.add(range.largest());
    }
    for (Object value : values) {
      List<SimulatedDisk> disks = new ArrayList<>(List.of(SimulatedDisk.seeded(1)));
      StoreOptions small =
          StoreOptions.defaults()
              .withMaxSize(1 << 20)
              .withPartitions(1)
              .withOrecs(1 << 10)
              .withRingBytes(1 << 16);
      StoreOptions options = set(small, range, value);
      assertThatCode(
              () -> {
                for (long round = 1; round <= 2; round++) {
                  long expected = round;
                  SimulatedDisk left = disks.getLast().fork();
                  disks.add(left);
                  try (Store store = Store.open(options.withStorage(left.storage()))) {
                    store.run(tx -> tx.putLong(WORD, tx.getLong(WORD) + 1));
                    assertThat((long) store.read(tx -> tx.getLong(WORD))).isEqualTo(expected);
                  }
                }
              })
          .as("%s of %s", range, value)
          .doesNotThrowAnyException();
    }
  }
}
