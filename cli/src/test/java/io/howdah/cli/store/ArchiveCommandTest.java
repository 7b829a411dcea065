package io.howdah.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.archive.Archive;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code howdah archive}, and {@code howdah restore} of an archive. */
final class ArchiveCommandTest {

  @TempDir private Path folder;

  private String out = "";

  private int run(Object command, Object... arguments) {
    StringWriter written = new StringWriter();
    CommandLine line = new CommandLine(command);
    line.setOut(new PrintWriter(written)).setErr(new PrintWriter(written));
    int exit = line.execute(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    out = written.toString();
    return exit;
  }

  private int archive(Object... arguments) {
    return run(new ArchiveCommand(), arguments);
  }

  private StoreOptions options() {
    return StoreOptions.defaults().withMaxSize(1 << 20).withAdminSocket(true);
  }

  /** Makes an archive of a store with the number 7 in its root. */
  private Path archived() {
    Path place = folder.resolve("archive");
    StoreOptions archiving = options().withArchive(Archive.to(place, Duration.ofHours(1)));
    try (Store store = Store.open(folder.resolve("store"), archiving)) {
      store.run(tx -> tx.root(0, tx.allocate(64)));
      store.run(tx -> tx.putLong(tx.root(0), 7));
      store.admin().updateArchive();
    }
    return place;
  }

  @Test
  void anArchiveIsListedVerifiedDrilledAndRestored() {
    Path place = archived();
    assertThat(archive("ls", place)).as(out).isZero();
    assertThat(out).contains("archive of store ").contains("LSN ");
    assertThat(archive("verify", place)).as(out).isZero();
    assertThat(out).contains("sound");
    assertThat(archive("drill", place)).as(out).isZero();
    assertThat(out).contains("verified and opened; the restore took ");
    Path scratch = folder.resolve("scratch");
    assertThat(archive("drill", place, "--scratch", scratch)).as(out).isZero();
    assertThat(scratch).doesNotExist();
    Path target = folder.resolve("target");
    assertThat(run(new RestoreCommand(), place, target, "--latest")).as(out).isZero();
    assertThat(out).contains("restored as of LSN ").contains("had been committed at ");
    try (Store store = Store.open(target)) {
      long value = store.read(tx -> tx.getLong(tx.root(0)));
      assertThat(value).isEqualTo(7);
    }
  }

  @Test
  void momentsOutOfRangeAreRefusedWithTheRanges() {
    Path place = archived();
    Path target = folder.resolve("target");
    assertThat(run(new RestoreCommand(), place, target, "--lsn", 99_999)).isEqualTo(2);
    assertThat(out).contains("only from LSN ");
    assertThat(run(new RestoreCommand(), place, target, "--time", "2001-01-01T00:00:00Z"))
        .isEqualTo(2);
    assertThat(out).contains("only from LSN ");
    assertThat(run(new RestoreCommand(), place, target, "--time", "yesterday")).isEqualTo(2);
    assertThat(out).contains("such as 2026-11-30T14:03:07Z");
    assertThat(run(new RestoreCommand(), place, target, "--latest", "--lsn", 1)).isEqualTo(2);
    assertThat(out).contains("exclude each other");
    assertThat(target).doesNotExist();
  }

  @Test
  void damageIsTold() throws Exception {
    Path place = archived();
    Path log;
    try (var files = Files.list(place)) {
      log = files.filter(file -> file.toString().contains(".base.")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(log);
    bytes[bytes.length / 2] ^= 1;
    Files.write(log, bytes);
    int exit = archive("verify", place);
    assertThat(exit == 1 || out.contains("note: ")).as(out).isTrue();
    assertThat(out).contains(log.getFileName().toString());
  }

  @Test
  void anOpenStoreIsArchivedOnRequest() {
    Path directory = folder.resolve("store");
    Path place = folder.resolve("archive");
    try (Store store = Store.open(directory, options())) {
      store.run(tx -> tx.root(0, tx.allocate(64)));
      assertThat(archive("status", directory)).as(out).isZero();
      assertThat(out).contains("the store has no archive");
      assertThat(archive("start", directory, place, "--every", "1h", "--keep", "7d"))
          .as(out)
          .isZero();
      store.admin().updateArchive();
      assertThat(archive("status", directory)).as(out).isZero();
      assertThat(out).contains("restorable 1").contains("gaps 0");
      assertThat(archive("stop", directory)).as(out).isZero();
      assertThat(out).contains("not archived any more");
      assertThat(archive("start", directory, directory.resolve("archive"))).isEqualTo(2);
    }
    assertThat(archive("ls", place)).as(out).isZero();
    assertThat(out).contains("LSN ");
  }

  @Test
  void anArchiveIsCompressedAndEncryptedOnRequest() throws Exception {
    Path directory = folder.resolve("store");
    Path place = folder.resolve("archive with a space");
    Path key = Files.writeString(folder.resolve("key"), "0f".repeat(32) + "\n");
    try (Store store = Store.open(directory, options())) {
      store.run(tx -> tx.root(0, tx.allocate(64)));
      store.run(tx -> tx.putLong(tx.root(0), 0x5ec4e75ec4e75eL));
      assertThat(archive("start", directory, place, "--compress", "--key", key, "--every", "1h"))
          .as(out)
          .isZero();
      store.admin().updateArchive();
      assertThat(archive("status", directory)).as(out).isZero();
      assertThat(out).contains("lag 0");
      assertThat(archive("start", directory, folder.resolve("other"))).isEqualTo(1);
      assertThat(out).contains("the store has an archive already, in " + place);
      assertThat(folder.resolve("other")).doesNotExist();
    }
    assertThat(archive("verify", place)).isNotZero();
    assertThat(archive("verify", place, "--key", key)).as(out).isZero();
    Path target = folder.resolve("target");
    assertThat(run(new RestoreCommand(), place, target, "--key", key)).as(out).isZero();
    try (Store store = Store.open(target)) {
      assertThat((long) store.read(tx -> tx.getLong(tx.root(0)))).isEqualTo(0x5ec4e75ec4e75eL);
    }
  }

  @Test
  void whatCannotBeAnArchiveIsRefused() throws Exception {
    Path directory = folder.resolve("store");
    Path key = Files.writeString(folder.resolve("key"), "too short");
    try (Store _ = Store.open(directory, options())) {
      assertThat(archive("start", directory, "")).isEqualTo(2);
      assertThat(out).contains("the place of the archive is empty");
      assertThat(archive("start", directory, folder.resolve("a"), "--key", key)).isEqualTo(2);
      assertThat(out).contains("neither 32 bytes nor 64 hexadecimal digits");
      assertThat(archive("start", directory, folder.resolve("a"), "--every", "2h")).isEqualTo(2);
      assertThat(out).contains("interval must be from");
      assertThat(archive("start", directory, folder.resolve("a"), "--keep", "1s")).isEqualTo(2);
      assertThat(out).contains("keep must be from");
    }
  }

  /** The library for addresses is not among those of the command. */
  @Test
  void anAddressWithoutItsLibraryIsRefusedWithAnAdvice() {
    assertThat(archive("ls", "s3://bucket/prefix")).isEqualTo(1);
    assertThat(out).contains("takes its jars from the folder lib/s3");
    assertThat(run(new RestoreCommand(), "s3://bucket/prefix", folder.resolve("t"))).isEqualTo(1);
    assertThat(out).contains("howdah-archive-s3");
  }
}
