package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.file.Regions;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Words that are stashed by several threads, each of which has its own chunks. */
class ParallelStashingTest {

  private static final int CAPACITY = 1 << 18;
  private static final int BLOCKS = 16;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.roundRobin(2)).maxSteps(20_000).virtualThreads().build();
  private final Region region = Regions.anonymous(CAPACITY);
  private final StagingMemory memory = new StagingMemory();
  private final RegionChunks chunks = RegionChunks.of(CAPACITY);
  private final RegionReplay target =
      new RegionReplay(
          region,
          DirtyPages.create(SimulatedDisk.builder(1).build().storage(), CAPACITY, 4096),
          true);
  private final ByteBuffer record =
      ByteBuffer.allocateDirect(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
  private final long[] expected = new long[CAPACITY / 8];

  @AfterEach
  void end() {
    memory.close();
    region.close();
  }

  private void fill(SplittableRandom random) {
    record.clear();
    while (record.remaining() > 600 * 8) {
      int run = random.nextInt(3) == 0 ? 1 + random.nextInt(590) : 1;
      int word = random.nextInt(expected.length - run);
      record.putLong(RedoRecordLayout.entryHead(word * 8L, run));
      for (int i = 0; i < run; i++) {
        expected[word + i] = random.nextLong();
        record.putLong(expected[word + i]);
      }
    }
    record.flip();
  }

  private List<ChunkStash> stashes(int count) {
    List<ChunkStash> stashes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      stashes.add(new ChunkStash(chunks, target, memory, 64 << 20));
    }
    return stashes;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void theWordsOfAChunkArriveInTheirOrder(int threads) {
    SplittableRandom random = new SplittableRandom(threads);
    List<ChunkStash> stashes = stashes(threads);
    assertThat(
            execution
                .run(
                    () -> {
                      try (ParallelStashing stashing =
                          new ParallelStashing(chunks, stashes, execution)) {
                        for (int i = 0; i < 60; i++) {
                          fill(random);
                          stashing.redo(record, 0, record.limit());
                          if (i % 20 == 7) {
                            stashing.drain();
                          }
                        }
                        stashing.drain();
                        for (int chunk = 0; chunk < chunks.count(); chunk++) {
                          ChunkStash own = stashes.get(RegionChunks.owner(chunk, threads));
                          for (ChunkStash stash : stashes) {
                            assertThat(stash.isEmpty(chunk)).isEqualTo(!stash.equals(own));
                          }
                          own.replay(chunk);
                        }
                      }
                    })
                .leftover())
        .isEmpty();
    for (int word = 0; word < expected.length; word++) {
      assertThat(region.getLong(word * 8L)).isEqualTo(expected[word]);
    }
  }

  /** A stash that keeps all fails its thread when it is full, and the feeder finds that. */
  @Test
  void theFeederFindsWhatEndsAThread() {
    ChunkStash full = ChunkStash.keepingAll(chunks, target, memory, 4096);
    assertThat(
            execution
                .run(
                    () -> {
                      try (ParallelStashing stashing =
                          new ParallelStashing(chunks, List.of(full), execution)) {
                        assertThatThrownBy(
                                () -> {
                                  for (int i = 0; i < 200; i++) {
                                    fill(new SplittableRandom(i));
                                    stashing.redo(record, 0, record.limit());
                                  }
                                })
                            .isInstanceOf(StashFullException.class);
                        assertThatThrownBy(stashing::drain).isInstanceOf(StashFullException.class);
                      }
                    })
                .leftover())
        .isEmpty();
  }

  /** Returns an execution for which no more than so many threads can be started. */
  private Execution withThreads(int most) {
    int[] started = new int[1];
    return (Execution)
        Proxy.newProxyInstance(
            Execution.class.getClassLoader(),
            new Class<?>[] {Execution.class},
            (_, method, arguments) -> {
              if (method.getName().equals("start") && ++started[0] > most) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              try {
                return method.invoke(execution, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }

  @Test
  void whereOneThreadCannotBeStartedTheOthersEnd() {
    assertThat(
            execution
                .run(
                    () ->
                        assertThatThrownBy(
                                () -> new ParallelStashing(chunks, stashes(3), withThreads(2)))
                            .isInstanceOf(OutOfMemoryError.class))
                .leftover())
        .isEmpty();
  }

  @Test
  void aThreadTakesSoManyBlocksAndNoMore() {
    execution.run(
        () -> {
          StashingThread thread = new StashingThread(0, stashes(1).getFirst(), execution);
          Set<long[]> seen = Collections.newSetFromMap(new IdentityHashMap<>());
          long[] block = new long[EntryFeed.BLOCK_WORDS];
          thread.start();
          for (int i = 0; i < 5 * BLOCKS; i++) {
            seen.add(block);
            block[0] = RedoRecordLayout.entryHead(8L * i, 1);
            block[1] = 1L + i;
            block = thread.pass(block, 2);
          }
          thread.awaitAll();
          assertThat(seen).hasSize(BLOCKS);
          thread.close();
        });
  }

  /** A block is the thread's from when it is passed on until it is stashed. */
  @Test
  void aBlockIsNotFilledAgainBeforeItIsStashed() {
    ChunkStash stash = stashes(1).getFirst();
    execution.run(
        () -> {
          StashingThread thread = new StashingThread(0, stash, execution);
          Thread feeder =
              execution.spawn(
                  "starter",
                  () -> {
                    execution.parkNanos(this, 50_000_000);
                    thread.start();
                  });
          long[] block = new long[EntryFeed.BLOCK_WORDS];
          long passed = 0;
          for (int i = 0; i < 3 * BLOCKS; i++) {
            block[0] = RedoRecordLayout.entryHead(8L * i, 1);
            block[1] = 1L + i;
            block = thread.pass(block, 2);
            if (execution.nanoTime() < 1_040_000_000L) {
              passed++;
            }
          }
          assertThat(passed).isEqualTo(BLOCKS - 1);
          thread.awaitAll();
          assertThat(stash.words()).isEqualTo(3 * BLOCKS);
          stash.replay(0);
          for (int i = 0; i < 3 * BLOCKS; i++) {
            assertThat(region.getLong(8L * i)).isEqualTo(i + 1);
          }
          execution.join(feeder);
          thread.close();
        });
  }
}
