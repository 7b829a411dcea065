package io.howdah.log.flush;

import io.howdah.core.storage.StorageFile;

/** An open segment, to which batches are appended. Owned by one thread at a time. */
public final class Segment {

  public final StorageFile file;
  final String name;
  final long sequence;
  final int lengthBytes;
  int position;

  Segment(StorageFile file, String name, long sequence, int lengthBytes, int position) {
    this.file = file;
    this.name = name;
    this.sequence = sequence;
    this.lengthBytes = lengthBytes;
    this.position = position;
  }

  int remainingBytes() {
    return lengthBytes - position;
  }
}
