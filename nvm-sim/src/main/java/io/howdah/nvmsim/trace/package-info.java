/**
 * Memory traces: packed events, batches of them, the binary file format, and the text format of the
 * published tracer of <i>Memory Persistency</i> (Pelley, Chen, Wenisch, ISCA 2014, §7). Start at
 * {@link io.howdah.nvmsim.trace.Event}. A trace is streamed: nothing here holds more of it than one
 * batch. No type is safe for use by two threads at once unless it says so.
 */
@NullMarked
package io.howdah.nvmsim.trace;

import org.jspecify.annotations.NullMarked;
