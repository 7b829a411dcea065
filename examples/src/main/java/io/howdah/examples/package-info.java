/**
 * Small programs, one package each; start with {@code bank}. Each prints what a person wants to
 * see, checks its own result and ends with an exit code other than 0 if that is wrong. {@code
 * examples/README.md} lists them; {@code ExamplesTest} runs them all.
 */
@NullMarked
package io.howdah.examples;

import org.jspecify.annotations.NullMarked;
