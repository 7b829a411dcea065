package io.howdah.crashtest.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the program in Go is looked for; its own tests are in {@code second-opinion}. */
class SecondOpinionTest {

  @TempDir private Path folder;

  @Test
  void withoutTheSourcesItIsSkipped() throws InterruptedException {
    assertThat(new SecondOpinion(folder).whyNot())
        .hasValueSatisfying(text -> assertThat(text).contains("sources", folder.toString()));
  }

  @Test
  void theSourcesAreWhereItLooks() {
    assertThat(Files.isRegularFile(Path.of("second-opinion", "go.mod"))).isTrue();
  }
}
