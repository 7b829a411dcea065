package io.howdah.txn.stm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Of two blind writes to one word the one with the larger LSN stays: replay in LSN order gives what
 * memory held.
 */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "The later LSN wrote last.")
@Outcome(expect = FORBIDDEN, desc = "LSN order is not the order of the stores.")
@State
public class LsnOrderTest {

  private final long x = StoreWords.take();
  private long one;
  private long other;

  @Actor
  public void one() {
    one = StoreWords.STORE.run(tx -> tx.putLong(x, 1));
  }

  @Actor
  public void other() {
    other = StoreWords.STORE.run(tx -> tx.putLong(x, 2));
  }

  @Arbiter
  public void order(I_Result r) {
    long last = StoreWords.STORE.read(tx -> tx.getLong(x));
    r.r1 = last == (one > other ? 1 : 2) ? 1 : 0;
  }
}
