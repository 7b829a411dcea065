package io.howdah.jmh.ycsb;

import java.nio.charset.StandardCharsets;
import site.ycsb.Utils;
import site.ycsb.generator.AcknowledgedCounterGenerator;

/** The keys of a load: how many there are, how they are written. Thread-safe. */
public final class KeySpace {

  /** The longest key: the prefix and 19 digits. */
  static final int MAX_BYTES = 23;

  /** The length of every key of {@link Form#TWENTY_BYTES}. */
  private static final int PADDED_BYTES = 20;

  private static final byte[] PREFIX = "user".getBytes(StandardCharsets.US_ASCII);
  private static final int RADIX = 10;

  private final Form form;
  private final AcknowledgedCounterGenerator inserts;
  private final long loaded;

  /** How the number of a record becomes a key. */
  public enum Form {
    /** As YCSB does by default: "user" and a hash, 5 to 23 bytes. */
    HASHED,
    /** "user" and sixteen digits: always 20 bytes. */
    TWENTY_BYTES
  }

  /**
   * Describes the keys.
   *
   * @param loaded number of records after the load phase, at least 1
   */
  public KeySpace(long loaded, Form form) {
    if (loaded < 1) {
      throw new IllegalArgumentException("a load needs at least one record, not " + loaded);
    }
    this.loaded = loaded;
    this.form = form;
    this.inserts = new AcknowledgedCounterGenerator(loaded);
  }

  /** Returns the number of records after the load phase. */
  public long loaded() {
    return loaded;
  }

  /** Returns the counter of records, inserts included. */
  AcknowledgedCounterGenerator inserts() {
    return inserts;
  }

  /** Writes the key of a record and returns where it ends. */
  int write(long number, byte[] target, int offset) {
    System.arraycopy(PREFIX, 0, target, offset, PREFIX.length);
    int begin = offset + PREFIX.length;
    long digits = form == Form.HASHED ? Utils.hash(number) : number;
    int length = form == Form.HASHED ? digitsOf(digits) : PADDED_BYTES - PREFIX.length;
    for (int i = begin + length - 1; i >= begin; i--) {
      target[i] = (byte) ('0' + digits % RADIX);
      digits /= RADIX;
    }
    return begin + length;
  }

  /** Returns the key of a record as text. */
  public String key(long number) {
    byte[] key = new byte[MAX_BYTES];
    return new String(key, 0, write(number, key, 0), StandardCharsets.US_ASCII);
  }

  static int digitsOf(long number) {
    int digits = 1;
    for (long rest = number; rest >= RADIX; rest /= RADIX) {
      digits++;
    }
    return digits;
  }
}
