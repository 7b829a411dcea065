/** The port to a consensus engine: one totally ordered log, and which member may append to it. */
@NullMarked
package io.howdah.replica.consensus;

import org.jspecify.annotations.NullMarked;
