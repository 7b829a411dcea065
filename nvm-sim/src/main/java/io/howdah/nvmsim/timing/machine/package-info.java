/**
 * Caches and banks that take the times which {@link io.howdah.nvmsim.timing} describes. Start at
 * {@link io.howdah.nvmsim.timing.machine.CacheHierarchy}. Each object is for one thread.
 */
@NullMarked
package io.howdah.nvmsim.timing.machine;

import org.jspecify.annotations.NullMarked;
