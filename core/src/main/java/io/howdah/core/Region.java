package io.howdah.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A fixed range of off-heap memory, addressed by 64-bit offsets from its start.
 *
 * <p>An address is an offset in bytes, never a pointer, so a region may be mapped anywhere. Words
 * are 8 bytes, little-endian, and word access requires an address divisible by 8. Every access is
 * checked for bounds and for liveness: outside the region it throws {@link
 * IndexOutOfBoundsException}, on a misaligned word {@link IllegalArgumentException}, and after
 * {@link #close()} {@link IllegalStateException}; the JVM never faults.
 *
 * <p>The memory mode is spelled at each call, with the meaning that {@link
 * java.lang.invoke.VarHandle} gives it: opaque accesses are atomic per word and coherent, but order
 * nothing else; acquire, release and volatile order as there. Plain accesses and copies are for
 * memory that one thread owns, or that was published by a release store.
 *
 * <p>All methods are thread-safe in the sense of their mode. {@code close} waits for no one: the
 * owner makes sure that no thread uses the region any more; one that still does gets an exception.
 *
 * <p>A region over a file depends on it: where the file was truncated, its device fails, or a full
 * disk cannot back a page, an access throws {@link InternalError}, possibly a little later than
 * where it happened, and what a load has returned until then means nothing. {@link #explained} says
 * what was the matter, and whether other pages are as they were.
 *
 * <p>Only one subclass is loaded in production, so calls are devirtualised. Test kits and
 * simulators provide their own to observe or to schedule every access.
 */
public abstract class Region implements AutoCloseable {

  /** Bytes in a word. */
  public static final int WORD_BYTES = Long.BYTES;

  /** One equal word in the result of {@link #rank}. */
  protected static final long EQUAL = 1L << Integer.SIZE;

  private static final VarHandle LITTLE_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** For subclasses in other modules. */
  protected Region() {}

  /**
   * Returns whether something thrown says that a page of a mapped file could not be had. The JVM
   * has no type of its own for it.
   */
  public static boolean isFault(@Nullable Throwable thrown) {
    String message = thrown instanceof InternalError ? thrown.getMessage() : null;
    return message != null && message.startsWith("a fault occurred in");
  }

  /**
   * Returns what tells more than a {@linkplain #isFault fault} of this region that was thrown:
   * {@link CorruptStoreException} if pages are lost for good, {@link UnavailablePageException} if
   * the others are as they were. Returns anything else as it is. Asks the file system.
   *
   * @param suspects addresses that may have been touched; the first whose page cannot be had is
   *     named
   */
  public final Throwable explained(Throwable thrown, long... suspects) {
    return isFault(thrown) ? explain((InternalError) thrown, suspects) : thrown;
  }

  /** Says what a fault is about; see {@link #explained}. */
  protected HowdahException explain(InternalError fault, long[] suspects) {
    return new UnavailablePageException(
        "mapped memory",
        -1,
        "a page is not available; the operation that needed it had no effect; check the file system and the device for errors",
        fault);
  }

  /** Returns the capacity in bytes, a multiple of 8; constant for the life of the region. */
  public abstract long capacityBytes();

  /** Reads a word with plain semantics. */
  public abstract long getLong(long address);

  /** Writes a word with plain semantics. */
  public abstract void setLong(long address, long value);

  /**
   * Writes words side by side with plain semantics, in no particular order.
   *
   * @param words the first {@code count} of them
   */
  public void setLongs(long address, long[] words, int count) {
    for (int i = 0; i < count; i++) {
      setLong(address + (long) i * WORD_BYTES, words[i]);
    }
  }

  /** Reads a word atomically, without ordering. */
  public abstract long getLongOpaque(long address);

  /**
   * Reads words side by side, in no particular order, for a reader that finds out whether somebody
   * wrote them meanwhile: if so, what it got is anything, even parts of words.
   *
   * @param words receives them, from an index on
   */
  public void getLongs(long address, long[] words, int from, int count) {
    for (int i = 0; i < count; i++) {
      words[from + i] = getLongOpaque(address + (long) i * WORD_BYTES);
    }
  }

  /**
   * Compares words side by side with a number, for a reader that finds out as above. No comparison
   * is a branch, which could not be predicted.
   *
   * @return how many of them are less; in the high half, how many are equal
   */
  public long rank(long address, int count, long number) {
    long rank = 0;
    for (int i = 0; i < count; i++) {
      long word = getLongOpaque(address + (long) i * WORD_BYTES);
      rank += (word < number ? 1 : 0) + (word == number ? EQUAL : 0);
    }
    return rank;
  }

  /**
   * Reads words at any addresses, for a reader that finds out as above.
   *
   * @param addresses those of the words, from an index on
   * @param words receives them, from the same index on
   */
  public void getLongs(long[] addresses, long[] words, int from, int count) {
    for (int i = from; i < from + count; i++) {
      words[i] = getLongOpaque(addresses[i]);
    }
  }

  /**
   * Reads words as bytes, like {@link #getLongs(long, long[], int, int)}.
   *
   * @param lengthBytes a multiple of 8
   */
  public void getBytes(long address, byte[] target, int offset, int lengthBytes) {
    for (int i = 0; i < lengthBytes; i += WORD_BYTES) {
      LITTLE_ENDIAN.set(target, offset + i, getLongOpaque(address + i));
    }
  }

  /** Writes a word atomically, without ordering. */
  public abstract void setLongOpaque(long address, long value);

  /**
   * Writes words at any addresses, each atomically, without ordering.
   *
   * @param words address and value of each word in turn
   * @param count number of words
   */
  public void setLongsOpaque(long[] words, int count) {
    for (int i = 0; i < 2 * count; i += 2) {
      setLongOpaque(words[i], words[i + 1]);
    }
  }

  /**
   * Writes words side by side, each atomically, without ordering.
   *
   * @param words those from an index on
   */
  public void setLongsOpaque(long address, long[] words, int from, int count) {
    for (int i = 0; i < count; i++) {
      setLongOpaque(address + (long) i * WORD_BYTES, words[from + i]);
    }
  }

  /** Reads a word; later accesses of this thread are not moved before it. */
  public abstract long getLongAcquire(long address);

  /** Writes a word; earlier accesses of this thread are not moved after it. */
  public abstract void setLongRelease(long address, long value);

  /** Reads a word in the total order of volatile accesses. */
  public abstract long getLongVolatile(long address);

  /** Writes a word in the total order of volatile accesses. */
  public abstract void setLongVolatile(long address, long value);

  /**
   * Writes {@code value} if the word holds {@code expected}, with volatile semantics.
   *
   * @return whether the word was written
   */
  public abstract boolean compareAndSetLong(long address, long expected, long value);

  /**
   * Adds {@code delta} to a word, with volatile semantics.
   *
   * @return the value before the addition
   */
  public abstract long getAndAddLong(long address, long delta);

  /** Reads a byte atomically, without ordering. */
  public abstract byte getByteOpaque(long address);

  /** Writes a byte atomically, without ordering; neighbouring bytes are untouched. */
  public abstract void setByteOpaque(long address, byte value);

  /**
   * Copies {@code target.remaining()} bytes starting at {@code address}, with plain semantics and
   * in no particular order; the target's position moves to its limit. The source must not change
   * meanwhile.
   */
  public abstract void copyTo(long address, ByteBuffer target);

  /**
   * Copies {@code target.remaining()} bytes, whole words, each atomically, without ordering: the
   * source may change meanwhile, and the copy then mixes old and new words, but never tears one.
   * The target's position moves to its limit; its order is little-endian.
   */
  public final void copyWordsTo(long address, ByteBuffer target) {
    long source = address;
    int end = target.limit();
    for (int at = target.position(); at < end; at += WORD_BYTES) {
      target.putLong(at, getLongOpaque(source));
      source += WORD_BYTES;
    }
    target.position(end);
  }

  /** Copies {@code source.remaining()} bytes to {@code address}; the mirror of {@link #copyTo}. */
  public abstract void copyFrom(long address, ByteBuffer source);

  /** Fills {@code lengthBytes} bytes with zeros, with plain semantics. */
  public abstract void clear(long address, long lengthBytes);

  /**
   * Reads one word for every page of the range and drops it, so that the pages are in memory when
   * the hot path needs them.
   */
  public final void touch(long address, long lengthBytes, int pageBytes) {
    for (long a = address & -pageBytes; a < address + lengthBytes; a += pageBytes) {
      getLongOpaque(a);
    }
  }

  /**
   * Returns how many bytes of this region are in large pages of the processor, of 2 MiB on most,
   * now. Asks the system, which takes milliseconds.
   *
   * @return empty where the system does not tell
   */
  public OptionalLong largePageBytes() {
    return OptionalLong.empty();
  }

  /** Returns whether the region is still open. */
  public abstract boolean isOpen();

  /** Unmaps the memory. Idempotent. */
  @Override
  public abstract void close();
}
