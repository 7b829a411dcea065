package io.howdah.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LitmusCommandTest {
  private final SimRunner command = new SimRunner();

  @TempDir private Path folder;

  @Test
  void everyTestIsAsPublished() throws IOException {
    Path json = folder.resolve("litmus.json");
    assertThat(command.run("litmus", "--json", json.toString())).isZero();
    String written = Files.readString(json);
    assertThat(SimRunner.metric(written, "litmus.tests")).isGreaterThanOrEqualTo(30);
    assertThat(SimRunner.metric(written, "litmus.mismatches")).isZero();
    assertThat(command.out()).contains("0 mismatches").doesNotContain("MISMATCH");
  }

  @Test
  void showsTheStatesOfOneTest() {
    assertThat(command.run("litmus", "--test", "commit1", "--show-states")).isZero();
    assertThat(command.out())
        .contains("nvm {data=0 commit=0} {data=42 commit=0} {data=42 commit=1}", "1 test,");
  }

  @Test
  void wrongMachineExitsWithOne() {
    assertThat(command.run("litmus", "--quirk", "flush_does_not_wait")).isOne();
    assertThat(command.out()).contains("MISMATCH");
  }

  @Test
  void runsTheTestsOfAFileAndPointsAtItsErrors() throws IOException {
    Path file = folder.resolve("mine.litmus");
    Files.writeString(file, "test mine\nsource me\nthread\nstore x 1\nnvm x\n0\n1\n");
    assertThat(command.run("litmus", "--file", file.toString())).isZero();
    assertThat(command.out()).contains("as the file says").doesNotContain("published");
    Files.writeString(file, "test mine\nsource me\nthread\nstore x\n");
    SimRunner second = new SimRunner();
    assertThat(second.run("litmus", "--file", file.toString())).isEqualTo(2);
    assertThat(second.err()).contains("mine.litmus:4: \"store\" with too many or too few words");
    SimRunner third = new SimRunner();
    assertThat(third.run("litmus", "--file", folder.resolve("none").toString())).isEqualTo(2);
    assertThat(third.err()).contains("cannot read");
  }

  @Test
  void unknownTestIsWrongUsage() {
    assertThat(command.run("litmus", "--test", "nope")).isEqualTo(2);
    assertThat(command.err()).contains("no test nope; there are SB, ");
  }
}
