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
import io.howdah.txn.words.RetryLimit;
import io.howdah.txn.words.RunningTx;
import io.howdah.txn.words.Savepoints;
import io.howdah.txn.words.Words;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Tx} of an attempt; in a session, of one attempt after the other. Only the thread that
 * created it may use it.
 */
public final class TxHandle implements RunningTx, TimeLimits.Expirable {

  private final Words words;
  private final Attempt attempt;

  /**
   * The thread that may use this handle. After the end of the transaction, the exception or the
   * limit that ended it, or null. One field has all three meanings to keep the handle, which every
   * transaction allocates, at 24 bytes.
   */
  private @Nullable Object owner = Thread.currentThread();

  TxHandle(Attempt attempt) {
    this.words = attempt.words;
    this.attempt = attempt;
  }

  void end() {
    owner = null;
  }

  /** Invalidates the handle because a call failed; later calls report that exception. */
  void end(RuntimeException refusal) {
    owner = refusal;
  }

  /** Makes the handle valid again, for a new transaction of the calling thread. */
  void begin() {
    owner = Thread.currentThread();
  }

  @Override
  public int number() {
    return attempt.number();
  }

  /**
   * Invalidates the handle, from another thread. The transaction's thread sees the change at one of
   * its next calls. The field is plain, but each call also reads shared memory with acquire, so the
   * JIT compiler cannot keep the old value in a loop.
   */
  @Override
  public void expire(TimeLimits.Limit limit) {
    owner = limit;
  }

  /**
   * Returns a transaction's handle as this type.
   *
   * @throws IllegalArgumentException if the object was not made by a store
   */
  public static TxHandle of(Tx tx) {
    if (tx instanceof TxHandle handle) {
      return handle;
    }
    throw new IllegalArgumentException("not a transaction of a store: " + tx);
  }

  Attempt attempt() {
    return attempt;
  }

  /** Returns the words that the transaction reads and writes. */
  public Words words() {
    return words;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  public boolean isLive() {
    return Thread.currentThread() == owner;
  }

  /** Returns the words. One comparison detects both an ended transaction and another thread. */
  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  private Words live() {
    if (Thread.currentThread() != owner) {
      throw misused();
    }
    return words;
  }

  private Attempt liveAttempt() {
    live();
    return attempt;
  }

  /** Returns the words of the transaction, for a structure of a store. */
  public Words use(TxEnvironment engine, Object structure) {
    Words words = live();
    if (!attempt.isOf(engine)) {
      throw words.refuse(
          new TransactionStateException(
              structure + " belongs to another store than this transaction"));
    }
    return words;
  }

  @Override
  public void requireLive(int number) {
    live();
    if (number != attempt.number()) {
      throw new TransactionStateException(
          "the transaction of this iterator has ended, and its session has begun another one");
    }
  }

  private RuntimeException misused() {
    Object owner = this.owner;
    if (owner instanceof TimeLimits.Limit limit) {
      if (limit.isOf(Thread.currentThread()) && attempt.isHandle(this)) {
        attempt.failIfExpired(); // ends the transaction, which only its own thread may do
      }
      owner = null;
    }
    if (owner instanceof RuntimeException refusal) {
      return new TransactionStateException(
          "this transaction has ended because a call failed: " + refusal, refusal);
    }
    return new TransactionStateException(
        owner == null
            ? "this transaction has ended; a Tx is valid only inside its body"
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
    Words words = live();
    words.requireField(address, lengthBytes);
    return words.getUnchecked(address & -Long.BYTES) >>> shift(address);
  }

  /** Writes a field. The word is also read, since its other fields keep their values. */
  private void putField(long address, int lengthBytes, long bits, long mask) {
    Words words = live();
    words.requireField(address, lengthBytes);
    int shift = shift(address);
    long word = words.getUnchecked(address & -Long.BYTES);
    words.putUnchecked(address & -Long.BYTES, (word & ~(mask << shift)) | (bits << shift));
  }

  private static int shift(long address) {
    return (int) (address & (Long.BYTES - 1)) * Byte.SIZE;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the same array, not equal contents
  public void getLongs(long[] addresses, long[] values) {
    if (addresses.length != values.length) {
      throw new IllegalArgumentException(
          addresses.length + " addresses and room for " + values.length + " words");
    }
    if (addresses == values) {
      throw new IllegalArgumentException("addresses and values must be different arrays");
    }
    live().get(addresses, values);
  }

  // ---- Ranges.

  @Override
  public void read(long address, MemorySegment target) {
    Words words = live();
    words.requireRange(address, target.byteSize());
    RangeAccess.read(words, address, target);
  }

  @Override
  public void write(long address, MemorySegment source) {
    Words words = live();
    words.requireRange(address, source.byteSize());
    words.operations.begin();
    RangeAccess.write(words, address, source);
    words.operations.end();
  }

  @Override
  public void read(long address, byte[] target, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, target.length);
    Words words = live();
    words.requireRange(address, length);
    RangeAccess.read(words, address, target, offset, length);
  }

  @Override
  public void read(long address, byte[] target) {
    read(address, target, 0, target.length);
  }

  @Override
  public void write(long address, byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    Words words = live();
    words.requireRange(address, length);
    words.operations.begin();
    RangeAccess.write(words, address, source, offset, length);
    words.operations.end();
  }

  @Override
  public void write(long address, byte[] source) {
    write(address, source, 0, source.length);
  }

  // ---- Blocks and roots.

  @Override
  public long allocate(long bytes) {
    Words words = live();
    words.operations.begin();
    long address;
    try {
      address = words.heap.allocate(bytes);
    } catch (IllegalArgumentException e) {
      words.operations.end(); // the call failed before its first write
      throw e;
    }
    words.operations.end();
    return address;
  }

  @Override
  public void free(long address) {
    Words words = live();
    words.operations.begin();
    words.heap.free(address);
    words.operations.end();
  }

  @Override
  public long root(int index) {
    Words words = live();
    return words.getUnchecked(rootAddress(index));
  }

  @Override
  public void root(int index, long address) {
    Words words = live();
    long root = rootAddress(index);
    if (address != 0) {
      words.requireRange(ReferenceLayout.address(address), 1);
    }
    words.putUnchecked(root, address);
  }

  private static long rootAddress(int index) {
    if (index < 0 || index >= RegionHeaderLayout.ROOTS) {
      throw new IllegalArgumentException(
          "roots are numbered 0 to " + (RegionHeaderLayout.ROOTS - 1) + ", not " + index);
    }
    return RegionHeaderLayout.ROOTS_ADDRESS + (long) index * Long.BYTES;
  }

  // ---- Hooks.

  @Override
  public void onCommit(Runnable hook) {
    liveAttempt().hooks().onCommit(Objects.requireNonNull(hook, "hook"));
  }

  @Override
  public void onStable(Runnable hook) {
    liveAttempt().hooks().onStable(Objects.requireNonNull(hook, "hook"));
  }

  @Override
  public void onAbort(Runnable hook) {
    liveAttempt().hooks().onAbort(Objects.requireNonNull(hook, "hook"));
  }

  // ---- Abort, retry, savepoints and nested bodies.

  @Override
  public TransactionAbortedException abort() {
    return abort("the transaction's body aborted it");
  }

  @Override
  public TransactionAbortedException abort(String reason) {
    throw liveAttempt().refuse(new TransactionAbortedException(reason));
  }

  @Override
  public RetryException retry(Duration atMost) {
    Attempt attempt = liveAttempt();
    if (!atMost.isPositive()) {
      throw attempt.refuse(
          new IllegalArgumentException("the maximum wait must be positive, not " + atMost));
    }
    return retry(new RetryLimit(attempt.execution(), TimeLimits.nanos(atMost), false));
  }

  @Override
  public RetryException retry(RetryLimit limit) {
    Attempt attempt = liveAttempt();
    RetryLimit former = attempt.retryLimit();
    attempt.retryLimit(former == null ? limit : former.sooner(limit));
    return retry();
  }

  @Override
  public RetryException retry() {
    Attempt attempt = liveAttempt();
    if (attempt.isOfSession()) {
      throw attempt.refuse(
          new TransactionStateException(
              "a transaction of a session cannot retry: it has no body to run again"));
    }
    attempt.words.requireReadSet();
    attempt.retrying(true);
    throw new RetryException();
  }

  @Override
  public <T extends @Nullable Object, E extends Exception> T orElse(
      TxFunction<T, E> first, TxFunction<T, E> second) throws E {
    Attempt attempt = liveAttempt();
    Savepoints.State before = attempt.savepoint(this);
    try {
      T result = call(first);
      if (!attempt.isRetrying()) {
        return result;
      }
    } catch (RetryException e) {
      if (!attempt.isRetrying()) {
        throw e; // of another transaction
      }
    }
    attempt.retrying(false);
    if (!words.has(before)) {
      throw attempt.refuse(
          new TransactionStateException(
              "the first alternative rolled back to a savepoint from before orElse and then called"
                  + " retry: writes between that savepoint and orElse cannot be restored"));
    }
    attempt.rollBack(before);
    return call(second);
  }

  @Override
  public Savepoint savepoint() {
    return liveAttempt().savepoint(this);
  }

  @Override
  public void rollBack(Savepoint savepoint) {
    Attempt attempt = liveAttempt();
    if (!(savepoint instanceof Savepoints.State state) || !state.isOf(this)) {
      throw new IllegalArgumentException("the savepoint belongs to another transaction or attempt");
    }
    if (!words.has(state)) {
      throw new IllegalArgumentException(
          "the savepoint is invalid: the transaction has rolled back to an earlier one, or the"
              + " savepoint belongs to an earlier transaction with this handle");
    }
    attempt.rollBack(state);
  }

  @Override
  public <E extends Exception> void run(TxBody<E> body) throws E {
    Attempt attempt = liveAttempt();
    try {
      body.run(this);
    } catch (Throwable t) {
      attempt.refuseAfter(this, t);
      throw t;
    }
  }

  @Override
  public <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body) throws E {
    Attempt attempt = liveAttempt();
    try {
      return body.call(this);
    } catch (Throwable t) {
      attempt.refuseAfter(this, t);
      throw t;
    }
  }
}
