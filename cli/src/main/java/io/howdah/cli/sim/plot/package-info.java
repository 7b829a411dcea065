/**
 * Charts as SVG and PNG from one description. Start at {@link io.howdah.cli.sim.plot.Chart}; other
 * drawings use a {@link io.howdah.cli.sim.plot.Canvas} themselves.
 */
@NullMarked
package io.howdah.cli.sim.plot;

import org.jspecify.annotations.NullMarked;
