package io.howdah.txn;

import io.howdah.log.flush.LogStall;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a store has done since it was opened, and where it stands. Counters are read while
 * transactions go on, so they fit together only roughly.
 *
 * @param commits transactions that wrote and committed, those in which maps and sets grow included
 * @param readOnlyCommits transactions that ended well without having written
 * @param aborts attempts that ended otherwise, by cause; all causes are present
 * @param irrevocableTransactions transactions that ran irrevocably, by wish or after too many
 *     conflicts
 * @param irrevocableRunning 1 while an irrevocable transaction runs, else 0
 * @param snapshotExtensions how often a read moved its transaction's snapshot to the present
 * @param voids LSNs that a failed validation has used up
 * @param partedCommits commits too large for one redo record
 * @param dependentCommits commits that read or overwrote, or seemed to, what another partition's
 *     commits had written and no force had covered yet
 * @param retries how often {@link Tx#retry} made a transaction wait
 * @param lsn the newest LSN taken
 * @param stableLsn the newest LSN that survives a power cut, with all before it
 * @param forces how many times commits were forced to the disk, any number of them at a time; 0 in
 *     memory
 * @param stall why nothing becomes durable although commits wait for it, once that has lasted five
 *     seconds; empty in a store that is well
 * @param maxBlockBytes the largest block that {@link Tx#allocate} gives
 * @param allocatedBytes how far up the region blocks have ever reached
 * @param capacityBytes the region's length: {@link StoreOptions#maxSize()}, or less where this
 *     opening could not map as much
 * @param memoryBytes memory of the whole process that the kernel cannot take back: the Java heap as
 *     far as it was touched, and every page of its stores that was written since they were opened;
 *     0 where the system does not tell
 * @param memoryLimitBytes the machine's memory, or the container's limit if that is lower
 */
public record StoreStats(
    long commits,
    long readOnlyCommits,
    Map<AbortCause, Long> aborts,
    long irrevocableTransactions,
    int irrevocableRunning,
    long snapshotExtensions,
    long voids,
    long partedCommits,
    long dependentCommits,
    long retries,
    long lsn,
    long stableLsn,
    long forces,
    Optional<LogStall> stall,
    long maxBlockBytes,
    long allocatedBytes,
    long capacityBytes,
    long memoryBytes,
    long memoryLimitBytes) {

  /** Copies the map. */
  public StoreStats {
    aborts = Map.copyOf(aborts);
  }

  static Map<AbortCause, Long> aborts(long[] counters) {
    Map<AbortCause, Long> aborts = new EnumMap<>(AbortCause.class);
    for (AbortCause cause : AbortCause.values()) {
      aborts.put(cause, counters[Counters.of(cause)]);
    }
    return aborts;
  }

  /** Returns how many attempts were aborted, whatever the cause. */
  public long totalAborts() {
    return aborts.values().stream().mapToLong(Long::longValue).sum();
  }
}
