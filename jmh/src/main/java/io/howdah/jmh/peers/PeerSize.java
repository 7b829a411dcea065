package io.howdah.jmh.peers;

/**
 * How much a store is loaded with.
 *
 * @param entries at least 100
 * @param valueBytes of each value, 1 to 1048576
 * @param keys what the keys are
 */
public record PeerSize(long entries, int valueBytes, PeerKeys keys) {

  private static final int MIN_ENTRIES = 100;
  private static final int MAX_VALUE_BYTES = 1 << 20;

  public PeerSize {
    if (entries < MIN_ENTRIES || valueBytes < 1 || valueBytes > MAX_VALUE_BYTES) {
      throw new IllegalArgumentException(
          "at least 100 entries of 1 to 1048576 bytes: " + entries + ", " + valueBytes);
    }
  }

  /** Returns the bytes of all keys and values. */
  public long bytes() {
    return entries * entryBytes();
  }

  /** Returns the bytes of a key and its value. */
  public long entryBytes() {
    return (long) keys.bytes() + valueBytes;
  }
}
