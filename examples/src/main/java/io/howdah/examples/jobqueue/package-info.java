/** Jobs handed from one thread to another, with no job lost or done twice. */
@NullMarked
package io.howdah.examples.jobqueue;

import org.jspecify.annotations.NullMarked;
