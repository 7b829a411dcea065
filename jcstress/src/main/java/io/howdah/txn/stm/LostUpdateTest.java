package io.howdah.txn.stm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two increments of one word both count. */
@JCStressTest
@Outcome(id = "2", expect = ACCEPTABLE, desc = "Both.")
@Outcome(expect = FORBIDDEN, desc = "An increment is lost.")
@State
public class LostUpdateTest {

  private final long x = StoreWords.take();

  private void increment() {
    StoreWords.STORE.run(tx -> tx.putLong(x, tx.getLong(x) + 1));
  }

  @Actor
  public void one() {
    increment();
  }

  @Actor
  public void other() {
    increment();
  }

  @Arbiter
  public void sum(I_Result r) {
    r.r1 = (int) (long) StoreWords.STORE.read(tx -> tx.getLong(x));
  }
}
