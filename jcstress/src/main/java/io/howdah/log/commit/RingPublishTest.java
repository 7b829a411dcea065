package io.howdah.log.commit;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.howdah.core.layout.RecordChecksum;
import io.howdah.core.layout.RedoRecordLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A record is whole once its ring's tail covers it: R24, {@link Lane#publish}. */
@JCStressTest
@Outcome(id = "0", expect = ACCEPTABLE, desc = "Not published yet.")
@Outcome(id = "1", expect = ACCEPTABLE, desc = "Published, and every word is there.")
@Outcome(id = "2", expect = FORBIDDEN, desc = "Published without all its words.")
@State
public class RingPublishTest {

  private static final int LENGTH_BYTES = RedoRecordLayout.MIN_LENGTH + 2 * Long.BYTES;

  private final Slot slot = Slot.take();
  private final Lane lane = slot.lane(0);
  private final Ring ring = slot.rings.get(0);

  @Actor
  public void committer() {
    lane.begin(RedoRecordLayout.KIND_COMMIT, LENGTH_BYTES, 1, Lsn.pack(1, 0), 0);
    lane.put(RedoRecordLayout.entryHead(8192, 1));
    lane.put(-1);
    lane.publish();
  }

  @Actor
  public void flusher(I_Result r) {
    long tail = ring.tail();
    if (tail != 0) {
      long end = tail - RedoRecordLayout.CHECKSUM_BYTES;
      long[] words = new long[(int) end / Long.BYTES];
      for (int i = 0; i < words.length; i++) {
        words[i] = ring.word((long) i * Long.BYTES);
      }
      RecordChecksum checksum = new RecordChecksum();
      checksum.start(Slot.SEED, 0);
      checksum.add(words, words.length);
      r.r1 = tail == LENGTH_BYTES && checksum.value() == ring.word(end) ? 1 : 2;
    }
  }
}
