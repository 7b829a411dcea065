package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.checkpoint.CheckpointOptions;
import io.howdah.checkpoint.CheckpointThread;
import io.howdah.checkpoint.Checkpointer;
import io.howdah.core.Region;
import io.howdah.core.StoreId;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.LogOptions;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Lane;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A commit takes its LSN right behind a checkpoint's mark on the clock, and asks where to mark its
 * pages. It stores its word when the checkpoint has copied the page, and ends. The checkpoint does
 * not wait for this commit, and does not have its word, so the next one has to copy the page again
 * (docs/protocol.md, R15a, R16).
 */
class CommitBehindTheMarkTest {

  private static final long PAGE = 4096;
  private static final long ADDRESS = 9 * PAGE + 64;
  private static final long SECOND = 1_000_000_000L;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.roundRobin(10))
          .processors(1)
          .maxSteps(300_000)
          .virtualThreads()
          .build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();

  private @Nullable LoggedStore opened;
  private @Nullable Lane leased;
  private boolean isAwaited;
  private boolean isBegun;
  private boolean isEnded;
  private long map;

  /** The words of commits, with a commit that begins behind the mark of a checkpoint. */
  private final class Marked extends ForwardingRegion {
    Marked(Region words) {
      super(words);
    }

    @Override
    public long getAndAddLong(long address, long delta) {
      long before = super.getAndAddLong(address, delta);
      if (address == CommitWords.CLOCK && delta == 0 && isAwaited && !isBegun) {
        isBegun = true;
        begin();
      }
      return before;
    }
  }

  /** The region as checkpoints copy it: behind the copy of its page the commit ends. */
  private final class Copied extends ForwardingRegion {
    Copied(Region region) {
      super(region);
    }

    @Override
    public long getLongOpaque(long address) {
      long word = super.getLongOpaque(address);
      if (address == (ADDRESS / PAGE + 1) * PAGE - Long.BYTES && isBegun && !isEnded) {
        isEnded = true;
        end();
      }
      return word;
    }
  }

  private LoggedStore store() {
    return Objects.requireNonNull(opened);
  }

  private void begin() {
    int length = RedoRecordLayout.MIN_LENGTH + 2 * Long.BYTES;
    Lane lane = store().log.lanes().lease(0, length, 0);
    lane.announce();
    long lsn = lane.takeLsn();
    lane.begin(RedoRecordLayout.KIND_COMMIT, length, 1, lsn, lane.dependency(0));
    lane.put(RedoRecordLayout.entryHead(ADDRESS, 1));
    lane.put(2);
    lane.publish();
    leased = lane;
    map = store().dirty().currentMap();
  }

  private void end() {
    store().region().setLong(ADDRESS, 2);
    store().dirty().markIn(map, store().dirty().pageOf(ADDRESS));
    Objects.requireNonNull(leased).finish();
  }

  @Test
  void itsPageIsCopiedByTheNextCheckpoint() {
    SimulatedDisk[] left = new SimulatedDisk[1];
    execution.run(
        () -> {
          LoggedStore.create(disk.storage(), new StoreId(3, 4));
          int segment = SegmentLayout.MIN_LENGTH;
          LoggedStore store =
              LoggedStore.open(
                  disk.storage(),
                  execution,
                  RecoveryOptions.DEFAULTS,
                  new LogOptions(1_000_000, 0, SECOND, segment, segment, Long.MAX_VALUE),
                  Marked::new);
          opened = store;
          CheckpointThread thread =
              new CheckpointThread(
                  new Checkpointer(store.storage, store.superblock),
                  new Copied(store.region()),
                  store.dirty(),
                  store.log,
                  execution,
                  () -> true,
                  new CheckpointOptions(Long.MAX_VALUE),
                  0);
          // The lane's last LSN is the mark: then the checkpoint does not wait for its next commit.
          long lsn = store.commit(0, Map.of(ADDRESS, 1L));
          assertThat(store.log.awaitStable(lsn, SECOND)).isTrue();
          isAwaited = true;
          assertThat(thread.checkpoint().sequence()).isEqualTo(1);
          assertThat(isBegun && isEnded).as("there was a commit").isTrue();
          assertThat(thread.checkpoint().sequence()).isEqualTo(2);
          left[0] = disk.fork();
          thread.close();
        });
    SimulatedDisk cut = left[0];
    cut.powerCut(CrashChoice.LOSE_ALL);
    try (SuperblockFile superblock = SuperblockFile.open(cut.storage())) {
      RecoveredStore recovered =
          StoreRecovery.recover(
              cut.storage(), new SoloExecution(), superblock, RecoveryOptions.DEFAULTS);
      recovered.replay().finish();
      assertThat(recovered.region().getLong(ADDRESS)).isEqualTo(2);
      recovered.replay().close();
      recovered.region().close();
      recovered.dirty().close();
    }
  }
}
