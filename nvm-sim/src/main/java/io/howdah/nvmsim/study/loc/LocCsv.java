package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.loc.Traffic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Writes every run of the study as CSV. */
final class LocCsv {
  private LocCsv() {}

  static void write(Path folder, LocCells cells) throws IOException {
    StringBuilder csv =
        new StringBuilder(
            "workload,operations,footprintScale,seed,protocol,speculationDegree,memory,banks,homeOverlap,cachePercent,softwareWaitNanos,atomicGroups,transactions,timePs,normalizedThroughput,logBlocks,logLines,homeWrites,evictions,coalesced,overflows,waits,waitPs\n");
    cells.forEach(
        (trace, setting) -> {
          TraceRun run = cells.run(trace, setting);
          Setting s = setting;
          Traffic t = run.traffic();
          csv.append(
              String.format(
                  Locale.ROOT,
                  "%s,%d,%d,%d,%s,%d,%s,%d,%b,%d,%d,%b,%d,%d,%.6f,%d,%d,%d,%d,%d,%d,%d,%d%n",
                  trace.workload().text(),
                  trace.operations(),
                  trace.footprintScale(),
                  trace.seed(),
                  s.protocol().text(),
                  s.degree(),
                  s.memory().name(),
                  s.memory().banks(),
                  s.homeOverlap(),
                  s.cachePercent(),
                  s.softwareWaitNs(),
                  s.atomicGroups(),
                  run.transactions(),
                  run.timePs(),
                  cells.normalized(trace, setting),
                  t.logBlocks(),
                  t.logLines(),
                  t.homeWrites(),
                  t.evictions(),
                  t.coalesced(),
                  t.overflows(),
                  t.waits(),
                  t.waitPs()));
        });
    Files.writeString(folder.resolve("loc.csv"), csv);
  }
}
