/**
 * What the figures of ThyNVM's evaluation compute: runs, targets, gates, reports and plots. Start
 * at {@link io.howdah.nvmsim.thynvm.study.ExactCounts} for the counts that do not depend on timing.
 */
@NullMarked
package io.howdah.nvmsim.thynvm.study;

import org.jspecify.annotations.NullMarked;
