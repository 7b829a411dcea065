package io.howdah.log.recovery;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;

/**
 * A ring of the last opening with a valid header.
 *
 * @param name of the file in its storage
 * @param announcement of the partition: a dense LSN, or {@link RingLayout#IDLE}
 */
record RingFile(
    Storage place,
    String name,
    int partition,
    long capacityBytes,
    long announcement,
    long tail,
    long forcedPosition) {

  String describe() {
    return place.describe() + "/" + name;
  }

  /**
   * Reads published records.
   *
   * @param from position of the first record, at most the capacity before the tail
   * @param memory for the records
   */
  ByteBuffer read(long from, StagingMemory memory) {
    int length = (int) (tail - from);
    ByteBuffer records = memory.allocate(length);
    try (StorageFile file = place.open(name, Storage.Access.READ)) {
      for (long position = from; position < tail; ) {
        long offset = position & capacityBytes - 1;
        int run = (int) Math.min(tail - position, capacityBytes - offset);
        int read =
            file.read(RingLayout.HEADER_LENGTH + offset, records.limit(records.position() + run));
        if (read < run) {
          throw new UntrustedRingsException("ring " + describe() + " ends within its records");
        }
        position += run;
      }
    }
    return records.flip();
  }
}
