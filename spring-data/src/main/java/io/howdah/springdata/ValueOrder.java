package io.howdah.springdata;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.domain.Sort;

/**
 * The order of properties: that of their class, but for strings and UUIDs that of their codecs, so
 * that a search by an index and one without it find the same. Strings are in the order of code
 * points, UUIDs in that of their text.
 */
final class ValueOrder {

  private ValueOrder() {}

  /** Compares two values that are not null. */
  @SuppressWarnings({"unchecked", "rawtypes"}) // a class that is not comparable with it says so
  static int compare(@Nullable Object one, @Nullable Object other) {
    if (one instanceof String text && other instanceof String with) {
      return compareCodePoints(text, with);
    }
    if (one instanceof UUID id && other instanceof UUID with) {
      int high = Long.compareUnsigned(id.getMostSignificantBits(), with.getMostSignificantBits());
      return high != 0
          ? high
          : Long.compareUnsigned(id.getLeastSignificantBits(), with.getLeastSignificantBits());
    }
    if (one instanceof Comparable value && other != null) {
      try {
        return value.compareTo(other);
      } catch (ClassCastException e) {
        throw new InvalidDataAccessApiUsageException(
            one.getClass().getName() + " cannot be compared with " + other.getClass().getName(), e);
      }
    }
    throw new InvalidDataAccessApiUsageException(
        "values of " + (one == null ? "null" : one.getClass().getName()) + " have no order");
  }

  private static int compareCodePoints(String one, String other) {
    int length = Math.min(one.length(), other.length());
    for (int i = 0; i < length; i++) {
      char a = one.charAt(i);
      char b = other.charAt(i);
      if (a != b) {
        return Integer.compare(rank(a), rank(b));
      }
    }
    return Integer.compare(one.length(), other.length());
  }

  /** Surrogates, which stand for the greatest code points, are not the greatest characters. */
  private static int rank(char c) {
    if (c < Character.MIN_SURROGATE) {
      return c;
    }
    return c <= Character.MAX_SURROGATE ? c + 0x2000 : c - 0x800;
  }

  /**
   * Compares two properties as an order of a query says; null is first unless it says otherwise.
   */
  static int compare(Sort.Order order, @Nullable Object one, @Nullable Object other) {
    if (one == null || other == null) {
      int nullFirst = Boolean.compare(other == null, one == null);
      return order.getNullHandling() == Sort.NullHandling.NULLS_LAST ? -nullFirst : nullFirst;
    }
    int compared =
        order.isIgnoreCase() && one instanceof String text && other instanceof String with
            ? text.compareToIgnoreCase(with)
            : compare(one, other);
    return order.isAscending() ? compared : -compared;
  }
}
