package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Region;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Words sorted by chunk come to the region as if each had been written in its turn. */
class ChunkStashTest {

  private static final int CAPACITY = 1 << 18;

  private final Storage storage = SimulatedDisk.builder(1).build().storage();
  private final Region region = storage.allocate(CAPACITY);
  private final DirtyPages dirty = DirtyPages.create(storage, CAPACITY, 4096);
  private final RegionChunks chunks = RegionChunks.of(CAPACITY);
  private final long[] expected = new long[CAPACITY / 8];
  private final boolean[] written = new boolean[CAPACITY / 4096];
  private final ByteBuffer record =
      ByteBuffer.allocateDirect(1 << 16).order(ByteOrder.LITTLE_ENDIAN);

  /** Puts entries of some shape into the record and into the model. */
  private void fill(SplittableRandom random, int longest) {
    record.clear();
    while (record.remaining() > (longest + 1) * 8) {
      int run = 1 + random.nextInt(longest);
      int word = random.nextInt(expected.length - run);
      if (random.nextInt(3) == 0) {
        word = random.nextInt(600); // a busy chunk
      }
      record.putLong(RedoRecordLayout.entryHead(word * 8L, run));
      for (int i = 0; i < run; i++) {
        long value = random.nextLong();
        record.putLong(value);
        expected[word + i] = value;
        written[(word + i) / 512] = true;
      }
    }
    record.flip();
  }

  /**
   * As much log as it was made for fits, whatever its shape; of more, nothing is replayed early.
   */
  @Test
  void oneThatKeepsAllNeverReplaysEarly() {
    for (int longest : new int[] {1, 5, 2000}) {
      try (StagingMemory memory = new StagingMemory()) {
        RegionReplay target = new RegionReplay(region, dirty, true);
        ChunkStash stash = ChunkStash.keepingAll(chunks, target, memory, 16L * record.capacity());
        ChunkSorter sorter = ChunkSorter.into(chunks, stash);
        SplittableRandom random = new SplittableRandom(longest);
        for (int i = 0; i < 16; i++) {
          fill(random, longest);
          sorter.redo(record, 0, record.limit());
        }
        sorter.flush();
        assertThatThrownBy(
                () -> {
                  for (int i = 0; i < 200; i++) {
                    sorter.redo(record, 0, record.limit());
                  }
                })
            .isInstanceOf(StashFullException.class);
      }
    }
    for (int word = 0; word < expected.length; word++) {
      assertThat(region.getLong(word * 8L)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 4096, 3 * 4096, 64 << 10, 1 << 30})
  void theLastWriteOfEachWordCounts(long maxBytes) {
    SplittableRandom random = new SplittableRandom(maxBytes);
    try (StagingMemory memory = new StagingMemory()) {
      ChunkStash stash =
          new ChunkStash(chunks, new RegionReplay(region, dirty, true), memory, maxBytes);
      for (int i = 0; i < 30; i++) {
        fill(random, i % 3 == 0 ? 1 : i % 3 == 1 ? 5 : 2000);
        ChunkSorter sorter = ChunkSorter.into(chunks, stash);
        sorter.redo(record, 0, record.limit());
        sorter.flush();
        // Of words alone: heads come on top.
        assertThat(stash.words() * 8).isLessThanOrEqualTo(Math.max(4096, maxBytes));
        assertThat(stash.words() * 8).isLessThanOrEqualTo(2L * CAPACITY);
      }
      long left = stash.words();
      for (int chunk = 0; chunk < chunks.count(); chunk++) {
        if (!stash.isEmpty(chunk)) {
          left -= stash.replay(chunk);
          stash.replay(chunk); // as after one that was broken off
        }
      }
      assertThat(left).isZero();
    }
    for (int word = 0; word < expected.length; word++) {
      assertThat(region.getLong(word * 8L)).isEqualTo(expected[word]);
    }
    for (int page = 0; page < written.length; page++) {
      assertThat(dirty.next(page) == page).isEqualTo(written[page]);
    }
  }
}
