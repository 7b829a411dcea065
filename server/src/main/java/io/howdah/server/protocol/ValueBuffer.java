package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.ValueWriter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A value while it arrives. Takes memory for what has arrived, not for what was announced. A large
 * value goes into the cache as it arrives.
 */
public final class ValueBuffer {

  /** Before a value has arrived, this much of what it announced is taken for true. */
  private static final int FIRST_BYTES = 1 << 14;

  private static final byte[] NONE = {};

  private byte[] bytes = NONE;
  private int length;
  private int announced;
  private long taken;

  /** Takes a large value; null if there is none. */
  private @Nullable ValueWriter writer;

  /** There was no room for the value, and it is dropped. */
  private boolean isRefused;

  /** Begins a value of a number of bytes. */
  public void begin(int announced) {
    release();
    this.announced = announced;
    length = 0;
    isRefused = false;
  }

  /** Begins a value of a number of bytes, which is to be stored. */
  public void begin(int announced, Cache cache) {
    begin(announced);
    try {
      writer = cache.writer(announced);
    } catch (CacheFullException _) {
      isRefused = true;
    }
  }

  /** Takes what belongs to the value, and returns whether it is complete. */
  public boolean take(ByteBuffer input) {
    int count = Math.min(announced - length, input.remaining());
    if (writer != null) {
      write(writer, input, count);
    } else if (isRefused) {
      input.position(input.position() + count);
    } else {
      int needed = length + count;
      if (needed > bytes.length) {
        int capacity = Math.max(needed, Math.max(FIRST_BYTES, 2 * bytes.length));
        bytes = Arrays.copyOf(bytes, Math.min(announced, capacity));
      }
      input.get(bytes, length, count);
    }
    length += count;
    taken += count;
    return length == announced;
  }

  private void write(ValueWriter writer, ByteBuffer input, int count) {
    int end = input.position() + count;
    int limit = input.limit();
    try {
      writer.add(input.limit(end));
    } catch (CacheFullException _) {
      isRefused = true;
      this.writer = null;
      writer.close();
      input.position(end);
    } finally {
      input.limit(limit);
    }
  }

  /** Returns the complete value, and forgets it. It was not begun for a cache. */
  public byte[] end() {
    byte[] value = bytes.length == announced ? bytes : Arrays.copyOf(bytes, announced);
    bytes = NONE;
    return value;
  }

  /** Gives the complete value to a command, and forgets it. */
  public void endInto(StoreCommand command) {
    command.isRefused = isRefused;
    command.large = writer;
    writer = null;
    command.value = command.large == null && !isRefused ? end() : NONE;
  }

  public int heldBytes() {
    return bytes.length + (writer == null ? 0 : writer.heldBytes());
  }

  /** Returns how many bytes of all values have arrived. */
  public long taken() {
    return taken;
  }

  /** Forgets the value, and frees what was written of it. */
  public void release() {
    bytes = NONE;
    ValueWriter unfinished = writer;
    writer = null;
    if (unfinished != null) {
      unfinished.close();
    }
  }
}
