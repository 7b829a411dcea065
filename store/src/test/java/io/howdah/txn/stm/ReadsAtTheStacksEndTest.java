package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.core.Execution;
import io.howdah.testkit.schedule.SystemThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What only reads keeps no reserve of the stack. Where that ends in the middle of it, the attempt
 * cannot be given back, and yet nothing is lost, nor does closing wait for it.
 */
@Timeout(300)
final class ReadsAtTheStacksEndTest {

  /** All threads look for attempts in one place, so none has reason to make another. */
  private static final class OneGroup extends SystemThreads {
    @Override
    public Thread start(String name, Runnable body) {
      return Execution.system().start(name, body);
    }

    @Override
    public int threadGroup(int groups) {
      return 0;
    }
  }

  private static final int HOT = 100_000;
  private static final int THREADS = 150;

  /** Fewer than are lost by so many threads. */
  private static final int MOST_CONTEXTS = 16;

  private static final long STACK_BYTES = 256 << 10;

  @Test
  void closingDoesNotWaitForThem() throws Exception {
    Store store =
        Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 22).withExecution(new OneGroup()));
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    store.run(tx -> map.put(tx, 1L, 11L));
    for (int i = 0; i < HOT; i++) {
      assertThat(read(store, map)).isEqualTo(11L);
    }
    for (int i = 0; i < THREADS; i++) {
      Thread thread = new Thread(null, () -> overflow(store, map), "overflowing", STACK_BYTES);
      thread.start();
      thread.join();
    }
    assertThat(read(store, map)).isEqualTo(11L);
    assertThat(newestOf(store)).as("contexts made").isLessThan(MOST_CONTEXTS);
    assertThat(store.close(Duration.ofSeconds(20))).isTrue();
  }

  /** Returns the largest number of some attempts taken at once, so that one of them is new. */
  private static int newestOf(Store store) {
    int newest = 0;
    List<Session> taken = new ArrayList<>();
    for (int i = 0; i < MOST_CONTEXTS / 2; i++) {
      Session session = store.session();
      newest = Math.max(newest, TxHandle.of(session.begin()).words().id);
      taken.add(session);
    }
    taken.forEach(Session::close);
    return newest;
  }

  private static Long read(Store store, PersistentMap<Long, Long> map) {
    return store.read(tx -> map.getOrDefault(tx, 1L, 0L));
  }

  @SuppressWarnings("EmptyCatch") // that is what it is for
  private static void overflow(Store store, PersistentMap<Long, Long> map) {
    try {
      descend(store, map, 0);
    } catch (StackOverflowError e) {
      // The end.
    }
  }

  @SuppressWarnings("InfiniteRecursion") // up to the stack's end
  private static long descend(Store store, PersistentMap<Long, Long> map, int depth) {
    return read(store, map) + descend(store, map, depth + 1) + depth;
  }
}
