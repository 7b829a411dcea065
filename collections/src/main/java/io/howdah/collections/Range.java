package io.howdah.collections;

import io.howdah.codec.OrderedCodec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which entries of a sorted map {@link PersistentSortedMap#range} and {@link
 * PersistentSortedMap#page} return, and in which order. Immutable; needs no transaction. The keys
 * are compared when a map is asked, in the order of its codec. Changing a key after it was given
 * changes the range.
 *
 * {@snippet :
 * record ByCustomer(String customer, Instant at, UUID id) {}
 *
 * byCustomer.range(tx, Range.prefix("alice")).forEach(System.out::println);
 * List<Map.Entry<ByCustomer, Order>> page =
 *     byCustomer.page(tx, Range.behind(lastSeen, Range.prefix("alice")), 50);
 * }
 *
 * @param <K> the keys
 */
public final class Range<K> {

  private final @Nullable List<@Nullable Object> prefix;
  private final @Nullable K from;
  private final @Nullable K to;
  private final boolean isToInclusive;
  private final @Nullable K last;
  private final boolean isAscending;

  private Range(
      @Nullable List<@Nullable Object> prefix,
      @Nullable K from,
      @Nullable K to,
      boolean isToInclusive,
      @Nullable K last,
      boolean isAscending) {
    this.prefix = prefix;
    this.from = from;
    this.to = to;
    this.isToInclusive = isToInclusive;
    this.last = last;
    this.isAscending = isAscending;
  }

  private static <K> Range<K> of(@Nullable K from, @Nullable K to, boolean isToInclusive) {
    return new Range<>(null, from, to, isToInclusive, null, true);
  }

  /** Returns the range of all entries, the lowest key first. */
  public static <K> Range<K> all() {
    return of(null, null, true);
  }

  /** Returns the range from a key on, the lowest key first. */
  public static <K> Range<K> from(K key) {
    return of(Objects.requireNonNull(key, "key"), null, true);
  }

  /** Returns the range up to a key and with it, the lowest key first. */
  public static <K> Range<K> upTo(K key) {
    return of(null, Objects.requireNonNull(key, "key"), true);
  }

  /**
   * Returns the range from a key on up to another one, the lowest key first.
   *
   * @param from inclusive
   * @param to exclusive; if it is not greater than {@code from}, the range is empty
   */
  public static <K> Range<K> between(K from, K to) {
    return of(Objects.requireNonNull(from, "from"), Objects.requireNonNull(to, "to"), false);
  }

  /**
   * Returns the range of the keys that have certain first parts, the lowest key first: of records
   * and pairs, the first components; of strings, the beginning. A map whose keys do not have such
   * parts refuses the range with {@link io.howdah.codec.CodecException}.
   *
   * @param parts at least one, in the order of the key's parts; the last one may be a {@link
   *     OrderedCodec.Prefix}, for the beginning of that part
   */
  public static <K> Range<K> prefix(@Nullable Object... parts) {
    List<@Nullable Object> copy = new ArrayList<>();
    Collections.addAll(copy, parts); // null may be a part
    return new Range<>(Collections.unmodifiableList(copy), null, null, true, null, true);
  }

  /** Returns a range with the opposite order. */
  public static <K> Range<K> reversed(Range<K> range) {
    return new Range<>(
        range.prefix, range.from, range.to, range.isToInclusive, range.last, !range.isAscending);
  }

  /**
   * Returns the entries of a range that come behind a key in the order of the range: the next page
   * behind the last key of a page. Give the final order to the range first, by {@link #reversed}.
   *
   * @param key in the map or not; null returns the range as it is, for the first page
   */
  public static <K> Range<K> behind(@Nullable K key, Range<K> range) {
    return key == null
        ? range
        : new Range<>(
            range.prefix, range.from, range.to, range.isToInclusive, key, range.isAscending);
  }

  /** Returns the parts with which all keys begin, or null. */
  @Nullable List<@Nullable Object> prefixParts() {
    return prefix;
  }

  /** Returns the lower bound, which is inclusive, or null. */
  @Nullable K lower() {
    return from;
  }

  /** Returns the upper bound, or null. */
  @Nullable K upper() {
    return to;
  }

  boolean isUpperInclusive() {
    return isToInclusive;
  }

  /** Returns the key behind which the range begins in its order, or null. */
  @Nullable K last() {
    return last;
  }

  boolean isAscending() {
    return isAscending;
  }

  /** Returns the bounds and the order, for messages. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("range");
    if (prefix != null) {
      text.append(" of the prefix ").append(prefix);
    }
    if (from != null) {
      text.append(" from ").append(from);
    }
    if (to != null) {
      text.append(isToInclusive ? " up to " : " before ").append(to);
    }
    if (last != null) {
      text.append(" continued behind ").append(last);
    }
    return text.append(isAscending ? "" : ", reversed").toString();
  }
}
