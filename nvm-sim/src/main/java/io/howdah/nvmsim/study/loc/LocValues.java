package io.howdah.nvmsim.study.loc;

import static io.howdah.nvmsim.study.loc.LocCells.paper;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.report.StudyReport;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.Map;
import java.util.TreeMap;

/** Adds the study's values to its report; the headline comes first. */
final class LocValues {
  private static final String THROUGHPUT = "loc.normalizedThroughput";
  private static final String RATIO = "ratio";
  private static final String MEAN = "mean";
  private static final int LATENCY_NS = 168;

  private final StudyReport report;
  private final LocCells cells;

  private LocValues(StudyReport report, LocCells cells) {
    this.report = report;
    this.cells = cells;
  }

  static void add(StudyReport report, LocCells cells, LocRuns runs) {
    LocValues metrics = new LocValues(report, cells);
    LocVariant headline = LocVariant.HEADLINE;
    for (Protocol protocol : Protocol.values()) {
      metrics.throughput(headline, paper(protocol), LATENCY_NS);
    }
    for (int degree : LocRuns.DEGREES) {
      if (degree != Protocol.DEFAULT_DEGREE) {
        metrics.throughput(headline, Setting.paper(Protocol.LOC_WAL, degree), LATENCY_NS);
      }
    }
    for (int latencyNs : LocRuns.LATENCIES_NS) {
      if (latencyNs != LATENCY_NS) {
        for (Protocol protocol : LocRuns.protocolsAtEveryLatency(headline)) {
          metrics.throughput(
              headline, paper(protocol).withMemory(DeviceTiming.fixed(latencyNs)), latencyNs);
        }
      }
    }
    for (DeviceTiming device : runs.devices()) {
      metrics.device(device);
    }
    for (LocVariant variant : runs.variants()) {
      if (!variant.equals(headline)) {
        metrics.sensitivity(variant);
      }
    }
    if (!runs.quick()) {
      for (LocVariant variant : LocRuns.calibration()) {
        metrics.protocols(variant);
      }
    }
    metrics.traffic();
    metrics.others();
    report.add(
        StudyValue.single(
            "loc.memoryInstructionsPerSec",
            "1/s",
            runs.memoryInstructionsPerSec(),
            Map.of("runs", runs.runs())));
  }

  private void throughput(LocVariant variant, Setting setting, int latencyNs) {
    Map<String, Object> params = params(setting.protocol(), setting.degree(), latencyNs);
    report.add(
        StudyValue.median(
            THROUGHPUT,
            RATIO,
            cells.meanSamples(variant, setting),
            with(params, "workload", MEAN)));
    for (WorkloadKind workload : cells.workloads()) {
      report.add(
          StudyValue.median(
              THROUGHPUT,
              RATIO,
              cells.samples(workload, variant, setting),
              with(params, "workload", workload.text())));
    }
  }

  private void device(DeviceTiming device) {
    for (Protocol protocol : new Protocol[] {Protocol.H_WAL, Protocol.LOC_WAL}) {
      report.add(
          StudyValue.median(
              "loc.device.normalizedThroughput",
              RATIO,
              cells.meanSamples(LocVariant.HEADLINE, paper(protocol).withMemory(device)),
              Map.of("protocol", protocol.text(), "device", device.name(), "workload", MEAN)));
    }
  }

  private void protocols(LocVariant variant) {
    for (Protocol protocol : Protocol.values()) {
      sensitivity(variant, paper(protocol), LATENCY_NS);
    }
    for (int degree : LocRuns.DEGREES) {
      if (degree != Protocol.DEFAULT_DEGREE) {
        sensitivity(variant, Setting.paper(Protocol.LOC_WAL, degree), LATENCY_NS);
      }
    }
  }

  private void sensitivity(LocVariant variant) {
    protocols(variant);
    for (int latencyNs : LocRuns.LATENCIES_NS) {
      if (latencyNs != LATENCY_NS) {
        DeviceTiming memory = DeviceTiming.fixed(latencyNs);
        sensitivity(variant, paper(Protocol.H_WAL).withMemory(memory), latencyNs);
        sensitivity(variant, paper(Protocol.LOC_WAL).withMemory(memory), latencyNs);
      }
    }
  }

  private void sensitivity(LocVariant variant, Setting setting, int latencyNs) {
    Map<String, Object> params = params(setting.protocol(), setting.degree(), latencyNs);
    params.put("cachePercent", variant.cachePercent());
    params.put("banks", variant.banks());
    params.put("homeOverlap", variant.homeOverlap());
    params.put("operations", variant.operations());
    params.put("footprintScale", variant.footprintScale());
    report.add(
        StudyValue.median(
            "loc.sensitivity",
            RATIO,
            cells.meanSamples(variant, setting),
            with(params, "workload", MEAN)));
    for (WorkloadKind workload : cells.workloads()) {
      report.add(
          StudyValue.median(
              "loc.sensitivity",
              RATIO,
              cells.samples(workload, variant, setting),
              with(params, "workload", workload.text())));
    }
  }

  private void traffic() {
    Setting hardware = paper(Protocol.H_WAL);
    for (Protocol protocol : Protocol.values()) {
      Setting setting = paper(protocol);
      Map<String, Object> params = params(protocol, setting.degree(), LATENCY_NS);
      report.add(
          StudyValue.single(
              "loc.linesPerTransaction",
              "lines",
              cells.linesPerTransaction(LocVariant.HEADLINE, setting),
              with(params, "workload", MEAN)));
      for (WorkloadKind workload : cells.workloads()) {
        report.add(
            StudyValue.single(
                "loc.linesPerTransaction",
                "lines",
                cells.linesPerTransaction(workload, LocVariant.HEADLINE, setting),
                with(params, "workload", workload.text())));
      }
      if (protocol != Protocol.BASE) {
        report.add(
            StudyValue.single(
                "loc.writeTrafficOverhead",
                RATIO,
                cells.overDataTwice(LocVariant.HEADLINE, setting, hardware),
                with(with(params, "workload", MEAN), "over", "data written twice")));
      }
    }
  }

  private void others() {
    Setting slow = paper(Protocol.S_WAL).withSoftwareWaitNs(LocRuns.SOFTWARE_WAIT_NS);
    report.add(
        StudyValue.median(
            "loc.softwareWait.normalizedThroughput",
            RATIO,
            cells.meanSamples(LocVariant.HEADLINE, slow),
            Map.of("softwareWaitNanos", LocRuns.SOFTWARE_WAIT_NS, "workload", MEAN)));
    for (Protocol protocol : new Protocol[] {Protocol.H_WAL, Protocol.EC_WAL, Protocol.LOC_WAL}) {
      report.add(
          StudyValue.median(
              "loc.wordAtomic.normalizedThroughput",
              RATIO,
              cells.meanSamples(LocVariant.HEADLINE, paper(protocol).withAtomicGroups(false)),
              Map.of("protocol", protocol.text(), "workload", MEAN)));
    }
  }

  private static Map<String, Object> params(Protocol protocol, int degree, int latencyNs) {
    Map<String, Object> params = new TreeMap<>();
    params.put("protocol", protocol.text());
    params.put("speculationDegree", degree);
    params.put("latencyNanos", latencyNs);
    return params;
  }

  private static Map<String, Object> with(Map<String, Object> params, String name, Object value) {
    Map<String, Object> more = new TreeMap<>(params);
    more.put(name, value);
    return more;
  }
}
