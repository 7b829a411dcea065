package io.howdah.nvmsim.mem;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The contents of both spaces, off heap, zero at first. This is the untraced view: programs access
 * it through a {@link MemoryPort}, which records. Plain accesses are for one thread at a time; the
 * atomic ones may be used by several. Allocation is for one thread.
 */
public final class SimMemory implements AutoCloseable {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle WORDS = WORD.varHandle().withInvokeExactBehavior();
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  private final SpaceLayout layout;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment volatileWords;
  private final MemorySegment persistentWords;
  private final long volatileBase;
  private final long volatileLength;
  private final long persistentBase;
  private final long persistentLength;
  private final SpaceAllocator volatileSpace;
  private final SpaceAllocator persistentSpace;

  public SimMemory(SpaceLayout layout) {
    this.layout = layout;
    this.volatileBase = layout.volatileBase();
    this.volatileLength = layout.volatileLength();
    this.persistentBase = layout.persistentBase();
    this.persistentLength = layout.persistentLength();
    this.volatileWords = arena.allocate(volatileLength, SpaceLayout.ALIGNMENT);
    this.persistentWords = arena.allocate(persistentLength, SpaceLayout.ALIGNMENT);
    this.volatileSpace = new SpaceAllocator("volatile", volatileBase, volatileLength);
    this.persistentSpace = new SpaceAllocator("persistent", persistentBase, persistentLength);
  }

  public SpaceLayout layout() {
    return layout;
  }

  public long allocateVolatile(long length, long alignment) {
    return volatileSpace.allocate(length, alignment);
  }

  public void freeVolatile(long address) {
    volatileSpace.free(address);
  }

  /** Untraced; a program that exports text traces allocates through {@link MemoryPort}. */
  public long allocatePersistent(long length, long alignment) {
    return persistentSpace.allocate(length, alignment);
  }

  public void freePersistent(long address) {
    persistentSpace.free(address);
  }

  public boolean isPersistent(long address) {
    return Long.compareUnsigned(address - persistentBase, persistentLength) < 0;
  }

  /** Reads an aligned word. */
  public long getLong(long address) {
    long offset = address - volatileBase;
    if (offset >= 0 && offset < volatileLength) {
      return volatileWords.get(WORD, offset);
    }
    return persistentWords.get(WORD, persistentOffset(address));
  }

  /** Writes an aligned word. */
  public void setLong(long address, long value) {
    long offset = address - volatileBase;
    if (offset >= 0 && offset < volatileLength) {
      volatileWords.set(WORD, offset, value);
    } else {
      persistentWords.set(WORD, persistentOffset(address), value);
    }
  }

  /** Reads 1 to 8 bytes as an unsigned little-endian number. */
  public long get(long address, int size) {
    long value = 0;
    for (int i = size - 1; i >= 0; i--) {
      MemorySegment space = space(address + i);
      value = (value << 8) | (space.get(BYTE, offset(address + i)) & 0xFFL);
    }
    return value;
  }

  /** Writes the low 1 to 8 bytes of the value. */
  public void set(long address, int size, long value) {
    for (int i = 0; i < size; i++) {
      space(address + i).set(BYTE, offset(address + i), (byte) (value >>> (8 * i)));
    }
  }

  /** Acquire load; pairs with {@link #setRelease} and the read-modify-writes. */
  public long getAcquire(long address) {
    return (long) WORDS.getAcquire(space(address), offset(address));
  }

  /** Release store; pairs with {@link #getAcquire}. */
  public void setRelease(long address, long value) {
    WORDS.setRelease(space(address), offset(address), value);
  }

  public long getAndSet(long address, long value) {
    return (long) WORDS.getAndSet(space(address), offset(address), value);
  }

  public long getAndAdd(long address, long delta) {
    return (long) WORDS.getAndAdd(space(address), offset(address), delta);
  }

  public boolean compareAndSet(long address, long expected, long value) {
    return WORDS.compareAndSet(space(address), offset(address), expected, value);
  }

  /** Copies the persistent space, as a recovery would find it had everything persisted. */
  public byte[] persistentImage() {
    return persistentWords.toArray(ValueLayout.JAVA_BYTE);
  }

  private MemorySegment space(long address) {
    return address - volatileBase >= 0 && address - volatileBase < volatileLength
        ? volatileWords
        : persistentWords;
  }

  private long offset(long address) {
    long offset = address - volatileBase;
    return offset >= 0 && offset < volatileLength ? offset : persistentOffset(address);
  }

  private long persistentOffset(long address) {
    long offset = address - persistentBase;
    if (offset < 0 || offset >= persistentLength) {
      throw new IllegalArgumentException(
          "address 0x" + Long.toHexString(address) + " is in neither space: " + layout);
    }
    return offset;
  }

  @Override
  public void close() {
    arena.close();
  }
}
