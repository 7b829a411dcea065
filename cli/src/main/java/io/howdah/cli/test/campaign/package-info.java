/**
 * {@code howdah test nightly} and {@code release}: the campaigns of {@code howdah test}, in turn.
 */
@NullMarked
package io.howdah.cli.test.campaign;

import org.jspecify.annotations.NullMarked;
