package io.howdah.log.flush;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.howdah.log.commit.Deadline;
import io.howdah.log.commit.OneStep;
import io.howdah.log.commit.Ring;
import io.howdah.log.commit.Slot;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A committer that waits for ring space and a flusher that frees some do not miss each other:
 * {@link SpaceWaiters#await} against the end of a round. First whether the committer parked, then
 * whether it was unparked.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The committer saw the space.")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The same, and it was unparked for nothing.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "It parked, and was unparked.")
@Outcome(id = "1, 0", expect = FORBIDDEN, desc = "It sleeps beside free space.")
@State
public class RoomTest {

  private final Bell bell = Bell.take();
  private final Ring ring = Slot.take().rings.get(0);

  @Actor
  public void committer(II_Result r) {
    try {
      bell.spaceWaiters.await(() -> ring.forcedPosition() != 0, Deadline.NONE);
    } catch (OneStep.WouldWait e) {
      r.r1 = 1;
    }
  }

  @Actor
  public void flusher(II_Result r) {
    ring.publishForced(Long.BYTES);
    bell.waiters.publishStable(bell.lsn);
    bell.spaceWaiters.wake();
    r.r2 = bell.execution.unparks;
  }
}
