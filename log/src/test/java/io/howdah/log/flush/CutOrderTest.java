package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Lsn;
import io.howdah.log.commit.Ring;
import io.howdah.testkit.disk.ForwardingRegion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The cut that a flusher reads beside two commits, with every way in which their steps fall between
 * its loads (R1): a commit that counts as stable has its record below the tail.
 */
final class CutOrderTest {

  private static final int LANES = 2;

  /** Of one commit: announce, take an LSN, begin a record, publish, finish. */
  private static final int STEPS = 5;

  /** Of the flusher: the clock, the announcements, the tails. */
  private static final int LOADS = 1 + 2 * LANES;

  /** How many steps have been taken before each load. */
  private final int[] before = new int[LOADS];

  private final List<Region> memory = new ArrayList<>();
  private final List<Lane> lanes = new ArrayList<>();
  private final List<Long> lsns = new ArrayList<>();

  /** Whether the next load is the flusher's. */
  private boolean isFlushers;

  private int loads;
  private int steps;
  private int ways;
  private int stable;

  /** Memory that lets the commits go on before the flusher loads a word. */
  private static final class Stepped extends ForwardingRegion {
    private final Runnable beforeLoad;

    Stepped(Region memory, Runnable beforeLoad) {
      super(memory);
      this.beforeLoad = beforeLoad;
    }

    @Override
    public long getLongAcquire(long address) {
      beforeLoad.run();
      return super.getLongAcquire(address);
    }
  }

  private Region stepped(long lengthBytes) {
    Region region = new Stepped(Regions.anonymous(lengthBytes), this::goOn);
    memory.add(region);
    return region;
  }

  private void goOn() {
    if (isFlushers) {
      isFlushers = false;
      int load = loads++;
      while (load < LOADS && steps < before[load]) {
        step(lanes.get(steps / STEPS), steps % STEPS);
        steps++;
      }
      isFlushers = true;
    }
  }

  private void step(Lane lane, int step) {
    switch (step) {
      case 0 -> {
        assertThat(lane.tryLease(1)).isTrue();
        lane.announce();
      }
      case 1 -> lsns.add(lane.takeLsn());
      case 2 ->
          lane.begin(
              RedoRecordLayout.KIND_COMMIT, RedoRecordLayout.MIN_LENGTH, 0, lsns.getLast(), 0);
      case 3 -> lane.publish();
      default -> lane.finish();
    }
  }

  @Test
  void whateverHappensBetweenTheLoadsWhatIsStableIsPublished() {
    place(0, 0);
    assertThat(ways).as("ways to have 10 steps before 5 loads, or after").isEqualTo(3003);
    assertThat(stable).as("commits that were stable").isPositive();
  }

  /** Tries all ways to go on with the commits before the loads from one on. */
  private void place(int load, int taken) {
    if (load == LOADS) {
      look();
      return;
    }
    for (int upTo = taken; upTo <= LANES * STEPS; upTo++) {
      before[load] = upTo;
      place(load + 1, upTo);
    }
  }

  private void look() {
    memory.clear();
    lanes.clear();
    lsns.clear();
    Region words = stepped(CommitLanes.wordsLengthBytes(LANES));
    List<Ring> rings = new ArrayList<>();
    for (int p = 0; p < LANES; p++) {
      Region region = stepped(RingLayout.HEADER_LENGTH + RingLayout.MIN_CAPACITY);
      region.setLong(RingLayout.INFLIGHT_OFFSET, RingLayout.IDLE);
      rings.add(new Ring(region, p, RingLayout.MIN_CAPACITY));
      lanes.add(new Lane(words, p, rings.getLast(), 1));
    }
    long[] tails = new long[LANES];
    loads = 0;
    steps = 0;
    isFlushers = true;
    long cut = Flusher.readCut(words, rings, tails);
    isFlushers = false;
    assertThat(loads).as("loads of the flusher").isEqualTo(LOADS);
    for (int i = 0; i < lsns.size(); i++) {
      if (Lsn.dense(lsns.get(i)) <= cut) {
        assertThat(tails[i]).as("tail of the lane of commit %s, with cut %s", i, cut).isPositive();
        stable++;
      }
    }
    ways++;
    memory.forEach(Region::close);
  }
}
