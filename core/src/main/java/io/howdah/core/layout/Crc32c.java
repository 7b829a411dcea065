package io.howdah.core.layout;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The checksum of headers, batches and the superblock: CRC-32C, which processors compute. */
public final class Crc32c {

  private Crc32c() {}

  /** Returns the checksum of the bytes [from, to) of a buffer, whatever its position and limit. */
  public static int of(ByteBuffer buffer, int from, int to) {
    CRC32C crc = new CRC32C();
    update(crc, buffer, from, to);
    return (int) crc.getValue();
  }

  /**
   * Returns the checksum of the bytes [0, length) of a buffer but for the four at {@code
   * crcOffset}, where the checksum itself is kept.
   */
  public static int around(ByteBuffer buffer, int crcOffset, int length) {
    return around(buffer, 0, crcOffset, length);
  }

  /**
   * Returns the checksum of the {@code length} bytes from an index on but for the four at {@code
   * crcOffset} behind that index, where the checksum itself is kept.
   */
  public static int around(ByteBuffer buffer, int from, int crcOffset, int length) {
    CRC32C crc = new CRC32C();
    update(crc, buffer, from, from + crcOffset);
    update(crc, buffer, from + crcOffset + Integer.BYTES, from + length);
    return (int) crc.getValue();
  }

  private static void update(CRC32C crc, ByteBuffer buffer, int from, int to) {
    crc.update(buffer.duplicate().clear().position(from).limit(to).slice());
  }
}
