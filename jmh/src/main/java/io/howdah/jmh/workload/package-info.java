/**
 * The workloads behind {@code howdah bench}, without printing and without command lines: each
 * returns figures. {@link io.howdah.jmh.workload.Rounds} measures several subjects in turns, so
 * that a ratio compares what ran within the same second; the raw baselines ({@code Raw...}) use
 * neither the engine nor its classes.
 */
@NullMarked
package io.howdah.jmh.workload;

import org.jspecify.annotations.NullMarked;
