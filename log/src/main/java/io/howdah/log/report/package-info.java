/** What the log tells a program: how an opening went, and why nothing becomes durable. */
@NullMarked
package io.howdah.log.report;

import org.jspecify.annotations.NullMarked;
