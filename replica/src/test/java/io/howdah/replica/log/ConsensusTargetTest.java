package io.howdah.replica.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreId;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.RingSet;
import io.howdah.log.flush.BatchId;
import io.howdah.log.flush.BatchTarget;
import io.howdah.log.report.LogStall;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.testkit.schedule.SimulationOutcome;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What goes into the entries of a round. */
class ConsensusTargetTest {

  private static final StoreId STORE = new StoreId(3, 4);

  /** A log that is not stopped. */
  private static final class Calm implements BatchTarget.Waiting {

    @Override
    public void waitsFor(LogStall.Reason reason) {}

    @Override
    public void watch() {}

    @Override
    public boolean isClosing() {
      return false;
    }
  }

  private final Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(2));
  private final RingSet rings = RingSet.inMemory(Regions::anonymous, 2, RingLayout.MIN_CAPACITY);
  private final LogStart start = new LogStart(3, 4, 1, 0, 1, List.of(), List.of(), 1);
  private final ConsensusTarget target =
      new ConsensusTarget(
          STORE, 1, 10, _ -> {}, Execution.system(), ConsensusTarget.MAX_ENTRY_BYTES);

  private final Lane first = new Lane(words, 0, rings.rings().get(0), start.logSeed(0));
  private final Lane second = new Lane(words, 1, rings.rings().get(1), start.logSeed(1));

  private static void publish(Lane lane, int kind, long lsn) {
    lane.begin(kind, RedoRecordLayout.MIN_LENGTH, 0, lsn, 0);
    lane.publish();
  }

  @Test
  void aRoundHasNoRecordAboveItsCut() {
    publish(first, RedoRecordLayout.KIND_VOID, first.takeLsn());
    long lsn = second.takeLsn(); // not published yet
    publish(first, RedoRecordLayout.KIND_VOID, first.takeLsn());
    publish(second, RedoRecordLayout.KIND_PART, 1);
    publish(second, RedoRecordLayout.KIND_VOID, lsn);
    long length = RedoRecordLayout.MIN_LENGTH;

    assertThat(limited(0)).as("parts have no LSN").containsExactly(0, length);
    assertThat(limited(1)).containsExactly(length, length);
    assertThat(limited(2)).containsExactly(length, 2 * length);
    assertThat(limited(3)).containsExactly(2 * length, 2 * length);
  }

  private long[] limited(long cut) {
    long[] tails = {rings.rings().get(0).tail(), rings.rings().get(1).tail()};
    target.limit(rings.rings(), new long[2], tails, cut);
    return tails;
  }

  /** The engine may have lost the answer of a member, and gets it with the next entry. */
  @Test
  void aBatchThatDoesNotComeBackIsFollowedByBarriers() {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.random(1, 40)).virtualThreads().build();
    List<Integer> kinds = new ArrayList<>();
    List<Long> proposed = new ArrayList<>();
    write(
        execution,
        (target, entry) -> {
          kinds.add(kind(entry));
          proposed.add(execution.nanoTime());
          execution.unpark(Thread.currentThread()); // a wake-up alone brings no barrier
          if (kinds.size() == 3) {
            target.counted(1);
          }
        });
    assertThat(kinds)
        .containsExactly(
            EntryLayout.KIND_BATCH, EntryLayout.KIND_BARRIER, EntryLayout.KIND_BARRIER);
    for (int i = 1; i < proposed.size(); i++) {
      assertThat(proposed.get(i) - proposed.get(i - 1)).isGreaterThanOrEqualTo(1_000_000_000);
    }
  }

  /** A barrier overtakes no batch: one that comes back alone means that the batch was refused. */
  @Test
  void aBatchThatABarrierHasPassedIsProposedAgain() {
    List<ByteBuffer> entries = new ArrayList<>();
    write(
        SimulatedExecution.builder(Schedule.random(1, 40)).virtualThreads().build(),
        (target, entry) -> {
          entries.add(entry);
          if (kind(entry) == EntryLayout.KIND_BARRIER) {
            target.passed();
          } else if (entries.size() == 5) {
            target.counted(1);
          }
        });
    assertThat(entries)
        .extracting(ConsensusTargetTest::kind)
        .containsExactly(
            EntryLayout.KIND_BATCH,
            EntryLayout.KIND_BARRIER,
            EntryLayout.KIND_BATCH,
            EntryLayout.KIND_BARRIER,
            EntryLayout.KIND_BATCH);
    assertThat(entries.get(4)).isEqualTo(entries.get(0));
  }

  private static int kind(ByteBuffer entry) {
    return entry.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(EntryLayout.KIND_OFFSET);
  }

  /** Writes a batch to a target whose engine is given. */
  private static void write(
      SimulatedExecution execution, BiConsumer<ConsensusTarget, ByteBuffer> engine) {
    AtomicReference<@Nullable ConsensusTarget> waiting = new AtomicReference<>();
    ConsensusTarget target =
        new ConsensusTarget(
            STORE,
            1,
            10,
            entry -> engine.accept(Objects.requireNonNull(waiting.get()), entry),
            execution,
            ConsensusTarget.MAX_ENTRY_BYTES);
    waiting.set(target);
    SimulationOutcome outcome =
        execution.run(
            () -> {
              int _ =
                  target.write(
                      ByteBuffer.allocate(64), new BatchId(1, 0), 0, new long[2], new Calm());
            });
    assertThat(outcome.crashed()).isFalse();
  }

  @Test
  void ringsWhoseRecordsDoNotFitAreRefused() {
    ConsensusTarget.requireFits(256, 1 << 20, ConsensusTarget.MAX_ENTRY_BYTES);
    assertThatThrownBy(() -> ConsensusTarget.requireFits(1, 1 << 20, 1 << 18))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("make the rings shorter");
  }
}
