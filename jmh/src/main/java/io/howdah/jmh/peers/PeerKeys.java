package io.howdah.jmh.peers;

/** The keys that a run uses. Both kinds sort as the numbers do that they are made of. */
public enum PeerKeys {
  /** Numbers of 64 bits. */
  LONG(Long.BYTES),
  /** The word {@code user} and 16 hexadecimal digits: strings in each store that has such. */
  STRING(20);

  private final int bytes;

  PeerKeys(int bytes) {
    this.bytes = bytes;
  }

  /** Returns the length of a key in bytes; a character of a string counts as one. */
  public int bytes() {
    return bytes;
  }
}
