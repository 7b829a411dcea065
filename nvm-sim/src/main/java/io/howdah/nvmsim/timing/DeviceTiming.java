package io.howdah.nvmsim.timing;

import java.util.List;

/**
 * Latencies and shape of a memory device.
 *
 * @param name of the preset
 * @param banks that work independently, a power of two
 * @param rowLines lines of a bank's open row, 0 for a device without rows
 * @param rowHitNs a read or write in the open row
 * @param readNs a read elsewhere
 * @param writeNs a write elsewhere
 * @param dirtyRowNs added when the row to be closed was written
 * @param busNs one line on the bus
 * @param writeQueueLines writes that wait or are under way
 */
public record DeviceTiming(
    String name,
    int banks,
    int rowLines,
    int rowHitNs,
    int readNs,
    int writeNs,
    int dirtyRowNs,
    int busNs,
    int writeQueueLines) {
  private static final int MAX_BANKS = 1024;
  private static final int MAX_LATENCY_NS = 1_000_000;
  private static final int MAX_QUEUE = 4096;

  public DeviceTiming {
    check("banks", banks, 1, MAX_BANKS);
    if (Integer.bitCount(banks) != 1) {
      throw new IllegalArgumentException("banks must be a power of two: " + banks);
    }
    check("row lines", rowLines, 0, 1 << 20);
    check("row hit ns", rowHitNs, 1, MAX_LATENCY_NS);
    check("read ns", readNs, 1, MAX_LATENCY_NS);
    check("write ns", writeNs, 1, MAX_LATENCY_NS);
    check("dirty row ns", dirtyRowNs, 0, MAX_LATENCY_NS);
    check("bus ns", busNs, 0, MAX_LATENCY_NS);
    check("write queue lines", writeQueueLines, 1, MAX_QUEUE);
  }

  private static void check(String what, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(what + " must be " + least + " to " + most + ": " + value);
    }
  }

  /**
   * Banks of the LOC paper's memory, which it does not name: chosen from a sweep of 8, 16 and 32 as
   * docs/nvm-sim-loc.md tells.
   */
  public static final int LOC_BANKS = 32;

  /** The same latency for every access: the memory of the LOC paper, without rows. */
  public static DeviceTiming fixed(int latencyNs) {
    return fixed(latencyNs, LOC_BANKS);
  }

  /** The same latency for every access, with so many banks. */
  public static DeviceTiming fixed(int latencyNs, int banks) {
    return new DeviceTiming(
        "loc-" + latencyNs, banks, 0, latencyNs, latencyNs, latencyNs, 0, BUS_NS, QUEUE);
  }

  /** The same device with so many banks. */
  public DeviceTiming withBanks(int other) {
    return new DeviceTiming(
        name, other, rowLines, rowHitNs, readNs, writeNs, dirtyRowNs, busNs, writeQueueLines);
  }

  /** 64 bytes at 12.8 GB/s. */
  private static final int BUS_NS = 5;

  private static final int QUEUE = 32;

  /** Devices of the literature and of other simulators, by name. */
  public static List<DeviceTiming> presets() {
    return List.of(
        fixed(35),
        fixed(95),
        fixed(168),
        fixed(1000),
        // Lee et al., CACM 2010: activation 60 ns, array write on closing a dirty row 150 ns.
        new DeviceTiming("pcm-lee09", 8, 16, 20, 80, 80, 150, BUS_NS, QUEUE),
        // gem5 NVMInterface: no row buffer as such, 150 ns reads, 500 ns writes, 16 banks.
        new DeviceTiming("gem5-nvm", 16, 0, 150, 150, 500, 0, BUS_NS, 128),
        // NVMain's PCM: 120 ns activation, 150 ns write pulse, queues of 32.
        new DeviceTiming("nvmain-pcm", 8, 16, 20, 140, 290, 0, BUS_NS, QUEUE),
        // ThyNVM (MICRO 2015), Table 2: row hit, clean miss, dirty miss.
        new DeviceTiming("thynvm", 16, 128, 40, 128, 128, 240, BUS_NS, QUEUE),
        // pmemcached's emulation of persistent memory: 300 ns loads.
        new DeviceTiming("pmep", 8, 0, 300, 300, 100, 0, BUS_NS, QUEUE));
  }
}
