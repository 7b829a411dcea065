/**
 * Planted bugs: the suite that proves the crash scenarios can fail. The bugs stand in {@code
 * src/main/planted}, one file each. Start at {@link io.howdah.crashtest.planted.PlantedBugs}.
 */
@NullMarked
package io.howdah.crashtest.planted;

import org.jspecify.annotations.NullMarked;
