package io.howdah.importers;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.process.ChildJvm;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** {@code howdah import rocksdb}. */
final class RocksDbImportTest {

  private static final int ENTRIES = 3000;

  @TempDir private Path folder;

  private Path directory() {
    return folder.resolve("rocks");
  }

  private Path target() {
    return folder.resolve("store");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] number(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private RocksDB open() throws RocksDBException {
    RocksDB.loadLibrary();
    try (Options options =
        new Options().setCreateIfMissing(true).setCompressionType(CompressionType.NO_COMPRESSION)) {
      return RocksDB.open(options, directory().toString());
    }
  }

  private void fill() throws RocksDBException {
    try (RocksDB db = open();
        FlushOptions flush = new FlushOptions()) {
      for (int i = 0; i < ENTRIES; i++) {
        db.put(number(i), bytes("value " + i));
      }
      db.delete(number(ENTRIES - 1));
      db.flush(flush);
      try (ColumnFamilyHandle family =
          db.createColumnFamily(new ColumnFamilyDescriptor(bytes("stock")))) {
        db.put(family, bytes("teapot"), bytes("12")); // in the log alone
      }
    }
  }

  @Test
  void columnFamiliesComeOverAsBytesOrAsWhatIsNamed() throws Exception {
    fill();
    ImportRun run = ImportRun.of("rocksdb", directory(), target());
    assertThat(run.exit()).as(run.out()).isZero();
    assertThat(Stored.sorted(target(), "stock", Codec.bytes(), Codec.bytes()))
        .containsExactly(Map.entry("746561706f74", "3132"));
    Path other = folder.resolve("other");
    ImportRun named =
        ImportRun.of(
            "rocksdb",
            "--map",
            "default",
            "--keys",
            "int64",
            "--values",
            "utf8",
            directory(),
            other);
    assertThat(named.exit()).as(named.out()).isZero();
    assertThat(Stored.sorted(other, "default", Codec.int64(), Codec.utf8()))
        .hasSize(ENTRIES - 1)
        .containsEntry(7L, "value 7");
  }

  @Test
  void bytesThatAreNotOfTheTypeAreRefusedAtTheEntry() throws Exception {
    fill();
    ImportRun run =
        ImportRun.of("rocksdb", "--map", "stock", "--keys", "int64", directory(), target());
    assertThat(run.exit()).isOne();
    assertThat(run.out()).contains("entry 1 of map \"stock\"", "it has 6 bytes");
    assertThat(ImportRun.of("rocksdb", "--keys", "uuid", directory(), folder.resolve("o")).out())
        .contains("bytes are not read as uuid");
    ImportRun unknown = ImportRun.of("rocksdb", "--keys", "text", directory(), target());
    assertThat(unknown.exit()).isEqualTo(2);
    assertThat(unknown.out()).contains("there is no type \"text\"; there are bytes, utf8");
  }

  /** RocksDB itself opens for reading what another process writes. */
  @Test
  void aDirectoryThatIsOpenIsRefused() throws Exception {
    try (RocksDB db = open()) {
      db.put(bytes("a"), bytes("b"));
      StringWriter out = new StringWriter();
      int exit =
          ChildJvm.run(
              List.of(),
              ImportRun.Main.class,
              List.of("rocksdb", directory().toString(), target().toString()),
              new PrintWriter(out));
      assertThat(exit).isOne();
      assertThat(out.toString()).contains("is open in another process");
    }
    assertThat(Files.exists(target())).isFalse();
  }

  @Test
  void whatIsNoSuchDirectoryIsRefused() throws Exception {
    Files.createDirectory(directory());
    ImportRun run = ImportRun.of("rocksdb", directory(), target());
    assertThat(run.exit()).isOne();
    assertThat(run.out()).contains("is no directory of RocksDB: it has no file CURRENT");
    assertThat(ImportRun.of("rocksdb", folder.resolve("absent"), target()).exit()).isEqualTo(2);
    Files.writeString(directory().resolve("CURRENT"), "MANIFEST-000001\n");
    assertThat(ImportRun.of("rocksdb", directory(), target()).out())
        .contains("cannot be opened by RocksDB");
    assertThat(Files.exists(target())).isFalse();
  }

  /** An iterator of RocksDB that meets damage looks like one that is at its end. */
  @Test
  void damageWithinATableIsAnErrorAndNoEnd() throws Exception {
    fill();
    try (DirectoryStream<Path> tables = Files.newDirectoryStream(directory(), "*.sst")) {
      for (Path table : tables) {
        byte[] content = Files.readAllBytes(table);
        content[content.length / 2] ^= 0x55;
        Files.write(table, content);
      }
    }
    ImportRun run = ImportRun.of("rocksdb", "--map", "default", directory(), target());
    assertThat(run.exit()).isOne();
    assertThat(run.out()).contains("of map \"default\" cannot be read", "mismatch");
  }
}
