package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Backing;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.layout.RedoRecordLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The smallest parts of an opening, each at its bounds: pages, chunks, entries, the header. */
class RecoveryPiecesTest {

  private static final int PAGE = 4096;

  // ---- pages that are touched

  private static TouchedPages pages(long count, long... map) {
    return new TouchedPages(count * PAGE, PAGE, map);
  }

  @Test
  void aRangeTouchesThePagesOfItsFirstAndItsLastByte() {
    TouchedPages pages = pages(200);
    pages.touch(64L * PAGE - 1, 2);
    pages.touch(100L * PAGE, PAGE);
    for (int page = 0; page < 200; page++) {
      assertThat(pages.isTouched((long) page * PAGE + PAGE - 1))
          .as("page %d", page)
          .isEqualTo(page == 63 || page == 64 || page == 100);
    }
  }

  /** Memory for a bit of each page of the largest region would be 2 GiB. */
  @Test
  void pagesBehindTheLastOneThatIsTouchedTakeNoMemory() {
    long capacity = 1L << 46;
    List<TouchedPages> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      TouchedPages pages = new TouchedPages(capacity, PAGE, new long[] {1});
      pages.touch(1000L * PAGE, 3 * PAGE);
      all.add(pages);
    }
    assertThat(all)
        .allSatisfy(
            pages -> {
              assertThat(pages.isTouched(0)).isTrue();
              assertThat(pages.isTouched(1000L * PAGE, 3 * PAGE, true)).isTrue();
              assertThat(pages.isTouched(1003L * PAGE)).isFalse();
              assertThat(pages.isTouched(capacity - 1)).isFalse();
              assertThat(pages.isTouched(1003L * PAGE, 1L << 30, false)).isFalse();
            });
  }

  @Test
  void whatIsTouchedBeforeStaysAndPagesBehindTheRegionAreRefused() {
    TouchedPages pages = pages(1000, 2L);
    pages.touch(999L * PAGE, PAGE);
    assertThat(pages.isTouched(PAGE)).isTrue();
    assertThat(pages.isTouched(999L * PAGE)).isTrue();
    assertThatThrownBy(() -> pages.touch(1024L * PAGE, PAGE))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> pages.touch(1L << 60, PAGE))
        .isInstanceOf(IndexOutOfBoundsException.class);
    pages.untouchBelow(1L << 50);
    assertThat(pages.isTouched(999L * PAGE)).isFalse();
  }

  @Test
  void theFirstPagesAreUntouched() {
    TouchedPages pages = pages(200, -1L, -1L, -1L, -1L, -1L, -1L, -1L);
    assertThat(pages.isTouched(199L * PAGE)).isTrue();
    pages.untouchBelow(65L * PAGE + 8);
    assertThat(pages.isTouched(5L * PAGE)).isFalse();
    assertThat(pages.isTouched(64L * PAGE)).isFalse();
    assertThat(pages.isTouched(0)).isFalse();
    assertThat(pages.isTouched(65L * PAGE)).isTrue();
  }

  @Test
  void ofARangeAnyOrAllPagesAreTouched() {
    TouchedPages pages = pages(200);
    pages.touch(5 * PAGE, 2 * PAGE);
    assertThat(pages.isTouched(4 * PAGE, 2 * PAGE, false)).isTrue();
    assertThat(pages.isTouched(4 * PAGE, 2 * PAGE, true)).isFalse();
    assertThat(pages.isTouched(5 * PAGE, 2 * PAGE, true)).isTrue();
    assertThat(pages.isTouched(5 * PAGE, 2 * PAGE + 1, true)).isFalse();
    assertThat(pages.isTouched(4 * PAGE, PAGE, false)).isFalse();
    assertThat(pages.isTouched(4 * PAGE, PAGE + 1, false)).isTrue();
    assertThat(pages.isTouched(7 * PAGE, 300L * PAGE, false)).as("behind the region").isFalse();
  }

  // ---- chunks

  @ParameterizedTest
  @CsvSource({
    "65536, 16, 12",
    "65537, 17, 12",
    "16777216, 4096, 12",
    "16777217, 2049, 13",
    "33554432, 4096, 13"
  })
  void aRegionHasAtMost4096Chunks(long capacityBytes, int count, int shift) {
    RegionChunks chunks = RegionChunks.of(capacityBytes);
    assertThat(chunks).isEqualTo(new RegionChunks(count, shift));
    assertThat(chunks.bytes()).isEqualTo(1L << shift);
    assertThat(chunks.containing(capacityBytes - 1)).isEqualTo(count - 1);
    assertThat(chunks.end(1)).isEqualTo(2L << shift);
    assertThat(chunks.containing(chunks.end(1) - 1)).isEqualTo(1);
    assertThat(chunks.containing(chunks.end(1))).isEqualTo(2);
  }

  @Test
  void neighbouringChunksBelongToDifferentThreads() {
    int[] owned = new int[3];
    for (int chunk = 0; chunk < 3000; chunk++) {
      owned[RegionChunks.owner(chunk, 3)]++;
    }
    for (int count : owned) {
      assertThat(count).isBetween(900, 1100);
    }
    assertThat(RegionChunks.owner(7, 1)).isZero();
  }

  // ---- the region's header

  private static final int WORDS = HeaderSplit.WORDS;
  private static final long BEHIND = LogSummaryLayout.REGION_HEADER_LENGTH;

  private final List<List<Long>> passed = new ArrayList<>();
  private final List<Long> checked = new ArrayList<>();
  private final HeaderSplit split =
      new HeaderSplit(
          (head, address, run, source, at) -> {
            assertThat(head).isEqualTo(entry(address, run));
            List<Long> words = new ArrayList<>(List.of(head));
            for (int i = 0; i < run; i++) {
              words.add(source.getLong(at + i * Long.BYTES));
            }
            passed.add(words);
          },
          (address, length) -> {
            checked.add(address);
            checked.add(length);
          },
          new long[WORDS]);

  /** Replays entries that begin with the second word of a buffer. */
  private void redo(long... words) {
    ByteBuffer source =
        ByteBuffer.allocate((words.length + 2) * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < words.length; i++) {
      source.putLong((i + 1) * Long.BYTES, words[i]);
    }
    split.redo(source, Long.BYTES, (words.length + 1) * Long.BYTES);
  }

  private static long entry(long address, int run) {
    return RedoRecordLayout.entryHead(address, run);
  }

  @Test
  void whatLiesBehindTheHeaderIsPassedOn() {
    redo(entry(BEHIND, 2), 5, 6, entry(BEHIND + 64, 1), 7);
    assertThat(passed)
        .containsExactly(List.of(entry(BEHIND, 2), 5L, 6L), List.of(entry(BEHIND + 64, 1), 7L));
    assertThat(checked).containsExactly(BEHIND, 16L, BEHIND + 64, 8L);
    assertThat(split.words()).containsOnly(0);
  }

  @Test
  void wordsOfTheHeaderAreKept() {
    redo(entry(BEHIND, 1), 4, entry(8, 2), 5, 6, entry(BEHIND + 64, 1), 7);
    assertThat(passed)
        .containsExactly(List.of(entry(BEHIND, 1), 4L), List.of(entry(BEHIND + 64, 1), 7L));
    assertThat(split.words()).startsWith(0, 5, 6, 0);
    assertThat(split.isWritten(0)).isFalse();
    assertThat(split.isWritten(1)).isTrue();
    assertThat(split.isWritten(2)).isTrue();
    assertThat(split.isWritten(3)).isFalse();
    assertThat(checked).containsExactly(BEHIND, 8L, BEHIND + 64, 8L);
  }

  @Test
  void anEntryThatReachesBeyondTheHeaderIsCut() {
    redo(entry(BEHIND - 16, 5), 1, 2, 3, 4, 5);
    assertThat(split.words()[WORDS - 2]).isEqualTo(1);
    assertThat(split.words()[WORDS - 1]).isEqualTo(2);
    assertThat(passed).containsExactly(List.of(entry(BEHIND, 3), 3L, 4L, 5L));
    assertThat(checked).containsExactly(BEHIND, 24L);
    passed.clear();
    redo(entry(BEHIND - 16, 2), 8, 9);
    assertThat(passed).as("ends with the header").isEmpty();
    assertThat(split.words()[WORDS - 1]).isEqualTo(9);
  }

  // ---- entries on their way to a stash

  private final List<long[]> blocks = new ArrayList<>();
  private final EntryFeed feed =
      new EntryFeed(
          (block, length) -> {
            blocks.add(Arrays.copyOf(block, length));
            return block;
          });

  @Test
  void aBlockIsPassedOnWhenTheNextEntryFindsNoRoom() {
    for (int i = 0; i < EntryFeed.BLOCK_WORDS / 2; i++) {
      feed.add(entry(8L * i, 1), i);
    }
    assertThat(blocks).isEmpty();
    feed.add(entry(8, 1), 77);
    assertThat(blocks).hasSize(1);
    assertThat(blocks.getFirst()).hasSize(EntryFeed.BLOCK_WORDS).startsWith(entry(0, 1), 0);
    feed.flush();
    assertThat(blocks.getLast()).containsExactly(entry(8, 1), 77);
    feed.flush();
    assertThat(blocks).as("nothing is left").hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"0, 8191, 1", "2, 8189, 1", "8188, 3, 1", "8190, 1, 1", "0, 8192, 2", "8190, 2, 2"})
  void aRunThatDoesNotFitIsCutInTwo(int before, int words, int expected) {
    for (int i = 0; i < before / 2; i++) {
      feed.add(entry(0, 1), 0);
    }
    ByteBuffer source =
        ByteBuffer.allocate((words + 1) * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < words; i++) {
      source.putLong((i + 1) * Long.BYTES, 100 + i);
    }
    feed.addRun(PAGE, source, Long.BYTES, words);
    feed.flush();
    assertThat(blocks).hasSize(expected);
    long address = PAGE;
    for (int i = 0; i < expected; i++) {
      long[] block = blocks.get(i);
      int at = i == 0 ? before : 0;
      int run = RedoRecordLayout.entryRun(block[at]);
      assertThat(RedoRecordLayout.entryAddress(block[at])).isEqualTo(address);
      assertThat(block).hasSize(at + 1 + run);
      assertThat(block[at + 1]).isEqualTo(100 + (address - PAGE) / 8);
      assertThat(block[at + run]).isEqualTo(100 + (address - PAGE) / 8 + run - 1);
      address += 8L * run;
    }
    assertThat(address).isEqualTo(PAGE + 8L * words);
  }

  // ---- options

  @Test
  void lengthsAreNotNegative() {
    RecoveryOptions options = new RecoveryOptions(Backing.MAPPED, 0, 9, 0, true);
    assertThat(options.maxRegionBytes()).isEqualTo(Long.MAX_VALUE);
    assertThat(options.laterAboveBytes()).isEqualTo(Long.MAX_VALUE);
    assertThatThrownBy(() -> new RecoveryOptions(Backing.MAPPED, -1, 9, 0, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("checkpointAboveBytes");
    assertThatThrownBy(() -> new RecoveryOptions(Backing.MAPPED, 0, 9, -1, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("stashBytes");
  }
}
