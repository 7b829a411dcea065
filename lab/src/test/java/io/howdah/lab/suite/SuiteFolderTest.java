package io.howdah.lab.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder in which memcached's test suite runs, with a suite of our own. */
final class SuiteFolderTest {

  @TempDir Path folder;

  @BeforeEach
  void makeSuite() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/perl")), "there is no Perl");
    Files.createDirectories(folder.resolve("suite/t/lib"));
    Files.createDirectories(folder.resolve("scratch"));
  }

  private SuiteResult run(String perl) throws IOException, InterruptedException {
    Files.writeString(folder.resolve("suite/t/file.t"), perl);
    SuiteFolder suite =
        new SuiteFolder(
            folder.resolve("scratch"), folder.resolve("suite"), List.of("/bin/echo", "it's"));
    return suite.run("file");
  }

  @Test
  void theSuiteFindsAServerThatTakesItsOptions() throws Exception {
    SuiteResult result =
        run(
            """
            my $got = `./timedrun 600 ./memcached-debug -p 5 -u root -U 7 -o x,y -A -m 3`;
            my $as = qr{^it's \\S+/stores/\\S+ -o debug_time -p 5 -o x,y -A -m 3$};
            print $got =~ $as ? "ok 1\\n" : "not ok 1\\n# $got";
            my $warm = `./timedrun 600 ./memcached-debug -e /tmp/file -p 5`;
            print $warm =~ m{^it's /tmp/file.howdah -o debug_time -p 5$} ? "ok 2\\n" : "not ok 2\\n";
            my $help = `./memcached-debug -h`;
            print $help =~ /unix-socket/ ? "ok 3\\n" : "not ok 3\\n";
            print $help !~ /ext_path|sasl|enable-ssl|proxy_config/ ? "ok 4\\n" : "not ok 4\\n";
            """);
    assertThat(result.problems()).isEmpty();
    assertThat(result.failed()).isZero();
    assertThat(result.passed()).isEqualTo(4);
    assertThat(result.isGreen()).isTrue();
  }

  @Test
  void aFileIsRedIfACheckFailsOrPerlDoes() throws Exception {
    SuiteResult failed =
        run("print \"ok 1\\nnot ok 2\\nnot ok 3 # TODO later\\n\"; print STDERR \"why\\n\";");
    assertThat(failed.passed()).isEqualTo(1);
    assertThat(failed.failed()).isEqualTo(1);
    assertThat(failed.problems()).containsExactly("why");
    assertThat(failed.isGreen()).isFalse();
    assertThat(new SuiteResult(1, 0, 2, List.of()).isGreen()).isFalse();
  }

  @Test
  void everyFileHasATierAndWhatIsNotRunAReason() {
    List<SuiteFile> files = SuiteFile.all();
    assertThat(files).extracting(SuiteFile::name).doesNotHaveDuplicates().contains("metaget");
    assertThat(files)
        .filteredOn(file -> file.tier() == SuiteFile.NOT_RUN)
        .allSatisfy(file -> assertThat(file.reason()).isNotEmpty());
    assertThat(files)
        .filteredOn(file -> file.tier() == 1)
        .allSatisfy(file -> assertThat(file.reason()).isEmpty());
  }

  @Test
  void theDocumentCountsTheFiles() throws IOException {
    String document = Files.readString(Path.of("..", "docs", "server-suite.md"));
    for (int tier = 1; tier <= SuiteFile.NOT_RUN; tier++) {
      int wanted = tier;
      List<SuiteFile> files =
          SuiteFile.all().stream().filter(file -> file.tier() == wanted).toList();
      long green = files.stream().filter(file -> file.reason().isEmpty()).count();
      assertThat(document)
          .containsPattern(
              "\\| "
                  + tier
                  + " \\| [^|]+ \\| "
                  + files.size()
                  + " \\| "
                  + (tier == SuiteFile.NOT_RUN ? "not run" : green)
                  + " \\|");
    }
  }

  @Test
  void theDocumentHasEveryFileThatIsNotToBeGreen() throws IOException {
    String document = Files.readString(Path.of("..", "docs", "server-suite.md"));
    assertThat(SuiteFile.all())
        .filteredOn(file -> !file.reason().isEmpty())
        .allSatisfy(file -> assertThat(document).contains("`" + file.name() + "`", file.reason()));
  }
}
