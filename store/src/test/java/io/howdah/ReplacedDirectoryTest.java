package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.core.HowdahException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The directory of an open store is moved away and another store put in its place: neither gets
 * what belongs to the other, also before the store has noticed.
 */
final class ReplacedDirectoryTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults().withMaxSize(1 << 20).withPartitions(2);

  @TempDir Path temporary;

  private Path directory;
  private Path moved;
  private Path backup;
  private Store store;

  @BeforeEach
  void openAStoreThatWasCopiedBefore() throws Exception {
    directory = temporary.resolve("store");
    moved = temporary.resolve("moved");
    backup = temporary.resolve("backup");
    try (Store before = Store.open(directory, SMALL)) {
      put(before, 1);
    }
    copy(directory, backup);
    store = Store.open(directory, SMALL);
    put(store, 2);
  }

  private static void put(Store store, long value) {
    PersistentMap<Long, Long> map = store.map("m", Codec.int64(), Codec.int64());
    store.run(
        tx -> {
          for (long key = 0; key < 500; key++) {
            map.put(tx, key, value);
          }
        });
  }

  private static void requireAll(Path directory, long value) {
    try (Store store = Store.open(directory, SMALL.withVerifyImage(true))) {
      PersistentMap<Long, Long> map = store.map("m", Codec.int64(), Codec.int64());
      for (long key = 0; key < 500; key++) {
        long wanted = key;
        Long found = store.call(tx -> map.getOrDefault(tx, wanted, -1L));
        assertThat(found).isEqualTo(value);
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var entries = Files.walk(from)) {
      for (Path entry : entries.toList()) {
        Files.copy(entry, to.resolve(from.relativize(entry).toString()));
      }
    }
  }

  private static SortedMap<String, Integer> contents(Path directory) throws IOException {
    SortedMap<String, Integer> contents = new TreeMap<>();
    try (var entries = Files.walk(directory)) {
      for (Path entry : entries.toList()) {
        contents.put(
            entry.toString(),
            Files.isDirectory(entry) ? 0 : Arrays.hashCode(Files.readAllBytes(entry)));
      }
    }
    return contents;
  }

  private void requireUntouched(ThrowingCallable call) throws IOException {
    Files.move(directory, moved);
    Files.move(backup, directory);
    SortedMap<String, Integer> before = contents(directory);
    assertThatThrownBy(call).isInstanceOf(HowdahException.class);
    assertThat(contents(directory)).isEqualTo(before);
  }

  @Test
  void aStoreThatClosesLeavesTheOtherOneAloneAndKeepsItsOwn() throws Exception {
    requireUntouched(store::close);
    requireAll(moved, 2);
    requireAll(directory, 1);
  }

  @Test
  void aCheckpointLeavesTheOtherOneAloneAndKeepsItsOwn() throws Exception {
    requireUntouched(store.admin()::checkpoint);
    assertThatThrownBy(store::close).isInstanceOf(HowdahException.class);
    requireAll(moved, 2);
    requireAll(directory, 1);
  }
}
