package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.loc.CoreConfig;
import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.timing.HierarchyGeometry;
import io.howdah.nvmsim.workload.AccessTrace;

/**
 * One run of the comparison: everything but the trace.
 *
 * @param protocol what runs
 * @param degree transactions in a speculation window, for protocols that have one
 * @param memory the device
 * @param cachePercent of the caches' usual sizes: 50, 100 or 200
 * @param softwareWaitNs cost of write-back and fence instructions besides the waiting
 * @param atomicGroups whether a block group becomes durable as a whole
 * @param homeOverlap whether home writes go on beside the next window, see {@link CoreConfig}
 */
public record Setting(
    Protocol protocol,
    int degree,
    DeviceTiming memory,
    int cachePercent,
    int softwareWaitNs,
    boolean atomicGroups,
    boolean homeOverlap) {

  private static final int MAX_CACHE_PERCENT = 1600;

  public Setting {
    if (cachePercent < 25
        || cachePercent > MAX_CACHE_PERCENT
        || Integer.bitCount(cachePercent / 25) != 1
        || cachePercent % 25 != 0) {
      throw new IllegalArgumentException(
          "caches must be 25, 50, 100 ... " + MAX_CACHE_PERCENT + " percent: " + cachePercent);
    }
  }

  /** The paper's default machine. */
  public static Setting paper(Protocol protocol, int degree) {
    return new Setting(protocol, degree, DeviceTiming.fixed(168), 100, 0, true, false);
  }

  public Setting withMemory(DeviceTiming other) {
    return new Setting(
        protocol, degree, other, cachePercent, softwareWaitNs, atomicGroups, homeOverlap);
  }

  public Setting withCachePercent(int percent) {
    return new Setting(
        protocol, degree, memory, percent, softwareWaitNs, atomicGroups, homeOverlap);
  }

  public Setting withSoftwareWaitNs(int waitNs) {
    return new Setting(protocol, degree, memory, cachePercent, waitNs, atomicGroups, homeOverlap);
  }

  public Setting withAtomicGroups(boolean atomic) {
    return new Setting(protocol, degree, memory, cachePercent, softwareWaitNs, atomic, homeOverlap);
  }

  public Setting withHomeOverlap(boolean overlap) {
    return new Setting(
        protocol, degree, memory, cachePercent, softwareWaitNs, atomicGroups, overlap);
  }

  /** What throughput is compared with: Base on the same machine. */
  public Setting base() {
    return new Setting(Protocol.BASE, 1, memory, cachePercent, 0, true, homeOverlap);
  }

  /** The machine, for data of this many lines. */
  public CoreConfig config(long homeLines) {
    return CoreConfig.paper(homeLines)
        .withCaches(HierarchyGeometry.loc().scaled(cachePercent, 100))
        .withMemory(memory)
        .withSoftwareWaitNs(softwareWaitNs)
        .withAtomicGroups(atomicGroups)
        .withHomeOverlap(homeOverlap);
  }

  /** Runs a trace. */
  public TraceRun run(AccessTrace trace) {
    return TraceRun.of(trace, protocol.newCore(config(trace.lines()), degree, null));
  }
}
