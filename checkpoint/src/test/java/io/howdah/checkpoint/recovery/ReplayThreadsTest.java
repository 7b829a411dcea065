package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.file.Regions;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which threads replay, how they end, and what is given back then. */
@Timeout(60)
class ReplayThreadsTest {

  private static final int CAPACITY = 1 << 16;
  private static final int CHUNK = 4096;
  private static final int CHUNKS = CAPACITY / CHUNK;

  private final SimulatedExecution simulated =
      SimulatedExecution.builder(Schedule.roundRobin(3)).maxSteps(20_000).virtualThreads().build();
  private final SimulatedDisk disk = SimulatedDisk.builder(1).execution(simulated).build();
  private final Region words = Regions.anonymous(CAPACITY);
  private final StagingMemory memory = new StagingMemory();
  private final List<String> started = new ArrayList<>();
  private final List<Long> parks = new ArrayList<>();
  private final List<Throwable> failures = new ArrayList<>();
  private int spins;

  /** A store to this address fails. */
  private long broken = -1;

  /** A store to this address waits as long as it is set. */
  private volatile long held = -1;

  private final Region region =
      new ForwardingRegion(words) {
        @Override
        public void setLong(long address, long value) {
          if (address == broken) {
            throw new InternalError("a page that cannot be read");
          }
          while (address == held) {
            simulated.parkNanos(this, 1_000);
          }
          super.setLong(address, value);
        }
      };

  /** Notes which threads are started, and how the threads wait. */
  private final Execution execution =
      new Execution() {
        @Override
        public long nanoTime() {
          return simulated.nanoTime();
        }

        @Override
        public void parkNanos(Object blocker, long nanos) {
          if (blocker instanceof DeferredReplay) {
            parks.add(nanos);
          }
          simulated.parkNanos(blocker, nanos);
        }

        @Override
        public void unpark(Thread thread) {
          simulated.unpark(thread);
        }

        @Override
        public void spinWait() {
          spins++;
          simulated.spinWait();
        }

        @Override
        public void yieldNow() {
          simulated.yieldNow();
        }

        @Override
        public Thread start(String name, Runnable body) {
          started.add(name);
          return simulated.start(name, body);
        }

        @Override
        public int availableProcessors() {
          return 2;
        }
      };

  @AfterEach
  void end() {
    words.close();
  }

  /** Each chunk's first word is to become the chunk's number plus one, but for some chunks. */
  private DeferredReplay replay(int threads, Region states, int firstChunk) {
    DirtyPages dirty = DirtyPages.create(disk.storage(), CAPACITY, CHUNK);
    RegionChunks chunks = RegionChunks.of(CAPACITY);
    List<ChunkStash> stashes = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      stashes.add(new ChunkStash(chunks, new RegionReplay(region, dirty, true), memory, 1 << 20));
    }
    ByteBuffer entry = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);
    for (int chunk = firstChunk; chunk < CHUNKS; chunk++) {
      entry.clear().putLong(RedoRecordLayout.entryHead((long) chunk * CHUNK, 1)).putLong(chunk + 1);
      ChunkSorter sorter =
          ChunkSorter.into(chunks, stashes.get(RegionChunks.owner(chunk, stashes.size())));
      sorter.redo(entry, 0, 16);
      sorter.flush();
    }
    return new DeferredReplay(chunks, stashes, memory, execution, states, threads);
  }

  private void run(int threads, Consumer<DeferredReplay> use) {
    simulated.run(
        () -> {
          Region states = disk.storage().allocate(CHUNKS * 8L);
          DeferredReplay replay = replay(threads, states, 0);
          use.accept(replay);
          replay.close();
          replay.close();
          assertThat(states.isOpen()).isFalse();
          requireMemoryGivenBack();
        });
  }

  private void requireMemoryGivenBack() {
    assertThatThrownBy(() -> memory.allocate(8)).isInstanceOf(IllegalStateException.class);
  }

  private void requireMemoryKept() {
    assertThatCode(() -> memory.allocate(8)).doesNotThrowAnyException();
  }

  private void requireAll() {
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
      assertThat(words.getLong((long) chunk * CHUNK)).isEqualTo(chunk + 1);
    }
  }

  private void pause() {
    simulated.parkNanos(this, 100_000);
  }

  // ---- threads

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void theBackgroundHasAsManyThreadsAsItIsToldAndTheLastGivesTheMemoryBack(int threads) {
    run(
        threads,
        replay -> {
          requireMemoryKept();
          replay.start(() -> {}, failures::add);
          assertThat(started).hasSize(threads).contains("howdah-replay-0");
          while (!replay.isDone()) {
            pause();
          }
          pause();
          requireAll();
          requireMemoryGivenBack();
          assertThat(replay.onDemandChunks()).isZero();
          assertThat(failures).isEmpty();
          replay.finish();
          assertThat(started).hasSize(threads);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void finishingIsOneOfTheThreads(int threads) {
    run(
        threads,
        replay -> {
          replay.finish();
          assertThat(started).hasSize(threads - 1);
          assertThat(replay.isDone()).isTrue();
          requireAll();
          requireMemoryGivenBack();
        });
  }

  @Test
  void finishingBesideTheBackgroundStartsNoMoreThreads() {
    run(
        2,
        replay -> {
          replay.start(() -> {}, failures::add);
          replay.finish();
          assertThat(started).hasSize(2);
          requireAll();
        });
  }

  @Test
  void whereNothingIsLeftNoThreadIsStarted() {
    simulated.run(
        () -> {
          DeferredReplay replay = replay(2, disk.storage().allocate(CHUNKS * 8L), CHUNKS);
          assertThat(replay.isDone()).isTrue();
          assertThat(replay.nanos()).isZero();
          replay.start(() -> {}, failures::add);
          assertThat(started).isEmpty();
          requireMemoryGivenBack();
          replay.close();
        });
  }

  // ---- ends

  @Test
  void aCloseEndsTheThreadsBeforeTheyAreDone() {
    held = 5 * CHUNK;
    run(
        2,
        replay -> {
          replay.start(() -> {}, failures::add);
          pause();
          assertThat(replay.wordsLeft()).isEqualTo(1);
          Thread opener =
              simulated.spawn(
                  "opener",
                  () -> {
                    pause();
                    held = -1;
                  });
          replay.close();
          simulated.join(opener);
          assertThat(failures).isEmpty();
        });
  }

  @Test
  void threadsThatAreClosedAtOnceReplayNothing() {
    run(
        2,
        replay -> {
          replay.start(() -> {}, failures::add);
          replay.close();
          assertThat(replay.isDone()).isFalse();
          assertThat(replay.wordsLeft()).isPositive();
          assertThat(failures).isEmpty();
        });
  }

  @Test
  void anUnreadablePageEndsAllThreadsAndAllWaits() {
    broken = 5 * CHUNK;
    held = 6 * CHUNK;
    run(
        2,
        replay -> {
          replay.start(() -> {}, failures::add);
          while (failures.isEmpty()) {
            pause();
          }
          assertThatThrownBy(() -> replay.require(6 * CHUNK))
              .isInstanceOf(StoreFailedException.class)
              .hasMessageContaining("a page that cannot be read")
              .hasRootCauseInstanceOf(InternalError.class);
          held = -1;
          while (failures.size() < 2) {
            pause();
          }
          assertThat(failures).hasOnlyElementsOfType(StoreFailedException.class);
          assertThat(replay.isDone()).isFalse();
          requireMemoryKept();
          assertThatThrownBy(replay::finish).isInstanceOf(StoreFailedException.class);
        });
  }

  @Test
  void finishingWithAPageThatCannotBeReadFails() {
    broken = 5 * CHUNK;
    run(
        1,
        replay -> {
          assertThatThrownBy(replay::finish).isInstanceOf(StoreFailedException.class);
          assertThatThrownBy(() -> replay.require(5 * CHUNK))
              .isInstanceOf(StoreFailedException.class);
          // What is in the region already is served.
          replay.require(4 * CHUNK);
        });
  }

  // ---- ranges

  @Test
  void aRangeEndsWithItsLastByte() {
    run(
        2,
        replay -> {
          replay.require(3 * CHUNK, CHUNK);
          assertThat(words.getLong(3 * CHUNK)).isEqualTo(4);
          assertThat(words.getLong(4 * CHUNK)).isZero();
          replay.require(6 * CHUNK + 8, CHUNK - 7);
          assertThat(words.getLong(6 * CHUNK)).isEqualTo(7);
          assertThat(words.getLong(7 * CHUNK)).isEqualTo(8);
          assertThat(words.getLong(8 * CHUNK)).isZero();
          replay.require((CHUNKS - 1) * CHUNK, 3 * CHUNK);
          assertThat(words.getLong((CHUNKS - 1) * CHUNK)).isEqualTo(CHUNKS);
          assertThat(replay.onDemandChunks()).isEqualTo(4);
          assertThat(replay.wordsLeft()).isEqualTo(CHUNKS - 4);
          assertThat(replay.tryReplay(3)).isFalse();
          assertThat(replay.tryReplay(4)).isTrue();
        });
  }

  @Test
  void whoeverWaitsAsksWhetherThereIsSomethingToWaitFor() {
    held = 5 * CHUNK;
    run(
        1,
        replay -> {
          int[] asked = new int[1];
          replay.start(
              () -> {
                if (++asked[0] == 3) {
                  held = -1;
                  throw new StoreClosedException("closed");
                }
              },
              failures::add);
          pause();
          assertThatThrownBy(() -> replay.require(5 * CHUNK))
              .isInstanceOf(StoreClosedException.class);
          assertThat(failures).isEmpty();
        });
  }

  // ---- what a flight recording is told

  @Test
  void aFlightRecordingIsToldOfAReplayThatHasEnded() throws IOException {
    Path file = Files.createTempFile("replay", ".jfr");
    try (Recording recording = new Recording()) {
      recording.enable("io.howdah.Replay").withoutThreshold();
      recording.start();
      run(
          1,
          replay -> {
            replay.require(5 * CHUNK);
            replay.finish();
          });
      recording.stop();
      recording.dump(file);
      assertThat(RecordingFile.readAllEvents(file))
          .filteredOn(event -> event.getEventType().getName().equals("io.howdah.Replay"))
          .singleElement()
          .satisfies(
              event -> {
                assertThat(event.getLong("words")).isEqualTo(CHUNKS);
                assertThat(event.getLong("chunksOnDemand")).isEqualTo(1);
                assertThat(event.getDuration()).isPositive();
              });
    } finally {
      Files.delete(file);
    }
  }

  // ---- waiting

  @Test
  void whoeverWaitsForAChunkSpinsAndThenSleepsBriefly() {
    held = 5 * CHUNK;
    run(
        1,
        replay -> {
          replay.start(() -> {}, failures::add);
          pause();
          Thread opener =
              simulated.spawn(
                  "opener",
                  () -> {
                    simulated.parkNanos(this, 2_000_000);
                    held = -1;
                  });
          assertThat(parks).isEmpty();
          int before = spins;
          replay.require(5 * CHUNK + 8);
          assertThat(words.getLong(5 * CHUNK)).isEqualTo(6);
          assertThat(spins - before).isGreaterThanOrEqualTo(50);
          assertThat(parks).isNotEmpty().containsOnly(20_000L);
          simulated.join(opener);
        });
  }
}
