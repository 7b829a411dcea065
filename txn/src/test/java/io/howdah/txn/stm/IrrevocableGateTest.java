package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.report.ProgramLog;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Deadline;
import io.howdah.log.commit.Lane;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.txn.TransactionTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is inside the gate, and that it is open again however a try to enter ends. */
final class IrrevocableGateTest {

  private final SmallEngine engine = new SmallEngine();
  private final IrrevocableGate gate = engine.gate;
  private final Failing words = new Failing();
  private final Lifecycle lifecycle = new Lifecycle();
  private final List<Throwable> told = new ArrayList<>();

  @AfterEach
  void close() {
    engine.put(SmallEngine.WORD, 1); // it is open
    assertThat(engine.fatal).isEmpty();
    engine.close();
    words.close();
  }

  @Test
  void aThreadInsideSharesItsEntry() {
    assertThat(gate.isClosed()).isFalse();
    assertThat(gate.ticketOfCaller()).isZero();
    assertThat(gate.enter(Deadline.NONE)).isTrue();
    long ticket = gate.ticketOfCaller();
    assertThat(ticket).isPositive();
    assertThat(gate.isClosed()).isTrue();
    assertThat(gate.enter(Deadline.NONE)).isFalse();
    assertThat(gate.ticketOfCaller()).isEqualTo(ticket);
    gate.leave();
    assertThat(gate.isClosed()).isFalse();
    assertThat(gate.ticketOfCaller()).isZero();
    assertThat(gate.enter(Deadline.NONE)).isTrue();
    assertThat(gate.ticketOfCaller()).isNotEqualTo(ticket);
    gate.leave();
  }

  @Test
  void aWaitThatEndsLeavesTheGateOpen() {
    Lane lane = engine.lanes.lease(0, 64, 0);
    TimeLimits.Limit limit = engine.limits.begin(5_000_000);
    assertThatThrownBy(() -> gate.enter(limit)).isInstanceOf(TransactionTimeoutException.class);
    assertThat(gate.isClosed()).isFalse();
    lane.endLease();
  }

  @Test
  void anErrorInTheWaitLeavesTheGateOpen() {
    Lane lane = engine.lanes.lease(0, 64, 0);
    StackOverflowError error = new StackOverflowError("by the test");
    engine.clock.onSpin =
        () -> {
          throw error;
        };
    assertThatThrownBy(() -> gate.enter(Deadline.NONE)).isSameAs(error);
    engine.clock.onSpin = () -> {};
    assertThat(gate.isClosed()).isFalse();
    lane.endLease();
  }

  @Test
  void aGateIsAbandonedOnceItsThreadHasEnded() throws InterruptedException {
    gate.openIfAbandoned();
    assertThat(gate.enter(Deadline.NONE)).isTrue();
    gate.openIfAbandoned();
    assertThat(gate.isClosed()).as("its thread lives").isTrue();
    gate.leave();
    Thread other = Thread.ofPlatform().start(() -> gate.enter(Deadline.NONE));
    other.join();
    assertThat(gate.isClosed()).isTrue();
    assertThat(gate.ticketOfCaller()).as("of another thread").isZero();
    gate.openIfAbandoned();
    assertThat(gate.isClosed()).isFalse();
  }

  /** The look may have read the holder before the last one, whose thread has ended since. */
  @Test
  void aGateIsNotOpenedUnderALaterTransaction() throws InterruptedException {
    long[] ticket = {0};
    Thread former =
        Thread.ofPlatform()
            .start(
                () -> {
                  gate.enter(Deadline.NONE);
                  ticket[0] = gate.ticketOfCaller();
                  gate.leave();
                });
    former.join();
    assertThat(gate.enter(Deadline.NONE)).isTrue();
    gate.openIfAbandoned(former, ticket[0]);
    assertThat(gate.isClosed()).isTrue();
    assertThat(engine.lanes.hasGate(gate.ticketOfCaller())).isTrue();
    gate.leave();
    assertThat(engine.lanes.hasGate(0)).isTrue();
  }

  /** Words of lanes that cannot be changed. */
  private static final class Failing extends ForwardingRegion {
    private final StackOverflowError release = new StackOverflowError("a release, by the test");
    private final StackOverflowError swap = new StackOverflowError("a swap, by the test");
    private boolean failsToRelease;
    private boolean failsToSwap;

    Failing() {
      super(Regions.anonymous(CommitLanes.wordsLengthBytes(1)));
    }

    @Override
    public void setLongRelease(long address, long value) {
      if (failsToRelease) {
        throw release;
      }
      super.setLongRelease(address, value);
    }

    @Override
    public boolean compareAndSetLong(long address, long expected, long value) {
      if (failsToSwap) {
        throw swap;
      }
      return super.compareAndSetLong(address, expected, value);
    }
  }

  private IrrevocableGate failing(Consumer<Throwable> fatal) {
    CommitLanes lanes = CommitLanes.unlogged(words, 1, engine.clock, lifecycle::failIfStopped);
    return new IrrevocableGate(
        lanes, lifecycle, fatal, new ProgramLog("io.howdah.txn.stm", engine.clock));
  }

  @Test
  void anErrorOnTheWayOutOpensTheGateAllTheSame() {
    IrrevocableGate failing = failing(told::add);
    assertThat(failing.enter(Deadline.NONE)).isTrue();
    words.failsToRelease = true;
    failing.leave();
    assertThat(told).isEmpty();
    assertThat(failing.isClosed()).isFalse();
    assertThat(failing.enter(Deadline.NONE)).as("it is open").isTrue();
    words.failsToRelease = false;
    failing.leave();
  }

  @Test
  void aGateThatCannotBeOpenedStopsTheStore() {
    IrrevocableGate failing = failing(told::add);
    assertThat(failing.enter(Deadline.NONE)).isTrue();
    words.failsToRelease = true;
    words.failsToSwap = true;
    failing.leave();
    assertThat(told).containsExactly(words.release);
  }

  @Test
  void aGateThatMayHaveBeenLeftClosedStopsTheStore() {
    IrrevocableGate failing = failing(told::add);
    words.failsToSwap = true;
    assertThatThrownBy(() -> failing.enter(Deadline.NONE)).isSameAs(words.swap);
    assertThat(told).containsExactly(words.swap);
    assertThat(failing.isClosed()).isFalse();
  }

  @Test
  void aStoreThatCannotBeToldStopsByItsField() {
    IrrevocableGate failing =
        failing(
            _ -> {
              throw new IllegalStateException("the log is gone");
            });
    words.failsToSwap = true;
    assertThatThrownBy(() -> failing.enter(Deadline.NONE)).isSameAs(words.swap);
    assertThat(lifecycle.failure()).isSameAs(words.swap);
  }
}
