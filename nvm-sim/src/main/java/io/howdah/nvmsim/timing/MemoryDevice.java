package io.howdah.nvmsim.timing;

/**
 * Main memory as the last cache level sees it. Times are picoseconds on the simulation's clock,
 * which never runs backwards; addresses are line indexes (byte address over {@value #LINE_LENGTH}).
 */
public interface MemoryDevice {
  /** Bytes of a line. */
  int LINE_LENGTH = 64;

  /** Words of a line. */
  int LINE_WORDS = LINE_LENGTH / Long.BYTES;

  /** Picoseconds of a nanosecond. */
  long PS_PER_NS = 1000;

  /** Reads a line and returns when its data is there. */
  long read(long nowPs, long line);

  /** Accepts a line to be written and returns when the writer may go on: now, unless it is full. */
  long write(long nowPs, long line);

  /** Returns when every write accepted so far is done; not before now. */
  long drained(long nowPs);
}
