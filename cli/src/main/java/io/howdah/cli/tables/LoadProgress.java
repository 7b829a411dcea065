package io.howdah.cli.tables;

import io.howdah.codec.FormerName;
import io.howdah.codec.PersistentName;

/**
 * How far a file has come into a map. It changes in the same transactions as the map, so it is
 * right after a kill at any moment.
 *
 * @param position bytes of the file, unpacked, whose rows are in the map
 * @param checksum CRC32C of these bytes
 * @param rows how many rows that were
 * @param replaced how many of them had a key that the map had already, and replaced its value
 * @param isComplete whether the file ended there
 */
@PersistentName("howdah.load.progress")
@FormerName("io.howdah.cli.data.LoadProgress")
record LoadProgress(long position, long checksum, long rows, long replaced, boolean isComplete) {

  static final LoadProgress NONE = new LoadProgress(0, 0, 0, 0, false);
}
