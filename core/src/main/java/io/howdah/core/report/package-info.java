/** Messages of the engine to the log of the program. */
@NullMarked
package io.howdah.core.report;

import org.jspecify.annotations.NullMarked;
