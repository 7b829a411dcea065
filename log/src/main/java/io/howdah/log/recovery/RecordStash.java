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
 * Keeps redo records whose turn has not come while their batch's buffer is reused: those above a
 * batch's cut, and parts that wait for their commit. Every record is stashed at most once, so the
 * log's own length bounds the memory; it is off heap, taken in chunks as needed, and used again
 * from its start whenever the stash runs empty.
 *
 * <p>Records lie in lists: each node is {@code next | partsHead | record}. Node addresses are never
 * 0 and grow in the order of stashing, until the stash runs empty. Not thread-safe.
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
    long taken = NODE_BYTES + length;
    if (offset(top) + taken > CHUNK_BYTES) {
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
    top = node + taken;
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

  /** Returns a node's record, at index 0 of a buffer that the next call reuses. */
  ByteBuffer record(long node) {
    Region chunk = chunk(node);
    long from = offset(node) + NODE_BYTES;
    ByteBuffer record = scratch();
    chunk.copyTo(from, record.clear().limit(RedoRecordLayout.length(chunk.getLong(from))));
    return record;
  }

  /** Made when it is needed: the JDK zeroes it in a loop, which takes a new JVM 5 ms. */
  private ByteBuffer scratch() {
    ByteBuffer made = scratch;
    if (made == null) {
      made = memory.allocate(RedoRecordLayout.MAX_LENGTH);
      scratch = made;
    }
    return made;
  }

  /** Gives up a record. */
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
