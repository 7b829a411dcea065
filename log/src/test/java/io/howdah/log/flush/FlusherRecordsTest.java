package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.Ring;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where a batch that cannot take all of a ring ends. */
class FlusherRecordsTest {

  private static final int SHORT = RedoRecordLayout.MIN_LENGTH;

  private final Region memory =
      Regions.anonymous(RingLayout.HEADER_LENGTH + RingLayout.MIN_CAPACITY);
  private final Ring ring = new Ring(memory, 0, RingLayout.MIN_CAPACITY);

  @AfterEach
  void unmap() {
    ring.close();
  }

  private void head(long position, long head) {
    memory.setLong(RingLayout.HEADER_LENGTH + position, head);
  }

  @Test
  void itEndsWithTheLastRecordThatFits() {
    for (long at = 0; at < 5 * SHORT; at += SHORT) {
      head(at, RedoRecordLayout.head(SHORT, RedoRecordLayout.KIND_VOID, 0));
    }
    assertThat(Flusher.lastRecordEnd(ring, SHORT, 4 * SHORT + 8)).isEqualTo(4 * SHORT);
    assertThat(Flusher.lastRecordEnd(ring, SHORT, 4 * SHORT)).isEqualTo(4 * SHORT);
    assertThat(Flusher.lastRecordEnd(ring, 0, SHORT - 8)).isZero();
  }

  @Test
  void aLengthThatLeadsNowhereStopsTheLog() {
    for (long head : new long[] {0, -1, RedoRecordLayout.head(8, 1, 0), Long.MIN_VALUE}) {
      head(0, head);
      assertThatThrownBy(() -> Flusher.lastRecordEnd(ring, 0, 4096))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("position 0 of the ring of partition 0");
    }
  }
}
