package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.Backing;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StoreLockedException;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.commit.RingDirectory;
import io.howdah.txn.Durability;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Openings that begin at the same moment and would all use the memory of a killed process. In each
 * round one of them opens the store, with that memory and all commits, and is killed then; the
 * others are refused.
 */
@Tag("scaled")
final class SharedMemoryRaceTest {

  private static final Path TMPFS = Path.of("/dev/shm");
  private static final int WORDS = 2000;
  private static final int WARM_UPS = 4;

  /** One part in so many of the rounds; campaigns take all. */
  private static final int ROUNDS = 20 / Math.min(6, Integer.getInteger("howdah.stride", 6));

  @TempDir Path folder;

  private Path directory;
  private final List<Process> processes = new ArrayList<>();

  private static StoreOptions options() {
    return StoreOptions.defaults()
        .withBacking(Backing.SHARED)
        .withMaxSize(1 << 20)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10)
        .withDefaultDurability(Durability.ASYNC);
  }

  @BeforeEach
  void killAStore() throws Exception {
    assumeTrue(Files.isWritable(TMPFS) && Files.getFileStore(TMPFS).type().equals("tmpfs"));
    directory = folder.resolve("store");
    assertThat(output(start(Filling.class, directory))).isEqualTo("filled\n");
  }

  @AfterEach
  void removeMemory() throws Exception {
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
    if (directory != null && Files.exists(directory)) {
      Path place = TMPFS.resolve(memoryName());
      if (Files.exists(place)) {
        try (Stream<Path> files = Files.list(place)) {
          for (Path file : files.toList()) {
            Files.delete(file);
          }
        }
        Files.delete(place);
      }
    }
  }

  private String memoryName() {
    try (Storage storage = FileStorage.open(directory);
        SuperblockFile superblock = SuperblockFile.open(storage)) {
      return RingDirectory.memoryName(storage, superblock.current());
    }
  }

  private Process start(Class<?> program, Path... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    Arrays.stream(arguments).map(Path::toString).forEach(command::add);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    processes.add(process);
    return process;
  }

  private static String output(Process process) throws Exception {
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }

  /** Makes a store of words that name themselves, and ends as by a kill. */
  static final class Filling {

    private Filling() {}

    public static void main(String[] arguments) {
      Store store = Store.open(Path.of(arguments[0]), options());
      store.run(
          tx -> {
            long array = tx.allocate(WORDS * 8L);
            tx.root(0, array);
            for (int i = 1; i < WORDS; i++) {
              tx.putLong(array + i * 8L, i);
            }
          });
      System.out.println("filled");
      System.out.flush();
      Runtime.getRuntime().halt(0);
    }
  }

  /** Opens a store, and counts in its first word how often that has succeeded. */
  static final class Attempt {

    private static @Nullable Store opened;

    private Attempt() {}

    /**
     * Opens other stores first. After that the parts of an opening take so little time that two of
     * them overlap.
     */
    public static void warmUp(String scratch) {
      for (int i = 0; i < WARM_UPS; i++) {
        try (Store store = Store.open(Path.of(scratch), options())) {
          store.run(tx -> tx.root(1, 0));
        }
      }
    }

    /** Tries, again if it is refused, and returns what has come of it. */
    public static String make(String store) {
      String said = once(store);
      for (int i = 0; i < 3 && said.equals("refused"); i++) {
        said = once(store);
      }
      return said;
    }

    private static String once(String store) {
      try {
        Store open = Store.open(Path.of(store), options());
        opened = open; // until the process is killed
        long count =
            open.call(
                tx -> {
                  long array = tx.root(0);
                  for (int i = 1; i < WORDS; i++) {
                    if (tx.getLong(array + i * 8L) != i) {
                      return -1L;
                    }
                  }
                  long next = tx.getLong(array) + 1;
                  tx.putLong(array, next);
                  return next;
                });
        String origin = open.admin().recoveryReport().memory().getClass().getSimpleName();
        return "opened " + origin + " " + count;
      } catch (StoreLockedException e) {
        return "refused";
      } catch (RuntimeException e) {
        return "failed: " + e;
      }
    }
  }

  /** The word by which processes begin at the same moment. */
  private static MemorySegment word(Path barrier) throws IOException {
    try (FileChannel channel =
        FileChannel.open(barrier, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES, Arena.global());
    }
  }

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  /** Takes part in the rounds that its input names, until it is killed. */
  static final class Racing {

    private Racing() {}

    public static void main(String[] arguments) throws IOException {
      MemorySegment word = word(Path.of(arguments[1]));
      Attempt.warmUp(arguments[2]);
      BufferedReader input =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String round = input.readLine(); round != null; round = input.readLine()) {
        System.out.println("ready");
        System.out.flush();
        while ((long) LONG.getVolatile(word, 0L) < Long.parseLong(round)) {
          Thread.onSpinWait();
        }
        System.out.println(Attempt.make(arguments[0]));
        System.out.flush();
      }
    }
  }

  /** A process that takes part. */
  private final class Racer {
    final Process process;
    final BufferedReader said;

    Racer(Path barrier) throws IOException {
      process =
          start(Racing.class, directory, barrier, folder.resolve("scratch-" + processes.size()));
      said = process.inputReader(StandardCharsets.UTF_8);
    }

    void prepare(int round) throws IOException {
      process.getOutputStream().write((round + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
      assertThat(said.readLine()).isEqualTo("ready");
    }
  }

  @Test
  void oneOfTwoProcessesTakesTheMemoryAndTheOtherIsRefused() throws Exception {
    Path barrier = Files.write(folder.resolve("barrier"), new byte[Long.BYTES]);
    MemorySegment word = word(barrier);
    List<Racer> racers = new ArrayList<>(List.of(new Racer(barrier), new Racer(barrier)));
    for (int round = 1; round <= ROUNDS; round++) {
      for (Racer racer : racers) {
        racer.prepare(round);
      }
      LONG.setVolatile(word, 0L, (long) round);
      List<String> said = List.of(racers.get(0).said.readLine(), racers.get(1).said.readLine());
      assertThat(said)
          .as("round %d", round)
          .containsExactlyInAnyOrder("opened Attached " + round, "refused");
      int winner = said.indexOf("refused") ^ 1;
      racers.get(winner).process.destroyForcibly().waitFor();
      racers.set(winner, new Racer(barrier));
    }
    for (Racer racer : racers) {
      racer.process.destroyForcibly().waitFor();
    }
    assertThat(Attempt.once(directory.toString())).isEqualTo("opened Attached " + (ROUNDS + 1));
    Objects.requireNonNull(Attempt.opened).close();
  }

  /** Opens a store from two class loaders at the same moment, and ends as by a kill. */
  static final class Loading {

    private Loading() {}

    public static void main(String[] arguments) throws Exception {
      int loaders = 2;
      CyclicBarrier begin = new CyclicBarrier(loaders);
      List<Callable<String>> attempts = new ArrayList<>();
      for (int i = 0; i < loaders; i++) {
        ClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader());
        Class<?> attempt = loader.loadClass(Attempt.class.getName());
        method(attempt, "warmUp").invoke(null, arguments[1] + "-" + i);
        Method make = method(attempt, "make");
        attempts.add(
            () -> {
              begin.await();
              return (String) make.invoke(null, arguments[0]);
            });
      }
      try (ExecutorService threads = Executors.newFixedThreadPool(loaders)) {
        for (Future<String> said : threads.invokeAll(attempts)) {
          System.out.println(said.get());
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
      }
    }

    private static Method method(Class<?> attempt, String name) throws NoSuchMethodException {
      Method method = attempt.getMethod(name, String.class);
      method.setAccessible(true);
      return method;
    }

    private static URL[] classPath() throws MalformedURLException {
      String[] parts = System.getProperty("java.class.path").split(File.pathSeparator, -1);
      URL[] urls = new URL[parts.length];
      for (int i = 0; i < parts.length; i++) {
        urls[i] = Path.of(parts[i]).toUri().toURL();
      }
      return urls;
    }
  }

  @Test
  void oneOfTwoClassLoadersTakesTheMemoryAndTheOtherIsRefused() throws Exception {
    for (int round = 1; round <= ROUNDS; round++) {
      Path scratch = folder.resolve("scratch-" + round);
      assertThat(output(start(Loading.class, directory, scratch)).lines())
          .as("round %d", round)
          .containsExactlyInAnyOrder("opened Attached " + round, "refused");
    }
    assertThat(Attempt.once(directory.toString())).isEqualTo("opened Attached " + (ROUNDS + 1));
    Objects.requireNonNull(Attempt.opened).close();
  }
}
