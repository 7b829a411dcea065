package io.howdah.checkpoint;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Words that every commit reads, by index, initially zero. They are in an array on the Java heap,
 * where an access costs one bounds check; through a memory segment it takes about twenty
 * instructions more. They are in a {@link Region} if every access must be observable, as in the
 * simulator, or if they would take too much heap. Thread-safe.
 */
final class MapWords implements AutoCloseable {

  private static final VarHandle WORD =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  /** The words take at most the maximum size of the heap divided by this. */
  private static final int HEAP_SHARE = 64;

  /** The words if they are on the heap; otherwise they are in {@link #region}. */
  private final long @Nullable [] array;

  private final @Nullable Region region;

  private MapWords(long @Nullable [] array, @Nullable Region region) {
    this.array = array;
    this.region = region;
  }

  /** Creates words on the heap, or in memory of the storage. */
  static MapWords create(Storage storage, long count) {
    long bytes = count * Long.BYTES;
    return !storage.observesMemory() && bytes <= Runtime.getRuntime().maxMemory() / HEAP_SHARE
        ? new MapWords(new long[Math.toIntExact(count)], null)
        : new MapWords(null, storage.allocate(bytes));
  }

  long getOpaque(long index) {
    long[] array = this.array;
    return array != null
        ? (long) WORD.getOpaque(array, (int) index)
        : region().getLongOpaque(index * Long.BYTES);
  }

  long getAcquire(long index) {
    long[] array = this.array;
    return array != null
        ? (long) WORD.getAcquire(array, (int) index)
        : region().getLongAcquire(index * Long.BYTES);
  }

  void setOpaque(long index, long word) {
    long[] array = this.array;
    if (array != null) {
      WORD.setOpaque(array, (int) index, word);
    } else {
      region().setLongOpaque(index * Long.BYTES, word);
    }
  }

  void setVolatile(long index, long word) {
    long[] array = this.array;
    if (array != null) {
      WORD.setVolatile(array, (int) index, word);
    } else {
      region().setLongVolatile(index * Long.BYTES, word);
    }
  }

  boolean compareAndSet(long index, long expected, long word) {
    long[] array = this.array;
    return array != null
        ? WORD.compareAndSet(array, (int) index, expected, word)
        : region().compareAndSetLong(index * Long.BYTES, expected, word);
  }

  private Region region() {
    return Objects.requireNonNull(region, "region");
  }

  /** Frees memory that is not on the heap. Idempotent. */
  @Override
  public void close() {
    if (region != null) {
      region.close();
    }
  }
}
