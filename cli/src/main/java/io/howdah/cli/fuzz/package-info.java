/**
 * What {@code howdah test fuzz} feeds with bytes; start at {@link io.howdah.cli.fuzz.FuzzTargets}.
 */
@NullMarked
package io.howdah.cli.fuzz;

import org.jspecify.annotations.NullMarked;
