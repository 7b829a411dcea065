package io.howdah.txn.stm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.howdah.txn.Tx;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The same for a range read in one call: {@link Tx#read} against {@link Tx#write}. First the sum of
 * the words, then whether any attempt saw a mixture.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Before the writer.")
@Outcome(id = "8, 0", expect = ACCEPTABLE, desc = "After the writer.")
@Outcome(expect = FORBIDDEN, desc = "A state that no commit left.")
@State
public class RangeSnapshotTest {

  private static final byte[] ONES = new byte[StoreWords.BLOCK_BYTES];

  static {
    for (int i = 0; i < ONES.length; i += Long.BYTES) {
      ONES[i] = 1;
    }
  }

  private final long block = StoreWords.take();
  private final byte[] seen = new byte[StoreWords.BLOCK_BYTES];

  @Actor
  public void writer() {
    StoreWords.STORE.run(tx -> tx.write(block, ONES));
  }

  @Actor
  public void reader(II_Result r) {
    StoreWords.STORE.read(
        tx -> {
          tx.read(block, seen);
          int sum = 0;
          for (byte b : seen) {
            sum += b;
          }
          r.r1 = sum;
          r.r2 |= sum & 7;
          return r;
        });
  }
}
