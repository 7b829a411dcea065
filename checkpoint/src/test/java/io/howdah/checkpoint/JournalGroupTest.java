package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.JournalLayout;
import java.nio.ByteBuffer;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
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

  // ---- what is read back

  private static final long CHECKPOINT = 9;
  private static final int LINE_BYTES = JournalLayout.lineBytes(PAGE_BYTES);

  private final StagingMemory memory = new StagingMemory();
  private final JournalGroup group = new JournalGroup(memory, PAGE_BYTES);

  @AfterEach
  void end() {
    memory.close();
  }

  private ByteBuffer page(int seed) {
    ByteBuffer page = memory.allocate(PAGE_BYTES);
    for (int at = 0; at < PAGE_BYTES; at += Long.BYTES) {
      page.putLong(at, (long) seed << 32 | at + 1);
    }
    return page;
  }

  private static final long LINES = 0b1L << 63 | 0b1011L << 20 | 1;

  /** Three pages: some lines, all lines, the first line. */
  private ByteBuffer usual() {
    group.clear();
    assertThat(group.add(4, page(4), 0, LINES, 44)).isTrue();
    assertThat(group.add(5, page(5), 0, JournalLayout.allLines(PAGE_BYTES), 55)).isTrue();
    assertThat(group.add(9, page(9), 0, 1, 99)).isTrue();
    return group.finish(CHECKPOINT);
  }

  /** Has another group read the bytes, and returns what is wrong with them. */
  private @Nullable String problem(ByteBuffer written, long afterPage, long endPage) {
    JournalGroup other = new JournalGroup(memory, PAGE_BYTES);
    other.bytes().put(0, written, 0, written.limit());
    if (other.readHeader(CHECKPOINT) != written.limit()) {
      return "header";
    }
    return other.read(afterPage, endPage);
  }

  @Test
  void whatWasWrittenIsReadBack() {
    ByteBuffer written = usual();
    CRC32C before = new CRC32C();
    group.addTo(before);
    JournalGroup other = new JournalGroup(memory, PAGE_BYTES);
    other.bytes().put(0, written, 0, written.limit());
    assertThat(other.readHeader(CHECKPOINT)).isEqualTo(written.limit());
    assertThat(other.read(3, 10)).isNull();
    CRC32C after = new CRC32C();
    other.addTo(after);
    assertThat(after.getValue()).isEqualTo(before.getValue());
    CRC32C nothing = new CRC32C();
    assertThat(after.getValue()).isNotEqualTo(nothing.getValue());
    assertThat(other.count()).isEqualTo(3);
    assertThat(other.page(0)).isEqualTo(4);
    assertThat(other.page(2)).isEqualTo(9);
    assertThat(other.crc32c(1)).isEqualTo(55);
    assertThat(other.lines(0)).isEqualTo(LINES);
    assertThat(other.isWhole(0)).isFalse();
    assertThat(other.isWhole(1)).isTrue();
    assertThat(other.dataBytes(0)).isEqualTo(5 * LINE_BYTES);
    int at = JournalLayout.GROUP_HEADER_LENGTH;
    requireEntry(other, 0, at, 4, LINES);
    at += other.dataBytes(0);
    requireEntry(other, 1, at, 5, JournalLayout.allLines(PAGE_BYTES));
    at += other.dataBytes(1);
    requireEntry(other, 2, at, 9, 1);
  }

  /** Requires that an entry's lines come out, whether put into a page or as runs. */
  private void requireEntry(JournalGroup other, int entry, int at, int number, long lines) {
    ByteBuffer source = page(number);
    ByteBuffer patched = memory.allocate(PAGE_BYTES);
    other.patch(entry, at, patched);
    ByteBuffer joined = memory.allocate(PAGE_BYTES);
    long[] runs = new long[1];
    other.runs(
        entry,
        at,
        (address, bytes) -> {
          runs[0]++;
          joined.put(
              (int) (address - (long) number * PAGE_BYTES),
              bytes,
              bytes.position(),
              bytes.remaining());
        });
    for (int i = 0; i < PAGE_BYTES; i += Long.BYTES) {
      boolean isThere = (lines >>> (i / LINE_BYTES) & 1) != 0;
      assertThat(patched.getLong(i)).isEqualTo(isThere ? source.getLong(i) : 0);
      assertThat(joined.getLong(i)).isEqualTo(patched.getLong(i));
    }
    assertThat(runs[0]).isEqualTo(Long.bitCount(lines & ~(lines << 1)));
  }

  @Test
  void aGroupEndsWhereItsLengthOrTheDistanceOfItsPagesDoes() {
    group.clear();
    int count = 0;
    while (group.add(count, page(1), 0, JournalLayout.allLines(PAGE_BYTES), 0)) {
      count++;
    }
    assertThat(JournalLayout.groupLength(count, count * PAGE_BYTES))
        .isLessThanOrEqualTo(JournalLayout.MAX_GROUP_LENGTH);
    assertThat(JournalLayout.groupLength(count + 1, (count + 1) * PAGE_BYTES))
        .isGreaterThan(JournalLayout.MAX_GROUP_LENGTH);
    assertThat(group.count()).isEqualTo(count);
    assertThat(group.finish(CHECKPOINT).limit()).isEqualTo(JournalLayout.MAX_GROUP_LENGTH);
    group.clear();
    assertThat(group.add(10, page(1), 0, 1, 0)).isTrue();
    assertThat(group.add(10L + Integer.MAX_VALUE + 1, page(1), 0, 1, 0)).isFalse();
    assertThat(group.add(10L + Integer.MAX_VALUE, page(1), 0, 1, 0)).isTrue();
    assertThat(group.page(1)).isEqualTo(10L + Integer.MAX_VALUE);
    group.clear();
    assertThat(group.add(1L << 40, page(1), 0, 1, 0)).as("the first may be any").isTrue();
  }

  @Test
  void asManySingleLinesFitAsTheLengthAllows() {
    group.clear();
    int count = 0;
    while (group.add(count, page(1), 0, 1, 0)) {
      count++;
    }
    ByteBuffer written = group.finish(CHECKPOINT);
    assertThat(problem(written, -1, count)).isNull();
    assertThat(JournalLayout.groupLength(count + 1, (count + 1) * LINE_BYTES))
        .isGreaterThan(JournalLayout.MAX_GROUP_LENGTH);
  }

  @Test
  void aShorterGroupHasZerosWhereALongerOneWas() {
    usual();
    group.clear();
    group.add(1, page(1), 0, 1, 0);
    ByteBuffer written = group.finish(CHECKPOINT);
    int end = JournalLayout.GROUP_HEADER_LENGTH + LINE_BYTES + JournalLayout.ENTRY_LENGTH;
    for (int at = end; at < written.limit(); at++) {
      assertThat(written.get(at)).isZero();
    }
  }

  @Test
  void pagesOfAGroupFollowEachOtherAndTheGroupBefore() {
    ByteBuffer written = usual();
    assertThat(problem(written, 4, 10)).contains("page 4 follows page 4");
    assertThat(problem(written, -1, 9)).contains("page 9 follows page 5");
    assertThat(problem(written, 3, 10)).isNull();
  }

  /** Changes an entry of the usual group and gives that a right checksum. */
  private @Nullable String forged(int entry, int offset, long value) {
    ByteBuffer written = usual();
    int at =
        JournalLayout.GROUP_HEADER_LENGTH
            + 70 * LINE_BYTES
            + entry * JournalLayout.ENTRY_LENGTH
            + offset;
    if (offset == JournalLayout.ENTRY_LINES_OFFSET) {
      written.putLong(at, value);
    } else {
      written.putInt(at, (int) value);
    }
    int end = JournalLayout.GROUP_HEADER_LENGTH + 70 * LINE_BYTES + 3 * JournalLayout.ENTRY_LENGTH;
    written.putInt(
        JournalLayout.GROUP_CRC_OFFSET,
        Crc32c.around(written, JournalLayout.GROUP_CRC_OFFSET, end));
    return problem(written, -1, 10);
  }

  @Test
  void entriesWithAValidChecksumAreCheckedAgainstTheirBounds() {
    assertThat(forged(0, JournalLayout.ENTRY_CRC_OFFSET, 1)).isNull();
    assertThat(forged(0, JournalLayout.ENTRY_DELTA_OFFSET, -1)).contains("page 3 follows page -1");
    assertThat(forged(1, JournalLayout.ENTRY_DELTA_OFFSET, 0)).contains("page 4 follows page 4");
    assertThat(forged(2, JournalLayout.ENTRY_LINES_OFFSET, 0)).contains("page 9 has lines 0");
    assertThat(forged(2, JournalLayout.ENTRY_LINES_OFFSET, 3)).contains("lines of");
    assertThat(forged(2, JournalLayout.ENTRY_LINES_OFFSET, 2)).isNull();
    ByteBuffer written = usual();
    written.put(JournalLayout.GROUP_HEADER_LENGTH + 5, (byte) 77);
    assertThat(problem(written, -1, 10)).contains("checksum of a group of 3 pages");
  }

  @Test
  void aHeaderIsCheckedAgainstItsBounds() {
    assertThat(header(JournalLayout.GROUP_COUNT_OFFSET, 1)).isPositive();
    assertThat(header(JournalLayout.GROUP_COUNT_OFFSET, 0)).isEqualTo(-1);
    assertThat(header(JournalLayout.GROUP_COUNT_OFFSET, -1)).isEqualTo(-1);
    int most =
        (JournalLayout.MAX_GROUP_LENGTH - JournalLayout.GROUP_HEADER_LENGTH)
            / (LINE_BYTES + JournalLayout.ENTRY_LENGTH);
    assertThat(header(JournalLayout.GROUP_COUNT_OFFSET, most)).isPositive();
    assertThat(header(JournalLayout.GROUP_COUNT_OFFSET, most + 1)).isEqualTo(-1);
    assertThat(header(JournalLayout.GROUP_DATA_LENGTH_OFFSET, 0)).isPositive();
    assertThat(header(JournalLayout.GROUP_DATA_LENGTH_OFFSET, -1)).isEqualTo(-1);
    int longest =
        JournalLayout.MAX_GROUP_LENGTH
            - JournalLayout.GROUP_HEADER_LENGTH
            - 3 * JournalLayout.ENTRY_LENGTH;
    assertThat(header(JournalLayout.GROUP_DATA_LENGTH_OFFSET, longest))
        .isEqualTo(JournalLayout.MAX_GROUP_LENGTH);
    assertThat(header(JournalLayout.GROUP_DATA_LENGTH_OFFSET, longest + 1)).isEqualTo(-1);
    assertThat(header(JournalLayout.GROUP_MAGIC_OFFSET, 1)).isEqualTo(-1);
    assertThat(header(JournalLayout.GROUP_FIRST_PAGE_OFFSET, 0)).isPositive();
    assertThat(header(JournalLayout.GROUP_FIRST_PAGE_OFFSET + 4, -1)).isEqualTo(-1);
    usual();
    assertThat(group.readHeader(CHECKPOINT + 1)).isEqualTo(-1);
  }

  private long header(int offset, int value) {
    usual().putInt(offset, value);
    return group.readHeader(CHECKPOINT);
  }

  @Test
  void pagesOfAGroupAreWithdrawnFromOthers() {
    usual();
    SortedMap<Long, Integer> pages = new TreeMap<>();
    for (long page : new long[] {3, 4, 5, 6, 9}) {
      pages.put(page, 0);
    }
    group.withdrawFrom(pages);
    assertThat(pages.keySet()).containsExactly(3L, 6L);
    pages.clear();
    pages.put(4L, 0);
    group.withdrawFrom(pages);
    assertThat(pages).isEmpty();
    group.withdrawFrom(pages);
  }
}
