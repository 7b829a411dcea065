/** JMH benchmarks of the hot paths; docs/benchmarks.md says how to run them. */
@NullMarked
package io.howdah.jmh.benchmark;

import org.jspecify.annotations.NullMarked;
