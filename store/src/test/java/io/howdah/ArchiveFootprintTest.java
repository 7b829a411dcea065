package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * How much memory outside of the heap, and how many files, an archive takes: as the JVM and the
 * system count them at each call of its place, in a process that does nothing else then.
 */
@EnabledOnOs(OS.LINUX)
final class ArchiveFootprintTest {

  private static final long MIB = 1 << 20;

  /** What docs/limits.md says. */
  private static final long MOST_BYTES = 12 * MIB;

  private static final int MOST_FILES = 4;

  private static final int RUNS = 3;

  @TempDir Path folder;

  /**
   * Archives a store twice: the second base is compared with the first one. Then each read fails
   * some times, and the run with it; what such a run keeps shows in the next ones.
   */
  static final class Measuring {

    private static final int BLOCK_BYTES = 512 << 10;
    private static final int BLOCKS = 16;

    /** More than an archive reads before its first base. */
    private static final int READS = 24;

    private static final int FAILED_RUNS = 4 * READS;
    private static final Pattern OTHER =
        Pattern.compile("Other \\(reserved=\\d+KB, committed=(\\d+)KB");

    private Measuring() {}

    public static void main(String[] arguments) throws Exception {
      Path folder = Path.of(arguments[0]);
      AtomicLong mostBytes = new AtomicLong();
      AtomicLong mostFiles = new AtomicLong();
      AtomicLong readsUntilFailure = new AtomicLong(Long.MAX_VALUE);
      StoreOptions options = StoreOptions.defaults().withMaxSize(64 * MIB).withPartitions(2);
      try (Store store = Store.open(folder.resolve("store"), options)) {
        for (int i = 0; i < BLOCKS; i++) {
          fill(store);
        }
        store.admin().checkpoint();
        bytes(); // what the question itself needs once
        long bytesBefore = bytes();
        long filesBefore = files();
        Archive archive =
            Archive.to(
                    () ->
                        new FaultyTarget(
                            ArchiveTarget.over(
                                FileStorage.open(
                                    folder.resolve("place"), FileStorageOptions.DEFAULT)),
                            operation -> {
                              if (operation.equals("read")
                                  && readsUntilFailure.decrementAndGet() < 0) {
                                throw new UncheckedIOException(new IOException("unreadable"));
                              }
                              mostBytes.accumulateAndGet(bytes() - bytesBefore, Math::max);
                              mostFiles.accumulateAndGet(files() - filesBefore, Math::max);
                            }),
                    Duration.ofHours(1))
                .withCompression(true)
                .withKey(new byte[32]);
        for (int run = 0; run < 2; run++) {
          store.admin().startArchive(archive);
          store.admin().updateArchive();
          for (int i = 0; i < BLOCKS; i++) {
            fill(store);
          }
          store.admin().updateArchive();
          store.admin().stopArchive();
        }
        for (int run = 0; run < FAILED_RUNS; run++) {
          readsUntilFailure.set(run % READS);
          store.admin().startArchive(archive);
          try {
            store.admin().updateArchive();
          } catch (UnsupportedStoreException e) {
            // what the place's failure is told as
          }
          store.admin().stopArchive();
        }
      }
      System.out.print(mostBytes + " " + mostFiles);
      System.out.flush();
    }

    private static void fill(Store store) {
      store.run(
          TxOptions.sync(),
          tx -> {
            long block = tx.allocate(BLOCK_BYTES);
            for (long at = 0; at < BLOCK_BYTES; at += 8) {
              tx.putLong(block + at, block ^ at * 0x9E3779B97F4A7C15L);
            }
          });
    }

    private static long bytes() {
      try {
        String summary =
            (String)
                ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "vmNativeMemory",
                        new Object[] {new String[] {"summary", "scale=KB"}},
                        new String[] {String[].class.getName()});
        Matcher other = OTHER.matcher(summary);
        if (!other.find()) {
          throw new IllegalStateException(summary);
        }
        return Long.parseLong(other.group(1)) << 10;
      } catch (JMException e) {
        throw new IllegalStateException(e);
      }
    }

    private static long files() {
      try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
        return open.count();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void anArchiveTakesTheMemoryAndTheFilesThatTheDocumentsSay() throws Exception {
    long bytes = Long.MAX_VALUE;
    long files = Long.MAX_VALUE;
    // The store's own threads may open files meanwhile, such as the next segment of the log. A file
    // that the archive keeps open is counted in every run, so the least count is the archive's.
    for (int run = 0; run < RUNS && (bytes > MOST_BYTES || files > MOST_FILES); run++) {
      String[] most = measured(Files.createDirectory(folder.resolve("run" + run))).split(" ", -1);
      bytes = Math.min(bytes, Long.parseLong(most[0]));
      files = Math.min(files, Long.parseLong(most[1]));
    }
    assertThat(bytes).as("bytes").isBetween(MOST_BYTES / 2, MOST_BYTES);
    assertThat(files).as("files").isBetween(2L, (long) MOST_FILES);
    String limits = Files.readString(documents().resolve("limits.md"));
    assertThat(limits)
        .contains(
            "| memory and open files of an archive | %d MiB, or 10 MiB and the longest batch if that is more; %d files |"
                .formatted(MOST_BYTES / MIB, MOST_FILES));
  }

  private static String measured(Path folder) throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:NativeMemoryTracking=summary",
                "-cp",
                System.getProperty("java.class.path"),
                Measuring.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor()).isZero();
    return said;
  }

  private static Path documents() {
    Path module = Path.of("").toAbsolutePath();
    Path here = module.resolve("docs");
    return Files.isDirectory(here) ? here : module.resolveSibling("docs");
  }
}
