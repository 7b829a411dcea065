package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("scaled")
final class SpaceCommandTest {

  /** One part in so many of the operations and of the room; campaigns take all. */
  private static final int PART = Math.min(4, Integer.getInteger("howdah.stride", 4));

  @TempDir Path folder;

  private static List<Double> values(String json, String metric) {
    return Pattern.compile('"' + metric + "\",\\s*\"value\" : ([-0-9.E]+)")
        .matcher(json)
        .results()
        .map(found -> Double.valueOf(found.group(1)))
        .toList();
  }

  @Test
  void roomIsUsedAgainWhateverLengthsComeNext() throws Exception {
    StringWriter err = new StringWriter();
    Path figures = folder.resolve("space.json");
    int code =
        new CommandLine(new SpaceCommand())
            .setOut(new PrintWriter(new StringWriter(), true))
            .setErr(new PrintWriter(err, true))
            .execute(
                "--operations=" + 200_000 / PART,
                "--live-mib=" + 64 / PART,
                "--dir=" + folder.resolve("stores"),
                "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    String json = Files.readString(figures);
    assertThat(values(json, "space.utilisation")).hasSize(4).allMatch(share -> share > 0.3);
    assertThat(values(json, "space.blocksOverAsked")).hasSize(4).allMatch(ratio -> ratio < 1.2);
    assertThat(values(json, "space.freed.freeShare"))
        .singleElement(InstanceOfAssertFactories.DOUBLE)
        .as("all but the descriptors of pages")
        .isGreaterThan(0.99);
  }
}
