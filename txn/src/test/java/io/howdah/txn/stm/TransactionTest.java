package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.TransactionStateException;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one transaction promises, by itself and against one other. */
final class TransactionTest {

  private static final int SIZE = 1 << 20;
  private static final EngineOptions SMALL =
      EngineOptions.defaults().withMaxSize(SIZE).withOrecs(1 << 12).withPartitions(2);

  private final WordEngine store = WordEngine.inMemory(SMALL);

  @AfterEach
  void close() {
    store.close();
  }

  private long word(long address) {
    return store.read(tx -> tx.getLong(address));
  }

  // ---- Commit and abort.

  @Test
  void committedWordsAreSeenByLaterTransactions() {
    long a = store.call(tx -> tx.allocate(64));
    long lsn =
        store.run(
            tx -> {
              tx.putLong(a, 1);
              tx.putLong(a + 8, 2);
            });
    assertThat(lsn).isEqualTo(3); // the header and the block came before
    assertThat((long) store.read(tx -> tx.getLong(a) + tx.getLong(a + 8))).isEqualTo(3);
  }

  @Test
  void manyWordsAreReadAtOnce() {
    long a = store.call(tx -> tx.allocate(1024));
    long[] addresses = new long[128];
    for (int i = 0; i < addresses.length; i++) {
      addresses[i] = a + 8L * ((i * 37) % addresses.length);
    }
    store.run(
        tx -> {
          for (long address : addresses) {
            tx.putLong(address, address);
          }
        });
    long[] values = new long[addresses.length];
    store.run(
        tx -> {
          tx.putLong(addresses[5], 17);
          tx.getLongs(addresses, values);
        });
    for (int i = 0; i < addresses.length; i++) {
      assertThat(values[i]).isEqualTo(i == 5 ? 17 : addresses[i]);
    }
    assertThatThrownBy(() -> store.run(tx -> tx.getLongs(new long[2], new long[3])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 addresses and room for 3");
    assertThatThrownBy(() -> store.run(tx -> tx.getLongs(addresses, addresses)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("different arrays");
    assertThatThrownBy(() -> store.run(tx -> tx.getLongs(new long[] {a, a + 4}, new long[2])))
        .isInstanceOf(InvalidAddressException.class);
  }

  /** What is read at once is validated like any other read. */
  @Test
  void manyWordsAreReadOfOneState() {
    long a = store.call(tx -> tx.allocate(64));
    long[] pair = {a, a + 32};
    int[] runs = new int[1];
    long difference =
        store.call(
            tx -> {
              long[] values = new long[2];
              long first = tx.getLong(a);
              if (++runs[0] == 1) {
                store.run(
                    other -> {
                      other.putLong(a, 1);
                      other.putLong(a + 32, 1);
                    });
              }
              tx.getLongs(pair, values);
              return first - values[1];
            });
    assertThat(difference).isZero();
    assertThat(runs[0]).isEqualTo(2);
  }

  @Test
  void ownWritesAreSeenBeforeTheCommitOnlyByTheirTransaction() {
    long a = store.call(tx -> tx.allocate(8));
    store.run(
        tx -> {
          tx.putLong(a, 7);
          tx.putLong(a, 8);
          assertThat(tx.getLong(a)).isEqualTo(8);
          assertThat(word(a)).isZero();
        });
    assertThat(word(a)).isEqualTo(8);
  }

  @Test
  void aThousandWordsOfOneTransactionAreAllWritten() {
    store.run(
        tx -> {
          for (int i = 0; i < 1000; i++) {
            tx.putLong(8192 + 24L * i, i);
          }
          for (int i = 999; i >= 0; i--) {
            assertThat(tx.getLong(8192 + 24L * i)).isEqualTo(i);
            assertThat(tx.getLong(8192 + 24L * i + 8)).isZero();
          }
        });
    for (int i = 0; i < 1000; i++) {
      assertThat(word(8192 + 24L * i)).isEqualTo(i);
    }
  }

  @Test
  void anExceptionUndoesTheTransactionAndComesOut() {
    long a = store.call(tx -> tx.allocate(8));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(a, 7);
                      throw new IOException("checked");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("checked");
    assertThat(word(a)).isZero();
    assertThat(store.aborts()).containsEntry(AbortCause.EXCEPTION, 1L);
  }

  @Test
  void anExceptionThatRestsOnStaleDataRunsTheBodyAgain() {
    long a = store.call(tx -> tx.allocate(8));
    AtomicInteger runs = new AtomicInteger();
    long seen =
        store.call(
            tx -> {
              long value = tx.getLong(a);
              if (runs.incrementAndGet() == 1) {
                store.run(other -> other.putLong(a, 5));
              }
              if (value == 0) {
                throw new IllegalStateException("no account yet");
              }
              return value;
            });
    assertThat(seen).isEqualTo(5);
    assertThat(runs).hasValue(2);
  }

  @Test
  void abortUndoesTheTransaction() {
    long a = store.call(tx -> tx.allocate(8));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(a, 7);
                      throw tx.abort("no funds");
                    }))
        .isInstanceOf(TransactionAbortedException.class)
        .hasMessage("no funds");
    assertThat(word(a)).isZero();
    assertThat(store.aborts()).containsEntry(AbortCause.EXPLICIT, 1L);
  }

  @Test
  void aSwallowedAbortStillAborts() {
    long a = store.call(tx -> tx.allocate(8));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(a, 7);
                      try {
                        throw tx.abort();
                      } catch (TransactionAbortedException e) {
                        assertThatThrownBy(() -> tx.putLong(a, 8))
                            .isInstanceOf(TransactionStateException.class);
                      }
                    }))
        .isInstanceOf(TransactionAbortedException.class);
    assertThat(word(a)).isZero();
  }

  @Test
  void aConflictRunsTheBodyAgain() {
    long a = store.call(tx -> tx.allocate(8));
    AtomicInteger runs = new AtomicInteger();
    store.run(
        tx -> {
          long seen = tx.getLong(a);
          if (runs.incrementAndGet() == 1) {
            store.run(other -> other.putLong(a, 10));
          }
          tx.putLong(a, seen + 1);
        });
    assertThat(runs).hasValue(2);
    assertThat(word(a)).isEqualTo(11);
    assertThat(store.aborts()).containsEntry(AbortCause.VALIDATION, 1L);
    // Found out before the commit took its LSN, since the word was to be written, too.
    assertThat(store.voids()).isZero();
  }

  @Test
  void anAbortedCommitThatTookItsLsnCountsAVoid() {
    long read = 8192;
    long written = 16384;
    AtomicInteger runs = new AtomicInteger();
    store.run(
        tx -> {
          long seen = tx.getLong(read);
          if (runs.incrementAndGet() == 1) {
            store.run(other -> other.putLong(read, 10));
          }
          tx.putLong(written, seen);
        });
    assertThat(word(written)).isEqualTo(10);
    assertThat(store.voids()).isEqualTo(1);
    assertThat(store.lsn()).isEqualTo(4); // header, other, VOID, this
  }

  @Test
  void aSwallowedConflictRunsTheBodyAgain() {
    long a = 8192;
    long b = 16384;
    AtomicInteger runs = new AtomicInteger();
    store.run(
        tx -> {
          try {
            tx.getLong(a);
            if (runs.incrementAndGet() == 1) {
              store.run(
                  other -> {
                    other.putLong(a, 1);
                    other.putLong(b, 1);
                  });
            }
            tx.getLong(b);
          } catch (ConflictException e) {
            assertThat(e.reason()).isEqualTo(AbortCause.EXTENSION);
          }
        });
    assertThat(runs).hasValue(2);
  }

  @Test
  void aBlindWriteDoesNotConflict() {
    AtomicInteger runs = new AtomicInteger();
    store.run(
        tx -> {
          tx.putLong(8192, 1);
          if (runs.incrementAndGet() == 1) {
            store.run(other -> other.putLong(8192, 2));
          }
        });
    assertThat(runs).hasValue(1);
    assertThat(word(8192)).isEqualTo(1);
  }

  @Test
  void aReadOfANewerWordExtendsTheSnapshotIfItCan() {
    long a = 8192;
    long b = 16384;
    AtomicInteger runs = new AtomicInteger();
    long sum =
        store.read(
            tx -> {
              long first = tx.getLong(a);
              if (runs.incrementAndGet() == 1) {
                store.run(other -> other.putLong(b, 10));
              }
              return first + tx.getLong(b);
            });
    assertThat(runs).hasValue(1);
    assertThat(sum).isEqualTo(10);
    assertThat(store.snapshotExtensions()).isEqualTo(1);
  }

  @Test
  void writeSkewIsRefused() {
    long a = 8192;
    long b = 16384;
    AtomicInteger runs = new AtomicInteger();
    store.run(
        tx -> {
          long sum = tx.getLong(a) + tx.getLong(b);
          if (runs.incrementAndGet() == 1) {
            store.run(other -> other.putLong(b, other.getLong(a) + other.getLong(b) + 1));
          }
          tx.putLong(a, sum + 1);
        });
    assertThat(runs).hasValue(2);
    assertThat(word(a)).isEqualTo(2);
  }

  @Test
  void aReadOnlyTransactionReportsTheNewestCommitItReadFrom() {
    store.run(tx -> tx.putLong(8192, 1));
    long lsn = store.run(tx -> tx.putLong(16384, 1));
    store.run(tx -> tx.putLong(32768, 1));
    long read =
        store.run(
            TxOptions.async(), tx -> assertThat(tx.getLong(8192) + tx.getLong(16384)).isEqualTo(2));
    assertThat(read).isEqualTo(lsn);
    assertThat(store.readOnlyCommits()).isEqualTo(1);
    assertThat(store.run(TxOptions.async(), tx -> assertThat(tx.getLong(65536)).isZero())).isZero();
  }

  @Test
  void aTransactionMayNotWriteMoreThanItsLimit() {
    EngineOptions options = SMALL.withMaxTransactionBytes(4096);
    try (WordEngine limited = WordEngine.inMemory(options)) {
      limited.run(
          tx -> {
            for (int i = 0; i < 512; i++) {
              tx.putLong(8192 + 8L * i, i);
              tx.putLong(8192 + 8L * i, i + 1); // a word counts once
            }
          });
      AtomicInteger done = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  limited.run(
                      tx -> {
                        for (int i = 0; i < 1000; i++) {
                          tx.putLong(8192 + 8L * i, -1);
                          done.incrementAndGet();
                        }
                      }))
          .isInstanceOf(TransactionTooLargeException.class)
          .hasMessageContaining("4096 bytes");
      assertThat(done).hasValue(512);
      assertThat((long) limited.read(tx -> tx.getLong(8192))).isEqualTo(1);
    }
  }

  // ---- Handles.

  @Test
  void aHandleIsDeadAfterItsBody() {
    Tx leaked = store.call(tx -> tx);
    assertThatThrownBy(() -> leaked.getLong(8192))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("has ended");
    assertThatThrownBy(() -> leaked.putLong(8192, 1)).isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(() -> leaked.allocate(8)).isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(() -> leaked.free(8192)).isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(() -> leaked.root(0)).isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(leaked::abort).isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(() -> leaked.read(8192, new byte[1]))
        .isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(() -> leaked.getByte(8192)).isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(() -> leaked.run(tx -> {})).isInstanceOf(TransactionStateException.class);
    // Dead also when its attempt serves the next transaction.
    store.run(
        tx ->
            assertThatThrownBy(() -> leaked.getLong(8192))
                .isInstanceOf(TransactionStateException.class));
  }

  @Test
  void theHandleOfAnEarlierAttemptIsDeadInTheNext() {
    AtomicReference<Tx> first = new AtomicReference<>();
    store.run(
        tx -> {
          tx.getLong(8192);
          if (first.compareAndSet(null, tx)) {
            store.run(other -> other.putLong(8192, 1));
          } else {
            Tx stale = first.getPlain();
            assertThat(stale).isNotNull().isNotSameAs(tx);
            assertThatThrownBy(() -> stale.getLong(8192))
                .isInstanceOf(TransactionStateException.class);
          }
          tx.putLong(16384, 1);
        });
  }

  @Test
  void anotherThreadCannotUseAHandle() throws InterruptedException {
    store.run(
        tx -> {
          AtomicReference<Throwable> thrown = new AtomicReference<>();
          Thread thread =
              Thread.ofPlatform()
                  .start(
                      () -> {
                        try {
                          tx.getLong(8192);
                        } catch (TransactionStateException e) {
                          thrown.set(e);
                        }
                      });
          thread.join();
          assertThat(thread).isNotNull();
          assertThat(thrown.get())
              .isInstanceOf(TransactionStateException.class)
              .hasMessageContaining("belongs to");
        });
  }

  // ---- Nesting.

  @Test
  void aPartCommitsWithItsTransaction() {
    store.run(
        tx -> {
          tx.putLong(8192, 1);
          tx.run(part -> part.putLong(8200, part.getLong(8192) + 1));
          assertThat((long) tx.call(part -> part.getLong(8200))).isEqualTo(2);
          assertThat(word(8200)).isZero();
        });
    assertThat(word(8200)).isEqualTo(2);
  }

  @Test
  void anExceptionOutOfAPartEndsTheWholeTransaction() {
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(8192, 1);
                      try {
                        tx.run(
                            part -> {
                              part.putLong(8200, 2);
                              throw new IOException("half done");
                            });
                      } catch (IOException e) {
                        // Going on would commit half a part.
                      }
                    }))
        .isInstanceOf(TransactionStateException.class)
        .hasRootCauseMessage("half done");
    assertThat(word(8192)).isZero();
    assertThat(word(8200)).isZero();
  }

  // ---- Read-only.

  @Test
  void readRefusesToWrite() {
    assertThatThrownBy(
            () ->
                store.read(
                    tx -> {
                      tx.putLong(8192, 1);
                      return 0;
                    }))
        .isInstanceOf(TransactionStateException.class)
        .hasMessage("a read-only transaction cannot write; use run or call in place of read");
    assertThatThrownBy(() -> store.read(tx -> tx.allocate(8)))
        .isInstanceOf(TransactionStateException.class);
  }

  // ---- Addresses.

  @ParameterizedTest
  @ValueSource(
      longs = {
        0,
        8,
        4088,
        4092,
        4097,
        4100,
        -8,
        -1,
        SIZE,
        SIZE - 4,
        Long.MIN_VALUE,
        Long.MAX_VALUE - 7,
        1L << 61,
        (1L << 61) + 4096
      })
  void wordsOutsideTheDataAreRefused(long bad) {
    assertThatThrownBy(() -> store.read(tx -> tx.getLong(bad)))
        .isInstanceOf(InvalidAddressException.class)
        .hasMessageContaining(Long.toString(bad));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(8192, 1);
                      try {
                        tx.putLong(bad, 1);
                      } catch (InvalidAddressException e) {
                        // The transaction has ended; nothing of it may be committed.
                      }
                    }))
        .isInstanceOf(InvalidAddressException.class);
    assertThat(word(8192)).isZero();
  }

  @Test
  void theFirstAndTheLastWordAreGood() {
    store.run(
        tx -> {
          tx.putLong(8192, 1);
          tx.putLong(SIZE - 8, 2);
          tx.putByte(SIZE - 1, (byte) 9);
        });
    assertThat(word(8192)).isEqualTo(1);
    assertThat(word(SIZE - 8)).isEqualTo(2 | 9L << 56);
  }

  @Test
  void fieldsMustBeAlignedAndInside() {
    assertThatThrownBy(() -> store.read(tx -> tx.getInt(8194)))
        .isInstanceOf(InvalidAddressException.class)
        .hasMessageContaining("multiple of 4");
    assertThatThrownBy(() -> store.read(tx -> tx.getShort(8193)))
        .isInstanceOf(InvalidAddressException.class);
    assertThatThrownBy(() -> store.read(tx -> tx.getByte(4095)))
        .isInstanceOf(InvalidAddressException.class);
    assertThatThrownBy(() -> store.read(tx -> tx.getByte(SIZE)))
        .isInstanceOf(InvalidAddressException.class);
    assertThatThrownBy(() -> store.read(tx -> tx.getByte(-1)))
        .isInstanceOf(InvalidAddressException.class);
  }

  @Test
  void rangesMustBeInside() {
    assertThatThrownBy(() -> store.run(tx -> tx.read(4095, new byte[2])))
        .isInstanceOf(InvalidAddressException.class);
    assertThatThrownBy(() -> store.run(tx -> tx.write(SIZE - 1, new byte[2])))
        .isInstanceOf(InvalidAddressException.class);
    assertThatThrownBy(() -> store.run(tx -> tx.write(Long.MAX_VALUE, new byte[2])))
        .isInstanceOf(InvalidAddressException.class);
    assertThatThrownBy(() -> store.run(tx -> tx.read(8192, new byte[4], 3, 2)))
        .isInstanceOf(IndexOutOfBoundsException.class);
    store.run(
        tx -> {
          tx.write(SIZE - 2, new byte[] {3, 4});
          tx.read(SIZE, new byte[0]);
        });
    assertThat((byte) store.read(tx -> tx.getByte(SIZE - 1))).isEqualTo((byte) 4);
  }

  @Test
  void rootsAreWordsThatSurviveTransactions() {
    assertThat((long) store.read(tx -> tx.root(63))).isZero();
    store.run(tx -> tx.root(63, 8192));
    assertThat((long) store.read(tx -> tx.root(63))).isEqualTo(8192);
    assertThat((long) store.read(tx -> tx.root(62))).isZero();
    store.run(tx -> tx.root(63, 0));
    assertThat((long) store.read(tx -> tx.root(63))).isZero();
    assertThatThrownBy(() -> store.read(tx -> tx.root(64)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.read(tx -> tx.root(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.run(tx -> tx.root(0, 17)))
        .isInstanceOf(InvalidAddressException.class);
  }

  // ---- Fields and ranges.

  @Test
  void fieldsLeaveTheirNeighboursAlone() {
    long a = 8192;
    store.run(tx -> tx.putLong(a, 0x1122_3344_5566_7788L));
    store.run(tx -> tx.putInt(a + 4, -2));
    assertThat(word(a)).isEqualTo(0xFFFF_FFFE_5566_7788L);
    store.run(tx -> tx.putShort(a + 2, (short) -3));
    assertThat(word(a)).isEqualTo(0xFFFF_FFFE_FFFD_7788L);
    store.run(tx -> tx.putByte(a + 1, (byte) -4));
    assertThat(word(a)).isEqualTo(0xFFFF_FFFE_FFFD_FC88L);
    store.run(
        tx -> {
          assertThat(tx.getInt(a)).isEqualTo(0xFFFD_FC88);
          assertThat(tx.getInt(a + 4)).isEqualTo(-2);
          assertThat(tx.getShort(a + 2)).isEqualTo((short) -3);
          assertThat(tx.getByte(a + 1)).isEqualTo((byte) -4);
          assertThat(tx.getByte(a)).isEqualTo((byte) 0x88);
        });
  }

  @Test
  void twoFieldsOfOneWordInOneTransaction() {
    store.run(
        tx -> {
          tx.putInt(8192, 1);
          tx.putInt(8196, 2);
          tx.putInt(8192, 3);
        });
    assertThat(word(8192)).isEqualTo(3 | 2L << 32);
  }

  @Test
  void floatingPointNumbersComeBackBitByBit() {
    store.run(
        tx -> {
          tx.putFloat(8192, Float.MIN_VALUE);
          tx.putFloat(8196, -0.0f);
          tx.putDouble(8200, Double.longBitsToDouble(0x7ff0_dead_beef_0001L));
        });
    store.run(
        tx -> {
          assertThat(tx.getFloat(8192)).isEqualTo(Float.MIN_VALUE);
          assertThat(Float.floatToRawIntBits(tx.getFloat(8196))).isEqualTo(0x8000_0000);
          assertThat(tx.getLong(8200)).isEqualTo(0x7ff0_dead_beef_0001L);
          assertThat(Double.isNaN(tx.getDouble(8200))).isTrue();
        });
  }

  @Test
  void rangesOfAnyLengthAndAlignmentMatchAnArray() {
    SplittableRandom random = new SplittableRandom(42);
    byte[] model = new byte[256];
    long base = 8192;
    try (Arena arena = Arena.ofConfined()) {
      for (int i = 0; i < 3000; i++) {
        int length = random.nextInt(70);
        int at = random.nextInt(model.length - length);
        byte[] bytes = new byte[length];
        if (random.nextBoolean()) {
          random.nextBytes(bytes);
          if (random.nextBoolean()) {
            store.run(tx -> tx.write(base + at, bytes));
          } else {
            MemorySegment source = arena.allocate(Math.max(1, length)).asSlice(0, length);
            source.copyFrom(MemorySegment.ofArray(bytes));
            store.run(tx -> tx.write(base + at, source));
          }
          System.arraycopy(bytes, 0, model, at, length);
        } else {
          store.run(tx -> tx.read(base + at, bytes));
          byte[] expected = new byte[length];
          System.arraycopy(model, at, expected, 0, length);
          assertThat(bytes).as("%d bytes at %d", length, at).isEqualTo(expected);
        }
      }
      byte[] all = new byte[model.length];
      store.run(tx -> tx.read(base, MemorySegment.ofArray(all)));
      assertThat(all).isEqualTo(model);
    }
  }

  @Test
  void rangesSeeOwnWrites() {
    store.run(
        tx -> {
          tx.putLong(8200, -1);
          byte[] bytes = new byte[24];
          tx.read(8192, bytes);
          assertThat(bytes[7]).isZero();
          assertThat(bytes[8]).isEqualTo((byte) -1);
          assertThat(bytes[15]).isEqualTo((byte) -1);
          assertThat(bytes[16]).isZero();
          tx.write(8201, new byte[] {1, 2});
          assertThat(tx.getLong(8200)).isEqualTo(0xFFFF_FFFF_FF02_01FFL);
        });
  }
}
