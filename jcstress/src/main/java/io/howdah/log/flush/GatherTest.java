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
 * A waiter that is the last one the flusher gathers for, and the flusher, do not miss each other:
 * {@link StabilityWaiters#awaitForced}, {@link Doorbell#gather}. First whether the flusher was
 * unparked, then whether it parked.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The flusher saw the waiter and did not park.")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "The same, and it was unparked for nothing.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "It parked, and was unparked.")
@Outcome(id = "0, 1", expect = FORBIDDEN, desc = "It sleeps although all it waits for are there.")
@State
public class GatherTest {

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
      bell.doorbell.gather(1, bell.waiters::arrived, 1, 1, () -> false);
    } catch (OneStep.WouldWait e) {
      r.r2 = 1;
    }
  }
}
