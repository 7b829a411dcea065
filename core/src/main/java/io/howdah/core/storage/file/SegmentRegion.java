package io.howdah.core.storage.file;

import io.howdah.core.HowdahException;
import io.howdah.core.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * {@link Region} over one memory segment: the only subclass that production loads.
 *
 * <p>No method checks anything itself: the segment checks bounds, alignment and liveness, in code
 * that the compiler knows how to fold, and does so with the exceptions that {@code Region}
 * promises. Two implementations of segments are loaded, with a file and without one, so the
 * compiler asks at every step of the checks which one it has. The hot accesses compare the
 * segment's class with a constant first; behind that the compiler knows. They are in parts, since
 * each method of at most 35 bytes of bytecode is inlined wherever it is called.
 *
 * <p>The arena is shared, because every thread of the engine and of its users comes here. Closing
 * it waits for accesses under way in other threads, and those after it throw.
 */
final class SegmentRegion extends Region {

  // Words are little-endian on every machine; where the processor is not, the handles swap.
  private static final ValueLayout.OfLong WORDS =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  // The methods of MemorySegment that copy to an array find out what the array has by a pattern
  // switch, which a new JVM takes long to prepare; so long arrays are copied as segments. Short
  // ones are copied word by word, since a segment is an object until the code is fully compiled.
  private static final ValueLayout.OfLong HEAP_WORDS = ValueLayout.JAVA_LONG;

  private static final VarHandle WORD = WORDS.varHandle().withInvokeExactBehavior();
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle().withInvokeExactBehavior();

  /** From so many words on, a copy takes less time than a loop. */
  private static final int COPIED_WORDS = 16;

  /** From so many words on, the copy takes much longer than the segment object made for it. */
  private static final int LONG_ARRAY = 64;

  /** The class of segments without a file. */
  private static final Class<?> NATIVE = MemorySegment.NULL.getClass();

  /** The class of segments with a file, once there is one, for {@link Mapped}. */
  private static Class<?> mappedClass = NATIVE;

  private final MemorySegment segment;
  private final Arena arena;
  private final @Nullable MappedFile file;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Holds the class of segments with a file as a constant. Used once there is such a segment. */
  private static final class Mapped {
    static final Class<?> CLASS = mappedClass;
  }

  /**
   * Takes over the first two; {@code arena} is a shared one that holds nothing but {@code segment}.
   *
   * @param file that is mapped, or null if none is that has a name
   */
  SegmentRegion(Arena arena, MemorySegment segment, @Nullable MappedFile file) {
    Regions.requireWholeWords(segment.byteSize());
    this.arena = arena;
    this.segment = segment;
    this.file = file;
    noteClass(segment);
  }

  private static void noteClass(MemorySegment segment) {
    if (segment.isMapped()) {
      mappedClass = segment.getClass();
    }
  }

  @Override
  protected HowdahException explain(InternalError fault, long[] suspects) {
    takeFollowingFaults();
    MappedFile file = this.file;
    return file == null
        ? super.explain(fault, suspects)
        : file.explain(fault, firstUnavailable(suspects));
  }

  /**
   * Takes the faults that this thread has met behind the one that was thrown. Compiled code goes on
   * until its next safepoint, and the JVM keeps each fault and throws one at each safepoint: a
   * later one would hit what did not meet it, perhaps a commit.
   */
  private static void takeFollowingFaults() {
    boolean hasMore = true;
    while (hasMore) {
      try {
        takePendingFault();
        hasMore = false;
      } catch (InternalError e) {
        if (!isFault(e)) {
          throw e;
        }
      }
    }
  }

  /**
   * Throws the fault that this thread has met before, if the JVM has not thrown it yet: it does so
   * at the next safepoint, and the return of a native method is one. This method does nothing else,
   * and takes some 20 ns.
   */
  private static void takePendingFault() {
    boolean _ = Thread.holdsLock(WORDS);
  }

  /** Returns the address of the first page that cannot be had, or -1. */
  private long firstUnavailable(long[] suspects) {
    ByteBuffer page = ByteBuffer.allocateDirect(MappedFile.PAGE_BYTES);
    for (long suspect : suspects) {
      long from = suspect & -MappedFile.PAGE_BYTES;
      if (from >= 0 && from <= capacityBytes() - MappedFile.PAGE_BYTES) {
        try {
          copyTo(from, page.clear());
          takePendingFault();
        } catch (InternalError e) {
          return from;
        }
      }
    }
    return -1;
  }

  @Override
  public long capacityBytes() {
    return segment.byteSize();
  }

  @Override
  public long getLong(long address) {
    return (long) WORD.get(segment, address);
  }

  @Override
  public void setLong(long address, long value) {
    WORD.set(segment, address, value);
  }

  @Override
  public void setLongs(long address, long[] words, int count) {
    MemorySegment segment = this.segment;
    if (count < LONG_ARRAY) {
      // Nothing is written if not all can be.
      Objects.checkFromIndexSize(address, (long) count * Long.BYTES, segment.byteSize());
      Objects.checkFromIndexSize(0, count, words.length);
      for (int i = 0; i < count; i++) {
        WORD.set(segment, address + (long) i * Long.BYTES, words[i]);
      }
      return;
    }
    MemorySegment.copy(MemorySegment.ofArray(words), HEAP_WORDS, 0, segment, WORDS, address, count);
  }

  @Override
  public void getLongs(long address, long[] words, int from, int count) {
    MemorySegment segment = this.segment;
    if (count < LONG_ARRAY) {
      for (int i = 0; i < count; i++) {
        words[from + i] = (long) WORD.get(segment, address + (long) i * Long.BYTES);
      }
      return;
    }
    long offset = (long) from * Long.BYTES;
    MemorySegment.copy(
        segment, WORDS, address, MemorySegment.ofArray(words), HEAP_WORDS, offset, count);
  }

  @Override
  public long rank(long address, int count, long number) {
    MemorySegment segment = this.segment;
    int less = 0;
    int equal = 0;
    for (int i = 0; i < count; i++) {
      // plain: the checks leave the loop
      long word = (long) WORD.get(segment, address + (long) i * Long.BYTES);
      less += word < number ? 1 : 0;
      equal += word == number ? 1 : 0;
    }
    return equal * EQUAL + less;
  }

  @Override
  public void getLongs(long[] addresses, long[] words, int from, int count) {
    MemorySegment segment = this.segment;
    for (int i = from; i < from + count; i++) {
      words[i] = (long) WORD.get(segment, addresses[i]); // plain: the checks leave the loop
    }
  }

  @Override
  public void getBytes(long address, byte[] target, int offset, int lengthBytes) {
    MemorySegment.copy(segment, address, MemorySegment.ofArray(target), offset, lengthBytes);
  }

  @Override
  public long getLongOpaque(long address) {
    MemorySegment segment = this.segment;
    return segment.getClass() == NATIVE
        ? (long) WORD.getOpaque(segment, address)
        : getOpaqueMapped(segment, address);
  }

  @SuppressWarnings("DuplicateBranches") // in one of them the compiler knows the class
  private static long getOpaqueMapped(MemorySegment segment, long address) {
    return segment.getClass() == Mapped.CLASS
        ? (long) WORD.getOpaque(segment, address)
        : (long) WORD.getOpaque(segment, address);
  }

  @Override
  public void setLongOpaque(long address, long value) {
    setOpaque(segment, address, value);
  }

  private static void setOpaque(MemorySegment segment, long address, long value) {
    if (segment.getClass() == NATIVE) {
      WORD.setOpaque(segment, address, value);
    } else {
      setOpaqueMapped(segment, address, value);
    }
  }

  @SuppressWarnings("DuplicateBranches") // as above
  private static void setOpaqueMapped(MemorySegment segment, long address, long value) {
    if (segment.getClass() == Mapped.CLASS) {
      WORD.setOpaque(segment, address, value);
    } else {
      WORD.setOpaque(segment, address, value);
    }
  }

  @Override
  public void setLongsOpaque(long[] words, int count) {
    MemorySegment segment = this.segment; // once, not behind each store
    for (int i = 0; i < 2 * count; i += 2) {
      setOpaque(segment, words[i], words[i + 1]);
    }
  }

  @Override
  public void setLongsOpaque(long address, long[] words, int from, int count) {
    MemorySegment segment = this.segment;
    if (count >= COPIED_WORDS) {
      // Each word atomically: where addresses and length are multiples of 8, the JVM promises to
      // copy in units of 8 bytes (jdk.internal.misc.Unsafe.copyMemory).
      MemorySegment.copy(words, from, segment, WORDS, address, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      WORD.setOpaque(segment, address + (long) i * Long.BYTES, words[from + i]);
    }
  }

  @Override
  public long getLongAcquire(long address) {
    return (long) WORD.getAcquire(segment, address);
  }

  @Override
  public void setLongRelease(long address, long value) {
    WORD.setRelease(segment, address, value);
  }

  @Override
  public long getLongVolatile(long address) {
    return (long) WORD.getVolatile(segment, address);
  }

  @Override
  public void setLongVolatile(long address, long value) {
    WORD.setVolatile(segment, address, value);
  }

  @Override
  public boolean compareAndSetLong(long address, long expected, long value) {
    readBeforeChange(address);
    return WORD.compareAndSet(segment, address, expected, value);
  }

  @Override
  public long getAndAddLong(long address, long delta) {
    readBeforeChange(address);
    return (long) WORD.getAndAdd(segment, address, delta);
  }

  /**
   * Meets a page of a file that cannot be had with a load, and throws the fault here. Until the JVM
   * has compiled a compare-and-set, it runs code of its own for it, which ends the process for such
   * a page; its code for a load throws. And of words of files these methods change only those of
   * pages that were never used ({@code Words.prepare}): what is thrown later would hit a commit.
   */
  private void readBeforeChange(long address) {
    if (segment.isMapped()) {
      long _ = getLongVolatile(address);
      takePendingFault();
    }
  }

  @Override
  public byte getByteOpaque(long address) {
    return (byte) BYTE.getOpaque(segment, address);
  }

  @Override
  public void setByteOpaque(long address, byte value) {
    BYTE.setOpaque(segment, address, value);
  }

  @Override
  public void copyTo(long address, ByteBuffer target) {
    MemorySegment.copy(segment, address, MemorySegment.ofBuffer(target), 0, target.remaining());
    target.position(target.limit());
  }

  @Override
  public void copyFrom(long address, ByteBuffer source) {
    MemorySegment.copy(MemorySegment.ofBuffer(source), 0, segment, address, source.remaining());
    source.position(source.limit());
  }

  @Override
  public void clear(long address, long lengthBytes) {
    segment.asSlice(address, lengthBytes).fill((byte) 0);
  }

  @Override
  public OptionalLong largePageBytes() {
    return isOpen()
        ? MachineMemory.largePageBytes(segment.address(), segment.byteSize())
        : OptionalLong.empty();
  }

  @Override
  public boolean isOpen() {
    return segment.scope().isAlive();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      arena.close();
    }
  }

  @Override
  public String toString() {
    return "Region[" + segment.byteSize() + " bytes, " + (isOpen() ? "open" : "closed") + "]";
  }
}
