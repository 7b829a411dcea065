package io.howdah.jmh.workload;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * {@link SixWords}, word by word, in a transactional memory of another library. One thread at a
 * time may run it, which starts the others.
 */
public final class SixRefs {

  private final Memory memory;
  private final AtomicInteger seeds = new AtomicInteger();
  private final LongAdder committed = new LongAdder();

  /** Words of a transactional memory, all 0 at first. Thread-safe. */
  public interface Memory {

    /** Returns how many words there are. */
    int words();

    /**
     * Returns what one thread repeats: a transaction that reads each of these words and writes it,
     * one after the other, greater by one. It returns after the commit.
     *
     * @param chosen the words, others for each call
     */
    Runnable addition(int[] chosen);

    /** Returns the sum of all words; called when no transaction runs. */
    long sum();
  }

  /** Wraps the memory; no transaction has run in it yet. */
  public SixRefs(Memory memory) {
    if (memory.words() < SixWords.WORDS) {
      throw new IllegalArgumentException("at least 6 words: " + memory.words());
    }
    this.memory = memory;
  }

  /** Repeats the transaction on so many threads. */
  public ThreadTeam.Outcome run(int threads, long nanos) throws Exception {
    return ThreadTeam.run(threads, nanos, _ -> this::repeat);
  }

  private long repeat(ThreadTeam.Stop stop) {
    RandomWords random = new RandomWords(seeds.getAndIncrement());
    int[] chosen = new int[SixWords.WORDS];
    Runnable addition = memory.addition(chosen);
    long done = 0;
    do {
      draw(random, chosen);
      addition.run();
      done++;
    } while (!stop.isSet());
    committed.add(done);
    return done;
  }

  /** Chooses six different words. */
  private void draw(RandomWords random, int[] chosen) {
    for (int i = 0; i < chosen.length; ) {
      int word = (int) random.next(memory.words());
      chosen[i] = word;
      boolean isNew = true;
      for (int j = 0; j < i; j++) {
        isNew &= chosen[j] != word;
      }
      i += isNew ? 1 : 0;
    }
  }

  /**
   * Checks that no addition was lost, or made twice; called when no transaction runs.
   *
   * @return how many transactions have committed
   * @throws IllegalStateException if the words do not add up
   */
  public long verify() {
    long transactions = committed.sum();
    long expected = SixWords.WORDS * transactions;
    long found = memory.sum();
    if (found != expected) {
      throw new IllegalStateException(
          "%,d transactions have committed, and %d additions are missing of the words' sum of %d"
              .formatted(transactions, expected - found, expected));
    }
    return transactions;
  }
}
