package io.howdah.cli.sim;

import static io.howdah.cli.sim.LocCells.paper;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.loc.Setting;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.Map;
import java.util.TreeMap;

/** Adds the study's figures to the metrics; the headline comes first. */
final class LocMetrics {
  private static final String THROUGHPUT = "loc.normalizedThroughput";
  private static final String RATIO = "ratio";
  private static final String MEAN = "mean";
  private static final int LATENCY_NS = 168;

  private final MetricsRun run;
  private final LocCells cells;

  private LocMetrics(MetricsRun run, LocCells cells) {
    this.run = run;
    this.cells = cells;
  }

  static void add(MetricsRun run, LocCells cells, LocStudy study) {
    LocMetrics metrics = new LocMetrics(run, cells);
    LocVariant headline = LocVariant.HEADLINE;
    for (Protocol protocol : Protocol.values()) {
      metrics.throughput(headline, paper(protocol), LATENCY_NS);
    }
    for (int degree : LocStudy.DEGREES) {
      if (degree != Protocol.DEFAULT_DEGREE) {
        metrics.throughput(headline, Setting.paper(Protocol.LOC_WAL, degree), LATENCY_NS);
      }
    }
    for (int latencyNs : LocStudy.LATENCIES_NS) {
      if (latencyNs != LATENCY_NS) {
        for (Protocol protocol : new Protocol[] {Protocol.H_WAL, Protocol.LOC_WAL}) {
          metrics.throughput(
              headline, paper(protocol).withMemory(DeviceTiming.fixed(latencyNs)), latencyNs);
        }
      }
    }
    for (DeviceTiming device : study.devices()) {
      metrics.device(device);
    }
    for (LocVariant variant : study.variants()) {
      if (!variant.equals(headline)) {
        metrics.sensitivity(variant);
      }
    }
    if (study.calibrated()) {
      for (LocVariant variant : LocStudy.calibration()) {
        metrics.protocols(variant);
      }
    }
    metrics.traffic();
    metrics.others();
    run.add(
        Metric.single(
            "loc.memoryInstructionsPerSec",
            "1/s",
            study.memoryInstructionsPerSec(),
            Map.of("runs", study.runs())));
  }

  private void throughput(LocVariant variant, Setting setting, int latencyNs) {
    Map<String, Object> params = params(setting.protocol(), setting.degree(), latencyNs);
    run.add(
        Metric.median(
            THROUGHPUT,
            RATIO,
            cells.meanSamples(variant, setting),
            with(params, "workload", MEAN)));
    for (WorkloadKind workload : cells.workloads()) {
      run.add(
          Metric.median(
              THROUGHPUT,
              RATIO,
              cells.samples(workload, variant, setting),
              with(params, "workload", workload.text())));
    }
  }

  private void device(DeviceTiming device) {
    for (Protocol protocol : new Protocol[] {Protocol.H_WAL, Protocol.LOC_WAL}) {
      run.add(
          Metric.median(
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
    for (int degree : LocStudy.DEGREES) {
      if (degree != Protocol.DEFAULT_DEGREE) {
        sensitivity(variant, Setting.paper(Protocol.LOC_WAL, degree), LATENCY_NS);
      }
    }
  }

  private void sensitivity(LocVariant variant) {
    protocols(variant);
    for (int latencyNs : LocStudy.LATENCIES_NS) {
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
    Setting on = variant.on(setting);
    run.add(
        Metric.median(
            "loc.sensitivity",
            RATIO,
            cells.meanSamples(variant, on),
            with(params, "workload", MEAN)));
    for (WorkloadKind workload : cells.workloads()) {
      run.add(
          Metric.median(
              "loc.sensitivity",
              RATIO,
              cells.samples(workload, variant, on),
              with(params, "workload", workload.text())));
    }
  }

  private void traffic() {
    Setting hardware = paper(Protocol.H_WAL);
    for (Protocol protocol : Protocol.values()) {
      Setting setting = paper(protocol);
      Map<String, Object> params = params(protocol, setting.degree(), LATENCY_NS);
      run.add(
          Metric.single(
              "loc.linesPerTransaction",
              "lines",
              cells.linesPerTransaction(LocVariant.HEADLINE, setting),
              with(params, "workload", MEAN)));
      for (WorkloadKind workload : cells.workloads()) {
        run.add(
            Metric.single(
                "loc.linesPerTransaction",
                "lines",
                cells.linesPerTransaction(workload, LocVariant.HEADLINE, setting),
                with(params, "workload", workload.text())));
      }
      if (protocol != Protocol.BASE) {
        run.add(
            Metric.single(
                "loc.writeTrafficOverhead",
                RATIO,
                cells.overDataTwice(LocVariant.HEADLINE, setting, hardware),
                with(with(params, "workload", MEAN), "over", "data written twice")));
      }
    }
  }

  private void others() {
    Setting slow = paper(Protocol.S_WAL).withSoftwareWaitNs(LocStudy.SOFTWARE_WAIT_NS);
    run.add(
        Metric.median(
            "loc.softwareWait.normalizedThroughput",
            RATIO,
            cells.meanSamples(LocVariant.HEADLINE, slow),
            Map.of("softwareWaitNanos", LocStudy.SOFTWARE_WAIT_NS, "workload", MEAN)));
    for (Protocol protocol : new Protocol[] {Protocol.H_WAL, Protocol.EC_WAL, Protocol.LOC_WAL}) {
      run.add(
          Metric.median(
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
