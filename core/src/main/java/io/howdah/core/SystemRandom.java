package io.howdah.core;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * Random bits of the operating system. They come from the kernel's device, as those of {@link
 * SecureRandom} do; starting that class's providers takes a new JVM 20 ms, a fourth of an opening.
 * Where there is no such device, {@code SecureRandom} gives the bits. Thread-safe.
 */
final class SystemRandom {

  private static final String DEVICE = "/dev/urandom";

  private SystemRandom() {}

  static long nextLong() {
    return nextLong(DEVICE);
  }

  /** Reads from a device by its name. */
  static long nextLong(String device) {
    try (FileInputStream source = new FileInputStream(device)) {
      byte[] bytes = source.readNBytes(Long.BYTES);
      if (bytes.length == Long.BYTES) {
        return ByteBuffer.wrap(bytes).getLong();
      }
    } catch (IOException e) {
      // Not a Unix, or no descriptor left.
    }
    return Fallback.RANDOM.nextLong();
  }

  private static final class Fallback {
    static final SecureRandom RANDOM = new SecureRandom();
  }
}
