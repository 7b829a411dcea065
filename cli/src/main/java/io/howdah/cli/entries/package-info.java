/**
 * Commands that show and change what a store holds, by name: {@code howdah ls}, {@code get}, {@code
 * put}, {@code rm}, {@code drop} and {@code inspect}.
 */
@NullMarked
package io.howdah.cli.entries;

import org.jspecify.annotations.NullMarked;
