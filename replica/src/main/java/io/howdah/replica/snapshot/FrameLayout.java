package io.howdah.replica.snapshot;

import io.howdah.core.layout.SuperblockLayout;

/**
 * A frame of a snapshot's stream, little-endian, format version 1.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic        | kind         |
 *    8 | address                     |  of the first page; of BEGIN and END: the end of the image
 *   16 | length       | crc32c       |  length: of the payload; crc32c: over [0, 20), [24, 32) and
 *   24 | number                      |  the payload; number: of the frame, from 0
 *   32 | payload ...
 * </pre>
 *
 * <p>The first frame is BEGIN, the last one END; their payload is a slot of the superblock before
 * and after the pages were read. PAGES between them have whole pages that are not zeros, with
 * ascending addresses.
 */
final class FrameLayout {

  static final int MAGIC_OFFSET = 0;
  static final int KIND_OFFSET = 4;
  static final int ADDRESS_OFFSET = 8;
  static final int LENGTH_OFFSET = 16;
  static final int CRC_OFFSET = 20;
  static final int NUMBER_OFFSET = 24;
  static final int HEADER_LENGTH = 32;

  /** The version is in the magic: {@code HWS1}. */
  static final int MAGIC = 0x31535748;

  static final int KIND_BEGIN = 1;
  static final int KIND_PAGES = 2;
  static final int KIND_END = 3;

  /** Maximum length of a payload; that of a superblock is shorter. */
  static final int MAX_PAYLOAD_LENGTH = 1 << 18;

  static {
    assert SuperblockLayout.SLOT_LENGTH <= MAX_PAYLOAD_LENGTH;
  }

  private FrameLayout() {}
}
