/**
 * {@code howdah load} and {@code dump}: tables of text into and out of structures. Start at {@link
 * io.howdah.cli.tables.LoadCommand}; {@code Loader} has what makes a load resumable.
 */
@NullMarked
package io.howdah.cli.tables;

import org.jspecify.annotations.NullMarked;
