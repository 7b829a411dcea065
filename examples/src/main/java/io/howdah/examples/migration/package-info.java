/** A store whose records get a new shape. */
@NullMarked
package io.howdah.examples.migration;

import org.jspecify.annotations.NullMarked;
