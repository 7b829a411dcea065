/**
 * A disk in memory that crashes, tears, loses and fails like a real one. Start at {@link
 * io.howdah.testkit.disk.SimulatedDisk}.
 */
@NullMarked
package io.howdah.testkit.disk;

import org.jspecify.annotations.NullMarked;
