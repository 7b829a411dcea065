package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a write set holds at most, what its filters rule out, and what memory it keeps. */
final class WriteSetBoundsTest {

  private static final long FIRST = 8192;
  private static final int STRIPE_WORDS = OrecTable.STRIPE_BYTES / Long.BYTES;
  private static final VarHandle ENTRIES;
  private static final VarHandle INDEX;

  static {
    try {
      MethodHandles.Lookup lookup =
          MethodHandles.privateLookupIn(WriteSet.class, MethodHandles.lookup());
      ENTRIES = lookup.findVarHandle(WriteSet.class, "entries", long[].class);
      INDEX = lookup.findVarHandle(WriteSet.class, "index", long[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final WriteSet writes = new WriteSet();

  /** Returns an address in a stripe of its own. */
  private static long stripe(int number) {
    return FIRST + (long) OrecTable.STRIPE_BYTES * number;
  }

  private boolean putsRow(long address, int words) {
    boolean puts = writes.beginRow(address, words);
    if (puts) {
      writes.rows().add(address, new long[words], words);
      writes.endRow();
    }
    return puts;
  }

  private void putStripes(int count) {
    for (int i = 0; i < count; i++) {
      assertThat(writes.put(stripe(i), i)).isTrue();
    }
  }

  private int entriesLength() {
    return ((long[]) ENTRIES.get(writes)).length;
  }

  private int indexLength() {
    return ((long[]) INDEX.get(writes)).length;
  }

  /** Of a thousand stripes that are not in the set few may pass. */
  private long passing() {
    return passing(10_000);
  }

  private long passing(int first) {
    long passing = 0;
    for (int i = first; i < first + 1000; i++) {
      passing += writes.mayContain(stripe(i)) ? 1 : 0;
    }
    return passing;
  }

  @Test
  void anEmptySetMayContainNothing() {
    assertThat(writes.passesFilter(FIRST)).isFalse();
    assertThat(writes.mayContain(FIRST)).isFalse();
    assertThat(writes.isInFilter(0)).isFalse();
    putStripes(100);
    writes.clear();
    assertThat(writes.passesFilter(FIRST)).isFalse();
    assertThat(writes.mayContain(FIRST)).isFalse();
  }

  @Test
  void aFilterRulesMostStripesOut() {
    putStripes(1);
    assertThat(passing()).isLessThan(50);
    writes.clear();
    putStripes(100); // with an index, and the fine filter of 4,096 bits
    assertThat(passing()).isLessThan(100);
    for (int round = 0; round < 20; round++) { // a clear empties the filters
      writes.clear();
      for (int i = 0; i < 100; i++) {
        writes.put(stripe(1000 + 100 * round + i), i);
      }
    }
    assertThat(passing()).isLessThan(100);
  }

  @Test
  void aFilterForgetsWhatIsRolledBack() {
    putStripes(40);
    long position = writes.position();
    for (int i = 0; i < 1000; i++) {
      writes.put(stripe(1000 + i), i);
    }
    assertThat(passing(1000)).isEqualTo(1000);
    writes.rollBack(position);
    assertThat(passing(1000)).isLessThan(100);
  }

  @Test
  void aFilterOfFewEntriesForgetsWhatIsRolledBack() {
    putStripes(1);
    long position = writes.position();
    long other = stripe(1);
    while (writes.passesFilter(other)) {
      other += OrecTable.STRIPE_BYTES;
    }
    writes.put(other, 1);
    assertThat(writes.passesFilter(other)).isTrue();
    writes.rollBack(position);
    assertThat(writes.passesFilter(other)).isFalse();
    assertThat(writes.passesFilter(stripe(0))).isTrue();
  }

  @Test
  void fourWordsAreARowAndThreeAreNot() {
    assertThat(putsRow(FIRST, 3)).isFalse();
    assertThat(putsRow(FIRST, 4)).isTrue();
    assertThat(writes.rows().count()).isEqualTo(4);
  }

  @Test
  void aRowMayFillTheSet() {
    writes.limit(20);
    putStripes(6);
    assertThat(putsRow(stripe(100), 15)).isFalse();
    assertThat(putsRow(stripe(100), 14)).isTrue();
    assertThat(writes.count()).isEqualTo(20);
    assertThat(writes.put(stripe(200), 1)).isFalse();
    assertThat(putsRow(stripe(200), 4)).isFalse();
  }

  /** What lies right before or behind a range is no obstacle, with few words and with an index. */
  @Test
  void neighboursDoNotKeepARowOut() {
    for (int others : new int[] {0, 40}) {
      writes.clear();
      for (int i = 0; i < others; i++) {
        writes.put(stripe(1000 + i), i);
      }
      writes.put(stripe(2) - 8, 1);
      writes.put(stripe(4), 1);
      assertThat(putsRow(stripe(2), 2 * STRIPE_WORDS)).isTrue();
      assertThat(putsRow(stripe(1), STRIPE_WORDS)).isFalse(); // its last word is there
      assertThat(putsRow(stripe(4), STRIPE_WORDS)).isFalse(); // its first word is there
      assertThat(putsRow(stripe(3), STRIPE_WORDS)).isFalse(); // it is in the row
    }
  }

  @Test
  void aRowMarksItsOwnStripes() {
    long behind = stripe(2);
    assertThat(putsRow(stripe(0), 2 * STRIPE_WORDS)).isTrue();
    WriteSet alone = new WriteSet();
    alone.put(behind, 1);
    assertThat(writes.passesFilter(stripe(0))).isTrue();
    assertThat(writes.passesFilter(stripe(1))).isTrue();
    // One bit for each of the two stripes, and none for the one behind them.
    long bits = 0;
    for (int orec = 0; orec < Long.SIZE; orec++) {
      bits += writes.isInFilter(orec) ? 1 : 0;
    }
    assertThat(bits).isLessThanOrEqualTo(2);
  }

  @Test
  void wordsOfAStripeThatFindNoRoomAreRefused() {
    writes.limit(4);
    byte[] source = new byte[STRIPE_WORDS * Long.BYTES];
    putStripes(4);
    assertThat(writes.putStripe(stripe(0), source, 0, STRIPE_WORDS)).isFalse();
    assertThat(writes.putStripe(stripe(0), source, 0, 1)).isTrue();
    assertThat(writes.count()).isEqualTo(4);
  }

  @Test
  void onlyWhatIsCertainlyNewIsAppended() {
    int shift = OrecTable.shift(OrecTable.MIN_ORECS);
    assertThat(writes.append(FIRST, 5, OrecTable.of(FIRST, shift))).isTrue();
    assertThat(writes.append(FIRST, 6, OrecTable.of(FIRST, shift))).isFalse();
    assertThat(writes.count()).isEqualTo(1);
    assertThat(writes.value(writes.find(FIRST))).isEqualTo(5);
    writes.limit(1);
    writes.clear();
    assertThat(writes.append(FIRST, 5, OrecTable.of(FIRST, shift))).isTrue();
    long other = stripe(1);
    while (writes.passesFilter(other)) {
      other += OrecTable.STRIPE_BYTES;
    }
    assertThat(writes.append(other, 6, OrecTable.of(other, shift))).isFalse();
  }

  @Test
  void changesAreUndoableFromTheFirstPositionOn() {
    assertThat(writes.isUndoable()).isFalse();
    writes.position();
    assertThat(writes.isUndoable()).isTrue();
    writes.clear();
    assertThat(writes.isUndoable()).isFalse();
  }

  @Test
  void roomIsMadeInPowersOfTwoAndNotBefore() {
    assertThat(entriesLength()).isEqualTo(128);
    writes.reserve(64);
    assertThat(entriesLength()).isEqualTo(128);
    writes.reserve(65);
    assertThat(entriesLength()).isEqualTo(256);
    writes.put(FIRST, 1);
    writes.reserve(255);
    assertThat(entriesLength()).isEqualTo(512);
    writes.reserve(256);
    assertThat(entriesLength()).isEqualTo(1024);
    assertThat(indexLength()).isEqualTo(1024);
  }

  @Test
  void wordsOfAStripeTakeRoomThatIsThere() {
    byte[] source = new byte[STRIPE_WORDS * Long.BYTES];
    for (int i = 0; i < 64 / STRIPE_WORDS; i++) {
      assertThat(writes.putStripe(stripe(i), source, 0, STRIPE_WORDS)).isTrue();
    }
    assertThat(writes.count()).isEqualTo(64);
    assertThat(entriesLength()).isEqualTo(128);
    assertThat(writes.putStripe(stripe(64), source, 0, 1)).isTrue();
    assertThat(entriesLength()).isEqualTo(256);
  }

  @Test
  void memoryOfALargeTransactionIsGivenBack() {
    putStripes(4096);
    assertThat(entriesLength()).isEqualTo(8192);
    writes.trim();
    assertThat(entriesLength()).isEqualTo(8192);
    putStripes(4097);
    assertThat(putsRow(stripe(10_000), 8192)).isTrue();
    writes.clear();
    assertThat(entriesLength()).isEqualTo(16_384);
    assertThat(writes.rows().array().length).isEqualTo(16_384);
    writes.trim();
    assertThat(entriesLength()).isEqualTo(128);
    assertThat(indexLength()).isEqualTo(128);
    assertThat(writes.rows().array().length).isEqualTo(256);
    putStripes(200);
    for (int i = 0; i < 200; i++) {
      assertThat(writes.find(stripe(i))).isEqualTo(i);
    }
  }

  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aClaimThatIsGivenBackAfterARollBackLeavesTheIndexAsItWas() {
    for (int left = 0; left <= 40; left++) {
      for (boolean isBefore : new boolean[] {true, false}) {
        WriteSet set = new WriteSet();
        set.limit(1000);
        long position = set.position();
        set.claim(1000 - left);
        if (isBefore) {
          set.claim(left - 1000);
        }
        set.rollBack(position);
        if (!isBefore) {
          set.claim(left - 1000);
        }
        for (int i = 0; i < 1000; i++) {
          assertThat(set.put(stripe(i), i)).isTrue();
        }
        assertThat(set.put(stripe(1000), 0)).isFalse();
        for (int i = 0; i < 1000; i++) {
          assertThat(set.value(set.find(stripe(i)))).isEqualTo(i);
        }
      }
    }
  }
}
