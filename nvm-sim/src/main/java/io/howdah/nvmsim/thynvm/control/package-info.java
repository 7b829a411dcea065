/**
 * The memory controller: which version of a block a request reaches, what a checkpoint writes, and
 * in what order. Start at {@link io.howdah.nvmsim.thynvm.control.Controller}; the protocol of the
 * paper's text is {@link io.howdah.nvmsim.thynvm.control.PaperController}, that of the authors'
 * program {@link io.howdah.nvmsim.thynvm.control.ArtifactController}. A controller moves data only
 * by telling its {@link io.howdah.nvmsim.thynvm.control.DataPath}, so one and the same controller
 * is timed, counted, and checked against power failures. For one thread.
 */
@NullMarked
package io.howdah.nvmsim.thynvm.control;

import org.jspecify.annotations.NullMarked;
