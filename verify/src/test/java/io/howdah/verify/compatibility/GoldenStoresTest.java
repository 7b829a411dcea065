package io.howdah.verify.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.CheckReport;
import io.howdah.Store;
import io.howdah.StoreArchives;
import io.howdah.StoreBackups;
import io.howdah.archive.ArchiveMoment;
import io.howdah.core.Backing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The files of each release, as it wrote them, are opened by the engine of today: with all that
 * they hold, by each way in, to be read and to be written. A failure here is a broken promise of
 * docs/compatibility.md: the engine is to be mended, not the files.
 */
final class GoldenStoresTest {

  private static final Path ALL = Path.of("src/test/resources/golden");

  @TempDir Path folder;

  /** The folders of the releases. */
  static List<Path> releases() throws IOException {
    try (Stream<Path> folders = Files.list(ALL)) {
      return folders.filter(Files::isDirectory).sorted().toList();
    }
  }

  /** Stores as a program left them. */
  static List<Path> stores() throws IOException {
    return releases().stream()
        .flatMap(
            release ->
                Stream.of(GoldenStores.CLOSED, GoldenStores.KILLED)
                    .map(kind -> release.resolve(kind + ".zip")))
        .toList();
  }

  private Path unzip(Path file) {
    return GoldenStores.unzip(file, folder.resolve("golden"));
  }

  private static Map<String, String> contents(Path directory) {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        contents.put(
            directory.relativize(file).toString(),
            HexFormat.of().formatHex(Files.readAllBytes(file)));
      }
      return contents;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads all, goes on writing, and finds both after another opening. */
  private static void use(Path directory, Backing backing) {
    try (Store store = Store.open(directory, GoldenStores.options(backing))) {
      GoldenContents contents = new GoldenContents(store, true);
      contents.judge(GoldenContents.ROUNDS);
      contents.write(GoldenContents.ROUNDS);
      contents.judge(GoldenContents.ROUNDS + 1);
    }
    assertThat(StoreBackups.check(directory).closed()).isTrue();
    try (Store store = Store.open(directory, GoldenStores.options(backing))) {
      new GoldenContents(store, true).judge(GoldenContents.ROUNDS + 1);
    }
  }

  @Test
  void thereAreFilesOfARelease() throws IOException {
    assertThat(releases()).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("releases")
  void aKilledStoreHasARoundInTheLogAlone(Path release) {
    CheckReport report = StoreBackups.check(unzip(release.resolve(GoldenStores.KILLED + ".zip")));
    assertThat(report.closed()).isFalse();
    assertThat(report.records()).isGreaterThan(100);
  }

  @ParameterizedTest
  @MethodSource("stores")
  void storesAreReadAndWritten(Path file) {
    for (Backing backing : Backing.values()) {
      use(GoldenStores.unzip(file, folder.resolve(backing.name())), backing);
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void storesThatAreOnlyReadStayAsTheyWere(Path file) {
    Path directory = unzip(file);
    Map<String, String> before = contents(directory);
    assertThat(StoreBackups.check(directory).lsn()).isPositive();
    try (Store store =
        Store.open(directory, GoldenStores.options(Backing.RESIDENT).withReadOnly(true))) {
      int collections = store.read(tx -> store.admin().collections(tx).size());
      assertThat(collections).isGreaterThan(15);
    }
    assertThat(contents(directory)).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("stores")
  void storesAreCompactedAndCopied(Path file) {
    Path directory = unzip(file);
    Path backup = folder.resolve("backup");
    Path restored = folder.resolve("restored");
    try (Store store = Store.open(directory, GoldenStores.options(Backing.MAPPED))) {
      store.admin().backup(backup);
    }
    StoreBackups.restore(backup, restored, OptionalLong.empty());
    use(restored, Backing.MAPPED);
    StoreBackups.compact(directory);
    use(directory, Backing.MAPPED);
  }

  @ParameterizedTest
  @MethodSource("releases")
  void backupsAreRestored(Path release) {
    Path backup = unzip(release.resolve(GoldenStores.BACKUP + ".zip"));
    assertThat(StoreBackups.isBackup(backup)).isTrue();
    Path target = folder.resolve("restored");
    StoreBackups.restore(backup, target, OptionalLong.empty());
    use(target, Backing.MAPPED);
  }

  @ParameterizedTest
  @MethodSource("releases")
  void archivesAreRestored(Path release) {
    Path archive = unzip(release.resolve(GoldenStores.ARCHIVE + ".zip"));
    assertThat(StoreArchives.verify(GoldenStores.archive(archive)).damages()).isEmpty();
    Path target = folder.resolve("restored");
    StoreArchives.restore(GoldenStores.archive(archive), target, ArchiveMoment.latest());
    use(target, Backing.MAPPED);
  }

  @ParameterizedTest
  @MethodSource("releases")
  void exportsAreImported(Path release) {
    Path export = unzip(release.resolve(GoldenStores.EXPORT + ".zip"));
    long items = StoreBackups.checkExport(export).items();
    try (Store store =
        Store.open(folder.resolve("imported"), GoldenStores.options(Backing.MAPPED))) {
      assertThat(store.admin().importFrom(export).items()).isEqualTo(items);
      new GoldenContents(store, false).judge(GoldenContents.ROUNDS);
    }
  }
}
