package io.howdah.testkit.crash;

/** The piece of a file that a power cut keeps or loses as a whole. */
public enum CrashUnit {
  /** 8 bytes: memory semantics, nothing larger than a word is atomic. */
  WORD(8),
  /** 512 bytes: a block device that writes sectors whole. */
  SECTOR(512),
  /** 4096 bytes: a device and a file system that write pages whole. */
  PAGE(4096);

  private final int bytes;

  CrashUnit(int bytes) {
    this.bytes = bytes;
  }

  /** Returns the size in bytes, a divisor of 4096. */
  public int bytes() {
    return bytes;
  }
}
