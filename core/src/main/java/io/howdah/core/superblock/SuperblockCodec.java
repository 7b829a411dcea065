package io.howdah.core.superblock;

import static io.howdah.core.layout.SuperblockLayout.*;

import io.howdah.core.StoreId;
import io.howdah.core.layout.Crc32c;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Superblocks to slots and back. */
final class SuperblockCodec {

  private static final int RINGS_NONE = 0;
  private static final int RINGS_VOLATILE_PLACE = 1;
  private static final int RINGS_STORE_DIRECTORY = 2;
  private static final int RINGS_REPLICA = 3;

  private SuperblockCodec() {}

  /** What a slot holds. */
  sealed interface Slot {
    /** A superblock. */
    record Valid(Superblock superblock) implements Slot {}

    /** A superblock of another version of the format, undamaged. */
    record OtherVersion(int version) implements Slot {}

    /** Bytes that never were a superblock. */
    record Foreign() implements Slot {}

    /** What was a superblock, or never became one. */
    record Damaged(int offset, String problem) implements Slot {}
  }

  /** Writes a superblock into a new buffer of one slot's length. */
  static ByteBuffer encode(Superblock superblock) {
    ByteBuffer slot = ByteBuffer.allocateDirect(SLOT_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    Geometry geometry = superblock.geometry();
    CheckpointState checkpoint = superblock.checkpoint();
    slot.putLong(MAGIC_OFFSET, MAGIC)
        .putInt(VERSION_OFFSET, VERSION)
        .putLong(STORE_ID_HIGH_OFFSET, superblock.storeId().high())
        .putLong(STORE_ID_LOW_OFFSET, superblock.storeId().low())
        .putLong(SEQUENCE_OFFSET, superblock.sequence())
        .putLong(CREATED_OFFSET, superblock.createdMs())
        .putInt(PARTITIONS_OFFSET, geometry.partitions())
        .putInt(LOG_SETS_OFFSET, 1)
        .putLong(RING_BYTES_OFFSET, geometry.ringBytes())
        .putLong(MAX_SIZE_OFFSET, geometry.maxSizeBytes())
        .putLong(OREC_COUNT_OFFSET, geometry.orecCount())
        .putInt(OREC_STRIPE_OFFSET, geometry.orecStripeBytes())
        .putInt(PAGE_OFFSET, geometry.pageBytes())
        .putLong(GENERATION_OFFSET, superblock.generation())
        .putLong(BASE_LSN_OFFSET, superblock.baseLsn())
        .putInt(CLEAN_OFFSET, superblock.clean() ? 1 : 0)
        .putLong(CHECKPOINT_OFFSET, checkpoint.sequence())
        .putLong(REPLAY_ABOVE_OFFSET, checkpoint.replayAboveLsn())
        .putLong(IMAGE_LSN_OFFSET, checkpoint.imageLsn())
        .putLong(FALLBACK_OFFSET, checkpoint.fallbackLsn())
        .putInt(PHASE_OFFSET, checkpoint.phase().code())
        .putInt(JOURNAL_AREA_OFFSET, checkpoint.journalArea())
        .putLong(JOURNAL_LENGTH_OFFSET, checkpoint.journalLengthBytes())
        .putInt(JOURNAL_CRC_OFFSET, checkpoint.journalCrc())
        .putInt(CLOSED_COUNT_OFFSET, superblock.closedGenerations().size());
    putRings(slot, superblock.rings());
    int end = putLists(slot, superblock);
    if (end > SLOT_LENGTH) {
      throw new AssertionError("superblock of " + end + " bytes");
    }
    return slot.putInt(CRC_OFFSET, Crc32c.around(slot, CRC_OFFSET, SLOT_LENGTH)).clear();
  }

  /** Reads a slot, of which fewer bytes may be there than there should. */
  static Slot decode(ByteBuffer bytes) {
    ByteBuffer slot = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    long magic = slot.limit() < Long.BYTES ? 0 : slot.getLong(MAGIC_OFFSET);
    if (magic != MAGIC && magic != 0) {
      return new Slot.Foreign();
    }
    if (slot.limit() < SLOT_LENGTH) {
      return new Slot.Damaged(slot.limit(), "the file ends there");
    }
    if (magic == 0) {
      return new Slot.Damaged(MAGIC_OFFSET, "zeros where a superblock should be");
    }
    int expected = slot.getInt(CRC_OFFSET);
    int actual = Crc32c.around(slot, CRC_OFFSET, SLOT_LENGTH);
    if (actual != expected) {
      return new Slot.Damaged(
          CRC_OFFSET,
          "checksum expected 0x"
              + Integer.toHexString(expected)
              + ", actual 0x"
              + Integer.toHexString(actual));
    }
    int version = slot.getInt(VERSION_OFFSET);
    if (version != VERSION) {
      return new Slot.OtherVersion(version);
    }
    try {
      return new Slot.Valid(decodeChecked(slot));
    } catch (IllegalArgumentException e) {
      return new Slot.Damaged(MAGIC_OFFSET, "impossible contents: " + e.getMessage());
    }
  }

  // Every count is checked before it is used; the checksum does not stop who computes it.
  private static Superblock decodeChecked(ByteBuffer slot) {
    Geometry geometry =
        new Geometry(
            slot.getInt(PARTITIONS_OFFSET),
            slot.getLong(RING_BYTES_OFFSET),
            slot.getLong(MAX_SIZE_OFFSET),
            slot.getLong(OREC_COUNT_OFFSET),
            slot.getInt(OREC_STRIPE_OFFSET),
            slot.getInt(PAGE_OFFSET));
    Bounds.require("log sets", slot.getInt(LOG_SETS_OFFSET), 1, 1);
    Bounds.require("clean flag", slot.getInt(CLEAN_OFFSET), 0, 1);
    Bounds.require("reserved bytes", slot.getInt(RESERVED_OFFSET), 0, 0);
    int closedCount = slot.getInt(CLOSED_COUNT_OFFSET);
    Bounds.require("closed generations", closedCount, 0, MAX_CLOSED_GENERATIONS);
    int offset = HEADER_LENGTH;
    LogState log =
        new LogState(
            slot.getLong(offset + SET_OLDEST_SEGMENT_OFFSET),
            slot.getLong(offset + SET_FIRST_SEGMENT_OFFSET),
            slot.getLong(offset + SET_OLDEST_BATCH_OFFSET));
    offset += SET_LENGTH;
    List<ClosedGeneration> closed = new ArrayList<>(closedCount);
    for (int i = 0; i < closedCount; i++) {
      closed.add(getClosed(slot, offset, geometry));
      offset += closedLength(geometry.partitions());
    }
    requireZeros(slot, offset);
    return new Superblock(
        new StoreId(slot.getLong(STORE_ID_HIGH_OFFSET), slot.getLong(STORE_ID_LOW_OFFSET)),
        slot.getLong(CREATED_OFFSET),
        geometry,
        slot.getLong(SEQUENCE_OFFSET),
        slot.getLong(GENERATION_OFFSET),
        slot.getLong(BASE_LSN_OFFSET),
        slot.getInt(CLEAN_OFFSET) == 1,
        getRings(slot),
        log,
        new CheckpointState(
            slot.getLong(CHECKPOINT_OFFSET),
            slot.getLong(REPLAY_ABOVE_OFFSET),
            slot.getLong(IMAGE_LSN_OFFSET),
            slot.getLong(FALLBACK_OFFSET),
            CheckpointState.Phase.of(slot.getInt(PHASE_OFFSET)),
            slot.getInt(JOURNAL_AREA_OFFSET),
            slot.getLong(JOURNAL_LENGTH_OFFSET),
            slot.getInt(JOURNAL_CRC_OFFSET)),
        closed);
  }

  // No switch over the types: its first use takes a new JVM 3 ms, and each opening comes here.
  private static void putRings(ByteBuffer slot, RingPlacement rings) {
    slot.putInt(RING_KIND_OFFSET, kind(rings)).putLong(RING_NONCE_OFFSET, rings.nonce());
    if (rings instanceof RingPlacement.VolatilePlace place) {
      byte[] bytes = place.name().getBytes(StandardCharsets.US_ASCII);
      slot.putInt(PLACE_LENGTH_OFFSET, bytes.length).put(PLACE_OFFSET, bytes);
    }
    if (rings instanceof RingPlacement.Replica replica) {
      slot.putInt(PLACE_LENGTH_OFFSET, REPLICA_LENGTH)
          .putLong(REPLICA_TERM_OFFSET, replica.term())
          .putLong(REPLICA_INDEX_OFFSET, replica.index())
          .putLong(REPLICA_EPOCH_OFFSET, replica.epoch())
          .putLong(REPLICA_SEQUENCE_OFFSET, replica.sequence())
          .putLong(REPLICA_CUT_OFFSET, replica.cut())
          .putInt(REPLICA_CRC_OFFSET, replica.crc());
    }
  }

  private static int kind(RingPlacement rings) {
    if (rings instanceof RingPlacement.VolatilePlace) {
      return RINGS_VOLATILE_PLACE;
    }
    if (rings instanceof RingPlacement.Replica) {
      return RINGS_REPLICA;
    }
    return rings instanceof RingPlacement.StoreDirectory ? RINGS_STORE_DIRECTORY : RINGS_NONE;
  }

  private static RingPlacement getRings(ByteBuffer slot) {
    long nonce = slot.getLong(RING_NONCE_OFFSET);
    int length = slot.getInt(PLACE_LENGTH_OFFSET);
    Bounds.require("length of the volatile place's name", length, 0, MAX_PLACE_LENGTH);
    for (int i = PLACE_OFFSET + length; i < PLACE_OFFSET + MAX_PLACE_LENGTH; i++) {
      Bounds.require("padding of the volatile place's name", slot.get(i), 0, 0);
    }
    int kind = slot.getInt(RING_KIND_OFFSET);
    if (kind == RINGS_REPLICA) {
      Bounds.require("length of a replica's place", length, REPLICA_LENGTH, REPLICA_LENGTH);
    } else if (kind != RINGS_VOLATILE_PLACE) {
      Bounds.require("length of the name of no volatile place", length, 0, 0);
    }
    return switch (kind) {
      case RINGS_NONE -> new RingPlacement.None(nonce);
      case RINGS_STORE_DIRECTORY -> new RingPlacement.StoreDirectory(nonce);
      case RINGS_VOLATILE_PLACE -> {
        byte[] name = new byte[length];
        slot.get(PLACE_OFFSET, name);
        yield new RingPlacement.VolatilePlace(new String(name, StandardCharsets.ISO_8859_1), nonce);
      }
      case RINGS_REPLICA ->
          new RingPlacement.Replica(
              slot.getLong(REPLICA_TERM_OFFSET),
              slot.getLong(REPLICA_INDEX_OFFSET),
              slot.getLong(REPLICA_EPOCH_OFFSET),
              nonce,
              slot.getLong(REPLICA_SEQUENCE_OFFSET),
              slot.getInt(REPLICA_CRC_OFFSET),
              slot.getLong(REPLICA_CUT_OFFSET));
      default -> throw new IllegalArgumentException("unknown place of the rings " + kind);
    };
  }

  private static int putLists(ByteBuffer slot, Superblock superblock) {
    int offset = HEADER_LENGTH;
    LogState log = superblock.log();
    slot.putLong(offset + SET_OLDEST_SEGMENT_OFFSET, log.oldestSegment())
        .putLong(offset + SET_FIRST_SEGMENT_OFFSET, log.firstSegment())
        .putLong(offset + SET_OLDEST_BATCH_OFFSET, log.oldestBatch());
    offset += SET_LENGTH;
    for (ClosedGeneration closed : superblock.closedGenerations()) {
      slot.putLong(offset + CLOSED_GENERATION_OFFSET, closed.generation())
          .putLong(offset + CLOSED_BASE_LSN_OFFSET, closed.baseLsn())
          .putLong(offset + CLOSED_CUT_OFFSET, closed.cut())
          .putLong(offset + CLOSED_LAST_BATCH_OFFSET, closed.lastBatch());
      offset = putWords(slot, offset + CLOSED_SURVIVOR_ENDS_OFFSET, closed.survivorEnds());
    }
    return offset;
  }

  private static int putWords(ByteBuffer slot, int offset, List<Long> words) {
    for (int i = 0; i < words.size(); i++) {
      slot.putLong(offset + i * Long.BYTES, words.get(i));
    }
    return offset + words.size() * Long.BYTES;
  }

  private static List<Long> getWords(ByteBuffer slot, int offset, int count) {
    List<Long> words = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      words.add(slot.getLong(offset + i * Long.BYTES));
    }
    return words;
  }

  private static ClosedGeneration getClosed(ByteBuffer slot, int offset, Geometry geometry) {
    return new ClosedGeneration(
        slot.getLong(offset + CLOSED_GENERATION_OFFSET),
        slot.getLong(offset + CLOSED_BASE_LSN_OFFSET),
        slot.getLong(offset + CLOSED_CUT_OFFSET),
        slot.getLong(offset + CLOSED_LAST_BATCH_OFFSET),
        getWords(slot, offset + CLOSED_SURVIVOR_ENDS_OFFSET, geometry.partitions()));
  }

  // The bytes are zeros if the first one is and each one is like the one after it. As a loop this
  // would be the longest one of an opening, which a new JVM interprets.
  private static void requireZeros(ByteBuffer slot, int from) {
    // An opening does this before anything is compiled: a step for each byte of an array takes the
    // interpreter less time than a step for each word of a buffer.
    byte[] rest = new byte[SLOT_LENGTH - from];
    slot.get(from, rest);
    for (int i = 0; i < rest.length; i++) {
      if (rest[i] != 0) {
        throw new IllegalArgumentException(
            "byte " + (from + i) + ", beyond the lists, is not zero");
      }
    }
  }
}
