package io.howdah.log.recovery;

import io.howdah.core.Region;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.Storage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies of redo records that cannot be replayed yet, while the buffer of their batch is reused:
 * records above a batch's cut, and parts that wait for their commit. {@link RedoStream} adds and
 * drops them. Every record is stashed at most once, so the length of the log bounds the memory. The
 * memory is off heap, allocated in chunks when needed, and used from its start again whenever the
 * stash becomes empty.
 *
 * <p>Records form lists: each node is {@code next | partsHead | record}. Addresses of nodes are
 * never 0 and grow in the order of stashing, until the stash becomes empty. Not thread-safe.
 */
final class RecordStash implements AutoCloseable {

  private static final int CHUNK_BITS = 24;
  private static final long CHUNK_BYTES = 1L << CHUNK_BITS;
  private static final long NODE_BYTES = 2 * Long.BYTES;
  private static final long FIRST = Long.BYTES;

  private final Storage storage;
  private final List<Region> chunks = new ArrayList<>();
  private final StagingMemory memory;
  private @Nullable ByteBuffer scratch;
  private long top = FIRST;
  private long live;

  RecordStash(Storage storage, StagingMemory memory) {
    this.storage = storage;
    this.memory = memory;
  }

  /** Stashes a record and returns its node. */
  long add(ByteBuffer source, int at, int length, long partsHead) {
    long nodeBytes = NODE_BYTES + length;
    if (offset(top) + nodeBytes > CHUNK_BYTES) {
      top = (chunkIndex(top) + 1L) << CHUNK_BITS;
    }
    long node = top;
    while (chunkIndex(node) >= chunks.size()) {
      chunks.add(storage.allocate(CHUNK_BYTES));
    }
    Region chunk = chunk(node);
    chunk.setLong(offset(node), 0);
    chunk.setLong(offset(node) + Long.BYTES, partsHead);
    chunk.copyFrom(offset(node) + NODE_BYTES, source.duplicate().limit(at + length).position(at));
    top = node + nodeBytes;
    live++;
    return node;
  }

  /** Makes {@code next} follow {@code node}. */
  void link(long node, long next) {
    chunk(node).setLong(offset(node), next);
  }

  long next(long node) {
    return chunk(node).getLong(offset(node));
  }

  /** Returns the list of parts that a node's record commits, 0 for none. */
  long partsHead(long node) {
    return chunk(node).getLong(offset(node) + Long.BYTES);
  }

  long lsn(long node) {
    return chunk(node).getLong(offset(node) + NODE_BYTES + RedoRecordLayout.LSN_OFFSET);
  }

  long dep(long node) {
    return chunk(node).getLong(offset(node) + NODE_BYTES + RedoRecordLayout.DEP_OFFSET);
  }

  /** Returns the record of a node, at index 0 of a buffer that the next call reuses. */
  ByteBuffer record(long node) {
    Region chunk = chunk(node);
    long from = offset(node) + NODE_BYTES;
    ByteBuffer record = scratch();
    chunk.copyTo(from, record.clear().limit(RedoRecordLayout.length(chunk.getLong(from))));
    return record;
  }

  /** Allocated at its first use: the JDK zeroes it in a loop, which takes a new JVM 5 ms. */
  private ByteBuffer scratch() {
    ByteBuffer allocated = scratch;
    if (allocated == null) {
      allocated = memory.allocate(RedoRecordLayout.MAX_LENGTH);
      scratch = allocated;
    }
    return allocated;
  }

  /** Drops one record. The memory is reused once all records are dropped. */
  void drop() {
    live--;
    if (live == 0) {
      top = FIRST;
    }
  }

  private Region chunk(long node) {
    return chunks.get(chunkIndex(node));
  }

  private static int chunkIndex(long node) {
    return (int) (node >>> CHUNK_BITS);
  }

  private static long offset(long node) {
    return node & CHUNK_BYTES - 1;
  }

  @Override
  public void close() {
    for (Region chunk : chunks) {
      chunk.close();
    }
  }
}
