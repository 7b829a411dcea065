package io.howdah.crashtest.serve;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One command of the workload. The fields that a verb has no use for are 0 or empty.
 *
 * @param value as bytes, one for each character
 * @param number the amount, the CAS value, or the second of expiry
 * @param flags stored with the value
 */
record Command(Verb verb, String key, String value, long number, int flags) {

  /** What a command does. */
  enum Verb {
    SET,
    ADD,
    REPLACE,
    APPEND,
    PREPEND,
    CAS,
    INCR,
    DECR,
    TOUCH,
    DELETE,
    GETS;

    private final String word = name().toLowerCase(Locale.ROOT);
  }

  /** Appends the command as a client sends it. */
  void encode(ByteArrayOutputStream out) {
    String line =
        switch (verb) {
          case SET, ADD, REPLACE -> " " + flags + " " + number + " " + value.length();
          case APPEND, PREPEND -> " 0 0 " + value.length();
          case CAS -> " " + flags + " 0 " + value.length() + " " + Long.toUnsignedString(number);
          case INCR, DECR, TOUCH -> " " + number;
          case DELETE, GETS -> "";
        };
    out.writeBytes((verb.word + " " + key + line + "\r\n").getBytes(StandardCharsets.US_ASCII));
    if (hasValue()) {
      out.writeBytes(value.getBytes(StandardCharsets.ISO_8859_1));
      out.write('\r');
      out.write('\n');
    }
  }

  private boolean hasValue() {
    return switch (verb) {
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS -> true;
      default -> false;
    };
  }

  @Override
  public String toString() {
    return verb.word
        + " "
        + key
        + " "
        + (hasValue() ? value.length() + " bytes" : Long.toString(number));
  }
}
