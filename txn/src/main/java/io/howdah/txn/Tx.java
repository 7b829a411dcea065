package io.howdah.txn;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.RegionFullException;
import io.howdah.core.TransactionStateException;
import io.howdah.core.TransactionTooLargeException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
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
public interface Tx {

  // ---- Words and fields.

  /**
   * Reads 8 bytes.
   *
   * @param address divisible by 8
   */
  long getLong(long address);

  /**
   * Writes 8 bytes.
   *
   * @param address divisible by 8
   */
  void putLong(long address, long value);

  /**
   * Reads 4 bytes.
   *
   * @param address divisible by 4
   */
  int getInt(long address);

  /**
   * Writes 4 bytes.
   *
   * @param address divisible by 4
   */
  void putInt(long address, int value);

  /**
   * Reads 2 bytes.
   *
   * @param address divisible by 2
   */
  short getShort(long address);

  /**
   * Writes 2 bytes.
   *
   * @param address divisible by 2
   */
  void putShort(long address, short value);

  /** Reads a byte. */
  byte getByte(long address);

  /** Writes a byte. */
  void putByte(long address, byte value);

  /**
   * Reads 4 bytes as a floating-point number.
   *
   * @param address divisible by 4
   */
  float getFloat(long address);

  /**
   * Writes a floating-point number of 4 bytes; of NaN, its bits.
   *
   * @param address divisible by 4
   */
  void putFloat(long address, float value);

  /**
   * Reads 8 bytes as a floating-point number.
   *
   * @param address divisible by 8
   */
  double getDouble(long address);

  /**
   * Writes a floating-point number of 8 bytes; of NaN, its bits.
   *
   * @param address divisible by 8
   */
  void putDouble(long address, double value);

  /**
   * Reads many words, whose cache misses overlap: for random words of a large region two to three
   * times as fast as one {@link #getLong} after the other, which waits for most of a miss each
   * time.
   *
   * @param addresses each divisible by 8
   * @param values receives the words, in the same order; another array
   * @throws IllegalArgumentException if the arrays differ in length, or are the same one
   */
  void getLongs(long[] addresses, long[] values);

  // ---- Ranges.

  /** Fills a segment with the bytes from an address on, of any alignment. */
  void read(long address, MemorySegment target);

  /** Writes a segment's bytes from an address on, of any alignment. */
  void write(long address, MemorySegment source);

  /**
   * Fills a part of an array.
   *
   * @throws IndexOutOfBoundsException if the array has no such part
   */
  void read(long address, byte[] target, int offset, int length);

  /** Fills an array. */
  void read(long address, byte[] target);

  /**
   * Writes a part of an array.
   *
   * @throws IndexOutOfBoundsException if the array has no such part
   */
  void write(long address, byte[] source, int offset, int length);

  /** Writes an array. */
  void write(long address, byte[] source);

  // ---- Blocks and roots.

  /**
   * Returns the address of a new block, divisible by 16, that reads as zeros.
   *
   * @param bytes 1 to {@code StoreStats.maxBlockBytes}, about half of what the store can hold; what
   *     has been used before is cleared by this transaction, so it must fit into {@code
   *     StoreOptions.maxTransactionBytes}
   * @throws RegionFullException if there is no room for it; the transaction has ended
   */
  long allocate(long bytes);

  /**
   * Gives back a block that {@link #allocate} returned. Once this transaction has committed the
   * block may serve others.
   *
   * @throws InvalidAddressException if there is no such block, or if it is free already; the
   *     transaction has ended
   */
  void free(long address);

  /**
   * Returns a root: one of the words from which an application finds its data again. 0 in a new
   * store.
   *
   * @param index 0 to 63
   */
  long root(int index);

  /**
   * Sets a root.
   *
   * @param index 0 to 63
   * @param address where data of the application is, an object by {@code PersistentType.address},
   *     or 0
   */
  void root(int index, long address);

  // ---- Afterwards.

  /**
   * Runs a hook once the transaction has committed and that has been acknowledged, in the calling
   * thread, before the store's method returns. Nothing is locked then, and the hook may run other
   * transactions. Hooks of attempts that are repeated are forgotten. What a hook throws is logged,
   * since the transaction has happened; the other hooks run all the same.
   */
  void onCommit(Runnable hook);

  /**
   * Runs a hook once the transaction, and all before it, survive a power cut: on the executor of
   * {@code StoreOptions.completionExecutor}, also if the store's method has returned long before.
   * If the store stops before, it does not run. See {@link #onCommit}.
   */
  void onStable(Runnable hook);

  /**
   * Runs a hook if this attempt is the last and does not commit, in the calling thread, before the
   * store's method throws. Not run for a commit whose outcome the next opening decides, since it
   * may have happened. See {@link #onCommit}.
   */
  void onAbort(Runnable hook);

  // ---- Ends and parts of the transaction.

  /**
   * Ends the transaction without a trace. Does not return: it throws the exception that the store's
   * method will throw, whatever the body does with it. Declared to return it so that {@code throw
   * tx.abort()} tells the compiler.
   *
   * <p>If what the body read is no longer current, it runs again instead, like after any exception.
   */
  TransactionAbortedException abort();

  /**
   * Ends the transaction without a trace; see {@link #abort()}.
   *
   * @param reason the exception's message
   */
  TransactionAbortedException abort(String reason);

  /**
   * Gives up this attempt, and has the body run again once another transaction has changed
   * something that this attempt has read: how to wait for a condition. Does not return, like {@link
   * #abort()}; inside {@link #orElse} the alternative gets its turn first. Nothing is locked while
   * it waits; a virtual thread gives its carrier away. The wait ends with {@link
   * TransactionTimeoutException} at the transaction's time limit and with {@link
   * io.howdah.core.StoreClosedException} when the store is closed. An interrupt does not end it.
   *
   * @throws TransactionStateException if the transaction is irrevocable or runs inside an
   *     irrevocable one of the same store, so that nobody could change anything, or begun with
   *     {@code Session.begin()}, or if it has read nothing yet
   */
  RetryException retry();

  /**
   * Gives up this attempt like {@link #retry()}, and has the body run again after a time at the
   * latest: how to wait for a condition that also the clock can bring about.
   *
   * @param atMost longer than 0
   */
  RetryException retry(Duration atMost);

  /**
   * Runs the first body, and if that calls {@link #retry}, takes back what it wrote and runs the
   * second one. If that calls {@code retry} as well the transaction waits for a change of anything
   * that either has read, or for the shorter of the times that they have given. Any other exception
   * that leaves a body ends the whole transaction, as with {@link #call}.
   *
   * @throws TransactionStateException if the first body has gone back to a savepoint from before
   *     this call and then calls {@code retry}; the transaction has ended
   */
  <T extends @Nullable Object, E extends Exception> T orElse(
      TxFunction<T, E> first, TxFunction<T, E> second) throws E;

  /**
   * Marks the present state of the transaction's writes, to go back to with {@link #rollBack}.
   * Costs a little memory for every word overwritten from here on.
   */
  Savepoint savepoint();

  /**
   * Takes back what the transaction has written, allocated, freed and hooked on since a savepoint.
   * What it has read since still counts: it may have led here. The savepoint, and those before it,
   * can be used again; those after it are gone.
   *
   * @throws IllegalArgumentException if the savepoint is of another transaction, or of another
   *     attempt, or is gone; nothing has changed then
   */
  void rollBack(Savepoint savepoint);

  /**
   * Runs a body as a part of this transaction: there is one commit, at the end of the outermost
   * body. An exception that leaves the part ends the whole transaction, so that no half of a part
   * is ever committed, even if the surrounding body catches it.
   */
  <E extends Exception> void run(TxBody<E> body) throws E;

  /** Runs a body with a result as a part of this transaction, like {@link #run}. */
  <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body) throws E;
}
