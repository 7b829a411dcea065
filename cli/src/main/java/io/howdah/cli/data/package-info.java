/**
 * {@code howdah load}, {@code dump} and {@code inspect}: tables of text into and out of persistent
 * maps, and what a store holds. Start at {@link io.howdah.cli.data.LoadCommand}; {@code Loader} has
 * what makes a load resumable.
 */
@NullMarked
package io.howdah.cli.data;

import org.jspecify.annotations.NullMarked;
