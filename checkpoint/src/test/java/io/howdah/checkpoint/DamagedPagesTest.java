package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.CorruptStoreException;
import org.junit.jupiter.api.Test;

/** What is told of an image with several damaged pages. */
class DamagedPagesTest {

  private static CorruptStoreException told(long... pages) {
    DamagedPages damaged = new DamagedPages();
    for (long page : pages) {
      damaged.accept(page, new CorruptStoreException("image", page * 4096, "page " + page));
    }
    return catchThrowableOfType(CorruptStoreException.class, damaged::throwIfAny);
  }

  @Test
  void withoutDamageNothingIsTold() {
    new DamagedPages().throwIfAny();
  }

  @Test
  void pagesSideBySideAreOneRange() {
    assertThat(told(0)).hasMessageContaining("1 page is damaged: 0;");
    CorruptStoreException some = told(0, 1, 2, 5, 9, 10);
    assertThat(some).hasMessageContaining("6 pages are damaged: 0-2, 5, 9-10;");
    assertThat(some.offset()).isZero();
    assertThat(told(7, 8).offset()).isEqualTo(7 * 4096);
    assertThat(told(7, 8)).hasCauseInstanceOf(CorruptStoreException.class);
  }

  @Test
  void atMostSixteenRangesAreNamed() {
    long[] pages = new long[16];
    for (int i = 0; i < pages.length; i++) {
      pages[i] = 2L * i;
    }
    assertThat(told(pages)).hasMessageContaining("28, 30;");
    long[] more = new long[17];
    for (int i = 0; i < more.length; i++) {
      more[i] = 2L * i;
    }
    assertThat(told(more))
        .hasMessageContaining("17 pages")
        .hasMessageContaining("28, 30 and more;");
  }
}
