package io.howdah.nvmsim.thynvm.system;

import static io.howdah.nvmsim.timing.MemoryDevice.PS_PER_NS;

import io.howdah.nvmsim.thynvm.table.LongIndex;

/**
 * Journaling and shadow paging: writes are collected in DRAM, in units of a block or a page, and
 * when the table of units is full, or the epoch has lasted its time, the core waits until all of
 * them are in NVM. The copies take one block after the other, at a row hit each.
 */
public final class StopTheWorld implements MemorySystem {
  private static final int BLOCK_LENGTH = 64;

  /** Bytes of metadata that a unit adds to a checkpoint. */
  private static final int ENTRY_BYTES = 12;

  /** Lines of the caches, so that each may be of a unit of its own. */
  private static final int MAX_CACHED_LINES = 1 << 16;

  private static final long DRAM_BASE = 1L << 40;

  private final MemoryTiming timing;
  private final Banks banks;
  private final LongIndex table;
  private final long epochPs;
  private final int capacity;
  private final int unitShift;
  private final long copiesPerUnit;
  private DirtyLines caches = DirtyLines.NONE;
  private final LongIndex later = new LongIndex(MAX_CACHED_LINES);
  private int used;
  private int laterUsed;
  private boolean flushing;
  private long epochStart;
  private long cpuBlocks;
  private long checkpointBlocks;
  private long checkpoints;
  private long stallPs;

  private StopTheWorld(
      MemoryTiming timing, long epochPs, int capacity, int unitShift, int copiesPerUnit) {
    if (capacity < 1) {
      throw new IllegalArgumentException("a table has at least one entry: " + capacity);
    }
    this.timing = timing;
    this.epochPs = epochPs;
    this.capacity = capacity;
    this.unitShift = unitShift;
    this.copiesPerUnit = copiesPerUnit;
    banks = new Banks(timing, DRAM_BASE);
    table = new LongIndex(capacity);
  }

  /**
   * Collects blocks; a checkpoint writes them to the journal and then in place.
   *
   * @param epochPs longest epoch
   */
  public static StopTheWorld journal(MemoryTiming timing, long epochPs, int blocks) {
    return new StopTheWorld(timing, epochPs, blocks, 0, 2);
  }

  /**
   * Collects pages of 64 blocks; a checkpoint writes each once, elsewhere.
   *
   * @param epochPs longest epoch
   */
  public static StopTheWorld shadow(MemoryTiming timing, long epochPs, int pages) {
    return new StopTheWorld(timing, epochPs, pages, 6, 1);
  }

  private long place(long line) {
    return table.get(line >>> unitShift) == LongIndex.NOT_FOUND ? line : DRAM_BASE + line;
  }

  @Override
  public long read(long nowPs, long line) {
    long now = advance(nowPs);
    return banks.read(now + timing.tableNs() * PS_PER_NS, place(line));
  }

  /** Ends an epoch that has lasted its time: no failure may lose more. */
  private long advance(long nowPs) {
    return !flushing && nowPs - epochStart >= epochPs ? checkpoint(nowPs) : nowPs;
  }

  @Override
  public long epochEnds() {
    return epochPs == Long.MAX_VALUE ? epochPs : epochStart + epochPs;
  }

  @Override
  public long endDueEpoch(long nowPs) {
    return advance(nowPs);
  }

  @Override
  public long writeBack(long nowPs, long line) {
    cpuBlocks++;
    long now = advance(nowPs);
    long unit = line >>> unitShift;
    if (table.get(unit) == LongIndex.NOT_FOUND) {
      if (used == capacity && !flushing) {
        now = checkpoint(now);
      }
      addUnit(unit);
    }
    return banks.write(now, DRAM_BASE + line);
  }

  @Override
  public void attach(DirtyLines lines) {
    caches = lines;
  }

  /**
   * Writes all units to NVM. The caches are flushed first: lines of units in the table join them;
   * what the table has no room for is written behind it, by the same checkpoint.
   */
  private long checkpoint(long nowPs) {
    flushing = true;
    long now = caches.flush(nowPs);
    flushing = false;
    long units = (long) used + laterUsed;
    long bytes = (copiesPerUnit * (BLOCK_LENGTH << unitShift) + ENTRY_BYTES) * units;
    long blocks = bytes / BLOCK_LENGTH;
    now += blocks * timing.moveNs() * PS_PER_NS + timing.tableNs() * PS_PER_NS;
    checkpointBlocks += blocks;
    checkpoints++;
    stallPs += now - nowPs;
    table.clear();
    used = 0;
    later.clear();
    laterUsed = 0;
    epochStart = now;
    return now;
  }

  private void addUnit(long unit) {
    if (used < capacity) {
      table.put(unit, used++);
    } else if (later.get(unit) == LongIndex.NOT_FOUND) {
      later.put(unit, laterUsed++);
    }
  }

  @Override
  public long persistNow(long nowPs) {
    return checkpoint(nowPs);
  }

  @Override
  public SystemStats stats() {
    return new SystemStats(cpuBlocks, checkpointBlocks, 0, 0, checkpoints, stallPs, 0);
  }
}
