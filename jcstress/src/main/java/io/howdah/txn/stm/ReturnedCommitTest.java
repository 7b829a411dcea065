package io.howdah.txn.stm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * What a commit that has returned wrote is seen by every transaction that begins later: the acquire
 * load of the clock in {@link Attempt#begin}. First whether the commit was seen to have returned.
 */
@JCStressTest
@Outcome(
    id = "0, [01]",
    expect = ACCEPTABLE,
    desc = "The reader may have begun before the commit returned.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "The commit had returned, and its word is seen.")
@Outcome(
    id = "1, 0",
    expect = FORBIDDEN,
    desc = "A transaction began after a commit returned, and did not see it.")
@State
public class ReturnedCommitTest {

  private final long x = StoreWords.take();
  private volatile int returned;

  @Actor
  public void writer() {
    StoreWords.STORE.run(tx -> tx.putLong(x, 1));
    returned = 1;
  }

  @Actor
  public void reader(II_Result r) {
    r.r1 = returned;
    r.r2 = (int) (long) StoreWords.STORE.read(tx -> tx.getLong(x));
  }
}
