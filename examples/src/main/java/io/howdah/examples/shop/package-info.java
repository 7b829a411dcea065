/**
 * A shop as a service: customers, articles in stock, orders with line items, a queue of orders to
 * pack, and HTTP in front. {@code Shop} is the service and has every transaction; the records
 * beside it are what the store holds; {@code ShopHttp} and {@code Form} are the front, {@code
 * Delivery} the import.
 */
@NullMarked
package io.howdah.examples.shop;

import org.jspecify.annotations.NullMarked;
