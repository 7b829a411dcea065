package io.howdah.txn.words;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * A second reader is kept, beside one for whom the first commit has kept the word. The second
 * commit keeps it again unless no snapshot is newer than the first: it looks whether one is being
 * opened, then how new the newest is, and an opening ends in the opposite order. First how many
 * commits the second snapshot has seen, then what the word held for it and for the first one.
 */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "Opened before the commits.")
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "Opened between them.")
@Outcome(id = "2, 2, 0", expect = ACCEPTABLE, desc = "Opened after them.")
@Outcome(expect = FORBIDDEN, desc = "What a snapshot saw was not kept.")
@State
public class SnapshotOpeningTest {

  private final KeptWord word = KeptWord.take();
  private final long first = word.open();
  private long second;

  @Actor
  public void writer() {
    word.commit();
    word.commit();
  }

  @Actor
  public void reader() {
    second = word.open();
  }

  @Arbiter
  public void judge(JJJ_Result r) {
    r.r1 = second;
    r.r2 = word.value(second);
    r.r3 = word.value(first);
    word.close();
    word.close();
  }
}
