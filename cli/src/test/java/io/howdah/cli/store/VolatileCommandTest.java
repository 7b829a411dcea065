package io.howdah.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.FileStorageOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What is listed of a tmpfs, and removed from it. */
final class VolatileCommandTest {

  private static final Path SHM = Path.of("/dev/shm");

  @TempDir private Path folder;

  private final List<String> questions = new ArrayList<>();
  private Path memory;
  private boolean answer;
  private String out = "";

  @BeforeEach
  void makeDirectory() throws IOException {
    assumeTrue(
        Files.isDirectory(SHM)
            && Files.getFileStore(SHM).type().equals("tmpfs")
            && Files.isWritable(SHM),
        "no tmpfs at /dev/shm");
    memory = Files.createTempDirectory(SHM, "howdah-test-");
  }

  @AfterEach
  void clean() throws IOException {
    if (memory != null) {
      delete(memory);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (var entries = Files.walk(directory)) {
      for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(entry);
      }
    }
  }

  private int run(Object command, Object... arguments) {
    StringWriter written = new StringWriter();
    List<String> all = new ArrayList<>(List.of("--tmpfs", memory.toString()));
    Arrays.stream(arguments).map(Object::toString).forEach(all::add);
    int exit =
        new CommandLine(command)
            .setOut(new PrintWriter(written))
            .setErr(new PrintWriter(written))
            .execute(all.toArray(String[]::new));
    out = written.toString();
    return exit;
  }

  private int remove(Object... arguments) {
    return run(
        new VolatileRemoveCommand(
            text -> {
              questions.add(text);
              return answer;
            }),
        arguments);
  }

  /** Makes what a process leaves that was killed, of a store in a folder. */
  private Path left(String store, String name, long unforcedBytes) throws IOException {
    Path place = open(store, name, unforcedBytes);
    Path note = place.resolve("owner");
    String[] lines = Files.readString(note).split("\n", -1);
    String[] fields = lines[1].split(" ", -1);
    fields[4] = Long.toString(Long.parseLong(fields[4]) - 1); // the process started at other times
    lines[1] = String.join(" ", fields);
    Files.writeString(note, String.join("\n", lines));
    return place;
  }

  private Path open(String store, String name, long unforcedBytes) {
    FileStorageOptions options = FileStorageOptions.DEFAULT.withVolatileDirectory(memory);
    try (FileStorage storage = FileStorage.open(folder.resolve(store), options);
        Storage place = storage.volatilePlace(name, true, 1).orElseThrow();
        StorageFile ring = place.create("0")) {
      ring.write(
          0,
          ByteBuffer.allocateDirect(2 * RingLayout.HEADER_LENGTH)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putLong(RingLayout.MAGIC_OFFSET, RingLayout.MAGIC)
              .putLong(RingLayout.INFLIGHT_OFFSET, RingLayout.IDLE)
              .putLong(RingLayout.TAIL_OFFSET, unforcedBytes));
    }
    return memory.resolve(name);
  }

  /** A path is compared as it is written, without its dots, and with its links followed. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "store",
        "store/",
        "./store",
        "other/../store",
        "other/.././store/.",
        "link",
        "link/.",
        "links/link",
        "howdah-2-a"
      })
  void aStoreIsNamedInEachWay(String name) throws IOException {
    Path place = left("store", "howdah-2-a", 0);
    Path beside = left("stores", "howdah-3-a", 0);
    Files.createDirectory(folder.resolve("other"));
    Files.createDirectory(folder.resolve("links"));
    Files.createSymbolicLink(folder.resolve("link"), folder.resolve("store"));
    Files.createSymbolicLink(folder.resolve("links/link"), Path.of("../link"));
    boolean isPlace = name.startsWith("howdah");
    assertThat(remove("--force", isPlace ? name : folder + "/" + name)).as(out).isZero();
    assertThat(out).contains("removed ").contains(folder + "/store\n");
    assertThat(place).doesNotExist();
    assertThat(beside).exists();
    assertThat(remove("--force", folder + "/none")).isEqualTo(1);
    assertThat(beside).exists();
  }

  private String row(String unforced, String state, String owner, String store, String place) {
    return " +8.[0-9] kB +\\d+ s +%s +%s +%s +%s/%s +%s/%s"
        .formatted(unforced, state, owner, folder, store, memory, place);
  }

  @Test
  void everythingIsListedWithItsState() throws Exception {
    open("running", "howdah-1-a", 24);
    left("killed", "howdah-2-a", 0);
    left("gone", "howdah-3-a", 0);
    delete(folder.resolve("gone"));
    Files.createSymbolicLink(memory.resolve("howdah-link"), folder);
    assertThat(run(new VolatileListCommand())).isZero();
    String[] lines = out.split("\n", -1);
    assertThat(lines[0].strip()).matches("size +age +not forced +state +owner +store +place");
    long pid = ProcessHandle.current().pid();
    assertThat(lines[1]).matches(row("24 B", "open", pid + " runs", "running", "howdah-1-a"));
    assertThat(lines[2]).matches(row("0 B", "left", pid + " ended", "killed", "howdah-2-a"));
    assertThat(lines[3]).matches(row("0 B", "abandoned", pid + " ended", "gone", "howdah-3-a"));
    assertThat(lines[4]).isEqualTo("  left alone: howdah-link: a symbolic link");
    assertThat(run(new VolatileListCommand(), "--json", "-")).isZero();
    assertThat(out)
        .contains("\"name\"", "howdah-2-a", "\"abandoned\"", "unforcedBytes", "a symbolic link")
        .contains("\"owner\":" + pid, "\"ownerState\":\"ended\"");
  }

  @Test
  void anEmptyTmpfsIsSaidToBeOne() {
    assertThat(run(new VolatileListCommand())).isZero();
    assertThat(out.strip()).isEqualTo("no store has anything in " + memory);
    assertThat(remove()).isZero();
    assertThat(out.strip()).isEqualTo("nothing to remove");
  }

  @Test
  void withoutOperandsOnlyWhatIsAbandonedAndForcedGoes() throws Exception {
    Path running = open("running", "howdah-1-a", 0);
    Path killed = left("killed", "howdah-2-a", 0);
    Path gone = left("gone", "howdah-3-a", 0);
    Path unforced = left("gone", "howdah-3-b", 48);
    delete(folder.resolve("gone"));
    assertThat(remove()).isZero();
    assertThat(out)
        .contains("removed 8.", "of " + folder + "/gone")
        .contains("left: " + folder + "/gone: its directory is gone, but 48 B of commits");
    assertThat(gone).doesNotExist();
    assertThat(unforced).exists();
    assertThat(remove("--force")).isZero();
    assertThat(unforced).doesNotExist();
    assertThat(running).exists();
    assertThat(killed).exists();
    assertThat(questions).isEmpty();
  }

  @Test
  void whatAnOpeningWouldTakeGoesAfterAQuestion() throws Exception {
    Path killed = left("killed", "howdah-2-a", 40);
    assertThat(remove(folder.resolve("killed"))).isOne();
    assertThat(killed).exists();
    assertThat(out).contains("Use --force");
    assertThat(questions)
        .singleElement()
        .asString()
        .contains("The next opening of the store would take it. But 40 B of commits are in its");
    answer = true;
    assertThat(remove("howdah-2-a")).isZero();
    assertThat(killed).doesNotExist();
    Path again = left("killed", "howdah-2-b", 40);
    assertThat(remove("--force", folder.resolve("killed"))).isZero();
    assertThat(again).doesNotExist();
    assertThat(questions).hasSize(2);
  }

  @Test
  void whatAProcessUsesStaysWhateverIsSaid() {
    Path running = open("running", "howdah-1-a", 0);
    answer = true;
    assertThat(remove("--force", folder.resolve("running"))).isOne();
    assertThat(out).contains("it is in use by process " + ProcessHandle.current().pid());
    assertThat(running).exists();
  }

  @Test
  void whatIsNotThereOrNotOursIsNamed() throws Exception {
    Files.createSymbolicLink(memory.resolve("howdah-link"), folder);
    assertThat(remove("--force", "howdah-link", "howdah-none")).isOne();
    assertThat(out)
        .contains("left: howdah-link: a symbolic link; inspect it, and remove it by hand")
        .contains("left: howdah-none: nothing of it is in " + memory);
    assertThat(memory.resolve("howdah-link")).isSymbolicLink();
    assertThat(folder).exists();
  }
}
