package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.crash.thynvm.CrashChecks;
import io.howdah.nvmsim.crash.thynvm.CrashResult;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.report.Discrepancy;
import io.howdah.nvmsim.study.report.StudyReport;
import io.howdah.nvmsim.thynvm.system.Core;
import io.howdah.nvmsim.thynvm.workload.Kernel;
import io.howdah.nvmsim.thynvm.workload.MicroBenchmark;
import io.howdah.nvmsim.workload.KeyValueProgram;
import io.howdah.nvmsim.workload.KeyValueProgram.Structure;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A study for a person to read. */
final class ThyNvmReport {
  private final ThyNvmResult result;
  private final StudyReport report;

  ThyNvmReport(ThyNvmResult result, StudyReport report) {
    this.result = result;
    this.report = report;
  }

  void all(CrashChecks crash) {
    for (Mode mode : result.plan().modes()) {
      micro(mode);
      keyValue(mode);
      kernels(mode);
      sweep(mode);
      variants(mode);
      gates(mode);
    }
    counts();
    crash(crash);
    knobs();
    discrepancies();
    report.line(
        "%.1f M memory instructions and %.1f M requests beyond the caches per second and core",
        result.accessesPerSec() / 1e6, result.requestsPerSec() / 1e6);
  }

  private String number(String format, String name, Object... params) {
    double value = result.value(name, params);
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
  }

  private void micro(Mode mode) {
    report.title("Figures 7 and 8, mode " + mode.text());
    report.line(
        "%-10s %-11s %7s %7s %8s %7s %8s %9s %9s %7s",
        "workload",
        "system",
        "time",
        "paper",
        "waiting",
        "paper",
        "CPU MB",
        "ckpt MB",
        "migr MB",
        "epochs");
    for (MicroBenchmark micro : MicroBenchmark.values()) {
      for (SystemKind system : SystemKind.values()) {
        Object[] where = {"mode", mode.text(), "workload", micro.text(), "system", system.text()};
        report.line(
            "%-10s %-11s %7s %7s %8s %7s %8s %9s %9s %7s",
            micro.text(),
            system.text(),
            number("%.3f", "thynvm.overIdealDram", where),
            published("%.3f", 1, "thynvm.overIdealDram", where),
            percent("thynvm.checkpointShare", where),
            published("%.1f %%", 100, "thynvm.checkpointShare", where),
            megabytes("cpu", where),
            megabytes("checkpoint", where),
            megabytes("migration", where),
            number("%.0f", "thynvm.epochs", where));
      }
    }
    for (MicroBenchmark micro : MicroBenchmark.values()) {
      Object[] where = {"mode", mode.text(), "workload", micro.text(), "system", "ThyNVM"};
      report.line(
          "ThyNVM's waits, %s: to begin a checkpoint %s, for one in progress %s",
          micro.text(), percent("thynvm.stall.begin", where), percent("thynvm.stall.wait", where));
    }
    report.line(
        "tables: %s bytes (paper: about 37 KB)",
        number("%.0f", "thynvm.metadataBytes", "mode", mode.text()));
  }

  private String percent(String name, Object... params) {
    double value = result.value(name, params);
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * value);
  }

  private String published(String format, double factor, String name, Object... params) {
    return result
        .find(name, params)
        .filter(StudyValue::isPublished)
        .map(figure -> String.format(Locale.ROOT, format, factor * figure.published()))
        .orElse("-");
  }

  private String megabytes(String source, Object... where) {
    Object[] all = Arrays.copyOf(where, where.length + 2);
    all[where.length] = "source";
    all[where.length + 1] = source;
    return number("%.0f", "thynvm.nvmWriteMB", all);
  }

  private void keyValue(Mode mode) {
    report.title(
        "Figures 9 and 10, mode " + mode.text() + ": throughput over Ideal DRAM, NVM MB/s");
    for (Structure structure : Structure.values()) {
      for (int bytes : ThyNvmRuns.REQUEST_BYTES) {
        StringBuilder row = new StringBuilder();
        boolean found = false;
        for (SystemKind system : SystemKind.values()) {
          Object[] where = {
            "mode",
            mode.text(),
            "structure",
            structure.text(),
            "requestBytes",
            bytes,
            "system",
            system.text()
          };
          if (system == SystemKind.IDEAL_DRAM) {
            row.append(number("%8.0f req/s", "thynvm.kvThroughput", where));
            found = result.find("thynvm.kvThroughput", where).isPresent();
          } else {
            row.append("  ").append(system.text()).append(' ');
            row.append(number("%.3f", "thynvm.kvOverIdealDram", where));
            row.append(" (").append(published("%.3f", 1, "thynvm.kvOverIdealDram", where));
            row.append(") ").append(number("%.0f", "thynvm.nvmWriteMBPerSec", where));
          }
        }
        if (found) {
          report.line("%-7s %5d B %s", structure.text(), bytes, row);
        }
      }
    }
  }

  private void kernels(Mode mode) {
    report.title("Figure 11, mode " + mode.text() + ": IPC over Ideal DRAM's, stand-ins for SPEC");
    for (Kernel kernel : Kernel.values()) {
      report.line(
          "%-8s Ideal NVM %s  ThyNVM %s",
          kernel.text(),
          number(
              "%.3f",
              "thynvm.ipcOverIdealDram",
              "mode",
              mode.text(),
              "workload",
              kernel.text(),
              "system",
              "Ideal NVM"),
          number(
              "%.3f",
              "thynvm.ipcOverIdealDram",
              "mode",
              mode.text(),
              "workload",
              kernel.text(),
              "system",
              "ThyNVM"));
    }
  }

  private void sweep(Mode mode) {
    if (result.plan().quick()) {
      return;
    }
    report.title("Figure 12, mode " + mode.text() + ": BTT entries, hash");
    for (int entries : ThyNvmRuns.BTT_SWEEP) {
      StringBuilder row = new StringBuilder();
      for (int bytes : new int[] {64, 1024}) {
        Object[] where = {"mode", mode.text(), "btt", entries, "requestBytes", bytes};
        row.append(bytes).append(" B: ");
        row.append(number("%.0f req/s, ", "thynvm.bttSweep", where));
        row.append(number("%.1f MB   ", "thynvm.bttSweep.nvmWriteMB", where));
      }
      report.line("%5d   %s", entries, row);
    }
  }

  private void variants(Mode mode) {
    if (mode != Mode.PAPER || result.plan().quick()) {
      return;
    }
    report.title("Ablations, and one scheme alone: time over Ideal DRAM, waiting, NVM MB");
    for (String name : ThyNvmRuns.variants(result.plan().setting(mode)).keySet()) {
      StringBuilder row = new StringBuilder();
      for (MicroBenchmark micro : MicroBenchmark.values()) {
        Object[] where = {"mode", mode.text(), "variant", name, "workload", micro.text()};
        row.append(micro.text()).append(' ');
        row.append(number("%.3f", "thynvm.variant.overIdealDram", where)).append(' ');
        row.append(percent("thynvm.variant.checkpointShare", where)).append(' ');
        row.append(number("%.0f MB  ", "thynvm.variant.nvmWriteMB", where));
      }
      report.line("%-17s %s", name, row);
    }
  }

  private void gates(Mode mode) {
    report.title("Demands on the model, mode " + mode.text());
    int met = 0;
    List<ThyNvmGates.Gate> gates = ThyNvmGates.check(result, mode);
    for (ThyNvmGates.Gate gate : gates) {
      met += gate.holds() ? 1 : 0;
    }
    report.line("%d of %d are met. Missed:", met, gates.size());
    gates.stream()
        .filter(gate -> !gate.holds())
        .forEach(gate -> report.line("  %s: %s", gate.demand(), gate.found()));
  }

  private void counts() {
    report.title("Counts of the authors' controller: 2,000,000 stores, ours and theirs");
    count("random", ExactCounts.Pattern.RANDOM, 0, new long[] {975, 0, 1_992_246, 0, 0});
    count(
        "random",
        ExactCounts.Pattern.RANDOM,
        1000,
        new long[] {975, 0, 1_993_625, 972_220, 973_599});
    count(
        "streaming",
        ExactCounts.Pattern.STREAMING,
        1000,
        new long[] {976, 31_232, 1_998_848, 0, 5_718_016});
  }

  private void count(String name, ExactCounts.Pattern pattern, long overlap, long[] theirs) {
    ExactCounts.Counts ours = ExactCounts.published(pattern, overlap).run();
    long[] found = {
      ours.epochs(), ours.pagesToDram(), ours.copies(), ours.swaps(), ours.checkpointBlocks()
    };
    boolean same = Arrays.equals(found, theirs);
    report.line(
        "%-10s overlap %4d: epochs, pages to DRAM, copies, swaps, checkpoint blocks %s%s",
        name,
        overlap,
        Arrays.toString(found),
        same ? ", the same" : ", theirs " + Arrays.toString(theirs));
    if (!same) {
      report.violation("counts of " + name + " with overlap " + overlap + " differ");
    }
  }

  private void crash(CrashChecks crash) {
    report.title("Power cuts");
    crash("after every event", crash.small());
    crash("at samples", crash.medium());
    report.line("planted mistakes found: %d of %d", crash.caught(), crash.planted());
    crash.missed().forEach(mistake -> report.violation("planted mistake not found: " + mistake));
  }

  private void crash(String what, CrashResult found) {
    report.line(
        "%s: %d points, %d states recovered, %d again after a cut recovery, %d violations",
        what, found.points(), found.states(), found.cutRecoveries(), found.violations().size());
    found.violations().forEach(report::violation);
  }

  private void knobs() {
    report.title("What the paper leaves open, and what we put there");
    report.line(
        "instructions of a random number and of a round: %d and %d, chosen by Ideal NVM alone",
        MicroBenchmark.RANDOM_INSTRUCTIONS, MicroBenchmark.LOOP_INSTRUCTIONS);
    report.line(
        "instructions of a request and of a word of its value: %d and %d, chosen by Ideal DRAM alone",
        KeyValueProgram.REQUEST_INSTRUCTIONS, KeyValueProgram.WORD_INSTRUCTIONS);
    report.line(
        "cycles of an instruction: %d, its fetch through L1 (4 cycles) and one more",
        Core.CYCLES_PER_INSTRUCTION);
    report.line("a block that the controller moves: 40 ns of its bank, or of the core if it waits");
    report.line("written rows are written back when their bank idles, so reads find clean rows");
    report.line("the write queue holds 256 row misses per bank");
    report.line("Journal and Shadow flush the caches into the same checkpoint, in mode paper");
    report.line("pages leave DRAM only when the PTT runs short of a sixteenth of its entries");
  }

  private void discrepancies() {
    report.discrepancies(Discrepancy.thynvm());
    report.line("");
  }
}
