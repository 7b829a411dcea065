package io.howdah.server.protocol;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A command that adds to, or subtracts from, a number in decimal. */
public final class Arithmetic {

  public enum Outcome {
    DONE,
    CREATED,
    NOT_FOUND,
    NOT_A_NUMBER,
    CAS_MISMATCH
  }

  /** Says when an item expires. */
  public interface ExpiryRule {

    /**
     * Returns when an item expires from now on. Called once more if the transaction runs again.
     *
     * @param before when the item expired until now; {@link Expiry#NEVER} if it is made
     * @param isCreated whether the command makes the item
     */
    long act(long before, boolean isCreated, long now);
  }

  public final byte[] key;
  public final boolean adds;
  public final long delta;

  /** The CAS value that the item has to have, or 0. */
  public long cas;

  /** The CAS value that the item gets, or {@link Item#NEW_CAS}. */
  public long newCas = Item.NEW_CAS;

  /** Make an item if there is none. */
  public boolean creates;

  /** The number of an item that is made. */
  public long initial;

  /** When an item that is made expires, as in the command. */
  public long initialExpiry;

  /** Says when the item expires from now on, made or not; null if this is no meta command. */
  public @Nullable ExpiryRule metaExpiry;

  public int marks;

  private Outcome outcome = Outcome.NOT_FOUND;
  private boolean isLonger;
  private long result;

  public Arithmetic(byte[] key, boolean adds, long delta) {
    this.key = key;
    this.adds = adds;
    this.delta = delta;
  }

  /** Does it in one transaction, and returns the item then, null if there is none. */
  public @Nullable Item run(SessionContext session) {
    long now = session.cache().now();
    Item item = session.cache().update(key, current -> decide(current, now));
    if (item != null && outcome == Outcome.CREATED) {
      long expiresAt = item.expiresAt();
      session
          .events()
          .stored(
              key,
              "stored",
              "add",
              expiresAt == Expiry.NEVER ? 0 : Math.max(0, expiresAt - now),
              item.valueBytes());
    }
    return item;
  }

  public Outcome outcome() {
    return outcome;
  }

  /** Counts what the command has done. */
  public void count(CommandCounters counters) {
    switch (outcome) {
      case DONE -> {
        counters.count(adds ? Counter.INCR_HITS : Counter.DECR_HITS);
        if (isLonger) {
          counters.count(Counter.TOTAL_ITEMS);
        }
      }
      case CREATED -> counters.count(Counter.TOTAL_ITEMS);
      case NOT_FOUND -> counters.count(adds ? Counter.INCR_MISSES : Counter.DECR_MISSES);
      case NOT_A_NUMBER, CAS_MISMATCH -> {}
    }
  }

  /** Returns whether the number takes more bytes than the value before, so it is a new item. */
  boolean isLonger() {
    return isLonger;
  }

  /** Returns the number, unsigned. */
  public long result() {
    return result;
  }

  private @Nullable Item decide(@Nullable Item current, long now) {
    if (current == null) {
      if (!creates) {
        outcome = Outcome.NOT_FOUND;
        return null;
      }
      outcome = Outcome.CREATED;
      result = initial;
      long expiresAt =
          metaExpiry == null
              ? Expiry.of(initialExpiry, now)
              : metaExpiry.act(Expiry.NEVER, true, now);
      return new Item(0, expiresAt, newCas, marks, text(initial));
    }
    if (current.valueBytes() == 0) { // no number, whatever its CAS value is
      outcome = Outcome.NOT_A_NUMBER;
      return current;
    }
    if (cas != 0 && cas != current.cas()) {
      outcome = Outcome.CAS_MISMATCH;
      return current;
    }
    Long number = current.large() != null ? null : Numbers.value(current.value());
    if (number == null) {
      outcome = Outcome.NOT_A_NUMBER;
      return current;
    }
    outcome = Outcome.DONE;
    if (adds) {
      result = number + delta;
    } else {
      result = Long.compareUnsigned(number, delta) < 0 ? 0 : number - delta;
    }
    byte[] digits = text(result);
    int width = current.value().length;
    isLonger = digits.length > width;
    Item changed =
        isLonger
            ? asNew(current.withValue(digits, newCas))
            : current.withValueInPlace(padded(digits, width), newCas);
    return metaExpiry == null
        ? changed
        : changed.withExpiry(metaExpiry.act(current.expiresAt(), false, now));
  }

  /** Returns a longer item: a new one, which is not stale, and which no client makes anew. */
  private static Item asNew(Item item) {
    return item.withMarks(item.marks() & Item.BINARY_KEY);
  }

  private static byte[] text(long number) {
    return Long.toUnsignedString(number).getBytes(StandardCharsets.US_ASCII);
  }

  /** A shorter number keeps the old width, as memcached's numbers do. */
  private static byte[] padded(byte[] digits, int width) {
    if (digits.length == width) {
      return digits;
    }
    byte[] padded = Arrays.copyOf(digits, width);
    Arrays.fill(padded, digits.length, width, (byte) ' ');
    return padded;
  }
}
