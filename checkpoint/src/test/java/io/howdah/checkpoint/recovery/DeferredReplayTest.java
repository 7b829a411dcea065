package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.Regions;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Words that somebody needs before, while and after they are replayed. */
@Timeout(60)
class DeferredReplayTest {

  private static final int CAPACITY = 1 << 16;
  private static final int CHUNK = 4096;

  private final Storage storage = SimulatedDisk.builder(1).build().storage();
  private final Region words = Regions.anonymous(CAPACITY);
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch proceed = new CountDownLatch(1);

  /** The store to this address waits until it may proceed, or fails. */
  private volatile long special = -1;

  private volatile boolean failing;
  private volatile boolean interrupted;

  private final Region region =
      new ForwardingRegion(words) {
        @Override
        public void setLong(long address, long value) {
          if (address == special) {
            reached.countDown();
            if (failing) {
              throw new InternalError("a page that cannot be read");
            }
            if (interrupted) {
              throw new StackOverflowError();
            }
            try {
              proceed.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
          super.setLong(address, value);
        }
      };

  private final DirtyPages dirty = DirtyPages.create(storage, CAPACITY, CHUNK);
  private DeferredReplay replay = replay();

  /** Each chunk's first word is to become the chunk's number plus one, those of odd ones. */
  private DeferredReplay replay() {
    RegionChunks chunks = RegionChunks.of(CAPACITY);
    StagingMemory memory = new StagingMemory();
    List<ChunkStash> stashes = new ArrayList<>();
    ByteBuffer entry = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 2; i++) {
      stashes.add(new ChunkStash(chunks, new RegionReplay(region, dirty, true), memory, 1 << 20));
    }
    for (int chunk = 1; chunk < chunks.count(); chunk += 2) {
      entry.clear().putLong(RedoRecordLayout.entryHead((long) chunk * CHUNK, 1)).putLong(chunk + 1);
      ChunkSorter sorter =
          ChunkSorter.into(chunks, stashes.get(RegionChunks.owner(chunk, stashes.size())));
      sorter.redo(entry, 0, 16);
      sorter.flush();
    }
    return new DeferredReplay(
        chunks, stashes, memory, Execution.system(), storage.allocate(chunks.count() * 8L), 2);
  }

  @BeforeEach
  void begin() {
    assertThat(replay.words()).isEqualTo(8);
  }

  @AfterEach
  void end() {
    proceed.countDown();
    replay.close();
    words.close();
  }

  private long at(int chunk) {
    return words.getLong((long) chunk * CHUNK);
  }

  @Test
  void aRequiredWordIsThereAndOthersAreNot() {
    replay.require(3 * CHUNK + 800);
    assertThat(at(3)).isEqualTo(4);
    assertThat(at(5)).isZero();
    assertThat(replay.wordsLeft()).isEqualTo(7);
    assertThat(replay.onDemandChunks()).isEqualTo(1);
    replay.require(2 * CHUNK);
    replay.require(3 * CHUNK);
    assertThat(replay.onDemandChunks()).isEqualTo(1);
    assertThat(replay.isDone()).isFalse();
  }

  @Test
  void aRequiredRangeIsThere() {
    replay.require(4 * CHUNK + 8, 3 * CHUNK);
    assertThat(at(5)).isEqualTo(6);
    assertThat(at(7)).isEqualTo(8);
    assertThat(at(3)).isZero();
    replay.require(14 * CHUNK, 1 << 20);
    assertThat(at(15)).isEqualTo(16);
  }

  @Test
  void finishingReplaysEverything() {
    replay.require(7 * CHUNK);
    replay.finish();
    assertThat(replay.isDone()).isTrue();
    assertThat(replay.wordsLeft()).isZero();
    for (int chunk = 0; chunk < 16; chunk++) {
      assertThat(at(chunk)).isEqualTo(chunk % 2 == 0 ? 0 : chunk + 1);
      assertThat(dirty.next(chunk) == chunk).isEqualTo(chunk % 2 != 0);
    }
  }

  /** Somebody replays a chunk; who needs it waits, interrupted or not, and then finds it. */
  @Test
  void whoeverComesSecondWaits() throws Exception {
    special = 9 * CHUNK;
    Thread first = Thread.ofPlatform().start(() -> replay.require(9 * CHUNK));
    reached.await();
    AtomicReference<Object> seen = new AtomicReference<>();
    Thread second =
        Thread.ofVirtual()
            .start(
                () -> {
                  Thread.currentThread().interrupt();
                  replay.require(9 * CHUNK + 16);
                  seen.set(at(9) + (Thread.currentThread().isInterrupted() ? 100 : 0));
                });
    assertThat(second.join(Duration.ofMillis(50))).isFalse();
    proceed.countDown();
    first.join();
    second.join();
    assertThat(seen.get()).isEqualTo(110L);
    assertThat(replay.onDemandChunks()).isEqualTo(1);
  }

  @Test
  void aWaitEndsWhenTheStoreDoes() throws Exception {
    special = 9 * CHUNK;
    AtomicReference<RuntimeException> closed = new AtomicReference<>();
    replay.start(
        () -> {
          RuntimeException e = closed.get();
          if (e != null) {
            throw e;
          }
        },
        _ -> {});
    reached.await();
    closed.set(new StoreClosedException("closed"));
    assertThatThrownBy(() -> replay.require(9 * CHUNK)).isInstanceOf(StoreClosedException.class);
  }

  @Test
  void theEndIsToldOnceWithWhatWasNeededBefore() throws Exception {
    replay.require(9 * CHUNK);
    BlockingQueue<List<Long>> told = new LinkedBlockingQueue<>();
    replay.start(() -> {}, _ -> {}, (words, onDemand) -> told.add(List.of(words, onDemand)));
    replay.finish();
    assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo(List.of(replay.words(), 1L));
    replay.close(); // the threads have ended
    assertThat(told).isEmpty();
  }

  @Test
  void aPageThatCannotBeReadFailsTheStore() throws Exception {
    special = 9 * CHUNK;
    failing = true;
    CountDownLatch told = new CountDownLatch(1);
    replay.start(() -> {}, _ -> told.countDown());
    assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(() -> replay.require(9 * CHUNK)).isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(replay::finish).isInstanceOf(StoreFailedException.class);
    assertThat(replay.isDone()).isFalse();
  }

  @Test
  void aReplayThatIsBrokenOffIsDoneAgain() {
    special = 9 * CHUNK;
    interrupted = true;
    assertThatThrownBy(() -> replay.require(9 * CHUNK)).isInstanceOf(StackOverflowError.class);
    interrupted = false;
    proceed.countDown();
    replay.require(9 * CHUNK);
    assertThat(at(9)).isEqualTo(10);
  }

  /** Somebody may ask for one before the log is read, and find out about it afterwards. */
  @Test
  void aChunkWithoutWordsIsNotCountedAsReplayed() {
    for (int chunk = 0; chunk < 16; chunk += 2) {
      assertThat(replay.tryReplay(chunk)).isFalse();
    }
    for (int chunk = 1; chunk < 16; chunk += 2) {
      assertThat(replay.isDone()).isFalse();
      assertThat(replay.tryReplay(chunk)).isTrue();
      assertThat(at(chunk)).isEqualTo(chunk + 1);
    }
    assertThat(replay.isDone()).isTrue();
  }

  @Test
  void nothingToReplayIsDoneAtOnce() {
    replay.close();
    RegionChunks chunks = RegionChunks.of(CAPACITY);
    StagingMemory memory = new StagingMemory();
    replay =
        new DeferredReplay(
            chunks,
            List.of(new ChunkStash(chunks, new RegionReplay(region, dirty, true), memory, 4096)),
            memory,
            Execution.system(),
            storage.allocate(chunks.count() * 8L),
            1);
    assertThat(replay.isDone()).isTrue();
    replay.start(() -> {}, _ -> {});
    replay.require(0, CAPACITY);
    assertThat(replay.onDemandChunks()).isZero();
  }
}
