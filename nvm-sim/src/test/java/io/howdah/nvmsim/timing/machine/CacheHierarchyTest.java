package io.howdah.nvmsim.timing.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.timing.CacheGeometry;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.timing.HierarchyGeometry;
import io.howdah.nvmsim.timing.MemoryDevice;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CacheHierarchyTest {
  private static final long NS = MemoryDevice.PS_PER_NS;

  /** 2, 4 and 8 lines; the last level has two sets of four. */
  private static final HierarchyGeometry SMALL =
      new HierarchyGeometry(
          new CacheGeometry("L1", 128, 2, 0),
          new CacheGeometry("L2", 256, 4, 7),
          new CacheGeometry("LLC", 512, 4, 12));

  private final List<String> left = new ArrayList<>();
  private boolean pins;

  private final VictimHandler recorder =
      new VictimHandler() {
        @Override
        public long evicted(long nowPs, long line, boolean dirty, int owner) {
          left.add(line + (dirty ? " dirty" : " clean") + " owner " + owner);
          return nowPs;
        }

        @Override
        public long evictedOlder(long nowPs, long line, int owner) {
          left.add(line + " older owner " + owner);
          return nowPs;
        }

        @Override
        public long memoryLine(long line) {
          return line;
        }

        @Override
        public int ownerOf(long line) {
          return CacheHierarchy.NO_OWNER;
        }

        @Override
        public boolean pinsOwned() {
          return pins;
        }
      };

  private final CacheHierarchy caches =
      new CacheHierarchy(SMALL, new BankedMemory(DeviceTiming.fixed(100, 8)), recorder);

  private void load(long line) {
    caches.access(0, line, false);
  }

  @Test
  void eachLevelAddsItsLatency() {
    long miss = (7 + 12 + 100 + 5) * NS;
    assertThat(caches.access(0, 0, false)).isEqualTo(miss);
    assertThat(caches.access(0, 0, false)).as("L1 hit").isZero();
    load(1);
    load(2);
    assertThat(caches.access(0, 0, false)).as("L2 hit").isEqualTo(7 * NS);
    load(4);
    load(6);
    load(3);
    load(5);
    assertThat(caches.access(0, 1, false)).as("last level hit").isEqualTo(19 * NS);
    assertThat(caches.misses()).isEqualTo(7);
  }

  @Test
  void aDirtyLineLeavesDirtyWhicheverLevelHasTheChange() {
    caches.access(0, 0, true);
    // Lines 0, 3, 5, 6, 9 ... share a set: the index folds the upper bits in.
    long same = 0;
    for (long line = 1; left.isEmpty() && line < 64; line++) {
      load(line);
      same = line;
    }
    assertThat(same).isLessThan(63);
    for (long line = 100; left.stream().noneMatch(l -> l.startsWith("0 ")) && line < 164; line++) {
      load(line);
    }
    assertThat(left).contains("0 dirty owner -1");
    assertThat(left.stream().filter(l -> l.contains("dirty"))).hasSize(1);
  }

  @Test
  void theLastLevelIncludesTheOthers() {
    for (long line = 0; line < 200; line++) {
      load(line * 7 % 61);
      for (long present = 0; present < 61; present++) {
        if (caches.find(present) == CacheHierarchy.ABSENT) {
          assertThat(caches.storeHit(present, 0)).as("line %d in L1", present).isFalse();
        }
      }
    }
  }

  @Test
  void anOlderCopyStaysBesideTheNewestUntilItIsDropped() {
    load(0);
    caches.own(0, 7);
    caches.keepOlder(0, 0);
    assertThat(caches.owner(0)).isEqualTo(CacheHierarchy.NO_OWNER);
    caches.own(0, 8);
    caches.discard(0);
    assertThat(caches.restoreOlder(0, 7, 7)).isTrue();
    assertThat(caches.owner(0)).isEqualTo(7);
    caches.keepOlder(0, 0);
    caches.dropOlder(0, 7);
    caches.discard(0);
    assertThat(caches.restoreOlder(0, 7, 7)).isFalse();
    assertThat(left).isEmpty();
  }

  @Test
  void withoutRoomTheOldestCopyOverflows() {
    load(0);
    for (int owner = 0; owner < 5; owner++) {
      caches.own(0, owner);
      caches.keepOlder(0, 0);
    }
    assertThat(left).containsExactly("0 older owner 0", "0 older owner 1");
  }

  @Test
  void pinnedLinesOutliveOthers() {
    pins = true;
    load(0);
    caches.own(0, 3);
    for (long line = 1; line < 200; line++) {
      load(line);
    }
    assertThat(caches.find(0)).isNotEqualTo(CacheHierarchy.ABSENT);
    assertThat(left).noneMatch(l -> l.startsWith("0 "));
  }

  @Test
  void impossibleCachesAreRefused() {
    assertThatThrownBy(() -> new CacheGeometry("L1", 1000, 2, 0))
        .hasMessageContaining("L1: 1000 bytes with 2 ways");
    assertThatThrownBy(() -> new CacheGeometry("L1", 192, 1, 0))
        .hasMessageContaining("power of two");
    assertThatThrownBy(() -> new CacheGeometry("L1", 1024, 0, 0))
        .hasMessageContaining("associativity must be 1 to 64: 0");
    assertThatThrownBy(() -> new CacheGeometry("L1", 1024, 2, -1)).hasMessageContaining("latency");
    assertThatThrownBy(
            () ->
                new HierarchyGeometry(
                    new CacheGeometry("L1", 512, 2, 0),
                    new CacheGeometry("L2", 256, 2, 0),
                    new CacheGeometry("LLC", 1024, 2, 0)))
        .hasMessageContaining("inclusive");
  }
}
