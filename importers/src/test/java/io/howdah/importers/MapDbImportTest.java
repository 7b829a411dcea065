package io.howdah.importers;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/** {@code howdah import mapdb}. */
final class MapDbImportTest {

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("old.db");
  }

  private Path target() {
    return folder.resolve("store");
  }

  private ImportRun run(String... options) {
    Object[] arguments = new Object[options.length + 3];
    arguments[0] = "mapdb";
    System.arraycopy(options, 0, arguments, 1, options.length);
    arguments[options.length + 1] = file();
    arguments[options.length + 2] = target();
    return ImportRun.of(arguments);
  }

  private void write(boolean isTransactional, Consumer<DB> fill) {
    DBMaker.Maker maker = DBMaker.fileDB(file().toFile());
    try (DB db = (isTransactional ? maker.transactionEnable() : maker).make()) {
      fill.accept(db);
      db.commit();
    }
  }

  @Test
  void mapsComeOverWithTheTypesOfTheirSerializers() {
    for (boolean isTransactional : new boolean[] {false, true}) {
      write(isTransactional, MapDbImportTest::fill);
      ImportRun run = run("--resume");
      assertThat(run.exit()).as(run.out()).isZero();
    }
    assertThat(Stored.sorted(target(), "tree", Codec.utf8(), Codec.int64()))
        .containsExactly(Map.entry("cup", 6L), Map.entry("teapot", 12L));
    assertThat(Stored.map(target(), "hash", Codec.int64(), Codec.bytes()))
        .hasSize(3000)
        .containsEntry(2999L, "01");
    assertThat(Stored.sorted(target(), "outside", Codec.bytes(), Codec.utf8()))
        .containsExactly(Map.entry("07", "seven"));
    assertThat(Stored.map(target(), "ids", Codecs.uuid(), Codec.int32()))
        .containsExactly(Map.entry(new UUID(1, 2), 3));
  }

  private static void fill(DB db) {
    Map<String, Long> tree =
        db.treeMap("tree", Serializer.STRING_DELTA, Serializer.LONG_PACKED).createOrOpen();
    tree.put("teapot", 12L);
    tree.put("cup", 6L);
    Map<Long, byte[]> hash =
        db.hashMap("hash", Serializer.LONG, Serializer.BYTE_ARRAY).createOrOpen();
    for (long i = 0; i < 3000; i++) {
      hash.put(i, new byte[] {1});
    }
    db.treeMap("outside", Serializer.BYTE_ARRAY, Serializer.STRING)
        .valuesOutsideNodesEnable()
        .createOrOpen()
        .put(new byte[] {7}, "seven");
    db.hashMap("ids", Serializer.UUID, Serializer.INTEGER).createOrOpen().put(new UUID(1, 2), 3);
  }

  /** The default one makes objects of the classes that the file names. */
  @Test
  void serializersForWhichThereIsNoTypeAreRefusedByName() {
    write(
        false,
        db -> {
          db.hashMap("prices", Serializer.STRING, Serializer.BIG_DECIMAL)
              .createOrOpen()
              .put("a", BigDecimal.ONE);
          db.treeMap("default").createOrOpen();
          db.hashMap("good", Serializer.STRING, Serializer.LONG).createOrOpen().put("a", 1L);
        });
    ImportRun all = run();
    assertThat(all.exit()).isOne();
    assertThat(all.out())
        .contains("of map \"default\"", "have the serializer ", "--map NAME copies others alone");
    assertThat(run("--map", "prices").out())
        .contains("the values of map \"prices\"", "org.mapdb.Serializer#BIG_DECIMAL");
    assertThat(Files.exists(target())).isFalse();
    assertThat(run("--map", "good").exit()).isZero();
    assertThat(Stored.map(target(), "good", Codec.utf8(), Codec.int64()))
        .containsExactly(Map.entry("a", 1L));
  }

  @Test
  void collectionsThatAreNoMapsAreNamed() {
    write(false, db -> db.treeSet("set", Serializer.STRING).createOrOpen().add("a"));
    ImportRun run = run();
    assertThat(run.exit()).isOne();
    assertThat(run.out()).contains("\"set\" of ", "is a TreeSet, no map");
  }

  @Test
  void aFileThatIsOpenOrWasNotClosedIsRefused() throws Exception {
    Path copy = folder.resolve("copy.db");
    try (DB db = DBMaker.fileDB(file().toFile()).make()) {
      fill(db);
      ImportRun run = run();
      assertThat(run.exit()).isOne();
      assertThat(run.out()).contains("is open in another process");
      Files.copy(file(), copy);
    }
    ImportRun run = ImportRun.of("mapdb", copy, target());
    assertThat(run.exit()).isOne();
    assertThat(run.out()).contains("not closed correctly");
    Files.write(folder.resolve("old.db.wal.0"), new byte[] {1});
    assertThat(run().out()).contains("old.db.wal.0 has commits that it lacks");
    assertThat(Files.exists(target())).isFalse();
  }

  @Test
  void whatIsNoSuchFileIsRefused() throws Exception {
    Files.write(file(), new byte[100_000]);
    ImportRun run = run();
    assertThat(run.exit()).isOne();
    assertThat(run.out()).contains("is no file of MapDB 3");
    Files.write(file(), new byte[0]);
    assertThat(run().exit()).isOne();
    assertThat(run("--keys", "utf8").out()).contains("names its types");
    assertThat(Files.exists(target())).isFalse();
  }
}
