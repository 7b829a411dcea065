package io.howdah.log.commit;

import io.howdah.core.Region;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.file.Regions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Shared words and two rings for one state of a memory-model test. Mapping new ones for every state
 * would take longer than the race under test, so states take them in turn from a pool, which is
 * larger than the number of states that the runner keeps alive at once ({@code jcstress/run}).
 *
 * <p>Taken and reset by the thread that makes the state, before the actors start.
 */
public final class Slot {

  public static final long SEED = 42;

  /** States alive at once must be fewer. */
  public static final int POOL_SIZE = 1 << 9;

  private static final @Nullable Slot[] POOL = new Slot[POOL_SIZE];
  private static int next;

  public final Region words = Regions.anonymous(CommitWords.lengthBytes(2));
  public final List<Ring> rings;
  private final List<Region> ringMemory;

  /** Makes one outside the pool. */
  Slot() {
    long lengthBytes = RingLayout.HEADER_LENGTH + RingLayout.MIN_CAPACITY;
    ringMemory = List.of(Regions.anonymous(lengthBytes), Regions.anonymous(lengthBytes));
    rings =
        List.of(
            new Ring(ringMemory.get(0), 0, RingLayout.MIN_CAPACITY),
            new Ring(ringMemory.get(1), 1, RingLayout.MIN_CAPACITY));
  }

  /** Returns a slot as it is at the start of a generation. */
  public static synchronized Slot take() {
    int index = next++ & POOL.length - 1;
    Slot slot = POOL[index];
    if (slot == null) {
      slot = new Slot();
      POOL[index] = slot;
    }
    slot.reset();
    return slot;
  }

  private void reset() {
    words.clear(0, words.capacityBytes());
    for (Region memory : ringMemory) {
      memory.setLong(RingLayout.TAIL_OFFSET, 0);
      memory.setLong(RingLayout.FORCED_OFFSET, 0);
      memory.setLong(RingLayout.INFLIGHT_OFFSET, RingLayout.IDLE);
      memory.clear(RingLayout.HEADER_LENGTH, 128);
    }
  }

  /** Returns a new lane over one of the rings. */
  public Lane lane(int partition) {
    return new Lane(words, partition, rings.get(partition), SEED);
  }
}
