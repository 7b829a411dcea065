package io.howdah.crashtest.soak;

import io.howdah.collections.PersistentMap;
import io.howdah.collections.Range;
import io.howdah.crashtest.soak.SoakStore.Item;
import io.howdah.txn.Tx;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a store of the soak holds: digests of each worker's parts, and what disagrees with itself.
 * Immutable once it is handed out.
 */
final class SoakContent {

  private final long[] done;
  private final long[][] digests;
  private final long[] shared;
  private final List<String> problems;

  /**
   * Takes what was read.
   *
   * @param done operations of each worker
   * @param digests of each worker's parts, by {@link SoakPart#index}
   * @param shared the words that all workers share
   * @param problems that need no model to be seen
   */
  SoakContent(long[] done, long[][] digests, long[] shared, List<String> problems) {
    this.done = done.clone();
    this.digests = digests.clone();
    this.shared = shared.clone();
    this.problems = List.copyOf(problems);
  }

  /**
   * Reads all of a store, in one transaction.
   *
   * @param clock stands still meanwhile
   */
  static SoakContent of(SoakStore soak, InstantSource clock) {
    return soak.store.read(tx -> new Reader(soak, clock.millis()).read(tx));
  }

  /** Returns how many operations of a worker there are. */
  long done(int worker) {
    return done[worker];
  }

  /** Returns the digest of a worker's part. */
  long digest(int worker, SoakPart part) {
    return digests[worker][part.index()];
  }

  /** Returns a word that all workers share. */
  long shared(int word) {
    return shared[word];
  }

  /** Returns what disagrees with itself. */
  List<String> problems() {
    return problems;
  }

  /** Returns what differs from models. */
  List<String> differences(List<SoakModel> models) {
    List<String> found = new ArrayList<>(problems);
    for (int worker = 0; worker < models.size(); worker++) {
      SoakModel model = models.get(worker);
      for (SoakPart part : SoakPart.values()) {
        if (digest(worker, part) != model.digest(part)) {
          found.add(
              "worker %d: %s is not what %d operations make it"
                  .formatted(worker, part, model.done()));
        }
      }
    }
    for (int word = 0; word < shared.length; word++) {
      long sum = 0;
      for (SoakModel model : models) {
        sum += model.shared(word);
      }
      if (sum != shared[word]) {
        found.add("shared word %d holds %d instead of %d".formatted(word, shared[word], sum));
      }
    }
    return found;
  }

  /** One reading. */
  private static final class Reader {

    private final SoakStore soak;
    private final long now;
    private final long[][] digests;
    private final List<String> problems = new ArrayList<>();

    Reader(SoakStore soak, long now) {
      this.soak = soak;
      this.now = now;
      this.digests = new long[soak.workers][SoakPart.values().length];
    }

    SoakContent read(Tx tx) {
      long[] done = new long[soak.workers];
      for (int worker = 0; worker < soak.workers; worker++) {
        done[worker] = soak.done(tx, worker);
        own(tx, worker);
      }
      long[] shared = new long[SoakWork.SHARED_WORDS];
      for (int word = 0; word < shared.length; word++) {
        shared[word] = soak.shared(tx, word);
      }
      texts(tx, SoakPart.MAP, soak.map);
      texts(tx, SoakPart.INDEXED, soak.indexed);
      sorted(tx);
      objects(tx);
      index(tx);
      expiring(tx);
      return new SoakContent(done, digests, shared, problems);
    }

    private void add(SoakPart part, long key, long value) {
      int worker = SoakWork.workerOf(key);
      if (worker < 0 || worker >= digests.length) {
        problems.add(part + " has the key " + key + ", which no worker writes");
      } else {
        digests[worker][part.index()] += SoakWork.hash(key, value);
      }
    }

    private void size(SoakPart part, long size, long found) {
      if (size != found) {
        problems.add("%s says it has %d entries, and shows %d".formatted(part, size, found));
      }
    }

    private void own(Tx tx, int worker) {
      long[] hash = {0};
      List<Long> elements = soak.queues.get(worker).stream(tx).toList();
      for (long element : elements) {
        hash[0] = SoakWork.hash(hash[0], element);
      }
      size(SoakPart.QUEUE, soak.queues.get(worker).size(tx), elements.size());
      digests[worker][SoakPart.QUEUE.index()] = hash[0];
      int length = Math.toIntExact(soak.blobs.get(worker).length(tx));
      digests[worker][SoakPart.BLOB.index()] =
          SoakModel.blob(soak.blobs.get(worker).read(tx, 0, length));
      long[] found = {0};
      PersistentMap<Long, Long> grown = soak.grown.get(worker);
      grown.forEach(
          tx,
          (key, n) -> {
            found[0]++;
            digests[worker][SoakPart.GROWN.index()] += SoakWork.hash(key, n);
          });
      size(SoakPart.GROWN, grown.size(tx), found[0]);
    }

    private void texts(Tx tx, SoakPart part, PersistentMap<Long, String> map) {
      long[] found = {0};
      map.forEach(
          tx,
          (key, text) -> {
            found[0]++;
            add(part, key, SoakWork.hash(text));
          });
      size(part, map.size(tx), found[0]);
    }

    private void sorted(Tx tx) {
      List<Long> up = new ArrayList<>();
      soak.sorted
          .entries(tx)
          .forEach(
              entry -> {
                up.add(entry.getKey());
                add(SoakPart.SORTED, entry.getKey(), SoakWork.hash(entry.getValue()));
              });
      List<Long> down =
          soak.sorted.range(tx, Range.reversed(Range.all())).map(Map.Entry::getKey).toList();
      if (!up.equals(down.reversed()) || !up.equals(up.stream().sorted().toList())) {
        problems.add("SORTED shows other keys upwards than downwards, or in another order");
      }
      size(SoakPart.SORTED, soak.sorted.size(tx), up.size());
    }

    private void objects(Tx tx) {
      long[] found = {0};
      soak.objects.forEach(
          tx,
          (key, item) -> {
            found[0]++;
            add(SoakPart.OBJECTS, key, SoakWork.hash(text(key, item)));
          });
      size(SoakPart.OBJECTS, soak.objects.size(tx), found[0]);
    }

    private String text(long key, Item item) {
      String text = String.valueOf(item.text());
      if (!text.startsWith(key + ":" + item.number() + ":")) {
        problems.add("OBJECTS: that of key %d has the number %d".formatted(key, item.number()));
      }
      return text;
    }

    /** The index shows the entries of the map, in its own order. */
    private void index(Tx tx) {
      long[] sums = {0, 0, 0};
      soak.indexed.forEach(tx, (key, text) -> sums[0] += SoakWork.hash(key, SoakWork.hash(text)));
      long[] group = {Long.MIN_VALUE};
      soak.byGroup
          .entries(tx)
          .forEach(
              entry -> {
                sums[1] += SoakWork.hash(entry.getKey(), SoakWork.hash(entry.getValue()));
                sums[2]++;
                long of = SoakStore.group(entry.getValue());
                if (of < group[0]) {
                  problems.add("the index shows group " + of + " after " + group[0]);
                }
                group[0] = of;
              });
      if (sums[0] != sums[1]) {
        problems.add("the index shows other entries than its map");
      }
      size(SoakPart.INDEXED, soak.indexed.size(tx), sums[2]);
    }

    /** An entry is there until its time comes, which stands in another map. */
    private void expiring(Tx tx) {
      long[] shown = {0, 0};
      soak.expiries.forEach(
          tx,
          (key, text) -> {
            String[] parts = text.split(":", -1);
            long n = Long.parseLong(parts[0]);
            add(SoakPart.EXPIRING, key, n);
            Long found = soak.expiring.get(tx, key);
            boolean lives = Long.parseLong(parts[1]) > now;
            if (lives ? found == null || found != n : found != null) {
              problems.add(
                  "EXPIRING: key %d holds %s at %d, written %s".formatted(key, found, now, text));
            }
            shown[0] += lives ? 1 : 0;
          });
      soak.expiring.forEach(tx, (_, _) -> shown[1]++);
      size(SoakPart.EXPIRING, shown[0], shown[1]);
    }
  }
}
