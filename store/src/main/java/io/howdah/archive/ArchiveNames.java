package io.howdah.archive;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of the objects of an archive. In the order of their names, runs come one after the other,
 * in each the bases before the log, and these in the order of their numbers.
 */
public final class ArchiveNames {

  /** The object that names the store. */
  public static final String ARCHIVE = "archive.howdah";

  private static final Pattern PART =
      Pattern.compile("(\\d{8})-([0-9a-f]{8})\\.(base|log)\\.(\\d{8})");

  /**
   * A name taken apart.
   *
   * @param run number of the run
   * @param nonce the lower half of the run's nonce
   * @param isBase whether it is a base; otherwise a part of the log
   * @param number number of the base or of the part in its run
   */
  public record Part(long run, int nonce, boolean isBase, long number) {}

  /** Length of the part of a name that tells the run. */
  private static final int RUN_CHARACTERS = 17;

  private ArchiveNames() {}

  /**
   * Returns the part of a part's name that is the same for all of its run. Of two runs, the newer
   * one has the larger.
   */
  public static String run(String part) {
    return part.substring(0, RUN_CHARACTERS);
  }

  /** Returns the name of a base. */
  public static String base(long run, long nonce, long number) {
    return name(run, nonce, "base", number);
  }

  /** Returns the name of a part of the log. */
  public static String log(long run, long nonce, long number) {
    return name(run, nonce, "log", number);
  }

  private static String name(long run, long nonce, String kind, long number) {
    // Not the digits of the default locale: they might be those of another script.
    return String.format(Locale.ROOT, "%08d-%08x.%s.%08d", run, (int) nonce, kind, number);
  }

  /** Returns what a name says, or nothing if it is that of no part of an archive. */
  public static Optional<Part> part(String name) {
    Matcher matcher = PART.matcher(name);
    return matcher.matches()
        ? Optional.of(
            new Part(
                Long.parseLong(matcher.group(1)),
                Integer.parseUnsignedInt(matcher.group(2), 16),
                matcher.group(3).equals("base"),
                Long.parseLong(matcher.group(4))))
        : Optional.empty();
  }

  /** Returns whether an archive has objects of such a name. */
  public static boolean isObject(String name) {
    return name.equals(ARCHIVE) || PART.matcher(name).matches();
  }
}
