package io.howdah.server.items;

import io.howdah.txn.Durability;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How items are kept.
 *
 * @param maxBytes what all items may take, as {@code stats} counts it
 * @param evicts whether items that were not used for long make room for others; otherwise what does
 *     not fit is refused
 * @param awaited how durable what a reply rests on has to be before the reply is sent; null if
 *     replies wait for nothing
 * @param clock seconds since 1970
 * @param maxReadBytes of large values that are read at the same time, each counted once; beyond it
 *     reads of other large values wait
 * @param confirmation returns at once a stage that replies wait for, too, with what was read
 *     before; null if there is none
 */
public record ItemStoreOptions(
    long maxBytes,
    boolean evicts,
    @Nullable Durability awaited,
    LongSupplier clock,
    long maxReadBytes,
    @Nullable Supplier<CompletionStage<@Nullable Void>> confirmation) {

  /** The smallest limit: 1 MiB. */
  public static final long MIN_BYTES = 1 << 20;

  /** Without a limit of their own, large values that are read take a quarter of the memory. */
  private static final int DEFAULT_READ_SHARE = 4;

  /** Returns options with the default of {@code maxReadBytes}: a quarter of {@code maxBytes}. */
  public ItemStoreOptions(
      long maxBytes, boolean evicts, @Nullable Durability awaited, LongSupplier clock) {
    this(maxBytes, evicts, awaited, clock, maxBytes / DEFAULT_READ_SHARE);
  }

  /** Returns options without a {@code confirmation}. */
  public ItemStoreOptions(
      long maxBytes,
      boolean evicts,
      @Nullable Durability awaited,
      LongSupplier clock,
      long maxReadBytes) {
    this(maxBytes, evicts, awaited, clock, maxReadBytes, null);
  }

  /** Checks the limit. */
  public ItemStoreOptions {
    if (maxBytes < MIN_BYTES) {
      throw new IllegalArgumentException(
          "the limit of memory is at least " + MIN_BYTES + " bytes, not " + maxBytes);
    }
  }
}
