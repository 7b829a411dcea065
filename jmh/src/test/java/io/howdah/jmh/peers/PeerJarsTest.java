package io.howdah.jmh.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PeerJarsTest {

  @TempDir Path folder;

  @Test
  void theVersionOfEachStoreIsThatOfItsJar() throws Exception {
    for (String name :
        List.of(
            "howdah-0.1.0.jar",
            "howdah-core-0.2.0.jar",
            "je-18.3.12.jar",
            "rocksdbjni-11.8.1.jar",
            "mapdb-3.1.0.txt")) {
      Files.createFile(folder.resolve(name));
    }
    PeerJars jars = PeerJars.in(folder);
    assertThat(PeerKind.HOWDAH.version(jars)).hasValue("0.1.0");
    assertThat(PeerKind.JE.version(jars)).hasValue("18.3.12");
    assertThat(PeerKind.ROCKSDB.version(jars)).hasValue("11.8.1");
    assertThat(PeerKind.MAPDB.version(jars)).as("no jar").isEmpty();
    assertThat(PeerKind.HEAP.version(jars)).as("the Java library").isEmpty();
  }
}
