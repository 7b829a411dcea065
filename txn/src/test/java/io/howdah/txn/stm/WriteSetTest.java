package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.junit.jupiter.api.Test;

/** A write set whose tables an error has left in the middle of a change. */
final class WriteSetTest {

  private static final long FIRST = 8192;

  private static final VarHandle UNFINISHED;
  private static final VarHandle INDEX;

  static {
    try {
      MethodHandles.Lookup lookup =
          MethodHandles.privateLookupIn(WriteSet.class, MethodHandles.lookup());
      UNFINISHED = lookup.findVarHandle(WriteSet.class, "unfinished", int.class);
      INDEX = lookup.findVarHandle(WriteSet.class, "index", long[].class);
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
}
