/**
 * Every byte on disk, described once: one {@code *Layout} class per format, with its diagram, and
 * no literal offset anywhere else.
 */
@NullMarked
package io.howdah.core.layout;

import org.jspecify.annotations.NullMarked;
