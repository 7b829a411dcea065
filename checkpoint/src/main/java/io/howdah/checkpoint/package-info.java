/**
 * The region's image on disk: opening it, applying a recovery to it, and keeping it close enough to
 * the log's end that recovery stays short.
 */
@NullMarked
package io.howdah.checkpoint;

import org.jspecify.annotations.NullMarked;
