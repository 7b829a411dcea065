/**
 * Crash tests of services that keep their data in a store. Start at {@link
 * io.howdah.storetest.StoreCrashTest}.
 */
@NullMarked
package io.howdah.storetest;

import org.jspecify.annotations.NullMarked;
