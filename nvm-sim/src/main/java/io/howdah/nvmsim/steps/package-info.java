/**
 * Programs on simulated memory whose text is data: {@link io.howdah.nvmsim.steps.Steps} writes one
 * down, {@link io.howdah.nvmsim.steps.StepMachine} takes it one event at a time for the schedulers
 * or runs it on any port, and {@link io.howdah.nvmsim.steps.NativeCode} makes a class of it that
 * runs without tracing. A change of the text changes all of them.
 */
@NullMarked
package io.howdah.nvmsim.steps;

import org.jspecify.annotations.NullMarked;
