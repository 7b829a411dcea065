package io.howdah.verify.compatibility;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.archive.Archive;
import io.howdah.core.Backing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Writes the golden files of a release: stores, a backup, an archive and an export, one ZIP file
 * each, with {@link GoldenContents}. {@code build/golden} writes them; those of a release that is
 * out are never written again.
 */
final class GoldenStores {

  /** A store that was closed. */
  static final String CLOSED = "closed";

  /** The files of a store whose process was killed: the last round is in the log alone. */
  static final String KILLED = "killed";

  /** A backup that was made while the store was open. */
  static final String BACKUP = "backup";

  /** An archive, to which the second round was appended. */
  static final String ARCHIVE = "archive";

  /** An export, of a store without objects. */
  static final String EXPORT = "export";

  /** The secret of the archive, which is encrypted. */
  private static final byte[] SECRET = "golden golden golden golden 1234".getBytes(US_ASCII);

  private static final Duration INTERVAL = Duration.ofHours(1);

  private GoldenStores() {}

  /** Small files, and a clock that stands where it stood when the store was written. */
  static StoreOptions options(Backing backing) {
    return StoreOptions.defaults()
        .withMaxSize(1 << 22)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10)
        .withLogSegmentBytes(1 << 16)
        .withBacking(backing)
        .withClock(InstantSource.fixed(GoldenContents.NOW));
  }

  static Archive archive(Path directory) {
    return Archive.to(directory, INTERVAL).withCompression(true).withKey(SECRET);
  }

  /** Writes all files into a folder that exists. */
  static void write(Path folder) throws IOException {
    Path work = Files.createTempDirectory("golden");
    Path directory = work.resolve("store");
    StoreOptions options = options(Backing.MAPPED).withArchive(archive(work.resolve(ARCHIVE)));
    try (Store store = Store.open(directory, options)) {
      GoldenContents contents = new GoldenContents(store, true);
      contents.write(0);
      store.admin().checkpoint();
      contents.write(1);
      contents.judge(GoldenContents.ROUNDS);
      // All commits were durable, so these are the files that a kill would leave.
      zip(directory, folder.resolve(KILLED + ".zip"));
      store.admin().updateArchive();
      store.admin().stopArchive();
      store.admin().backup(work.resolve(BACKUP));
    }
    zip(directory, folder.resolve(CLOSED + ".zip"));
    try (Store store = Store.open(work.resolve("plain"), options(Backing.MAPPED))) {
      GoldenContents contents = new GoldenContents(store, false);
      contents.write(0);
      contents.write(1);
      store.admin().export(work.resolve(EXPORT));
    }
    for (String kind : List.of(BACKUP, ARCHIVE, EXPORT)) {
      zip(work.resolve(kind), folder.resolve(kind + ".zip"));
    }
  }

  private static void zip(Path directory, Path target) throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(target));
        Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        ZipEntry entry = new ZipEntry(directory.relativize(file).toString());
        entry.setLastModifiedTime(FileTime.from(GoldenContents.NOW));
        out.putNextEntry(entry);
        Files.copy(file, out);
      }
    }
  }

  /** Unpacks one of the files; the directory is created. */
  static Path unzip(Path file, Path directory) {
    try (ZipInputStream in = new ZipInputStream(Files.newInputStream(file))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        Path target = directory.resolve(entry.getName());
        Files.createDirectories(target.getParent());
        Files.copy(in, target);
      }
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
