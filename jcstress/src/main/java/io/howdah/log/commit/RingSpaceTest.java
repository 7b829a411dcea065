package io.howdah.log.commit;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.howdah.core.layout.RedoRecordLayout;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A ring that is full: what the flusher has copied and freed may be overwritten, and not before:
 * R25, {@link Ring#publishForced}, {@link Lane#hasSpace}. Each state goes on where another left a
 * ring.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Copied; the committer found no room.")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "Copied, then overwritten.")
@Outcome(id = "1, [01]", expect = FORBIDDEN, desc = "Overwritten while it was copied.")
@State
public class RingSpaceTest {

  private static final int RECORD_BYTES = RedoRecordLayout.MIN_LENGTH;

  private static final @Nullable FullRing[] POOL = new FullRing[Slot.POOL_SIZE];
  private static int next;

  private final Lane lane;
  private final Ring ring;
  private final long position;
  private final long lsn;
  private final long firstWord;
  private final long lastWord;

  /** Fills a ring of the pool again. */
  public RingSpaceTest() {
    FullRing full = take();
    full.fill();
    lane = full.lane;
    ring = full.ring;
    lsn = Lsn.pack(full.lsn + 1, 0);
    position = ring.forcedPosition();
    firstWord = ring.word(position + RedoRecordLayout.LSN_OFFSET);
    lastWord = ring.word(position + RECORD_BYTES - Long.BYTES);
  }

  private static synchronized FullRing take() {
    int index = next++ & POOL.length - 1;
    FullRing full = POOL[index];
    if (full == null) {
      full = new FullRing();
      POOL[index] = full;
    }
    return full;
  }

  @Actor
  public void flusher(II_Result r) {
    long last = ring.word(position + RECORD_BYTES - Long.BYTES);
    long first = ring.word(position + RedoRecordLayout.LSN_OFFSET);
    ring.publishForced(position + RECORD_BYTES);
    r.r1 = first == firstWord && last == lastWord ? 0 : 1;
  }

  @Actor
  public void committer(II_Result r) {
    if (lane.hasSpace(RECORD_BYTES)) {
      lane.publishVoid(lsn);
      r.r2 = 1;
    }
  }

  private static final class FullRing {
    private final Slot slot = new Slot();
    private final Lane lane = slot.lane(0);
    private final Ring ring = slot.rings.get(0);
    private long lsn;

    void fill() {
      lsn = ring.tail() / RECORD_BYTES;
      while (ring.tail() - ring.forcedPosition() < ring.capacityBytes()) {
        lane.publishVoid(Lsn.pack(++lsn, 0));
      }
    }
  }
}
