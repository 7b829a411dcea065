package io.howdah.verify.publishing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code build/check-bundle} lets a sound bundle pass and names each breach of a rule. */
@DisabledOnOs(OS.WINDOWS)
final class BundleRulesTest {

  private static final Path SCRIPT = Path.of("../build/check-bundle").toAbsolutePath().normalize();

  private static final String PARENT =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
        <groupId>org.example</groupId><artifactId>parent</artifactId><version>1.0</version><packaging>pom</packaging>
        <name>Parent</name><description>What the others share.</description>
        <url>${home}</url>
        <properties><home>https://example.org</home></properties>
        <licenses><license><name>L</name><url>https://example.org/licence</url></license></licenses>
        <developers><developer><name>D</name></developer></developers>
        <scm><connection>scm:git:x</connection><developerConnection>scm:git:y</developerConnection><url>z</url></scm>
      </project>
      """;

  private static final String POM =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
        <parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>1.0</version></parent>
        <artifactId>part</artifactId>
        <name>Part</name>
        <description>A library.</description>
        <dependencies>
          <dependency><groupId>org.other</groupId><artifactId>other</artifactId><version>2.0</version></dependency>
        </dependencies>
      </project>
      """;

  private static final String COMPONENTS =
      """
      {"bomFormat": "CycloneDX",
       "metadata": {"component": {"group": "org.example", "name": "part", "version": "1.0"}},
       "components": [{"group": "org.other", "name": "other"}]}
      """;

  @TempDir private Path temporary;
  private Path bundle;
  private Path part;

  private record Ended(int exitCode, String out) {}

  @BeforeEach
  void soundBundle() throws Exception {
    bundle = temporary.resolve("bundle");
    part = Files.createDirectories(bundle.resolve("org/example/part/1.0"));
    Path parent = Files.createDirectories(bundle.resolve("org/example/parent/1.0"));
    write(parent.resolve("parent-1.0.pom"), PARENT.getBytes(UTF_8));
    write(part.resolve("part-1.0.pom"), POM.getBytes(UTF_8));
    write(part.resolve("part-1.0-cyclonedx.json"), COMPONENTS.getBytes(UTF_8));
    for (String jar : List.of("part-1.0.jar", "part-1.0-sources.jar", "part-1.0-javadoc.jar")) {
      jar(part.resolve(jar), "org/example/Part");
    }
  }

  @Test
  void aSoundBundlePassesAndItsArchiveHasTheSameBytesTwice() throws Exception {
    Path first = temporary.resolve("first.zip");
    Path second = temporary.resolve("second.zip");
    assertThat(check("--zip", first.toString())).matches(ended -> ended.exitCode == 0);
    assertThat(check("--zip", second.toString())).matches(ended -> ended.exitCode == 0);
    assertThat(first).hasSameBinaryContentAs(second);
    try (ZipFile zip = new ZipFile(first.toFile())) {
      assertThat(zip.getEntry("org/example/part/1.0/part-1.0.jar.sha1")).isNotNull();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "parent,'<url>${home}</url>',has no url",
    "parent,'<license><name>L</name><url>https://example.org/licence</url></license>',has no licenses/license/name",
    "parent,'<developer><name>D</name></developer>',has no developers/developer/name",
    "parent,'<connection>scm:git:x</connection>',has no scm/connection",
    "parent,'<developerConnection>scm:git:y</developerConnection>',has no scm/developerConnection",
    "parent,'<url>z</url>',has no scm/url",
    "part,'<name>Part</name>',has no name",
    "part,'<description>A library.</description>',has no description",
  })
  void whatAPomMustHaveIsMissed(String artifact, String without, String message) throws Exception {
    Path pom = bundle.resolve("org/example/" + artifact + "/1.0/" + artifact + "-1.0.pom");
    String text = Files.readString(pom);
    assertThat(text).contains(without);
    write(pom, text.replace(without, "").getBytes(UTF_8));
    assertBreach(message);
  }

  @ParameterizedTest
  @CsvSource({
    "<version>2.0</version>,<version>2.0-SNAPSHOT</version>,depends on a snapshot of other",
    "org.other</groupId><artifactId>other,org.example</groupId><artifactId>gone,which is not published",
    "<dependencies>,<repositories/><dependencies>,names repositories",
    "<artifactId>parent,<artifactId>nobody,has a parent that is not published",
    "<artifactId>part</artifactId>,<artifactId>part</artifactId><version>1.1</version>,versions differ",
    "org.other</groupId><artifactId>other,org.third</groupId><artifactId>third,'lacks org.third:third'",
  })
  void whatAPomMayNotSayIsFound(String text, String instead, String message) throws Exception {
    assertThat(POM).contains(text);
    write(part.resolve("part-1.0.pom"), POM.replace(text, instead).getBytes(UTF_8));
    assertBreach(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "part-1.0.jar",
        "part-1.0-sources.jar",
        "part-1.0-javadoc.jar",
        "part-1.0-cyclonedx.json"
      })
  void aMissingFileIsMissed(String name) throws Exception {
    Files.delete(part.resolve(name));
    assertBreach("beside it");
  }

  @ParameterizedTest
  @CsvSource({"group,a", "name,b", "version,c"})
  void componentsOfAnotherArtifactAreFound(String field, String value) throws Exception {
    String was =
        COMPONENTS.replaceFirst(
            "(\"component\": .*\"" + field + "\": )\"[^\"]*\"", "$1\"" + value + "\"");
    assertThat(was).isNotEqualTo(COMPONENTS);
    write(part.resolve("part-1.0-cyclonedx.json"), was.getBytes(UTF_8));
    assertBreach("is about another artifact");
  }

  @Test
  void aTimeInTheComponentsIsFound() throws Exception {
    write(
        part.resolve("part-1.0-cyclonedx.json"),
        COMPONENTS.replace("{\"component\"", "{\"timestamp\": 1, \"component\"").getBytes(UTF_8));
    assertBreach("has a time in it");
  }

  @Test
  void damagedBytesHaveAnotherChecksum() throws Exception {
    Path sources = part.resolve("part-1.0-sources.jar");
    byte[] bytes = Files.readAllBytes(sources);
    Files.write(sources, Arrays.copyOf(bytes, bytes.length + 1));
    assertBreach("is not the checksum of its file");
  }

  @Test
  void aMissingChecksumIsMissed() throws Exception {
    Files.delete(part.resolve("part-1.0.jar.sha1"));
    assertBreach("has no .sha1 beside it");
  }

  @Test
  void anEmptyJarIsFound() throws Exception {
    jar(part.resolve("part-1.0.jar"), "META-INF/MANIFEST.MF");
    assertBreach("is empty");
  }

  @Test
  void aReleaseNeedsSignatures() throws Exception {
    assertThat(check("--release"))
        .matches(ended -> ended.exitCode == 1 && ended.out.contains("has no signature beside it"));
  }

  @Test
  void aReleaseIsNoSnapshot() throws Exception {
    write(
        part.resolve("part-1.0.pom"),
        POM.replace(
                "<artifactId>part</artifactId>",
                "<artifactId>part</artifactId><version>1.0-SNAPSHOT</version>")
            .getBytes(UTF_8));
    assertThat(check("--release"))
        .matches(ended -> ended.exitCode == 1 && ended.out.contains("is a snapshot"));
  }

  @Test
  void aFolderThatIsNotThereIsToldAsSuch() throws Exception {
    bundle = temporary.resolve("nothing");
    assertThat(check()).matches(ended -> ended.exitCode == 2 && ended.out.contains("is no folder"));
  }

  private void assertBreach(String message) throws Exception {
    Ended ended = check();
    assertThat(ended.out).contains(message);
    assertThat(ended.exitCode).isEqualTo(1);
  }

  private Ended check(String... options) throws Exception {
    Path out = temporary.resolve("out");
    ProcessBuilder process = new ProcessBuilder(SCRIPT.toString());
    process.command().addAll(List.of(options));
    process.command().add(bundle.toString());
    int exitCode = process.redirectErrorStream(true).redirectOutput(out.toFile()).start().waitFor();
    return new Ended(exitCode, Files.readString(out));
  }

  private static void jar(Path file, String entry) throws IOException, NoSuchAlgorithmException {
    try (OutputStream out = Files.newOutputStream(file);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.putNextEntry(new ZipEntry(entry));
      zip.write(1);
    }
    write(file, Files.readAllBytes(file));
  }

  /** Writes a file and its checksums. */
  private static void write(Path file, byte[] bytes) throws IOException, NoSuchAlgorithmException {
    Files.write(file, bytes);
    for (String algorithm : List.of("MD5", "SHA-1")) {
      byte[] sum = MessageDigest.getInstance(algorithm).digest(bytes);
      String suffix = "." + algorithm.replace("-", "").toLowerCase(Locale.ROOT);
      Files.writeString(
          file.resolveSibling(file.getFileName() + suffix), HexFormat.of().formatHex(sum));
    }
  }
}
