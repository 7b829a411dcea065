package io.howdah.replica.log;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.Crc32c;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An entry of a replica group's log ({@link EntryLayout}).
 *
 * <p>Epoch and nonce name one life of a leader. The nonce is random, so that two nodes that begin
 * the same epoch differ.
 */
public sealed interface Entry {

  /** Returns the number of the leader's epoch. */
  long epoch();

  /** Returns the nonce of the epoch. */
  long nonce();

  /**
   * Begins an epoch.
   *
   * @param previous the end of the log as the proposer knows it; the entry counts only if that is
   *     the end
   */
  record Epoch(long epoch, long nonce, ChainEnd previous) implements Entry {}

  /**
   * Records of commits.
   *
   * @param bytes the batch, from position to limit, little-endian
   */
  record Batch(long epoch, long nonce, ByteBuffer bytes) implements Entry {

    long sequence() {
      return bytes.getLong(bytes.position() + BatchLayout.SEQUENCE_OFFSET);
    }

    long cut() {
      return bytes.getLong(bytes.position() + BatchLayout.CUT_OFFSET);
    }

    int previousCrc() {
      return bytes.getInt(bytes.position() + BatchLayout.PREVIOUS_CRC_OFFSET);
    }

    int crc() {
      return bytes.getInt(bytes.position() + BatchLayout.CRC_OFFSET);
    }
  }

  /**
   * Changes nothing. It tells its proposer that everything committed before it has been handed
   * over.
   */
  record Barrier(long epoch, long nonce, long number) implements Entry {}

  /**
   * Returns the entry that starts at a buffer's position and ends at its limit.
   *
   * @param bytes its order is little-endian afterwards
   * @param place of the entry, for errors
   * @throws CorruptStoreException if the bytes are damaged, or of another store
   * @throws UnsupportedStoreException if they are of a newer format
   */
  static Entry read(ByteBuffer bytes, StoreId store, String place) {
    bytes.order(ByteOrder.LITTLE_ENDIAN);
    int at = bytes.position();
    int length = bytes.remaining();
    if (length < EntryLayout.HEADER_LENGTH
        || length > EntryLayout.MAX_LENGTH
        || bytes.getLong(at + EntryLayout.MAGIC_OFFSET) != EntryLayout.MAGIC) {
      throw new CorruptStoreException(place, 0, "no entry of a replica group's log starts here");
    }
    if (bytes.getInt(at + EntryLayout.VERSION_OFFSET) != EntryLayout.VERSION) {
      throw new UnsupportedStoreException(
          place
              + " has version "
              + bytes.getInt(at + EntryLayout.VERSION_OFFSET)
              + "; upgrade this node");
    }
    int kind = bytes.getInt(at + EntryLayout.KIND_OFFSET);
    int payload = length - EntryLayout.HEADER_LENGTH;
    int checked = kind == EntryLayout.KIND_BATCH ? EntryLayout.HEADER_LENGTH : length;
    if (bytes.getInt(at + EntryLayout.PAYLOAD_LENGTH_OFFSET) != payload
        || bytes.getInt(at + EntryLayout.CRC_OFFSET)
            != Crc32c.around(bytes, at, EntryLayout.CRC_OFFSET, checked)) {
      throw new CorruptStoreException(place, EntryLayout.CRC_OFFSET, "the entry is damaged");
    }
    StoreId found =
        new StoreId(
            bytes.getLong(at + EntryLayout.STORE_ID_HIGH_OFFSET),
            bytes.getLong(at + EntryLayout.STORE_ID_LOW_OFFSET));
    if (!found.equals(store)) {
      throw new CorruptStoreException(
          place,
          EntryLayout.STORE_ID_HIGH_OFFSET,
          "the entry is of store " + found + ", not of " + store);
    }
    long epoch = bytes.getLong(at + EntryLayout.EPOCH_OFFSET);
    long nonce = bytes.getLong(at + EntryLayout.NONCE_OFFSET);
    if (kind == EntryLayout.KIND_BATCH) {
      return batch(bytes, epoch, nonce, place);
    }
    if (kind == EntryLayout.KIND_EPOCH && payload == EntryLayout.EPOCH_PAYLOAD_LENGTH) {
      return new Epoch(
          epoch,
          nonce,
          new ChainEnd(
              bytes.getLong(at + EntryLayout.PREVIOUS_EPOCH_OFFSET),
              bytes.getLong(at + EntryLayout.PREVIOUS_NONCE_OFFSET),
              bytes.getLong(at + EntryLayout.PREVIOUS_SEQUENCE_OFFSET),
              bytes.getInt(at + EntryLayout.PREVIOUS_CRC_OFFSET),
              bytes.getLong(at + EntryLayout.PREVIOUS_CUT_OFFSET)));
    }
    if (kind == EntryLayout.KIND_BARRIER && payload == EntryLayout.BARRIER_PAYLOAD_LENGTH) {
      return new Barrier(epoch, nonce, bytes.getLong(at + EntryLayout.HEADER_LENGTH));
    }
    throw new UnsupportedStoreException(
        place
            + " has kind "
            + kind
            + " with "
            + payload
            + " bytes, which this release does not know; upgrade this node");
  }

  private static Batch batch(ByteBuffer bytes, long epoch, long nonce, String place) {
    ByteBuffer batch =
        bytes
            .duplicate()
            .position(bytes.position() + EntryLayout.HEADER_LENGTH)
            .slice()
            .order(ByteOrder.LITTLE_ENDIAN);
    if (batch.remaining() < BatchLayout.HEADER_LENGTH
        || batch.getLong(BatchLayout.MAGIC_OFFSET) != BatchLayout.MAGIC
        || batch.getInt(BatchLayout.LENGTH_OFFSET) != batch.remaining()
        || batch.getLong(BatchLayout.GENERATION_OFFSET) != epoch
        || batch.getInt(BatchLayout.CRC_OFFSET)
            != Crc32c.around(batch, BatchLayout.CRC_OFFSET, batch.remaining())) {
      throw new CorruptStoreException(
          place,
          EntryLayout.HEADER_LENGTH,
          "the entry has no batch of its epoch, or a damaged one");
    }
    return new Batch(epoch, nonce, batch);
  }

  /** Returns the bytes of an entry that begins an epoch. */
  static ByteBuffer epoch(StoreId store, long nonce, ChainEnd previous) {
    ByteBuffer bytes =
        header(
            EntryLayout.KIND_EPOCH,
            store,
            previous.epoch() + 1,
            nonce,
            EntryLayout.EPOCH_PAYLOAD_LENGTH);
    bytes
        .putLong(EntryLayout.PREVIOUS_EPOCH_OFFSET, previous.epoch())
        .putLong(EntryLayout.PREVIOUS_NONCE_OFFSET, previous.nonce())
        .putLong(EntryLayout.PREVIOUS_SEQUENCE_OFFSET, previous.sequence())
        .putInt(EntryLayout.PREVIOUS_CRC_OFFSET, previous.crc())
        .putLong(EntryLayout.PREVIOUS_CUT_OFFSET, previous.cut());
    return sealed(bytes, bytes.capacity());
  }

  /** Returns the bytes of an entry that has a batch. */
  static ByteBuffer batch(StoreId store, long epoch, long nonce, ByteBuffer batch) {
    ByteBuffer bytes = header(EntryLayout.KIND_BATCH, store, epoch, nonce, batch.remaining());
    bytes.put(EntryLayout.HEADER_LENGTH, batch, batch.position(), batch.remaining());
    return sealed(bytes, EntryLayout.HEADER_LENGTH);
  }

  /** Returns the bytes of a barrier. */
  static ByteBuffer barrier(StoreId store, long epoch, long nonce, long number) {
    ByteBuffer bytes =
        header(EntryLayout.KIND_BARRIER, store, epoch, nonce, EntryLayout.BARRIER_PAYLOAD_LENGTH);
    bytes.putLong(EntryLayout.HEADER_LENGTH, number);
    return sealed(bytes, bytes.capacity());
  }

  private static ByteBuffer header(
      int kind, StoreId store, long epoch, long nonce, int payloadLength) {
    return ByteBuffer.allocate(EntryLayout.HEADER_LENGTH + payloadLength)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(EntryLayout.MAGIC_OFFSET, EntryLayout.MAGIC)
        .putInt(EntryLayout.VERSION_OFFSET, EntryLayout.VERSION)
        .putInt(EntryLayout.KIND_OFFSET, kind)
        .putLong(EntryLayout.STORE_ID_HIGH_OFFSET, store.high())
        .putLong(EntryLayout.STORE_ID_LOW_OFFSET, store.low())
        .putLong(EntryLayout.EPOCH_OFFSET, epoch)
        .putLong(EntryLayout.NONCE_OFFSET, nonce)
        .putInt(EntryLayout.PAYLOAD_LENGTH_OFFSET, payloadLength);
  }

  private static ByteBuffer sealed(ByteBuffer bytes, int checked) {
    return bytes.putInt(
        EntryLayout.CRC_OFFSET, Crc32c.around(bytes, EntryLayout.CRC_OFFSET, checked));
  }
}
