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
 * A word that was set before a flag, in a transaction of its own, is there once another transaction
 * has seen the flag.
 */
@JCStressTest
@Outcome(id = "0, [01]", expect = ACCEPTABLE, desc = "The flag is not set.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "The flag is set, and so is what came before it.")
@Outcome(id = "1, 0", expect = FORBIDDEN, desc = "The flag was seen before what it announces.")
@State
public class PublicationTest {

  private final long data = StoreWords.take();
  private final long flag = data + OrecTable.STRIPE_BYTES;

  @Actor
  public void writer() {
    StoreWords.STORE.run(tx -> tx.putLong(data, 1));
    StoreWords.STORE.run(tx -> tx.putLong(flag, 1));
  }

  @Actor
  public void reader(II_Result r) {
    r.r1 = (int) (long) StoreWords.STORE.read(tx -> tx.getLong(flag));
    r.r2 = (int) (long) StoreWords.STORE.read(tx -> tx.getLong(data));
  }
}
