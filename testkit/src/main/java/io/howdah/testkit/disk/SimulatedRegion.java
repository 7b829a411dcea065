package io.howdah.testkit.disk;

import io.howdah.core.Region;
import io.howdah.core.layout.Alignment;
import io.howdah.testkit.schedule.Mixer;
import io.howdah.testkit.schedule.Scheduling;
import io.howdah.testkit.schedule.Step;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Memory whose every access is a scheduling point. Accesses interleave, and are otherwise
 * sequentially consistent whatever mode they ask for: weaker orders are another tool's business.
 *
 * <p>A copy is two accesses, the border between them drawn at random, so that a thread can be
 * preempted or killed with half of it done.
 */
final class SimulatedRegion extends Region {

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** Where the pages are. Called with the lock. */
  private interface Memory {
    /** Returns a page of which a range is to be read, or null for zeros. */
    byte @Nullable [] get(int page, int from, int length);

    /** Returns a page to write. */
    byte[] touch(int page, int from, int length);
  }

  private final Object lock;
  private final Scheduling scheduling;
  private final Incarnation process;

  /** What counts the stores, or null if they die with the process. */
  private final @Nullable DiskOperations counting;

  private final Memory memory;
  private final long capacity;
  private volatile boolean open = true;

  private SimulatedRegion(
      Object lock,
      Scheduling scheduling,
      Incarnation process,
      @Nullable DiskOperations counting,
      Memory memory,
      long capacity) {
    this.lock = lock;
    this.scheduling = scheduling;
    this.process = process;
    this.counting = counting;
    this.memory = memory;
    this.capacity = capacity;
  }

  static void requireCapacity(long lengthBytes) {
    if (lengthBytes < WORD_BYTES || lengthBytes % WORD_BYTES != 0) {
      throw new IllegalArgumentException(
          "a region of " + lengthBytes + " bytes; expected a positive multiple of " + WORD_BYTES);
    }
  }

  static SimulatedRegion shared(
      DiskOperations operations,
      Incarnation process,
      FileSystem files,
      Inode inode,
      long capacity) {
    Memory memory =
        new Memory() {
          @Override
          public byte @Nullable [] get(int page, int from, int length) {
            requireBacked(inode, page);
            inode.noteRead(page, from, length);
            return inode.pages.get(page);
          }

          @Override
          public byte[] touch(int page, int from, int length) {
            requireBacked(inode, page);
            try {
              return files.touch(inode, page, from, length);
            } catch (FileSystem.NoSpace e) {
              throw unbacked("the disk is full");
            }
          }
        };
    return new SimulatedRegion(
        operations.lock(), operations.scheduling(), process, operations, memory, capacity);
  }

  /**
   * Maps a file privately.
   *
   * @param mappedBytes of the file; behind its last page there is memory that the file does not
   *     back
   */
  static SimulatedRegion privateCopy(
      DiskOperations operations,
      Incarnation process,
      Inode inode,
      long capacity,
      long mappedBytes) {
    Pages written = new Pages();
    long mappedPages = Alignment.up(mappedBytes, Pages.PAGE_BYTES) >>> Pages.PAGE_SHIFT;
    UnitWatch watch = inode.watch == null ? null : inode.watch.ofPrivateCopy();
    Memory memory =
        new Memory() {
          @Override
          public byte @Nullable [] get(int page, int from, int length) {
            if (page >= mappedPages) {
              return written.get(page);
            }
            if (watch != null) {
              watch.read(page, from, length);
            }
            byte[] own = written.get(page);
            if (own != null) {
              return own;
            }
            requireBacked(inode, page);
            return inode.pages.get(page);
          }

          @Override
          public byte[] touch(int page, int from, int length) {
            if (page >= mappedPages) {
              return written.writable(page);
            }
            if (watch != null) {
              watch.overwritten(page, from, length);
            }
            if (written.get(page) == null) {
              requireBacked(inode, page);
              byte[] source = inode.pages.get(page);
              byte[] copy = written.writable(page);
              if (source != null) {
                System.arraycopy(source, 0, copy, 0, copy.length);
              }
              return copy;
            }
            return written.writable(page);
          }
        };
    return new SimulatedRegion(
        operations.lock(), operations.scheduling(), process, null, memory, capacity);
  }

  static SimulatedRegion anonymous(DiskOperations operations, Incarnation process, long capacity) {
    return ofPages(operations, process, new Pages(), capacity);
  }

  /** The file's bytes as they are now, zeros behind its end. Called with the lock. */
  static SimulatedRegion loaded(
      DiskOperations operations, Incarnation process, Inode inode, long capacity) {
    for (int page = 0; (long) page << Pages.PAGE_SHIFT < inode.size; page++) {
      inode.noteRead(page, 0, Pages.PAGE_BYTES);
    }
    return ofPages(operations, process, inode.pages.copy(), capacity);
  }

  private static SimulatedRegion ofPages(
      DiskOperations operations, Incarnation process, Pages pages, long capacity) {
    Memory memory =
        new Memory() {
          @Override
          public byte @Nullable [] get(int page, int from, int length) {
            return pages.get(page);
          }

          @Override
          public byte[] touch(int page, int from, int length) {
            return pages.writable(page);
          }
        };
    return new SimulatedRegion(
        new Object(), operations.scheduling(), process, null, memory, capacity);
  }

  /** A mapped page behind the end of its file cannot be used. */
  private static void requireBacked(Inode inode, int page) {
    if ((long) page << Pages.PAGE_SHIFT >= inode.size) {
      throw unbacked("the file was truncated");
    }
  }

  private static InternalError unbacked(String why) {
    return new InternalError("a fault occurred in an unsafe memory access operation: " + why);
  }

  @Override
  public long capacityBytes() {
    return capacity;
  }

  private void check(long address, long length) {
    process.checkAlive();
    if (!open) {
      throw new IllegalStateException("the region is closed");
    }
    if (address < 0 || length < 0 || address > capacity - length) {
      throw new IndexOutOfBoundsException(
          "address " + address + ", " + length + " bytes, in a region of " + capacity);
    }
  }

  private void checkWord(long address) {
    check(address, WORD_BYTES);
    if ((address & (WORD_BYTES - 1)) != 0) {
      throw new IllegalArgumentException("address " + address + " is not a multiple of 8");
    }
  }

  private long load(long address) {
    checkWord(address);
    scheduling.step(Step.LOAD, address, 0);
    synchronized (lock) {
      check(address, WORD_BYTES);
      return word(address);
    }
  }

  private void store(long address, long value) {
    checkWord(address);
    scheduling.step(Step.STORE, address, value);
    synchronized (lock) {
      check(address, WORD_BYTES);
      putWord(address, value);
    }
  }

  private long word(long address) {
    byte[] page = memory.get((int) (address >>> Pages.PAGE_SHIFT), offset(address), WORD_BYTES);
    return page == null ? 0 : (long) WORD.get(page, offset(address));
  }

  private void putWord(long address, long value) {
    boolean crashAfter = beginStore(address, value, WORD_BYTES, null);
    byte[] page = memory.touch((int) (address >>> Pages.PAGE_SHIFT), offset(address), WORD_BYTES);
    WORD.set(page, offset(address), value);
    endStore(crashAfter);
  }

  private boolean beginStore(long address, long value, long length, @Nullable ByteBuffer source) {
    return counting != null
        && counting.beginStore(
            address,
            value,
            draw -> {
              // A word is stored whole or not at all; of a copy, whole words are.
              int words = (int) (length / WORD_BYTES);
              if (words > 1) {
                int done = (int) Long.remainderUnsigned(draw, words) * WORD_BYTES;
                fill(address, source == null ? null : source.duplicate(), done);
              }
            });
  }

  private void endStore(boolean crashAfter) {
    if (crashAfter && counting != null) {
      counting.crashAfterStore();
    }
  }

  private static int offset(long address) {
    return (int) (address & (Pages.PAGE_BYTES - 1));
  }

  @Override
  public long getLong(long address) {
    return load(address);
  }

  @Override
  public void setLong(long address, long value) {
    store(address, value);
  }

  @Override
  public long getLongOpaque(long address) {
    return load(address);
  }

  @Override
  public void setLongOpaque(long address, long value) {
    store(address, value);
  }

  @Override
  public long getLongAcquire(long address) {
    return load(address);
  }

  @Override
  public void setLongRelease(long address, long value) {
    store(address, value);
  }

  @Override
  public long getLongVolatile(long address) {
    return load(address);
  }

  @Override
  public void setLongVolatile(long address, long value) {
    store(address, value);
  }

  @Override
  public boolean compareAndSetLong(long address, long expected, long value) {
    checkWord(address);
    scheduling.step(Step.UPDATE, address, value);
    synchronized (lock) {
      check(address, WORD_BYTES);
      if (word(address) != expected) {
        return false;
      }
      putWord(address, value);
      return true;
    }
  }

  @Override
  public long getAndAddLong(long address, long delta) {
    checkWord(address);
    scheduling.step(Step.UPDATE, address, delta);
    synchronized (lock) {
      check(address, WORD_BYTES);
      long before = word(address);
      putWord(address, before + delta);
      return before;
    }
  }

  @Override
  public byte getByteOpaque(long address) {
    check(address, 1);
    scheduling.step(Step.LOAD, address, 0);
    synchronized (lock) {
      check(address, 1);
      byte[] page = memory.get((int) (address >>> Pages.PAGE_SHIFT), offset(address), 1);
      return page == null ? 0 : page[offset(address)];
    }
  }

  @Override
  public void setByteOpaque(long address, byte value) {
    check(address, 1);
    scheduling.step(Step.STORE, address, value);
    synchronized (lock) {
      check(address, 1);
      boolean crashAfter = beginStore(address, value, 1, null);
      memory.touch((int) (address >>> Pages.PAGE_SHIFT), offset(address), 1)[offset(address)] =
          value;
      endStore(crashAfter);
    }
  }

  @Override
  public void copyTo(long address, ByteBuffer target) {
    check(address, target.remaining());
    scheduling.step(Step.COPY, address, 0);
    int part = firstPart(address, target.remaining());
    read(address, target, part);
    if (target.hasRemaining()) {
      scheduling.step(Step.COPY, address + part, 0);
      read(address + part, target, target.remaining());
    }
  }

  @Override
  public void copyFrom(long address, ByteBuffer source) {
    check(address, source.remaining());
    scheduling.step(Step.COPY, address, 1);
    int part = firstPart(address, source.remaining());
    write(address, source, part);
    if (source.hasRemaining()) {
      scheduling.step(Step.COPY, address + part, 1);
      write(address + part, source, source.remaining());
    }
  }

  /** Returns how much of a copy comes before the second scheduling point: whole words. */
  private int firstPart(long address, int length) {
    if (!scheduling.isActive() || length < 2 * WORD_BYTES) {
      return length;
    }
    return (int) Long.remainderUnsigned(Mixer.mix(address, length), length / WORD_BYTES)
        * WORD_BYTES;
  }

  private void read(long address, ByteBuffer target, int length) {
    synchronized (lock) {
      check(address, length);
      int done = 0;
      while (done < length) {
        long at = address + done;
        int part = Math.min(length - done, Pages.PAGE_BYTES - offset(at));
        byte[] page = memory.get((int) (at >>> Pages.PAGE_SHIFT), offset(at), part);
        if (page == null) {
          for (int i = 0; i < part; i++) {
            target.put((byte) 0);
          }
        } else {
          target.put(page, offset(at), part);
        }
        done += part;
      }
    }
  }

  private void write(long address, ByteBuffer source, int length) {
    if (length == 0) {
      return;
    }
    synchronized (lock) {
      check(address, length);
      boolean crashAfter = beginStore(address, length, length, source);
      fill(address, source, length);
      endStore(crashAfter);
    }
  }

  /** Stores bytes of the source, or zeros without one. */
  private void fill(long address, @Nullable ByteBuffer source, long length) {
    long done = 0;
    while (done < length) {
      long at = address + done;
      int from = offset(at);
      int part = (int) Math.min(length - done, Pages.PAGE_BYTES - from);
      byte[] page = memory.touch((int) (at >>> Pages.PAGE_SHIFT), from, part);
      if (source == null) {
        Arrays.fill(page, from, from + part, (byte) 0);
      } else {
        source.get(page, from, part);
      }
      done += part;
    }
  }

  @Override
  public void clear(long address, long lengthBytes) {
    check(address, lengthBytes);
    scheduling.step(Step.COPY, address, 2);
    synchronized (lock) {
      check(address, lengthBytes);
      if (lengthBytes > 0) {
        boolean crashAfter = beginStore(address, lengthBytes, lengthBytes, null);
        fill(address, null, lengthBytes);
        endStore(crashAfter);
      }
    }
  }

  @Override
  public boolean isOpen() {
    process.checkAlive();
    return open;
  }

  @Override
  public void close() {
    process.checkAlive();
    open = false;
  }
}
