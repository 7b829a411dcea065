package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A write set whose tables an error has left in the middle of a change. */
final class WriteSetTest {

  private static final long FIRST = 8192;

  private static final VarHandle UNFINISHED;
  private static final VarHandle INDEX;
  private static final VarHandle FORMER;

  static {
    try {
      MethodHandles.Lookup lookup =
          MethodHandles.privateLookupIn(WriteSet.class, MethodHandles.lookup());
      UNFINISHED = lookup.findVarHandle(WriteSet.class, "unfinished", int.class);
      INDEX = lookup.findVarHandle(WriteSet.class, "index", long[].class);
      FORMER = lookup.findVarHandle(WriteSet.class, "former", FormerValues.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final WriteSet writes = new WriteSet();

  private void put(int from, int to) {
    for (int i = from; i < to; i++) {
      writes.put(address(i), i);
    }
  }

  private static long address(int number) {
    return FIRST + 64L * number;
  }

  private void assertHas(int count) {
    assertThat(writes.isBroken()).isFalse();
    assertThat(writes.count()).isEqualTo(count);
    for (int i = 0; i < count; i++) {
      assertThat(writes.find(address(i))).isEqualTo(i);
    }
    assertThat(writes.find(address(count))).isEqualTo(-1);
  }

  @Test
  void aRollBackMakesTheTablesAnew() {
    put(0, 40);
    long position = writes.position();
    put(40, 50);
    UNFINISHED.set(writes, 1);
    assertThat(writes.isBroken()).isTrue();
    writes.rollBack(position);
    assertHas(40);
    put(40, 200);
    assertHas(200);
  }

  @Test
  void aRollBackMakesAnIndexThatSuitsTheEntries() {
    put(0, 60);
    long position = writes.position();
    put(60, 200);
    UNFINISHED.set(writes, 1);
    INDEX.set(writes, new long[64]); // the error came before the new one was taken
    writes.rollBack(position);
    assertHas(60);
    put(60, 256);
    assertHas(256);
  }

  @Test
  void anEntryIsFoundAgainWhereItIsNow() {
    put(0, 200);
    assertHas(200);
    assertHas(200); // by what the first look-ups have left
    writes.clear();
    put(100, 200);
    for (int i = 100; i < 200; i++) {
      assertThat(writes.find(address(i))).isEqualTo(i - 100);
    }
    assertThat(writes.find(address(99))).isEqualTo(-1);
  }

  @Test
  void anEntryThatWasTakenBackIsNotFoundAgain() {
    put(0, 60);
    long position = writes.position();
    for (int i = 0; i < 60; i++) {
      writes.put(address(i) + Long.BYTES, i); // in a stripe that the set keeps
    }
    for (int i = 0; i < 60; i++) {
      assertThat(writes.find(address(i) + Long.BYTES)).isEqualTo(60 + i);
    }
    writes.rollBack(position);
    for (int i = 0; i < 60; i++) {
      assertThat(writes.find(address(i) + Long.BYTES)).isEqualTo(-1);
    }
    assertHas(60);
  }

  /** A loop that overwrites a word a million times must not need memory for each time. */
  @Test
  void aWordIsKeptOnceForEachPosition() {
    put(0, 100);
    long first = writes.position();
    for (int i = 0; i < 1_000_000; i++) {
      writes.put(address(7), i);
      writes.put(address(200), i); // was not there at the position
    }
    long second = writes.position();
    for (int i = 0; i < 1_000_000; i++) {
      writes.put(address(7), -i);
      writes.put(address(200), -i);
    }
    assertThat(((FormerValues) FORMER.get(writes)).length()).isLessThan(10);
    writes.rollBack(second);
    assertThat(writes.value(writes.find(address(7)))).isEqualTo(999_999);
    assertThat(writes.value(writes.find(address(200)))).isEqualTo(999_999);
    writes.put(address(200), 5);
    writes.rollBack(second);
    assertThat(writes.value(writes.find(address(200)))).isEqualTo(999_999);
    writes.rollBack(first);
    assertThat(writes.value(writes.find(address(7)))).isEqualTo(7);
    assertThat(writes.find(address(200))).isNegative();
  }

  @Test
  void anyPositionBringsBackWhatWasThere() {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      writes.clear();
      Map<Long, Long> model = new HashMap<>();
      List<Long> positions = new ArrayList<>();
      List<Map<Long, Long>> models = new ArrayList<>();
      for (int step = 0; step < 300; step++) {
        int what = random.nextInt(20);
        if (what == 0) {
          positions.add(writes.position());
          models.add(new HashMap<>(model));
        } else if (what == 1 && !positions.isEmpty()) {
          int to = random.nextInt(positions.size());
          writes.rollBack(positions.get(to));
          model = new HashMap<>(models.get(to));
          positions.subList(to + 1, positions.size()).clear();
          models.subList(to + 1, models.size()).clear();
        } else {
          long address = address(random.nextInt(60));
          long value = random.nextLong();
          writes.put(address, value);
          model.put(address, value);
        }
        assertThat(writes.count()).isEqualTo(model.size());
      }
      model.forEach((a, v) -> assertThat(writes.value(writes.find(a))).isEqualTo(v));
    }
  }
}
