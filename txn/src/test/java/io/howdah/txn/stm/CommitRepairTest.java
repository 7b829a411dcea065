package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreFailedException;
import io.howdah.log.commit.Lane;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.OrecTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a commit that an error breaks off ends, by the stage that it had reached. */
final class CommitRepairTest {

  private static final long FORMER = OrecTable.unlocked(0);

  private final SmallEngine engine = new SmallEngine();
  private final OrecTable orecs = engine.environment.orecs();
  private final Attempt attempt = engine.attempts.take();
  private final CommitProgress progress = attempt.progress;
  private final List<Throwable> fatal = new ArrayList<>();
  private final RegionOfFaults region = new RegionOfFaults();
  private final CommitRepair repair = repair(fatal::add);
  private final Error broken = new StackOverflowError("by the test");

  private CommitRepair repair(Consumer<Throwable> stop) {
    TxEnvironment engine = this.engine.environment;
    return new CommitRepair(
        new TxEnvironment(
            region,
            engine.orecs(),
            engine.heap(),
            engine.lanes(),
            null,
            null,
            engine.execution(),
            engine.lifecycle(),
            engine.maxRecordBytes(),
            engine.maxTransactionBytes()),
        stop);
  }

  @BeforeEach
  void begin() {
    attempt.begin(false);
    attempt.words.put(WORD, 1);
  }

  @AfterEach
  void close() {
    region.close();
    engine.close();
  }

  private long orec() {
    return orecs.getOpaque(orecs.of(WORD));
  }

  /** Commits as far as a stage. */
  private Lane commitUpTo(int stage) {
    attempt.locks.clear(1);
    progress.begin();
    Lane lane = Objects.requireNonNull(engine.lanes.lease(attempt.id, 64, 0));
    progress.stage = CommitProgress.LEASED;
    attempt.locks.lockAll(attempt.words.writes, attempt.words.guards, lane.partition());
    if (stage >= CommitProgress.TAKING_LSN) {
      lane.announce(attempt.words.snapshot());
      progress.position = lane.position();
      progress.lsn = lane.takeLsn();
    }
    progress.stage = stage;
    assertThat(OrecTable.isLocked(orec())).isTrue();
    return lane;
  }

  private void assertEnded() {
    assertThat(progress.stage).isEqualTo(CommitProgress.NONE);
    assertThat(engine.lanes.isIdle()).isTrue();
    assertThat(orec()).isEqualTo(FORMER);
    assertThat(fatal).isEmpty();
  }

  @Test
  void withoutALaneNothingIsToBeUndone() {
    progress.begin();
    repair.repair(attempt, broken);
    assertEnded();
  }

  @Test
  void locksWithoutAnLsnAreUndone() {
    commitUpTo(CommitProgress.LEASED);
    repair.repair(attempt, broken);
    assertEnded();
    assertThat(engine.count(Counters.VOIDS)).isZero();
    assertThat(engine.lanes.clock()).isZero();
  }

  @Test
  void anLsnThatWasTakenIsFilled() {
    commitUpTo(CommitProgress.LSN_TAKEN);
    repair.repair(attempt, broken);
    assertEnded();
    assertThat(engine.count(Counters.VOIDS)).isEqualTo(1);
    assertThat(engine.lanes.clock()).isEqualTo(1);
  }

  @Test
  void anLsnThatIsFilledIsNotFilledAgain() {
    commitUpTo(CommitProgress.VOIDED);
    repair.repair(attempt, broken);
    assertEnded();
    assertThat(engine.count(Counters.VOIDS)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {CommitProgress.TAKING_LSN, CommitProgress.PUBLISHED})
  void whatCannotBeUndoneStopsTheStoreWithItsLocks(int stage) {
    Lane lane = commitUpTo(stage);
    assertThatThrownBy(() -> repair.repair(attempt, broken))
        .isInstanceOf(StoreFailedException.class)
        .hasCause(broken)
        .hasMessageContaining(
            "(lane " + lane.index() + " of partition " + lane.partition() + ", stage: ")
        .hasMessageContaining(CommitProgress.name(stage));
    assertThat(fatal).containsExactly(broken);
    assertThat(progress.stage).isEqualTo(CommitProgress.STOPPED);
    assertThat(OrecTable.isLocked(orec())).isTrue();
    assertThat(engine.lanes.leasedBy(attempt.id)).isSameAs(lane);
  }

  /** The repair itself breaks off: an orec that does not exist is to be restored. */
  @Test
  void anErrorOfTheRepairIsAddedAndStopsTheStore() {
    commitUpTo(CommitProgress.LEASED);
    attempt.locks.prepare(Integer.MAX_VALUE, 0);
    assertThatThrownBy(() -> repair.repair(attempt, broken))
        .isInstanceOf(StoreFailedException.class)
        .hasCause(broken);
    assertThat(broken.getSuppressed()).hasSize(1);
    assertThat(fatal).containsExactly(broken);
  }

  @Test
  void aLogThatIsGoneAlreadyDoesNotHideTheError() {
    commitUpTo(CommitProgress.PUBLISHED);
    IllegalStateException gone = new IllegalStateException("released");
    CommitRepair late =
        repair(
            _ -> {
              throw gone;
            });
    assertThatThrownBy(() -> late.repair(attempt, broken))
        .isInstanceOf(StoreFailedException.class)
        .hasCause(broken);
    assertThat(broken.getSuppressed()).containsExactly(gone);
    assertThat(progress.stage).isEqualTo(CommitProgress.STOPPED);
  }

  @Test
  void aFaultAfterTheReleaseStopsTheStoreAndNoOtherErrorDoes() {
    repair.stopIfFault(broken);
    assertThat(fatal).isEmpty();
    region.explanation = new CorruptStoreException("region", 8, "was truncated");
    repair.stopIfFault(RegionOfFaults.fault());
    assertThat(fatal).containsExactly(region.explanation);
  }

  @Test
  void aFaultWithoutAnExplanationIsReportedUnchanged() {
    region.broken = new IllegalStateException("no memory to explain");
    InternalError fault = RegionOfFaults.fault();
    repair.stopIfFault(fault);
    assertThat(fatal).containsExactly(fault);
  }

  @Test
  void aFaultThatCannotBeReportedIsLeftForTheWatch() {
    CommitRepair mute =
        repair(
            _ -> {
              throw new IllegalStateException("no memory to report");
            });
    region.explanation = new CorruptStoreException("region", 8, "was truncated");
    mute.stopIfFault(RegionOfFaults.fault());
    assertThat(engine.lifecycle.failure()).isSameAs(region.explanation);
  }

  @Test
  void theFailureOfACommitSaysWhichAndHowFar() {
    long before = progress.begun;
    progress.begin();
    assertThat(progress.begun).isEqualTo(before + 1);
    assertThat(progress.stage).isEqualTo(CommitProgress.LEASING);
    progress.brokenOff.thrown = broken;
    assertThat(progress.brokenOff)
        .hasMessage(
            "an error interrupted a commit and its thread could not repair it (attempt "
                + attempt.id
                + ", stage: leasing the lane): "
                + broken)
        .hasCause(broken);
    assertThat(CommitProgress.name(CommitProgress.STOPPED)).isEqualTo("stopping the store");
  }
}
