package io.howdah.server.watch;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/**
 * One event while it is written: {@code ts=SECONDS.MICROSECONDS gid=N type=TYPE}, and words of
 * names and values. Values are URI-encoded where they are a client's. For one thread.
 */
final class EventLine {

  private static final int TYPICAL_BYTES = 160;
  private static final int MICROS_DIGITS = 6;
  private static final int NANOS_PER_MICRO = 1000;

  private byte[] bytes = new byte[TYPICAL_BYTES];
  private int length;

  EventLine(Instant now, long id, String type) {
    String micros = Integer.toString(now.getNano() / NANOS_PER_MICRO);
    add("ts=").add(Long.toString(now.getEpochSecond())).add(".");
    add("0".repeat(MICROS_DIGITS - micros.length())).add(micros);
    number("gid", id).word("type", type);
  }

  private EventLine add(String text) {
    reserve(text.length() + 1); // one more for the end of the line
    for (int i = 0; i < text.length(); i++) {
      bytes[length++] = (byte) text.charAt(i);
    }
    return this;
  }

  private void reserve(int count) {
    if (length + count > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
    }
  }

  /** Adds a name and a value that has neither spaces nor line ends. */
  EventLine word(String name, String value) {
    return add(" ").add(name).add("=").add(value);
  }

  EventLine number(String name, long value) {
    return word(name, Long.toString(value));
  }

  EventLine key(byte[] key) {
    return word("key", KeyText.of(key));
  }

  /** Ends the line, and returns the array whose first {@link #length} bytes it is. */
  byte[] end() {
    bytes[length++] = '\n';
    return bytes;
  }

  int length() {
    return length;
  }

  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.US_ASCII);
  }
}
