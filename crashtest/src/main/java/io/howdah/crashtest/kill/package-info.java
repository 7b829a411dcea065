/**
 * The kill campaign: {@link io.howdah.crashtest.kill.CrashRun} kills one process after the other
 * while it moves people between real cities, and {@link io.howdah.crashtest.kill.Ledger} judges
 * what each opening of the store gives back.
 */
@NullMarked
package io.howdah.crashtest.kill;

import org.jspecify.annotations.NullMarked;
