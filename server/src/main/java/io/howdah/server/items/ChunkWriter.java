package io.howdah.server.items;

import io.howdah.server.cache.LargeValue;
import io.howdah.server.cache.ValueReader;
import io.howdah.server.cache.ValueWriter;
import java.nio.ByteBuffer;

/**
 * Writes a large value, a chunk in each transaction. Holds at most one chunk in memory. For one
 * thread at a time.
 */
final class ChunkWriter implements ValueWriter {

  /** Before bytes have arrived, this much of what was announced is taken for true. */
  private static final int FIRST_BYTES = 1 << 14;

  private static final byte[] NONE = {};

  private final ItemStore items;
  private final LargeValues values;
  private final LargeValue value;
  private byte[] chunk = NONE;
  private int chunkLength;
  private int index;
  private boolean isClosed;

  /** Begins a value, which is held until {@link #close}. */
  ChunkWriter(ItemStore items, LargeValues values, LargeValue value) {
    this.items = items;
    this.values = values;
    this.value = value;
    values.beginWriting(value.id());
  }

  @Override
  public void add(ByteBuffer source) {
    while (source.hasRemaining()) {
      int full = values.chunkLength(value.length(), index);
      int taken = Math.min(full - chunkLength, source.remaining());
      if (taken == 0) {
        throw new IllegalStateException("the value has " + value.length() + " bytes, not more");
      }
      reserve(chunkLength + taken, full);
      source.get(chunk, chunkLength, taken);
      chunkLength += taken;
      if (chunkLength == full) {
        items.addChunk(value.id(), index, chunk);
        index++;
        chunkLength = 0;
        chunk = chunk.length == values.chunkLength(value.length(), index) ? chunk : NONE;
      }
    }
  }

  private void reserve(int needed, int full) {
    if (needed > chunk.length) {
      byte[] larger =
          new byte[Math.min(full, Math.max(needed, Math.max(FIRST_BYTES, 2 * chunk.length)))];
      System.arraycopy(chunk, 0, larger, 0, chunkLength);
      chunk = larger;
    }
  }

  @Override
  public int heldBytes() {
    return chunk.length;
  }

  @Override
  public LargeValue value() {
    if (index < values.chunkCount(value.length())) {
      throw new IllegalStateException("the value is not complete");
    }
    return value;
  }

  @Override
  public ValueReader reader() {
    return new ChunkReader(values, value(), () -> {});
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      chunk = NONE;
      values.endWriting(value.id());
    }
  }
}
