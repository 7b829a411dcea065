package io.howdah.verify.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code howdah} in a small copy of the project, with a Maven that does what the test
 * says, and {@link EchoMain} for the command.
 */
@DisabledOnOs(OS.WINDOWS)
final class StartScriptTest {

  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();

  private static final int MOST_BUILDS_KEPT = 3;

  @TempDir private Path folder;
  private Path root;
  private Path source;
  private Path builds;

  /** What a run of the script has left. */
  private record Ended(int exitCode, String out, String err) {}

  @BeforeEach
  void copy() throws IOException {
    root = Files.createDirectories(folder.resolve("a project"));
    for (String file : List.of("howdah", "build/find-jdk.sh", "build/find-jar.sh")) {
      Files.createDirectories(root.resolve(file).getParent());
      Files.copy(PROJECT.resolve(file), root.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
    }
    source = root.resolve("lab/src/main/Source.java");
    Files.createDirectories(source.getParent());
    for (Path old : List.of(root.resolve("pom.xml"), root.resolve("lab/pom.xml"), source)) {
      Files.writeString(old, "");
      Files.setLastModifiedTime(old, FileTime.from(Instant.EPOCH));
    }
    builds = folder.resolve("builds");
    echoJar(folder.resolve("echo.jar"));
    mavenBuilds("cp ../echo.jar lab/target/quick/howdah-lab-1.jar");
  }

  @Test
  void argumentsAndTheExitCodeGoThrough() throws Exception {
    Ended ended = howdah("test", "two words", "*", "");
    assertThat(ended.out).isEqualTo("test\ntwo words\n*\n\n");
    assertThat(ended.err).contains("building").doesNotContain("FAILED");
    assertThat(ended.exitCode).isEqualTo(EchoMain.EXIT_CODE);
  }

  @Test
  void itIsBuiltOnceAndAgainAfterAChange() throws Exception {
    howdah("x");
    assertThat(howdah("x")).isEqualTo(new Ended(EchoMain.EXIT_CODE, "x\n", ""));
    assertThat(built()).isEqualTo(1);
    change(source);
    assertThat(howdah("x").out).isEqualTo("x\n");
    assertThat(built()).isEqualTo(2);
    assertThat(howdah("x").err).isEmpty();
    change(root.resolve("lab/pom.xml"));
    howdah("x");
    assertThat(built()).isEqualTo(3);
    age();
    Files.delete(source);
    howdah("x");
    assertThat(built()).isEqualTo(4);
  }

  /** Planted bugs are read from the sources, and no build has them. */
  @Test
  void aPlantedBugNeedsNoBuild() throws Exception {
    Path planted = Files.createDirectories(root.resolve("crashtest/src/main/planted"));
    Path bug = Files.writeString(planted.resolve("no-force.bug"), "");
    Path code = Files.writeString(root.resolve("crashtest/src/main/Source.java"), "");
    howdah("x");
    change(bug);
    assertThat(howdah("x")).isEqualTo(new Ended(EchoMain.EXIT_CODE, "x\n", ""));
    assertThat(built()).isEqualTo(1);
    change(code);
    howdah("x");
    assertThat(built()).isEqualTo(2);
  }

  /** After {@code mvn verify}. */
  @Test
  void whatIsBuiltAlreadyIsNotBuiltAgain() throws Exception {
    verifiedBuild();
    assertThat(howdah("x")).isEqualTo(new Ended(EchoMain.EXIT_CODE, "x\n", ""));
    assertThat(howdah("x").out).isEqualTo("x\n");
    assertThat(built()).isZero();
  }

  @Test
  void anOlderBuildIsNotTaken() throws Exception {
    for (String changed :
        List.of(
            "pom.xml",
            "core/pom.xml",
            "core/src/main/Core.java",
            "lab/src/main/Source.java",
            "examples/data/places.csv")) {
      verifiedBuild();
      Files.setLastModifiedTime(root.resolve(changed), FileTime.from(Instant.now()));
      assertBuiltOnce(changed);
    }
  }

  @Test
  void aBuildOfSomeModulesIsNotTaken() throws Exception {
    verifiedBuild();
    Files.writeString(root.resolve("core/target/howdah-core-1.jar"), "newer");
    assertBuiltOnce("another library than the command has");
    verifiedBuild();
    Files.delete(root.resolve("core/target/howdah-core-1.jar"));
    assertBuiltOnce("no such library");
    verifiedBuild();
    Files.write(
        root.resolve("lab/target/howdah-lab-1.jar"),
        Arrays.copyOf(Files.readAllBytes(folder.resolve("echo.jar")), 100));
    assertBuiltOnce("half a jar");
  }

  private void assertBuiltOnce(String why) throws Exception {
    int before = built();
    assertThat(howdah("x").out).as(why).isEqualTo("x\n");
    assertThat(built()).as(why).isEqualTo(before + 1);
    Files.delete(root.resolve(".howdah/current"));
  }

  /** Leaves what {@code mvn verify} leaves, newer than the sources. */
  private void verifiedBuild() throws IOException {
    for (String source :
        List.of(
            "pom.xml",
            "lab/pom.xml",
            "core/pom.xml",
            "core/src/main/Core.java",
            "lab/src/main/Source.java",
            "examples/data/places.csv")) {
      Files.createDirectories(root.resolve(source).getParent());
      Files.writeString(root.resolve(source), "");
    }
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
      }
    }
    for (String jar :
        List.of(
            "core/target/howdah-core-1.jar",
            "lab/target/lib/howdah-core-1.jar",
            "lab/target/howdah-lab-1.jar")) {
      Files.createDirectories(root.resolve(jar).getParent());
      Files.copy(
          folder.resolve("echo.jar"), root.resolve(jar), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Test
  void nothingStartsAfterAFailedBuild() throws Exception {
    mavenBuilds("echo 'Source.java: no such symbol'; exit 1");
    for (int i = 1; i <= 2; i++) {
      assertFailed(howdah("x"), "no such symbol");
      assertThat(built()).as("it is tried again").isEqualTo(i);
    }
    mavenBuilds("cp ../echo.jar lab/target/quick/howdah-lab-1.jar");
    assertThat(howdah("x").out).isEqualTo("x\n");
  }

  @Test
  void theBuildBeforeDoesNotStartInPlaceOfOneThatFailed() throws Exception {
    howdah("x");
    mavenBuilds("echo 'Source.java: no such symbol'; exit 1");
    change(source);
    assertFailed(howdah("x"), "no such symbol");
    assertFailed(howdah("x"), "no such symbol");
  }

  @Test
  void aBuildThatLeavesNoJarHasFailed() throws Exception {
    mavenBuilds(":");
    assertFailed(howdah("x"), "howdah: ");
    mavenBuilds("echo > lab/target/quick/howdah-lab-1-sources.jar");
    assertFailed(howdah("x"), "howdah: ");
  }

  @Test
  void withoutMavenItSaysSo() throws Exception {
    Files.delete(folder.resolve("bin/mvn"));
    for (String tool :
        List.of("bash", "readlink", "dirname", "find", "grep", "cat", "env", "mkdir", "date")) {
      program(folder.resolve("tools").resolve(tool), "exec '" + tool(tool) + "' \"$@\"");
    }
    Ended ended = run(folder.resolve("tools").toString(), root.resolve("howdah"), List.of("x"));
    assertFailed(ended, "needs Maven");
    assertThat(built()).isZero();
  }

  /** Other stores for a comparison, and a cache of the server's classes, are not needed for it. */
  @Test
  void helpPreparesNothing() throws Exception {
    howdah("x");
    for (List<String> asked :
        List.of(
            List.of("bench", "peers", "--help"),
            List.of("serve", "-h"),
            List.of("serve", "x", "--replica", "a", "--help"),
            List.of("serve", "x", "--help"))) {
      Ended ended = howdah(asked.toArray(String[]::new));
      assertThat(ended.out).isEqualTo(String.join("\n", asked) + "\n");
      assertThat(ended.err).isEmpty();
    }
    assertThat(built()).isEqualTo(1);
    howdah("bench", "peers", "helpful");
    assertThat(built()).isEqualTo(2);
  }

  /** The libraries of replica groups are built for a server of a group, and for no other one. */
  @Test
  void aServerOfAReplicaGroupHasTheLibrariesOfReplicaGroups() throws Exception {
    mavenBuilds(
        """
        cp ../echo.jar lab/target/quick/howdah-lab-1.jar
        mkdir -p replica/command/target/quick/lib
        cp ../echo.jar replica/command/target/quick/howdah-replica-command-1.jar
        """);
    howdah("x");
    assertThat(built()).isEqualTo(1);
    for (String[] server :
        List.of(
            new String[] {"serve", "x", "--replica", "a", "--group", "g"},
            new String[] {"serve", "x", "--replica=a"})) {
      Ended ended = howdah(server);
      // The class of the command is not in the jars of this test, so the JVM names it.
      assertThat(ended.err).contains("io.howdah.cli.Main");
      assertThat(ended.out).isEmpty();
      assertThat(built()).isEqualTo(2);
    }
  }

  @Test
  void itStartsFromElsewhereAndThroughALink() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), root.resolve("howdah"));
    assertThat(run(path(), link, List.of("x")).out).isEqualTo("x\n");
    assertThat(root.resolve(".howdah/current")).exists();
  }

  /** As below a program in Python, and in many services. */
  @Test
  void itSaysNothingOfItsOwnWhereBrokenPipesAreNoSignal() throws Exception {
    howdah("x");
    Path quiet = folder.resolve("quiet");
    program(quiet, "trap '' PIPE; exec '" + root.resolve("howdah") + "' \"$@\"");
    for (int i = 0; i < 5; i++) {
      assertThat(run(path(), quiet, List.of("x")))
          .isEqualTo(new Ended(EchoMain.EXIT_CODE, "x\n", ""));
    }
  }

  @Test
  void oldBuildsGo() throws Exception {
    for (int i = 0; i < MOST_BUILDS_KEPT + 2; i++) {
      assertThat(howdah("x").out).isEqualTo("x\n");
      change(source);
    }
    try (Stream<Path> files = Files.list(root.resolve(".howdah"))) {
      assertThat(files.filter(file -> file.getFileName().toString().startsWith("app-")))
          .hasSize(MOST_BUILDS_KEPT);
    }
  }

  private static void assertFailed(Ended ended, String complaint) {
    assertThat(ended.err).contains(complaint);
    assertThat(ended.out).isEmpty();
    assertThat(ended.exitCode).isEqualTo(1);
  }

  private static void echoJar(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, EchoMain.class.getName());
    String name = EchoMain.class.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        InputStream in = EchoMain.class.getClassLoader().getResourceAsStream(name)) {
      out.putNextEntry(new JarEntry(name));
      in.transferTo(out);
    }
  }

  /**
   * Makes a Maven that notes that it ran, and does this in the project. What it built before stays.
   */
  private void mavenBuilds(String commands) throws IOException {
    program(
        folder.resolve("bin/mvn"),
        """
        echo >> '%s'
        mkdir -p lab/target/quick/lib || exit 9
        %s
        """
            .formatted(builds, commands));
  }

  private static void program(Path file, String commands) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + commands + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private int built() throws IOException {
    return Files.exists(builds) ? Files.readAllLines(builds).size() : 0;
  }

  private void change(Path file) throws IOException {
    age();
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(10)));
  }

  /**
   * Makes the last build 20 seconds old, and the sources older: clocks of file systems are coarse.
   */
  private void age() throws IOException {
    Instant built = Instant.now().minusSeconds(20);
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(each -> !each.startsWith(root.resolve(".howdah"))).toList()) {
        Files.setLastModifiedTime(file, FileTime.from(built.minusSeconds(10)));
      }
    }
    Files.setLastModifiedTime(root.resolve(".howdah/current"), FileTime.from(built));
  }

  private String path() {
    return folder.resolve("bin") + File.pathSeparator + System.getenv("PATH");
  }

  private static Path tool(String name) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .map(part -> Path.of(part, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  private Ended howdah(String... arguments) throws IOException, InterruptedException {
    return run(path(), root.resolve("howdah"), List.of(arguments));
  }

  private Ended run(String path, Path script, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(arguments);
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().put("PATH", path);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Ended(
        process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
  }
}
