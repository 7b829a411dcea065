package io.howdah.examples.shop;

import io.howdah.codec.PersistentName;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** An order; {@code shipped} is empty until it has left. */
@PersistentName("order")
record Order(String customer, Instant placed, List<LineItem> lines, Optional<Instant> shipped) {

  /** What the index finds orders by: those of a customer, the newest first. */
  @PersistentName("order of customer")
  record Key(String customer, Instant placed) {}

  Key key() {
    return new Key(customer, placed);
  }

  Order shippedAt(Instant now) {
    return new Order(customer, placed, lines, Optional.of(now));
  }

  BigDecimal total() {
    return lines.stream().map(LineItem::total).reduce(BigDecimal.ZERO, BigDecimal::add);
  }

  /** Returns whether a customer who sends this again means the same order. */
  boolean isFor(String other, Map<String, Integer> pieces) {
    return customer.equals(other)
        && pieces.equals(
            lines.stream().collect(Collectors.toMap(LineItem::article, LineItem::pieces)));
  }
}
