/**
 * What a crash is: the point of a run at which it happens, its kind, and the choice among the
 * states in which the disk may come back. All of it can be written as text and read again for a
 * replay. Start at {@link io.howdah.testkit.crash.Crash}.
 */
@NullMarked
package io.howdah.testkit.crash;

import org.jspecify.annotations.NullMarked;
