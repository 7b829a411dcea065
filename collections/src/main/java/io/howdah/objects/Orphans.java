package io.howdah.objects;

import io.howdah.collections.catalogue.Catalogue;
import io.howdah.txn.Tx;
import java.util.List;

/**
 * The objects of one type that nothing in a store leads to, from {@code StoreAdmin.orphans}.
 * Immutable.
 */
public final class Orphans {

  /** Maximum length of {@link #addresses}. */
  public static final int MAX_ADDRESSES = 1000;

  private final String type;
  private final long count;
  private final long bytes;
  private final List<Long> addresses;

  Orphans(String type, long count, long bytes, List<Long> addresses) {
    this.type = type;
    this.count = count;
    this.bytes = bytes;
    this.addresses = List.copyOf(addresses);
  }

  /** Finds them. Stores call this; programs use {@code StoreAdmin.orphans}. */
  public static List<Orphans> find(Tx tx, PersistentTypes types, Catalogue catalogue) {
    return new OrphanSearch(tx, types, catalogue, OrphanSearch.MAX_STACK).find();
  }

  /** Returns the name of the type's interface. */
  public String type() {
    return type;
  }

  /** Returns the number of objects, those that others of them own included. */
  public long count() {
    return count;
  }

  /** Returns the length of their blocks, with their strings, bytes and collections. */
  public long bytes() {
    return bytes;
  }

  /**
   * Returns what {@link PersistentType#at} finds the objects by that no other one owns, at most
   * {@value #MAX_ADDRESSES} of them, in the order of their addresses.
   */
  public List<Long> addresses() {
    return addresses;
  }

  /** Returns a line for people. */
  @Override
  public String toString() {
    return count + " of " + type + ", " + bytes + " bytes";
  }
}
