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
import java.util.Optional;

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
      written(mode);
      hashedBanks(mode);
      keyValue(mode);
      means(mode);
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

  private static String number(String format, Optional<StudyValue> value) {
    return value.map(one -> String.format(Locale.ROOT, format, one.value())).orElse("-");
  }

  private void micro(Mode mode) {
    report.title("Figures 7 and 8, mode " + mode.text());
    report.line(
        "%-10s %-11s %7s %7s %8s %7s %8s %9s %9s %9s %7s",
        "workload",
        "system",
        "time",
        "paper",
        "waiting",
        "paper",
        "CPU MB",
        "ckpt MB",
        "migr MB",
        "tables MB",
        "epochs");
    for (MicroBenchmark micro : MicroBenchmark.values()) {
      for (SystemKind system : SystemKind.values()) {
        String workload = micro.text();
        Optional<StudyValue> time = result.micro("thynvm.overIdealDram", mode, workload, system);
        Optional<StudyValue> share = result.micro("thynvm.checkpointShare", mode, workload, system);
        report.line(
            "%-10s %-11s %7s %7s %8s %7s %8s %9s %9s %9s %7s",
            micro.text(),
            system.text(),
            number("%.3f", time),
            published("%.3f", 1, time),
            percent(share),
            published("%.1f %%", 100, share),
            number("%.0f", result.megabytes(mode, workload, system, "cpu")),
            number("%.0f", result.megabytes(mode, workload, system, "checkpoint")),
            number("%.0f", result.megabytes(mode, workload, system, "migration")),
            number("%.0f", result.megabytes(mode, workload, system, "tables")),
            number("%.0f", result.micro("thynvm.epochs", mode, workload, system)));
      }
    }
    for (MicroBenchmark micro : MicroBenchmark.values()) {
      report.line(
          "ThyNVM's waits, %s: to begin a checkpoint %s, for one in progress %s",
          micro.text(),
          percent(result.micro("thynvm.stall.begin", mode, micro.text(), SystemKind.THYNVM)),
          percent(result.micro("thynvm.stall.wait", mode, micro.text(), SystemKind.THYNVM)));
    }
    report.line("tables: %s bytes (paper: about 37 KB)", number("%.0f", result.metadata(mode)));
    report.line("The authors' program does not count the tables as writes, so no figure does.");
  }

  /** The bars of Figure 8 beside ours, and what of them is missing. */
  private void written(Mode mode) {
    report.title("Figure 8, mode " + mode.text() + ": MB written (published), and our share of it");
    for (MicroBenchmark micro : MicroBenchmark.values()) {
      for (SystemKind system : List.of(SystemKind.JOURNAL, SystemKind.SHADOW, SystemKind.THYNVM)) {
        StringBuilder row = new StringBuilder();
        for (String source : List.of("cpu", "checkpoint", "migration", "total")) {
          Optional<StudyValue> value = result.megabytes(mode, micro.text(), system, source);
          row.append(
              String.format(
                  Locale.ROOT,
                  "%s %s (%s)  ",
                  source,
                  number("%.0f", value),
                  published("%.0f", 1, value)));
        }
        String share =
            result
                .megabytes(mode, micro.text(), system, "total")
                .filter(StudyValue::isPublished)
                .map(one -> String.format(Locale.ROOT, "%.2f", one.value() / one.published()))
                .orElse("-");
        report.line("%-10s %-8s %sshare %s", micro.text(), system.text(), row, share);
      }
    }
  }

  private void hashedBanks(Mode mode) {
    report.title("Sensitivity, mode " + mode.text() + ": banks hashed by XOR of the row's bits");
    for (MicroBenchmark micro : MicroBenchmark.values()) {
      StringBuilder row = new StringBuilder();
      for (SystemKind system : SystemKind.values()) {
        Optional<StudyValue> time =
            result.micro("thynvm.hashedBanks.overIdealDram", mode, micro.text(), system);
        row.append(
            String.format(
                Locale.ROOT,
                "%s %s (%s)  ",
                system.text(),
                number("%.3f", time),
                published("%.3f", 1, time)));
      }
      report.line("%-10s %s", micro.text(), row);
    }
  }

  /** What the text prints of Figures 9 and 10, both structures. */
  private void means(Mode mode) {
    for (Structure structure : Structure.values()) {
      StringBuilder row = new StringBuilder();
      mean(row, "over Ideal DRAM", result.mean("thynvm.kvMean.overIdealDram", mode, structure));
      mean(row, "over Journal", result.mean("thynvm.kvMean.overJournal", mode, structure));
      mean(row, "over Shadow", result.mean("thynvm.kvMean.overShadow", mode, structure));
      mean(
          row,
          "writes over Shadow's",
          result.mean("thynvm.kvMean.writesOverShadow", mode, structure));
      mean(
          row,
          "Journal's writes over ThyNVM's",
          result.mean("thynvm.kvMean.writesOfJournalOverThyNvm", mode, structure));
      if (!row.isEmpty()) {
        report.line("%-7s means of ThyNVM (paper): %s", structure.text(), row);
      }
    }
  }

  private static void mean(StringBuilder row, String what, Optional<StudyValue> value) {
    value.ifPresent(
        _ ->
            row.append(
                String.format(
                    Locale.ROOT,
                    "%s %s (%s)  ",
                    what,
                    number("%.3f", value),
                    published("%.3f", 1, value))));
  }

  private static String percent(Optional<StudyValue> value) {
    return value.map(one -> String.format(Locale.ROOT, "%.1f %%", 100 * one.value())).orElse("-");
  }

  private static String published(String format, double factor, Optional<StudyValue> value) {
    return value
        .filter(StudyValue::isPublished)
        .map(one -> String.format(Locale.ROOT, format, factor * one.published()))
        .orElse("-");
  }

  private void keyValue(Mode mode) {
    report.title(
        "Figures 9 and 10, mode " + mode.text() + ": throughput over Ideal DRAM, NVM MB/s");
    for (Structure structure : Structure.values()) {
      for (int bytes : ThyNvmRuns.REQUEST_BYTES) {
        StringBuilder row = new StringBuilder();
        boolean found = false;
        for (SystemKind system : SystemKind.values()) {
          Optional<StudyValue> throughput =
              result.keyValue("thynvm.kvThroughput", mode, structure, bytes, system);
          Optional<StudyValue> overDram =
              result.keyValue("thynvm.kvOverIdealDram", mode, structure, bytes, system);
          if (system == SystemKind.IDEAL_DRAM) {
            row.append(number("%8.0f req/s", throughput));
            found = throughput.isPresent();
          } else {
            row.append("  ").append(system.text()).append(' ');
            row.append(number("%.3f", overDram));
            row.append(" (").append(published("%.3f", 1, overDram));
            row.append(") ")
                .append(
                    number(
                        "%.0f",
                        result.keyValue(
                            "thynvm.nvmWriteMBPerSec", mode, structure, bytes, system)));
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
              result.micro("thynvm.ipcOverIdealDram", mode, kernel.text(), SystemKind.IDEAL_NVM)),
          number(
              "%.3f",
              result.micro("thynvm.ipcOverIdealDram", mode, kernel.text(), SystemKind.THYNVM)));
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
        row.append(bytes).append(" B: ");
        row.append(number("%.0f req/s, ", result.sweep("thynvm.bttSweep", mode, entries, bytes)));
        row.append(
            number("%.1f MB, ", result.sweep("thynvm.bttSweep.nvmWriteMB", mode, entries, bytes)));
        row.append(
            number(
                "and %.1f of tables   ",
                result.sweep("thynvm.bttSweep.tableMB", mode, entries, bytes)));
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
        String workload = micro.text();
        row.append(micro.text()).append(' ');
        row.append(
                number(
                    "%.3f", result.variant("thynvm.variant.overIdealDram", mode, name, workload)))
            .append(' ');
        row.append(percent(result.variant("thynvm.variant.checkpointShare", mode, name, workload)))
            .append(' ');
        row.append(
            number("%.0f MB  ", result.variant("thynvm.variant.nvmWriteMB", mode, name, workload)));
      }
      report.line("%-32s %s", name, row);
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
        "instructions of a request and of a word of its value: %d and %d, chosen by Ideal DRAM"
            + " alone",
        KeyValueProgram.REQUEST_INSTRUCTIONS, KeyValueProgram.WORD_INSTRUCTIONS);
    report.line(
        "cycles of an instruction: %d, its fetch through L1 (4 cycles) and one more",
        Core.CYCLES_PER_INSTRUCTION);
    report.line("a block that the controller moves: 40 ns of its bank, or of the core if it waits");
    report.line("written rows are written back when their bank idles, so reads find clean rows");
    report.line("a read pauses a write of its bank");
    report.line("the tables' backup takes a word of 8 bytes per entry; the core waits for it");
    report.line("a page without a store in an epoch stays in DRAM unless the PTT runs short");
    report.line("the write queue holds 256 row misses per bank");
    report.line("Journal and Shadow flush the caches into the same checkpoint, in mode paper");
    report.line("an epoch ends while the BTT can take every changed line of the caches");
  }

  private void discrepancies() {
    report.discrepancies(Discrepancy.thynvm());
    report.line(
        "Figures in the model's column are of BTT 2048, PTT 4096, epochs of 10 ms, scale 1 and seed"
            + " 1, whatever was run here.");
    report.line("");
  }
}
