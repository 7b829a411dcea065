/** The programs of ThyNVM's evaluation, and kernels that stand in for those we may not ship. */
@NullMarked
package io.howdah.nvmsim.thynvm.workload;

import org.jspecify.annotations.NullMarked;
