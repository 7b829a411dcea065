package io.howdah.lab.suite;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * A scratch folder in which the suite finds what it expects in memcached's build folder: its tests,
 * {@code memcached-debug}, which here starts this server, and {@code timedrun}. Every test starts
 * servers of its own.
 */
public final class SuiteFolder {

  /** What a test may take. */
  public static final Duration LIMIT = Duration.ofMinutes(10);

  private static final int STOP_SECONDS = 10;

  /**
   * Tells the suite what it may test: it looks for words in memcached's help. Only what this server
   * has is named.
   */
  private static final String HELP =
      """
      memcached 1.6.45-howdah
      -p, --port=<num>          TCP port
      -s, --unix-socket=<file>  UNIX socket to listen on
      -Y, --auth-file=<file>    users of the text protocol
      """;

  private final Path folder;

  /**
   * Makes the folder's content.
   *
   * @param folder empty; the caller deletes it
   * @param suite memcached's source folder, which has a folder {@code t}
   * @param serve command that serves, without options: a program, its arguments
   * @throws IOException if there is no suite, or the folder cannot be written
   */
  public SuiteFolder(Path folder, Path suite, List<String> serve) throws IOException {
    this.folder = folder;
    Path tests = suite.resolve("t").toRealPath();
    Files.createDirectories(folder.resolve("stores"));
    Files.createSymbolicLink(folder.resolve("t"), tests);
    program("timedrun", "#!/bin/sh\nshift\nexec \"$@\"\n");
    program("memcached-debug", script(serve));
  }

  /**
   * The server's start with memcached's options, as Perl and the suite know them. It becomes the
   * server by {@code exec}, because the suite sends signals to what it has started.
   */
  private String script(List<String> serve) { // -e: memcached's file for a warm restart
    String command = serve.stream().map(SuiteFolder::quoted).collect(Collectors.joining(" "));
    return """
    #!/bin/bash
    if [ "$1" = -h ]; then
    cat <<'END'
    %sEND
    exit 0
    fi
    options=()
    store=
    while [ $# -gt 0 ]; do
      case "$1" in
        -u|-U) shift ;;
        -e) store=$2.howdah; shift ;;
        *) options+=("$1") ;;
      esac
      shift
    done
    [ -n "$store" ] || store=$(mktemp -d %s/XXXXXXXX)
    exec %s "$store" -o debug_time "${options[@]}"
    """
        .formatted(HELP, quoted(folder.resolve("stores").toString()), command);
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  private void program(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  /**
   * Runs one file of the suite, and ends what it started.
   *
   * @param name without its ending
   */
  public SuiteResult run(String name) throws IOException, InterruptedException {
    Path output = folder.resolve(name + ".out");
    Path problems = folder.resolve(name + ".err");
    Process process =
        new ProcessBuilder("perl", "-It/lib", "t/" + name + ".t")
            .directory(folder.toFile())
            .redirectOutput(output.toFile())
            .redirectError(problems.toFile())
            .start();
    boolean hasEnded;
    try {
      hasEnded = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      endServers();
    }
    int exit = hasEnded ? process.exitValue() : SuiteResult.TIMED_OUT;
    return SuiteResult.of(exit, lines(output), lines(problems));
  }

  /** Waits for the servers that a file has told to stop, and ends those that it forgot. */
  private void endServers() throws InterruptedException {
    String stores = folder.resolve("stores").toString();
    for (ProcessHandle server :
        ProcessHandle.allProcesses().filter(one -> serves(one, stores)).toList()) {
      try {
        server.onExit().get(STOP_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException _) {
        server.destroyForcibly();
      } catch (ExecutionException e) {
        throw new IllegalStateException("cannot wait for a server's end", e);
      }
    }
  }

  private static boolean serves(ProcessHandle process, String stores) {
    return Arrays.stream(process.info().arguments().orElse(new String[0]))
        .anyMatch(argument -> argument.startsWith(stores));
  }

  private static List<String> lines(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1).lines().toList();
  }
}
