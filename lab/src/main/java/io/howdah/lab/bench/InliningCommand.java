package io.howdah.lab.bench;

import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.inlining.HotCall;
import io.howdah.jmh.inlining.InliningStudy;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code howdah bench inlining}: whether the hot paths compile as they were written to. */
@Command(
    name = "inlining",
    mixinStandardHelpOptions = true,
    description =
        "Runs transactions of six random words, read one by one and at once, between transactions"
            + " with many writes, and asks the just-in-time compiler by Flight Recorder which calls"
            + " it inlined. Each call on a hot path has to be inlined, each slow path has to stay a"
            + " call. Exit code 1 if one is otherwise: the path is longer then, and the processor"
            + " overlaps fewer of its cache misses.%n")
final class InliningCommand extends BenchRun {

  private static final long NEEDED_BYTES = 4L << 30;

  private final Table table =
      new Table()
          .text("path", 15)
          .text("caller", 35)
          .text("callee", 29)
          .text("has to be", 9)
          .text("is", 9);

  InliningCommand() {}

  @Override
  String commandName() {
    return "bench inlining";
  }

  @Override
  long neededBytes() {
    return NEEDED_BYTES;
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    InliningStudy.Result result = InliningStudy.run(folder, effort(), this);
    screen().line("");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    for (InliningStudy.PathResult path : result.paths()) {
      String name = path.path().name().toLowerCase(Locale.ROOT).replace('_', ' ');
      long wrong =
          path.verdicts().stream()
              .filter(verdict -> verdict.outcome() != HotCall.Outcome.AS_EXPECTED)
              .count();
      addSingle(metrics, "inlining.otherwise", "count", (double) wrong, Map.of("path", name));
      report(name, path.verdicts(), metrics);
    }
    screen().line("");
    for (InliningStudy.Body body : result.bodies()) {
      Map<String, Object> params = Map.of("method", body.name());
      addSingle(metrics, "inlining.codeBytes", "bytes", (double) body.codeBytes(), params);
      screen()
          .line(
              "  %s: %,d bytes of code, %d calls inlined"
                  .formatted(body.name(), body.codeBytes(), body.inlined()));
    }
    screen().line("");
  }

  private void report(String path, List<HotCall.Verdict> verdicts, MetricsRun metrics) {
    for (HotCall.Verdict verdict : verdicts) {
      HotCall call = verdict.call();
      boolean isAsExpected = verdict.outcome() == HotCall.Outcome.AS_EXPECTED;
      if (!isAsExpected) {
        metrics.violation(
            "%s to %s has to be %s; %s"
                .formatted(call.caller(), call.callee(), wanted(call), verdict.why()));
      }
      screen()
          .line(
              table.row(
                  path,
                  call.caller(),
                  call.callee(),
                  wanted(call),
                  isAsExpected ? wanted(call) : "otherwise: " + verdict.why()));
    }
  }

  private static String wanted(HotCall call) {
    return call.isInlined() ? "inlined" : "a call";
  }
}
