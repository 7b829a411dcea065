package io.howdah.crashtest.cache;

import io.howdah.Store;
import io.howdah.StoreInspection;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.CacheOptions;
import io.howdah.collections.PersistentCache;
import io.howdah.process.ChildJvm;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Processes that use a cache, one after the other, each killed by SIGKILL. After each kill the
 * store is opened to read, and held to a model: each entry has the value of the last acknowledged
 * put of its key, or of the operation that was in doubt, of which all is there or nothing; the
 * entries are within the bound; the account agrees with them. For one thread.
 */
public final class CacheKills implements AutoCloseable {

  private static final int HEAP_MIB = 512;
  private static final int POLL_MILLIS = 2;
  private static final long OPENING_NANOS = 300_000_000_000L;

  /** A life ends after this time even if it had few operations. */
  private static final long LIFE_NANOS = 600_000_000_000L;

  /** One kill in so many comes while the store is being opened. */
  private static final int EARLY = 12;

  private static final int MAX_EARLY_MILLIS = 600;

  private final Path folder;
  private final Plan plan;
  private final CacheBoard board;
  private final SplittableRandom random;
  private final long[] judged;
  private final List<String> problems = new ArrayList<>();
  private long kills;
  private long evictions;
  private long entriesChecked;

  /**
   * What is done.
   *
   * @param keys of each thread
   * @param maxEntries of the cache
   * @param maxBytes of the cache
   */
  public record Plan(long seed, int threads, int keys, int maxEntries, long maxBytes) {

    private static final long SPARE_BYTES = 64L << 20;

    /** Short, so that lives contain checkpoints and the log is soon replayed. */
    private static final Duration RECOVERY_GOAL = Duration.ofMillis(300);

    StoreOptions options() {
      return StoreOptions.defaults()
          .withMaxSize(SPARE_BYTES + 8 * maxBytes)
          .withRecoveryGoal(RECOVERY_GOAL)
          .withDefaultDurability(Durability.ASYNC);
    }

    PersistentCache<Long, byte[]> open(Store store) {
      return store.cache(
          "cache",
          Codec.int64(),
          Codec.bytes(),
          CacheOptions.ofEntries(maxEntries).withMaxBytes(maxBytes));
    }

    long key(int thread, int key) {
      return (long) thread * keys + key;
    }
  }

  /**
   * Prepares a run.
   *
   * @param folder for the store and the board; exists, and is empty
   */
  public CacheKills(Path folder, Plan plan) throws IOException {
    this.folder = folder;
    this.plan = plan;
    this.board = new CacheBoard(folder.resolve("board"), plan.threads(), plan.keys());
    this.random = new SplittableRandom(plan.seed());
    this.judged = new long[plan.threads()];
  }

  /** Returns how many operations were acknowledged, all threads together. */
  public long operations() {
    return Arrays.stream(judged).sum();
  }

  /** Returns how often a process was killed. */
  public long kills() {
    return kills;
  }

  /** Returns how many entries were evicted, as the store has counted them. */
  public long evictions() {
    return evictions;
  }

  /** Returns how many entries were compared with the model, all kills together. */
  public long entriesChecked() {
    return entriesChecked;
  }

  /** Returns what was wrong; empty if nothing was. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /**
   * Starts a process, kills it, and checks what it has left.
   *
   * @param operations that it does before, on average; so a life has as many on a busy machine
   */
  public void life(long operations) throws IOException, InterruptedException {
    board.running(false);
    Path output = folder.resolve("child.log");
    ChildJvm child =
        ChildJvm.start(
            Map.of(),
            List.of("-Xmx" + HEAP_MIB + "m"),
            CacheChild.class,
            CacheChild.arguments(folder.resolve("store"), folder.resolve("board"), plan),
            output);
    boolean isEarly = kills > 0 && random.nextInt(EARLY) == 0;
    if (isEarly) {
      sleep(child, random.nextInt(MAX_EARLY_MILLIS), () -> false);
    } else {
      sleep(child, OPENING_NANOS / 1_000_000, board::isRunning);
      long end = acknowledged() + operations / 4 + random.nextLong(1 + 3 * operations / 2);
      sleep(child, LIFE_NANOS / 1_000_000, () -> acknowledged() >= end);
    }
    boolean hasEnded = !child.isAlive();
    child.kill();
    kills++;
    if (hasEnded) {
      problems.add("the process " + child.lastWords());
      return;
    }
    advance();
    if (Files.exists(folder.resolve("store"))) {
      check();
    }
  }

  private long acknowledged() {
    long all = 0;
    for (int thread = 0; thread < plan.threads(); thread++) {
      all += board.acknowledged(thread);
    }
    return all;
  }

  private static void sleep(ChildJvm child, long millis, BooleanSupplier isEnough)
      throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    while (child.isAlive() && !isEnough.getAsBoolean() && System.nanoTime() - end < 0) {
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Brings the model up to the last acknowledged operation. */
  private void advance() {
    for (int thread = 0; thread < plan.threads(); thread++) {
      CacheWork work = new CacheWork(plan.seed(), thread, plan.keys());
      long end = board.acknowledged(thread);
      long cancelled = board.cancelled(thread);
      for (long operation = judged[thread] + 1; operation <= end; operation++) {
        work.choose(operation);
        if (work.kind() != CacheWork.Kind.GET) {
          for (int i = 0; i < work.count(); i++) {
            long last = operation == cancelled ? 0 : work.lastAfter(operation);
            board.last(thread, work.key(i), last);
          }
        }
      }
      judged[thread] = end;
    }
  }

  private void check() {
    try (Store store = Store.open(folder.resolve("store"), plan.options().withReadOnly(true))) {
      if (!store.read(store.admin()::collections).containsKey("cache")) {
        return; // killed before it was made
      }
      for (StoreInspection.Collection each : store.admin().inspect().collections()) { // checks it
        evictions = each.cache().map(StoreInspection.CacheBound::evictions).orElse(evictions);
      }
      PersistentCache<Long, byte[]> cache = plan.open(store);
      store.read(
          tx -> {
            check(tx, cache);
            return 0;
          });
    } catch (RuntimeException e) {
      problems.add("after kill %d: %s".formatted(kills, e));
    }
  }

  private void check(Tx tx, PersistentCache<Long, byte[]> cache) {
    Map<Long, byte[]> entries = new HashMap<>();
    cache.entries(tx).forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
    if (entries.size() > plan.maxEntries() || cache.bytes(tx) > plan.maxBytes()) {
      problems.add(
          "after kill %d: %d entries of %d bytes are above the bound"
              .formatted(kills, entries.size(), cache.bytes(tx)));
    }
    if (entries.size() != cache.size(tx)) {
      problems.add(
          "after kill %d: the cache has %d entries, and counts %d"
              .formatted(kills, entries.size(), cache.size(tx)));
    }
    entriesChecked += entries.size();
    for (int thread = 0; thread < plan.threads(); thread++) {
      check(thread, entries);
    }
    if (!entries.isEmpty()) {
      problems.add("after kill %d: keys that nothing has put".formatted(kills));
    }
  }

  /** Checks the entries of a thread, and takes them out of the map. */
  private void check(int thread, Map<Long, byte[]> entries) {
    CacheWork work = new CacheWork(plan.seed(), thread, plan.keys());
    long inDoubt = judged[thread] + 1;
    work.choose(inDoubt);
    boolean isDone = false;
    boolean isUndone = false;
    for (int key = 0; key < plan.keys(); key++) {
      long number = plan.key(thread, key);
      byte[] found = entries.remove(number);
      if (found == null) {
        continue; // evicted, or not there
      }
      long of = CacheWork.operation(found);
      boolean isChanged = work.changes(key);
      boolean isLast = of == board.last(thread, key) && of != 0;
      boolean isNew = isChanged && of == inDoubt && work.kind() != CacheWork.Kind.REMOVE;
      isDone |= isNew;
      isUndone |= isChanged && !isNew;
      if (!(isLast || isNew) || !Arrays.equals(found, CacheWork.value(number, of))) {
        problems.add(
            "after kill %d: key %d has the value of operation %d, its last is %d"
                .formatted(kills, number, of, board.last(thread, key)));
      }
    }
    if (isDone && isUndone) {
      problems.add("after kill %d: a half of operation %d".formatted(kills, inDoubt));
    }
  }

  @Override
  public void close() {
    board.close();
  }
}
