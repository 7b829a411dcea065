package io.howdah.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Options keep what was set before, and each sets what its name says and nothing else. */
final class TxOptionsTest {

  private static final Duration LIMIT = Duration.ofMillis(3);

  private static void require(
      TxOptions options, Object durability, boolean readOnly, boolean irrevocable, Object limit) {
    assertThat(Objects.requireNonNullElse(options.durability(), "default")).isEqualTo(durability);
    assertThat(options.isReadOnly()).isEqualTo(readOnly);
    assertThat(options.isIrrevocable()).isEqualTo(irrevocable);
    assertThat(Objects.requireNonNullElse(options.timeLimit(), "none")).isEqualTo(limit);
    assertThat(options)
        .hasToString(
            "TxOptions[durability=%s, readOnly=%s, irrevocable=%s, timeLimit=%s]"
                .formatted(durability, readOnly, irrevocable, limit));
  }

  @Test
  void theCommonOnesAreOfTheirMode() {
    require(TxOptions.defaults(), "default", false, false, "none");
    require(TxOptions.sync(), Durability.SYNC, false, false, "none");
    require(TxOptions.partition(), Durability.PARTITION, false, false, "none");
    require(TxOptions.async(), Durability.ASYNC, false, false, "none");
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void eachModeIsTheOneThatWasAskedFor(Durability durability) {
    require(TxOptions.of(durability), durability, false, false, "none");
    require(TxOptions.defaults().withDurability(durability), durability, false, false, "none");
  }

  @Test
  void eachOptionOutlivesTheNext() {
    TxOptions all = TxOptions.async().withReadOnly().withIrrevocable().withTimeLimit(LIMIT);
    require(all, Durability.ASYNC, true, true, LIMIT);
    TxOptions other = TxOptions.defaults().withTimeLimit(LIMIT).withIrrevocable().withReadOnly();
    require(other, "default", true, true, LIMIT);
    require(other.withDurability(Durability.SYNC), Durability.SYNC, true, true, LIMIT);
    require(
        TxOptions.sync().withTimeLimit(LIMIT).withReadOnly(), Durability.SYNC, true, false, LIMIT);
    require(all.withReadOnly(), Durability.ASYNC, true, true, LIMIT);
    require(TxOptions.async(), Durability.ASYNC, false, false, "none");
  }

  @Test
  void whatCannotBeIsRefused() {
    TxOptions options = TxOptions.defaults();
    for (Duration limit : new Duration[] {Duration.ZERO, Duration.ofNanos(-1)}) {
      assertThatThrownBy(() -> options.withTimeLimit(limit))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(limit.toString());
    }
    require(
        options.withTimeLimit(Duration.ofNanos(1)), "default", false, false, Duration.ofNanos(1));
  }
}
