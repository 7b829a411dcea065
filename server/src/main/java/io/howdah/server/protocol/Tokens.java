package io.howdah.server.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The words of a command line, separated by spaces. Reused from line to line. */
public final class Tokens {

  private static final byte[] EMPTY = {};

  private static final int FIRST_WORDS = 32;
  private static final int KEPT_WORDS = 128;

  private byte[] line = EMPTY;
  private int[] starts = new int[FIRST_WORDS];
  private int[] ends = new int[FIRST_WORDS];
  private int count;

  /** The line has a zero byte. */
  private boolean hasZero;

  /** Splits a line. */
  public void split(byte[] source, int length) {
    line = source;
    count = 0;
    hasZero = false;
    int at = 0;
    while (at < length) {
      if (source[at] == ' ') {
        at++;
        continue;
      }
      int start = at;
      while (at < length && source[at] != ' ') {
        hasZero |= source[at] == 0;
        at++;
      }
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
        ends = Arrays.copyOf(ends, 2 * count);
      }
      starts[count] = start;
      ends[count++] = at;
    }
  }

  /** Forgets the line. */
  public void clear() {
    line = EMPTY;
    count = 0;
    if (starts.length > KEPT_WORDS) { // every connection has its own, and most lines are short
      starts = new int[FIRST_WORDS];
      ends = new int[FIRST_WORDS];
    }
  }

  public int count() {
    return count;
  }

  public int length(int index) {
    return ends[index] - starts[index];
  }

  public byte at(int index, int offset) {
    return line[starts[index] + offset];
  }

  public boolean is(int index, String word) {
    if (index >= count || length(index) != word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (at(index, i) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether a word may be a key: it is not too long, and has no zero byte. */
  public boolean isKey(int index) {
    return length(index) <= ProtocolOptions.MAX_KEY_BYTES
        && !(hasZero && hasZero(line, starts[index], ends[index]));
  }

  public static boolean hasZero(byte[] source, int from, int end) {
    for (int i = from; i < end; i++) {
      if (source[i] == 0) {
        return true;
      }
    }
    return false;
  }

  /** Returns the first eight bytes of a word as a number, the first byte lowest; 0 at the end. */
  public long word(int index) {
    long word = 0;
    int end = Math.min(ends[index], starts[index] + Long.BYTES);
    for (int at = end - 1; at >= starts[index]; at--) {
      word = word << Byte.SIZE | (line[at] & 0xff);
    }
    return word;
  }

  /** Returns a copy of the line from a word on. */
  public byte[] rest(int index) {
    return Arrays.copyOfRange(line, starts[index], ends[count - 1]);
  }

  public byte[] bytes(int index) {
    return Arrays.copyOfRange(line, starts[index], ends[index]);
  }

  public String text(int index) {
    return new String(line, starts[index], length(index), StandardCharsets.ISO_8859_1);
  }

  void copy(int index, Reply target) {
    target.add(line, starts[index], length(index));
  }

  /** Returns a number, or {@link Numbers#NOT_A_NUMBER}. */
  public long signed32(int index, int offset) {
    return Numbers.signed32(line, starts[index] + offset, ends[index]);
  }

  /** Returns a number, or {@link Numbers#NOT_A_NUMBER}. */
  public long lowSigned32(int index) {
    return Numbers.lowSigned32(line, starts[index], ends[index]);
  }

  /** Returns a number, or {@link Numbers#NOT_A_NUMBER}. */
  public long lowUnsigned32(int index) {
    return Numbers.lowUnsigned32(line, starts[index], ends[index]);
  }

  /** Returns a number, or {@link Numbers#NOT_A_NUMBER}. */
  public long unsigned32(int index, int offset) {
    return Numbers.unsigned32(line, starts[index] + offset, ends[index]);
  }

  public @Nullable Long unsigned64(int index, int offset) {
    return Numbers.unsigned64(line, starts[index] + offset, ends[index]);
  }
}
