package io.howdah.server.items;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.Tx;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Large values, in chunks, so that no transaction writes more than one chunk. A value has an id
 * that no other value ever had.
 *
 * <p>Pending values are those that no item has: not yet, or no more. A persistent map has them with
 * the number of their chunks. The invariant, at every commit: each chunk belongs to a value that
 * either is pending, with a larger number of chunks than the chunk's index, or is the value of one
 * item; and all chunks of an item's value are there.
 *
 * <ol>
 *   <li>A value is written chunk by chunk. Each transaction adds one chunk, and raises the number
 *       of the pending value.
 *   <li>The transaction that puts the item takes the value from the pending ones.
 *   <li>The transaction that replaces or removes the item makes its value pending again.
 *   <li>A pending value is freed from its last chunk on. Each transaction removes one chunk and
 *       lowers the number; the last one removes the pending value.
 * </ol>
 *
 * <p>Each of these transactions reads what the one before has written of the pending value, or of
 * the item. So a legal cut that has one of them has all before it, and the invariant holds after
 * every crash. A start frees what is pending: nobody writes it any more. Readers read an item and
 * its chunks in one transaction, so they need no protection from the freeing. Thread-safe.
 */
final class LargeValues {

  /** With its key and lengths, a chunk takes 16 pages of the store. */
  static final int CHUNK_BYTES = (1 << 16) - (1 << 6);

  private static final int KEY_BYTES = Long.BYTES + Integer.BYTES;

  private final Store store;
  private final int chunkBytes;
  private final PersistentMap<byte[], byte[]> chunks;
  private final PersistentMap<Long, Integer> pending;

  /** Pending values that are being written. */
  private final Set<Long> writing = ConcurrentHashMap.newKeySet();

  /** Where {@link #freeSome} goes on. */
  private long position;

  LargeValues(Store store, int chunkBytes) {
    this.store = store;
    this.chunkBytes = chunkBytes;
    this.chunks = store.map("server.chunks", Codec.bytes(), Codec.bytes());
    this.pending = store.map("server.pending", Codec.int64(), Codec.int32());
  }

  /** Returns whether a value of this length is stored in chunks. */
  boolean isLarge(int length) {
    return length > chunkBytes;
  }

  private int chunkCount(int length) {
    return (length + chunkBytes - 1) / chunkBytes;
  }

  private static byte[] key(long id, int index) {
    return ByteBuffer.allocate(KEY_BYTES).putLong(id).putInt(index).array();
  }

  /** Returns what the chunks of a value count for the limit of memory. */
  long bytes(int length) {
    if (length == 0) {
      return 0;
    }
    int last = length - (chunkCount(length) - 1) * chunkBytes;
    return (chunkCount(length) - 1) * StoredItem.entryBytes(KEY_BYTES + chunkBytes)
        + StoredItem.entryBytes(KEY_BYTES + last);
  }

  /**
   * Writes a value, which is pending afterwards. It stays until {@link #written} is called.
   *
   * @param id that no value ever had
   * @throws io.howdah.core.RegionFullException if there is no room; nothing is left of the value
   */
  void write(long id, byte[] value) {
    writing.add(id);
    boolean done = false;
    try {
      for (int index = 0; index < chunkCount(value.length); index++) {
        int from = index * chunkBytes;
        byte[] chunk = Arrays.copyOfRange(value, from, Math.min(value.length, from + chunkBytes));
        int next = index;
        store.run(ItemTransactions.WRITES, tx -> add(tx, id, next, chunk));
      }
      done = true;
    } finally {
      if (!done) {
        written(id);
        free(id);
      }
    }
  }

  private void add(Tx tx, long id, int index, byte[] chunk) {
    int before = pending.getOrDefault(tx, id, 0);
    if (before != index) {
      throw new IllegalStateException("value " + id + " has " + before + " chunks, not " + index);
    }
    chunks.put(tx, key(id, index), chunk);
    pending.put(tx, id, index + 1);
  }

  /** Ends {@link #write}: the value is an item's, or may be freed. */
  void written(long id) {
    writing.remove(id);
  }

  /** Gives a pending value to an item that is put in the same transaction. */
  void publish(Tx tx, long id) {
    if (!pending.remove(tx, id)) {
      throw new IllegalStateException("value " + id + " is not pending");
    }
  }

  /** Takes a value from the item that is replaced or removed in the same transaction. */
  void unpublish(Tx tx, long id, int length) {
    pending.put(tx, id, chunkCount(length));
  }

  /** Reads the value of an item that was read in the same transaction. */
  byte[] read(Tx tx, long id, int length) {
    byte[] value = new byte[length];
    int at = 0;
    for (int index = 0; index < chunkCount(length); index++) {
      byte[] chunk = chunks.get(tx, key(id, index));
      if (chunk == null || chunk.length != Math.min(chunkBytes, length - at)) {
        throw new IllegalStateException("value " + id + " has no whole chunk " + index);
      }
      System.arraycopy(chunk, 0, value, at, chunk.length);
      at += chunk.length;
    }
    return value;
  }

  /** Frees a pending value, unless it is being written. */
  void free(long id) {
    if (!writing.contains(id)) {
      boolean goesOn = true;
      while (goesOn) {
        goesOn = store.call(ItemTransactions.WRITES, tx -> removeLast(tx, id));
      }
    }
  }

  /** Removes the last chunk of a pending value; returns whether there are more. */
  private boolean removeLast(Tx tx, long id) {
    Integer count = pending.get(tx, id);
    if (count == null) {
      return false;
    }
    if (count > 0) {
      chunks.remove(tx, key(id, count - 1));
    }
    if (count > 1) {
      pending.put(tx, id, count - 1);
    } else {
      pending.remove(tx, id);
    }
    return count > 1;
  }

  /** Frees some of the pending values. For a thread in the background, and after a start. */
  synchronized void freeSome() {
    List<Long> ids = new ArrayList<>();
    position =
        store.call(
            ItemTransactions.READS,
            tx -> {
              ids.clear();
              return pending.walk(tx, position, Sweep.BATCH, (id, _) -> ids.add(id));
            });
    ids.forEach(this::free);
  }

  /** Returns the pending values with the numbers of their chunks, for tests. */
  Map<Long, Integer> pending(Tx tx) {
    return Map.copyOf(pending.asMap(tx));
  }

  /** Returns the ids of the values that chunks belong to, for tests. */
  Set<Long> owners(Tx tx) {
    Set<Long> owners = ConcurrentHashMap.newKeySet();
    chunks.keys(tx).forEach(key -> owners.add(ByteBuffer.wrap(key).getLong()));
    return owners;
  }

  /** A value that a connection has written for one command, before it is an item's. */
  static final class Prepared {
    private final LargeValues values;
    private final byte[] value;
    private final long id;

    Prepared(LargeValues values, long id, byte[] value) {
      this.values = values;
      this.value = value;
      this.id = id;
      values.write(id, value);
    }

    long id() {
      return id;
    }

    boolean is(byte @Nullable [] other) {
      return Arrays.equals(value, other);
    }

    /** Ends it: the value is an item's now, or it is freed. */
    void end() {
      values.written(id);
      values.free(id); // does nothing if it is not pending
    }
  }
}
