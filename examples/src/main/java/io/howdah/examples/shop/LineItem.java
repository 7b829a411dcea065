package io.howdah.examples.shop;

import io.howdah.codec.PersistentName;
import java.math.BigDecimal;

/** A line of an order, with the price of a piece at the time of the order. */
@PersistentName("line item")
record LineItem(String article, int pieces, BigDecimal price) {

  BigDecimal total() {
    return price.multiply(BigDecimal.valueOf(pieces));
  }
}
