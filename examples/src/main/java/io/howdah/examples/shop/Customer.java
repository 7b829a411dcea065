package io.howdah.examples.shop;

import io.howdah.codec.FormerName;
import io.howdah.codec.PersistentName;

/**
 * A customer. Version 1 of the shop had {@code (name, mail)}: stores of that version open, {@code
 * mail} is read as {@code email}, and {@code country} is what {@link Shop#options} says.
 */
@PersistentName("customer")
record Customer(String name, @FormerName("mail") String email, String country) {}
