package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import org.jspecify.annotations.Nullable;

/** A command that stores an item, while its value is on the way and when it is there. */
final class StoreCommand {

  enum Outcome {
    STORED,
    NOT_STORED,
    EXISTS,
    NOT_FOUND,
    TOO_LARGE
  }

  final StoreMode mode;
  final byte[] key;
  final int flags;
  final long expiry; // as in the command
  final int valueBytes;

  /** The CAS value that the item has to have; 0 for any in what appends. */
  long cas;

  /** The CAS value that the item gets, or {@link Item#NEW_CAS}. */
  long newCas = Item.NEW_CAS;

  /** Store over a newer item, and mark it as stale. */
  boolean invalidates;

  /** Append to what is missing, and let it expire then, as in the command. */
  @Nullable Integer createExpiry;

  int marks;

  /** The meta command's flags, or null if this is none. */
  @Nullable MetaFlags meta;

  boolean isQuiet;

  private Outcome outcome = Outcome.NOT_STORED;

  /** The item as it was stored. */
  private @Nullable Item stored;

  StoreCommand(StoreMode mode, byte[] key, int flags, long expiry, int valueBytes) {
    this.mode = mode;
    this.key = key;
    this.flags = flags;
    this.expiry = expiry;
    this.valueBytes = valueBytes;
  }

  /** Stores the item in one transaction. */
  Outcome run(Cache cache, byte[] value, ProtocolOptions options) {
    long now = cache.now();
    stored = cache.update(key, current -> decide(current, value, now, options));
    return outcome;
  }

  /** Returns the CAS value of the item stored, or 0. */
  long storedCas() {
    return stored == null || outcome != Outcome.STORED ? 0 : stored.cas();
  }

  /** Returns the length of the value stored, or that of the value sent. */
  int storedBytes() {
    return stored == null || outcome != Outcome.STORED ? valueBytes : stored.value().length;
  }

  private @Nullable Item decide(
      @Nullable Item current, byte[] value, long now, ProtocolOptions options) {
    outcome = Outcome.STORED;
    Item fresh = new Item(flags, Expiry.of(expiry, now), newCas, marks, value);
    return switch (mode) {
      case SET -> fresh;
      case ADD -> current == null ? fresh : refuse(Outcome.NOT_STORED, current);
      case REPLACE -> current == null ? refuse(Outcome.NOT_STORED, null) : fresh;
      case CAS -> compare(current, fresh);
      case APPEND, PREPEND -> extend(current, value, now, options);
    };
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

  private @Nullable Item extend(
      @Nullable Item current, byte[] value, long now, ProtocolOptions options) {
    if (current == null) {
      return createExpiry == null
          ? refuse(Outcome.NOT_STORED, null)
          : new Item(flags, Expiry.of(createExpiry, now), newCas, marks, value);
    }
    if (cas != 0 && cas != current.cas()) {
      return refuse(Outcome.EXISTS, current);
    }
    byte[] old = current.value();
    if (!options.fits(key.length, (long) old.length + value.length)) {
      return refuse(Outcome.TOO_LARGE, current);
    }
    byte[] joined = new byte[old.length + value.length];
    boolean appends = mode == StoreMode.APPEND;
    System.arraycopy(old, 0, joined, appends ? 0 : value.length, old.length);
    System.arraycopy(value, 0, joined, appends ? old.length : 0, value.length);
    return current.withValue(joined, newCas);
  }

  private @Nullable Item refuse(Outcome reason, @Nullable Item current) {
    outcome = reason;
    return current;
  }
}
