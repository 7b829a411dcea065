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
 * A waiter that queues up and a flusher that publishes the stable LSN do not miss each other: R3,
 * {@link StabilityWaiters#awaitForced}, {@link StabilityWaiters#publishStable}. First whether the
 * waiter parked, then whether it was unparked.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The waiter saw its LSN stable.")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The same, and it was unparked for nothing.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "It parked, and was unparked.")
@Outcome(id = "1, 0", expect = FORBIDDEN, desc = "It sleeps although its LSN is stable.")
@State
public class WaiterTest {

  private final Bell bell = Bell.take();
  private final StabilityWaiters waiters = bell.waiters;
  private final long lsn = bell.lsn;

  @Actor
  public void waiter(II_Result r) {
    try {
      waiters.awaitForced(lsn, null, 0, lsn, 1);
    } catch (OneStep.WouldWait e) {
      r.r1 = 1;
    }
  }

  @Actor
  public void flusher(II_Result r) {
    waiters.publishStable(lsn);
    r.r2 = bell.execution.unparks;
  }
}
