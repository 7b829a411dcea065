package io.howdah.core.superblock;

import io.howdah.core.layout.Alignment;

/** The checks that the superblock's records share. */
final class Bounds {

  /** Largest dense LSN: the packed word adds eight bits of partition, an orec its lock bit. */
  static final long MAX_LSN = (1L << 54) - 1;

  private Bounds() {}

  static void require(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " " + value + " is not between " + least + " and " + most);
    }
  }

  static void requirePowerOfTwo(String name, long value, long least, long most) {
    require(name, value, least, most);
    if (!Alignment.isPowerOfTwo(value)) {
      throw new IllegalArgumentException(name + " " + value + " is no power of two");
    }
  }

  static void requireLsn(String name, long value) {
    require(name, value, 0, MAX_LSN);
  }

  static void requireCounter(String name, long value, long least) {
    require(name, value, least, Long.MAX_VALUE - 1);
  }
}
