package io.howdah.replica.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No decision of a member depends on the time of day, so a clock that jumps changes nothing: the
 * modules do not read it. Waits use the monotonic clock of the execution.
 */
final class TimeOfDayTest {

  private static final Pattern TIME_OF_DAY =
      Pattern.compile("currentTimeMillis|Instant\\.now|Clock\\.system|LocalDate|new Date\\(");

  @Test
  void theSourcesDoNotReadTheTimeOfDay() throws IOException {
    for (String sources : List.of("src/main/java", "ratis/src/main/java")) {
      try (Stream<Path> files = Files.walk(Path.of(sources))) {
        List<Path> all = files.filter(file -> file.toString().endsWith(".java")).toList();
        assertThat(all).as(sources).hasSizeGreaterThan(2);
        for (Path file : all) {
          assertThat(Files.readString(file)).as("%s", file).doesNotContainPattern(TIME_OF_DAY);
        }
      }
    }
  }
}
