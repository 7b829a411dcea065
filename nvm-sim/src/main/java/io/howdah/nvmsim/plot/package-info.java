/**
 * Charts as SVG and PNG from one description. Start at {@link io.howdah.nvmsim.plot.Chart}; other
 * drawings use a {@link io.howdah.nvmsim.plot.Canvas} themselves.
 */
@NullMarked
package io.howdah.nvmsim.plot;

import org.jspecify.annotations.NullMarked;
