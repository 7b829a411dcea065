/** What an opening tells a program about its recovery. */
@NullMarked
package io.howdah.checkpoint.report;

import org.jspecify.annotations.NullMarked;
