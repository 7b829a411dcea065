package io.howdah.jmh.study;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What a folder occupies on disk: blocks, so that holes in sparse files cost nothing. */
public final class DiskUsage {

  private DiskUsage() {}

  /** Asks {@code du}, because Java does not tell how many blocks a file has. */
  public static long bytes(Path folder) throws IOException, InterruptedException {
    Process du =
        new ProcessBuilder("du", "-sk", folder.toString()).redirectErrorStream(true).start();
    String output = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (du.waitFor() != 0) {
      throw new IOException("du failed: " + output.strip());
    }
    return Long.parseLong(output.split("\\s", 2)[0]) << 10;
  }
}
