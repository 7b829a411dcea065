package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.List;
import org.junit.jupiter.api.Test;

final class RangeTest {

  @Test
  @SuppressWarnings("NullAway") // what it is about
  void aBoundIsNotNull() {
    assertThatNullPointerException().isThrownBy(() -> Range.from(null)).withMessage("key");
    assertThatNullPointerException().isThrownBy(() -> Range.upTo(null)).withMessage("key");
    assertThatNullPointerException().isThrownBy(() -> Range.between(null, 1)).withMessage("from");
    assertThatNullPointerException().isThrownBy(() -> Range.between(1, null)).withMessage("to");
  }

  @Test
  void theFirstPageIsBehindNoKey() {
    Range<Long> range = Range.between(1L, 9L);
    assertThat(Range.behind(null, range)).isSameAs(range);
  }

  /** Nothing but the order changes, whatever the range consists of. */
  @Test
  void aReversedRangeHasAllPartsOfTheRange() {
    List<Range<Integer>> whole =
        List.of(
            Range.all(),
            Range.from(2),
            Range.upTo(8),
            Range.between(2, 8),
            Range.prefix("alice"),
            Range.prefix("alice", null));
    for (Range<Integer> range : whole) {
      for (Range<Integer> each : List.of(range, Range.behind(4, range))) {
        Range<Integer> reversed = Range.reversed(each);
        assertThat(reversed).hasToString(each + ", reversed");
        assertThat(reversed.last()).isEqualTo(each.last());
        assertThat(Range.reversed(reversed)).hasToString(each.toString());
        assertThat(Range.behind(5, reversed).isAscending()).as("of %s", each).isFalse();
      }
    }
  }

  @Test
  void partsAreCopied() {
    Object[] parts = {"alice", null};
    Range<String> range = Range.prefix(parts);
    parts[0] = "bob";
    assertThat(range.prefixParts()).containsExactly("alice", null);
  }

  @Test
  void messagesHaveBoundsAndOrder() {
    assertThat(Range.all()).hasToString("range");
    assertThat(Range.reversed(Range.upTo(5))).hasToString("range up to 5, reversed");
    assertThat(Range.behind(4, Range.between(1, 9)))
        .hasToString("range from 1 before 9 continued behind 4");
    assertThat(Range.prefix("alice")).hasToString("range of the prefix [alice]");
    assertThat(Range.reversed(Range.reversed(Range.from(2)))).hasToString("range from 2");
  }
}
