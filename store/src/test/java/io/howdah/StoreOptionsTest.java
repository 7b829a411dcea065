package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Backing;
import io.howdah.txn.Durability;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranges of options, and that none is lost on the way. */
final class StoreOptionsTest {

  private static final StoreOptions D = StoreOptions.defaults();

  @Test
  void everySettingIsKeptByAllLaterOnes() {
    StoreOptions options =
        D.withMaxSize(1 << 20)
            .withPartitions(3)
            .withRingBytes(1 << 17)
            .withOrecs(1 << 8)
            .withMaxTransactionBytes(1 << 13)
            .withDefaultDurability(Durability.ASYNC)
            .withBacking(Backing.RESIDENT)
            .withGroupCommitInterval(Duration.ofMillis(7))
            .withCloseTimeout(Duration.ofMillis(9))
            .withIrrevocableAfterAborts(5)
            .withExecution(D.execution());
    assertThat(options.maxSize()).isEqualTo(1 << 20);
    assertThat(options.partitions()).isEqualTo(3);
    assertThat(options.ringBytes()).isEqualTo(1 << 17);
    assertThat(options.orecs()).isEqualTo(1 << 8);
    assertThat(options.maxTransactionBytes()).isEqualTo(1 << 13);
    assertThat(options.defaultDurability()).isEqualTo(Durability.ASYNC);
    assertThat(options.backing()).isEqualTo(Backing.RESIDENT);
    assertThat(options.groupCommitInterval()).isEqualTo(Duration.ofMillis(7));
    assertThat(options.closeTimeout()).isEqualTo(Duration.ofMillis(9));
    assertThat(options.irrevocableAfterAborts()).isEqualTo(5);
    assertThat(options.storage()).isEmpty();
    // The defaults are as they were.
    assertThat(D.ringBytes()).isEqualTo(1 << 20);
    assertThat(D.orecs()).isEqualTo(1 << 20);
    assertThat(D.maxTransactionBytes()).isEqualTo(64 << 20);
    assertThat(D.defaultDurability()).isEqualTo(Durability.SYNC);
    assertThat(D.irrevocableAfterAborts()).isEqualTo(64);
    assertThat(D.partitions()).isBetween(2, 64);
    assertThat(D.maxSize()).isPositive();
  }

  static Stream<Arguments> outOfRange() {
    return Stream.of(
        refused("maxSize", () -> D.withMaxSize(StoreOptions.MIN_SIZE - 1)),
        refused("maxSize", () -> D.withMaxSize(StoreOptions.MAX_SIZE + 1)),
        refused("partitions", () -> D.withPartitions(0)),
        refused("partitions", () -> D.withPartitions(257)),
        refused("ringBytes", () -> D.withRingBytes(1 << 15)),
        refused("ringBytes", () -> D.withRingBytes(1 << 25)),
        refused("power of two", () -> D.withRingBytes((1 << 20) + 8)),
        refused("orecs", () -> D.withOrecs(32)),
        refused("orecs", () -> D.withOrecs(1 << 27)),
        refused("power of two", () -> D.withOrecs(1000)),
        refused("maxTransactionBytes", () -> D.withMaxTransactionBytes(4095)),
        refused("maxTransactionBytes", () -> D.withMaxTransactionBytes((1L << 30) + 1)),
        refused("groupCommitInterval", () -> D.withGroupCommitInterval(Duration.ofNanos(999))),
        refused("groupCommitInterval", () -> D.withGroupCommitInterval(Duration.ofSeconds(11))),
        refused("closeTimeout", () -> D.withCloseTimeout(Duration.ofNanos(-1))),
        refused("closeTimeout", () -> D.withCloseTimeout(Duration.ofDays(2))),
        refused("irrevocableAfterAborts", () -> D.withIrrevocableAfterAborts(0)),
        refused("irrevocableAfterAborts", () -> D.withIrrevocableAfterAborts(1_000_001)));
  }

  private static Arguments refused(String names, Supplier<StoreOptions> setter) {
    return Arguments.of(names, setter);
  }

  @ParameterizedTest
  @MethodSource("outOfRange")
  void valuesOutOfRangeAreRefused(String names, Supplier<StoreOptions> setter) {
    assertThatThrownBy(setter::get)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(names);
  }

  @Test
  void theSizeIsRoundedDownToPages() {
    assertThat(D.withMaxSize((1 << 20) + 4095).maxSize()).isEqualTo(1 << 20);
  }
}
