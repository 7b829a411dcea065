/**
 * A simulator of non-volatile memory in pure Java. It shares the region abstraction with the engine
 * and nothing else.
 */
@NullMarked
package io.howdah.nvmsim;

import org.jspecify.annotations.NullMarked;
