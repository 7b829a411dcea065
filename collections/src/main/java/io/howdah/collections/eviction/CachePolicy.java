package io.howdah.collections.eviction;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Decides which entry of a cache is evicted: W-TinyLFU (Einziger and others, see {@link
 * FrequencySketch}) with a sample in place of the lists of its main part.
 *
 * <p>An entry is first a <i>newcomer</i>: as many as a {@value #NEWCOMER_SHARE}th of the entries,
 * the latest ones, are not evicted. When there are more, the oldest of them is compared with the
 * <i>victim</i>, the entry with the lowest frequency among a sample of all others. The one that was
 * used less often is evicted; if they are equal, the newcomer. So a scan through keys that are used
 * once evicts newcomers alone, and a loop over more keys than the cache holds keeps some of them
 * for good.
 *
 * <p>Both are hints: keys, which the cache looks up before it evicts them. Nothing here is durable.
 * After a restart the newcomers are ordinary entries.
 *
 * <p>Thread-safe.
 */
public final class CachePolicy {

  private static final int NEWCOMER_SHARE = 100;
  private static final int MAX_NEWCOMERS = 1 << 14;

  /** The lowest frequencies that were seen are kept for later evictions. */
  private static final int CANDIDATES = 64;

  /** A sample is due while fewer candidates are left. */
  private static final int MIN_CANDIDATES = 16;

  /** How many entries the cache shows for a sample, about. */
  public static final int SAMPLE = 48;

  private static final int WEIGHT_SHIFT = 6;

  /** An entry that may be evicted: its stored key and the hash of that. */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  public record Candidate(byte[] key, long hash) {}

  private final FrequencySketch sketch;
  private final Deque<Candidate> newcomers = new ArrayDeque<>(); // guarded by this
  private final @Nullable Candidate[] candidates = new Candidate[CANDIDATES]; // guarded by this
  private int count; // guarded by this
  private final Deque<Candidate> gone = new ArrayDeque<>(); // guarded by this

  /** Whether an entry of the last sample had expired, so that another sample may have one too. */
  private boolean wasGone; // guarded by this

  /** The mean weight of the entries that were put lately, in 64ths of a byte. */
  private volatile long meanWeight;

  private volatile int maxNewcomers;

  /** Creates the policy of a cache that has no newcomers. */
  public CachePolicy(FrequencySketch sketch) {
    this.sketch = sketch;
  }

  /** Returns the frequencies of keys. */
  public FrequencySketch sketch() {
    return sketch;
  }

  /** Notes that an entry is new. */
  public void inserted(byte[] key, long hash, long weight, long maxBytes, long maxEntries) {
    long mean = meanWeight;
    mean = mean == 0 ? weight << WEIGHT_SHIFT : mean + weight - (mean >> WEIGHT_SHIFT);
    meanWeight = mean;
    long entries = Math.min(maxEntries, maxBytes / Math.max(1, mean >> WEIGHT_SHIFT));
    int most = (int) Math.min(MAX_NEWCOMERS, entries / NEWCOMER_SHARE);
    if (most != maxNewcomers) {
      maxNewcomers = most;
      sketch.entries(entries);
    }
    if (most > 0) {
      add(new Candidate(key, hash), most);
    }
  }

  private synchronized void add(Candidate newcomer, int most) {
    newcomers.addLast(newcomer);
    while (newcomers.size() > 2 * most) {
      newcomers.removeFirst(); // there is room: it is an entry like others
    }
  }

  /** Returns whether the policy needs a sample of the entries. */
  public synchronized boolean needsSample() {
    return gone.isEmpty() && (count < MIN_CANDIDATES || wasGone);
  }

  /** Says that a sample begins. */
  public synchronized void sample() {
    wasGone = false;
  }

  /**
   * Takes an entry of a sample.
   *
   * @param isGone whether it has expired, so that it is evicted first
   */
  public synchronized void sampled(byte[] key, long hash, boolean isGone) {
    Candidate candidate = new Candidate(key, hash);
    if (isGone) {
      wasGone = true;
      gone.addLast(candidate);
      if (gone.size() > CANDIDATES) {
        gone.removeFirst(); // a background thread removes it
      }
    } else if (count < CANDIDATES) {
      candidates[count++] = candidate;
    } else {
      int highest = 0;
      for (int i = 1; i < count; i++) {
        highest = frequency(i) > frequency(highest) ? i : highest;
      }
      if (sketch.frequency(hash) < frequency(highest)) {
        candidates[highest] = candidate;
      }
    }
  }

  private int frequency(int index) {
    Candidate candidate = candidates[index];
    return candidate == null ? FrequencySketch.MAX_FREQUENCY : sketch.frequency(candidate.hash);
  }

  /** Returns the entry to evict next, or null if none is known. It is not returned again. */
  public synchronized @Nullable Candidate next() {
    Candidate expired = gone.pollFirst();
    if (expired != null) {
      return expired;
    }
    int lowest = 0;
    for (int i = 1; i < count; i++) {
      lowest = frequency(i) < frequency(lowest) ? i : lowest;
    }
    Candidate newcomer = newcomers.size() > maxNewcomers ? newcomers.pollFirst() : null;
    if (newcomer != null && (count == 0 || sketch.frequency(newcomer.hash) <= frequency(lowest))) {
      return newcomer;
    }
    if (count == 0) {
      return newcomers.pollFirst();
    }
    Candidate victim = candidates[lowest];
    candidates[lowest] = candidates[--count];
    candidates[count] = null;
    return victim;
  }

  /** Forgets all keys: the entries were removed. */
  public synchronized void clear() {
    newcomers.clear();
    gone.clear();
    Arrays.fill(candidates, null);
    count = 0;
  }
}
