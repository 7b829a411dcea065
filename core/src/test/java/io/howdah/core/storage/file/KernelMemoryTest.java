package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KernelMemoryTest {

  @Test
  void withoutNativeAccessThereIsNone() {
    assertThat(KernelMemory.class.getModule().isNativeAccessEnabled()).isFalse();
    try (Arena arena = Arena.ofShared()) {
      assertThat(KernelMemory.map(arena, 4L << 20)).isEmpty();
    }
  }

  @Test
  void withNativeAccessPagesAreLargeAndNothingElseDiffers() throws Exception {
    assumeTrue(
        Files.exists(Path.of("/sys/kernel/mm/transparent_hugepage")), "the kernel has large pages");
    try (ChildJvm child =
        ChildJvm.start(
            List.of("env", "JDK_JAVA_OPTIONS=--enable-native-access=ALL-UNNAMED"),
            KernelMemoryScenario.class)) {
      assertThat(child.readLine()).isEqualTo("ok");
    }
  }
}
