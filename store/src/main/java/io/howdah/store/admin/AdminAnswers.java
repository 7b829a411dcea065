package io.howdah.store.admin;

import io.howdah.core.HowdahException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.file.OwnerSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an open store answers other processes of its user, through a socket in its directory.
 *
 * <ul>
 *   <li>{@code stat}: figures, one in a line, {@code name value}
 *   <li>{@code checkpoint}: takes one
 *   <li>{@code backup DIRECTORY}: makes one
 *   <li>{@code export DIRECTORY}: makes one
 *   <li>{@code archive-start INTERVAL KEEP COMPRESSED KEY PLACE}: starts to archive; times in
 *       milliseconds, 0 to keep all; 1 to compress, else 0; the key in hexadecimal digits, or a
 *       hyphen; the path of a directory, or an address
 *   <li>{@code archive-stop}: ends the archive
 *   <li>{@code archive}: how far it is
 * </ul>
 *
 * A directory is an absolute path. In a directory and a place {@code \n} stands for a line feed,
 * which ends the request, and {@code \\} for a backslash.
 *
 * <p>The first line of an answer is {@code ok}, or {@code error} and why.
 */
public final class AdminAnswers {

  private static final String NO_KEY = "-";

  private static final Pattern ARCHIVE_START =
      Pattern.compile("(\\d{1,15}) (\\d{1,15}) ([01]) ((?:[0-9a-f]{2})+|-) (.+)", Pattern.DOTALL);

  private final Upkeep upkeep;

  private AdminAnswers(Upkeep upkeep) {
    this.upkeep = upkeep;
  }

  /** What a store can be asked for. Thread-safe. */
  public interface Upkeep {

    /** Returns figures by name, in the order in which they are told. */
    Map<String, Long> figures();

    /** Takes a checkpoint and returns its LSN. */
    long checkpoint();

    /** Makes a backup and returns its figures. */
    Map<String, Long> backup(Path directory);

    /** Makes an export and returns its figures. */
    Map<String, Long> export(Path directory);

    /** Starts to archive to a directory or an address; a time of 0 keeps all. */
    void startArchive(
        String place,
        long intervalMillis,
        long keepMillis,
        boolean isCompressed,
        Optional<byte[]> key);

    /** Ends the archive; returns whether there was one. */
    boolean stopArchive();

    /** Returns how far the archive is; empty if there is none. */
    Map<String, Long> archive();
  }

  /** Name of the socket, beside the superblock. */
  public static final String NAME = "store.admin";

  /**
   * Starts to answer.
   *
   * @param directory of the store, which the caller holds the lock of
   * @throws UnsupportedStoreException if there can be no socket, as where others may write to the
   *     directory
   */
  public static OwnerSocket open(Upkeep upkeep, Path directory) {
    Path path = directory.resolve(NAME);
    try {
      return OwnerSocket.open(path, new AdminAnswers(upkeep)::answer);
    } catch (IOException | UnsupportedOperationException e) {
      throw new UnsupportedStoreException(
          "the admin socket "
              + path
              + " cannot be made: "
              + e.getMessage()
              + "; open the store without one, or in a directory of the user's own");
    }
  }

  private String answer(String request) {
    try {
      String[] words = request.split(" ", 2);
      return switch (words[0]) {
        case "stat" -> "ok\n" + lines(upkeep.figures());
        case "archive" -> "ok\n" + lines(upkeep.archive());
        default -> work(words);
      };
    } catch (HowdahException | IllegalStateException | IllegalArgumentException e) {
      return "error " + String.valueOf(e.getMessage()).replace('\n', ' ') + "\n";
    } catch (RuntimeException | Error e) {
      // For example no memory, or no further thread: the client is told, and the next one served.
      return "error " + e.toString().replace('\n', ' ') + "\n";
    }
  }

  /** Does one at a time of what may take long; figures are told meanwhile. */
  private synchronized String work(String[] words) {
    return switch (words[0]) {
      case "checkpoint" -> "ok\nlsn " + upkeep.checkpoint() + "\n";
      case "backup" -> "ok\n" + lines(upkeep.backup(directory(words)));
      case "export" -> "ok\n" + lines(upkeep.export(directory(words)));
      case "archive-start" -> startArchive(words);
      case "archive-stop" -> "ok\nstopped " + (upkeep.stopArchive() ? 1 : 0) + "\n";
      default -> "error unknown request " + words[0] + "\n";
    };
  }

  /** Returns the request that starts an archive. */
  public static String archiveStart(
      long intervalMillis,
      long keepMillis,
      boolean isCompressed,
      Optional<byte[]> key,
      String place) {
    return String.join(
        " ",
        "archive-start",
        Long.toString(intervalMillis),
        Long.toString(keepMillis),
        isCompressed ? "1" : "0",
        key.map(HexFormat.of()::formatHex).orElse(NO_KEY),
        escaped(place));
  }

  /**
   * Returns a request that names a directory.
   *
   * @param request {@code backup} or {@code export}
   */
  public static String naming(String request, Path directory) {
    return request + " " + escaped(directory.toAbsolutePath().normalize().toString());
  }

  private static String escaped(String path) {
    return path.replace("\\", "\\\\").replace("\n", "\\n");
  }

  private static String unescaped(String path) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < path.length(); i++) {
      char next = path.charAt(i);
      if (next == '\\') {
        i++;
        char escaped = i < path.length() ? path.charAt(i) : ' ';
        if (escaped != 'n' && escaped != '\\') {
          throw new IllegalArgumentException(
              "a backslash of a path is written twice, and a line feed as a backslash and n");
        }
        next = escaped == 'n' ? '\n' : escaped;
      }
      plain.append(next);
    }
    return plain.toString();
  }

  private String startArchive(String[] words) {
    Matcher arguments = ARCHIVE_START.matcher(words.length > 1 ? words[1] : "");
    if (!arguments.matches()) {
      return "error archive-start has an interval, a time to keep, whether to compress, a key and"
          + " a place\n";
    }
    String key = arguments.group(4);
    upkeep.startArchive(
        unescaped(arguments.group(5)),
        Long.parseLong(arguments.group(1)),
        Long.parseLong(arguments.group(2)),
        arguments.group(3).equals("1"),
        key.equals(NO_KEY) ? Optional.empty() : Optional.of(HexFormat.of().parseHex(key)));
    return "ok\n";
  }

  /** A relative path would be one of this process, and none at all its working directory. */
  private static Path directory(String[] words) {
    Path directory = Path.of(words.length > 1 ? unescaped(words[1]) : "");
    if (!directory.isAbsolute()) {
      throw new IllegalArgumentException(words[0] + " names a directory by its absolute path");
    }
    return directory;
  }

  private static String lines(Map<String, Long> figures) {
    StringBuilder lines = new StringBuilder();
    figures.forEach((name, value) -> lines.append(name).append(' ').append(value).append('\n'));
    return lines.toString();
  }
}
