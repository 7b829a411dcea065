package io.howdah.txn.stm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.howdah.txn.words.OrecTable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A read-only transaction sees all of another or nothing, and so does every attempt that is going
 * to be aborted: the pair of orec loads in {@code Words#get} against the stores of {@link
 * Committer}. The third result says whether any attempt saw a mixture.
 */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "Before the writer.")
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "After the writer.")
@Outcome(expect = FORBIDDEN, desc = "A state that no commit left.")
@State
public class SnapshotTest {

  private final long x = StoreWords.take();
  private final long y = x + OrecTable.STRIPE_BYTES;

  @Actor
  public void writer() {
    StoreWords.STORE.run(
        tx -> {
          tx.putLong(x, 1);
          tx.putLong(y, 1);
        });
  }

  @Actor
  public void reader(III_Result r) {
    StoreWords.STORE.read(
        tx -> {
          r.r1 = (int) tx.getLong(x);
          r.r2 = (int) tx.getLong(y);
          r.r3 |= r.r1 ^ r.r2;
          return r;
        });
  }
}
