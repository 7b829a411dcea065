package io.howdah.txn.stm;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;
import java.util.Arrays;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The two looks at the orec of a node. A commit writes all words of it, in two rows, and the reader
 * copies them. First what the words are, then whether any attempt saw a mixture.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Before the writer.")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "After the writer.")
@Outcome(expect = FORBIDDEN, desc = "A state that no commit left.")
@State
public class NodeLooksTest {

  private static final int WORDS = 128;
  private static final long[] ONES = new long[WORDS];

  static {
    Arrays.fill(ONES, 1);
  }

  private final long node = StoreWords.takeNode();
  private final long[] seen = new long[WORDS];
  private final long[] former = new long[WORDS];

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  @Actor
  public void writer() {
    StoreWords.STORE.run(
        tx -> {
          while (!words(tx).nodes.read(node, 0, WORDS, former, 0)) {
            // the snapshot has moved
          }
          words(tx).nodes.write(node, 64, ONES, 64, 64);
          words(tx).nodes.write(node, 0, ONES, 0, 64);
        });
  }

  @Actor
  public void reader(II_Result r) {
    StoreWords.STORE.read(
        tx -> {
          while (!words(tx).nodes.readInner(node, 0, WORDS, seen, 0)) {
            // as above
          }
          long sum = 0;
          for (long word : seen) {
            sum += word;
          }
          r.r1 = (int) (sum / WORDS);
          r.r2 |= (int) (sum % WORDS);
          return r;
        });
  }
}
