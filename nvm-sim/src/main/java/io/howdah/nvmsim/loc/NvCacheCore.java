package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.loc.VersionTable.CACHED;
import static io.howdah.nvmsim.loc.VersionTable.NONE;

import io.howdah.nvmsim.timing.machine.CacheHierarchy;
import org.jspecify.annotations.Nullable;

/**
 * Kiln (Zhao et al., MICRO 2013, as LOC describes it in §II-C and §V-B) and LOC-Kiln: the last
 * cache level is non-volatile and is the log. A window commits when the latest version of each of
 * its lines is there; a mark then makes it valid. Uncommitted lines are pinned; a line whose set
 * has nothing else is spilled to memory and counted as an overflow.
 */
final class NvCacheCore extends TransactionWindowCore {
  private final long spillLine;
  private final @Nullable NvCacheImage image;
  private long lastCommitted;

  /** Committed content of this window's lines is on its way to memory. */
  private boolean cleaned;

  NvCacheCore(CoreConfig config, @Nullable Contents contents, int degree) {
    super(config, contents, degree);
    spillLine = config.logLine();
    image = contents == null ? null : new NvCacheImage(config, contents);
    if (contents != null) {
      nextTxId = NvCacheImage.marked(config, contents) + 1;
    }
  }

  @Override
  boolean pinsOwned() {
    return true;
  }

  /** Durable in the last level, and not yet in memory. */
  @Override
  public void built(long address) {
    nowPs = caches.access(nowPs, line(address), true);
  }

  @Override
  long evicted(long evictedPs, long line, boolean dirty, int owner) {
    if (owner != CacheHierarchy.NO_OWNER) {
      return spill(evictedPs, owner);
    }
    return dirty ? writeBack(evictedPs, line) : evictedPs;
  }

  @Override
  long evictedOlder(long evictedPs, long line, int owner) {
    return spill(evictedPs, owner);
  }

  private long writeBack(long evictedPs, long line) {
    traffic.evictions++;
    return memory.write(evictedPs, line);
  }

  private long spill(long evictedPs, int version) {
    if (versions.state(version) != CACHED) {
      return evictedPs;
    }
    traffic.overflows++;
    traffic.logBlocks++;
    versions.setLogged(version, spillLine + version);
    return memory.write(evictedPs, spillLine + version);
  }

  /**
   * The committed content goes to memory, where it outlives the copy that this window will
   * overwrite: the cache has the new version and memory the old one.
   */
  @Override
  void firstVersion(long line, boolean wasDirty) {
    if (wasDirty) {
      nowPs = writeBack(nowPs, line);
      cleaned = true;
    }
  }

  @Override
  void supersede(int older) {
    if (versions.state(older) == CACHED) {
      nowPs = caches.keepOlder(nowPs, versions.line(older));
    }
  }

  @Override
  void uncovered(long line, int version) {
    if (version != NONE && versions.state(version) == CACHED) {
      caches.restoreOlder(line, version, version);
    }
  }

  @Override
  void completeWindow() {
    long before = nowPs;
    if (cleaned) {
      nowPs = memory.drained(nowPs);
      cleaned = false;
    }
    boolean any = false;
    for (int v = 0; v < versions.count(); v++) {
      long line = versions.line(v);
      if (versions.state(v) == VersionTable.DROPPED) {
        continue;
      }
      if (versions.next(v) != NONE) {
        traffic.coalesced++;
        continue;
      }
      any = true;
      commitLine(v, line);
      if (image != null) {
        image.store(line, txId(versions.slot(v)), versions.words(), versions.wordsOffset(v));
      }
      caches.disown(line);
    }
    if (any) {
      nowPs += pathPs();
      traffic.waits++;
      traffic.waitPs += nowPs - before;
    }
    if (image != null) {
      image.mark(nextTxId - 1);
      image.reported(nextTxId - 1);
    }
    lastCommitted = nextTxId - 1;
  }

  private void commitLine(int version, long line) {
    if (versions.state(version) != CACHED) {
      nowPs = memory.read(nowPs, versions.place(version));
      nowPs = memory.write(nowPs, line);
      traffic.homeWrites++;
      caches.clean(line);
    } else {
      bringDown(line);
    }
  }

  /** What the last level holds is durable there, and stays. */
  @Override
  public void flush() {
    requireNoneOpen();
    if (states.begun() > 0) {
      endWindow();
    }
  }

  @Override
  public long lastCommittedTxId() {
    return lastCommitted;
  }

  /** Lines that the cells of {@link NvCacheImage} take behind the data. */
  static int imageLines(long homeLines) {
    return 1 + (int) homeLines * 2 * NvCacheImage.CELL_LINES;
  }
}
