package io.howdah.collections;

import io.howdah.codec.derived.CodecRegistry;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.storage.file.Regions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link WordStore} is made. Immutable.
 *
 * @param maxSize of the region, in bytes
 * @param memory where region and ownership records come from; null for the machine's own
 * @param clock by which entries expire; null for that of the execution
 */
public record WordOptions(
    long maxSize,
    int orecs,
    int partitions,
    long maxTransactionBytes,
    int irrevocableAfterAborts,
    boolean readOnly,
    Execution execution,
    CodecRegistry codecs,
    @Nullable LongFunction<Region> memory,
    @Nullable InstantSource clock) {

  private static final WordOptions DEFAULTS =
      new WordOptions(
          64 << 20,
          1 << 16,
          4,
          64L << 20,
          64,
          false,
          Execution.system(),
          CodecRegistry.defaults(),
          null,
          null);

  public static WordOptions defaults() {
    return DEFAULTS;
  }

  Region allocate(long bytes) {
    return memory == null ? Regions.anonymous(bytes) : memory.apply(bytes);
  }

  InstantSource expiryClock() {
    return clock == null ? () -> Instant.ofEpochMilli(execution.wallClockMillis()) : clock;
  }

  public WordOptions withMaxSize(long maxSize) {
    return new WordOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        codecs,
        memory,
        clock);
  }

  public WordOptions withOrecs(int orecs) {
    return new WordOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        codecs,
        memory,
        clock);
  }

  public WordOptions withPartitions(int partitions) {
    return new WordOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        codecs,
        memory,
        clock);
  }

  public WordOptions withMaxTransactionBytes(long maxTransactionBytes) {
    return new WordOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        codecs,
        memory,
        clock);
  }

  public WordOptions withIrrevocableAfterAborts(int irrevocableAfterAborts) {
    return new WordOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        codecs,
        memory,
        clock);
  }

  public WordOptions withReadOnly(boolean readOnly) {
    return new WordOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        codecs,
        memory,
        clock);
  }

  public WordOptions withExecution(Execution execution) {
    return new WordOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        codecs,
        memory,
        clock);
  }

  public WordOptions withCodecs(CodecRegistry codecs) {
    return new WordOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        codecs,
        memory,
        clock);
  }

  public WordOptions withMemory(LongFunction<Region> memory) {
    return new WordOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        codecs,
        memory,
        clock);
  }

  public WordOptions withClock(InstantSource clock) {
    return new WordOptions(
        maxSize,
        orecs,
        partitions,
        maxTransactionBytes,
        irrevocableAfterAborts,
        readOnly,
        execution,
        codecs,
        memory,
        clock);
  }
}
