/** A social graph whose two directions never disagree. */
@NullMarked
package io.howdah.examples.graph;

import org.jspecify.annotations.NullMarked;
