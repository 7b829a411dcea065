package io.howdah.examples.shop;

import io.howdah.codec.PersistentName;
import java.math.BigDecimal;

/** An article: the price of a piece, and how many pieces are in stock. */
@PersistentName("article")
record Article(BigDecimal price, long stock) {

  Article without(int pieces) {
    return new Article(price, stock - pieces);
  }

  /** Returns what is there after a delivery, which may bring a new price. */
  Article with(Article delivered) {
    return new Article(delivered.price, stock + delivered.stock);
  }
}
