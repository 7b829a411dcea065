package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.lab.json.MetricsReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documents have the tables and sentences that follow from the figures beside them. */
final class PeersMarkdownTest {

  private static final Path DOCS = Path.of("../docs");

  private static Map<String, String> parts() throws IOException {
    try (Stream<Path> files = Files.list(DOCS.resolve("benchmarks"))) {
      Path kept =
          files
              .filter(file -> file.getFileName().toString().matches("peers-.*\\.json"))
              .findFirst()
              .orElseThrow();
      return new PeersMarkdown(new PeersResult(MetricsReader.read(kept))).parts();
    }
  }

  private static void assertHas(Path document, String prefix) throws IOException {
    String text = Files.readString(document);
    int compared = 0;
    for (Map.Entry<String, String> part : parts().entrySet()) {
      if (part.getKey().startsWith(prefix)) {
        assertThat(text.contains(part.getValue().strip()))
            .as("%s has what bench draw writes:%n%s", document, part.getValue())
            .isTrue();
        compared++;
      }
    }
    assertThat(compared).isPositive();
  }

  @Test
  void theReadmeHasTheTableOfTheKeptFigures() throws IOException {
    assertHas(Path.of("../README.md"), "README: ");
  }

  @Test
  void theBenchmarksHaveTheTablesOfTheKeptFigures() throws IOException {
    assertHas(DOCS.resolve("benchmarks.md"), "benchmarks.md: ");
  }
}
