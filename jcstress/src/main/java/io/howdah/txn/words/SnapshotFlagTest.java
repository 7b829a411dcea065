package io.howdah.txn.words;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * The first reader that is kept raises the flag, then reads the clock; a commit takes its LSN, then
 * looks at the flag: so what a later commit than the snapshot overwrites is kept. First how many
 * commits the snapshot has seen, then what the word held for it.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Opened before the commits.")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Opened between them.")
@Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "Opened after them.")
@Outcome(expect = FORBIDDEN, desc = "What the snapshot saw was not kept.")
@State
public class SnapshotFlagTest {

  private final KeptWord word = KeptWord.take();
  private long snapshot;

  @Actor
  public void writer() {
    word.commit();
    word.commit();
  }

  @Actor
  public void reader() {
    snapshot = word.open();
  }

  @Arbiter
  public void judge(JJ_Result r) {
    r.r1 = snapshot;
    r.r2 = word.value(snapshot);
    word.close();
  }
}
