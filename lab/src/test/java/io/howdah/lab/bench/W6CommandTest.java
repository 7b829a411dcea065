package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class W6CommandTest {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new W6Command())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void everyFigureIsThere() throws Exception {
    Path figures = folder.resolve("w6.json");
    Path stores = folder.resolve("stores");
    int code =
        run(
            "--jvm=THIS",
            "--heap-mib=32",
            "--threads=1",
            "--rounds=1",
            "--round-millis=50",
            "--orec-bits=16",
            "--dir=" + stores,
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero();
    // The start script names the module peers, and no script has started this.
    assertThat(out.toString()).contains("missing: ScalaSTM: the module peers is not built");
    assertThat(FiguresOf.smallest(figures)).doesNotContainKey("baseline.scalaStm.txnPerSec");
    String json = Files.readString(figures);
    for (String metric :
        List.of(
            "baseline.rawSixWords.perSec",
            "w6.volatile.txnPerSec",
            "w6.volatile.overRaw",
            "w6.wordByWord.overBatch",
            "w6.async.txnPerSec",
            "w6.async.overVolatile",
            "w6.async.singleLogOverVolatile",
            "w6.aborts.perTxn",
            "w6.allocatedBytesPerTxn",
            "w6.cpuShare")) {
      assertThat(FiguresOf.smallest(figures)).containsKey(metric);
    }
    // A short round on a busy machine may leave a thread no time, but not all of them.
    assertThat(FiguresOf.smallest(figures))
        .allSatisfy((metric, value) -> assertThat(value).as(metric).isNotNegative());
    assertThat(FiguresOf.largest(figures))
        .hasEntrySatisfying("w6.volatile.txnPerSec", rate -> assertThat(rate).isPositive())
        .hasEntrySatisfying("w6.volatile.overRaw", ratio -> assertThat(ratio).isPositive());
    assertThat(FiguresOf.smallest(figures).get("w6.allocatedBytesPerTxn")).isLessThan(1000);
    // Another test of this JVM may have called native code, which allows it from then on.
    boolean nativeAccess = W6CommandTest.class.getModule().isNativeAccessEnabled();
    assertThat(json).contains("\"nativeAccess\" : " + nativeAccess, "\"path\" : \"primitive\"");
    assertThat(json).contains("\"orecs\" : 65536");
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThat(run("--jvm=THIS", "--orec-bits=5", "--dir=" + folder.resolve("a"))).isEqualTo(2);
    assertThat(run("--jvm=THIS", "--threads=0", "--dir=" + folder.resolve("b"))).isEqualTo(2);
    assertThat(run("--jvm=SOME", "--dir=" + folder.resolve("c"))).isEqualTo(2);
  }
}
