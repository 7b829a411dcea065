package io.howdah.lab.bench;

import io.howdah.jmh.peers.PeerJars;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Where the start script has put the module {@code peers} and what it needs. */
final class PeersFolder {

  /** Set by the start script: the folder of the jars. */
  private static final String PROPERTY = "howdah.peers";

  private PeersFolder() {}

  /** Returns the jars; empty if they are not there. */
  static Optional<PeerJars> jars() throws IOException {
    String folder = System.getProperty(PROPERTY);
    return folder == null || !Files.isDirectory(Path.of(folder))
        ? Optional.empty()
        : Optional.of(PeerJars.in(Path.of(folder)));
  }

  /** Returns the flags with which another JVM of the command finds them. */
  static List<String> flags() {
    String folder = System.getProperty(PROPERTY);
    return folder == null ? List.of() : List.of("-D" + PROPERTY + "=" + folder);
  }
}
