package io.howdah.clients;

import io.howdah.crashtest.serve.ServerProcess;
import io.howdah.crashtest.serve.ServerProcess.Launcher;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Starts servers with the class path of the command, which the build has written to a file. */
final class Servers {

  private static final Launcher LAUNCHER = Launcher.of(classPath());

  private Servers() {}

  static ServerProcess start(Path directory, int port, String... options) throws IOException {
    return LAUNCHER.start(directory, port, options);
  }

  private static String classPath() {
    try {
      return property("howdah.serverClasses")
          + File.pathSeparator
          + Files.readString(Path.of(property("howdah.serverClassPath"))).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String property(String name) {
    return Objects.requireNonNull(System.getProperty(name), name);
  }
}
