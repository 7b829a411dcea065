package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.JournalLayout;
import io.howdah.core.storage.StagingMemory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The groups of a journal, filled one after the other in one buffer. */
class JournalGroupTest {

  private static final int PAGE_BYTES = 4096;

  /** Groups end where the next page has no room, so they differ in length. */
  @Test
  void aGroupMayBeLongerThanTheOneBefore() {
    try (StagingMemory memory = new StagingMemory()) {
      JournalGroup group = new JournalGroup(memory, PAGE_BYTES);
      ByteBuffer page = memory.allocate(PAGE_BYTES);
      for (int pages = 1; pages < 30; pages++) {
        group.clear();
        for (int i = 0; i < pages; i++) {
          assertThat(group.add(i, page, 0, JournalLayout.allLines(PAGE_BYTES), 0)).isTrue();
        }
        ByteBuffer written = group.finish(1);
        assertThat(written.remaining())
            .isEqualTo((int) JournalLayout.groupLength(pages, pages * PAGE_BYTES));
        written.position(written.limit()); // as a file that has taken it leaves it
      }
    }
  }
}
