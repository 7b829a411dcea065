package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.timing.DeviceTiming;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A machine and a load of one's own for the protocols of Loose-Ordering Consistency.
 *
 * @param banks of the memory, a power of two, 1 to 1024
 * @param latencyNs of every memory access, 1 to 1000000
 * @param operations per transaction, 1 to 4096
 * @param footprint data of the workloads in multiples of 768 KB, 1 to 256
 * @param degree transactions per speculation window, 1 to 32
 * @param cachePercent size of the caches: 25, 50, 100, 200, 400, 800 or 1600
 */
public record LocMachine(
    int banks, int latencyNs, int operations, int footprint, int degree, int cachePercent) {
  /** The machine and the load of the headline figures. */
  public static final LocMachine HEADLINE =
      new LocMachine(
          DeviceTiming.LOC_BANKS, 168, LocVariant.OPERATIONS, 1, Protocol.DEFAULT_DEGREE, 100);

  private static final int MAX_OPERATIONS = 4096;
  private static final int MAX_FOOTPRINT = 256;
  private static final int MAX_DEGREE = 32;

  public LocMachine {
    check("operations", operations, MAX_OPERATIONS);
    check("footprint", footprint, MAX_FOOTPRINT);
    check("degree", degree, MAX_DEGREE);
    setting(Protocol.BASE, banks, latencyNs, degree, cachePercent);
  }

  private static void check(String what, int value, int max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(what + " must be 1 to " + max + ": " + value);
    }
  }

  private static Setting setting(
      Protocol protocol, int banks, int latencyNs, int degree, int cachePercent) {
    return Setting.paper(protocol, protocol.speculative() ? degree : 1)
        .withMemory(DeviceTiming.fixed(latencyNs, banks))
        .withCachePercent(cachePercent);
  }

  /** The setting of a protocol on this machine. */
  public Setting setting(Protocol protocol) {
    return setting(protocol, banks, latencyNs, degree, cachePercent);
  }

  /** What the machine and the load are, as the params of a value; without the degree. */
  public Map<String, Object> params() {
    Map<String, Object> params = new TreeMap<>();
    params.put("banks", banks);
    params.put("latencyNanos", latencyNs);
    params.put("cachePercent", cachePercent);
    params.put("operations", operations);
    params.put("footprintScale", footprint);
    return params;
  }

  /** The machine and the transactions in one line, without the data. */
  String describe() {
    return String.format(
        Locale.ROOT,
        "%d %s of %d ns, caches at %d %%, %d %s per transaction, windows of %d",
        banks,
        banks == 1 ? "bank" : "banks",
        latencyNs,
        cachePercent,
        operations,
        operations == 1 ? "operation" : "operations",
        degree);
  }
}
