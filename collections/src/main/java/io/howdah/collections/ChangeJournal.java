package io.howdah.collections;

import java.time.Duration;

/**
 * The declaration that a map, a sorted map, a multimap, a set, a queue or a list has a change
 * journal, in which each transaction leaves what it changes. {@link PersistentMap#changes} and the
 * methods of that name of the others return what reads it and calls listeners.
 *
 * {@snippet :
 * PersistentMap<String, Order> orders =
 *     store.map("orders", String.class, Order.class, ChangeJournal.keeping(100_000));
 * }
 *
 * <p>A map that has a journal keeps it, whether a program declares it or not, until it is dropped
 * by {@code StoreAdmin.drop(name + "/changes")}. A map that has entries already may get one; it
 * tells of changes from then on. Handles of the map that were opened before must be opened again
 * then, as after a change of its indexes.
 *
 * <p>A journal has a price: transactions that change the map conflict, so they run one after the
 * other from their first change of it to their commit; and each change writes its key and value
 * once more.
 *
 * <p>Immutable.
 */
public final class ChangeJournal implements MapOption<Object> {

  /** Maximum number of changes that a journal keeps: 2<sup>40</sup>. */
  public static final long MAX_CHANGES = 1L << 40;

  private final long changes;
  private final long heldNanos;

  private ChangeJournal(long changes, long heldNanos) {
    this.changes = changes;
    this.heldNanos = heldNanos;
  }

  /**
   * Keeps the newest changes, so many of them. The change that is one too many removes the oldest,
   * whether somebody has read it or not. A later opening may declare another number: with fewer,
   * what is too many is removed before that opening returns.
   *
   * <p>In a store without room a removal removes the oldest changes too, rather than being refused.
   * Readers of what was removed get {@code ChangesLostException}.
   *
   * @param changes 1 to {@value #MAX_CHANGES}. Each takes the memory of its key and value, and some
   *     40 bytes
   */
  public static ChangeJournal keeping(long changes) {
    if (changes < 1 || changes > MAX_CHANGES) {
      throw new IllegalArgumentException(
          "a change journal keeps 1 to " + MAX_CHANGES + " changes, not " + changes);
    }
    return new ChangeJournal(changes, 0);
  }

  /**
   * Lets writers wait rather than lose changes. The journal removes a change only if {@link
   * io.howdah.collections.changes.Changes#release} has released it. A transaction whose change is
   * one too many waits until a reader releases changes, and then goes on; its body runs again.
   * After a time it ends with {@code ChangesHeldException} and has no effect. So the bound of the
   * journal is what readers may be behind.
   *
   * <p>Also a removal waits, in a store without room for its change. A transaction of a {@code
   * Session} does not wait and ends at once. A listener that changes the map itself may wait for
   * what it alone could release, until the time is over. Entries that expire stay in memory,
   * unseen, while the journal has no room for them. Caches cannot have such a journal, since they
   * must make room at any time.
   *
   * <p>An opening without this lets the journal remove changes again. A map that is opened without
   * a declaration keeps what was declared last.
   *
   * @param atMost for how long a transaction waits, over all its waits; from 1 ms to a day
   */
  public ChangeJournal holdingWriters(Duration atMost) {
    boolean isInRange =
        atMost.compareTo(Duration.ofMillis(1)) >= 0 && atMost.compareTo(Duration.ofDays(1)) <= 0;
    if (!isInRange) {
      throw new IllegalArgumentException(
          "a change journal holds writers for 1 ms to a day, not " + atMost);
    }
    return new ChangeJournal(changes, atMost.toNanos());
  }

  /** Returns how many changes are kept. */
  long changes() {
    return changes;
  }

  /** Returns for how many nanoseconds writers are held at most; 0 if they are not. */
  long heldNanos() {
    return heldNanos;
  }

  /** Returns how many changes are kept, for people. */
  @Override
  public String toString() {
    return "change journal of "
        + changes
        + " changes"
        + (heldNanos == 0 ? "" : ", which holds writers for " + Duration.ofNanos(heldNanos));
  }
}
