package io.howdah.log.flush;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Slot;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * No LSN up to the cut is missing from the tails read after it: I1, R1, {@link Flusher#readCut}
 * against two whole commit windows through two lanes. First the cut, then how many tails have
 * moved.
 */
@JCStressTest
@Outcome(id = "0, [012]", expect = ACCEPTABLE, desc = "No commit is claimed.")
@Outcome(
    id = "1, [12]",
    expect = ACCEPTABLE,
    desc = "The first commit is claimed, and was published.")
@Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "Both are claimed, and both were published.")
@Outcome(expect = FORBIDDEN, desc = "The cut covers an LSN that no tail covers.")
@State
public class StableCutTest {

  private final Slot slot = Slot.take();
  private final Lane first = slot.lane(0);
  private final Lane second = slot.lane(1);
  private final long[] tails = new long[2];

  @Actor
  public void committer() {
    commit(first);
    commit(second);
  }

  private static void commit(Lane lane) {
    lane.announce();
    long lsn = lane.takeLsn();
    lane.begin(RedoRecordLayout.KIND_COMMIT, RedoRecordLayout.MIN_LENGTH, 0, lsn, 0);
    lane.publish();
    lane.finish();
  }

  @Actor
  public void flusher(II_Result r) {
    r.r1 = (int) Flusher.readCut(slot.words, slot.rings, tails);
    r.r2 = (tails[0] != 0 ? 1 : 0) + (tails[1] != 0 ? 1 : 0);
  }
}
