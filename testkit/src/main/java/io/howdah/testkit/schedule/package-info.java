/**
 * A deterministic scheduler: threads, time and waiting under a schedule that a seed decides and
 * that can be repeated. Start at {@link io.howdah.testkit.schedule.SimulatedExecution}.
 */
@NullMarked
package io.howdah.testkit.schedule;

import org.jspecify.annotations.NullMarked;
