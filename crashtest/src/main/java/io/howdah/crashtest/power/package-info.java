/**
 * Power cuts of a file system of the running kernel: {@link io.howdah.crashtest.power.LossyDisk}
 * makes a disk in a file, mounts it, and takes its power; {@link
 * io.howdah.crashtest.power.PowerCut} ends the children of a kill campaign that way.
 */
@NullMarked
package io.howdah.crashtest.power;

import org.jspecify.annotations.NullMarked;
