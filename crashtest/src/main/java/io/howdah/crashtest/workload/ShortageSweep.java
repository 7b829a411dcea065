package io.howdah.crashtest.workload;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.HowdahException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.process.ChildJvm;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Openings, operations and closes of a store on files, each while the process runs out of heap or
 * of stack. Afterwards the store serves the content before or after the operation and takes new
 * work, or says that it has stopped; then the next opening has that content. For a process of its
 * own, whose heap is small, and for one thread.
 */
public final class ShortageSweep {

  /** A small heap, in which every object is counted at once. */
  private static final List<String> FLAGS =
      List.of(
          "-Xmx24m", "-Xmn2m", "-Xss1m", "-XX:+UseSerialGC", "-XX:-UseTLAB", "-XX:-UsePerfData");

  /** Not backups: they would fill the disk. */
  private static final List<Step> STEPS =
      Arrays.stream(Step.values()).filter(step -> step != Step.BACKUP).toList();

  private static final int EXIT_VIOLATION = 1;
  private static final int EXIT_HANG = 3;
  private static final long HANG_MILLIS = 60_000;

  /** A store that serves is closed and opened again after so many operations. */
  private static final int REOPEN_ONE_IN = 40;

  private final Path directory;
  private final Shortage shortage;
  private final SplittableRandom random;
  private final Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
  private final AtomicLong progress = new AtomicLong();

  private @Nullable Store store;
  private @Nullable Session session;
  private Content content = Content.EMPTY;
  private long number;

  /** How an operation with a shortage went. */
  public enum Outcome {
    /** It did not notice. */
    UNNOTICED,
    /** It failed, and the store goes on. */
    USABLE,
    /** The store says that it has stopped. */
    STOPPED,
    /** The store could not be opened, and could be later. */
    REFUSED,
    /** The close failed, and the next opening had everything. */
    CLOSED
  }

  private ShortageSweep(Path directory, Shortage shortage, long seed) {
    this.directory = directory;
    this.shortage = shortage;
    this.random = new SplittableRandom(seed);
  }

  /**
   * Runs a sweep in a process of its own.
   *
   * @param directory for the store, absent or empty
   * @param operations how many at most
   * @param seconds after which none is begun
   * @param lines takes what the process prints: each {@link Outcome} with its count, or a line that
   *     begins with "violation"
   * @return whether all went well
   */
  public static boolean run(
      Path directory,
      Shortage shortage,
      long seed,
      long operations,
      double seconds,
      PrintWriter lines)
      throws IOException, InterruptedException {
    List<String> arguments =
        List.of(
            directory.toString(),
            shortage.name(),
            Long.toString(seed),
            Long.toString(operations),
            Double.toString(seconds));
    return ChildJvm.run(FLAGS, ShortageSweep.class, arguments, lines) == 0;
  }

  /**
   * Runs a sweep: arguments are the directory of the store, the shortage, the seed, how many
   * operations, and how many seconds at most. Prints a line for each outcome, with its count.
   */
  public static void main(String[] arguments) throws InterruptedException {
    ShortageSweep sweep =
        new ShortageSweep(
            Path.of(arguments[0]),
            Shortage.valueOf(arguments[1].toUpperCase(Locale.ROOT)),
            Long.parseLong(arguments[2]));
    sweep.watch();
    long deadline = System.nanoTime() + (long) (Double.parseDouble(arguments[4]) * 1e9);
    try {
      sweep.warmUp();
      for (long i = Long.parseLong(arguments[3]); i > 0 && System.nanoTime() < deadline; i--) {
        sweep.next();
      }
      sweep.end();
    } catch (Violation e) {
      System.out.println("violation after " + sweep.number + " operations: " + e.getMessage());
      e.printStackTrace();
      Runtime.getRuntime().halt(EXIT_VIOLATION);
    }
    sweep.outcomes.forEach((outcome, count) -> System.out.println(outcome + " " + count));
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  /** Ends the process if nothing goes on, with what all threads do. */
  private void watch() {
    Thread.ofPlatform()
        .daemon()
        .name("watch")
        .start(
            () -> {
              long seen = -1;
              try {
                while (progress.get() != seen) {
                  seen = progress.get();
                  Thread.sleep(HANG_MILLIS);
                }
              } catch (InterruptedException e) {
                return;
              }
              System.out.println("violation: hangs after " + number + " operations");
              Thread.getAllStackTraces()
                  .forEach(
                      (thread, frames) -> {
                        System.err.println(thread);
                        for (StackTraceElement frame : frames) {
                          System.err.println("    " + frame);
                        }
                      });
              Runtime.getRuntime().halt(EXIT_HANG);
            });
  }

  private Store open() {
    return Store.open(
        directory,
        StoreOptions.defaults()
            .withPartitions(2)
            .withRingBytes(1 << 16)
            .withOrecs(1024)
            .withMaxSize(1 << 18)
            .withLogSegmentBytes(SegmentLayout.MIN_LENGTH));
  }

  private Session session() {
    Session current = session;
    if (current == null) {
      current = new Session(store());
      session = current;
    }
    return current;
  }

  private Store store() {
    Store current = store;
    if (current == null) {
      current = open();
      store = current;
    }
    return current;
  }

  /** All classes that operations use are loaded with room to spare: the JVM keeps what fails. */
  private void warmUp() {
    for (int round = 0; round < 3; round++) {
      for (Step step : STEPS) {
        succeed(step);
      }
      requireContent(session().content(), content, content);
      reopen();
    }
  }

  private void succeed(Step step) {
    number++;
    if (step != Step.REOPEN) {
      step.run(session(), number);
    } else {
      reopen();
    }
    content = step.apply(content, number);
  }

  private void reopen() {
    store().close();
    store = null;
    session = null;
    requireContent(session().content(), content, content);
  }

  private void next() throws InterruptedException {
    progress.incrementAndGet();
    Step step = STEPS.get(random.nextInt(STEPS.size()));
    if (step == Step.REOPEN) {
      closeShort();
      openShort();
      requireContent(session().content(), content, content);
      return;
    }
    Session current = session();
    Content before = content;
    long n = ++number;
    Content after = step.apply(before, n);
    Throwable thrown = shortage.suffer(random, () -> step.run(current, n));
    if (thrown == null) {
      content = after;
      count(Outcome.UNNOTICED);
    } else {
      requireExpected(step.text(), thrown);
      judge(step, thrown, before, after);
    }
    if (random.nextInt(REOPEN_ONE_IN) == 0) {
      reopen();
    }
  }

  private void judge(Step step, Throwable thrown, Content before, Content after) {
    Content found;
    try {
      found = session().content();
      count(Outcome.USABLE);
    } catch (StoreFailedException | StoreClosedException e) {
      count(Outcome.STOPPED);
      closeStopped();
      found = session().content();
    } catch (HowdahException | Error e) {
      throw new Violation(
          "after " + step.text() + " failed with " + thrown + " a read fails with " + e, e);
    }
    requireContent(found, before, after);
    content = found;
    try {
      succeed(Step.PUT_SYNC);
    } catch (StoreFailedException e) {
      // A thread of the engine had found no memory either, and stopped the store after the read.
      count(Outcome.STOPPED);
      closeStopped();
      Content read = session().content();
      requireContent(read, content, Step.PUT_SYNC.apply(content, number));
      content = read;
      succeed(Step.PUT_SYNC);
    }
  }

  @SuppressWarnings("EmptyCatch") // it says again why it has stopped
  private void closeStopped() {
    try {
      store().close();
    } catch (HowdahException | Error e) {
      // What stopped it is told here, too.
    }
    store = null;
    session = null;
  }

  private void closeShort() throws InterruptedException {
    Store closed = store();
    Throwable thrown = shortage.suffer(random, closed::close);
    if (thrown != null) {
      requireExpected("close", thrown);
      count(Outcome.CLOSED);
      // A close that failed before it began may be repeated; one that has ended does nothing.
      closeStopped();
    } else {
      count(Outcome.UNNOTICED);
    }
    store = null;
    session = null;
  }

  private void openShort() throws InterruptedException {
    Throwable thrown = shortage.suffer(random, () -> store = open());
    if (thrown != null) {
      requireExpected("open", thrown);
      count(Outcome.REFUSED);
    } else {
      count(Outcome.UNNOTICED);
    }
  }

  private void end() {
    reopen();
    store().close();
  }

  private void count(Outcome outcome) {
    outcomes.merge(outcome, 1L, Long::sum);
  }

  /** The shortage itself, or one clear exception of the store. */
  private static void requireExpected(String what, Throwable thrown) {
    if (!(thrown instanceof VirtualMachineError) && !(thrown instanceof HowdahException)) {
      throw new Violation(what + " fails with " + thrown, thrown);
    }
  }

  private static void requireContent(Content found, Content before, Content after) {
    if (!found.equals(before) && !found.equals(after)) {
      throw new Violation("found " + found + " instead of " + before + " or " + after);
    }
  }
}
