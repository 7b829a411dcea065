/**
 * Howdah under its own simulator: what a store writes and forces becomes a trace whose persist
 * order is examined, and the words that its transactions touch become a trace for the simulated
 * protocols.
 */
@NullMarked
package io.howdah.crashtest.persistorder;

import org.jspecify.annotations.NullMarked;
