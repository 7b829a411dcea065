/**
 * Crash workloads, the oracle that judges what recovery returned, and the campaigns that run them.
 */
@NullMarked
package io.howdah.crashtest;

import org.jspecify.annotations.NullMarked;
