package io.howdah.nvmsim.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.OutsideSources;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example in {@code examples/persistent-stack} compiles and prints what its README says. */
final class OwnStructureExampleTest {
  private static final Path EXAMPLE = Path.of("../examples/persistent-stack");

  @TempDir Path classes;

  @Test
  void printsWhatItsReadmeSays() throws Exception {
    String source = Files.readString(EXAMPLE.resolve("PersistentStack.java"));
    String printed = OutsideSources.run(OutsideSources.load("PersistentStack", source, classes));
    assertThat(Files.readString(EXAMPLE.resolve("README.md"))).contains(printed);
    assertThat(printed).contains("sound").contains("has no value");
  }
}
