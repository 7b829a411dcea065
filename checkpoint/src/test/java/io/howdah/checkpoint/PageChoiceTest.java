package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreId;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.Geometry;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a page goes by lines and when whole, at the limits of what is remembered of it. */
class PageChoiceTest {

  private static final int PAGE_BYTES = 4096;
  private static final long ALL = JournalLayout.allLines(PAGE_BYTES);

  private final Storage storage = SimulatedDisk.seeded(1).storage();
  private final StagingMemory memory = new StagingMemory();
  private final ByteBuffer page = memory.allocate(PAGE_BYTES);
  private final DirtyPages dirty = DirtyPages.create(storage, 1 << 18, PAGE_BYTES);

  PageChoiceTest() {
    RegionImage.create(
        storage, new StoreId(1, 2), new Geometry(1, 1 << 16, 1 << 18, 1024, 32, PAGE_BYTES));
  }

  private PageChoice choice(Granularity granularity) {
    return new PageChoice(
        granularity,
        dirty,
        new ImageWindow(storage, ImageWindow.buffer(memory, 1 << 18), PAGE_BYTES),
        new ImageSums(storage, Storage.Access.READ, memory, PAGE_BYTES));
  }

  /** Makes the first lines of the page, and no others, differ from the image. */
  private ByteBuffer differing(int lines) {
    for (int line = 0; line < JournalLayout.MAX_LINES; line++) {
      page.putLong(line * PAGE_BYTES / JournalLayout.MAX_LINES, line < lines ? 1 : 0);
    }
    return page;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 126, 127})
  void aDensePageGoesWholeAsOftenAsItIsAskedFor(int rounds) {
    PageChoice choice = choice(new Granularity(59, 52, rounds, 0));
    for (int again = 0; again < 2; again++) {
      assertThat(choice.lines(2, differing(60))).as("compared").isEqualTo(ALL);
      for (int round = 0; round < rounds; round++) {
        assertThat(choice.lines(2, differing(1))).as("round %s unseen", round).isEqualTo(ALL);
      }
    }
    assertThat(choice.lines(2, differing(51))).as("returns to lines").isEqualTo((1L << 51) - 1);
  }

  @Test
  void theLimitsOfLinesAreExact() {
    PageChoice choice = choice(new Granularity(59, 52, 0, 0));
    assertThat(choice.lines(2, differing(59))).isEqualTo((1L << 59) - 1);
    assertThat(choice.lines(2, differing(60))).isEqualTo(ALL);
    assertThat(choice.lines(2, differing(52))).as("was whole").isEqualTo(ALL);
    assertThat(choice.lines(2, differing(51))).isEqualTo((1L << 51) - 1);
    assertThat(choice.lines(2, differing(59))).as("goes by lines").isEqualTo((1L << 59) - 1);
    assertThat(choice.lines(2, differing(0))).isZero();
  }

  @Test
  void granularitiesBeyondTheirLimitsAreRefused() {
    assertThatThrownBy(() -> new Granularity(65, 0, 0, 0)).hasMessageContaining("65");
    assertThatThrownBy(() -> new Granularity(59, 61, 0, 0)).hasMessageContaining("61");
    assertThatThrownBy(() -> new Granularity(59, 52, 128, 0)).hasMessageContaining("128");
    assertThatThrownBy(() -> new Granularity(59, 52, 0, 101)).hasMessageContaining("101");
  }
}
