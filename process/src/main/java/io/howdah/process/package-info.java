/**
 * Starts JVMs for benchmarks, crash tests and the commands for engineers, and ends them with this
 * one. Start at {@link io.howdah.process.JavaCommand}.
 */
@NullMarked
package io.howdah.process;

import org.jspecify.annotations.NullMarked;
