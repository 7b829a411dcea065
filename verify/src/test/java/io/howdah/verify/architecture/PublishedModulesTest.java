package io.howdah.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is published is documented, listed in the BOM, and nothing else is. */
final class PublishedModulesTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern NOT_DEPLOYED =
      Pattern.compile(
          "<artifactId>maven-deploy-plugin</artifactId>\\s*<configuration>\\s*<skip>true<");
  private static final Pattern NOT_INSTALLED =
      Pattern.compile(
          "<artifactId>maven-install-plugin</artifactId>\\s*<configuration>[^/]*<skip>true<");
  private static final Pattern DEPENDENCY =
      Pattern.compile(
          "<groupId>io\\.howdah</groupId>\\s*<artifactId>([a-z0-9-]+)</artifactId>\\s*<version>\\$");

  @Test
  void theBomListsWhatIsPublished() throws IOException {
    Set<String> listed =
        DEPENDENCY
            .matcher(read("bom"))
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toSet());
    assertThat(listed).isEqualTo(published(pom -> !NOT_DEPLOYED.matcher(pom).find()));
  }

  @Test
  void theChangelogNamesWhatIsPublished() throws IOException {
    String changelog = Files.readString(ROOT.resolve("CHANGELOG.md"));
    assertThat(published(pom -> !NOT_DEPLOYED.matcher(pom).find()))
        .isNotEmpty()
        .allSatisfy(artifact -> assertThat(changelog).contains("`" + artifact + "`"));
  }

  @Test
  void whatIsPublishedHasJavadoc() throws IOException {
    assertThat(published(pom -> pom.contains("<javadoc.skip>false</javadoc.skip>")))
        .isNotEmpty()
        .isEqualTo(published(pom -> !NOT_DEPLOYED.matcher(pom).find()));
  }

  /** Maven installs an artifact's file, and ends with an error if there is none. */
  @Test
  void aModuleWithoutAJarIsNotInstalled() throws IOException {
    assertThat(published(pom -> pom.contains("<skipIfEmpty>true</skipIfEmpty>")))
        .isNotEmpty()
        .isEqualTo(published(pom -> NOT_INSTALLED.matcher(pom).find()));
  }

  @Test
  void theBomHasTheVersionOfTheRest() throws IOException {
    Pattern version = Pattern.compile("<version>([^<]+)</version>");
    Matcher ours = version.matcher(Files.readString(ROOT.resolve("pom.xml")));
    Matcher boms = version.matcher(read("bom"));
    assertThat(ours.find() && boms.find()).isTrue();
    assertThat(boms.group(1)).isEqualTo(ours.group(1));
  }

  /** Returns the artifacts of the modules whose pom is such. */
  private static Set<String> published(Predicate<String> such) throws IOException {
    Set<String> artifacts = new TreeSet<>();
    Pattern module = Pattern.compile("<module>([^<]+)</module>");
    for (String name :
        module
            .matcher(Files.readString(ROOT.resolve("pom.xml")))
            .results()
            .map(m -> m.group(1))
            .toList()) {
      String pom = read(name);
      if (!name.equals("bom") && such.test(pom)) {
        Matcher artifact = Pattern.compile("</parent>\\s*<artifactId>([^<]+)<").matcher(pom);
        assertThat(artifact.find()).as(name).isTrue();
        artifacts.add(artifact.group(1));
      }
    }
    return artifacts;
  }

  private static String read(String module) throws IOException {
    return Files.readString(ROOT.resolve(module).resolve("pom.xml"));
  }
}
