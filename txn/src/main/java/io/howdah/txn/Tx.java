package io.howdah.txn;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.RegionFullException;
import io.howdah.core.TransactionStateException;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.core.layout.RegionHeaderLayout;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A running transaction: reads and writes words of the store's region, and allocates and frees
 * blocks of it.
 *
 * <p>All reads show one state of the store, plus the transaction's own writes; nobody else sees
 * those before the commit. An address counts bytes from the region's start; 0 is the null address.
 * Words are 8 bytes, little-endian; shorter fields are naturally aligned parts of a word. Conflicts
 * are noticed by stripes of 32 bytes.
 *
 * <p>A handle belongs to the thread that runs the body, and to one attempt: used by another thread,
 * after the body has returned, or after a call of this transaction was refused, every method throws
 * {@link TransactionStateException}.
 *
 * <p>A refused call ends the transaction: it cannot commit any more, even if the body catches the
 * exception. These are {@link InvalidAddressException}, {@link RegionFullException}, {@link
 * TransactionTooLargeException}, and writing in a read-only transaction. Any read may throw {@link
 * ConflictException}, which the store handles by running the body again; let it pass.
 */
public final class Tx {

  private final TxContext context;

  /** The thread that may use this handle; null once the transaction has ended. */
  private @Nullable Thread owner = Thread.currentThread();

  /** Which transaction this is, of those that use the handle one after the other. */
  private int number;

  Tx(TxContext context) {
    this.context = context;
  }

  void end() {
    owner = null;
  }

  /** Makes an ended handle good again, for a transaction of the calling thread. */
  void begin() {
    owner = Thread.currentThread();
    number++;
  }

  /** Returns which transaction the handle stands for, of those of a session. */
  int number() {
    return number;
  }

  /**
   * Takes the handle away, from another thread. That one sees it at one of its next calls: the
   * field is plain, but each call also reads shared memory with acquire, so no loop keeps an old
   * value.
   */
  void expire() {
    owner = null;
  }

  TxContext context() {
    return context;
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
  TxContext use(Engine engine, Object structure) {
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
  void requireLive(int number) {
    live();
    if (number != this.number) {
      throw new TransactionStateException(
          "the transaction of this iterator has ended; the session has begun another one since");
    }
  }

  private RuntimeException misused() {
    Thread owner = this.owner;
    if (owner == null && context.isHandle(this)) {
      context.failIfExpired();
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

  /**
   * Reads 8 bytes.
   *
   * @param address divisible by 8
   */
  public long getLong(long address) {
    return live().get(address);
  }

  /**
   * Writes 8 bytes.
   *
   * @param address divisible by 8
   */
  public void putLong(long address, long value) {
    live().put(address, value);
  }

  /**
   * Reads 4 bytes.
   *
   * @param address divisible by 4
   */
  public int getInt(long address) {
    return (int) getField(address, Integer.BYTES);
  }

  /**
   * Writes 4 bytes.
   *
   * @param address divisible by 4
   */
  public void putInt(long address, int value) {
    putField(address, Integer.BYTES, value & 0xFFFF_FFFFL, 0xFFFF_FFFFL);
  }

  /**
   * Reads 2 bytes.
   *
   * @param address divisible by 2
   */
  public short getShort(long address) {
    return (short) getField(address, Short.BYTES);
  }

  /**
   * Writes 2 bytes.
   *
   * @param address divisible by 2
   */
  public void putShort(long address, short value) {
    putField(address, Short.BYTES, value & 0xFFFFL, 0xFFFFL);
  }

  /** Reads a byte. */
  public byte getByte(long address) {
    return (byte) getField(address, Byte.BYTES);
  }

  /** Writes a byte. */
  public void putByte(long address, byte value) {
    putField(address, Byte.BYTES, value & 0xFFL, 0xFFL);
  }

  /**
   * Reads 4 bytes as a floating-point number.
   *
   * @param address divisible by 4
   */
  public float getFloat(long address) {
    return Float.intBitsToFloat(getInt(address));
  }

  /**
   * Writes a floating-point number of 4 bytes; of NaN, its bits.
   *
   * @param address divisible by 4
   */
  public void putFloat(long address, float value) {
    putInt(address, Float.floatToRawIntBits(value));
  }

  /**
   * Reads 8 bytes as a floating-point number.
   *
   * @param address divisible by 8
   */
  public double getDouble(long address) {
    return Double.longBitsToDouble(getLong(address));
  }

  /**
   * Writes a floating-point number of 8 bytes; of NaN, its bits.
   *
   * @param address divisible by 8
   */
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

  /**
   * Reads many words, whose cache misses overlap: for random words of a large region two to three
   * times as fast as one {@link #getLong} after the other, which waits for most of a miss each
   * time.
   *
   * @param addresses each divisible by 8
   * @param values receives the words, in the same order
   * @throws IllegalArgumentException if the arrays differ in length
   */
  public void getLongs(long[] addresses, long[] values) {
    if (addresses.length != values.length) {
      throw new IllegalArgumentException(
          addresses.length + " addresses and room for " + values.length + " words");
    }
    live().get(addresses, values);
  }

  // ---- Ranges.

  /** Fills a segment with the bytes from an address on, of any alignment. */
  public void read(long address, MemorySegment target) {
    TxContext context = live();
    context.requireRange(address, target.byteSize());
    RangeAccess.read(context, address, target);
  }

  /** Writes a segment's bytes from an address on, of any alignment. */
  public void write(long address, MemorySegment source) {
    TxContext context = live();
    context.requireRange(address, source.byteSize());
    context.operations.begin();
    RangeAccess.write(context, address, source);
    context.operations.end();
  }

  /**
   * Fills a part of an array.
   *
   * @throws IndexOutOfBoundsException if the array has no such part
   */
  public void read(long address, byte[] target, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, target.length);
    TxContext context = live();
    context.requireRange(address, length);
    RangeAccess.read(context, address, target, offset, length);
  }

  /** Fills an array. */
  public void read(long address, byte[] target) {
    read(address, target, 0, target.length);
  }

  /**
   * Writes a part of an array.
   *
   * @throws IndexOutOfBoundsException if the array has no such part
   */
  public void write(long address, byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    TxContext context = live();
    context.requireRange(address, length);
    context.operations.begin();
    RangeAccess.write(context, address, source, offset, length);
    context.operations.end();
  }

  /** Writes an array. */
  public void write(long address, byte[] source) {
    write(address, source, 0, source.length);
  }

  // ---- Blocks and roots.

  /**
   * Returns the address of a new block, divisible by 16, that reads as zeros.
   *
   * @param bytes 1 to {@link StoreStats#maxBlockBytes}, about half of what the store can hold; what
   *     has been used before is cleared by this transaction, so it must fit into {@link
   *     StoreOptions#maxTransactionBytes}
   * @throws RegionFullException if there is no room for it; the transaction has ended
   */
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

  /**
   * Gives back a block that {@link #allocate} returned. Once this transaction has committed the
   * block may serve others.
   *
   * @throws InvalidAddressException if there is no such block, or if it is free already; the
   *     transaction has ended
   */
  public void free(long address) {
    TxContext context = live();
    context.operations.begin();
    context.heap.free(address);
    context.operations.end();
  }

  /**
   * Returns a root: one of the words from which an application finds its data again. 0 in a new
   * store.
   *
   * @param index 0 to 63
   */
  public long root(int index) {
    TxContext context = live();
    return context.getUnchecked(rootAddress(index));
  }

  /**
   * Sets a root.
   *
   * @param index 0 to 63
   * @param address where data of the application is, an object by {@link PersistentType#address},
   *     or 0
   */
  public void root(int index, long address) {
    TxContext context = live();
    long root = rootAddress(index);
    if (address != 0) {
      context.requireRange(ObjectLayout.place(address), 1);
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

  /**
   * Has something run once the transaction has committed and that has been acknowledged, in the
   * calling thread, before the store's method returns. Nothing is locked then, and the hook may run
   * other transactions. Hooks of attempts that are repeated are forgotten. What a hook throws is
   * logged, since the transaction has happened; the other hooks run all the same.
   */
  public void onCommit(Runnable hook) {
    live().hooks().onCommit(Objects.requireNonNull(hook, "hook"));
  }

  /**
   * Has something run once the transaction, and all before it, survive a power cut: on the executor
   * of {@link StoreOptions#completionExecutor}, also if the store's method has returned long
   * before. If the store stops before, it does not run. See {@link #onCommit}.
   */
  public void onStable(Runnable hook) {
    live().hooks().onStable(Objects.requireNonNull(hook, "hook"));
  }

  /**
   * Has something run if this attempt is the last and does not commit, in the calling thread,
   * before the store's method throws. Not run for a commit whose outcome the next opening decides,
   * since it may have happened. See {@link #onCommit}.
   */
  public void onAbort(Runnable hook) {
    live().hooks().onAbort(Objects.requireNonNull(hook, "hook"));
  }

  // ---- Ends and parts of the transaction.

  /**
   * Ends the transaction without a trace. Does not return: it throws the exception that the store's
   * method will throw, whatever the body does with it. Declared to return it so that {@code throw
   * tx.abort()} tells the compiler.
   *
   * <p>If what the body read is no longer current, it runs again instead, like after any exception.
   */
  public TransactionAbortedException abort() {
    return abort("the transaction's body aborted it");
  }

  /**
   * Ends the transaction without a trace; see {@link #abort()}.
   *
   * @param reason the exception's message
   */
  public TransactionAbortedException abort(String reason) {
    throw live().refuse(new TransactionAbortedException(reason));
  }

  /**
   * Gives up this attempt, and has the body run again once another transaction has changed
   * something that this attempt has read: how to wait for a condition. Does not return, like {@link
   * #abort()}; inside {@link #orElse} the alternative gets its turn first. Nothing is locked while
   * it waits; a virtual thread gives its carrier away. The wait ends with {@link
   * TransactionTimeoutException} at the transaction's time limit and with {@link
   * io.howdah.core.StoreClosedException} when the store is closed. An interrupt does not end it.
   *
   * @throws TransactionStateException if the transaction is irrevocable, so that nobody could
   *     change anything, or begun with {@link Store#begin()}, or if it has read nothing yet
   */
  public RetryException retry() {
    TxContext context = live();
    if (context.explicit() != null) {
      throw context.refuse(
          new TransactionStateException(
              "a transaction begun with Store.begin cannot retry: it has no body to run again"));
    }
    context.requireReads();
    context.retrying(true);
    throw new RetryException();
  }

  /**
   * Runs the first body, and if that calls {@link #retry}, takes back what it wrote and runs the
   * second one. If that calls {@code retry} as well the transaction waits for a change of anything
   * that either has read. Any other exception that leaves a body ends the whole transaction, as
   * with {@link #call}.
   *
   * @throws TransactionStateException if the first body has gone back to a savepoint from before
   *     this call and then calls {@code retry}; the transaction has ended
   */
  public <T extends @Nullable Object, E extends Exception> T orElse(
      TxFunction<T, E> first, TxFunction<T, E> second) throws E {
    TxContext context = live();
    Savepoint before = context.savepoint(this);
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

  /**
   * Marks the present state of the transaction's writes, to go back to with {@link #rollBack}.
   * Costs a little memory for every word overwritten from here on.
   */
  public Savepoint savepoint() {
    return live().savepoint(this);
  }

  /**
   * Takes back what the transaction has written, allocated, freed and hooked on since a savepoint.
   * What it has read since still counts: it may have led here. The savepoint, and those before it,
   * can be used again; those after it are gone.
   *
   * @throws IllegalArgumentException if the savepoint is of another transaction, or of another
   *     attempt, or is gone; nothing has changed then
   */
  public void rollBack(Savepoint savepoint) {
    TxContext context = live();
    if (!savepoint.isOf(this)) {
      throw new IllegalArgumentException("the savepoint belongs to another transaction or attempt");
    }
    if (!context.has(savepoint)) {
      throw new IllegalArgumentException(
          "the savepoint is gone: the transaction has gone back to one before it, or the savepoint"
              + " is of an earlier transaction with this handle");
    }
    context.rollBack(savepoint);
  }

  /**
   * Runs a body as a part of this transaction: there is one commit, at the end of the outermost
   * body. An exception that leaves the part ends the whole transaction, so that no half of a part
   * is ever committed, even if the surrounding body catches it.
   */
  public <E extends Exception> void run(TxBody<E> body) throws E {
    TxContext context = live();
    try {
      body.run(this);
    } catch (Throwable t) {
      context.refuseAfter(this, t);
      throw t;
    }
  }

  /** Runs a body with a result as a part of this transaction, like {@link #run}. */
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
