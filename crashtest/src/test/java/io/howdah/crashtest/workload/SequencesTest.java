package io.howdah.crashtest.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Sequences have numbers, and each number is one of them. */
final class SequencesTest {

  @Test
  void sequencesAreNumberedAndNamed() {
    Sequences pairs = Sequences.all(2);
    assertThat(pairs.count()).isEqualTo((long) Sequences.kinds() * Sequences.kinds());
    assertThat(pairs.length()).isEqualTo(2);
    assertThat(pairs.text(0)).isEqualTo("put,put");
    assertThat(pairs.text(1)).isEqualTo("put,put-sync");
    assertThat(pairs.isLikeAnother(0)).isFalse();
    assertThat(pairs.isLikeAnother(1)).isTrue();
    assertThat(pairs.prefix(Sequences.kinds() - 1)).isZero();
    assertThat(pairs.prefix(Sequences.kinds())).isEqualTo(1);
    assertThat(pairs.neighbours()).isEqualTo(Sequences.kinds());
    assertThat(Sequences.all(1).neighbours()).isEqualTo(1);
  }

  @Test
  void aShuffledOrderHasEachSequenceOnce() {
    for (long seed = 0; seed < 20; seed++) {
      Sequences shuffled = Sequences.shuffled(2, seed);
      Set<String> texts = new HashSet<>();
      for (long i = 0; i < shuffled.count(); i++) {
        texts.add(shuffled.text(i));
      }
      assertThat(texts).hasSize((int) shuffled.count());
    }
  }

  /** Their number times a stride does not fit into a long. */
  @Test
  void theLongestSequencesCanBeShuffled() {
    Sequences shuffled = Sequences.shuffled(8, 3);
    Set<String> texts = new HashSet<>();
    for (long i = 1; i <= 10_000; i++) {
      texts.add(shuffled.text(shuffled.count() - i));
    }
    assertThat(texts).hasSize(10_000).allMatch(text -> text.split(",", -1).length == 8);
  }

  @Test
  void oneSequenceHasNoNeighbours() {
    Sequences one = Sequences.only("put-sync,poll,put-sync");
    assertThat(one.count()).isEqualTo(1);
    assertThat(one.length()).isEqualTo(3);
    assertThat(one.text(0)).isEqualTo("put-sync,poll,put-sync");
    assertThat(one.isLikeAnother(0)).isFalse();
    assertThat(one.neighbours()).isEqualTo(1);
  }

  @Test
  void unknownStepsAndOtherLengthsAreRefused() {
    assertThatThrownBy(() -> Sequences.only("put,nothing"))
        .hasMessageContaining("no operation is called \"nothing\"; there are put, put-sync, ");
    assertThatThrownBy(() -> Sequences.only("put,".repeat(8) + "put"))
        .hasMessageContaining("1 to 8: 9");
    assertThatThrownBy(() -> Sequences.all(0)).hasMessageContaining("1 to 8: 0");
    assertThatThrownBy(() -> Sequences.shuffled(9, 1)).hasMessageContaining("1 to 8: 9");
  }
}
