/** Figures of a store as meters of Micrometer. */
@NullMarked
package io.howdah.micrometer;

import org.jspecify.annotations.NullMarked;
