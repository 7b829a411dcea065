package io.howdah.cli.command;

import io.howdah.collections.EntryExpiry;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations as people write them. */
public final class TimeToLive {

  private static final String FOREVER = "forever";
  private static final Pattern SHORT = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");

  private TimeToLive() {}

  /** Returns a duration of more than 0, or null if the text is none. */
  public static @Nullable Duration parse(String text) {
    if (text.equals(FOREVER)) {
      return EntryExpiry.FOREVER;
    }
    Duration duration;
    Matcher matcher = SHORT.matcher(text);
    if (matcher.matches()) {
      long number = Long.parseLong(matcher.group(1));
      duration =
          switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
          };
    } else {
      try {
        duration = Duration.parse(text);
      } catch (DateTimeParseException e) {
        return null;
      }
    }
    return duration.isPositive() ? duration : null;
  }
}
