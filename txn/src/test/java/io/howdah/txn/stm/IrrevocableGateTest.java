package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.log.commit.Deadline;
import io.howdah.log.commit.Lane;
import io.howdah.txn.TransactionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is inside the gate, and that it is open again however a try to enter ends. */
final class IrrevocableGateTest {

  private final SmallEngine engine = new SmallEngine();
  private final IrrevocableGate gate = engine.gate;

  @AfterEach
  void close() {
    engine.put(SmallEngine.WORD, 1); // it is open
    assertThat(engine.fatal).isEmpty();
    engine.close();
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
    engine.lanes.giveBack(lane);
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
    engine.lanes.giveBack(lane);
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
}
