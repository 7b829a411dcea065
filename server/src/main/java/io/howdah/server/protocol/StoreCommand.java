package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.LargeValue;
import io.howdah.server.cache.ValueWriter;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A command that stores an item, while its value is on the way and when it is there. */
public final class StoreCommand {

  public enum Outcome {
    STORED,
    NOT_STORED,
    EXISTS,
    NOT_FOUND,
    TOO_LARGE,
    /** Nothing was stored yet: {@link ValueJoin} goes on. */
    TO_BE_JOINED
  }

  /** How a meta command replies. */
  public interface MetaReply {

    /** Appends the reply to a command that had room for its item. */
    void stored(StoreCommand command, Outcome outcome, Reply reply);
  }

  public final StoreMode mode;
  public final byte[] key;
  public final int flags;
  public final long expiry; // as in the command
  public final int valueBytes;

  /** The CAS value that the item has to have; 0 for any in what appends. */
  public long cas;

  /** The CAS value that the item gets, or {@link Item#NEW_CAS}. */
  public long newCas = Item.NEW_CAS;

  /** Store over a newer item, and mark it as stale. */
  public boolean invalidates;

  /** Append to what is missing, and let it expire then, as in the command. */
  public @Nullable Integer createExpiry;

  public int marks;

  /** Replies to the meta command; null if this is none. */
  public @Nullable MetaReply meta;

  public boolean isQuiet;

  /** The value, if it is not large. */
  public byte[] value = {};

  /** Has the large value; null if it is not large. */
  public @Nullable ValueWriter large;

  /** There was no room for the value. */
  boolean isRefused;

  private Outcome outcome = Outcome.NOT_STORED;

  /** The item as it was stored. */
  private @Nullable Item stored;

  public StoreCommand(StoreMode mode, byte[] key, int flags, long expiry, int valueBytes) {
    this.mode = mode;
    this.key = key;
    this.flags = flags;
    this.expiry = expiry;
    this.valueBytes = valueBytes;
  }

  /**
   * Stores the item in one transaction, or finds that the values have to be joined first.
   *
   * @throws CacheFullException if there is no room
   */
  public Outcome run(Cache cache, ProtocolOptions options) {
    if (isRefused) {
      throw new CacheFullException("there was no room when the value arrived");
    }
    long now = cache.now();
    stored = cache.update(key, current -> decide(current, now, options));
    return outcome;
  }

  public Outcome outcome() {
    return outcome;
  }

  /** Counts what the command has done; it had room for its item. */
  public void count(CommandCounters counters) {
    if (outcome == Outcome.STORED) {
      counters.count(Counter.TOTAL_ITEMS);
    }
    if (outcome == Outcome.TOO_LARGE) {
      counters.count(Counter.STORE_TOO_LARGE);
    } else if (mode == StoreMode.CAS) {
      counters.count(
          switch (outcome) {
            case STORED -> Counter.CAS_HITS;
            case NOT_FOUND -> Counter.CAS_MISSES;
            default -> Counter.CAS_BADVAL;
          });
    }
  }

  /**
   * Gives the item a value that consists of its own and the one sent, unless it has changed.
   *
   * @return false if it has changed
   */
  boolean finishJoin(Cache cache, Predicate<Item> isAsBefore, LargeValue joined) {
    stored =
        cache.update(
            key,
            current -> {
              if (current != null
                  && isAsBefore.test(current)
                  && (cas == 0 || cas == current.cas())) {
                outcome = Outcome.STORED;
                return extended(current.withLarge(joined, newCas));
              }
              return refuse(Outcome.TO_BE_JOINED, current);
            });
    return outcome == Outcome.STORED;
  }

  /**
   * Returns whether the item there stays if there was no room: if only the two values together had
   * none, the one there is not stale.
   */
  public boolean keepsItem() {
    return (mode == StoreMode.APPEND || mode == StoreMode.PREPEND) && !isRefused;
  }

  /** Frees a large value that was not stored. */
  public void release() {
    ValueWriter writer = large;
    if (writer != null) {
      large = null;
      writer.close();
    }
  }

  /** Returns the CAS value of the item stored, or 0. */
  public long storedCas() {
    return stored == null || outcome != Outcome.STORED ? 0 : stored.cas();
  }

  /** Returns when the item stored expires, or when the one sent would. */
  long storedExpiry(long now) {
    return stored == null || outcome != Outcome.STORED
        ? Expiry.of(expiry, now)
        : stored.expiresAt();
  }

  /** Returns the length of the value stored, or that of the value sent. */
  public int storedBytes() {
    return stored == null || outcome != Outcome.STORED ? valueBytes : stored.valueBytes();
  }

  private @Nullable Item decide(@Nullable Item current, long now, ProtocolOptions options) {
    outcome = Outcome.STORED;
    if (mode == StoreMode.APPEND || mode == StoreMode.PREPEND) {
      return extend(current, now, options);
    }
    Item fresh = fresh(Expiry.of(expiry, now));
    return switch (mode) {
      case SET -> fresh;
      case ADD -> current == null ? fresh : refuse(Outcome.NOT_STORED, current);
      case REPLACE -> current == null ? refuse(Outcome.NOT_STORED, null) : fresh;
      case CAS -> compare(current, fresh);
      case APPEND, PREPEND -> throw new AssertionError(mode);
    };
  }

  private Item fresh(long expiresAt) {
    return large == null
        ? new Item(flags, expiresAt, newCas, marks, value)
        : new Item(flags, expiresAt, newCas, marks, large.value());
  }

  /** Returns the length of an item's value with the one sent. */
  long joinedBytes(Item current) {
    return (long) current.valueBytes() + valueBytes;
  }

  private @Nullable Item compare(@Nullable Item current, Item fresh) {
    if (current == null) {
      return refuse(Outcome.NOT_FOUND, null);
    }
    if (current.cas() == cas) {
      return fresh;
    }
    return invalidates && Long.compareUnsigned(cas, current.cas()) < 0
        ? fresh
            .withExpiry(current.expiresAt())
            .withMarks(marks | Item.STALE | (current.marks() & Item.TOKEN_SENT))
        : refuse(Outcome.EXISTS, current);
  }

  private @Nullable Item extend(@Nullable Item current, long now, ProtocolOptions options) {
    if (current == null) {
      return createExpiry == null
          ? refuse(Outcome.NOT_STORED, null)
          : fresh(Expiry.of(createExpiry, now));
    }
    if (cas != 0 && cas != current.cas()) {
      return refuse(Outcome.EXISTS, current);
    }
    if (!options.fits(key.length, joinedBytes(current))) {
      return refuse(Outcome.TOO_LARGE, current);
    }
    if (large != null || current.large() != null) {
      return refuse(Outcome.TO_BE_JOINED, current);
    }
    byte[] old = current.value();
    byte[] joined = new byte[old.length + value.length];
    boolean appends = mode == StoreMode.APPEND;
    System.arraycopy(old, 0, joined, appends ? 0 : value.length, old.length);
    System.arraycopy(value, 0, joined, appends ? old.length : 0, value.length);
    return extended(current.withValue(joined, newCas));
  }

  /** Returns a longer item: a new one, which is not stale, and which no client makes anew. */
  private static Item extended(Item item) {
    return item.withMarks(item.marks() & Item.BINARY_KEY);
  }

  private @Nullable Item refuse(Outcome reason, @Nullable Item current) {
    outcome = reason;
    return current;
  }
}
