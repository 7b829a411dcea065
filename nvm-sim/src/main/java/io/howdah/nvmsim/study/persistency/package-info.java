/**
 * The evaluation of <i>Memory Persistency</i> (ISCA 2014): runs, published values, gates, report
 * and plots. Start at {@link io.howdah.nvmsim.study.persistency.PersistencyRuns}. For one thread.
 */
@NullMarked
package io.howdah.nvmsim.study.persistency;

import org.jspecify.annotations.NullMarked;
