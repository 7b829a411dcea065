/** Reports of the log to a program: the outcome of a recovery, and the reason of a stall. */
@NullMarked
package io.howdah.log.report;

import org.jspecify.annotations.NullMarked;
