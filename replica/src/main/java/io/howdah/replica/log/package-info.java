/** The entries of a replica group's log, and the automaton that decides which of them count. */
@NullMarked
package io.howdah.replica.log;

import org.jspecify.annotations.NullMarked;
