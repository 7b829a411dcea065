package io.howdah.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.BlockLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks: what is handed out, taken back and refused. */
final class AllocatorTest {

  private final Store store =
      Store.inMemory(StoreOptions.defaults().maxSize(4 << 20).orecs(1 << 12).partitions(2));

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void blocksAreAlignedDistinctAndLongEnough() {
    Map<Long, Long> blocks = new HashMap<>();
    for (long bytes = 1; bytes < 5000; bytes += 7) {
      long wanted = bytes;
      long address = store.call(tx -> tx.allocate(wanted));
      assertThat(address % 16).isZero();
      blocks.put(address, bytes);
    }
    List<Long> order = blocks.keySet().stream().sorted().toList();
    for (int i = 1; i < order.size(); i++) {
      long previous = order.get(i - 1);
      assertThat(order.get(i) - BlockLayout.HEADER_LENGTH)
          .isGreaterThanOrEqualTo(previous + blocks.getOrDefault(previous, 0L));
    }
  }

  @Test
  void anAllocationThatIsAbortedDidNotHappen() {
    long first = store.call(tx -> tx.allocate(100));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.allocate(100);
                      throw tx.abort();
                    }))
        .isInstanceOf(TransactionAbortedException.class);
    long second = store.call(tx -> tx.allocate(100));
    assertThat(second - first).isEqualTo(112);
  }

  @Test
  void aFreedBlockServesAgainAndReadsAsZeros() {
    long address = store.call(tx -> tx.allocate(48));
    store.run(
        tx -> {
          for (int i = 0; i < 48; i += 8) {
            tx.putLong(address + i, -1);
          }
        });
    store.run(tx -> tx.free(address));
    long again =
        store.call(
            tx -> {
              long block = tx.allocate(41);
              for (int i = 0; i < 56; i += 8) {
                if (block + i < address + 56) {
                  assertThat(tx.getLong(block + i)).isZero();
                }
              }
              return block;
            });
    assertThat(again).isEqualTo(address);
  }

  @Test
  void allocateAndFreeInOneTransaction() {
    long before = store.stats().allocatedBytes();
    store.run(
        tx -> {
          long a = tx.allocate(16);
          tx.putLong(a, 1);
          tx.free(a);
          long b = tx.allocate(16);
          assertThat(b).isEqualTo(a);
          assertThat(tx.getLong(b)).isZero();
          tx.free(b);
        });
    assertThat(store.stats().allocatedBytes()).isEqualTo(before + 32);
    verifyHeap(new HashMap<>());
  }

  @Test
  void whatIsNoBlockInUseCannotBeFreed() {
    long a = store.call(tx -> tx.allocate(64));
    long b = store.call(tx -> tx.allocate(64));
    store.run(tx -> tx.free(b));
    for (long bad :
        new long[] {
          0,
          8,
          16,
          -16,
          a + 8,
          a + 16,
          a + 1,
          a - 8,
          b + 64 + 16,
          b + (1 << 20),
          4 << 20,
          Long.MAX_VALUE
        }) {
      assertThatThrownBy(() -> store.run(tx -> tx.free(bad)))
          .as("free %d", bad)
          .isInstanceOf(InvalidAddressException.class)
          .hasMessageContaining("no block starts there");
    }
    assertThatThrownBy(() -> store.run(tx -> tx.free(b)))
        .isInstanceOf(InvalidAddressException.class)
        .hasMessageContaining("free already");
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.free(a);
                      tx.free(a);
                    }))
        .isInstanceOf(InvalidAddressException.class)
        .hasMessageContaining("free already");
    store.run(tx -> tx.free(a)); // the refused transaction had not freed it
  }

  @Test
  void dataThatLooksLikeABlockElsewhereIsRefused() {
    long a = store.call(tx -> tx.allocate(200));
    long header = store.call(tx -> readHeader(tx, a));
    // A copied header carries the address it belongs to.
    store.run(tx -> tx.putLong(a + 24, header));
    assertThatThrownBy(() -> store.run(tx -> tx.free(a + 32)))
        .isInstanceOf(InvalidAddressException.class);
  }

  private static long readHeader(Tx tx, long block) {
    return tx.getLong(block - BlockLayout.HEADER_LENGTH);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, (32 << 20) - 7})
  void impossibleLengthsAreRefused(long bytes) {
    assertThatThrownBy(() -> store.call(tx -> tx.allocate(bytes)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Long.toString(bytes));
  }

  @Test
  void theLargestBlockIsAsLongAsStatsSay() {
    try (Store large = Store.inMemory(StoreOptions.defaults().maxSize(80 << 20))) {
      long max = large.stats().maxBlockBytes();
      assertThat(max).isEqualTo((32 << 20) - 8);
      long a = large.call(tx -> tx.allocate(max));
      large.run(
          tx -> {
            tx.putLong(a + max - 8, 1);
            tx.free(a);
          });
      // 32 MiB to clear fit into the 64 MiB that a transaction may write.
      assertThat((long) large.call(tx -> tx.allocate(max))).isEqualTo(a);
      assertThat((long) large.read(tx -> tx.getLong(a + max - 8))).isZero();
    }
  }

  @Test
  void aFullRegionSaysSoAndChangesNothing() {
    List<Long> blocks = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (true) {
                blocks.add(store.call(tx -> tx.allocate(100_000)));
              }
            })
        .isInstanceOf(RegionFullException.class)
        .hasMessageContaining("maxSize");
    assertThat(blocks).hasSize((4 << 20) / (112 << 10));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(blocks.getFirst(), 5);
                      try {
                        tx.allocate(100_000);
                      } catch (RegionFullException e) {
                        // Swallowed: the transaction has ended all the same.
                      }
                    }))
        .isInstanceOf(RegionFullException.class);
    assertThat((long) store.read(tx -> tx.getLong(blocks.getFirst()))).isZero();
    // A free block of the class helps, and so does a smaller size.
    store.run(tx -> tx.free(blocks.get(3)));
    assertThat((long) store.call(tx -> tx.allocate(100_000))).isEqualTo(blocks.get(3));
    store.call(tx -> tx.allocate(8));
  }

  @Test
  void aFreeListThatAProgramHasOverwrittenIsReportedNotFollowed() {
    long a = store.call(tx -> tx.allocate(64));
    store.run(tx -> tx.free(a));
    store.run(tx -> tx.putLong(a, 12345)); // a write to freed memory
    store.call(tx -> tx.allocate(64));
    assertThatThrownBy(() -> store.call(tx -> tx.allocate(64)))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("12345");
    store.call(tx -> tx.allocate(200)); // other lists go on
  }

  @Test
  void randomAllocationsAndFreesKeepEveryByteAccountedFor() {
    SplittableRandom random = new SplittableRandom(7);
    Map<Long, Long> held = new HashMap<>();
    List<Long> order = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      boolean commit = random.nextInt(5) != 0;
      Map<Long, Long> after = new HashMap<>(held);
      List<Long> orderAfter = new ArrayList<>(order);
      SplittableRandom steps = random.split();
      try {
        store.run(
            tx -> {
              for (int k = steps.nextInt(4); k >= 0; k--) {
                if (orderAfter.size() > 60 || (!orderAfter.isEmpty() && steps.nextInt(3) == 0)) {
                  long block = orderAfter.remove(steps.nextInt(orderAfter.size()));
                  assertThat(tx.getLong(block)).isEqualTo(after.remove(block));
                  tx.free(block);
                } else {
                  long block = tx.allocate(1 + steps.nextInt(1 << steps.nextInt(1, 14)));
                  assertThat(tx.getLong(block)).isZero();
                  long mark = steps.nextLong();
                  tx.putLong(block, mark);
                  assertThat(after.put(block, mark)).as("block %d twice", block).isNull();
                  orderAfter.add(block);
                }
              }
              if (!commit) {
                throw tx.abort();
              }
            });
        held = after;
        order = orderAfter;
      } catch (TransactionAbortedException e) {
        assertThat(commit).isFalse();
      }
    }
    verifyHeap(held);
  }

  /** Walks all blocks and all lists: each block is held or in the one list it belongs to. */
  private void verifyHeap(Map<Long, Long> held) {
    store.run(
        tx -> {
          TxContext context = tx.context();
          Set<Long> free = new HashSet<>();
          for (int c = 0; c < SizeClasses.COUNT; c++) {
            long list = RegionHeaderLayout.FREE_LISTS_ADDRESS + 8L * c;
            for (long b = context.getUnchecked(list); b != 0; b = tx.getLong(b)) {
              assertThat(readHeader(tx, b)).isEqualTo(BlockLayout.header(b, c, BlockLayout.FREE));
              assertThat(free.add(b)).as("block %d in a list twice", b).isTrue();
            }
          }
          long top = context.getUnchecked(RegionHeaderLayout.TOP_ADDRESS);
          Set<Long> inUse = new HashSet<>();
          long at = BlockLayout.FIRST_TOP;
          while (at < top) {
            long block = at + BlockLayout.HEADER_LENGTH;
            long header = tx.getLong(at);
            int c = BlockLayout.sizeClass(header);
            if (header == BlockLayout.header(block, c, BlockLayout.IN_USE)) {
              inUse.add(block);
            } else {
              assertThat(free).contains(block);
            }
            at += SizeClasses.length(c);
          }
          assertThat(at).isEqualTo(top);
          assertThat(inUse).isEqualTo(held.keySet());
        });
  }

  @Test
  void sizeClassesWasteLittle() {
    for (int c = 1; c < SizeClasses.COUNT; c++) {
      long shorter = SizeClasses.length(c - 1);
      long length = SizeClasses.length(c);
      assertThat(length % BlockLayout.ALIGNMENT).isZero();
      assertThat(SizeClasses.of(length)).isEqualTo(c);
      assertThat(SizeClasses.of(shorter + 1)).isEqualTo(c);
      // What is longer than one class and goes into the next leaves less than this unused.
      double waste = (length - shorter) / (double) length;
      assertThat(waste)
          .isLessThanOrEqualTo(length <= 128 ? 0.5 : length <= 1 << 17 ? 0.2 : 1 / 3.0);
    }
    assertThat(SizeClasses.length(0)).isEqualTo(16);
    assertThat(SizeClasses.of(1)).isZero();
    assertThat(SizeClasses.maxLength()).isEqualTo(32 << 20);
  }
}
