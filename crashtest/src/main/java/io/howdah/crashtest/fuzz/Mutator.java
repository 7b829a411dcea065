package io.howdah.crashtest.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Changes inputs at random: flips bits, sets bytes and numbers at the limits of their types,
 * removes, repeats and joins parts. For tests, which run a few inputs of each target without a
 * fuzzer. For one thread.
 */
public final class Mutator {

  private static final long[] LIMITS = {
    0, 1, -1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE
  };

  private static final int MAX_CHANGES = 6;
  private static final int MAX_REPEAT = 64;

  private final SplittableRandom random;

  /** Creates one whose changes follow from a seed. */
  public Mutator(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** Returns a changed copy of one of some inputs. */
  public byte[] next(List<byte[]> inputs) {
    byte[] bytes = inputs.get(random.nextInt(inputs.size())).clone();
    int changes = 1 + random.nextInt(MAX_CHANGES);
    for (int i = 0; i < changes; i++) {
      bytes = change(bytes, inputs.get(random.nextInt(inputs.size())));
    }
    return bytes;
  }

  private byte[] change(byte[] bytes, byte[] other) {
    if (bytes.length == 0) {
      return other.clone();
    }
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(7)) {
      case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> bytes[at] = (byte) random.nextInt();
      case 2 -> {
        long limit = LIMITS[random.nextInt(LIMITS.length)];
        boolean bigEndian = random.nextBoolean();
        int length = Math.min(1 << random.nextInt(4), bytes.length - at);
        for (int i = 0; i < length; i++) {
          bytes[at + i] = (byte) (limit >>> (8 * (bigEndian ? length - 1 - i : i)));
        }
      }
      case 3 -> {
        return Arrays.copyOf(bytes, at);
      }
      case 4 -> {
        int end = Math.min(bytes.length, at + 1 + random.nextInt(16));
        return join(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, end, bytes.length));
      }
      case 5 -> {
        int end = Math.min(bytes.length, at + 1 + random.nextInt(8));
        byte[] part = Arrays.copyOfRange(bytes, at, end);
        byte[] result = Arrays.copyOf(bytes, end);
        for (int i = random.nextInt(MAX_REPEAT); i >= 0; i--) {
          result = join(result, part);
        }
        return join(result, Arrays.copyOfRange(bytes, end, bytes.length));
      }
      default -> {
        return join(
            Arrays.copyOf(bytes, at),
            Arrays.copyOfRange(other, random.nextInt(other.length + 1), other.length));
      }
    }
    return bytes;
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] joined = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, joined, first.length, second.length);
    return joined;
  }
}
