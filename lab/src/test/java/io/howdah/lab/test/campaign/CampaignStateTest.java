package io.howdah.lab.test.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.lab.test.TestCommand;
import io.howdah.lab.test.campaign.CampaignState.Done;
import io.howdah.lab.test.campaign.CampaignState.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Campaigns go on where they were ended, and consist of commands that there are. */
final class CampaignStateTest {

  private static final Done PASSED = new Done(Result.PASSED, 3.5, "");

  @TempDir private Path folder;

  private CampaignState open(@Nullable Long seed, double seconds) throws Exception {
    return CampaignState.open(folder.resolve("state"), seed, 7, seconds, 2);
  }

  @Test
  void whatIsDoneIsNotDoneAgain() throws Exception {
    open(null, 60).done("kill", new Done(Result.VIOLATION, 1, "two\tlines\nof text"));
    CampaignState again = open(null, 60);
    assertThat(again.seed()).isEqualTo(7);
    assertThat(again.done("kill")).contains(new Done(Result.VIOLATION, 1, "two lines"));
    assertThat(again.done("power")).isEmpty();
  }

  @Test
  void anotherSeedAnotherTimeAndACompleteRunBeginAnew() throws Exception {
    open(null, 60).done("kill", PASSED);
    assertThat(open(8L, 60).done("kill")).isEmpty();
    open(8L, 60).done("kill", PASSED);
    assertThat(open(8L, 61).done("kill")).isEmpty();
    CampaignState all = open(8L, 61);
    all.done("kill", PASSED);
    all.done("power", PASSED);
    assertThat(open(8L, 61).done("kill")).isEmpty();
  }

  @Test
  void aFileOfSomethingElseCountsAsNone() throws Exception {
    Files.writeString(folder.resolve("state"), "something else\n");
    assertThat(open(null, 60).seed()).isEqualTo(7);
  }

  /** The command line of each part is parsed by the command that it names. */
  @ParameterizedTest
  @ValueSource(ints = {3600, 12 * 3600})
  void everyPartIsACommand(int seconds) {
    List<CampaignPart> parts = CampaignParts.of(1, seconds, Path.of(".."), folder);
    assertThat(parts).hasSizeGreaterThan(15);
    assertThat(parts.stream().mapToLong(CampaignPart::seconds).sum())
        .isBetween(seconds - 100L, seconds + 100L);
    assertThat(parts)
        .filteredOn(part -> part.name().equals("units"))
        .singleElement()
        .extracting(part -> part.whyNot().isEmpty())
        .isEqualTo(seconds > 3600);
    CommandLine line = new CommandLine(new TestCommand());
    for (CampaignPart part : parts) {
      if (part.whyNot().isEmpty()) {
        assertThat(part.arguments().getFirst()).isEqualTo("test");
        List<String> words = part.arguments().subList(1, part.arguments().size());
        String[] arguments = words.toArray(String[]::new);
        assertThat(line.parseArgs(arguments).hasSubcommand()).as(part.name()).isTrue();
      }
    }
  }
}
