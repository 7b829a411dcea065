package io.howdah.txn.stm;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.storage.file.Regions;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link WordEngine} is made. Immutable.
 *
 * @param maxSize of the region, in bytes
 * @param memory where region and ownership records come from; null for the machine's own
 */
record EngineOptions(
    long maxSize,
    int orecs,
    int partitions,
    long maxTransactionBytes,
    int irrevocableAfterAborts,
    boolean readOnly,
    Execution execution,
    @Nullable LongFunction<Region> memory) {

  private static final EngineOptions DEFAULTS =
      new EngineOptions(64 << 20, 1 << 16, 4, 64L << 20, 64, false, Execution.system(), null);

  public static EngineOptions defaults() {
    return DEFAULTS;
  }

  Region allocate(long bytes) {
    return memory == null ? Regions.anonymous(bytes) : memory.apply(bytes);
  }

  public EngineOptions withMaxSize(long maxSize) {
    return new EngineOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        memory);
  }

  public EngineOptions withOrecs(int orecs) {
    return new EngineOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        memory);
  }

  public EngineOptions withPartitions(int partitions) {
    return new EngineOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        memory);
  }

  public EngineOptions withMaxTransactionBytes(long maxTransactionBytes) {
    return new EngineOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        memory);
  }

  public EngineOptions withIrrevocableAfterAborts(int irrevocableAfterAborts) {
    return new EngineOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        memory);
  }

  public EngineOptions withReadOnly(boolean readOnly) {
    return new EngineOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        memory);
  }

  public EngineOptions withExecution(Execution execution) {
    return new EngineOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        memory);
  }

  public EngineOptions withMemory(LongFunction<Region> memory) {
    return new EngineOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        memory);
  }
}
