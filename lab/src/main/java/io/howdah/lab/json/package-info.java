/** Reads the results that measuring commands have written with {@code --json}. */
@NullMarked
package io.howdah.lab.json;

import org.jspecify.annotations.NullMarked;
