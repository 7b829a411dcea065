/**
 * Crash tests: a program runs on a simulated machine that dies at every moment and comes back in
 * every legal state. For the engine's tests and for a user's own. Start at {@link
 * io.howdah.testkit.CrashExplorer}, or at {@link io.howdah.testkit.CrashTest} for JUnit; the
 * simulated disk and the scheduler are packages of their own.
 */
@NullMarked
package io.howdah.testkit;

import org.jspecify.annotations.NullMarked;
