package io.howdah.lab.suite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * One file of the suite, and what we expect of it.
 *
 * @param name without its ending
 * @param tier 1 the protocol, 2 the server around it, 3 memcached's inside, which is not run
 * @param reason why it is not run, or not green; empty if it is to be green
 */
public record SuiteFile(String name, int tier, String reason) {

  /** The tier of files that are not run. */
  public static final int NOT_RUN = 3;

  /** Checks the tier. */
  public SuiteFile {
    if (tier < 1 || tier > NOT_RUN) {
      throw new IllegalArgumentException("tiers are 1 to " + NOT_RUN + ", not " + tier);
    }
  }

  /** Returns all files of memcached 1.6.45's suite. */
  public static List<SuiteFile> all() {
    try (InputStream list =
        Objects.requireNonNull(SuiteFile.class.getResourceAsStream("suite.list"), "suite.list")) {
      return new String(list.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#") && !line.isBlank())
          .map(SuiteFile::parse)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static SuiteFile parse(String line) {
    String[] words = line.split(" ", 3);
    return new SuiteFile(words[1], Integer.parseInt(words[0]), words.length < 3 ? "" : words[2]);
  }
}
