package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.StoreFailedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A page that cannot be had is told, and does not end the process, also where the JVM has not
 * compiled the code yet: HotSpot's own code for a compare-and-set dies of such a page.
 */
final class PageFaultInYoungJvmTest {

  @TempDir Path directory;

  @Test
  void aPageThatCannotBeHadIsToldInAYoungJvm() throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-Xint",
                "-XX:ErrorFile=" + directory.resolve("hs_err"),
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                directory.resolve("store").toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor(100, TimeUnit.SECONDS)).isTrue();
    assertThat(said).contains("told: the store stopped");
    assertThat(child.exitValue()).isZero();
  }

  /** Allocates in a store whose image has lost its end. */
  static final class Child {

    private Child() {}

    public static void main(String[] arguments) throws IOException {
      Path directory = Path.of(arguments[0]);
      StoreOptions options =
          StoreOptions.defaults()
              .withMaxSize(4 << 20)
              .withPartitions(2)
              .withRingBytes(1 << 16)
              .withOrecs(1 << 12);
      Store store = Store.open(directory, options);
      try (FileChannel image =
          FileChannel.open(directory.resolve("image"), StandardOpenOption.WRITE)) {
        image.truncate(1 << 18);
      }
      try {
        for (int i = 0; i < 1 << 16; i++) {
          long _ = store.call(tx -> tx.allocate(200));
        }
      } catch (StoreFailedException e) {
        System.out.print("told: the store stopped");
      }
      System.out.flush();
      Runtime.getRuntime().halt(0);
    }
  }
}
