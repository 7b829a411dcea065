package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.core.StoreFailedException;
import io.howdah.core.storage.StoreLockedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store that is open stays the only one in its directory, and stops where it is not. */
final class OneWriterTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults().withMaxSize(1 << 20).withPartitions(2);

  @TempDir Path temporary;

  private static void put(Store store, long key, long value) {
    PersistentMap<Long, Long> map = store.map("m", Codec.int64(), Codec.int64());
    store.run(tx -> map.put(tx, key, value));
  }

  /** Returns the value of a key, 0 if there is none. */
  private static long get(Store store, long key) {
    PersistentMap<Long, Long> map = store.map("m", Codec.int64(), Codec.int64());
    return store.call(
        tx -> {
          Long value = map.get(tx, key);
          return value == null ? 0 : value;
        });
  }

  /** Copies every file of a directory, as a program that makes a backup of its own does. */
  private void copy(Path from, Path to) throws IOException {
    try (var entries = Files.walk(from)) {
      for (Path entry : entries.toList()) {
        Files.copy(entry, to.resolve(from.relativize(entry).toString()));
      }
    }
  }

  private static String openInChild(Path directory) throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SecondWriter.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor(50, TimeUnit.SECONDS)).isTrue();
    return said;
  }

  /** Opens a store, says how that went, and ends as by a kill. */
  static final class SecondWriter {

    private SecondWriter() {}

    public static void main(String[] arguments) {
      try {
        Store store = Store.open(Path.of(arguments[0]), SMALL);
        put(store, -1, -1);
        System.out.print("opened");
      } catch (StoreLockedException e) {
        System.out.print("refused: " + e.getMessage());
      }
      Runtime.getRuntime().halt(0);
    }
  }

  @Test
  void aCopyOfTheDirectoryMadeInTheProcessLetsNobodyIn() throws Exception {
    Path directory = temporary.resolve("store");
    Path copy = temporary.resolve("copy");
    try (Store store = Store.open(directory, SMALL)) {
      put(store, 1, 1);
      copy(directory, copy);
      assertThat(openInChild(directory))
          .startsWith("refused")
          .contains("process " + ProcessHandle.current().pid());
      assertThatThrownBy(() -> Store.open(directory, SMALL))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining("in this JVM");
      put(store, 2, 2);
      assertThat(openInChild(copy)).as("the copy is a store of its own").isEqualTo("opened");
    }
    Store.open(copy, SMALL).close(); // takes its rings with it
    try (Store store = Store.open(directory, SMALL)) {
      assertThat(get(store, -1)).isZero();
      assertThat(get(store, 1)).isEqualTo(1);
      assertThat(get(store, 2)).isEqualTo(2);
    }
  }

  @Test
  void theLocksFileRemovedLetsNobodyInAndIsMadeAgain() throws Exception {
    Path directory = temporary.resolve("store");
    try (Store store = Store.open(directory, SMALL)) {
      Files.delete(directory.resolve("store.lock"));
      assertThat(openInChild(directory)).startsWith("refused");
      put(store, 2, 2);
    }
    try (Store store = Store.open(directory, SMALL)) {
      assertThat(get(store, 2)).isEqualTo(2);
    }
  }

  @Test
  @Timeout(60)
  void aDirectoryMovedAwayUnderAStoreStopsItAndKeepsWhatWasAcknowledged() throws Exception {
    Path directory = temporary.resolve("store");
    Path moved = temporary.resolve("moved");
    AtomicLong acknowledged = new AtomicLong();
    Store store = Store.open(directory, SMALL);
    Files.move(directory, moved);
    assertThatThrownBy(
            () -> {
              while (true) {
                put(store, 1, acknowledged.get() + 1);
                acknowledged.incrementAndGet();
              }
            })
        .isInstanceOf(StoreFailedException.class)
        .satisfiesAnyOf(
            e -> assertThat(e).hasMessageContaining("directory was removed or replaced"),
            // Unless the next segment of the log was to be prepared just then.
            e -> assertThat(e).hasStackTraceContaining("no such file"));
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    try (Store again = Store.open(moved, SMALL)) {
      assertThat(get(again, 1)).isGreaterThanOrEqualTo(acknowledged.get());
    }
  }
}
