package io.howdah.lab.bench;

import io.howdah.jmh.peers.PeerFindings;
import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerKind.DurabilityClass;
import io.howdah.jmh.peers.PeerWorkload;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a figure of {@code howdah bench peers} is named, and with which parameters.
 *
 * @param metric the operation in the figure's name
 * @param getShare of a mix, the share of gets; negative for everything else
 * @param syncThreads of commits that wait for the disk; 0 for everything else
 */
record PeerOperation(String metric, double getShare, int syncThreads) {

  private static final String LOAD = "LOAD";
  private static final String SYNC = "SYNC_";

  /**
   * Returns the operation.
   *
   * @param name as the findings have it
   */
  static PeerOperation of(String name) {
    if (name.equals(LOAD)) {
      return new PeerOperation("load", -1, 0);
    }
    if (name.equals(PeerFindings.BULK)) {
      return new PeerOperation("bulk", -1, 0);
    }
    if (name.startsWith(SYNC)) {
      return new PeerOperation("putSync", -1, Integer.parseInt(name.substring(SYNC.length())));
    }
    return switch (PeerWorkload.valueOf(name)) {
      case GET -> new PeerOperation("get", -1, 0);
      case SCAN -> new PeerOperation("scan", -1, 0);
      case PUT -> new PeerOperation("put", -1, 0);
      case PUT_8 -> new PeerOperation("multi8", -1, 0);
      case MIXED_50 -> new PeerOperation("mixed", 0.5, 0);
      case MIXED_95 -> new PeerOperation("mixed", 0.95, 0);
    };
  }

  /**
   * Returns the parameters of its figures.
   *
   * @param threads of operations that do not wait for the disk
   */
  Map<String, Object> params(PeerKind kind, int threads, int valueBytes) {
    Map<String, Object> params = new LinkedHashMap<>();
    params.put("store", kind.text());
    params.put(
        "durability", durability(syncThreads > 0 ? DurabilityClass.POWER_LOSS : kind.async()));
    boolean isLoad = metric.equals("load") || metric.equals("bulk");
    params.put("threads", syncThreads > 0 ? syncThreads : isLoad ? 1 : threads);
    params.put("valueBytes", valueBytes);
    if (getShare >= 0) {
      params.put("getShare", getShare);
    }
    return params;
  }

  private static String durability(DurabilityClass survives) {
    return switch (survives) {
      case MEMORY -> "memory";
      case PROCESS_KILL -> "process-kill";
      case POWER_LOSS -> "power-loss";
    };
  }
}
