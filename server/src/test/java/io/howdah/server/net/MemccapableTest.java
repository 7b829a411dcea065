package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** libmemcached's own check of servers, both protocols. Skipped where it is not installed. */
final class MemccapableTest {

  private static final Path TOOL = Path.of("/usr/bin/memccapable");

  /** As many lines as it prints for memcached 1.6.18: 27 of each protocol. */
  private static final int CHECKS = 54;

  @TempDir Path folder;

  @Test
  void allChecksPass() throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(TOOL), "Debian's libmemcached-tools is not installed");
    Path output = folder.resolve("output");
    try (Server server = new Server(folder, ServerTest.options(ReplyMode.ASYNC, 10))) {
      Process process =
          new ProcessBuilder(
                  TOOL.toString(),
                  "-h",
                  "127.0.0.1",
                  "-p",
                  Integer.toString(server.address().getPort()))
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      int exit = process.waitFor();
      String told = Files.readString(output, StandardCharsets.ISO_8859_1);
      assertThat(exit).as("%s", told).isZero();
      assertThat(told.lines().filter(line -> line.contains("[pass]")).count())
          .as("%s", told)
          .isEqualTo(CHECKS);
    }
  }
}
