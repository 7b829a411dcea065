package io.howdah.log.flush;

import java.util.regex.Pattern;

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
  private static final Pattern NAME = Pattern.compile("\\d{8,9}\\.seg");

  private SegmentNames() {}

  /** Returns the name of the segment with a number. */
  public static String name(int number) {
    String digits = Integer.toString(number);
    return DIRECTORY + "/" + "0".repeat(Math.max(0, 8 - digits.length())) + digits + SUFFIX;
  }

  /** Returns the number in a directory entry, or -1 if the entry is not a segment's name. */
  public static int number(String entry) {
    return NAME.matcher(entry).matches()
        ? Integer.parseInt(entry.substring(0, entry.length() - SUFFIX.length()))
        : -1;
  }
}
