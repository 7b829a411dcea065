package io.howdah.nvmsim.loc;

import io.howdah.nvmsim.timing.MemoryDevice;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The versions of lines that the transactions of one window wrote, and per line the latest of them
 * (the Tx Dirty Block Table, LOC §IV-B, with the contents the paper keeps in the cache). A version
 * is a number from 0, in the order of creation.
 */
final class VersionTable {
  static final int NONE = -1;

  /** The contents are in the cache and, since the last store, nowhere else. */
  static final byte CACHED = 1;

  /** The contents are in the log. */
  static final byte LOGGED = 2;

  /** The transaction was aborted. */
  static final byte DROPPED = 3;

  private static final int MAX_VERSIONS = 1 << 24;
  private static final int WORDS = MemoryDevice.LINE_WORDS;

  private long[] lines = new long[256];
  private int[] slots = new int[256];
  private byte[] states = new byte[256];
  private long[] places = new long[256];
  private int[] previous = new int[256];
  private int[] next = new int[256];
  private int[] nextOfSlot = new int[256];
  private long @Nullable [] words;
  private int count;

  private final int[] firstOfSlot;
  private final int[] lastOfSlot;

  private long[] keys = new long[1024];
  private int[] values = new int[1024];
  private int[] filledIn = new int[1024];
  private int used;
  private int window = 1;

  VersionTable(int slots, boolean withContents) {
    firstOfSlot = new int[slots];
    lastOfSlot = new int[slots];
    Arrays.fill(firstOfSlot, NONE);
    Arrays.fill(lastOfSlot, NONE);
    words = withContents ? new long[lines.length * WORDS] : null;
  }

  int count() {
    return count;
  }

  long line(int version) {
    return lines[version];
  }

  /** Place of its transaction in the window. */
  int slot(int version) {
    return slots[version];
  }

  byte state(int version) {
    return states[version];
  }

  void setState(int version, byte state) {
    states[version] = state;
  }

  /** Where its block is in the log, for a logged version. */
  long place(int version) {
    return places[version];
  }

  void setLogged(int version, long place) {
    states[version] = LOGGED;
    places[version] = place;
  }

  int previous(int version) {
    return previous[version];
  }

  int next(int version) {
    return next[version];
  }

  int firstOf(int slot) {
    return firstOfSlot[slot];
  }

  int nextOfSame(int version) {
    return nextOfSlot[version];
  }

  long @Nullable [] words() {
    return words;
  }

  int wordsOffset(int version) {
    return version * WORDS;
  }

  /** Creates the latest version of a line. */
  int create(long line, int slot, int before) {
    if (count == lines.length) {
      grow();
    }
    int version = count++;
    lines[version] = line;
    slots[version] = slot;
    states[version] = CACHED;
    previous[version] = before;
    next[version] = NONE;
    nextOfSlot[version] = NONE;
    if (before != NONE) {
      next[before] = version;
    }
    if (lastOfSlot[slot] == NONE) {
      firstOfSlot[slot] = version;
    } else {
      nextOfSlot[lastOfSlot[slot]] = version;
    }
    lastOfSlot[slot] = version;
    setLatest(line, version);
    return version;
  }

  /** Takes back the latest version of a line: the one before it is the latest again. */
  void drop(int version) {
    states[version] = DROPPED;
    setLatest(lines[version], previous[version]);
    if (previous[version] != NONE) {
      next[previous[version]] = NONE;
    }
  }

  int latest(long line) {
    int bucket = bucket(line);
    return filledIn[bucket] == window ? values[bucket] : NONE;
  }

  private void setLatest(long line, int version) {
    int bucket = bucket(line);
    if (filledIn[bucket] != window) {
      if (++used > keys.length / 2) {
        rehash();
        bucket = bucket(line);
      }
      filledIn[bucket] = window;
      keys[bucket] = line;
    }
    values[bucket] = version;
  }

  private int bucket(long line) {
    int mask = keys.length - 1;
    int bucket = (int) ((line * 0x9E37_79B9_7F4A_7C15L) >>> 40) & mask;
    while (filledIn[bucket] == window && keys[bucket] != line) {
      bucket = (bucket + 1) & mask;
    }
    return bucket;
  }

  private void rehash() {
    long[] oldKeys = keys;
    int[] oldValues = values;
    int[] oldFilled = filledIn;
    keys = new long[oldKeys.length * 2];
    values = new int[keys.length];
    filledIn = new int[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldFilled[i] == window) {
        int bucket = bucket(oldKeys[i]);
        keys[bucket] = oldKeys[i];
        values[bucket] = oldValues[i];
        filledIn[bucket] = window;
      }
    }
  }

  private void grow() {
    int length = count * 2;
    if (length > MAX_VERSIONS) {
      throw new IllegalStateException("a window wrote more than " + count + " versions of lines");
    }
    lines = Arrays.copyOf(lines, length);
    slots = Arrays.copyOf(slots, length);
    states = Arrays.copyOf(states, length);
    places = Arrays.copyOf(places, length);
    previous = Arrays.copyOf(previous, length);
    next = Arrays.copyOf(next, length);
    nextOfSlot = Arrays.copyOf(nextOfSlot, length);
    if (words != null) {
      words = Arrays.copyOf(words, length * WORDS);
    }
  }

  /** Forgets everything: a new window begins. */
  void clear() {
    count = 0;
    used = 0;
    window++;
    Arrays.fill(firstOfSlot, NONE);
    Arrays.fill(lastOfSlot, NONE);
  }
}
