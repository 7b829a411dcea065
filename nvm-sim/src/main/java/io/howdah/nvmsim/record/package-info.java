/**
 * Traces of real threads: a bank of locks makes each access and its stamp one atomic step
 * (<i>Memory Persistency</i>, ISCA 2014, §7). Start at {@link
 * io.howdah.nvmsim.record.RealThreadRecorder}.
 */
@NullMarked
package io.howdah.nvmsim.record;

import org.jspecify.annotations.NullMarked;
