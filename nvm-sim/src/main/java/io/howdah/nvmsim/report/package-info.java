/**
 * The published figures of the papers, the rule that turns a critical path into throughput, and the
 * places where a paper disagrees with itself. Data only; plots are drawn elsewhere.
 */
@NullMarked
package io.howdah.nvmsim.report;

import org.jspecify.annotations.NullMarked;
