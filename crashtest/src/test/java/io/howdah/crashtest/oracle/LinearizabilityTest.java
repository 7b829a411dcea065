package io.howdah.crashtest.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.oracle.Linearizability.Call;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check of histories tells legal ones from others. */
final class LinearizabilityTest {

  /** Writes a number, or reads it: {@code reads} is null for a write. */
  private record Access(int writes, boolean isRead) {}

  private static Call<Access> write(int value, long called, long returned) {
    return new Call<>(new Access(value, false), called, returned);
  }

  private static Call<Access> read(int value, long called, long returned) {
    return new Call<>(new Access(value, true), called, returned);
  }

  private static boolean holds(List<Call<Access>> history) {
    return Linearizability.holds(
        0,
        history,
        (state, access) ->
            !access.isRead
                ? Integer.valueOf(access.writes)
                : access.writes == state ? state : null);
  }

  @Test
  void aReadSeesTheWriteBeforeIt() {
    assertThat(holds(List.of(write(1, 0, 1), read(1, 2, 3)))).isTrue();
    assertThat(holds(List.of(write(1, 0, 1), read(0, 2, 3)))).isFalse();
  }

  @Test
  void aReadBesideAWriteSeesEither() {
    assertThat(holds(List.of(write(1, 0, 10), read(0, 1, 2), read(1, 3, 4)))).isTrue();
    assertThat(holds(List.of(write(1, 0, 10), read(1, 1, 2), read(0, 3, 4)))).isFalse();
  }

  @Test
  void writesThatOverlapHaveAnyOrder() {
    assertThat(holds(List.of(write(1, 0, 10), write(2, 0, 10), read(1, 11, 12)))).isTrue();
    assertThat(holds(List.of(write(1, 0, 10), write(2, 0, 10), read(1, 11, 12), read(2, 13, 14))))
        .isFalse();
  }

  @Test
  void aCallWithoutReplyMayHaveHappenedOrNot() {
    long never = Long.MAX_VALUE;
    assertThat(holds(List.of(write(1, 0, never), read(0, 5, 6)))).isTrue();
    assertThat(holds(List.of(write(1, 0, never), read(1, 5, 6)))).isTrue();
    assertThat(holds(List.of(write(1, 0, never), read(1, 5, 6), read(0, 7, 8)))).isFalse();
  }
}
