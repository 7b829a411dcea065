package io.howdah.log.commit;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A commit and an irrevocable transaction do not both go on: R31, {@link CommitLanes#lease}, {@link
 * CommitLanes#enterGate}. Whoever would wait for the other stops here.
 */
@JCStressTest
@Outcome(
    id = "1, 0",
    expect = ACCEPTABLE,
    desc = "The commit goes on; the other waits for its lane.")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The commit found the gate closed.")
@Outcome(
    id = "0, 0",
    expect = ACCEPTABLE,
    desc = "Each saw the other; the commit returns its lane.")
@Outcome(
    id = "1, 1",
    expect = FORBIDDEN,
    desc = "A commit runs beside the irrevocable transaction.")
@State
public class GateTest {

  private final CommitLanes lanes =
      CommitLanes.unlogged(Slot.take().words, 1, new OneStep(), () -> {});

  @Actor
  public void committer(II_Result r) {
    try {
      lanes.lease(0, 0, 0);
      r.r1 = 1;
    } catch (OneStep.WouldWait e) {
      r.r1 = 0;
    }
  }

  @Actor
  public void irrevocable(II_Result r) {
    try {
      lanes.enterGate(7);
      r.r2 = 1;
    } catch (OneStep.WouldWait e) {
      r.r2 = 0;
    }
  }
}
