/**
 * Items in a Howdah store, by its API alone. Start with {@link io.howdah.server.items.ItemStore}:
 * one command is one transaction. A hit writes nothing persistent; what is known about the use of
 * items is in memory only, and begins anew with each start.
 */
@NullMarked
package io.howdah.server.items;

import org.jspecify.annotations.NullMarked;
