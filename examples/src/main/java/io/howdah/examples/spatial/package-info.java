/** A spatial index of the world's cities, as a structure of one's own would be. */
@NullMarked
package io.howdah.examples.spatial;

import org.jspecify.annotations.NullMarked;
