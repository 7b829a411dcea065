package io.howdah.nvmsim.thynvm.system;

import static io.howdah.nvmsim.timing.MemoryDevice.PS_PER_NS;

import java.util.Arrays;

/**
 * Sixteen banks with rows of 8 KB. A bank first serves reads, then writes that came from the
 * caches, then the controller's own copies. A read pauses a write, which goes on afterwards; it
 * waits for a copy under way alone.
 *
 * <p>All banks share one channel. A block that the core reads or writes takes it first; a block
 * that the controller moves waits for it.
 *
 * <p>Waiting work is kept as time per bank: what a write or copy needs is known when it comes.
 */
final class Banks {
  private static final int BANKS = 16;
  private static final int ROW_BLOCKS_SHIFT = 7;
  private static final int BANK_SHIFT = 4;

  /** Work of the caches' writes that a bank may have before the next one has to wait. */
  private static final int MAX_QUEUED_WRITES = 256;

  private final MemoryTiming timing;
  private final long dramBase;
  private final long[] openRow = new long[BANKS];
  private final long[] knownAt = new long[BANKS];
  private final long[] writes = new long[BANKS];
  private final long[] copies = new long[BANKS];
  private final long writePs;
  private final long movePs;
  private final long maxWrites;
  private final long busPs;
  private long copiesDoneAt;

  /** When the channel has carried the controller's moves, if the core needs it no more. */
  private long channelFreeAt;

  Banks(MemoryTiming timing, long dramBase) {
    this.timing = timing;
    this.dramBase = dramBase;
    Arrays.fill(openRow, -1);
    writePs = timing.nvmWriteNs() * PS_PER_NS;
    movePs = timing.moveNs() * PS_PER_NS;
    busPs = timing.busNs() * PS_PER_NS;
    maxWrites = MAX_QUEUED_WRITES * writePs;
  }

  private int bank(long place) {
    long bits = place >>> ROW_BLOCKS_SHIFT;
    if (timing.hashedBanks()) {
      bits ^= bits >>> (8 * BANK_SHIFT);
      bits ^= bits >>> (4 * BANK_SHIFT);
      bits ^= bits >>> (2 * BANK_SHIFT);
      bits ^= bits >>> BANK_SHIFT;
    }
    return (int) bits & (BANKS - 1);
  }

  private boolean opens(int bank, long place) {
    long row = place >>> (ROW_BLOCKS_SHIFT + BANK_SHIFT);
    boolean closed = openRow[bank] != row;
    openRow[bank] = row;
    return closed;
  }

  /** When a read that comes now has its data. */
  long read(long nowPs, long place) {
    int bank = bank(place);
    catchUp(bank, nowPs);
    long start = nowPs + copyUnderWay(bank);
    boolean opens = opens(bank, place);
    int ns =
        place >= dramBase
            ? opens ? timing.dramMissNs() : timing.dramHitNs()
            : opens ? timing.nvmReadNs() : timing.nvmHitNs();
    long done = start + ns * PS_PER_NS;
    knownAt[bank] = done;
    delayMoves(done);
    return done + busPs;
  }

  /** A block of the core passes the channel; the moves that wait for it come later. */
  private void delayMoves(long nowPs) {
    if (channelFreeAt > nowPs) {
      channelFreeAt += busPs;
    }
  }

  /** When the writer of a block that comes now may go on. */
  long write(long nowPs, long place) {
    int bank = bank(place);
    boolean opens = opens(bank, place);
    long next = nowPs + busPs;
    delayMoves(nowPs);
    if (!timing.writesOccupyBanks()) {
      return next;
    }
    catchUp(bank, nowPs);
    int ns =
        place >= dramBase
            ? opens ? timing.dramMissNs() : timing.dramHitNs()
            : opens ? timing.nvmWriteNs() : timing.nvmHitNs();
    long queued = writes[bank] + Math.max(0, knownAt[bank] - nowPs);
    if (queued > maxWrites) {
      next += queued - maxWrites;
      catchUp(bank, next);
    }
    writes[bank] += ns * PS_PER_NS;
    return next;
  }

  /** Gives the bank of a place a block of the controller's own work. */
  void move(long nowPs, long place) {
    int bank = bank(place);
    catchUp(bank, nowPs);
    copies[bank] += movePs;
    copiesDoneAt =
        Math.max(copiesDoneAt, Math.max(knownAt[bank], nowPs) + writes[bank] + copies[bank]);
    channelFreeAt = Math.max(channelFreeAt, nowPs) + busPs;
  }

  /**
   * When the controller's work will be done if no request comes, at least now; requests that came
   * since it was given may put that off, which is known only when it returns now.
   */
  long movesDone(long nowPs) {
    long known = Math.max(copiesDoneAt, channelFreeAt);
    if (nowPs < known) {
      return known;
    }
    long done = nowPs;
    for (int bank = 0; bank < BANKS; bank++) {
      catchUp(bank, nowPs);
      if (copies[bank] > 0) {
        done = Math.max(done, Math.max(knownAt[bank], nowPs) + writes[bank] + copies[bank]);
      }
    }
    copiesDoneAt = done;
    return done;
  }

  /** What remains of the copy that the bank is busy with. It begins none before its writes. */
  private long copyUnderWay(int bank) {
    if (writes[bank] > 0 || copies[bank] == 0) {
      return 0;
    }
    long rest = (copies[bank] - 1) % movePs + 1;
    copies[bank] -= rest;
    return rest;
  }

  private void catchUp(int bank, long nowPs) {
    long idle = nowPs - knownAt[bank];
    if (idle <= 0) {
      return;
    }
    long written = Math.min(idle, writes[bank]);
    writes[bank] -= written;
    copies[bank] -= Math.min(idle - written, copies[bank]);
    knownAt[bank] = nowPs;
  }
}
