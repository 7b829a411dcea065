package io.howdah.txn.stm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.howdah.txn.words.OrecTable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two transactions that each read what the other writes: one of them sees the other. Validation in
 * {@link Committer} after the LSN, against the locks of both.
 */
@JCStressTest
@Outcome(
    id = {"1, 0", "0, 1"},
    expect = ACCEPTABLE,
    desc = "One after the other.")
@Outcome(id = "1, 1", expect = FORBIDDEN, desc = "Write skew: both found the other word unset.")
@Outcome(id = "0, 0", expect = FORBIDDEN, desc = "Each saw the other first.")
@State
public class WriteSkewTest {

  private final long x = StoreWords.take();
  private final long y = x + OrecTable.STRIPE_BYTES;

  private static int setUnless(long mine, long others) {
    return StoreWords.STORE.call(
        tx -> {
          if (tx.getLong(others) != 0) {
            return 0;
          }
          tx.putLong(mine, 1);
          return 1;
        });
  }

  @Actor
  public void one(II_Result r) {
    r.r1 = setUnless(x, y);
  }

  @Actor
  public void other(II_Result r) {
    r.r2 = setUnless(y, x);
  }
}
