/** Crash-testing a program of one's own. */
@NullMarked
package io.howdah.examples.crashtest;

import org.jspecify.annotations.NullMarked;
