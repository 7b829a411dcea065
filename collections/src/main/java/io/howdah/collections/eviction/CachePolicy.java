package io.howdah.collections.eviction;

/**
 * Decides which entry of a cache is evicted: W-TinyLFU (Einziger, Eytan, Friedman, Manes, Adaptive
 * software cache management, Middleware 2018), with a sample of the entries in place of the lists
 * of its main part.
 *
 * <p>The latest entries are <i>newcomers</i> and not evicted. When there are more of them than a
 * limit, the oldest is compared with the <i>victim</i> among the other entries, and the one that
 * was used less often lately is evicted. If the newcomer has no clear advantage it is the one: so a
 * scan through keys that are used once evicts newcomers alone, and of a loop over more keys than
 * there is room for, some stay.
 *
 * <p>The victim is the entry of a sample that was not used for the longest time, among those that
 * have not <i>proven</i> themselves: were not used since they ceased to be newcomers. If fewer than
 * a {@value #UNPROVEN_SHARE}th of the sample are such entries, the proven one that was not used for
 * the longest time has to prove itself again.
 *
 * <p>The limit of newcomers moves between a hundredth and four fifths of the entries, in the
 * direction in which more look-ups find an entry. Where recent keys are used again, it grows. After
 * a move with a clear effect the next one comes sooner.
 *
 * <p>Keys are known by their hashes, and all of this is a hint: the cache looks an entry up before
 * it evicts it. Nothing here is durable. Thread-safe.
 */
public final class CachePolicy {

  /** No hash: a key that has it is not known here, and its entry stays. */
  public static final long NONE = 0;

  /** How many entries the cache shows for a sample, about. */
  public static final int SAMPLE = 16;

  private static final int CANDIDATES = 32;

  /**
   * After so many evictions of victims half of the sample is read anew. In a small cache an
   * eviction of a newcomer counts as a half of one, and in a large one as a quarter.
   */
  private static final int EVICTIONS_PER_SAMPLE = 6;

  private static final int UNPROVEN_SHARE = 10;
  private static final int GONE = 64;
  private static final int SAMPLES_FOR_GONE = 4;
  private static final int MIN_SHARE = 100;
  private static final double MAX_SHARE = 0.8;
  private static final double FIRST_STEP = 0.0625;
  private static final double STEP_DECAY = 0.98;
  private static final double RESTART_CHANGE = 0.05;

  /** Uses for each entry between two moves of the limit of newcomers, at most. */
  private static final int PERIOD = 10;

  /** The same after a move with a clear effect. */
  private static final int SHORT_PERIOD = 3;

  /** A ratio of fewer uses says too little, unless they are many for each entry. */
  private static final int MIN_PERIOD_USES = 20_000;

  private static final double CLEAR_CHANGE = 0.01;

  /** How many new entries there are for each estimate of the cache's size, less one. */
  private static final int RESIZE_MASK = 15;

  /** From this frequency on, one use more is no clear advantage: halving makes such differences. */
  private static final int CLOSE_FREQUENCY = 3;

  /** How many entries are chosen together, so that the cache misses of their evictions overlap. */
  public static final int CHOSEN_AT_ONCE = 8;

  /** With so many entries a cache is large: see {@link #decideOnSize}. */
  private static final int MIN_LARGE = 1 << 12;

  private static final int WEIGHT_SHIFT = 6;
  private static final int UNKNOWN = -2;

  private final FrequencySketch sketch;
  private final LastUses lastUses;
  private final UseBuffers buffers = new UseBuffers();

  // What follows is guarded by this.
  private final HashQueue newcomers = new HashQueue();
  private final HashQueue gone = new HashQueue();

  /** What is evicted next, unless it is used before. */
  private final HashQueue victims = new HashQueue();

  private final long[] candidates = new long[CANDIDATES];

  /** What was known of each candidate's last use when it was read. */
  private final long[] candidateUses = new long[CANDIDATES];

  private int count;
  private int replaced;

  /** The index of the victim among the candidates; -1 if there is none. */
  private int chosen = UNKNOWN;

  private int quartersSinceSample;

  /** Written under the lock, when it changes. */
  private volatile boolean needsSample = true;

  /** Written under the lock, when it changes. */
  private volatile boolean needsVictims;

  /** How many samples follow at once, since one has shown that entries have expired. */
  private int samplesForGone;

  /** The mean weight of the entries that were put lately, in 64ths of a byte. */
  private long meanWeight;

  /** How many entries the cache can have, about. */
  private long entries;

  /** The bound, as the cache had it lately. */
  private volatile long maxBytes;

  private volatile long maxEntries;

  /** Written under the lock, when it changes. */
  private volatile boolean isLarge;

  private double maxNewcomers = 1;
  private double step;
  private long periodStart;
  private long periodMisses;
  private double formerRatio;

  /** After how many uses for each entry the limit of newcomers moves next. */
  private int period = PERIOD;

  /** Creates the policy of a cache that has no newcomers. */
  public CachePolicy(FrequencySketch sketch) {
    this.sketch = sketch;
    this.lastUses = new LastUses(sketch.words());
  }

  /** Returns the frequencies of keys. */
  public FrequencySketch sketch() {
    return sketch;
  }

  /**
   * Takes a use of an entry, and notes it together with others of its context, at the latest when
   * the context adds or evicts an entry.
   *
   * @param context the number of the transaction context that has used it
   */
  public void used(int context, long hash) {
    if (buffers.add(context, hash)) {
      note(context, UseBuffers.LENGTH);
    }
  }

  /** Loads what {@link #inserted} will change, unless that comes together with other notes. */
  public void loadInsertionAhead(long hash) {
    if (!isLarge) {
      loadAhead(hash);
    }
  }

  private void loadAhead(long hash) {
    sketch.loadAhead(hash);
    lastUses.loadAhead(hash);
  }

  /** Notes the uses that a buffer holds. */
  private void note(int context, int count) {
    long inserted = buffers.inserted(context);
    if (isLarge && inserted == 0 && count == UseBuffers.LENGTH) {
      noteHalf(context);
      return;
    }
    for (int i = 0; i < count; i++) { // no read waits for another
      loadAhead(buffers.hash(context, i));
    }
    for (int i = 0; i < count; i++) {
      long hash = buffers.hash(context, i);
      sketch.count(hash, 1);
      if ((inserted >>> i & 1) == 0) {
        lastUses.used(hash, sketch.uses());
      } else {
        lastUses.inserted(hash, sketch.uses());
      }
    }
    if (inserted != 0) {
      added(context, inserted);
    }
    buffers.empty(context);
  }

  /**
   * Notes one in two uses of a full buffer that has no new entry; each counts twice. Where such
   * buffers are common, hits are many for each eviction, so half of them tell enough, and the notes
   * are most of what a hit costs beyond a look-up.
   */
  private void noteHalf(int context) {
    int first = buffers.half(context);
    for (int i = 0; i < UseBuffers.LENGTH; i += 2) { // no read waits for another
      loadAhead(buffers.hash(context, i + first));
    }
    for (int i = 0; i < UseBuffers.LENGTH; i += 2) {
      long hash = buffers.hash(context, i + first);
      sketch.count(hash, 2);
      lastUses.used(hash, sketch.uses());
    }
    buffers.empty(context);
  }

  /** Returns whether {@link #inserted} should be told the bound before. */
  public boolean needsBound(int context) {
    return !isLarge || buffers.count(context) == 0;
  }

  /** Takes the bound that the cache has. */
  public void bound(long maxBytes, long maxEntries) {
    if (this.maxBytes != maxBytes || this.maxEntries != maxEntries) {
      this.maxBytes = maxBytes;
      this.maxEntries = maxEntries;
    }
  }

  /**
   * Takes a new entry. It is noted with uses of its context; at once if the cache is small.
   *
   * @param context the number of the transaction context that has added it
   */
  public void inserted(int context, long hash, long weight) {
    if (buffers.addInserted(context, hash, weight)) {
      note(context, UseBuffers.LENGTH);
    } else if (!isLarge) {
      note(context, buffers.count(context));
    }
  }

  private synchronized void added(int context, long inserted) {
    for (long left = inserted; left != 0; left &= left - 1) {
      int index = Long.numberOfTrailingZeros(left);
      added(buffers.hash(context, index), buffers.weight(context, index));
    }
  }

  private void added(long hash, long weight) {
    meanWeight =
        meanWeight == 0
            ? weight << WEIGHT_SHIFT
            : meanWeight + weight - (meanWeight >> WEIGHT_SHIFT);
    if ((periodMisses & RESIZE_MASK) == 0) {
      resize();
    }
    periodMisses++;
    long uses = sketch.uses() - periodStart;
    if (uses >= Math.max(period * entries, Math.min(PERIOD * entries, MIN_PERIOD_USES))) {
      climb((double) (uses - periodMisses) / uses);
      periodStart = sketch.uses();
      periodMisses = 0;
    }
    newcomers.add(hash);
    while (newcomers.size() > 2 * maxNewcomers + SAMPLE) {
      admitOldest(); // there is room
    }
  }

  /** Estimates how many entries the cache can have. */
  private void resize() {
    long now =
        Math.clamp(
            maxBytes / Math.max(1, meanWeight >> WEIGHT_SHIFT),
            1,
            Math.min(maxEntries, FrequencySketch.MAX_WORDS));
    if (Math.abs(now - entries) > entries / MIN_SHARE) {
      entries = now;
      sketch.entries(now);
      maxNewcomers = Math.max(1, (double) now / MIN_SHARE);
      step = FIRST_STEP * now;
      decideOnSize();
    }
  }

  /** Moves the limit of newcomers on if the ratio of hits has risen, and back if it has fallen. */
  private void climb(double ratio) {
    if (formerRatio > 0) {
      double change = ratio - formerRatio;
      boolean isClear = Math.abs(change) >= CLEAR_CHANGE;
      period = isClear ? SHORT_PERIOD : Math.min(PERIOD, 2 * period);
      if (change < 0) {
        step = -step;
      }
      step =
          Math.abs(change) >= RESTART_CHANGE
              ? Math.copySign(FIRST_STEP * entries, step)
              : step * STEP_DECAY;
      maxNewcomers =
          Math.clamp(
              maxNewcomers + step,
              Math.max(1, (double) entries / MIN_SHARE),
              Math.max(1, MAX_SHARE * entries));
    }
    formerRatio = ratio;
  }

  private void admitOldest() {
    long hash = newcomers.remove();
    if (LastUses.isNewcomer(lastUses.get(hash))) {
      lastUses.admitted(hash);
    }
  }

  /** Returns whether the policy needs a sample of the entries. */
  public boolean needsSample() {
    return needsSample;
  }

  private void decideOnSample() {
    boolean isNeeded =
        gone.size() == 0
            && (samplesForGone > 0
                || count < CANDIDATES / 2
                || quartersSinceSample >= 4 * EVICTIONS_PER_SAMPLE);
    if (isNeeded != needsSample) {
      needsSample = isNeeded;
    }
  }

  /**
   * Returns whether the entries that are evicted next should be chosen now. Small caches choose
   * each when it is evicted.
   */
  public boolean needsVictims() {
    return needsVictims;
  }

  private void decideOnVictims() {
    boolean isNeeded = isLarge && victims.size() == 0 && gone.size() == 0;
    if (isNeeded != needsVictims) {
      needsVictims = isNeeded;
    }
  }

  /**
   * Where there are many newcomers, some may be noted late and some leave early, which saves time.
   */
  private void decideOnSize() {
    boolean isNow = entries >= MIN_LARGE;
    if (isNow != isLarge) {
      isLarge = isNow;
      decideOnVictims();
    }
  }

  /**
   * Chooses the entries that are evicted next. One that is used before it is evicted stays.
   *
   * @param context the number of the transaction context that evicts
   * @param hashes takes those of the chosen entries, {@value #CHOSEN_AT_ONCE} at most
   * @return how many they are
   */
  public int choose(int context, long[] hashes) {
    note(context, buffers.count(context));
    return choose(hashes);
  }

  private synchronized int choose(long[] hashes) {
    for (int i = 0; i < Math.min(CHOSEN_AT_ONCE, newcomers.size()); i++) {
      loadAhead(newcomers.get(i)); // no read waits for another
    }
    int number = 0;
    while (victims.size() < CHOSEN_AT_ONCE) {
      long hash = newcomerOrVictim(Math.max(1, maxNewcomers - number));
      if (hash == NONE) {
        break;
      }
      victims.add(hash);
      hashes[number++] = hash;
    }
    decideOnSample();
    decideOnVictims();
    return number;
  }

  /** Says that a sample begins. */
  public synchronized void beginSample() {
    samplesForGone = Math.max(0, samplesForGone - 1);
    quartersSinceSample = 0;
    decideOnSample();
  }

  /**
   * Takes a sample.
   *
   * @param hashes of the keys
   * @param expiries when the entries expire, or 0 for never
   * @param now the time: what expires by then is evicted first
   */
  public synchronized void sampled(long[] hashes, long[] expiries, long now, int size) {
    beginSample();
    for (int i = 0; i < size; i++) {
      lastUses.loadAhead(hashes[i]);
    }
    for (int i = 0; i < size; i++) {
      sampled(hashes[i], expiries[i] != 0 && expiries[i] <= now);
    }
  }

  /**
   * Takes an entry of a sample.
   *
   * @param isGone whether it has expired, so that it is evicted first
   */
  public synchronized void sampled(long hash, boolean isGone) {
    chosen = UNKNOWN;
    if (isGone) {
      samplesForGone = SAMPLES_FOR_GONE;
      if (gone.size() < GONE) {
        gone.add(hash);
      }
    } else if (count < CANDIDATES) {
      candidates[count] = hash;
      candidateUses[count++] = lastUses.get(hash);
    } else {
      candidates[replaced] = hash;
      candidateUses[replaced] = lastUses.get(hash);
      replaced = (replaced + 1) % CANDIDATES;
    }
    decideOnSample();
  }

  /**
   * Returns the hash of the entry to evict next, or {@link #NONE} if none is known.
   *
   * @param context the number of the transaction context that evicts
   */
  public long next(int context) {
    if (!isLarge) {
      note(context, buffers.count(context));
    }
    return next();
  }

  private synchronized long next() {
    long next = gone.size() > 0 ? gone.remove() : NONE;
    while (next == NONE && victims.size() > 0) {
      long victim = victims.remove();
      next = lastUses.get(victim) == 0 ? victim : NONE; // else it was used since
    }
    if (next == NONE) {
      next = newcomerOrVictim(maxNewcomers);
    }
    decideOnSample();
    decideOnVictims();
    return next;
  }

  private long newcomerOrVictim(double limit) {
    quartersSinceSample += newcomerQuarters();
    int victim = victim();
    while (newcomers.size() > 0 && (victim < 0 || newcomers.size() > limit)) {
      long newcomer = newcomers.remove();
      if (!LastUses.isNewcomer(lastUses.get(newcomer))) {
        continue; // it was displaced from the table of last uses, or is an older one of its key
      }
      if (victim < 0 || !isUsedMore(newcomer, candidates[victim])) {
        lastUses.evicted(newcomer);
        return newcomer;
      }
      lastUses.admitted(newcomer);
      break;
    }
    while (newcomers.size() > maxNewcomers) {
      admitOldest(); // the limit has fallen
    }
    return victim < 0 ? NONE : take(victim);
  }

  private int newcomerQuarters() {
    return isLarge ? 1 : 2;
  }

  private boolean isUsedMore(long newcomer, long victim) {
    int more = sketch.frequency(newcomer);
    int less = sketch.frequency(victim);
    return more > less + (more >= CLOSE_FREQUENCY ? 1 : 0);
  }

  private long take(int index) {
    quartersSinceSample += 4 - newcomerQuarters();
    long hash = candidates[index];
    lastUses.evicted(hash);
    candidates[index] = candidates[--count];
    candidateUses[index] = candidateUses[count];
    replaced = count == 0 ? 0 : replaced % count;
    chosen = UNKNOWN;
    return hash;
  }

  /** Returns the index of the candidate that would be evicted if no newcomer is, or -1. */
  private int victim() {
    if (chosen == UNKNOWN) {
      chosen = oldest();
    }
    if (chosen < 0 && count > 0) { // all were newcomers when they were read
      for (int i = 0; i < count; i++) {
        boolean _ = isStill(i);
      }
      chosen = oldest();
    }
    for (int i = 0; i < CANDIDATES && chosen >= 0 && !isStill(chosen); i++) {
      chosen = oldest(); // it was used since it was read
    }
    return chosen;
  }

  /** Returns whether a candidate was not used since it was read; takes the later use otherwise. */
  private boolean isStill(int candidate) {
    long use = lastUses.get(candidates[candidate]);
    if (use == candidateUses[candidate]) {
      return true;
    }
    candidateUses[candidate] = use;
    return false;
  }

  private int oldest() {
    long now = sketch.uses();
    int oldest = -1;
    long oldestTime = Long.MAX_VALUE;
    int oldestProven = -1;
    long oldestProvenTime = Long.MAX_VALUE;
    int unproven = 0;
    int seen = 0;
    for (int i = 0; i < count; i++) {
      long use = candidateUses[i];
      if (LastUses.isNewcomer(use)) {
        continue;
      }
      seen++;
      long time = use == 0 ? Math.max(0, now - entries) : LastUses.time(use);
      if (LastUses.isProven(use)) {
        if (time < oldestProvenTime) {
          oldestProvenTime = time;
          oldestProven = i;
        }
      } else {
        unproven++;
        if (time < oldestTime) {
          oldestTime = time;
          oldest = i;
        }
      }
    }
    if (oldestProven >= 0 && UNPROVEN_SHARE * unproven < seen && isStill(oldestProven)) {
      lastUses.demoted(candidates[oldestProven], now);
      candidateUses[oldestProven] = lastUses.get(candidates[oldestProven]);
    }
    return oldest >= 0 ? oldest : oldestProven;
  }

  /** Forgets all entries: they were removed. */
  public synchronized void clear() {
    newcomers.clear();
    gone.clear();
    victims.clear();
    count = 0;
    replaced = 0;
    chosen = UNKNOWN;
    decideOnSample();
    decideOnVictims();
  }
}
