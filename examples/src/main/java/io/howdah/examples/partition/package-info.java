/**
 * Hathi's Figure 3: which transactions may use partition commit, and what happens to those that may
 * not.
 */
@NullMarked
package io.howdah.examples.partition;

import org.jspecify.annotations.NullMarked;
