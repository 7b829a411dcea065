package io.howdah.collections;

import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How {@link KeyedCollection#load} puts entries. Immutable.
 *
 * {@snippet :
 * PersistentMap<String, Long> positions = store.map("positions", String.class, Long.class);
 * long done = store.read(tx -> positions.getOrDefault(tx, file, 0L));
 * LoadOptions options =
 *     LoadOptions.defaults()
 *         .withNote((tx, reached) -> positions.put(tx, file, done + reached.entries()));
 * map.load(rows.skip(done).iterator(), options);
 * }
 */
public final class LoadOptions {

  /** Largest number of entries of one transaction. */
  public static final int MAX_TRANSACTION_ENTRIES = 100_000;

  private static final int DEFAULT_ENTRIES = 200;

  private static final LoadOptions DEFAULTS = new LoadOptions(DEFAULT_ENTRIES, null, null, null);

  private final int transactionEntries;
  private final @Nullable Durability durability;
  private final @Nullable BiConsumer<? super Tx, ? super LoadResult> note;
  private final @Nullable Consumer<? super LoadResult> progress;

  private LoadOptions(
      int transactionEntries,
      @Nullable Durability durability,
      @Nullable BiConsumer<? super Tx, ? super LoadResult> note,
      @Nullable Consumer<? super LoadResult> progress) {
    this.transactionEntries = transactionEntries;
    this.durability = durability;
    this.note = note;
    this.progress = progress;
  }

  /** Returns transactions of up to 200 entries, in the store's mode, without a note. */
  public static LoadOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Returns these options with another maximum number of entries of a transaction: 1 to {@value
   * #MAX_TRANSACTION_ENTRIES}. A transaction also ends when it has written 64 KiB, or a quarter of
   * {@code StoreOptions.maxTransactionBytes} if that is less. The load keeps so many entries on the
   * Java heap, so choose fewer for values of megabytes.
   */
  public LoadOptions withTransactionEntries(int entries) {
    if (entries < 1 || entries > MAX_TRANSACTION_ENTRIES) {
      throw new IllegalArgumentException(
          "a transaction of a load has 1 to "
              + MAX_TRANSACTION_ENTRIES
              + " entries, not "
              + entries);
    }
    return new LoadOptions(entries, durability, note, progress);
  }

  /** Returns the maximum number of entries of a transaction. */
  public int transactionEntries() {
    return transactionEntries;
  }

  /** Returns these options for a mode: what all entries have survived when the load returns. */
  public LoadOptions withDurability(Durability durability) {
    return new LoadOptions(
        transactionEntries, Objects.requireNonNull(durability, "durability"), note, progress);
  }

  /** Returns the mode, or null for the store's default. */
  public @Nullable Durability durability() {
    return durability;
  }

  /**
   * Returns these options with a function that each transaction of the load calls behind its last
   * entry, with what the load has put up to there. What it writes is part of the transaction, so a
   * load that is cut off can go on behind the last entry that is there. The function is called
   * again if the transaction is repeated.
   */
  public LoadOptions withNote(BiConsumer<? super Tx, ? super LoadResult> note) {
    return new LoadOptions(
        transactionEntries, durability, Objects.requireNonNull(note, "note"), progress);
  }

  /** Returns the function that each transaction calls, or null. */
  public @Nullable BiConsumer<? super Tx, ? super LoadResult> note() {
    return note;
  }

  /**
   * Returns these options with a function that is told what has been put after each commit. The
   * thread of the load calls it; what it throws ends the load.
   */
  public LoadOptions withProgress(Consumer<? super LoadResult> progress) {
    return new LoadOptions(
        transactionEntries, durability, note, Objects.requireNonNull(progress, "progress"));
  }

  /** Returns the function that is told after each commit, or null. */
  public @Nullable Consumer<? super LoadResult> progress() {
    return progress;
  }
}
