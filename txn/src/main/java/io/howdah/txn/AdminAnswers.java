package io.howdah.txn;

import io.howdah.core.HowdahException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.file.OwnerSocket;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What an open store answers other processes of its user, through a socket in its directory.
 *
 * <ul>
 *   <li>{@code stat}: figures, one in a line, {@code name value}
 *   <li>{@code checkpoint}: takes one
 *   <li>{@code backup DIRECTORY}: makes one
 * </ul>
 *
 * The first line of an answer is {@code ok}, or {@code error} and why.
 */
record AdminAnswers(Store store) {

  /** Name of the socket, beside the superblock. */
  static final String NAME = "store.admin";

  /**
   * Starts to answer.
   *
   * @param directory of the store, which the caller holds the lock of
   * @throws UnsupportedStoreException if there can be no socket, as where its path is too long
   */
  static OwnerSocket open(Store store, Path directory) {
    Path path = directory.resolve(NAME);
    try {
      return OwnerSocket.open(path, new AdminAnswers(store)::answer);
    } catch (IOException | UnsupportedOperationException e) {
      throw new UnsupportedStoreException(
          "the admin socket "
              + path
              + " cannot be made: "
              + e.getMessage()
              + "; open the store without one, or in a directory of the user's own with a shorter path");
    }
  }

  private String answer(String request) {
    try {
      String[] words = request.split(" ", 2);
      return switch (words[0]) {
        case "stat" -> "ok\n" + figures(store.stats(), store.replayStats());
        case "checkpoint" -> "ok\nlsn " + store.checkpoint().lsn() + "\n";
        case "backup" -> {
          BackupReport report = store.backup(Path.of(words.length > 1 ? words[1] : ""));
          yield "ok\nlsn "
              + report.lsn()
              + "\nfrom "
              + report.fromLsn()
              + "\nbytes "
              + report.writtenBytes()
              + "\n";
        }
        default -> "error unknown request " + words[0] + "\n";
      };
    } catch (HowdahException | IllegalStateException | IllegalArgumentException e) {
      return "error " + String.valueOf(e.getMessage()).replace('\n', ' ') + "\n";
    }
  }

  private static String figures(StoreStats stats, ReplayStats replay) {
    return String.join(
        "\n",
        "commits " + stats.commits(),
        "readOnlyCommits " + stats.readOnlyCommits(),
        "aborts " + stats.totalAborts(),
        "lsn " + stats.lsn(),
        "stableLsn " + stats.stableLsn(),
        "forces " + stats.forces(),
        "stalled " + (stats.stall().isPresent() ? 1 : 0),
        "replayWordsLeft " + replay.wordsLeft(),
        "allocatedBytes " + stats.allocatedBytes(),
        "capacityBytes " + stats.capacityBytes(),
        "memoryBytes " + stats.memoryBytes(),
        "memoryLimitBytes " + stats.memoryLimitBytes(),
        "");
  }
}
