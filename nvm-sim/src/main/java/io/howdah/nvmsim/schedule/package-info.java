/**
 * A deterministic scheduler: simulated threads take turns, one memory event at a time, so a trace
 * is sequentially consistent by construction and follows from the program, the policy and the seed
 * alone. Start at {@link io.howdah.nvmsim.schedule.DeterministicScheduler}. The scheduler, its
 * programs and its policies belong to the one thread that calls {@code run}.
 */
@NullMarked
package io.howdah.nvmsim.schedule;

import org.jspecify.annotations.NullMarked;
