package io.howdah.log.commit;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A lane has one holder, who sees the plain fields as the one before left them: {@link
 * Lane#tryLease}, {@link Lane#endLease}. The field is the number of the last group of parts.
 */
@JCStressTest
@Outcome(
    id = {"1, 0", "0, 1"},
    expect = ACCEPTABLE,
    desc = "One leased it; the other came meanwhile.")
@Outcome(
    id = {"1, 2", "2, 1"},
    expect = ACCEPTABLE,
    desc = "Both, one after the other.")
@Outcome(id = "1, 1", expect = FORBIDDEN, desc = "Both at once, or the fields were not handed on.")
@State
public class LaneLeaseTest {

  private final Lane lane = Slot.take().lane(0);

  private int leaseOnce() {
    if (!lane.tryLease(1)) {
      return 0;
    }
    int group = (int) lane.beginParts();
    lane.endLease();
    return group;
  }

  @Actor
  public void one(II_Result r) {
    r.r1 = leaseOnce();
  }

  @Actor
  public void other(II_Result r) {
    r.r2 = leaseOnce();
  }
}
