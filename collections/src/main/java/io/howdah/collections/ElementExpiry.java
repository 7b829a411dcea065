package io.howdah.collections;

import io.howdah.txn.Tx;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When the elements of a set expire, from {@link PersistentSet#expiry}. All that {@link
 * EntryExpiry} says of time and of entries holds for elements. Thread-safe.
 *
 * @param <E> the elements
 */
public final class ElementExpiry<E> {

  private final EntryExpiry<E, Boolean> entries;

  ElementExpiry(EntryExpiry<E, Boolean> entries) {
    this.entries = entries;
  }

  /**
   * Adds an element for a time, or gives it a new time.
   *
   * @param duration as in {@link EntryExpiry#put}; {@link EntryExpiry#FOREVER} for ever
   */
  public void add(Tx tx, E element, Duration duration) {
    entries.put(tx, element, true, duration);
  }

  /**
   * Adds an element until a moment, or gives it a new time.
   *
   * @param at as in {@link EntryExpiry#putUntil}
   */
  public void addUntil(Tx tx, E element, Instant at) {
    entries.putUntil(tx, element, true, at);
  }

  /**
   * Lets an element expire so long from now on.
   *
   * @param duration as in {@link EntryExpiry#put}
   * @return whether it is in the set
   */
  public boolean touch(Tx tx, E element, Duration duration) {
    return entries.touch(tx, element, duration);
  }

  /**
   * Lets an element live for ever.
   *
   * @return whether it is in the set
   */
  public boolean persist(Tx tx, E element) {
    return entries.persist(tx, element);
  }

  /** Returns when an element expires: {@link Instant#MAX} for never; null if it is not there. */
  public @Nullable Instant expiresAt(Tx tx, E element) {
    return entries.expiresAt(tx, element);
  }

  /** Returns how long an element stays: {@link EntryExpiry#FOREVER}; null if it is not there. */
  public @Nullable Duration remaining(Tx tx, E element) {
    return entries.remaining(tx, element);
  }

  /** Counts the elements that take memory, expired or not, in constant time. */
  public long storedElements(Tx tx) {
    return entries.storedEntries(tx);
  }

  /**
   * Removes all elements that have expired; see {@link EntryExpiry#reclaim}.
   *
   * @return how many it has removed
   */
  public long reclaim() {
    return entries.reclaim();
  }
}
