/** What fuzzing feeds with bytes; see {@link io.howdah.crashtest.fuzz.FuzzTarget}. */
@NullMarked
package io.howdah.crashtest.fuzz;

import org.jspecify.annotations.NullMarked;
