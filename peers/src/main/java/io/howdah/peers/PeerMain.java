package io.howdah.peers;

import io.howdah.jmh.peers.PeerAnswer;
import io.howdah.jmh.peers.PeerKeys;
import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerSize;
import io.howdah.jmh.peers.PeerWorkload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A JVM with one store. It reads a request a line and answers each with a line of {@link
 * PeerAnswer}: {@code open ENTRIES VALUEBYTES KEYS SYNC FOLDER}, {@code load FIRST COUNT BATCH},
 * {@code bulk FIRST COUNT}, {@code run WORKLOAD THREADS NANOS}, {@code mark COUNT}, {@code marks
 * COUNT}, {@code heap}, {@code written}, {@code close}. It ends with its input.
 */
public final class PeerMain {

  /** Entries of their own, which no workload touches. */
  private static final long FIRST_MARK = 1L << 40;

  private static final Path IO = Path.of("/proc/self/io");
  private static final String WRITTEN = "write_bytes: ";
  private static final com.sun.management.OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);

  private final PeerKind kind;
  private @Nullable Peer peer;
  private @Nullable PeerThreads threads;

  private PeerMain(PeerKind kind) {
    this.kind = kind;
  }

  /**
   * Runs.
   *
   * @param args the name of a {@link PeerKind}
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err); // what libraries print is no answer
    PeerMain main = new PeerMain(PeerKind.valueOf(args[0]));
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      String answer;
      try {
        answer = main.answer(line).line();
      } catch (Exception | LinkageError e) {
        answer = PeerAnswer.FAILED + String.valueOf(e).lines().findFirst().orElse("");
      }
      answers.println(answer);
      answers.flush();
    }
    Runtime.getRuntime().halt(0); // without the hooks of a store that was not closed
  }

  private PeerAnswer answer(String request) throws Exception {
    String[] words = request.split(" ", 6);
    return switch (words[0]) {
      case "open" ->
          open(
              new PeerSize(
                  Long.parseLong(words[1]), Integer.parseInt(words[2]), PeerKeys.valueOf(words[3])),
              Boolean.parseBoolean(words[4]),
              Path.of(words[5]));
      case "load" ->
          timed(
              () ->
                  threads()
                      .load(
                          Long.parseLong(words[1]),
                          Long.parseLong(words[2]),
                          Integer.parseInt(words[3])));
      case "bulk" ->
          timed(() -> threads().bulk(Long.parseLong(words[1]), Long.parseLong(words[2])));
      case "run" ->
          threads()
              .run(
                  PeerWorkload.valueOf(words[1]),
                  Integer.parseInt(words[2]),
                  Long.parseLong(words[3]));
      case "mark" -> timed(() -> threads().load(FIRST_MARK, Long.parseLong(words[1]), 1));
      case "marks" -> timed(() -> threads().count(FIRST_MARK, Long.parseLong(words[1])));
      case "heap" -> new PeerAnswer(liveBytes(), 0, 0);
      case "written" -> new PeerAnswer(writtenBytes(), 0, 0);
      case "close" -> timed(this::close);
      default -> throw new IllegalArgumentException("no such request: " + request);
    };
  }

  private interface Timed {
    long run() throws Exception;
  }

  private static PeerAnswer timed(Timed what) throws Exception {
    long cpu = PROCESS.getProcessCpuTime();
    long began = System.nanoTime();
    long operations = what.run();
    return new PeerAnswer(operations, System.nanoTime() - began, PROCESS.getProcessCpuTime() - cpu);
  }

  private PeerThreads threads() {
    if (threads == null) {
      throw new IllegalStateException("no store is open");
    }
    return threads;
  }

  private PeerAnswer open(PeerSize size, boolean sync, Path folder) throws Exception {
    return timed(
        () -> {
          Peer opened = Peers.open(kind, folder, sync, size);
          peer = opened;
          threads = new PeerThreads(opened, size);
          return threads.count(0, 1);
        });
  }

  private long close() throws Exception {
    if (peer != null) {
      peer.close();
      peer = null;
      threads = null;
    }
    return 1;
  }

  private static long liveBytes() throws InterruptedException {
    for (int i = 0; i < 2; i++) {
      System.gc();
      TimeUnit.MILLISECONDS.sleep(1); // reference handlers may free more
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** What Linux counts of writes towards the disk, those through mappings included. */
  private static long writtenBytes() throws IOException {
    return Files.readString(IO)
        .lines()
        .filter(line -> line.startsWith(WRITTEN))
        .mapToLong(line -> Long.parseLong(line.substring(WRITTEN.length())))
        .sum();
  }
}
