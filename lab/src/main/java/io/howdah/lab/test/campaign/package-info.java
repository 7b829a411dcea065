/**
 * {@code howdah test nightly} and {@code release}: the campaigns of {@code howdah test}, in turn.
 */
@NullMarked
package io.howdah.lab.test.campaign;

import org.jspecify.annotations.NullMarked;
