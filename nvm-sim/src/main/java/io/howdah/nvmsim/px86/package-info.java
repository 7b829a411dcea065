/**
 * Px86: what an x86 machine with persistent memory may do (Raad, Wickerson, Neiger, Vafeiadis,
 * <i>Persistency Semantics of the Intel-x86 Architecture</i>, POPL 2020), as a machine that is
 * explored in full. Start at {@link io.howdah.nvmsim.px86.Px86Machine}.
 */
@NullMarked
package io.howdah.nvmsim.px86;

import org.jspecify.annotations.NullMarked;
