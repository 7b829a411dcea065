/**
 * The persist DAG: every persist of a small trace, with the constraints a model puts on it.
 * Assertions, the redundant-barrier report, and export to DOT and GraphML read it. Start at {@link
 * io.howdah.nvmsim.dag.PersistDag}.
 */
@NullMarked
package io.howdah.nvmsim.dag;

import org.jspecify.annotations.NullMarked;
