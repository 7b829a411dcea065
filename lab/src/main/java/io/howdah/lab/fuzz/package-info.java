/**
 * What {@code howdah test fuzz} feeds with bytes; start at {@link io.howdah.lab.fuzz.FuzzTargets}.
 */
@NullMarked
package io.howdah.lab.fuzz;

import org.jspecify.annotations.NullMarked;
