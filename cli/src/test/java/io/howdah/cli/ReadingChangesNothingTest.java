package io.howdah.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.core.Backing;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.txn.TxOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A store that was killed, with every kind of file that a process leaves behind: whatever reads it,
 * the library or a command, leaves names, bytes and times of the directory as they were.
 */
@Timeout(120)
final class ReadingChangesNothingTest {

  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  @TempDir private Path folder;

  /** What the file system says of a file. */
  private record Entry(FileTime modified, long size, int hash) {}

  private static Map<String, Entry> entries(Path directory) throws IOException {
    Map<String, Entry> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.toList()) {
        boolean isFile = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
        all.put(
            directory.relativize(file).toString(),
            new Entry(
                Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS),
                isFile ? Files.size(file) : 0,
                isFile ? Arrays.hashCode(Files.readAllBytes(file)) : 0));
      }
    }
    return all;
  }

  /** Copies the directory of an open store in which nothing happens, as a kill would leave it. */
  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        // A segment that is being prepared gets its name meanwhile.
        if (!Set.of("store.owner", "unfinished").contains(file.getFileName().toString())) {
          Files.copy(file, to.resolve(from.relativize(file)));
        }
      }
    }
  }

  private Path killed() throws IOException {
    Path original = folder.resolve("original");
    Path killed = folder.resolve("killed");
    try (Store store = Store.open(original, OPTIONS)) {
      PersistentMap<String, Long> map = store.map("m", Codec.utf8(), Codec.int64());
      store.admin().checkpoint();
      long begun = System.nanoTime();
      for (long i = 0; !Files.exists(original.resolve("log/summary-1")); i++) {
        long value = i;
        TxOptions how = i % 20 == 0 ? TxOptions.sync() : TxOptions.async();
        store.run(how, tx -> map.put(tx, "k" + value % 100, value));
        assertThat(System.nanoTime() - begun).isLessThan(DEADLINE_NANOS);
      }
      store.run(TxOptions.sync(), tx -> map.put(tx, "k", 42L));
      copy(original, killed);
    }
    leaveBehind(killed);
    return killed;
  }

  private static void leaveBehind(Path store) throws IOException {
    Files.write(store.resolve("scratch-1.tmp"), new byte[4096]);
    Files.write(store.resolve("image.compact"), new byte[8192]);
    Files.write(store.resolve("store.owner.tmp"), new byte[10]);
    Path log = store.resolve("log/0");
    Files.write(log.resolve("unfinished"), new byte[SegmentLayout.MIN_LENGTH]);
    // A segment whose header was never written, and one of a generation that never began.
    Files.write(log.resolve("00000090.seg"), new byte[SegmentLayout.MIN_LENGTH]);
    Path some;
    try (Stream<Path> segments = Files.list(log)) {
      some = segments.filter(f -> f.toString().endsWith(".seg")).sorted().findFirst().orElseThrow();
    }
    byte[] unused = new byte[SegmentLayout.MIN_LENGTH];
    System.arraycopy(Files.readAllBytes(some), 0, unused, 0, SegmentLayout.HEADER_LENGTH);
    ByteBuffer header = ByteBuffer.wrap(unused).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(
        SegmentLayout.GENERATION_OFFSET, header.getLong(SegmentLayout.GENERATION_OFFSET) + 9);
    header.putLong(SegmentLayout.SEQUENCE_OFFSET, 1000);
    header.putInt(SegmentLayout.CRC_OFFSET, Crc32c.of(header, 0, SegmentLayout.CRC_OFFSET));
    Files.write(log.resolve("00000091.seg"), unused);
    // Older than now, so that a file that is written again has another time.
    try (Stream<Path> files = Files.walk(store)) {
      files.forEach(
          file -> {
            try {
              Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  private void requireUnchanged(Path store, Map<String, Entry> before, String by)
      throws IOException {
    assertThat(entries(store)).as(by).isEqualTo(before);
  }

  @Test
  void theLibraryChangesNothing() throws IOException {
    Path store = killed();
    Map<String, Entry> before = entries(store);
    assertThat(before.keySet())
        .contains("log/summary-0", "log/0/unfinished", "journal", "image.compact");
    Map<String, StoreOptions> each =
        Map.of(
            "default", OPTIONS,
            "resident", OPTIONS.withBacking(Backing.RESIDENT),
            "verified", OPTIONS.withVerifyImage(true));
    for (Map.Entry<String, StoreOptions> options : each.entrySet()) {
      try (Store reader = Store.open(store, options.getValue().withReadOnly(true))) {
        PersistentMap<String, Long> map = reader.map("m", Codec.utf8(), Codec.int64());
        reader.read(
            tx -> {
              assertThat(map.get(tx, "k")).isEqualTo(42L);
              return 0;
            });
        reader.admin().inspect();
      }
      requireUnchanged(store, before, options.getKey());
    }
    StoreBackups.check(store);
    requireUnchanged(store, before, "check");
    StoreBackups.restore(store, folder.resolve("restored"), OptionalLong.empty());
    requireUnchanged(store, before, "restore");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ls", "inspect", "get m k", "dump m", "verify", "stat", "shell --read-only"})
  void aCommandThatReadsChangesNothing(String command) throws IOException {
    Path store = killed();
    Map<String, Entry> before = entries(store);
    List<String> words = new ArrayList<>(Arrays.asList(command.split(" ", -1)));
    words.add(1, store.toString());
    String[] arguments = words.toArray(String[]::new);
    StringWriter said = new StringWriter();
    InputStream input = System.in;
    System.setIn(new ByteArrayInputStream("ls\nget m k\n".getBytes(UTF_8))); // for the shell
    int exit;
    try {
      exit =
          Main.program()
              .commandLineFor(arguments)
              .setOut(new PrintWriter(said))
              .setErr(new PrintWriter(said))
              .execute(arguments);
    } finally {
      System.setIn(input);
    }
    assertThat(exit).as("%s: %s", command, said).isZero();
    requireUnchanged(store, before, command);
  }
}
