package io.howdah.server.cache;

import org.jspecify.annotations.Nullable;

/**
 * One value with what memcached keeps beside it. Immutable. A large value is not in the item, which
 * names it: {@link Cache#reader} reads it.
 */
public final class Item {

  /** In an item to be stored: the cache gives it a CAS value that no item ever had. */
  public static final long NEW_CAS = 0;

  /** The item was invalidated and is still served, marked as stale. */
  public static final int STALE = 1;

  /** A client was told that it is the one to make the item anew. */
  public static final int TOKEN_SENT = 2;

  /** The item was stored under a key in base64. */
  public static final int BINARY_KEY = 4;

  private final int flags;
  private final long expiresAt;
  private final long cas;
  private final int marks;

  /** The bytes, or null if the value is large. */
  private final byte @Nullable [] value;

  /** The value was changed in its place. */
  private final boolean isInPlace;

  /** Names the large value; null if the bytes are here. */
  private final @Nullable LargeValue large;

  /**
   * Makes an item.
   *
   * @param flags the client's 32 bits, which mean nothing to the server
   * @param expiresAt the second since 1970 from which the item is gone, or {@link Expiry#NEVER}
   * @param cas changes with every change of the value; {@link #NEW_CAS} asks the cache for a new
   *     one
   * @param marks {@link #STALE}, {@link #TOKEN_SENT}, {@link #BINARY_KEY}
   * @param value the bytes; the array is shared, and nobody changes it from now on
   */
  public Item(int flags, long expiresAt, long cas, int marks, byte[] value) {
    this.flags = flags;
    this.expiresAt = expiresAt;
    this.cas = cas;
    this.marks = marks;
    this.value = value;
    this.large = null;
    this.isInPlace = false;
  }

  /**
   * Makes an item of a large value.
   *
   * @param large of the cache in which the item is to be stored
   */
  public Item(int flags, long expiresAt, long cas, int marks, LargeValue large) {
    this(flags, expiresAt, cas, marks, null, large, false);
  }

  private Item(
      int flags,
      long expiresAt,
      long cas,
      int marks,
      byte @Nullable [] value,
      @Nullable LargeValue large,
      boolean isInPlace) {
    this.flags = flags;
    this.expiresAt = expiresAt;
    this.cas = cas;
    this.marks = marks;
    this.value = value;
    this.large = large;
    this.isInPlace = isInPlace;
  }

  /** Returns the client's flags. */
  public int flags() {
    return flags;
  }

  /** Returns the second since 1970 from which the item is gone, or {@link Expiry#NEVER}. */
  public long expiresAt() {
    return expiresAt;
  }

  /** Returns the CAS value. */
  public long cas() {
    return cas;
  }

  /** Returns the marks, as bits. */
  public int marks() {
    return marks;
  }

  /**
   * Returns the bytes themselves, not a copy.
   *
   * @throws IllegalStateException if the value is large
   */
  public byte[] value() {
    byte[] bytes = value;
    if (bytes == null) {
      throw new IllegalStateException("a large value is not in its item");
    }
    return bytes;
  }

  /** Returns the number of bytes of the value. */
  public int valueBytes() {
    return large != null ? large.length() : value().length;
  }

  /** Returns what names the large value, or null if the value is in the item. */
  public @Nullable LargeValue large() {
    return large;
  }

  /** Returns whether this item was made of another one without a new value. */
  @SuppressWarnings("ReferenceEquality") // equal bytes that a client has sent are a new value
  public boolean keepsValueOf(Item former) {
    return large != null ? large.equals(former.large) : value == former.value;
  }

  /** Returns whether this item has a value that was changed in its place, so it is no new item. */
  public boolean isChangedInPlace() {
    return isInPlace;
  }

  /** Returns this item with another time of expiry and the same CAS value. */
  public Item withExpiry(long expiresAt) {
    return new Item(flags, expiresAt, cas, marks, value, large, isInPlace);
  }

  /** Returns this item with other marks and the same CAS value. */
  public Item withMarks(int marks) {
    return new Item(flags, expiresAt, cas, marks, value, large, isInPlace);
  }

  /** Returns this item with another value and another CAS value. */
  public Item withValue(byte[] value, long cas) {
    return new Item(flags, expiresAt, cas, marks, value);
  }

  /**
   * Returns this item with a value that takes the place of its own and is not longer, and another
   * CAS value. It is no new item: it was read if this one was.
   */
  public Item withValueInPlace(byte[] value, long cas) {
    return new Item(flags, expiresAt, cas, marks, value, null, true);
  }

  /** Returns this item with a large value and another CAS value. */
  public Item withLarge(LargeValue large, long cas) {
    return new Item(flags, expiresAt, cas, marks, null, large, false);
  }

  /** Returns this item with other flags of the client's. */
  public Item withFlags(int flags) {
    return new Item(flags, expiresAt, cas, marks, value, large, isInPlace);
  }

  /** Returns this item with another CAS value. */
  public Item withCas(long cas) {
    return new Item(flags, expiresAt, cas, marks, value, large, isInPlace);
  }

  /** Returns what is known of the item without its value. */
  public ItemFacts facts() {
    return new ItemFacts(flags, expiresAt, cas, marks, valueBytes());
  }

  /** Returns whether all bits of a mark are set. */
  public boolean has(int mark) {
    return (marks & mark) == mark;
  }

  /** Returns whether the item is gone at a time, in seconds since 1970. */
  public boolean isExpired(long now) {
    return Expiry.isPast(expiresAt, now);
  }
}
