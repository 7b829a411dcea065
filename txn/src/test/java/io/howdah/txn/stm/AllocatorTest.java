package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.RegionFullException;
import io.howdah.txn.ConflictException;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Blocks that do not overlap, read as zeros, come back when freed, and are all accounted for. */
@Tag("scaled")
final class AllocatorTest {

  /** One in so many of those of a campaign. */
  private static final int ROUNDS = 400 / Integer.getInteger("howdah.stride", 5);

  private static final long SIZE = 1 << 23;

  private final WordEngine store =
      WordEngine.inMemory(
          EngineOptions.defaults().withMaxSize(SIZE).withOrecs(1 << 12).withPartitions(2));

  @AfterEach
  void close() {
    store.close();
  }

  private static long length(SplittableRandom random) {
    return switch (random.nextInt(20)) {
      case 0 -> random.nextLong(1, 100_000);
      case 1, 2 -> random.nextLong(1, 20_000);
      default -> random.nextLong(1, 500);
    };
  }

  @Test
  void twoThatRacedForOneNewSlabDoNotShareIt() {
    EngineSession firstSession = store.session();
    Tx first = firstSession.begin();
    EngineSession secondSession = store.session();
    Tx second = secondSession.begin();
    first.allocate(100);
    second.allocate(100);
    firstSession.commit();
    assertThatThrownBy(() -> secondSession.commit()).isInstanceOf(ConflictException.class);
    for (int i = 0; i < 3; i++) {
      EngineSession oneSession = store.session();
      Tx one = oneSession.begin();
      EngineSession otherSession = store.session();
      Tx other = otherSession.begin();
      one.allocate(100);
      try {
        other.allocate(100);
        oneSession.commit();
        otherSession.commit();
        return;
      } catch (ConflictException e) {
        // Once more: the loser of the race needs a slab of its own, in which it can lose again.
        otherSession.abort();
      }
    }
    throw new AssertionError("two transactions that allocate still conflict");
  }

  @Test
  void blocksAreDisjointZeroedAndAccountedFor() {
    SplittableRandom random = new SplittableRandom(1);
    TreeMap<Long, Long> live = new TreeMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      boolean abort = random.nextInt(10) == 0;
      TreeMap<Long, Long> before = new TreeMap<>(live);
      try {
        store.run(
            TxOptions.async(),
            tx -> {
              for (int i = 0; i < 25; i++) {
                if (random.nextInt(100) < (live.size() < 600 ? 70 : 30) || live.isEmpty()) {
                  long length = length(random);
                  long block = tx.allocate(length);
                  assertThat(block % 16).isZero();
                  for (long at = block; at + 8 <= block + length; at += 8) {
                    assertThat(tx.getLong(at)).as("word of a new block").isZero();
                    tx.putLong(at, -1);
                  }
                  live.put(block, length);
                } else {
                  Long block = live.ceilingKey(random.nextLong(SIZE));
                  block = block == null ? live.firstKey() : block;
                  tx.free(block);
                  live.remove(block);
                }
              }
              if (abort) {
                throw tx.abort();
              }
            });
      } catch (TransactionAbortedException e) {
        live.clear();
        live.putAll(before);
      }
      assertAccountedFor(live);
    }
    store.run(tx -> live.keySet().forEach(tx::free));
    assertAccountedFor(new TreeMap<>());
  }

  private void assertAccountedFor(Map<Long, Long> live) {
    store.read(
        tx -> {
          var inUse = inUse(TxHandle.of(tx).words());
          assertThat(inUse.keySet()).isEqualTo(live.keySet());
          live.forEach(
              (block, length) -> {
                assertThat(inUse.get(block)).isGreaterThanOrEqualTo(length);
                assertThat(TxHandle.of(tx).words().heap.blockBytes(block))
                    .isEqualTo(inUse.get(block));
              });
          return 0;
        });
  }

  @Test
  void everythingCanBeUsedGivenBackAndUsedAgainInOtherLengths() {
    long first = fill(100);
    // What one length has given back serves another, however it was cut before.
    assertThat(fill(9_000)).isGreaterThan(first * 8 / 10);
    assertThat(fill(200_000)).isGreaterThan(first * 8 / 10);
    assertThat(fill(100)).isGreaterThan(first * 98 / 100);
  }

  /** Fills the store with blocks of a length and frees them all; returns how many bytes fitted. */
  private long fill(long length) {
    List<Long> blocks = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (true) {
                blocks.add(store.call(tx -> tx.allocate(length)));
              }
            })
        .isInstanceOf(RegionFullException.class)
        .hasMessageContaining("free some, or open the store with a larger maxSize");
    for (Long block : blocks) {
      store.run(tx -> tx.free(block));
    }
    return blocks.size() * length;
  }

  @Test
  void theLargestBlockCanBeHad() {
    long most = store.maxBlockBytes();
    assertThat(most).isGreaterThanOrEqualTo(SIZE / 2 - (1 << 14));
    long block = store.call(tx -> tx.allocate(most));
    store.run(tx -> tx.free(block));
    assertThat((long) store.call(tx -> tx.allocate(most))).isEqualTo(block);
    for (long bad : new long[] {0, -1, most + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertThatThrownBy(() -> store.run(tx -> tx.allocate(bad)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(String.valueOf(bad));
    }
  }

  @Test
  void whatIsNoBlockCannotBeFreed() {
    long small = store.call(tx -> tx.allocate(40));
    long large = store.call(tx -> tx.allocate(30_000));
    long gone = store.call(tx -> tx.allocate(40));
    store.run(tx -> tx.free(gone));
    long page = small & -4096;
    for (long bad :
        new long[] {
          0,
          8,
          4096,
          page,
          small + 8,
          small + 16,
          large + 16,
          large + 4096,
          gone,
          SIZE - 16,
          SIZE,
          SIZE + 4096,
          -16,
          Long.MIN_VALUE,
          Long.MAX_VALUE
        }) {
      assertThatThrownBy(() -> store.run(tx -> tx.free(bad)))
          .as("address %d", bad)
          .isInstanceOf(InvalidAddressException.class)
          .hasMessageContaining(String.valueOf(bad));
    }
    store.run(
        tx -> {
          tx.free(small);
          tx.free(large);
        });
    assertAccountedFor(new TreeMap<>());
  }

  @Test
  void anAllocationWritesNextToNothing() {
    store.run(tx -> tx.allocate(104));
    long[] words = new long[1];
    store.run(
        tx -> {
          for (int i = 0; i < 30; i++) {
            TxHandle.of(tx).words().heap.allocateUncleared(104);
          }
          words[0] = TxHandle.of(tx).words().writes.count();
        });
    assertThat(words[0]).as("words written for 30 blocks").isLessThanOrEqualTo(12);
  }

  @Test
  void threadsAllocateAndFreeEachOthersBlocks() throws Exception {
    int threads = 4;
    List<List<Long>> given = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Future<List<Long>>> futures = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        futures.add(
            executor.submit(
                () -> {
                  List<Long> mine = new ArrayList<>();
                  for (int i = 0; i < 2000; i++) {
                    long length = 16L + i % 200;
                    mine.add(store.call(TxOptions.async(), tx -> tx.allocate(length)));
                  }
                  return mine;
                }));
      }
      for (Future<List<Long>> future : futures) {
        given.add(future.get());
      }
      Set<Long> all = new TreeSet<>();
      given.forEach(all::addAll);
      assertThat(all).hasSize(threads * 2000);
      List<Future<?>> frees = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        List<Long> others = given.get((t + 1) % threads);
        frees.add(
            executor.submit(
                () -> others.forEach(block -> store.run(TxOptions.async(), tx -> tx.free(block)))));
      }
      for (Future<?> future : frees) {
        future.get();
      }
    }
    assertAccountedFor(new TreeMap<>());
  }

  private static SortedMap<Long, Long> inUse(Words words) {
    SortedMap<Long, Long> blocks = new TreeMap<>();
    long[] end = {0};
    words.heap.visit(
        new HeapSession.Visitor() {
          @Override
          public void block(long address, long lengthBytes) {
            assertThat(address).as("blocks overlap").isGreaterThanOrEqualTo(end[0]);
            end[0] = address + lengthBytes;
            blocks.put(address, lengthBytes);
          }

          @Override
          public void free(long lengthBytes) {
            assertThat(lengthBytes).isNotNegative();
          }
        });
    return blocks;
  }
}
