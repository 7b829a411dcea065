package io.howdah.nvmsim.timing.machine;

import static io.howdah.nvmsim.timing.MemoryDevice.PS_PER_NS;

import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.timing.MemoryDevice;
import java.util.Arrays;

/**
 * Banks behind one bus and one write queue. Lines are dealt to the banks in turn. A write waits in
 * the queue until its bank is idle; a read goes ahead of waiting writes, but not of the one its
 * bank works on. A full queue stops the writer until a bank starts its next write.
 */
public final class BankedMemory implements MemoryDevice {
  private static final long NEVER = Long.MAX_VALUE;

  private final DeviceTiming timing;
  private final int bankMask;
  private final int bankShift;
  private final int capacity;
  private final long busPs;

  private final long[] busyUntil;
  private final long[] openRow;
  private final boolean[] openRowDirty;

  /** Per bank a ring of writes that have not started: when each came, and its line. */
  private final long[] arrival;

  private final long[] queuedLine;
  private final int[] head;
  private final int[] count;
  private int waiting;
  private long busFreeAt;
  private long lastWriteDone;
  private long reads;
  private long writes;

  public BankedMemory(DeviceTiming timing) {
    this.timing = timing;
    int banks = timing.banks();
    bankMask = banks - 1;
    bankShift = Integer.numberOfTrailingZeros(banks);
    capacity = timing.writeQueueLines();
    busPs = timing.busNs() * PS_PER_NS;
    busyUntil = new long[banks];
    openRow = new long[banks];
    Arrays.fill(openRow, -1);
    openRowDirty = new boolean[banks];
    arrival = new long[banks * capacity];
    queuedLine = new long[banks * capacity];
    head = new int[banks];
    count = new int[banks];
  }

  public long reads() {
    return reads;
  }

  public long writes() {
    return writes;
  }

  @Override
  public long read(long nowPs, long line) {
    reads++;
    int bank = (int) line & bankMask;
    catchUp(bank, nowPs);
    return serve(bank, line, Math.max(nowPs, busyUntil[bank]), false) + busPs;
  }

  @Override
  public long write(long nowPs, long line) {
    writes++;
    long now = nowPs;
    if (waiting == capacity) {
      catchUpAll(now);
      if (waiting == capacity) {
        now = nextStart();
        catchUpAll(now + 1);
      }
    }
    int bank = (int) line & bankMask;
    busFreeAt = Math.max(busFreeAt, now) + busPs;
    int slot = bank * capacity + (head[bank] + count[bank]) % capacity;
    arrival[slot] = busFreeAt;
    queuedLine[slot] = line;
    count[bank]++;
    waiting++;
    return now;
  }

  @Override
  public long drained(long nowPs) {
    catchUpAll(NEVER);
    return Math.max(nowPs, lastWriteDone);
  }

  private void catchUpAll(long nowPs) {
    for (int bank = 0; bank <= bankMask; bank++) {
      catchUp(bank, nowPs);
    }
  }

  /** Starts the bank's writes whose turn came before now. */
  private void catchUp(int bank, long nowPs) {
    while (count[bank] > 0) {
      int slot = bank * capacity + head[bank];
      long start = Math.max(busyUntil[bank], arrival[slot]);
      if (start >= nowPs) {
        return;
      }
      lastWriteDone = Math.max(lastWriteDone, serve(bank, queuedLine[slot], start, true));
      head[bank] = head[bank] + 1 == capacity ? 0 : head[bank] + 1;
      count[bank]--;
      waiting--;
    }
  }

  private long nextStart() {
    long first = NEVER;
    for (int bank = 0; bank <= bankMask; bank++) {
      if (count[bank] > 0) {
        first = Math.min(first, Math.max(busyUntil[bank], arrival[bank * capacity + head[bank]]));
      }
    }
    return first;
  }

  private long serve(int bank, long line, long start, boolean write) {
    boolean hit = false;
    boolean closesDirty = false;
    if (timing.rowLines() > 0) {
      long row = (line >>> bankShift) / timing.rowLines();
      hit = openRow[bank] == row;
      if (!hit) {
        closesDirty = openRowDirty[bank];
        openRow[bank] = row;
        openRowDirty[bank] = false;
      }
      openRowDirty[bank] |= write;
    }
    busyUntil[bank] = start + servicePs(write, hit, closesDirty);
    return busyUntil[bank];
  }

  private long servicePs(boolean write, boolean rowHit, boolean openRowDirty) {
    if (rowHit) {
      return timing.rowHitNs() * PS_PER_NS;
    }
    return ((write ? timing.writeNs() : timing.readNs()) + (openRowDirty ? timing.dirtyRowNs() : 0))
        * PS_PER_NS;
  }
}
