/** The report of a recovery that an opening returns to a program. */
@NullMarked
package io.howdah.checkpoint.report;

import org.jspecify.annotations.NullMarked;
