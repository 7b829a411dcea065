/**
 * Charts as SVG and PNG from one description. Start at {@link io.howdah.plot.Chart}; other drawings
 * use a {@link io.howdah.plot.Canvas} themselves.
 */
@NullMarked
package io.howdah.plot;

import org.jspecify.annotations.NullMarked;
