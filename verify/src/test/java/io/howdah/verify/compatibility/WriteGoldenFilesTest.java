package io.howdah.verify.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What {@code build/golden} runs: no test, unless a folder is named. */
@EnabledIfSystemProperty(named = "howdah.golden", matches = ".+")
final class WriteGoldenFilesTest {

  @Test
  void writesTheFilesOfThisVersion() throws IOException {
    Path folder = Path.of(System.getProperty("howdah.golden", ""));
    GoldenStores.write(folder);
    assertThat(folder.resolve(GoldenStores.CLOSED + ".zip")).isNotEmptyFile();
  }
}
