/** The commands that bring data into a store, take it out, and show what is there. */
@NullMarked
package io.howdah.cli.data;

import org.jspecify.annotations.NullMarked;
