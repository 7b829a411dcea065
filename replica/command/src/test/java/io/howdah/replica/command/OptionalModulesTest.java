package io.howdah.replica.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Nothing needs the modules of replica groups: no other module names them or Ratis. The lab has the
 * module of the nodes, without Ratis, for planted bugs whose judges are its tests.
 */
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
        String text = Files.readString(pom);
        assertThat(text)
            .as("%s", pom)
            .doesNotContain("<artifactId>howdah-replica-")
            .doesNotContain("<groupId>org.apache.ratis");
        assertThat(text.contains("<artifactId>howdah-replica<"))
            .as("%s", pom)
            .isEqualTo(pom.toString().contains("/lab/"));
      }
    }
  }
}
