package io.howdah.nvmsim.timing.machine;

import io.howdah.nvmsim.timing.HierarchyGeometry;
import io.howdah.nvmsim.timing.MemoryDevice;
import java.util.Arrays;

/**
 * Three write-back, write-allocate, inclusive cache levels over a memory device. Only tags are
 * kept; contents are the caller's.
 *
 * <p>The last level may hold several copies of a line: the newest, which lookups find, and older
 * ones that a {@linkplain #keepOlder protocol keeps}. L1 and L2 hold newest copies only; an older
 * copy is moved to the last level at no cost, in the shadow of the store that made it old.
 */
public final class CacheHierarchy {
  /** A last-level line that belongs to nobody. */
  public static final int NO_OWNER = -1;

  /** A line that is not in the last level. */
  public static final int ABSENT = -1;

  private static final long OLDER = 1L << 62;

  private final Cache l1;
  private final Cache l2;
  private final Cache llc;
  private final int[] owners;
  private final int[] permits;
  private final MemoryDevice memory;
  private final VictimHandler victims;
  private long misses;

  public CacheHierarchy(HierarchyGeometry geometry, MemoryDevice memory, VictimHandler victims) {
    l1 = new Cache(geometry.l1(), false);
    l2 = new Cache(geometry.l2(), false);
    llc = new Cache(geometry.llc(), true);
    owners = new int[llc.tags.length];
    Arrays.fill(owners, NO_OWNER);
    permits = new int[l1.tags.length];
    this.memory = memory;
    this.victims = victims;
  }

  /** Accesses that went to memory. */
  public long misses() {
    return misses;
  }

  /** Brings a line into L1, and returns when it is there. A write marks it dirty. */
  public long access(long nowPs, long line, boolean write) {
    Cache level = l1;
    int way = level.find(line);
    long now = nowPs;
    if (way == Cache.NOT_FOUND) {
      now = missInL1(nowPs, line);
      way = level.find(line);
    } else {
      level.touch(way);
    }
    if (write) {
      level.dirty[way] = true;
    }
    return now;
  }

  /**
   * Whether the line is in L1 with this permit: a protocol's note that it has seen a store to it. A
   * hit counts as a store. Permits are positive and vanish with the line.
   */
  public boolean storeHit(long line, int permit) {
    int way = l1.find(line);
    if (way == Cache.NOT_FOUND || permits[way] != permit) {
      return false;
    }
    l1.touch(way);
    return true;
  }

  /** Gives a permit to a line that is in L1. */
  public void permit(long line, int permit) {
    permits[l1.find(line)] = permit;
  }

  private long missInL1(long nowPs, long line) {
    long now = nowPs + l2.latencyPs;
    int way = l2.find(line);
    if (way != Cache.NOT_FOUND) {
      l2.touch(way);
    } else {
      now = missInL2(now, line);
    }
    int victim = l1.victim(line);
    if (l1.tags[victim] != Cache.EMPTY && l1.dirty[victim]) {
      l2.dirty[l2.find(l1.tags[victim])] = true;
    }
    l1.fill(victim, line);
    permits[victim] = 0;
    return now;
  }

  private long missInL2(long nowPs, long line) {
    long now = nowPs + llc.latencyPs;
    int way = llc.find(line);
    if (way != Cache.NOT_FOUND) {
      llc.touch(way);
    } else {
      misses++;
      now = memory.read(now, victims.memoryLine(line));
      way = makeRoom(line);
      now = evict(now, way);
      llc.fill(way, line);
      owners[way] = victims.ownerOf(line);
    }
    int victim = l2.victim(line);
    long leaving = l2.tags[victim];
    if (leaving != Cache.EMPTY) {
      boolean changedAbove = drop(l1, leaving);
      if (changedAbove || l2.dirty[victim]) {
        llc.dirty[llc.find(leaving)] = true;
      }
    }
    l2.fill(victim, line);
    return now;
  }

  /** The way a line that comes in takes: if owned lines are pinned, one without an owner. */
  private int makeRoom(long line) {
    int way = llc.victim(line);
    if (llc.tags[way] == Cache.EMPTY || owners[way] == NO_OWNER || !victims.pinsOwned()) {
      return way;
    }
    int free = oldestWithoutOwner(line);
    return free == ABSENT ? way : free;
  }

  private int oldestWithoutOwner(long line) {
    int first = llc.firstWay(line);
    int found = ABSENT;
    for (int way = first; way < first + llc.ways; way++) {
      if (llc.tags[way] == Cache.EMPTY) {
        return way;
      }
      if (owners[way] == NO_OWNER && (found == ABSENT || llc.older(way, found))) {
        found = way;
      }
    }
    return found;
  }

  private static boolean drop(Cache level, long line) {
    int way = level.find(line);
    if (way == Cache.NOT_FOUND) {
      return false;
    }
    boolean changed = level.dirty[way];
    level.clear(way);
    return changed;
  }

  private long evict(long nowPs, int way) {
    long tag = llc.tags[way];
    if (tag == Cache.EMPTY) {
      return nowPs;
    }
    int owner = owners[way];
    boolean changed = llc.dirty[way];
    llc.clear(way);
    owners[way] = NO_OWNER;
    if ((tag & OLDER) != 0) {
      return victims.evictedOlder(nowPs, tag & ~OLDER, owner);
    }
    changed |= drop(l2, tag);
    changed |= drop(l1, tag);
    return victims.evicted(nowPs, tag, changed, owner);
  }

  /** The last-level place of the newest copy, or {@link #ABSENT}. Stays until the line leaves. */
  public int find(long line) {
    return llc.find(line);
  }

  public int owner(long line) {
    int way = llc.find(line);
    return way == Cache.NOT_FOUND ? NO_OWNER : owners[way];
  }

  /** Gives the newest copy, which must be present, to an owner. */
  public void own(long line, int owner) {
    owners[llc.find(line)] = owner;
  }

  /** Takes the owner from the newest copy, if the line is present. */
  public void disown(long line) {
    int way = llc.find(line);
    if (way != Cache.NOT_FOUND) {
      owners[way] = NO_OWNER;
    }
  }

  /** Whether any level changed the line since it came or was {@linkplain #clean cleaned}. */
  public boolean isDirty(long line) {
    return isDirtyAboveLastLevel(line) || isDirty(llc, line);
  }

  /** Whether L1 or L2 changed the line. */
  public boolean isDirtyAboveLastLevel(long line) {
    return isDirty(l1, line) || isDirty(l2, line);
  }

  private static boolean isDirty(Cache level, long line) {
    int way = level.find(line);
    return way != Cache.NOT_FOUND && level.dirty[way];
  }

  /** Marks the line as equal to memory, where present. */
  public void clean(long line) {
    clean(l1, line);
    clean(l2, line);
    clean(llc, line);
  }

  /** Moves a change of the line from L1 and L2 to the last level; the line stays everywhere. */
  public void writeBackToLastLevel(long line) {
    clean(l1, line);
    clean(l2, line);
    llc.dirty[llc.find(line)] = true;
  }

  private static void clean(Cache level, long line) {
    int way = level.find(line);
    if (way != Cache.NOT_FOUND) {
      level.dirty[way] = false;
    }
  }

  /** Forgets the line in every level, without writing it anywhere. */
  public void discard(long line) {
    drop(l1, line);
    drop(l2, line);
    int way = llc.find(line);
    if (way != Cache.NOT_FOUND) {
      llc.clear(way);
      owners[way] = NO_OWNER;
    }
  }

  /**
   * Keeps a copy of a present line under its present owner, as the older one; the newest copy is
   * without an owner then. Room comes from lines without an owner. If all lines of the set are
   * owned, the oldest copy of this line leaves, which may be this one itself (version overflow).
   *
   * @return when the store that made the copy old may go on
   */
  public long keepOlder(long nowPs, long line) {
    int newest = llc.find(line);
    int owner = owners[newest];
    owners[newest] = NO_OWNER;
    llc.touch(newest);
    int way = placeForOlder(line, newest);
    if (way == ABSENT) {
      return victims.evictedOlder(nowPs, line, owner);
    }
    long now = evict(nowPs, way);
    llc.fill(way, line | OLDER);
    owners[way] = owner;
    return now;
  }

  private int placeForOlder(long line, int newest) {
    int first = llc.firstWay(line);
    int free = ABSENT;
    int olderCopy = ABSENT;
    for (int way = first; way < first + llc.ways; way++) {
      if (way == newest) {
        continue;
      }
      if (llc.tags[way] == Cache.EMPTY) {
        return way;
      }
      if (owners[way] == NO_OWNER) {
        free = oldest(free, way);
      } else if (llc.tags[way] == (line | OLDER)) {
        olderCopy = olderCopy == ABSENT || owners[way] < owners[olderCopy] ? way : olderCopy;
      }
    }
    return free != ABSENT ? free : olderCopy;
  }

  private int oldest(int found, int way) {
    return found == ABSENT || llc.older(way, found) ? way : found;
  }

  /** Drops the older copy of a line that this owner has, if it is still there. */
  public void dropOlder(long line, int owner) {
    int first = llc.firstWay(line);
    for (int way = first; way < first + llc.ways; way++) {
      if (llc.tags[way] == (line | OLDER) && owners[way] == owner) {
        llc.clear(way);
        owners[way] = NO_OWNER;
        return;
      }
    }
  }

  /**
   * Makes an older copy the newest again, changed and under a new owner. The newest must be gone.
   *
   * @return whether the copy was still there
   */
  public boolean restoreOlder(long line, int owner, int newOwner) {
    int first = llc.firstWay(line);
    for (int way = first; way < first + llc.ways; way++) {
      if (llc.tags[way] == (line | OLDER) && owners[way] == owner) {
        llc.tags[way] = line;
        llc.dirty[way] = true;
        owners[way] = newOwner;
        return true;
      }
    }
    return false;
  }
}
