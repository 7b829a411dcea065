package io.howdah.cli.store;

import io.howdah.archive.Archive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The key of an encrypted archive. */
public final class ArchiveKeyOption {

  private static final int KEY_BYTES = 32;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description =
          "The key of an encrypted archive: a file of 32 bytes, or of 64 hexadecimal digits.")
  private @Nullable Path file;

  /** Creates it, for the command line. */
  public ArchiveKeyOption() {}

  /**
   * Returns the archive with the key, if one was given.
   *
   * @throws IllegalArgumentException if the file holds no key
   */
  Archive apply(Archive archive) throws IOException {
    return file == null ? archive : archive.withKey(read(file));
  }

  /**
   * Reads a key.
   *
   * @throws IllegalArgumentException if the file holds none
   */
  public static byte[] read(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    if (bytes.length == KEY_BYTES) {
      return bytes;
    }
    String text = new String(bytes, java.nio.charset.StandardCharsets.US_ASCII).strip();
    if (!text.matches("[0-9a-fA-F]{64}")) {
      throw new IllegalArgumentException(
          file + " holds neither 32 bytes nor 64 hexadecimal digits");
    }
    return HexFormat.of().parseHex(text);
  }
}
