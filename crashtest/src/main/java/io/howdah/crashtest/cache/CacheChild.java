package io.howdah.crashtest.cache;

import io.howdah.Store;
import io.howdah.collections.PersistentCache;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The program that is killed: opens the store, removes the keys of the operations that were in
 * doubt, and does operations for ever. Ends by itself when its standard input ends, or when a
 * look-up returns what it must not.
 */
public final class CacheChild {

  private static final int EXIT_WRONG = 3;

  private final Store store;
  private final PersistentCache<Long, byte[]> cache;
  private final CacheBoard board;
  private final CacheKills.Plan plan;

  private CacheChild(
      Store store, PersistentCache<Long, byte[]> cache, CacheBoard board, CacheKills.Plan plan) {
    this.store = store;
    this.cache = cache;
    this.board = board;
    this.plan = plan;
  }

  /** Returns what {@link #main} takes. */
  static List<String> arguments(Path store, Path board, CacheKills.Plan plan) {
    return List.of(
        store.toString(),
        board.toString(),
        Long.toString(plan.seed()),
        Integer.toString(plan.threads()),
        Integer.toString(plan.keys()),
        Integer.toString(plan.maxEntries()),
        Long.toString(plan.maxBytes()));
  }

  /** Runs until it is killed. */
  public static void main(String[] args) throws IOException {
    CacheKills.Plan plan =
        new CacheKills.Plan(
            Long.parseLong(args[2]),
            Integer.parseInt(args[3]),
            Integer.parseInt(args[4]),
            Integer.parseInt(args[5]),
            Long.parseLong(args[6]));
    CacheBoard board = new CacheBoard(Path.of(args[1]), plan.threads(), plan.keys());
    Store store = Store.open(Path.of(args[0]), plan.options());
    CacheChild child = new CacheChild(store, plan.open(store), board, plan);
    for (int thread = 0; thread < plan.threads(); thread++) {
      child.settle(thread);
    }
    board.running(true);
    for (int thread = 0; thread < plan.threads(); thread++) {
      int number = thread;
      Thread.ofPlatform().daemon().start(() -> child.runForEver(number));
    }
    while (System.in.read() >= 0) {
      // Nothing is ever sent; the end of it means that the other side is gone.
    }
    Runtime.getRuntime().halt(0);
  }

  /** Removes the keys of the operation that was in doubt, and cancels it. */
  private void settle(int thread) {
    long inDoubt = board.acknowledged(thread) + 1;
    CacheWork work = new CacheWork(plan.seed(), thread, plan.keys());
    work.choose(inDoubt);
    if (work.kind() != CacheWork.Kind.GET) {
      store.run(
          tx -> {
            for (int i = 0; i < work.count(); i++) {
              boolean _ = cache.remove(tx, plan.key(thread, work.key(i)));
            }
          });
      board.cancelled(thread, inDoubt);
    }
    board.acknowledged(thread, inDoubt);
  }

  private void runForEver(int thread) {
    try {
      CacheWork work = new CacheWork(plan.seed(), thread, plan.keys());
      long[] last = new long[plan.keys()];
      Arrays.setAll(last, key -> board.last(thread, key));
      work.choose(board.acknowledged(thread));
      for (int i = 0; i < work.count() && work.kind() != CacheWork.Kind.GET; i++) {
        last[work.key(i)] = 0; // it was cancelled
      }
      for (long operation = board.acknowledged(thread) + 1; ; operation++) {
        work.choose(operation);
        run(thread, work, operation, last);
        board.acknowledged(thread, operation);
      }
    } catch (RuntimeException | Error e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(EXIT_WRONG);
    }
  }

  private void run(int thread, CacheWork work, long operation, long[] last) {
    long key = plan.key(thread, work.key(0));
    switch (work.kind()) {
      case GET -> {
        byte[] found = cache.get(key);
        long expected = last[work.key(0)];
        if (found != null
            && (expected == 0 || !Arrays.equals(found, CacheWork.value(key, expected)))) {
          throw new IllegalStateException(
              "operation %d of thread %d finds under key %d the value of operation %d, after %d"
                  .formatted(operation, thread, key, CacheWork.operation(found), expected));
        }
      }
      case PUT -> cache.put(key, CacheWork.value(key, operation));
      case PUT_SOME ->
          store.run(
              tx -> {
                for (int i = 0; i < work.count(); i++) {
                  long each = plan.key(thread, work.key(i));
                  cache.put(tx, each, CacheWork.value(each, operation));
                }
              });
      case REMOVE -> {
        boolean _ = cache.remove(key);
      }
    }
    for (int i = 0; i < work.count() && work.kind() != CacheWork.Kind.GET; i++) {
      last[work.key(i)] = work.lastAfter(operation);
    }
  }
}
