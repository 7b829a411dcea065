/**
 * The evaluation of <i>Loose-Ordering Consistency</i> (ICCD 2014): runs, published values, gates,
 * report and plots. Start at {@link io.howdah.nvmsim.study.loc.LocRuns}; {@link
 * io.howdah.nvmsim.study.loc.LocTrial} runs the protocols on a machine and load of one's own. A
 * study is for one thread and uses a thread per processor.
 */
@NullMarked
package io.howdah.nvmsim.study.loc;

import org.jspecify.annotations.NullMarked;
