package io.howdah.cli.command;

import io.howdah.archive.Archive;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;

/** The place of an archive that a user has named: the path of a directory, or an address. */
public final class ArchivePlace {

  /** What a place is, for help texts. */
  public static final String FORM =
      "A directory, or s3://BUCKET[/PREFIX][?OPTION&...] with the options region=NAME,"
          + " endpoint=URL and path-style=true.";

  private static final int KEY_BYTES = 32;

  /** More than the digits of a key, with blanks around them. */
  private static final int MAX_KEY_FILE_BYTES = 1 << 12;

  private ArchivePlace() {}

  /**
   * Returns an archive to write.
   *
   * @throws IllegalArgumentException if the place is none, or the interval is out of range
   */
  public static Archive toWrite(String place, Duration interval) {
    return Archive.to(prepared(place), interval);
  }

  /**
   * Returns an archive to read.
   *
   * @throws IllegalArgumentException if the place is none
   */
  public static Archive toRead(String place) {
    return Archive.in(prepared(place));
  }

  private static String prepared(String place) {
    if (place.isEmpty()) {
      throw new IllegalArgumentException(
          "the place of the archive is empty; is a variable of the shell not set?");
    }
    if (place.contains("://")) {
      ExtraLibraries.use(ExtraLibraries.S3);
    }
    return place;
  }

  /**
   * Reads a key.
   *
   * @throws IllegalArgumentException if the file holds none
   */
  public static byte[] readKey(Path file) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MAX_KEY_FILE_BYTES); // what is longer, or has no end, is no key
    }
    if (bytes.length == KEY_BYTES) {
      return bytes;
    }
    String text = new String(bytes, StandardCharsets.US_ASCII).strip();
    if (!text.matches("[0-9a-fA-F]{64}")) {
      throw new IllegalArgumentException(
          file + " holds neither 32 bytes nor 64 hexadecimal digits");
    }
    return HexFormat.of().parseHex(text);
  }
}
