/**
 * The soak: hours of mixed load on one store, with kills, checked against a model outside of the
 * process, and figures over time that must stay flat. Start at {@link
 * io.howdah.crashtest.soak.SoakRun}; {@link io.howdah.crashtest.soak.SoakWork} says what the load
 * is.
 */
@NullMarked
package io.howdah.crashtest.soak;

import org.jspecify.annotations.NullMarked;
