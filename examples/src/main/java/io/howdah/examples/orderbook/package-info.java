/** An order book whose orders are Chronicle's Marshallables. */
@NullMarked
package io.howdah.examples.orderbook;

import org.jspecify.annotations.NullMarked;
