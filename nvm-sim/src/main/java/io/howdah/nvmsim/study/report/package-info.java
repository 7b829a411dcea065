/**
 * How the studies report: lines of text with titles, the places where a paper disagrees with
 * itself, and one HTML page for all papers.
 */
@NullMarked
package io.howdah.nvmsim.study.report;

import org.jspecify.annotations.NullMarked;
