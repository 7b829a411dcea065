/**
 * The evaluation of <i>ThyNVM</i> (MICRO 2015): runs, published values, gates, report and plots.
 * Start at {@link io.howdah.nvmsim.study.thynvm.ThyNvmRuns}, or at {@link
 * io.howdah.nvmsim.study.thynvm.ExactCounts} for the counts that do not depend on timing. A study
 * is for one thread and uses a thread per processor.
 */
@NullMarked
package io.howdah.nvmsim.study.thynvm;

import org.jspecify.annotations.NullMarked;
