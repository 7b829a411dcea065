package io.howdah.txn.stm;

import io.howdah.core.TransactionStateException;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.RetryException;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxFunction;
import io.howdah.txn.words.RangeAccess;
import io.howdah.txn.words.Savepoints;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Tx} promises, on a context: one attempt of a transaction, or in a session one after
 * the other. For the thread that it was made in.
 */
public final class TxHandle implements Tx, TimeLimits.Expirable {

  private final TxContext context;

  /**
   * The thread that may use this handle. Once the transaction has ended, the refused call or the
   * limit that has ended it, or null. One field for all: each transaction allocates a handle.
   */
  private @Nullable Object owner = Thread.currentThread();

  /** Which transaction this is, of those that use the handle one after the other. */
  private int number;

  TxHandle(TxContext context) {
    this.context = context;
  }

  void end() {
    owner = null;
  }

  /** Ends because of a call that cannot be served; later calls say so. */
  void end(RuntimeException refusal) {
    owner = refusal;
  }

  /** Makes an ended handle good again, for a transaction of the calling thread. */
  void begin() {
    owner = Thread.currentThread();
    number++;
  }

  /** Returns which transaction the handle stands for, of those of a session. */
  public int number() {
    return number;
  }

  /**
   * Takes the handle away, from another thread. That one sees it at one of its next calls: the
   * field is plain, but each call also reads shared memory with acquire, so no loop keeps an old
   * value.
   */
  @Override
  public void expire(TimeLimits.Limit limit) {
    owner = limit;
  }

  /**
   * Returns the handle that a transaction's body has got.
   *
   * @throws IllegalArgumentException if the object was not made by a store
   */
  public static TxHandle of(Tx tx) {
    if (tx instanceof TxHandle handle) {
      return handle;
    }
    throw new IllegalArgumentException("not a transaction of a store: " + tx);
  }

  public TxContext context() {
    return context;
  }

  /** Returns whether the calling thread may use the handle: it is its own, and has not ended. */
  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  public boolean isLive() {
    return Thread.currentThread() == owner;
  }

  /** One comparison refuses stale handles and foreign threads alike. */
  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  private TxContext live() {
    if (Thread.currentThread() != owner) {
      throw misused();
    }
    return context;
  }

  /** Returns the context for a structure of a store. */
  public TxContext use(TxEnvironment engine, Object structure) {
    TxContext context = live();
    if (!context.isOf(engine)) {
      throw context.refuse(
          new TransactionStateException(
              structure + " belongs to another store than this transaction"));
    }
    return context;
  }

  /**
   * Refuses a stale handle, a foreign thread, and what was made for an earlier transaction with
   * this handle.
   */
  public void requireLive(int number) {
    live();
    if (number != this.number) {
      throw new TransactionStateException(
          "the transaction of this iterator has ended; the session has begun another one since");
    }
  }

  private RuntimeException misused() {
    Object owner = this.owner;
    if (owner instanceof TimeLimits.Limit limit) {
      if (limit.isOf(Thread.currentThread()) && context.isHandle(this)) {
        context.failIfExpired(); // ends the transaction, which its own thread alone may do
      }
      owner = null;
    }
    if (owner instanceof RuntimeException refusal) {
      return new TransactionStateException(
          "this transaction has ended, since a call was refused: " + refusal, refusal);
    }
    return new TransactionStateException(
        owner == null
            ? "this transaction has ended; a Tx is valid inside its body only"
            : "this transaction belongs to "
                + owner
                + " and cannot be used by "
                + Thread.currentThread());
  }

  // ---- Words and fields.

  @Override
  public long getLong(long address) {
    return live().get(address);
  }

  @Override
  public void putLong(long address, long value) {
    live().put(address, value);
  }

  @Override
  public int getInt(long address) {
    return (int) getField(address, Integer.BYTES);
  }

  @Override
  public void putInt(long address, int value) {
    putField(address, Integer.BYTES, value & 0xFFFF_FFFFL, 0xFFFF_FFFFL);
  }

  @Override
  public short getShort(long address) {
    return (short) getField(address, Short.BYTES);
  }

  @Override
  public void putShort(long address, short value) {
    putField(address, Short.BYTES, value & 0xFFFFL, 0xFFFFL);
  }

  @Override
  public byte getByte(long address) {
    return (byte) getField(address, Byte.BYTES);
  }

  @Override
  public void putByte(long address, byte value) {
    putField(address, Byte.BYTES, value & 0xFFL, 0xFFL);
  }

  @Override
  public float getFloat(long address) {
    return Float.intBitsToFloat(getInt(address));
  }

  @Override
  public void putFloat(long address, float value) {
    putInt(address, Float.floatToRawIntBits(value));
  }

  @Override
  public double getDouble(long address) {
    return Double.longBitsToDouble(getLong(address));
  }

  @Override
  public void putDouble(long address, double value) {
    putLong(address, Double.doubleToRawLongBits(value));
  }

  private long getField(long address, int lengthBytes) {
    TxContext context = live();
    context.requireField(address, lengthBytes);
    return context.getUnchecked(address & -Long.BYTES) >>> shift(address);
  }

  /** The other fields of the word keep their values, so the word is read too. */
  private void putField(long address, int lengthBytes, long bits, long mask) {
    TxContext context = live();
    context.requireField(address, lengthBytes);
    int shift = shift(address);
    long word = context.getUnchecked(address & -Long.BYTES);
    context.putUnchecked(address & -Long.BYTES, (word & ~(mask << shift)) | (bits << shift));
  }

  private static int shift(long address) {
    return (int) (address & (Long.BYTES - 1)) * Byte.SIZE;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // one array, not equal contents
  public void getLongs(long[] addresses, long[] values) {
    if (addresses.length != values.length) {
      throw new IllegalArgumentException(
          addresses.length + " addresses and room for " + values.length + " words");
    }
    if (addresses == values) {
      throw new IllegalArgumentException("the words read would replace the addresses");
    }
    live().get(addresses, values);
  }

  // ---- Ranges.

  @Override
  public void read(long address, MemorySegment target) {
    TxContext context = live();
    context.requireRange(address, target.byteSize());
    RangeAccess.read(context, address, target);
  }

  @Override
  public void write(long address, MemorySegment source) {
    TxContext context = live();
    context.requireRange(address, source.byteSize());
    context.operations.begin();
    RangeAccess.write(context, address, source);
    context.operations.end();
  }

  @Override
  public void read(long address, byte[] target, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, target.length);
    TxContext context = live();
    context.requireRange(address, length);
    RangeAccess.read(context, address, target, offset, length);
  }

  @Override
  public void read(long address, byte[] target) {
    read(address, target, 0, target.length);
  }

  @Override
  public void write(long address, byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    TxContext context = live();
    context.requireRange(address, length);
    context.operations.begin();
    RangeAccess.write(context, address, source, offset, length);
    context.operations.end();
  }

  @Override
  public void write(long address, byte[] source) {
    write(address, source, 0, source.length);
  }

  // ---- Blocks and roots.

  @Override
  public long allocate(long bytes) {
    TxContext context = live();
    context.operations.begin();
    long address;
    try {
      address = context.heap.allocate(bytes);
    } catch (IllegalArgumentException e) {
      context.operations.end(); // refused before anything was written
      throw e;
    }
    context.operations.end();
    return address;
  }

  @Override
  public void free(long address) {
    TxContext context = live();
    context.operations.begin();
    context.heap.free(address);
    context.operations.end();
  }

  @Override
  public long root(int index) {
    TxContext context = live();
    return context.getUnchecked(rootAddress(index));
  }

  @Override
  public void root(int index, long address) {
    TxContext context = live();
    long root = rootAddress(index);
    if (address != 0) {
      context.requireRange(ReferenceLayout.address(address), 1);
    }
    context.putUnchecked(root, address);
  }

  private static long rootAddress(int index) {
    if (index < 0 || index >= RegionHeaderLayout.ROOTS) {
      throw new IllegalArgumentException(
          "roots are numbered 0 to " + (RegionHeaderLayout.ROOTS - 1) + ", not " + index);
    }
    return RegionHeaderLayout.ROOTS_ADDRESS + (long) index * Long.BYTES;
  }

  // ---- Afterwards.

  @Override
  public void onCommit(Runnable hook) {
    live().hooks().onCommit(Objects.requireNonNull(hook, "hook"));
  }

  @Override
  public void onStable(Runnable hook) {
    live().hooks().onStable(Objects.requireNonNull(hook, "hook"));
  }

  @Override
  public void onAbort(Runnable hook) {
    live().hooks().onAbort(Objects.requireNonNull(hook, "hook"));
  }

  // ---- Ends and parts of the transaction.

  @Override
  public TransactionAbortedException abort() {
    return abort("the transaction's body aborted it");
  }

  @Override
  public TransactionAbortedException abort(String reason) {
    throw live().refuse(new TransactionAbortedException(reason));
  }

  @Override
  public RetryException retry(Duration atMost) {
    TxContext context = live();
    if (!atMost.isPositive()) {
      throw context.refuse(
          new IllegalArgumentException("a transaction waits longer than 0, not " + atMost));
    }
    return retry(new RetryWaits.Limit(context.engine.execution(), TimeLimits.nanos(atMost), false));
  }

  /**
   * Gives up like {@link #retry()}, to wait until a limit at most. Of the limits of two
   * alternatives of {@link #orElse} the first one to end counts.
   */
  public RetryException retry(RetryWaits.Limit limit) {
    TxContext context = live();
    RetryWaits.Limit former = context.retryLimit();
    context.retryLimit(former == null ? limit : former.sooner(limit));
    return retry();
  }

  @Override
  public RetryException retry() {
    TxContext context = live();
    if (context.isExplicit()) {
      throw context.refuse(
          new TransactionStateException(
              "a transaction of a session cannot retry: it has no body to run again"));
    }
    context.requireReadSet();
    context.retrying(true);
    throw new RetryException();
  }

  @Override
  public <T extends @Nullable Object, E extends Exception> T orElse(
      TxFunction<T, E> first, TxFunction<T, E> second) throws E {
    TxContext context = live();
    Savepoints.Taken before = context.savepoint(this);
    try {
      T result = call(first);
      if (!context.isRetrying()) {
        return result;
      }
    } catch (RetryException e) {
      if (!context.isRetrying()) {
        throw e; // another transaction's
      }
    }
    context.retrying(false);
    if (!context.has(before)) {
      throw context.refuse(
          new TransactionStateException(
              "the first alternative went back to a savepoint from before orElse and then called"
                  + " retry: what was written between the two cannot be brought back"));
    }
    context.rollBack(before);
    return call(second);
  }

  @Override
  public Savepoint savepoint() {
    return live().savepoint(this);
  }

  @Override
  public void rollBack(Savepoint savepoint) {
    TxContext context = live();
    if (!(savepoint instanceof Savepoints.Taken taken) || !taken.isOf(this)) {
      throw new IllegalArgumentException("the savepoint belongs to another transaction or attempt");
    }
    if (!context.has(taken)) {
      throw new IllegalArgumentException(
          "the savepoint is gone: the transaction has gone back to one before it, or the savepoint"
              + " is of an earlier transaction with this handle");
    }
    context.rollBack(taken);
  }

  @Override
  public <E extends Exception> void run(TxBody<E> body) throws E {
    TxContext context = live();
    try {
      body.run(this);
    } catch (Throwable t) {
      context.refuseAfter(this, t);
      throw t;
    }
  }

  @Override
  public <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body) throws E {
    TxContext context = live();
    try {
      return body.call(this);
    } catch (Throwable t) {
      context.refuseAfter(this, t);
      throw t;
    }
  }
}
