/**
 * Programs of a few instructions per thread, as litmus tests are written. Start at {@link
 * io.howdah.nvmsim.program.LitmusProgram}.
 */
@NullMarked
package io.howdah.nvmsim.program;

import org.jspecify.annotations.NullMarked;
