package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.LargeValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Who may read large values, and in which order. */
final class ReaderLimitTest {

  private static final LargeValue A = new LargeValue(1, 40);
  private static final LargeValue B = new LargeValue(2, 40);
  private static final LargeValue C = new LargeValue(3, 30);
  private static final LargeValue D = new LargeValue(4, 20);
  private static final LargeValue HUGE = new LargeValue(5, 1000);

  private final ReaderLimit<String> limit = new ReaderLimit<>(100);

  @Test
  void aValueCountsOnceAndOneAloneIsAlwaysLetIn() {
    assertThat(limit.enter(HUGE, "1")).isTrue();
    assertThat(limit.enter(HUGE, "2")).isTrue();
    assertThat(limit.bytes()).isEqualTo(1000);
    assertThat(limit.enter(D, "3")).isFalse();
    limit.leave(HUGE, "1");
    assertThat(limit.enter(D, "3")).isFalse();
    limit.leave(HUGE, "2");
    assertThat(limit.enter(D, "3")).isTrue();
    assertThat(limit.bytes()).isEqualTo(20);
  }

  @Test
  void theLimitIsReachedExactly() {
    assertThat(limit.enter(A, "1")).isTrue();
    assertThat(limit.enter(B, "2")).isTrue();
    assertThat(limit.enter(new LargeValue(9, 21), "3")).isFalse();
    limit.giveUpPlace("3");
    assertThat(limit.enter(D, "4")).isTrue();
    assertThat(limit.bytes()).isEqualTo(100);
  }

  @Test
  void whoFitsWaitsForThoseThatCameEarlier() {
    limit.enter(A, "1");
    limit.enter(B, "2");
    assertThat(limit.enter(C, "3")).isFalse();
    assertThat(limit.enter(D, "4")).as("it fits, but 3 came first").isFalse();
    limit.leave(A, "1");
    assertThat(limit.enter(D, "4")).as("there is room for 3, too").isTrue();
    assertThat(limit.enter(C, "3")).isTrue();
    assertThat(limit.bytes()).isEqualTo(90);
  }

  @Test
  void aPlaceThatIsGivenUpHoldsNobody() {
    limit.enter(A, "1");
    assertThat(limit.enter(HUGE, "2")).isFalse();
    assertThat(limit.enter(B, "3")).isFalse();
    limit.giveUpPlace("2");
    limit.giveUpPlace("2");
    assertThat(limit.enter(B, "3")).isTrue();
    assertThat(limit.enter(HUGE, "2")).as("it has the last place").isFalse();
  }

  @Test
  void aPlaceIsKeptWhenTheValueBecomesAnother() {
    limit.enter(A, "1");
    limit.enter(B, "2");
    assertThat(limit.enter(C, "3")).isFalse();
    assertThat(limit.enter(A, "5")).as("takes no room").isTrue();
    assertThat(limit.enter(new LargeValue(9, 30), "4")).isFalse();
    assertThat(limit.enter(HUGE, "3")).isFalse();
    limit.leave(B, "2");
    assertThat(limit.enter(new LargeValue(9, 30), "4")).as("3 came first").isFalse();
    assertThat(limit.enter(new LargeValue(10, 20), "3")).isTrue();
    assertThat(limit.enter(new LargeValue(9, 30), "4")).isTrue();
  }

  @Test
  void readersOfWhatIsReadGoBeforeTheFirstOnlySoOften() {
    limit.enter(A, "0");
    assertThat(limit.enter(HUGE, "huge")).isFalse();
    String last = "0";
    for (int i = 1; i <= ReaderLimit.MAX_OVERTAKEN; i++) {
      String next = Integer.toString(i);
      assertThat(limit.enter(A, next)).isTrue();
      limit.leave(A, last);
      last = next;
      assertThat(limit.enter(HUGE, "huge")).isFalse();
    }
    assertThat(limit.enter(A, "more")).isFalse();
    limit.leave(A, last);
    assertThat(limit.enter(A, "more")).isFalse();
    assertThat(limit.enter(HUGE, "huge")).isTrue();
    assertThat(limit.enter(HUGE, "as huge")).as("before the next one").isTrue();
    limit.leave(HUGE, "huge");
    limit.leave(HUGE, "as huge");
    assertThat(limit.enter(A, "more")).isTrue();
  }

  @Test
  void nobodyIsInTheWayIfNobodyWaitsOrTheFirstFits() {
    limit.enter(A, "1");
    limit.enter(B, "2");
    assertThat(limit.inTheWay(List.of("1", "2"))).isEmpty();
    assertThat(limit.enter(C, "3")).isFalse();
    assertThat(limit.enter(HUGE, "4")).isFalse();
    limit.leave(A, "1");
    assertThat(limit.inTheWay(List.of("2"))).isEmpty();
    assertThat(limit.enter(C, "3")).isTrue();
    assertThat(limit.inTheWay(List.of("none", "3", "2"))).containsExactly("3", "2");
  }

  @Test
  void onlyThoseAreInTheWayWhoMakeTheRoom() {
    limit.enter(A, "1");
    limit.enter(A, "2");
    limit.enter(B, "3");
    limit.enter(D, "4");
    assertThat(limit.enter(C, "5")).isFalse();
    assertThat(limit.inTheWay(List.of())).isEmpty();
    assertThat(limit.inTheWay(List.of("1", "4"))).as("2 reads the same").containsExactly("4");
    assertThat(limit.inTheWay(List.of("3", "4"))).containsExactly("3");
    assertThat(limit.inTheWay(List.of("1", "2", "3"))).containsExactly("1", "2");
  }

  /** Whatever order they ask in: nobody waits for ever, and the limit holds. */
  @Test
  void allWhoAskAreLetInAtLast() {
    Random random = new Random(3);
    List<LargeValue> values = List.of(A, B, C, D, HUGE);
    int clients = 12;
    LargeValue[] reads = new LargeValue[clients];
    LargeValue[] wants = new LargeValue[clients];
    int[] waited = new int[clients];
    for (int round = 0; round < 100_000; round++) {
      int i = random.nextInt(clients);
      String name = Integer.toString(i);
      LargeValue read = reads[i];
      if (read != null) {
        limit.leave(read, name);
        reads[i] = null;
      } else {
        LargeValue wanted = wants[i] == null ? values.get(random.nextInt(5)) : wants[i];
        boolean isIn = limit.enter(wanted, name);
        reads[i] = isIn ? wanted : null;
        wants[i] = isIn ? null : wanted;
        waited[i] = isIn ? 0 : waited[i] + 1;
        assertThat(waited[i]).as("turns in which %s asked", name).isLessThan(1000);
      }
      List<LargeValue> now = new ArrayList<>();
      for (LargeValue value : reads) {
        if (value != null && !now.contains(value)) {
          now.add(value);
        }
      }
      long bytes = now.stream().mapToLong(LargeValue::length).sum();
      assertThat(limit.bytes()).isEqualTo(bytes);
      assertThat(now.size() == 1 || bytes <= 100).isTrue();
    }
  }
}
