package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the system refuses is named as what it is. */
final class NamedFailuresTest {

  @TempDir Path temporary;

  @Test
  void noDescriptorsAtTheOpeningAreNamed() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell");
    Path directory = Files.createDirectory(temporary.resolve("store"));
    Files.createFile(directory.resolve("file"));
    try (ChildJvm child =
        ChildJvm.start(
            List.of("sh", "-c", "ulimit -n 200 && exec \"$@\"", "limited"),
            DescriptorScenario.class,
            directory.toString())) {
      assertThat(child.readLine())
          .startsWith("TOO_MANY_FILES open directory " + directory.toRealPath())
          .contains("too many open files");
    }
  }

  @Test
  void aNameThatIsTooLongIsNamed() {
    assertThatThrownBy(() -> FileStorage.open(temporary.resolve("x".repeat(300))))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NAME_TOO_LONG))
        .hasMessageContaining("too long");
  }

  @Test
  void damageNamesTheStore() {
    CorruptStoreException damage = new CorruptStoreException("image", 4096, "page 1 is damaged");
    CorruptStoreException named = damage.in("/data/bank");
    assertThat(named)
        .hasMessage("store /data/bank: image at offset 4096: page 1 is damaged")
        .hasCause(damage);
    assertThat(named.file()).isEqualTo("image");
    assertThat(named.offset()).isEqualTo(4096);
    assertThat(named.in("/data/bank")).as("once is enough").isSameAs(named);
  }
}
