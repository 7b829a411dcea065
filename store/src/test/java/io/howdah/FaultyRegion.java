package io.howdah;

import io.howdah.core.Region;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Memory that fails at a chosen access of a chosen thread. */
public final class FaultyRegion extends Region {

  /** What it throws: nothing that anybody expects. */
  public static final class InjectedError extends Error {
    private static final long serialVersionUID = 1L;

    InjectedError(long access) {
      super("injected at access " + access);
    }
  }

  /** When to fail, shared by the regions of a store. */
  public static final class Trigger {
    private static final Thread NOBODY = new Thread();

    private Thread thread = NOBODY;
    private long failAt = Long.MAX_VALUE;
    private long accesses;
    private @Nullable Runnable action;
    private volatile Thread reader = NOBODY;
    private Runnable afterRead = () -> {};
    private boolean forGood;

    /** Has something run before the calling thread's n-th access from now on; nothing fails. */
    public void arm(long n, Runnable action) {
      arm(n);
      this.action = action;
    }

    /** Lets the calling thread fail at its n-th access from now on. */
    public void arm(long n) {
      arm(n, false);
    }

    /**
     * Lets the calling thread fail at its n-th access from now on.
     *
     * @param forGood whether it fails at all accesses from then on
     */
    public void arm(long n, boolean forGood) {
      this.forGood = forGood;
      action = null;
      thread = Thread.currentThread();
      failAt = n;
      accesses = 0;
    }

    public void disarm() {
      thread = NOBODY;
    }

    /** Has something run once, behind the calling thread's next volatile read; nothing fails. */
    public void afterNextRead(Runnable action) {
      reader = Thread.currentThread();
      afterRead = action;
    }

    private void hasRead() {
      if (Thread.currentThread().equals(reader)) {
        reader = NOBODY;
        afterRead.run();
      }
    }

    public boolean hasFired() {
      return accesses >= failAt;
    }

    /** An access of the calling thread. */
    public void access() {
      if (Thread.currentThread().equals(thread)
          && (++accesses == failAt || (forGood && accesses > failAt))) {
        if (action == null) {
          throw new InjectedError(accesses);
        }
        action.run();
      }
    }
  }

  private final Region memory;
  private final Trigger trigger;
  private final boolean failsAfterSwaps;

  /**
   * Wraps a region.
   *
   * @param failsAfterSwaps whether a compare-and-set may take effect and fail all the same
   */
  public FaultyRegion(Region memory, Trigger trigger, boolean failsAfterSwaps) {
    this.memory = memory;
    this.trigger = trigger;
    this.failsAfterSwaps = failsAfterSwaps;
  }

  @Override
  public long capacityBytes() {
    return memory.capacityBytes();
  }

  @Override
  public long getLong(long address) {
    trigger.access();
    return memory.getLong(address);
  }

  @Override
  public void setLong(long address, long value) {
    trigger.access();
    memory.setLong(address, value);
  }

  @Override
  public long getLongOpaque(long address) {
    trigger.access();
    return memory.getLongOpaque(address);
  }

  @Override
  public void setLongOpaque(long address, long value) {
    trigger.access();
    memory.setLongOpaque(address, value);
  }

  @Override
  public long getLongAcquire(long address) {
    trigger.access();
    return memory.getLongAcquire(address);
  }

  @Override
  public void setLongRelease(long address, long value) {
    trigger.access();
    memory.setLongRelease(address, value);
  }

  @Override
  public long getLongVolatile(long address) {
    trigger.access();
    long value = memory.getLongVolatile(address);
    trigger.hasRead();
    return value;
  }

  @Override
  public void setLongVolatile(long address, long value) {
    trigger.access();
    memory.setLongVolatile(address, value);
  }

  @Override
  public boolean compareAndSetLong(long address, long expected, long value) {
    trigger.access();
    boolean done = memory.compareAndSetLong(address, expected, value);
    if (failsAfterSwaps) {
      trigger.access();
    }
    return done;
  }

  @Override
  public long getAndAddLong(long address, long delta) {
    trigger.access();
    long before = memory.getAndAddLong(address, delta);
    trigger.access(); // also after it has taken effect
    return before;
  }

  @Override
  public byte getByteOpaque(long address) {
    trigger.access();
    return memory.getByteOpaque(address);
  }

  @Override
  public void setByteOpaque(long address, byte value) {
    trigger.access();
    memory.setByteOpaque(address, value);
  }

  @Override
  public void copyTo(long address, ByteBuffer target) {
    memory.copyTo(address, target);
  }

  @Override
  public void copyFrom(long address, ByteBuffer source) {
    memory.copyFrom(address, source);
  }

  @Override
  public void clear(long address, long lengthBytes) {
    memory.clear(address, lengthBytes);
  }

  @Override
  public boolean isOpen() {
    return memory.isOpen();
  }

  @Override
  public void close() {
    memory.close();
  }
}
