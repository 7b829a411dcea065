package io.howdah.log.flush;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.howdah.log.commit.OneStep;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A request and the flusher's going to sleep do not miss each other: R3, {@link
 * StabilityWaiters#awaitForced}, {@link Doorbell#sleepUntil}. First whether the flusher was
 * unparked, then whether it parked.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The flusher saw the request and did not park.")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "The same, and it was unparked for nothing.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "It parked, and was unparked.")
@Outcome(id = "0, 1", expect = FORBIDDEN, desc = "It sleeps on a request.")
@State
public class DoorbellTest {

  private final Bell bell = Bell.take();
  private final OneStep execution = bell.execution;
  private final long lsn = bell.lsn;

  @Actor
  public void waiter(II_Result r) {
    try {
      bell.waiters.awaitForced(lsn, null, 0, lsn, 1);
    } catch (OneStep.WouldWait e) {
      r.r1 = execution.unparks;
    }
  }

  @Actor
  public void flusher(II_Result r) {
    try {
      bell.doorbell.sleepUntil(1, bell.waiters::isAnyoneParked);
    } catch (OneStep.WouldWait e) {
      r.r2 = 1;
    }
  }
}
