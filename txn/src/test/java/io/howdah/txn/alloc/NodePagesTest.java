package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The runs of pages that arenas take nodes from, which several sessions may have in common. */
final class NodePagesTest {

  private static final int ARENA = 0;
  private static final int CODE = 1;
  private static final int RUN = 16;

  private final PartialSlabs partial = new PartialSlabs(long[]::new);
  private final NodePages pages = new NodePages(1, partial);

  @Test
  void anArenaTakesThePagesOfItsRunInTurn() {
    pages.use(ARENA, CODE, 100, RUN);
    for (long page = 0, expected = 100; expected < 100 + RUN; expected++) {
      page = pages.next(ARENA, CODE, page);
      assertThat(page).isEqualTo(expected);
      assertThat(pages.next(ARENA, CODE, 0)).isEqualTo(expected);
    }
    assertThat(pages.next(ARENA, CODE, 100 + RUN - 1)).isZero();
    assertThat(pages.next(ARENA, CODE, 0)).isZero();
  }

  /** A session has looked at a page in vain while another one has given the arena another run. */
  @ParameterizedTest
  @ValueSource(longs = {50, 84, 116, 500})
  void aRunStaysIfAnotherOneHasComeInItsPlace(long other) {
    pages.use(ARENA, CODE, 100, RUN);
    long full = pages.next(ARENA, CODE, 0);
    pages.use(ARENA, CODE, other, RUN);
    assertThat(pages.next(ARENA, CODE, full)).isEqualTo(other);
    assertThat(pages.next(ARENA, CODE, full + RUN - 1)).isEqualTo(other);
    assertThat(pages.next(ARENA, CODE, 0)).isEqualTo(other);
    assertThat(pages.next(ARENA, CODE, other)).isEqualTo(other + 1);
  }

  @Test
  void whatIsLeftOfAFormerRunBecomesHints() {
    pages.use(ARENA, CODE, 100, RUN);
    assertThat(pages.next(ARENA, CODE, 100)).isEqualTo(101);
    pages.use(ARENA, CODE, 500, RUN);
    TreeSet<Long> hints = new TreeSet<>();
    for (long page = pages.poll(CODE); page != 0; page = pages.poll(CODE)) {
      hints.add(page);
    }
    assertThat(hints).hasSize(RUN - 1).contains(101L, 100L + RUN - 1);
  }
}
