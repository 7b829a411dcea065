package io.howdah.server.protocol.text;

import java.nio.ByteBuffer;

/** Finds the end of a line, eight bytes at a time. */
final class LineFeed {

  private static final long LOW_BITS = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
  private static final long LINE_FEEDS = LOW_BITS * '\n';

  private LineFeed() {}

  /** Returns the index of the first line feed, or the end. */
  static int find(ByteBuffer source, int from, int end) {
    int at = from;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      long zeros = source.getLong(at) ^ LINE_FEEDS; // a line feed became a zero byte
      if (((zeros - LOW_BITS) & ~zeros & HIGH_BITS) != 0) {
        break; // in one of these eight
      }
    }
    while (at < end && source.get(at) != '\n') {
      at++;
    }
    return at;
  }
}
