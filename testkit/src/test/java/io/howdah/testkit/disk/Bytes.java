package io.howdah.testkit.disk;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Direct buffers and whole files, for tests. */
public final class Bytes {

  private Bytes() {}

  public static ByteBuffer filled(int length, int value) {
    ByteBuffer buffer =
        ByteBuffer.allocateDirect((length + 4095 & -4096) + 4096).alignedSlice(4096);
    buffer.limit(length);
    for (int i = 0; i < length; i++) {
      buffer.put(i, (byte) value);
    }
    return buffer;
  }

  public static ByteBuffer empty(int length) {
    return filled(length, 0);
  }

  public static byte[] array(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** Makes a file durable, name included. */
  public static void durable(Storage storage, String name, int length, int value) {
    try (StorageFile file = storage.create(name)) {
      file.write(0, filled(length, value));
      file.force();
    }
    storage.forceDirectory("");
  }
}
