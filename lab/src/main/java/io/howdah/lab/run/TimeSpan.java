package io.howdah.lab.run;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a time as people write it: {@code 2h}, {@code 90m}, {@code 45s} or {@code 1h30m}. */
public final class TimeSpan implements ITypeConverter<Duration> {

  /** Creates it, for the command line. */
  public TimeSpan() {}

  @Override
  public Duration convert(String text) {
    try {
      Duration duration = Duration.parse("PT" + text.toUpperCase(Locale.ROOT));
      if (duration.isPositive()) {
        return duration;
      }
    } catch (DateTimeParseException e) {
      // Said below, in the words of the option.
    }
    throw new TypeConversionException("'" + text + "' is no time above 0 such as 2h, 90m or 45s");
  }

  /** Writes a time as {@link #convert} reads it, in whole seconds. */
  public static String text(Duration duration) {
    Duration whole = Duration.ofSeconds(duration.toSeconds());
    return whole.isZero() ? "0s" : whole.toString().substring(2).toLowerCase(Locale.ROOT);
  }
}
