package io.howdah.collections;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a cache is opened with, beside its name and codecs.
 *
 * {@snippet :
 * PersistentCache<String, Page> pages =
 *     store.cache(
 *         "pages",
 *         String.class,
 *         Page.class,
 *         CacheOptions.ofBytes(256 << 20).withExpireAfterWrite(Duration.ofHours(1)));
 * }
 *
 * <p>Immutable.
 */
public final class CacheOptions {

  /** The smallest bound in bytes: 4 KiB. */
  public static final long MIN_BYTES = 1 << 12;

  private final long maxBytes;
  private final long maxEntries;
  private final @Nullable Expiry expiry;
  private final boolean isAfterAccess;
  private final @Nullable ChangeJournal journal;

  private CacheOptions(
      long maxBytes,
      long maxEntries,
      @Nullable Expiry expiry,
      boolean isAfterAccess,
      @Nullable ChangeJournal journal) {
    if (maxBytes < MIN_BYTES) {
      throw new IllegalArgumentException(
          "the entries of a cache may weigh at least " + MIN_BYTES + " bytes, not " + maxBytes);
    }
    if (maxEntries < 1) {
      throw new IllegalArgumentException("a cache has at least 1 entry, not " + maxEntries);
    }
    this.maxBytes = maxBytes;
    this.maxEntries = maxEntries;
    this.expiry = expiry;
    this.isAfterAccess = isAfterAccess;
    this.journal = journal;
  }

  /**
   * Returns options for a cache that is bounded by its memory.
   *
   * @param maxBytes what all entries together may weigh, at least {@value #MIN_BYTES}. An entry
   *     weighs the block that holds its encoded key and value, with 8 bytes of lengths, and 16
   *     bytes of the table. The table itself and what is free inside it are not counted
   */
  public static CacheOptions ofBytes(long maxBytes) {
    return new CacheOptions(maxBytes, Long.MAX_VALUE, null, false, null);
  }

  /**
   * Returns options for a cache that is bounded by the number of its entries.
   *
   * @param maxEntries at least 1
   */
  public static CacheOptions ofEntries(long maxEntries) {
    return new CacheOptions(Long.MAX_VALUE, maxEntries, null, false, null);
  }

  /** Bounds the memory, too; see {@link #ofBytes}. */
  public CacheOptions withMaxBytes(long bytes) {
    return new CacheOptions(bytes, maxEntries, expiry, isAfterAccess, journal);
  }

  /** Bounds the number of entries, too; see {@link #ofEntries}. */
  public CacheOptions withMaxEntries(long entries) {
    return new CacheOptions(maxBytes, entries, expiry, isAfterAccess, journal);
  }

  /**
   * Lets an entry expire so long after it was put. A cache is created with an expiry or without
   * one, and stays so; the duration may be another one in each opening.
   *
   * @param duration more than 0; rounded up to milliseconds
   */
  public CacheOptions withExpireAfterWrite(Duration duration) {
    return withExpiry(duration, false);
  }

  /**
   * Lets an entry expire so long after it was put or last found. A look-up that finds an entry
   * which has used up a sixteenth of its time gives it all of the time again, in a transaction that
   * writes; other look-ups write nothing. So an entry lives on for 15/16 of the duration at least.
   * Look-ups in read-only transactions of the program do not prolong it.
   *
   * @param duration more than 0; rounded up to milliseconds
   */
  public CacheOptions withExpireAfterAccess(Duration duration) {
    return withExpiry(duration, true);
  }

  /**
   * Lets an entry expire only if the put says when: {@link PersistentCache#put(io.howdah.txn.Tx,
   * Object, Object, Duration)}. It may be opened with another expiry later, and the reverse.
   */
  public CacheOptions withExpirePerEntry() {
    return new CacheOptions(maxBytes, maxEntries, Expiry.perEntry(), false, journal);
  }

  private CacheOptions withExpiry(Duration duration, boolean isAccess) {
    boolean hasDuration = expiry != null && expiry.duration() != null;
    if (hasDuration && isAfterAccess != isAccess) {
      throw new IllegalArgumentException(
          "the entries of a cache expire after a write or after an access, not after both");
    }
    return new CacheOptions(maxBytes, maxEntries, Expiry.after(duration), isAccess, journal);
  }

  /**
   * Lets the cache have a change journal, by which listeners are told of entries that were put,
   * removed, evicted and expired. Transactions that change the cache run one after the other then.
   */
  public CacheOptions withJournal(ChangeJournal changes) {
    if (changes.heldNanos() > 0) {
      throw new IllegalArgumentException(
          "a cache must make room at any time, so its journal cannot hold writers: " + changes);
    }
    return new CacheOptions(maxBytes, maxEntries, expiry, isAfterAccess, changes);
  }

  /** Returns what all entries may weigh; {@link Long#MAX_VALUE} without such a bound. */
  public long maxBytes() {
    return maxBytes;
  }

  /** Returns how many entries there may be; {@link Long#MAX_VALUE} without such a bound. */
  public long maxEntries() {
    return maxEntries;
  }

  @Nullable Expiry expiry() {
    return expiry;
  }

  /** Returns how long an entry lives after an access; null if an access does not matter. */
  @Nullable Duration afterAccess() {
    return expiry == null || !isAfterAccess ? null : expiry.duration();
  }

  @Nullable ChangeJournal journal() {
    return journal;
  }

  @Override
  public String toString() {
    return "cache"
        + (maxBytes == Long.MAX_VALUE ? "" : " of " + maxBytes + " bytes")
        + (maxEntries == Long.MAX_VALUE ? "" : " of " + maxEntries + " entries")
        + (expiry == null ? "" : ", " + expiry + (isAfterAccess ? " of the last access" : ""));
  }
}
