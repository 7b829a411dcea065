/**
 * The two persistent queues of <i>Memory Persistency</i> (ISCA 2014, §6, Algorithm 1), three times
 * over: readable code against {@link io.howdah.nvmsim.mem.MemoryPort}, state machines for fast
 * traces, and native code without tracing for the instruction rate. A test holds the first two to
 * the same trace.
 */
@NullMarked
package io.howdah.nvmsim.queue;

import org.jspecify.annotations.NullMarked;
