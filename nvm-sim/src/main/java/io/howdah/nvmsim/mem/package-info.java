/**
 * The simulated memory: a volatile and a persistent address space, and the operations a simulated
 * thread performs on them. Start at {@link io.howdah.nvmsim.mem.MemoryPort}.
 */
@NullMarked
package io.howdah.nvmsim.mem;

import org.jspecify.annotations.NullMarked;
