package io.howdah.crashtest.power;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.howdah.core.Backing;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.crashtest.kill.CrashRun;
import io.howdah.crashtest.kill.CrashRunOptions;
import io.howdah.crashtest.kill.Round;
import io.howdah.crashtest.kill.RoundPlan;
import io.howdah.crashtest.kill.Sabotage;
import io.howdah.process.ChildJvm;
import io.howdah.process.EarlyEnd;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process asked of the kernel, and a power cut of the simulated disk that it is done on. */
final class NotedDiskTest {

  private static final int PAGE = 4096;
  private static final String DONE = "done";

  /** Power cuts of a sound store. */
  private static final int CUTS = Math.min(2, Integer.getInteger("howdah.lives", 1));

  @TempDir private Path folder;

  @BeforeEach
  void needsACompiler() throws Exception {
    Path trial = Files.createDirectory(folder.resolve("trial"));
    assumeThat(NotedCalls.whyNot(trial)).as("noting calls").isEmpty();
    assertThat(trial).isEmptyDirectory();
  }

  /** Uses files in each way that a store does, through the storage that stores use. */
  static final class FileUser {

    private FileUser() {}

    public static void main(String[] args) throws InterruptedException {
      try (Storage storage = FileStorage.open(Path.of(args[0]))) {
        storage.createDirectory("made");
        StorageFile forced = storage.create("made/forced");
        forced.write(0, page(1));
        forced.write(PAGE, page(1));
        forced.force();
        storage.create("renamed.tmp").force();
        storage.create("deleted").force();
        storage.create("deleted-later").force();
        storage.delete("deleted");
        storage.rename("renamed.tmp", "renamed");
        storage.forceDirectory("made");
        storage.forceDirectory("");

        forced.write(PAGE, page(2));
        forced.setSize(5 * PAGE);
        storage.create("made/unnamed").force();
        storage.delete("deleted-later");
        storage.rename("renamed", "made/renamed-twice");
        try (StorageFile direct = storage.open("there-before", Access.DIRECT)) {
          direct.write(0, page(2));
          direct.force();
          direct.write(PAGE, page(2));
        }
        System.out.println(DONE);
        System.out.flush();
        Thread.sleep(Long.MAX_VALUE); // to be killed
      }
    }

    static ByteBuffer page(int value) {
      ByteBuffer page = ByteBuffer.allocateDirect(2 * PAGE).alignedSlice(PAGE).limit(PAGE);
      while (page.hasRemaining()) {
        page.put((byte) value);
      }
      return page.flip();
    }
  }

  @Test
  void aPowerCutKeepsWhatWasForcedAndNothingElseOrAll() throws Exception {
    Path files = Files.createDirectory(folder.resolve("files"));
    Files.write(files.resolve("there-before"), new byte[2 * PAGE]);
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    try (Storage storage = disk.storage()) {
      DiskFiles.load(files, storage);
    }
    Path notes = runUser(files);
    try (Storage storage = disk.storage()) {
      assertThat(CallReplay.replay(notes, storage)).as("forces").isGreaterThanOrEqualTo(8);
    }

    SimulatedDisk all = disk.fork();
    all.powerCut(CrashChoice.KEEP_ALL);
    Path kept = Files.createDirectory(folder.resolve("kept"));
    DiskFiles.store(all.storage(), kept);
    assertThat(pages(kept)).as("what the kernel has").isEqualTo(pages(files));

    disk.powerCut(CrashChoice.LOSE_ALL);
    Path left = Files.createDirectory(folder.resolve("left"));
    DiskFiles.store(disk.storage(), left);
    Map<String, List<Integer>> found = pages(left);
    found.keySet().removeIf(name -> name.startsWith("store.")); // the lock's
    assertThat(found)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "made/forced", List.of(1, 1),
                "renamed", List.of(),
                "deleted-later", List.of(),
                "there-before", List.of(2, 0)));
  }

  private Path runUser(Path files) throws IOException, InterruptedException {
    Path notes = Files.createFile(folder.resolve("notes"));
    Path output = folder.resolve("output");
    ChildJvm user =
        ChildJvm.start(
            NotedCalls.build(folder).environment(files, notes),
            List.of(),
            FileUser.class,
            List.of(files.toString()),
            output);
    while (!Files.readString(output).contains(DONE)) {
      assertThat(user.isAlive()).as(() -> words(output)).isTrue();
      Thread.sleep(10);
    }
    user.kill();
    return notes;
  }

  private static String words(Path output) {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Returns the first byte of each page of each file. */
  private static Map<String, List<Integer>> pages(Path folder) throws IOException {
    Map<String, List<Integer>> pages = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.filter(Files::isRegularFile).toList()) {
        byte[] bytes = Files.readAllBytes(path);
        pages.put(
            folder.relativize(path).toString(),
            Stream.iterate(0, at -> at < bytes.length, at -> at + PAGE)
                .map(at -> (int) bytes[at])
                .toList());
      }
    }
    return pages;
  }

  @Test
  void aCallThatIsNotNotedEndsTheProcess() throws Exception {
    Path files = Files.createDirectory(folder.resolve("files"));
    Path notes = Files.createFile(folder.resolve("notes"));
    Process linked = linking(files, NotedCalls.build(folder).environment(files, notes)).start();
    String words = new String(linked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(linked.waitFor()).as(words).isEqualTo(98);
    assertThat(words).contains("symlinkat is not noted");
  }

  private static ProcessBuilder linking(Path files, Map<String, String> environment) {
    ProcessBuilder builder =
        new ProcessBuilder("ln", "-s", "elsewhere", files.resolve("link").toString())
            .redirectErrorStream(true);
    builder.environment().putAll(environment);
    return builder;
  }

  @Tag("scaled")
  @Test
  void aStoreKeepsWhatItPromisedAndOneWithoutForcesDoesNot() throws Exception {
    assertThat(run("sound", Sabotage.NONE, CUTS).violations()).isEmpty();
    assertThat(run("forceless", Sabotage.FORCES, 2).violations())
        .anyMatch(violation -> violation.endsWith("were acknowledged and are lost"));
  }

  private CrashRun.Report run(String name, Sabotage sabotage, int cuts) throws Exception {
    Path mine = Files.createDirectory(folder.resolve(name));
    try (PowerDisk disk = PowerDiskKind.SIMULATED.create(mine);
        EarlyEnd early = new EarlyEnd()) {
      CrashRun.Report report =
          new CrashRun(
                  new CrashRunOptions(
                      disk.root().resolve("store"),
                      10_000,
                      1,
                      4,
                      cuts,
                      Duration.ofMillis(300),
                      RoundPlan.names(),
                      sabotage,
                      disk.cut(1),
                      Backing.MAPPED),
                  new Silent(),
                  early)
              .run();
      Sabotage.removeRings(disk.root().resolve("store"));
      return report;
    } finally {
      assertThat(mine).doesNotExist();
    }
  }

  private static final class Silent implements CrashRun.Progress {
    @Override
    public void loading(int loaded, int of) {}

    @Override
    public void loaded(int cities, long people, long nanos) {}

    @Override
    public void running(int round, String plan, long acknowledged) {}

    @Override
    public void judged(Round round) {}
  }
}
