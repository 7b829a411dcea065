package io.howdah.replica.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nothing needs the modules of replica groups: no other module names them or Ratis. */
class OptionalModulesTest {

  @Test
  void noOtherModuleDependsOnReplicaGroups() throws IOException {
    try (Stream<Path> folders = Files.list(Path.of("../.."))) {
      List<Path> poms =
          folders
              .filter(folder -> !folder.endsWith("replica"))
              .map(folder -> folder.resolve("pom.xml"))
              .filter(Files::exists)
              .toList();
      assertThat(poms).hasSizeGreaterThan(20);
      for (Path pom : poms) {
        assertThat(Files.readString(pom))
            .as("%s", pom)
            .doesNotContain("<artifactId>howdah-replica")
            .doesNotContain("<groupId>org.apache.ratis");
      }
    }
  }
}
