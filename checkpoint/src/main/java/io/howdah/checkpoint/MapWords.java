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
 * simulator, if they would take too much heap, or if they outlive the process. Thread-safe.
 */
final class MapWords implements AutoCloseable {

  private static final VarHandle WORD =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  /** The words take at most the maximum size of the heap divided by this. */
  private static final int HEAP_SHARE = 64;

  /** The words if they are on the heap; otherwise they are in {@link #region}. */
  private final long @Nullable [] array;

  private final @Nullable Region region;

  /** Address of the first word in {@link #region}. */
  private final long first;

  private MapWords(long @Nullable [] array, @Nullable Region region, long first) {
    this.array = array;
    this.region = region;
    this.first = first;
  }

  /** Creates words on the heap, or in memory of the storage. */
  static MapWords create(Storage storage, long count) {
    long bytes = count * Long.BYTES;
    return !storage.observesMemory() && bytes <= Runtime.getRuntime().maxMemory() / HEAP_SHARE
        ? new MapWords(new long[Math.toIntExact(count)], null, 0)
        : new MapWords(null, storage.allocate(bytes), 0);
  }

  /** Returns words that are in a region, from an address on, and closes the region with them. */
  static MapWords in(Region region, long first) {
    return new MapWords(null, region, first);
  }

  long getOpaque(long index) {
    long[] array = this.array;
    return array != null
        ? (long) WORD.getOpaque(array, (int) index)
        : region().getLongOpaque(address(index));
  }

  long getAcquire(long index) {
    long[] array = this.array;
    return array != null
        ? (long) WORD.getAcquire(array, (int) index)
        : region().getLongAcquire(address(index));
  }

  void setOpaque(long index, long word) {
    long[] array = this.array;
    if (array != null) {
      WORD.setOpaque(array, (int) index, word);
    } else {
      region().setLongOpaque(address(index), word);
    }
  }

  void setVolatile(long index, long word) {
    long[] array = this.array;
    if (array != null) {
      WORD.setVolatile(array, (int) index, word);
    } else {
      region().setLongVolatile(address(index), word);
    }
  }

  boolean compareAndSet(long index, long expected, long word) {
    long[] array = this.array;
    return array != null
        ? WORD.compareAndSet(array, (int) index, expected, word)
        : region().compareAndSetLong(address(index), expected, word);
  }

  private long address(long index) {
    return first + index * Long.BYTES;
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
