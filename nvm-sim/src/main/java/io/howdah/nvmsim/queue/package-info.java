/**
 * The two persistent queues of <i>Memory Persistency</i> (ISCA 2014, §6, Algorithm 1). Each is
 * written once, as the text of a program (package {@code steps}): the schedulers, the crash checks,
 * real threads and the measurement without tracing all run that text.
 */
@NullMarked
package io.howdah.nvmsim.queue;

import org.jspecify.annotations.NullMarked;
