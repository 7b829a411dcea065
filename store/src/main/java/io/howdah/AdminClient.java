package io.howdah;

import io.howdah.archive.Archive;
import io.howdah.core.HowdahException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.file.OwnerSocket;
import io.howdah.store.admin.AdminAnswers;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Asks a store that another process of the same user has open, if that opened it with {@link
 * StoreOptions#withAdminSocket}. Thread-safe.
 */
public final class AdminClient {

  private AdminClient() {}

  /** The store could not do what it was asked for. */
  public static final class RefusedException extends HowdahException {

    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  /**
   * Returns the statistics of a store, as {@link StoreAdmin#stats} returns them in its process.
   *
   * @throws RefusedException if another version of Howdah has the store open, with other figures
   */
  public static StoreStats stat(Path directory) {
    Map<String, Long> figures = figures(directory);
    try {
      return StoreStats.of(figures);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new RefusedException(
          "another version of Howdah has the store at " + directory + " open: " + e.getMessage());
    }
  }

  /**
   * Returns all figures of a store by the names of {@link StoreFigure}: those of its checkpoints,
   * replay and space, too, which are read in a transaction. For tools that print them.
   */
  public static Map<String, Long> figures(Path directory) {
    return ask(directory, "stat");
  }

  /** Has a store take a checkpoint; returns the LSN above which a recovery replays. */
  public static long checkpoint(Path directory) {
    return ask(directory, "checkpoint").getOrDefault("lsn", 0L);
  }

  /**
   * Has a store make a backup.
   *
   * @param target absent or empty
   * @return the LSN up to which everything is in it
   */
  public static long backup(Path directory, Path target) {
    return ask(directory, AdminAnswers.naming("backup", target)).getOrDefault("lsn", 0L);
  }

  /**
   * Has a store make an export; see {@link StoreAdmin#export}.
   *
   * @param target absent or empty
   * @return its figures, by name
   */
  public static Map<String, Long> export(Path directory, Path target) {
    return ask(directory, AdminAnswers.naming("export", target));
  }

  /**
   * Has a store archive itself until it is closed; see {@link StoreAdmin#startArchive}.
   *
   * @param archive in a directory or at an address, which the process that has the store open
   *     opens. Its key is passed through the socket, which only the user of that process can reach
   * @throws IllegalArgumentException if the program opens the archive's place itself
   */
  public static void startArchive(Path directory, Archive archive) {
    String place =
        archive
            .directory()
            .map(path -> path.toAbsolutePath().normalize().toString())
            .or(archive::place)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "another process can open a directory or an address only"));
    ask(
        directory,
        AdminAnswers.archiveStart(
            archive.interval().toMillis(),
            archive.keep().map(Duration::toMillis).orElse(0L),
            archive.isCompressed(),
            archive.key(),
            place));
  }

  /** Has a store end its archive; returns whether it had one. */
  public static boolean stopArchive(Path directory) {
    return ask(directory, "archive-stop").getOrDefault("stopped", 0L) == 1;
  }

  /** Returns how far the archive of a store is, by name; empty if it has none. */
  public static Map<String, Long> archive(Path directory) {
    return ask(directory, "archive");
  }

  private static Map<String, Long> ask(Path directory, String request) {
    Path path = directory.resolve(AdminAnswers.NAME);
    try {
      String answer = OwnerSocket.ask(path, request);
      if (answer.isEmpty()) {
        throw new RefusedException(
            "the store at "
                + directory
                + " ended the connection without an answer: it is being closed, or had no memory or thread for the request; repeat the request");
      }
      return parse(answer);
    } catch (ClosedByInterruptException e) {
      throw new UnsupportedStoreException(
          "this thread was interrupted before the store answered at " + path);
    } catch (IOException | UnsupportedOperationException e) {
      throw new UnsupportedStoreException(
          "no open store answers at "
              + path
              + ": "
              + e.getMessage()
              + "; it answers if it was opened with StoreOptions.withAdminSocket(true)");
    }
  }

  private static Map<String, Long> parse(String answer) {
    String[] lines = answer.split("\n", -1);
    if (!lines[0].equals("ok")) {
      throw new RefusedException("the store refused: " + lines[0].replaceFirst("^error ", ""));
    }
    Map<String, Long> figures = new LinkedHashMap<>();
    for (int i = 1; i < lines.length; i++) {
      String[] words = lines[i].split(" ", -1);
      if (words.length == 2 && words[1].matches("-?\\d{1,19}")) {
        BigInteger figure = new BigInteger(words[1]);
        if (figure.bitLength() < Long.SIZE) {
          figures.put(words[0], figure.longValue());
        }
      }
    }
    return figures;
  }
}
