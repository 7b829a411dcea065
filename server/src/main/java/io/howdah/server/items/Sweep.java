package io.howdah.server.items;

import io.howdah.Store;
import io.howdah.collections.PersistentSortedMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A way through all keys, in their order, over and over. Forgotten when the server stops. */
public final class Sweep {

  private static final int BATCH = 64;

  private final Store store;
  private final PersistentSortedMap<byte[], Byte> keys;
  private final Queue<byte[]> ahead = new ArrayDeque<>();
  private byte @Nullable [] last;

  Sweep(Store store, PersistentSortedMap<byte[], Byte> keys) {
    this.store = store;
    this.keys = keys;
  }

  /** Returns the next key, after the last one the first again; null if there is none. */
  synchronized byte @Nullable [] next() {
    if (ahead.isEmpty()) {
      ahead.addAll(next(BATCH));
      if (ahead.isEmpty()) {
        ahead.addAll(next(BATCH)); // from the start
      }
    }
    return ahead.poll();
  }

  /** Returns the next keys; fewer at the end, after which it starts again. */
  synchronized List<byte[]> next(int most) {
    byte[] from = last;
    List<byte[]> found =
        store.read(
            ItemStore.READS,
            tx -> {
              List<byte[]> batch = new ArrayList<>();
              Map.Entry<byte[], Byte> first = from == null ? null : keys.higher(tx, from);
              if (from != null && first == null) {
                return batch;
              }
              keys.scan(
                  tx,
                  first == null ? null : first.getKey(),
                  null,
                  (key, _) -> {
                    batch.add(key);
                    return batch.size() < most;
                  });
              return batch;
            });
    last = found.size() < most ? null : found.getLast();
    return found;
  }
}
