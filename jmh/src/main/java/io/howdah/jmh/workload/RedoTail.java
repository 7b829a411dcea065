package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.Backing;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A program that leaves a redo log behind for the next opening to replay: commits a given amount of
 * words to a store that {@link SixWords} filled, says {@value #DONE}, and waits to be killed. Ends
 * by itself when its standard input ends.
 */
public final class RedoTail {

  /** What it prints when all is committed. */
  public static final String DONE = "committed";

  private static final int RANGE_BYTES = 1 << 16;

  private RedoTail() {}

  /** What the log is made of. */
  public enum Kind {
    /** Six random words per transaction. */
    WORDS,
    /** One range of 64 KiB per transaction, so that reading the log is the larger part of it. */
    RANGES
  }

  /**
   * Returns what {@link #main} takes.
   *
   * @param options whose size, backing and recovery goal count: with the longest goal, no
   *     checkpoint takes anything off the log
   */
  public static List<String> arguments(Path store, StoreOptions options, Kind kind, long words) {
    return List.of(
        store.toString(),
        Long.toString(options.maxSize()),
        kind.name(),
        Long.toString(words),
        Long.toString(options.recoveryGoal().toMillis()),
        options.backing().name());
  }

  /** Runs the program. */
  public static void main(String[] args) throws IOException, InterruptedException {
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(Long.parseLong(args[1]))
            .withRecoveryGoal(Duration.ofMillis(Long.parseLong(args[4])))
            .withBacking(Backing.valueOf(args[5]));
    Kind kind = Kind.valueOf(args[2].toUpperCase(Locale.ROOT));
    long words = Long.parseLong(args[3]);
    // Not closed: whoever started this kills it.
    Store store = Store.open(Path.of(args[0]), options);
    SixWords data = SixWords.of(store);
    // Else each page is a read of the disk at the moment of its first transaction.
    data.touch();
    switch (kind) {
      case WORDS -> commitWords(data, words);
      case RANGES -> commitRanges(data, words);
    }
    System.out.println(DONE);
    while (System.in.read() >= 0) {
      // Nothing is ever sent; the end of it means that the other side is gone.
    }
    store.close();
  }

  private static void commitWords(SixWords data, long words) throws InterruptedException {
    int threads = Runtime.getRuntime().availableProcessors();
    long each = words / SixWords.WORDS / threads + 1;
    ThreadTeam.each(
        threads,
        _ -> {
          SixWords.Transactions transactions = data.transactions();
          for (long i = 0; i < each; i++) {
            transactions.next(Durability.ASYNC);
          }
        });
  }

  private static void commitRanges(SixWords data, long words) {
    SixWords.Transactions transactions = data.transactions();
    byte[] range = new byte[RANGE_BYTES];
    ThreadLocalRandom.current().nextBytes(range);
    for (long committed = 0; committed < words; committed += RANGE_BYTES / Long.BYTES) {
      transactions.nextRange(Durability.ASYNC, range);
    }
  }
}
