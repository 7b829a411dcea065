package io.howdah.nvmsim.thynvm.system;

/** DRAM or NVM alone that is consistent after a crash by assumption, at no cost. */
public final class IdealMemory implements MemorySystem {
  private final Banks banks;
  private long written;

  public IdealMemory(MemoryTiming timing, boolean dram) {
    banks = new Banks(timing, dram ? 0 : Long.MAX_VALUE);
  }

  @Override
  public long read(long nowPs, long line) {
    return banks.read(nowPs, line);
  }

  @Override
  public long writeBack(long nowPs, long line) {
    written++;
    return banks.write(nowPs, line);
  }

  @Override
  public long persistNow(long nowPs) {
    return nowPs;
  }

  @Override
  public SystemStats stats() {
    return new SystemStats(written, 0, 0, 0, 0, 0, 0);
  }
}
