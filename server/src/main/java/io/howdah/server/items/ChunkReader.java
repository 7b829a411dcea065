package io.howdah.server.items;

import io.howdah.server.cache.LargeValue;
import io.howdah.server.cache.ValueReader;
import org.jspecify.annotations.Nullable;

/** Reads a large value, a chunk in each transaction. For one thread at a time. */
final class ChunkReader implements ValueReader {

  private final LargeValues values;
  private final LargeValue value;
  private final Runnable end;
  private int next;
  private boolean isClosed;

  /**
   * Makes a reader.
   *
   * @param value that is not freed before the end
   * @param end runs once, at the end
   */
  ChunkReader(LargeValues values, LargeValue value, Runnable end) {
    this.values = values;
    this.value = value;
    this.end = end;
  }

  LargeValue value() {
    return value;
  }

  @Override
  public int length() {
    return value.length();
  }

  @Override
  public byte @Nullable [] next() {
    if (isClosed) {
      throw new IllegalStateException("the value is not kept any more");
    }
    return next == values.chunkCount(value.length()) ? null : values.chunk(value, next++);
  }

  @Override
  public void close() {
    if (!isClosed) {
      isClosed = true;
      end.run();
    }
  }
}
