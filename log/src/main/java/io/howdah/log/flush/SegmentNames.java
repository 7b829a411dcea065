package io.howdah.log.flush;

import java.util.regex.Pattern;

/**
 * How the files of the log are called: {@code log/0/NNNNNNNN.seg}. A name is given once and says
 * nothing about order, which segments' headers tell.
 */
public final class SegmentNames {

  /** Directory of the log. */
  public static final String LOG_DIRECTORY = "log";

  /** Directory of the segments. */
  public static final String DIRECTORY = LOG_DIRECTORY + "/0";

  private static final String SUFFIX = ".seg";
  private static final Pattern NAME = Pattern.compile("\\d{8,9}\\.seg");

  private SegmentNames() {}

  /** Returns the name of a segment, by its number. */
  public static String name(int number) {
    String digits = Integer.toString(number);
    return DIRECTORY + "/" + "0".repeat(Math.max(0, 8 - digits.length())) + digits + SUFFIX;
  }

  /** Returns the number in a directory's entry, or -1 if that is no segment's. */
  public static int number(String entry) {
    return NAME.matcher(entry).matches()
        ? Integer.parseInt(entry.substring(0, entry.length() - SUFFIX.length()))
        : -1;
  }
}
