package io.howdah.jmh.peers;

import io.howdah.process.JavaCommand;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM with one store in it. For one thread. */
final class PeerProcess implements AutoCloseable {

  /** In the module {@code peers}. */
  static final String MAIN = "io.howdah.peers.PeerMain";

  private static final int MAX_ERROR_LENGTH = 400;

  private final PeerKind kind;
  private final Process process;
  private final Path errors;
  private final Writer requests;
  private final BufferedReader answers;

  private PeerProcess(PeerKind kind, Process process, Path errors) {
    this.kind = kind;
    this.process = process;
    this.errors = errors;
    requests = process.outputWriter(StandardCharsets.UTF_8);
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Starts a JVM.
   *
   * @param classPath of the module {@code peers} and what it needs
   * @param errors the file that its error output goes to
   */
  static PeerProcess start(PeerKind kind, String classPath, int heapMegabytes, Path errors)
      throws IOException {
    return start(kind, classPath, heapMegabytes, errors, List.of());
  }

  /** Starts a JVM with further flags. */
  static PeerProcess start(
      PeerKind kind, String classPath, int heapMegabytes, Path errors, List<String> more)
      throws IOException {
    List<String> flags = new ArrayList<>(more);
    flags.add("-Xmx" + heapMegabytes + "m");
    flags.add("--enable-native-access=ALL-UNNAMED");
    flags.addAll(kind.flags());
    Process process =
        new JavaCommand(flags, classPath, MAIN, List.of(kind.name()))
            .builder()
            .redirectError(new File(errors.toString()))
            .start();
    return new PeerProcess(kind, process, errors);
  }

  /** Opens or makes a store of so many entries and reads one of them if there is any. */
  PeerAnswer open(Path folder, boolean sync, PeerSize size)
      throws IOException, PeerFailedException {
    return ask(
        "open "
            + size.entries()
            + " "
            + size.valueBytes()
            + " "
            + size.keys()
            + " "
            + sync
            + " "
            + folder);
  }

  /** Inserts entries, some in each transaction. */
  PeerAnswer load(long first, long count, int batch) throws IOException, PeerFailedException {
    return ask("load " + first + " " + count + " " + batch);
  }

  /** Inserts entries in the order of their keys by what the store has for that. */
  PeerAnswer bulk(long first, long count) throws IOException, PeerFailedException {
    return ask("bulk " + first + " " + count);
  }

  PeerAnswer run(PeerWorkload workload, int threads, long nanos)
      throws IOException, PeerFailedException {
    return ask("run " + workload + " " + threads + " " + nanos);
  }

  /** Puts so many entries of their own kind, one in each transaction. */
  void mark(int count) throws IOException, PeerFailedException {
    ask("mark " + count);
  }

  /** Returns how many of the marked entries are there. */
  long marks(int count) throws IOException, PeerFailedException {
    return ask("marks " + count).operations();
  }

  /** Returns the bytes of live objects on its heap. */
  long heapBytes() throws IOException, PeerFailedException {
    return ask("heap").operations();
  }

  /** Returns the bytes that the JVM has caused to be written to disk. */
  long writtenBytes() throws IOException, PeerFailedException {
    return ask("written").operations();
  }

  /** Closes the store. */
  PeerAnswer closeStore() throws IOException, PeerFailedException {
    return ask("close");
  }

  /** Ends the JVM by itself, and waits for it. */
  void end() throws IOException, InterruptedException {
    requests.close();
    process.waitFor();
  }

  /** Ends the process as a power switch would, but for the page cache. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  private PeerAnswer ask(String request) throws IOException, PeerFailedException {
    try {
      requests.write(request + "\n");
      requests.flush();
    } catch (IOException _) {
      throw died();
    }
    for (String line = answers.readLine(); line != null; line = answers.readLine()) {
      if (line.startsWith(PeerAnswer.OK)) {
        return PeerAnswer.parse(line);
      }
      if (line.startsWith(PeerAnswer.FAILED)) {
        throw new PeerFailedException(
            kind.text() + ": " + line.substring(PeerAnswer.FAILED.length()));
      }
    }
    throw died();
  }

  private PeerFailedException died() throws IOException {
    String said = Files.readString(errors, StandardCharsets.ISO_8859_1).strip();
    int from = Math.max(0, said.length() - MAX_ERROR_LENGTH);
    return new PeerFailedException(
        kind.text() + ": its JVM has ended" + (said.isEmpty() ? "" : ": " + said.substring(from)));
  }

  /** Returns what the JVM and its libraries have said to the error output. */
  String complaints() throws IOException {
    return Files.readString(errors, StandardCharsets.ISO_8859_1).strip();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    answers.close();
  }
}
