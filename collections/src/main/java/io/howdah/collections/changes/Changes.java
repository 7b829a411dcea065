package io.howdah.collections.changes;

import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import java.util.List;

/**
 * The changes of a map that was opened with a {@code ChangeJournal}, from {@code
 * PersistentMap.changes} and {@code PersistentSortedMap.changes}.
 *
 * {@snippet :
 * PersistentMap<String, Order> orders =
 *     store.map("orders", String.class, Order.class, ChangeJournal.keeping(100_000));
 * Subscription mails = orders.changes().subscribe(position, change -> mailer.send(change));
 * }
 *
 * <p>A <i>position</i> is the number of a change; 0 is before all. It outlives the process, so a
 * program that stores {@link Change#position} with what it did resumes behind it. It belongs to
 * this journal: one that is dropped and made again begins at 1.
 *
 * <p>A transaction that reads changes sees its own. It conflicts with those that make some.
 *
 * <p>Thread-safe.
 *
 * @param <K> the keys of the map
 * @param <V> the values of the map
 */
public interface Changes<K, V> {

  /**
   * Returns the position of the newest change, 0 if there was none. Read in one transaction with
   * the map, it is where to resume from what was read.
   */
  long newest(Tx tx);

  /** Returns the oldest position behind which the journal has all changes. */
  long oldest(Tx tx);

  /**
   * Returns changes behind a position, in their order: none if it is the newest. A program that
   * works on them and stores the last position in this transaction does so exactly once.
   *
   * @param position 0, or that of a change
   * @param max the maximum number of changes, at least 1. Fewer are returned once they have a
   *     mebibyte together
   * @throws ChangesLostException if the journal no longer has the change behind the position; the
   *     transaction has ended
   * @throws IllegalArgumentException if there is no change of that position yet; the transaction
   *     has ended
   */
  List<Change<K, V>> after(Tx tx, long position, int max);

  /**
   * Calls a listener with each change behind a position, those to come included, once it survives a
   * power cut; see {@link #subscribe(long, Durability, ChangeListener)}.
   */
  Subscription subscribe(long position, ChangeListener<K, V> listener);

  /**
   * Calls a listener with each change behind a position, those to come included, until the
   * subscription or the store is closed. Do not call it in a body. The subscription has one thread.
   * It reads up to 64 changes at a time, and uses no processor time while there are none.
   *
   * <p>Within an opening of the store the listener takes each change once. A program that resumes
   * behind the last position that it has stored is told again of what it took after that.
   *
   * <p>If the listener throws, it is called with the same change again after 100 ms, then after
   * twice that, and so on, up to a minute; {@link Subscription#failure} has the exception, and the
   * program's log, {@code io.howdah.collections}, gets one warning for the change. To skip it,
   * close the subscription and subscribe behind the change. A listener that blocks holds up its own
   * subscription alone.
   *
   * <p>The subscription ends by itself, with the reason in {@link Subscription#failure}, if it is
   * overtaken by the journal's bound, if the map is dropped or its indexes change, or if the store
   * fails.
   *
   * @param position 0, or that of a change
   * @param survived what a change has survived when the listener is called with it. {@link
   *     Durability#ASYNC} calls it at once; a power cut may then take the change back, and its
   *     position is given to another. Otherwise the log forces at once what is to be delivered
   * @throws ChangesLostException as {@link #after}
   * @throws IllegalArgumentException as {@link #after}
   */
  Subscription subscribe(long position, Durability survived, ChangeListener<K, V> listener);

  /**
   * Calls a listener with batches of the changes behind a position, those to come included. A batch
   * has what the journal has at that moment: one change if changes are rare, and up to {@code max}
   * if the listener is slower than they come. So a listener that runs one durable transaction for a
   * batch keeps up with writers, where one transaction for each change does not. Otherwise like
   * {@link #subscribe(long, Durability, ChangeListener)}: a batch is taken as a whole.
   *
   * @param position 0, or that of a change
   * @param survived what the changes have survived when the listener is called with them
   * @param max the maximum number of changes in a batch, at least 1. A batch ends earlier once its
   *     changes have a mebibyte together
   * @throws ChangesLostException as {@link #after}
   * @throws IllegalArgumentException as {@link #after}
   */
  Subscription subscribeBatches(
      long position, Durability survived, int max, BatchListener<K, V> listener);

  /**
   * Says that the changes up to a position have been used, so a journal that {@linkplain
   * io.howdah.collections.ChangeJournal#holdingWriters holds writers} may remove them. In the
   * transaction that has the effects of these changes it makes both one. A position that is not
   * behind the last one changes nothing. With several readers, release the least of their
   * positions.
   *
   * @param position 0, or that of a change
   * @throws IllegalArgumentException if there is no change of that position yet; the transaction
   *     has ended
   */
  void release(Tx tx, long position);

  /** Returns the last position that was released, 0 at first. */
  long released(Tx tx);
}
