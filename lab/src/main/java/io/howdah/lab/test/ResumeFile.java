package io.howdah.lab.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a campaign of numbered parts has come, in a file of two lines: what the numbers belong
 * to, and the next part. Without a file it is not kept. For one thread.
 */
final class ResumeFile {

  private final @Nullable Path file;
  private final String campaign;
  private long next;

  /**
   * Reads how far an earlier run came.
   *
   * @param campaign what the numbers belong to; of another one, the file counts as new
   */
  ResumeFile(@Nullable Path file, String campaign) throws IOException {
    this.file = file;
    this.campaign = campaign;
    if (file != null && Files.exists(file)) {
      List<String> lines = Files.readAllLines(file);
      if (lines.size() == 2 && lines.get(0).equals(campaign)) {
        next = Long.parseLong(lines.get(1));
      }
    }
  }

  /** Returns the first part that is not done. */
  long next() {
    return next;
  }

  /** Notes that a part is done, and all before it. */
  void done(long part) throws IOException {
    next = part + 1;
    if (file != null) {
      Path written = file.resolveSibling(file.getFileName() + ".part");
      Files.write(written, List.of(campaign, Long.toString(next)));
      Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
