package io.howdah.nvmsim.thynvm.system;

import io.howdah.nvmsim.timing.CacheGeometry;
import io.howdah.nvmsim.timing.HierarchyGeometry;
import io.howdah.nvmsim.timing.MemoryDevice;
import io.howdah.nvmsim.timing.machine.CacheHierarchy;
import io.howdah.nvmsim.timing.machine.VictimHandler;
import io.howdah.nvmsim.workload.AccessSink;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An in-order core of 3 GHz with the caches of Table 2, over a memory system. Each instruction is
 * fetched through L1, so it takes its 4 cycles and one more; a load or store adds the access.
 */
public final class Core implements AccessSink {
  /** Cycles of an instruction that accesses no data. */
  public static final int CYCLES_PER_INSTRUCTION = 5;

  /** A cycle of 3 GHz. */
  public static final long CYCLE_PS = 333;

  private static final long INSTRUCTION_PS = CYCLES_PER_INSTRUCTION * CYCLE_PS;
  private static final int BLOCK_SHIFT = 6;

  /** What L1 takes, of every load and store. */
  private static final long L1_PS = 4 * CYCLE_PS;

  private final MemorySystem memory;
  private final CacheHierarchy caches;
  private long now;
  private long instructions;
  private long accesses;
  private long requests;
  private long operations;
  private long startPs;
  private long startInstructions;
  private long startAccesses;
  private SystemStats startStats;

  /** Lines changed since the last flush, some of them evicted since. Null: no flush is modelled. */
  private long @Nullable [] changed;

  private int changes;

  /** When the memory system is to be asked next whether its epoch has lasted its time. */
  private long asksAt;

  /** Of lines in L1 known to be changed and noted; another one after each flush. */
  private int permit = 1;

  /** Creates a core; with {@code dataFlush} checkpoints flush its caches. */
  public Core(MemorySystem memory, boolean dataFlush) {
    this.memory = memory;
    if (dataFlush) {
      changed = new long[1 << 12];
      memory.attach(this::flush);
    }
    startStats = memory.stats();
    asksAt = memory.epochEnds();
    caches = new CacheHierarchy(paperCaches(), new Device(), new Victims());
  }

  /** L1 32 KB, L2 256 KB, L3 2 MB; 4, 12 and 28 cycles. The core counts those of L1 itself. */
  private static HierarchyGeometry paperCaches() {
    return new HierarchyGeometry(
        new CacheGeometry("L1", 32 << 10, 8, 1),
        new CacheGeometry("L2", 256 << 10, 8, 4),
        new CacheGeometry("L3", 2 << 20, 16, 9));
  }

  @Override
  public void work(int count) {
    instructions += count;
    now += count * INSTRUCTION_PS;
    endDueEpoch();
  }

  private void endDueEpoch() {
    if (now >= asksAt) {
      now = memory.endDueEpoch(now);
      asksAt = Math.max(now + 1, memory.epochEnds());
    }
  }

  @Override
  public void load(long address) {
    access(address, false);
  }

  @Override
  public void store(long address) {
    if (changed == null) {
      access(address, true);
      return;
    }
    long line = address >>> BLOCK_SHIFT;
    if (caches.storeHit(line, permit)) {
      instructions++;
      accesses++;
      now += INSTRUCTION_PS + L1_PS;
      endDueEpoch();
      return;
    }
    if (!caches.isDirty(line)) {
      now = memory.lineChanges(now, line);
      note(line);
    }
    int before = permit;
    access(address, true);
    if (permit == before) {
      caches.permit(line, permit);
    } else if (caches.isDirty(line)) {
      // The epoch ended while the line came, and its flush found it unchanged.
      note(line);
      now = memory.lineChanges(now, line);
    }
  }

  /** The next flush writes the line back if it is changed then. */
  private void note(long line) {
    long[] lines = changed;
    if (lines == null) {
      return;
    }
    if (changes == lines.length) {
      lines = Arrays.copyOf(lines, 2 * changes);
      changed = lines;
    }
    lines[changes++] = line;
  }

  private long flush(long nowPs) {
    long[] lines = changed;
    if (lines == null) {
      return nowPs;
    }
    int count = changes;
    changes = 0;
    permit++;
    long time = nowPs;
    for (int i = 0; i < count; i++) {
      if (caches.isDirty(lines[i])) {
        caches.clean(lines[i]);
        requests++;
        time = memory.writeBack(time, lines[i]);
      }
    }
    return time;
  }

  private void access(long address, boolean write) {
    instructions++;
    accesses++;
    now = caches.access(now + INSTRUCTION_PS + L1_PS, address >>> BLOCK_SHIFT, write);
    endDueEpoch();
  }

  /** The instruction of §6 that ends the epoch. */
  public void persistNow() {
    instructions++;
    now = memory.persistNow(now);
  }

  /** Says how many requests of its user the program served since the warm-up. */
  public void countRequests(long served) {
    operations = served;
  }

  /** Writes a changed line back without waiting for it; it stays, clean. */
  public void writeBackLine(long address) {
    instructions++;
    now += INSTRUCTION_PS;
    long line = address >>> BLOCK_SHIFT;
    if (caches.isDirty(line)) {
      caches.clean(line);
      permit++;
      requests++;
      now = memory.writeBack(now, line);
    }
  }

  /** Waits. */
  public void pause(long ns) {
    now += ns * MemoryDevice.PS_PER_NS;
    endDueEpoch();
  }

  /** What happened so far was the warm-up. */
  public void beginMeasurement() {
    startPs = now;
    startInstructions = instructions;
    startAccesses = accesses;
    startStats = memory.stats();
  }

  public CoreResult result() {
    return new CoreResult(
        now - startPs,
        instructions - startInstructions,
        accesses - startAccesses,
        requests,
        operations,
        memory.stats().since(startStats));
  }

  private final class Device implements MemoryDevice {
    @Override
    public long read(long nowPs, long line) {
      requests++;
      return memory.read(nowPs, line);
    }

    @Override
    public long write(long nowPs, long line) {
      requests++;
      return memory.writeBack(nowPs, line);
    }

    @Override
    public long drained(long nowPs) {
      return nowPs;
    }
  }

  private final class Victims implements VictimHandler {
    @Override
    public long evicted(long nowPs, long line, boolean dirty, int owner) {
      if (!dirty) {
        return nowPs;
      }
      requests++;
      return memory.writeBack(nowPs, line);
    }

    @Override
    public long evictedOlder(long nowPs, long line, int owner) {
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
      return false;
    }
  }
}
