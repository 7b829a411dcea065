/** Jobs that are done exactly once, whatever dies. */
@NullMarked
package io.howdah.examples.jobqueue;

import org.jspecify.annotations.NullMarked;
