package io.howdah.log.flush;

/**
 * Names of the log's files: {@code log/0/NNNNNNNN.seg}. A name is used for one file and does not
 * define an order. The order of segments is in their headers.
 */
public final class SegmentNames {

  /** Directory of the log. */
  public static final String LOG_DIRECTORY = "log";

  /** Directory of the segments. */
  public static final String DIRECTORY = LOG_DIRECTORY + "/0";

  private static final String SUFFIX = ".seg";
  private static final int MIN_DIGITS = 8;
  private static final int MAX_DIGITS = 9;

  private SegmentNames() {}

  /** Returns the name of the segment with a number. */
  public static String name(int number) {
    String digits = Integer.toString(number);
    return DIRECTORY
        + "/"
        + "0".repeat(Math.max(0, MIN_DIGITS - digits.length()))
        + digits
        + SUFFIX;
  }

  /** Returns the number in a directory entry, or -1 if the entry is not a segment's name. */
  public static int number(String entry) {
    int digits = entry.length() - SUFFIX.length();
    if (digits < MIN_DIGITS || digits > MAX_DIGITS || !entry.endsWith(SUFFIX)) {
      return -1;
    }
    int number = 0;
    for (int i = 0; i < digits; i++) {
      int digit = entry.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
