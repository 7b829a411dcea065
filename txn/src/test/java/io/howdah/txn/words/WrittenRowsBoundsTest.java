package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RedoRecordLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where rows end and begin, which ranges they overlap, and what memory they keep. */
final class WrittenRowsBoundsTest {

  private static final long FIRST = 8192;
  private static final int ROW_WORDS = 5;

  /** So far apart that no two rows share a line. */
  private static final long STEP = 4L * OrecTable.GROUP_BYTES;

  private static final VarHandle INDEX;
  private static final VarHandle INDEX_USED;

  static {
    try {
      MethodHandles.Lookup lookup =
          MethodHandles.privateLookupIn(WrittenRows.class, MethodHandles.lookup());
      INDEX = lookup.findVarHandle(WrittenRows.class, "index", long[].class);
      INDEX_USED = lookup.findVarHandle(WrittenRows.class, "indexUsed", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final WrittenRows rows = new WrittenRows();

  private void add(long address, int words) {
    rows.reserve(words);
    long[] values = new long[words];
    for (int i = 0; i < words; i++) {
      values[i] = address + 8L * i;
    }
    rows.add(address, values, words);
  }

  private static long row(int number) {
    return FIRST + STEP * number;
  }

  private void addRows(int count) {
    for (int i = 0; i < count; i++) {
      add(row(i), ROW_WORDS);
    }
  }

  private int indexLength() {
    return ((long[]) INDEX.get(rows)).length;
  }

  /** Six rows are scanned, more have an index. */
  @ParameterizedTest
  @ValueSource(ints = {1, 6, 7, 8, 200})
  void everyWordIsFoundAndNoNeighbour(int count) {
    addRows(count);
    assertThat(rows.rows()).isEqualTo(count);
    assertThat(rows.count()).isEqualTo(count * ROW_WORDS);
    for (int i = 0; i < count; i++) {
      for (int word = 0; word < ROW_WORDS; word++) {
        long address = row(i) + 8L * word;
        assertThat(rows.value(rows.find(address))).isEqualTo(address);
      }
      assertThat(rows.find(row(i) - 8)).isEqualTo(-1);
      assertThat(rows.find(row(i) + 8L * ROW_WORDS)).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 6, 7, 200})
  void rangesThatEndAtARowDoNotOverlapIt(int count) {
    addRows(count);
    for (int i = 0; i < count; i++) {
      long from = row(i);
      long end = from + 8L * ROW_WORDS;
      assertThat(rows.mayOverlap(from - 64, from)).isFalse();
      assertThat(rows.mayOverlap(end, end + 64)).isFalse();
      assertThat(rows.mayOverlap(from - 64, from + 8)).isTrue();
      assertThat(rows.mayOverlap(end - 8, end + 64)).isTrue();
      assertThat(rows.mayOverlap(from + 8, from + 16)).isTrue();
      assertThat(rows.mayOverlap(from - STEP / 2, from + STEP / 2)).isTrue();
    }
    assertThat(rows.mayOverlap(row(count), row(count + 10))).isFalse();
  }

  /** A row behind the end of the last one becomes a part of it, also where there is an index. */
  @ParameterizedTest
  @ValueSource(ints = {1, 6, 7, 20})
  void whatFollowsTheLastRowContinuesIt(int count) {
    addRows(count);
    long end = row(count - 1) + 8L * ROW_WORDS;
    add(end, 30); // over three lines more
    assertThat(rows.rows()).isEqualTo(count);
    for (long address = row(count - 1); address < end + 240; address += 8) {
      assertThat(rows.value(rows.find(address))).isEqualTo(address);
    }
    assertThat(rows.find(end + 240)).isEqualTo(-1);
    add(end + 248, 4); // a gap of one word
    assertThat(rows.rows()).isEqualTo(count + 1);
    add(row(0) + 8L * ROW_WORDS, 1); // behind a row that is not the last
    assertThat(rows.rows()).isEqualTo(count + 2);
  }

  @Test
  void rowsThatWereClearedAreNotContinued() {
    add(FIRST, ROW_WORDS);
    rows.clear();
    assertThat(rows.isEmpty()).isTrue();
    add(FIRST + 8L * ROW_WORDS, ROW_WORDS);
    assertThat(rows.rows()).isEqualTo(1);
    assertThat(rows.address(0)).isEqualTo(FIRST + 8L * ROW_WORDS);
    assertThat(rows.find(FIRST)).isEqualTo(-1);
  }

  @Test
  void aRowHasNoMoreWordsThanItsHeadCounts() {
    add(FIRST, RedoRecordLayout.MAX_RUN - 4);
    add(FIRST + 8L * (RedoRecordLayout.MAX_RUN - 4), 4);
    assertThat(rows.rows()).isEqualTo(1);
    assertThat(rows.words(0)).isEqualTo(RedoRecordLayout.MAX_RUN);
    add(FIRST + 8L * RedoRecordLayout.MAX_RUN, 4);
    assertThat(rows.rows()).isEqualTo(2);
    assertThat(rows.words(rows.next(0))).isEqualTo(4);
  }

  @Test
  void roomIsMadeInPowersOfTwoAndNotBefore() {
    assertThat(rows.array().length).isEqualTo(256);
    rows.reserve(255);
    assertThat(rows.array().length).isEqualTo(256);
    rows.reserve(256);
    assertThat(rows.array().length).isEqualTo(512);
    add(FIRST, 4);
    rows.reserve(511 - 5);
    assertThat(rows.array().length).isEqualTo(512);
    rows.reserve(512 - 5);
    assertThat(rows.array().length).isEqualTo(1024);
  }

  @Test
  void anIndexIsMadeForTheSeventhRowAndStaysHalfEmpty() {
    for (int i = 0; i < 3000; i++) {
      add(row(i), 4 + i % 40);
      int used = (int) INDEX_USED.get(rows);
      assertThat(2 * used).isLessThanOrEqualTo(indexLength());
      if (i < 6) {
        assertThat(used).isZero();
        assertThat(indexLength()).isZero();
      } else {
        assertThat(indexLength()).isGreaterThanOrEqualTo(128);
        assertThat(indexLength()).isLessThanOrEqualTo(Math.max(128, 8 * used));
      }
    }
  }

  @Test
  void memoryOfALargeTransactionIsGivenBack() {
    rows.reserve(8191);
    rows.trim();
    assertThat(rows.array().length).isEqualTo(8192);
    rows.reserve(8192);
    rows.trim();
    assertThat(rows.array().length).isEqualTo(256);
    addRows(1000);
    int length = indexLength();
    assertThat(length).isBetween(2000, 8192);
    rows.trim();
    assertThat(indexLength()).isEqualTo(length);
    addRows(6000);
    assertThat(indexLength()).isGreaterThan(8192);
    rows.trim();
    assertThat(indexLength()).isZero();
    assertThat(rows.isEmpty()).isTrue();
    addRows(20);
    for (int i = 0; i < 20; i++) {
      assertThat(rows.find(row(i))).isGreaterThan(0);
    }
    assertThat(rows.find(row(20))).isEqualTo(-1);
  }
}
