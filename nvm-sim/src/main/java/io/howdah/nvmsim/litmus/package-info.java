/**
 * Litmus tests of persistency: small programs with the states that a failure may leave, as
 * published. Start at {@link io.howdah.nvmsim.litmus.LitmusSuite} and {@link
 * io.howdah.nvmsim.litmus.LitmusRunner}; {@link io.howdah.nvmsim.litmus.LitmusParser} describes the
 * text format.
 */
@NullMarked
package io.howdah.nvmsim.litmus;

import org.jspecify.annotations.NullMarked;
