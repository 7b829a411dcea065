package io.howdah.importers;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.cli.imports.ForeignMap;
import io.howdah.cli.imports.ForeignOptions;
import io.howdah.cli.imports.ForeignStore;
import io.howdah.cli.imports.ImportType;
import io.howdah.cli.imports.MapImport;
import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.process.ChildJvm;
import java.io.ByteArrayInputStream;
import java.io.ObjectInputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Date;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.tx.TransactionStore;
import org.h2.mvstore.type.LongDataType;
import org.h2.mvstore.type.StringDataType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code howdah import mvstore}. */
final class MvStoreImportTest {

  private static final int ENTRIES = 20_000;

  /** The exit code of a process that ended within an import. */
  private static final int HALTED = 17;

  @TempDir private Path folder;

  private MVStore open() {
    return new MVStore.Builder().fileName(file().toString()).open();
  }

  private Path file() {
    return folder.resolve("old.mv.db");
  }

  private Path target() {
    return folder.resolve("store");
  }

  private ImportRun run(Object... options) {
    Object[] arguments = new Object[options.length + 3];
    arguments[0] = "mvstore";
    System.arraycopy(options, 0, arguments, 1, options.length);
    arguments[options.length + 1] = file();
    arguments[options.length + 2] = target();
    return ImportRun.of(arguments);
  }

  @Test
  void mapsComeOverWithTheTypesOfTheirEntries() {
    UUID id = new UUID(1, 2);
    byte[] large = new byte[100];
    large[99] = 7;
    try (MVStore old = open()) {
      MVMap<String, Long> stock = old.openMap("stock");
      stock.put("teapot", 12L);
      stock.put("cup", -6L);
      stock.put("", Long.MIN_VALUE);
      stock.put("x".repeat(100), 0L);
      MVMap<Integer, String> texts = old.openMap("texts");
      texts.put(1, "");
      texts.put(-70_000, "ü𝄞 and what is longer than fifteen");
      MVMap<UUID, byte[]> bytes = old.openMap("bytes");
      bytes.put(id, large);
      bytes.put(new UUID(0, 0), new byte[0]);
      MVMap<Double, Boolean> flags = old.openMap("flags");
      flags.put(0.0, true);
      flags.put(-1.5, false);
      old.openMap("empty");
    }
    ImportRun run = run();
    assertThat(run.exit()).as(run.out()).isZero();
    assertThat(run.out()).contains("stock: 4 entries, sum ", "imported 10 entries");
    assertThat(Stored.sorted(target(), "stock", Codec.utf8(), Codec.int64()))
        .containsExactly(
            Map.entry("", Long.MIN_VALUE),
            Map.entry("cup", -6L),
            Map.entry("teapot", 12L),
            Map.entry("x".repeat(100), 0L));
    assertThat(Stored.sorted(target(), "texts", Codec.int32(), Codec.utf8()))
        .containsExactly(
            Map.entry(-70_000, "ü𝄞 and what is longer than fifteen"), Map.entry(1, ""));
    assertThat(Stored.sorted(target(), "bytes", Codecs.uuid(), Codec.bytes()))
        .containsEntry(id, HexFormat.of().formatHex(large))
        .containsEntry(new UUID(0, 0), "");
    assertThat(Stored.sorted(target(), "flags", Codec.float64(), Codec.bool()))
        .containsExactly(Map.entry(-1.5, false), Map.entry(0.0, true));
    assertThat(Stored.sorted(target(), "empty", Codec.bytes(), Codec.bytes())).isEmpty();
  }

  @Test
  void mapsThatAreNamedComeAlone() {
    try (MVStore old = open()) {
      old.openMap("a").put("k", 1L);
      old.openMap("b").put("k", BigInteger.TEN);
    }
    assertThat(run("--map", "a").exit()).isZero();
    assertThat(Stored.names(target())).contains("a").doesNotContain("b");
    ImportRun absent = run("--map", "c", "--resume");
    assertThat(absent.exit()).isEqualTo(2);
    assertThat(absent.out()).contains("has no map \"c\"; it has [a, b]");
  }

  @Test
  void typesThatTheMapWasOpenedWithAreNamed() {
    try (MVStore old = open()) {
      MVMap<String, Long> map =
          old.openMap(
              "m",
              new MVMap.Builder<String, Long>()
                  .keyType(StringDataType.INSTANCE)
                  .valueType(LongDataType.INSTANCE));
      map.put("teapot", 300L);
    }
    ImportRun unnamed = run();
    assertThat(unnamed.exit()).isOne();
    assertThat(unnamed.out()).contains("--keys and --values name");
    assertThat(Files.exists(target())).isFalse();
    ImportRun run = run("--keys", "utf8", "--values", "int64");
    assertThat(run.exit()).as(run.out()).isZero();
    assertThat(Stored.sorted(target(), "m", Codec.utf8(), Codec.int64()))
        .containsExactly(Map.entry("teapot", 300L));
  }

  /** What is deserialised runs code that the file has chosen. */
  @Test
  void objectsOfJavaAreNeverMadeAndAreKeptAsBytesIfToldSo() throws Exception {
    try (MVStore old = open()) {
      old.openMap("m").put("k", new java.util.ArrayList<>(List.of(5)));
    }
    ImportRun refused = run();
    assertThat(refused.exit()).isOne();
    assertThat(refused.out()).contains("map \"m\" has objects of Java", "--raw keeps");
    assertThat(run("--raw").exit()).isZero();
    Object stored = Stored.sorted(target(), "m", Codec.utf8(), Codec.bytes()).get("k");
    byte[] bytes = HexFormat.of().parseHex((String) stored);
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      assertThat(in.readObject()).isEqualTo(List.of(5));
    }
  }

  @Test
  void arraysOfAClassAreRefusedBeforeTheClassIsLoaded() {
    try (MVStore old = open()) {
      old.openMap("m").put("k", new String[] {"a"});
    }
    assertThat(run("--raw").out()).contains("has objects of Java");
  }

  @Test
  @SuppressWarnings("JavaUtilDate") // one of the types that MVStore has
  void valuesForWhichThereIsNoTypeAreRefused() {
    for (Object value : List.of(new Date(0), BigInteger.TEN, BigInteger.TWO.pow(99))) {
      try (MVStore old = open()) {
        old.openMap("m").put("k", value);
      }
      ImportRun run = run();
      assertThat(run.exit()).isOne();
      assertThat(run.out()).contains("for which an import has no type");
    }
  }

  @Test
  void keysOfTwoTypesAreRefusedAtTheEntry() {
    try (MVStore old = open()) {
      old.openMap("m").put(1L, 1L);
      old.openMap("m").put("a", 1L);
    }
    ImportRun run = run();
    assertThat(run.exit()).isOne();
    assertThat(run.out())
        .contains("the key of entry 2 of map \"m\" is of java.lang.String", "of the type int64");
  }

  @Test
  void transactionsOfMvStoreAreRefused() {
    try (MVStore old = open()) {
      TransactionStore transactions = new TransactionStore(old);
      transactions.init();
      var transaction = transactions.begin();
      transaction.<String, String>openMap("m").put("a", "b");
      transaction.commit();
    }
    ImportRun run = run();
    assertThat(run.exit()).isOne();
    assertThat(run.out()).contains("CSVWRITE");
  }

  @Test
  void aFileThatIsOpenIsRefused() {
    try (MVStore old = open()) {
      old.openMap("m").put("a", 1L);
      old.commit();
      ImportRun run = run();
      assertThat(run.exit()).isOne();
      assertThat(run.out()).contains("is open in another process");
    }
    assertThat(Files.exists(target())).isFalse();
  }

  @Test
  void whatIsNoSuchFileIsRefused() throws Exception {
    ImportRun absent = run();
    assertThat(absent.exit()).isEqualTo(2);
    assertThat(absent.out()).contains("there is no ");
    Files.writeString(file(), "a text, no store\n".repeat(1000), StandardCharsets.UTF_8);
    ImportRun text = run();
    assertThat(text.exit()).isOne();
    assertThat(text.out()).contains("is no file of MVStore, or it is damaged");
    Files.write(file(), new byte[0]);
    assertThat(run().exit()).isOne();
    ImportRun directory = ImportRun.of("mvstore", folder, target());
    assertThat(directory.exit()).isEqualTo(2);
    assertThat(directory.out()).contains("is a directory; a store of the kind mvstore is a file");
    assertThat(Files.exists(target())).isFalse();
  }

  /** Damage at any place is an error that explains itself, or does no harm: never a wrong copy. */
  @Test
  void damageNeverGivesOtherEntries() throws Exception {
    fill(2000);
    byte[] sound = Files.readAllBytes(file());
    int refused = 0;
    for (int at = 0; at < sound.length; at += sound.length / 16) {
      byte[] damaged = sound.clone();
      for (int i = at; i < Math.min(at + 64, sound.length); i++) {
        damaged[i] ^= 0x55;
      }
      Files.write(file(), damaged);
      Path other = folder.resolve("at-" + at);
      ImportRun run = ImportRun.of("mvstore", "--max-size", "64m", file(), other);
      if (run.exit() == 0) {
        assertThat(Stored.sorted(other, "m", Codec.utf8(), Codec.utf8()))
            .as("damage at %d", at)
            .hasSize(2000)
            .containsEntry("key 7", "value 7");
      } else {
        refused++;
      }
    }
    assertThat(refused).isPositive();
  }

  private void fill(int entries) {
    try (MVStore old = open()) {
      MVMap<String, String> map = old.openMap("m");
      for (int i = 0; i < entries; i++) {
        map.put("key " + i, "value " + i);
      }
    }
  }

  /** Ends its process at an entry, as a kill does. */
  static final class Halting {

    private Halting() {}

    /** Imports a file into a store up to an entry. */
    public static void main(String[] arguments) {
      long last = Long.parseLong(arguments[2]);
      try (ForeignStore source =
              new MvStoreFiles().open(Path.of(arguments[0]), ForeignOptions.DEFAULT);
          Store store = Store.open(Path.of(arguments[1]))) {
        new MapImport(store, "mvstore old.mv.db", 200, (_, _) -> {})
            .run(List.of(new HaltingMap<>(source.map("m"), last)), true);
      }
    }
  }

  private record HaltingMap<K, V>(ForeignMap<K, V> map, long last) implements ForeignMap<K, V> {

    @Override
    public String name() {
      return map.name();
    }

    @Override
    public ImportType<K> keys() {
      return map.keys();
    }

    @Override
    public ImportType<V> values() {
      return map.values();
    }

    @Override
    public boolean isSorted() {
      return map.isSorted();
    }

    @Override
    public long size() {
      return map.size();
    }

    @Override
    public Iterator<Map.Entry<K, V>> entries() {
      Iterator<Map.Entry<K, V>> all = map.entries();
      return new Iterator<>() {
        private long shown;

        @Override
        public boolean hasNext() {
          return all.hasNext();
        }

        @Override
        public Map.Entry<K, V> next() {
          if (shown++ == last) {
            Runtime.getRuntime().halt(HALTED);
          }
          return all.next();
        }
      };
    }
  }

  @Test
  void anImportThatWasKilledTwiceContinuesAndIsWhole() throws Exception {
    fill(ENTRIES);
    for (int last : new int[] {5000, 13_333}) {
      List<String> arguments = List.of(file().toString(), target().toString(), "" + last);
      assertThat(ChildJvm.run(List.of(), Halting.class, arguments, null)).isEqualTo(HALTED);
    }
    ImportRun unasked = run();
    assertThat(unasked.exit()).isOne();
    assertThat(unasked.out()).contains("--resume continues an import that was cut off");
    ImportRun run = run("--resume");
    assertThat(run.exit()).as(run.out()).isZero();
    assertThat(run.out()).containsPattern("m: 20,000 entries.*; 13,[0-9]{3} of them were there");
    assertThat(Stored.sorted(target(), "m", Codec.utf8(), Codec.utf8()))
        .hasSize(ENTRIES)
        .containsEntry("key 19999", "value 19999");
  }
}
