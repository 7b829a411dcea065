package io.howdah.nvmsim.loc;

/** What a core wrote to memory and waited for, in lines and picoseconds. Its core changes it. */
public final class Traffic {
  long logBlocks;
  long logMeta;
  long commitRecords;
  long entryBlocks;
  long headWrites;
  long homeWrites;
  long evictions;
  long coalesced;
  long overflows;
  long waits;
  long waitPs;
  long transactions;
  long instructions;
  long memoryInstructions;

  /** Creates one for a core. */
  Traffic() {}

  /** Data blocks in the log. */
  public long logBlocks() {
    return logBlocks;
  }

  /** META lines. */
  public long logMeta() {
    return logMeta;
  }

  /** All lines written to the log area. */
  public long logLines() {
    return logBlocks + logMeta + commitRecords + entryBlocks + headWrites;
  }

  /** Lines written to home locations because the protocol asked for it. */
  public long homeWrites() {
    return homeWrites;
  }

  /** Dirty lines without an owner that the last cache level evicted. */
  public long evictions() {
    return evictions;
  }

  /** Versions that never reached the log since a later one of their window did. */
  public long coalesced() {
    return coalesced;
  }

  /** Versions that went to the log before their window ended. */
  public long overflows() {
    return overflows;
  }

  public long waits() {
    return waits;
  }

  public long waitPs() {
    return waitPs;
  }

  /** Committed transactions. */
  public long transactions() {
    return transactions;
  }

  public long instructions() {
    return instructions;
  }

  public long memoryInstructions() {
    return memoryInstructions;
  }

  /** All lines written to memory. */
  public long written() {
    return logLines() + homeWrites + evictions;
  }

  void reset() {
    logBlocks = 0;
    logMeta = 0;
    commitRecords = 0;
    entryBlocks = 0;
    headWrites = 0;
    homeWrites = 0;
    evictions = 0;
    coalesced = 0;
    overflows = 0;
    waits = 0;
    waitPs = 0;
    transactions = 0;
    instructions = 0;
    memoryInstructions = 0;
  }
}
