package io.howdah;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.PersistentSortedMap;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How many classes a new JVM loads to open a store and read an entry. They are most of the time
 * until then, so a bound on them is one on that, and the same on each machine. A class that the JVM
 * makes for a lambda takes four times as long as one from a jar, and the first ones of a kind far
 * longer: on the way of an opening, Howdah has classes instead.
 */
final class FirstMomentTest {

  /** Classes of Howdah and of its queues, after a close. */
  private static final int MAX_OWN = 470;

  /** The same after a kill, with those that read rings and log. */
  private static final int MAX_OWN_AFTER_KILL = 510;

  /**
   * Classes that the JVM makes at run time, for the JDK's own lambdas and for memory outside of the
   * heap: some 30. Where a compiler has left the concatenation of strings to the JVM, there are
   * twice as many.
   */
  private static final int MAX_MADE = 60;

  /** With those of the program's log, which is told of a recovery. */
  private static final int MAX_MADE_AFTER_KILL = 80;

  @TempDir Path directory;

  @Test
  void anOpeningAndAFirstGetLoadABoundedNumberOfClasses() throws Exception {
    Path store = directory.resolve("store");
    run("fill", store); // and closes it
    List<String> afterClose = loaded(run("read", store)); // and ends as by a kill
    requireBounded(afterClose, MAX_OWN, MAX_MADE);
    requireBounded(loaded(run("read", store)), MAX_OWN_AFTER_KILL, MAX_MADE_AFTER_KILL);
    assertThat(afterClose)
        .as("the line that no logger wants is not made")
        .noneMatch(line -> line.startsWith("java.text."))
        .noneMatch(line -> line.startsWith("java.util.Formatter"));
  }

  private static void requireBounded(List<String> loaded, int maxOwn, int maxMade) {
    assertThat(loaded)
        .as("classes that were made for Howdah")
        .noneMatch(
            line ->
                line.startsWith("io.howdah.")
                    && !line.startsWith(FirstMomentTest.class.getName())
                    && (line.contains("$$Lambda") || line.contains("TypeSwitch")));
    List<String> made = loaded.stream().filter(FirstMomentTest::isMade).toList();
    long own =
        loaded.stream()
            .filter(line -> !isMade(line))
            .filter(line -> line.startsWith("io.howdah.") || line.startsWith("org.jctools."))
            .count();
    assertThat(own).as("classes of the engine").isBetween(300L, (long) maxOwn);
    assertThat(made).as("classes that were made at run time").hasSizeBetween(10, maxMade);
  }

  /** Returns whether a line is of a class that lies in no file. */
  private static boolean isMade(String line) {
    return !line.endsWith("shared objects file")
        && (line.contains("$$Lambda")
            || line.contains("TypeSwitch")
            || line.contains("__JVM_LookupDefineClass__"));
  }

  /** Returns what was loaded from before the opening until after the first get. */
  private static List<String> loaded(List<String> log) {
    List<String> loaded = new ArrayList<>();
    boolean counts = false;
    for (String line : log) {
      if (line.startsWith(Child.Before.class.getName())) {
        counts = true;
      } else if (line.startsWith(Child.After.class.getName())) {
        return loaded;
      } else if (counts) {
        loaded.add(line);
      }
    }
    throw new AssertionError("no opening in " + log);
  }

  private List<String> run(String what, Path store) throws IOException, InterruptedException {
    Path log = directory.resolve(what + ".log");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-Xlog:class+load=info:file=" + log + ":none",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                what,
                store.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor(100, TimeUnit.SECONDS)).isTrue();
    assertThat(said).isEqualTo("done");
    return Files.readAllLines(log);
  }

  /** Opens a store; its marks are loaded before and after. */
  static final class Child {

    private Child() {}

    static final class Before {
      static void mark() {}
    }

    static final class After {
      static void mark() {}
    }

    public static void main(String[] arguments) {
      boolean reads = arguments[0].equals("read");
      Path directory = Path.of(arguments[1]);
      Before.mark();
      try (Store store = Store.open(directory, StoreOptions.defaults().withMaxSize(1L << 30))) {
        PersistentSortedMap<Long, byte[]> map =
            store.sortedMap("entries", Codec.int64(), Codec.bytes());
        if (reads && store.read(tx -> requireNonNull(map.get(tx, 7L)).length) != 100) {
          throw new AssertionError("not what was written");
        }
        After.mark();
        store.run(tx -> map.put(tx, 7L, new byte[100]));
        System.out.print("done");
        System.out.flush();
        if (reads) {
          Runtime.getRuntime().halt(0);
        }
      }
    }
  }
}
