package io.howdah.server.items;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.collections.PersistentMap;
import io.howdah.core.LogFullException;
import io.howdah.core.RegionFullException;
import io.howdah.core.UnavailablePageException;
import io.howdah.server.cache.CacheBusyException;
import io.howdah.server.cache.LargeValue;
import io.howdah.txn.Tx;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Large values, in chunks, so that no transaction writes more than one chunk. A value has an id
 * that no other value ever had.
 *
 * <p>A value is pending before an item has it, and again after. A persistent map has the pending
 * values, each with the number of its chunks. The invariant, at every commit: each chunk belongs to
 * a value that either is pending, with a larger number of chunks than the chunk's index, or is the
 * value of one item; and all chunks of an item's value are there.
 *
 * <ol>
 *   <li>A value is written chunk by chunk, as it arrives. Each transaction adds one chunk, and
 *       raises the number of the pending value.
 *   <li>The transaction that puts the item takes the value from the pending ones.
 *   <li>The transaction that replaces or removes the item makes its value pending again.
 *   <li>A pending value is freed from its last chunk on. Each transaction removes one chunk and
 *       lowers the number; the last one removes the pending value.
 * </ol>
 *
 * <p>Each of these transactions reads what the one before has written of the pending value, or of
 * the item. So a legal cut that has one of them has all before it, and the invariant holds after
 * every crash. A start frees all pending values: no connection writes or reads them any more.
 *
 * <p>While the process runs, {@link ValueHolds} keep values that a connection writes or reads from
 * being freed. A reader first takes a hold, and then checks in a transaction that an item has the
 * value. So the value was not pending at that time, and a thread that frees it later finds the
 * hold. The chunks of a value never change, so a reader sees one version, however long it reads.
 *
 * <p>Thread-safe.
 */
final class LargeValues {

  /** With its key and lengths, a chunk takes 16 pages of the store. */
  static final int CHUNK_BYTES = (1 << 16) - (1 << 6);

  /** How many chunks a command frees at most. A background thread frees the others. */
  private static final int MAX_INLINE_CHUNKS = 1 << 6;

  /** How many chunks one turn of the background thread frees at most, about. */
  private static final int MAX_TURN_CHUNKS = 1 << 14;

  private static final int KEY_BYTES = Long.BYTES + Integer.BYTES;

  /** Reads a chunk's length without the chunk. */
  private static final Codec<Integer> LENGTH_CODEC =
      new Codec<>() {
        @Override
        public String name() {
          return Codec.bytes().name();
        }

        @Override
        public void encode(Integer value, Encoder out) {
          throw new CodecException("a length is not a chunk");
        }

        @Override
        public Integer decode(Decoder in) {
          return in.remaining();
        }
      };

  private final Store store;
  private final LogRoom logRoom;
  private final int chunkBytes;
  private final PersistentMap<byte[], byte[]> chunks;
  private final PersistentMap<byte[], Integer> chunkLengths;
  private final PersistentMap<Long, Integer> pending;
  private final ValueHolds holds = new ValueHolds();
  private final ReaderLimit<Object> readers;

  /**
   * Values to be freed, some partly freed. {@link #freeSome} also finds those that are not here.
   */
  private final Queue<Long> unfreed = new ConcurrentLinkedQueue<>();

  /** Bytes of the chunks of pending values. */
  private final LongAdder pendingBytes = new LongAdder();

  /** Where {@link #freeSome} continues its walk of the pending values. */
  private long position;

  LargeValues(Store store, LogRoom logRoom, int chunkBytes, long maxReadBytes) {
    this.store = store;
    this.logRoom = logRoom;
    this.chunkBytes = chunkBytes;
    this.readers = new ReaderLimit<>(maxReadBytes);
    this.chunks = store.map("server.chunks", Codec.bytes(), Codec.bytes());
    this.chunkLengths = store.map("server.chunks", Codec.bytes(), LENGTH_CODEC);
    this.pending = store.map("server.pending", Codec.int64(), Codec.int32());
    pendingBytes.add(store.read(ItemTransactions.READS, this::countPending));
  }

  private long countPending(Tx tx) {
    long[] sum = {0};
    pending.forEach(
        tx,
        (id, count) -> {
          if (count > 0) {
            Integer last = chunkLengths.get(tx, key(id, count - 1));
            sum[0] += (count - 1) * entryBytes(chunkBytes) + entryBytes(last == null ? 0 : last);
          }
        });
    return sum[0];
  }

  /** Returns whether a value of this length is stored in chunks. */
  boolean isLarge(int length) {
    return length > chunkBytes;
  }

  int chunkCount(int length) {
    return (length + chunkBytes - 1) / chunkBytes;
  }

  /** Returns the length of one chunk of a value. */
  int chunkLength(int length, int index) {
    return Math.max(0, Math.min(chunkBytes, length - index * chunkBytes));
  }

  private static byte[] key(long id, int index) {
    return ByteBuffer.allocate(KEY_BYTES).putLong(id).putInt(index).array();
  }

  /** Returns what the chunks of a value count for the limit of memory. */
  long bytes(int length) {
    if (length == 0) {
      return 0;
    }
    int last = chunkCount(length) - 1;
    return last * entryBytes(chunkBytes) + entryBytes(chunkLength(length, last));
  }

  /** Returns what a chunk counts for the limit of memory. */
  static long entryBytes(int chunkLength) {
    return StoredItem.entryBytes(KEY_BYTES + chunkLength);
  }

  /** Returns the bytes of pending values: those that arrive, and those that are not freed yet. */
  long pendingBytes() {
    return pendingBytes.sum();
  }

  /** Returns the bytes of values that are being read. */
  long readBytes() {
    return readers.bytes();
  }

  /** Keeps a value that will be written from being freed, until {@link #endWriting}. */
  void beginWriting(long id) {
    if (!holds.hold(id)) {
      throw new IllegalStateException("value " + id + " is not new");
    }
  }

  /**
   * Adds a chunk to a value, which is pending afterwards.
   *
   * @throws io.howdah.core.RegionFullException if there is no room; nothing has changed
   */
  void add(long id, int index, byte[] chunk) {
    store.run(ItemTransactions.WRITES, tx -> add(tx, id, index, chunk));
    pendingBytes.add(entryBytes(chunk.length));
  }

  private void add(Tx tx, long id, int index, byte[] chunk) {
    int before = pending.getOrDefault(tx, id, 0);
    if (before != index) {
      throw new IllegalStateException("value " + id + " has " + before + " chunks, not " + index);
    }
    chunks.put(tx, key(id, index), chunk);
    pending.put(tx, id, index + 1);
  }

  /** Ends the hold of a writer; a value that no item has got is freed. */
  void endWriting(long id) {
    holds.release(id);
    free(id); // does nothing if it is not pending
  }

  /**
   * Begins to read a value that an item had. The caller must check afterwards that the item still
   * has it; if not, it closes the reader.
   *
   * @param reader that reads no other value
   * @return null if the value is being freed
   * @throws CacheBusyException if too many are being read; then the reader has a place in the
   *     queue, and has to ask again or give it up
   */
  @Nullable ChunkReader read(LargeValue value, Object reader) {
    if (!readers.enter(value, reader)) {
      throw new CacheBusyException();
    }
    if (!holds.hold(value.id())) {
      readers.leave(value, reader);
      return null;
    }
    return new ChunkReader(this, value, () -> endReading(value, reader));
  }

  /** Gives up the place of a waiting reader. */
  void giveUpPlace(Object reader) {
    readers.giveUpPlace(reader);
  }

  /** Returns which of some readers have to end so that the first waiting one is admitted. */
  <R> List<R> inTheWay(List<R> candidates) {
    return readers.inTheWay(candidates);
  }

  private void endReading(LargeValue value, Object reader) {
    readers.leave(value, reader);
    if (holds.release(value.id())) {
      unfreed.add(value.id()); // by the background or a writer: a read commits nothing
    }
  }

  /** Returns a chunk of a value that is held. */
  byte[] chunk(LargeValue value, int index) {
    return store.read(ItemTransactions.READS, tx -> chunk(tx, value, index));
  }

  private byte[] chunk(Tx tx, LargeValue value, int index) {
    byte[] chunk = chunks.get(tx, key(value.id(), index));
    if (chunk == null || chunk.length != chunkLength(value.length(), index)) {
      throw new IllegalStateException("value " + value.id() + " has no whole chunk " + index);
    }
    return chunk;
  }

  /** Gives a pending value to an item that is put in the same transaction. */
  void publish(Tx tx, long id) {
    if (!pending.remove(tx, id)) {
      throw new IllegalStateException("value " + id + " is not pending");
    }
  }

  /** Takes a value from the item that is replaced or removed in the same transaction. */
  void unpublish(Tx tx, LargeValue value) {
    pending.put(tx, value.id(), chunkCount(value.length()));
  }

  /** Counts a commit that has published a value. */
  void published(LargeValue value) {
    pendingBytes.add(-bytes(value.length()));
  }

  /** Counts a commit that has unpublished a value, and begins to free it. */
  void unpublished(LargeValue value) {
    pendingBytes.add(bytes(value.length()));
    free(value.id());
  }

  /** Begins to free a pending value, unless it is held. The background thread frees the rest. */
  private void free(long id) {
    if (logRoom.isFull()) {
      return; // the walk of the background thread finds it
    }
    try {
      boolean _ = free(id, MAX_INLINE_CHUNKS);
    } catch (RegionFullException | UnavailablePageException _) {
      // Freeing needs a little memory, too. The background thread tries again.
    } catch (LogFullException e) {
      var _ = logRoom.refused(e);
    }
  }

  /** Frees chunks of a pending value, unless it is held; returns whether it has freed any. */
  private boolean free(long id, int most) {
    if (!holds.beginFreeing(id)) {
      return false;
    }
    boolean hasMore = true;
    int freed = 0;
    try {
      while (hasMore && freed < most) {
        int[] length = {0};
        hasMore = store.call(ItemTransactions.WRITES, tx -> removeLast(tx, id, length));
        if (length[0] > 0) {
          pendingBytes.add(-entryBytes(length[0]));
          freed++;
        }
      }
    } finally {
      holds.endFreeing(id);
      if (hasMore) {
        unfreed.add(id);
      }
    }
    return freed > 0;
  }

  /** Removes the last chunk of a pending value; returns whether there are more. */
  private boolean removeLast(Tx tx, long id, int[] length) {
    length[0] = 0;
    Integer count = pending.get(tx, id);
    if (count == null) {
      return false;
    }
    if (count > 0) {
      byte[] last = key(id, count - 1);
      length[0] = chunkLengths.getOrDefault(tx, last, 0);
      chunks.remove(tx, last);
    }
    if (count > 1) {
      pending.put(tx, id, count - 1);
    } else {
      pending.remove(tx, id);
    }
    return count > 1;
  }

  /**
   * Frees some chunks of a value in the queue, for a command that needs memory; returns false if
   * there is no such value.
   */
  boolean freeWaiting() {
    for (Long id = unfreed.poll(); id != null; id = unfreed.poll()) {
      if (free(id, MAX_INLINE_CHUNKS)) {
        return true;
      }
    }
    return false;
  }

  /** Frees some of the pending values. For the background thread, and after a start. */
  synchronized void freeSome() {
    for (int freed = 0; freed < MAX_TURN_CHUNKS && freeWaiting(); ) {
      freed += MAX_INLINE_CHUNKS;
    }
    List<Long> ids = new ArrayList<>();
    position =
        store.call(
            ItemTransactions.READS,
            tx -> {
              ids.clear();
              return pending.walk(tx, position, Sweep.BATCH, (id, _) -> ids.add(id));
            });
    for (long id : ids) {
      boolean _ = free(id, MAX_TURN_CHUNKS);
    }
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

  /** Returns how many values are held, for tests. */
  int held() {
    return holds.count();
  }
}
