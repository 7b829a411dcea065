package io.howdah.replica.log;

import io.howdah.core.layout.BatchLayout;

/**
 * One entry of a replica group's log. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDENTRY"
 *    8 | version      | kind         |
 *   16 | storeIdHigh                 |
 *   24 | storeIdLow                  |
 *   32 | epoch                       |  of EPOCH: the one that it begins
 *   40 | nonce                       |  of the epoch
 *   48 | payloadLength| reserved = 0 |
 *   56 | reserved = 0 | crc          |  crc32c over bytes [0, 60) and, unless the payload is a batch,
 *      |                             |  over the payload
 *   64 | payload ...
 *
 *  payload of EPOCH: the end of what is before it
 *    0 | epoch                       |
 *    8 | nonce                       |
 *   16 | sequence                    |  of the last batch, 0 if the epoch had none
 *   24 | crc          | reserved = 0 |  of the last batch
 *   32 | cut                         |  of the last batch, dense LSN
 *
 *  payload of BATCH: a batch without padding ({@link BatchLayout}); its generation is the epoch
 *  payload of BARRIER
 *    0 | number                      |
 * </pre>
 */
final class EntryLayout {

  static final long MAGIC = 0x5952_544E_4544_5748L;
  static final int VERSION = 1;

  static final int MAGIC_OFFSET = 0;
  static final int VERSION_OFFSET = 8;
  static final int KIND_OFFSET = 12;
  static final int STORE_ID_HIGH_OFFSET = 16;
  static final int STORE_ID_LOW_OFFSET = 24;
  static final int EPOCH_OFFSET = 32;
  static final int NONCE_OFFSET = 40;
  static final int PAYLOAD_LENGTH_OFFSET = 48;
  static final int RESERVED_OFFSET = 52;
  static final int CRC_OFFSET = 60;
  static final int HEADER_LENGTH = 64;

  static final int PREVIOUS_EPOCH_OFFSET = HEADER_LENGTH;
  static final int PREVIOUS_NONCE_OFFSET = HEADER_LENGTH + 8;
  static final int PREVIOUS_SEQUENCE_OFFSET = HEADER_LENGTH + 16;
  static final int PREVIOUS_CRC_OFFSET = HEADER_LENGTH + 24;
  static final int PREVIOUS_CUT_OFFSET = HEADER_LENGTH + 32;
  static final int EPOCH_PAYLOAD_LENGTH = 40;

  static final int BARRIER_PAYLOAD_LENGTH = 8;

  static final int KIND_EPOCH = 1;
  static final int KIND_BATCH = 2;
  static final int KIND_BARRIER = 3;

  /** Maximum length of an entry. An engine has to take entries of this length. */
  static final int MAX_LENGTH = 2 << 20;

  private EntryLayout() {}
}
