/** Workloads that measure the engine, and the JMH benchmarks of its hot paths. */
@NullMarked
package io.howdah.jmh;

import org.jspecify.annotations.NullMarked;
