package io.howdah.jmh.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RoundsTest {

  @Test
  void subjectsTakeTurnsAndWarmUpsDoNotCount() throws Exception {
    List<String> order = new ArrayList<>();
    List<String> announced = new ArrayList<>();
    Rounds rounds =
        new Rounds()
            .add("a", () -> note(order, "a", order.size()))
            .add("b", () -> note(order, "b", order.size()));
    Rounds.Samples samples =
        rounds.run(1, 2, (step, steps, subject) -> announced.add(step + "/" + steps + subject));
    assertThat(order).containsExactly("a", "b", "a", "b", "a", "b");
    assertThat(announced).containsExactly("0/6a", "1/6b", "2/6a", "3/6b", "4/6a", "5/6b");
    assertThat(samples.of("a")).containsExactly(2.0, 4.0);
    assertThat(samples.of("b")).containsExactly(3.0, 5.0);
  }

  @Test
  void shuffledRoundsHoldEverySubjectOnceAndKeepFiguresApart() throws Exception {
    List<String> order = new ArrayList<>();
    Rounds rounds = new Rounds();
    for (String name : List.of("a", "b", "c", "d")) {
      rounds.add(name, () -> note(order, name, name.charAt(0)));
    }
    Rounds.Samples samples = rounds.shuffled().run(0, 8, (_, _, _) -> {});
    Set<List<String>> orders = new HashSet<>();
    for (int round = 0; round < 8; round++) {
      List<String> one = order.subList(4 * round, 4 * round + 4);
      assertThat(one).containsExactlyInAnyOrder("a", "b", "c", "d");
      orders.add(List.copyOf(one));
    }
    assertThat(orders).hasSizeGreaterThan(4);
    assertThat(samples.of("c")).containsOnly((double) 'c');
  }

  private static double note(List<String> order, String subject, int figure) {
    order.add(subject);
    return figure;
  }

  @Test
  void ratiosAreTakenWithinARound() throws Exception {
    double[] fast = {10, 100};
    double[] slow = {5, 25};
    int[] next = new int[2];
    Rounds.Samples samples =
        new Rounds()
            .add("fast", () -> fast[next[0]++])
            .add("slow", () -> slow[next[1]++])
            .run(0, 2, (_, _, _) -> {});
    assertThat(samples.ratios("fast", "slow")).containsExactly(2.0, 4.0);
  }

  @Test
  void namesAreUniqueAndKnown() throws Exception {
    Rounds rounds = new Rounds().add("a", () -> 1);
    assertThatThrownBy(() -> rounds.add("a", () -> 2)).hasMessageContaining("a");
    Rounds.Samples samples = rounds.run(0, 1, (_, _, _) -> {});
    assertThatThrownBy(() -> samples.of("b")).hasMessageContaining("b");
  }

  @Test
  void aBaselineThatMovesByMoreThanAQuarterIsNoisy() {
    assertThat(Rounds.isNoisy(List.of(100.0, 110.0, 125.0))).isFalse();
    assertThat(Rounds.isNoisy(List.of(100.0, 110.0, 126.0))).isTrue();
  }
}
