package io.howdah.jmh.peers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The jars of the module {@code peers} and of what it needs, as the start script copies them.
 * Immutable.
 *
 * @param folder that holds them
 * @param names of the files
 */
public record PeerJars(Path folder, List<String> names) {

  private static final String SUFFIX = ".jar";

  public PeerJars {
    names = List.copyOf(names);
  }

  /** Reads the names of a folder's jars. */
  public static PeerJars in(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return new PeerJars(
          folder,
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(SUFFIX))
              .sorted()
              .toList());
    }
  }

  /** Returns the class path of all of them. */
  public String classPath() {
    return folder + File.separator + "*";
  }

  /** Returns the version of an artifact, or empty if its jar is not there. */
  public Optional<String> version(String artifact) {
    String prefix = artifact + "-";
    return names.stream()
        .filter(name -> name.startsWith(prefix))
        .map(name -> name.substring(prefix.length(), name.length() - SUFFIX.length()))
        .filter(version -> !version.isEmpty() && Character.isDigit(version.charAt(0)))
        .findFirst();
  }
}
