package io.howdah.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every command that writes, with everything that can be wrong about its source and its target: it
 * ends with 1 or 2 and one line that names the file, prints no result, leaves every file as it was,
 * and does its work when it is given again without the trouble.
 */
@Timeout(120)
final class TroubleWithCommandsTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(1)
          .withRingBytes(1 << 16)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  /** Where the parts of a command lie: relative to the folder of the test. */
  private static final String TARGET = "new/target";

  /** A command. */
  private enum Command {
    PUT("shop", null, "put", "{S}", "m", "new key", "9"),
    REMOVE("shop", null, "rm", "{S}", "m", "k1"),
    DROP("shop", null, "drop", "{S}", "m"),
    CHECKPOINT("shop", null, "checkpoint", "{S}"),
    COMPACT("shop", null, "compact", "{S}"),
    ACCEPT("shop", null, "accept-rollback", "{S}"),
    LOAD("shop", null, "load", "{S}", "loaded", "{F}/rows.csv"),
    BACKUP("shop", TARGET, "backup", "{S}", "{T}"),
    EXPORT("shop", TARGET, "export", "{S}", "{T}"),
    RESTORE("backup", TARGET, "restore", "{S}", "{T}"),
    IMPORT("export", TARGET, "import", "{S}", "{T}");

    /** What it works on: a directory. */
    private final String source;

    /** What it makes, or null. */
    private final @Nullable String target;

    @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable copy
    private final List<String> words;

    Command(String source, @Nullable String target, String... words) {
      this.source = source;
      this.target = target;
      this.words = List.of(words);
    }
  }

  /** What is wrong. */
  private enum Trouble {
    SOURCE_IS_ABSENT,
    SOURCE_IS_A_FILE,
    SOURCE_IS_EMPTY,
    SOURCE_IS_ANOTHER_THING,
    SOURCE_LOST_ITS_FIRST_FILE,
    SOURCE_IS_DAMAGED,
    SOURCE_IS_OPEN,
    TARGET_IS_A_FILE,
    TARGET_HAS_A_FILE,
    TARGET_HAS_A_DIRECTORY,
    TARGET_IS_BELOW_A_FILE,
    TARGET_IS_THE_SOURCE,
    TARGET_IS_WITHIN_THE_SOURCE,
    TARGET_IS_A_DANGLING_LINK,
    RESULT_IS_A_DIRECTORY,
    RESULT_IS_BELOW_A_FILE,
    ONE_OPERAND_TOO_MANY,
    AN_OPTION_THAT_IS_NONE
  }

  record Case(String command, String trouble) {
    @Override
    public String toString() {
      return command + " " + trouble;
    }
  }

  static Stream<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (Command command : Command.values()) {
      for (Trouble trouble : Trouble.values()) {
        boolean hasTarget = command.target != null;
        boolean isOfTarget = trouble.name().startsWith("TARGET");
        boolean neverLocked = command == Command.IMPORT || command == Command.RESTORE;
        if ((!isOfTarget || hasTarget) && !(trouble == Trouble.SOURCE_IS_OPEN && neverLocked)) {
          cases.add(new Case(command.name(), trouble.name()));
        }
      }
    }
    return cases.stream();
  }

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private @Nullable Store open;

  @BeforeEach
  void make() throws IOException {
    Path shop = folder.resolve("shop");
    try (Store store = Store.open(shop, OPTIONS)) {
      PersistentMap<String, Long> map = store.map("m", Codec.utf8(), Codec.int64());
      for (int i = 0; i < 100; i++) {
        long value = i;
        store.run(TxOptions.async(), tx -> map.put(tx, "k" + value, value));
      }
      store.admin().backup(folder.resolve("backup"));
      store.admin().export(folder.resolve("export"));
    }
    Files.writeString(folder.resolve("rows.csv"), "key,value\na,1\nb,2\n", UTF_8);
    Files.writeString(folder.resolve("file"), "a file\n", UTF_8);
    Files.createDirectories(folder.resolve("empty"));
    Files.createDirectories(folder.resolve("other"));
    Files.writeString(folder.resolve("other/notes.txt"), "of a user\n", UTF_8);
    Files.createDirectories(folder.resolve("crowded/inner"));
  }

  @AfterEach
  void close() {
    if (open != null) {
      open.close();
    }
  }

  private int run(List<String> words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String[] arguments = words.toArray(String[]::new);
    return Main.program()
        .commandLineFor(arguments)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  private List<String> words(Command command, Path source, @Nullable Path target) {
    return command.words.stream()
        .map(word -> word.replace("{S}", source.toString()))
        .map(word -> word.replace("{T}", String.valueOf(target)))
        .map(word -> word.replace("{F}", folder.toString()))
        .toList();
  }

  /** Names, contents and kinds of all files but those that tell who has a store. */
  private Map<String, String> files() throws IOException {
    Map<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.toList()) {
        String name = folder.relativize(file).toString();
        if (name.endsWith("store.lock") || name.contains("store.owner")) {
          continue;
        }
        all.put(
            name,
            Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                ? Files.size(file) + " " + Arrays.hashCode(Files.readAllBytes(file))
                : Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) ? "directory" : "link");
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aCommandInTroubleChangesNothingAndIsRepeated(Case given) throws IOException {
    Command command = Command.valueOf(given.command());
    Trouble trouble = Trouble.valueOf(given.trouble());
    Path source = folder.resolve(command.source);
    Path target = command.target == null ? null : folder.resolve(command.target);
    List<String> more = new ArrayList<>();
    Path named = source; // what the message is to name
    Path kept = folder.resolve("kept");
    Path first = first(command, source);
    switch (trouble) {
      case SOURCE_IS_ABSENT -> source = named = folder.resolve("absent");
      case SOURCE_IS_A_FILE -> source = named = folder.resolve("file");
      case SOURCE_IS_EMPTY -> source = named = folder.resolve("empty");
      case SOURCE_IS_ANOTHER_THING -> source = named = folder.resolve("other");
      case SOURCE_LOST_ITS_FIRST_FILE -> Files.move(first, kept);
      case SOURCE_IS_DAMAGED -> {
        Files.copy(first, kept);
        byte[] bytes = Files.readAllBytes(first);
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] ^= (byte) (i % 512 == 100 ? 0x55 : 0);
        }
        Files.write(first, bytes);
      }
      case SOURCE_IS_OPEN -> open = Store.open(source, OPTIONS);
      case TARGET_IS_A_FILE -> target = named = folder.resolve("file");
      case TARGET_HAS_A_FILE -> target = named = folder.resolve("other");
      case TARGET_HAS_A_DIRECTORY -> target = named = folder.resolve("crowded");
      case TARGET_IS_BELOW_A_FILE -> {
        named = folder.resolve("file");
        target = named.resolve("target");
      }
      case TARGET_IS_THE_SOURCE -> target = source;
      case TARGET_IS_WITHIN_THE_SOURCE -> target = source.resolve("within");
      case TARGET_IS_A_DANGLING_LINK -> {
        target = named = folder.resolve("link");
        Files.createSymbolicLink(target, folder.resolve("nowhere"));
      }
      case RESULT_IS_A_DIRECTORY -> more.add("--json=" + (named = folder.resolve("empty")));
      case RESULT_IS_BELOW_A_FILE ->
          more.add("--json=" + (named = folder.resolve("file")) + "/result.json");
      case ONE_OPERAND_TOO_MANY -> {
        more.add("surplus");
        more.add("surplus");
      }
      case AN_OPTION_THAT_IS_NONE -> more.add("--no-such-option");
    }
    boolean makesNone = trouble == Trouble.SOURCE_IS_ABSENT || trouble == Trouble.SOURCE_IS_EMPTY;
    if (command == Command.LOAD && makesNone) {
      return; // which makes a store there
    }
    Map<String, String> before = files();
    List<String> words = new ArrayList<>(words(command, source, target));
    words.addAll(more);
    int exit = run(words);
    String said = err.toString();
    assertThat(exit).as("%s: %s%s", given, out, said).isIn(1, 2);
    assertThat(said).as("%s", given).startsWith("howdah: ").doesNotContain("\tat ", "Exception");
    assertThat(out.toString()).as("%s", given).isEmpty();
    if (!trouble.name().startsWith("ONE_") && !trouble.name().startsWith("AN_")) {
      assertThat(said).as("%s", given).contains(named.getFileName().toString());
    }
    Map<String, String> after = files();
    if (isOpenedFirst(command, trouble)) {
      before.keySet().removeIf(name -> name.startsWith("shop/"));
      after.keySet().removeIf(name -> name.startsWith("shop/"));
    }
    assertThat(after).as("%s: %s", given, said).isEqualTo(before);
    // And again, without it.
    if (open != null) {
      open.close();
      open = null;
    }
    if (Files.exists(kept)) {
      Files.deleteIfExists(first);
      Files.move(kept, first);
    }
    Path goal = command.target == null ? null : folder.resolve(command.target);
    exit = run(words(command, folder.resolve(command.source), goal));
    assertThat(exit).as("%s, again: %s", given, err).isZero();
    requireDone(command, goal);
  }

  /** Only the store tells how many operands its structure takes, and only an open one is copied. */
  private static boolean isOpenedFirst(Command command, Trouble trouble) {
    return command == Command.BACKUP
        ? trouble.name().startsWith("TARGET")
        : trouble == Trouble.ONE_OPERAND_TOO_MANY;
  }

  /** Returns the file without which nothing can be made of a directory. */
  private static Path first(Command command, Path source) throws IOException {
    if (!command.source.equals("export")) {
      return source.resolve("store.howdah");
    }
    try (Stream<Path> files = Files.list(source)) {
      return files.filter(Files::isRegularFile).sorted().findFirst().orElseThrow();
    }
  }

  private void requireDone(Command command, @Nullable Path target) {
    if (command == Command.EXPORT && target != null) {
      assertThat(StoreBackups.checkExport(target).items()).isEqualTo(100);
      return;
    }
    Path store = folder.resolve("shop");
    if (command == Command.BACKUP && target != null) {
      store = folder.resolve("restored");
      StoreBackups.restore(target, store, OptionalLong.empty());
    } else if (target != null) {
      store = target;
    }
    try (Store opened = Store.open(store, StoreOptions.defaults().withReadOnly(true))) {
      long size =
          command == Command.DROP
              ? opened.<Long, RuntimeException>read(
                  tx -> (long) opened.admin().collections(tx).size())
              : size(opened, "m");
      long expected =
          switch (command) {
            case PUT -> 101;
            case REMOVE -> 99;
            case DROP -> 0;
            default -> 100;
          };
      assertThat(size).isEqualTo(expected);
      if (command == Command.LOAD) {
        assertThat(
                opened.<Integer, RuntimeException>read(tx -> opened.admin().collections(tx).size()))
            .isGreaterThan(1);
      }
    }
  }

  private static long size(Store store, String name) {
    PersistentMap<String, Long> map = store.map(name, Codec.utf8(), Codec.int64());
    return store.read(tx -> map.size(tx));
  }
}
