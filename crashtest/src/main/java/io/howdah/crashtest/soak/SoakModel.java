package io.howdah.crashtest.soak;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** What the structures of a worker hold after some operations. For one thread. */
final class SoakModel implements SoakTarget {

  private final SoakWork work;
  private final Map<Integer, Long> map = new HashMap<>();
  private final Map<Integer, Long> sorted = new HashMap<>();
  private final Deque<Long> queue = new ArrayDeque<>();
  private final Map<Integer, Long> objects = new HashMap<>();
  private final Map<Integer, Long> indexed = new HashMap<>();
  private final Map<Integer, Long> expiring = new HashMap<>();
  private final Map<Long, Long> grown = new HashMap<>();
  private final long[] shared = new long[SoakWork.SHARED_WORDS];
  private byte[] blob = {};
  private long done;

  SoakModel(SoakWork work) {
    this.work = work;
  }

  /** Goes on until an operation is done. */
  void advance(long n) {
    while (done < n) {
      work.apply(this, done + 1);
    }
  }

  /** Returns how many operations it has done. */
  long done() {
    return done;
  }

  /** Returns what the worker has added to a word that all share. */
  long shared(int word) {
    return shared[word];
  }

  /** Returns the digest of a part. */
  long digest(SoakPart part) {
    return switch (part) {
      case MAP -> texts(map);
      case SORTED -> texts(sorted);
      case QUEUE -> {
        long hash = 0;
        for (long element : queue) {
          hash = SoakWork.hash(hash, element);
        }
        yield hash;
      }
      case BLOB -> blob(blob);
      case OBJECTS -> texts(objects);
      case INDEXED -> texts(indexed);
      case EXPIRING -> numbers(expiring);
      case GROWN -> {
        long sum = 0;
        for (Map.Entry<Long, Long> entry : grown.entrySet()) {
          sum += SoakWork.hash(entry.getKey(), entry.getValue());
        }
        yield sum;
      }
    };
  }

  static long blob(byte[] bytes) {
    long hash = bytes.length;
    for (byte b : bytes) {
      hash = hash * 31 + b;
    }
    return SoakWork.mix(hash);
  }

  private long texts(Map<Integer, Long> entries) {
    long sum = 0;
    for (Map.Entry<Integer, Long> entry : entries.entrySet()) {
      long key = SoakWork.sharedKey(work.worker(), entry.getKey());
      sum += SoakWork.hash(key, SoakWork.hash(SoakWork.text(key, entry.getValue())));
    }
    return sum;
  }

  private long numbers(Map<Integer, Long> entries) {
    long sum = 0;
    for (Map.Entry<Integer, Long> entry : entries.entrySet()) {
      sum += SoakWork.hash(SoakWork.sharedKey(work.worker(), entry.getKey()), entry.getValue());
    }
    return sum;
  }

  @Override
  public void put(int key, long n) {
    map.put(key, n);
  }

  @Override
  public void remove(int key) {
    map.remove(key);
  }

  @Override
  public void sortedPut(int key, long n) {
    sorted.put(key, n);
  }

  @Override
  public void sortedRemove(int key) {
    sorted.remove(key);
  }

  @Override
  public void add(long n) {
    queue.add(n);
  }

  @Override
  public void poll() {
    queue.poll();
  }

  @Override
  public void blobWrite(int offset, int length, long n) {
    if (length == 0) {
      return;
    }
    if (blob.length < offset + length) {
      blob = Arrays.copyOf(blob, offset + length);
    }
    System.arraycopy(SoakWork.bytes(length, n), 0, blob, offset, length);
  }

  @Override
  public void blobTruncate(int length) {
    if (length < blob.length) {
      blob = Arrays.copyOf(blob, length);
    }
  }

  @Override
  public void object(int key, long n) {
    objects.put(key, n);
  }

  @Override
  public void freeObject(int key) {
    objects.remove(key);
  }

  @Override
  public void indexedPut(int key, long n) {
    indexed.put(key, n);
  }

  @Override
  public void indexedRemove(int key) {
    indexed.remove(key);
  }

  @Override
  public void expiringPut(int key, long n, int millis) {
    expiring.put(key, n);
  }

  @Override
  public void expiringRemove(int key) {
    expiring.remove(key);
  }

  @Override
  public void grow(long key, long n) {
    grown.put(key, n);
  }

  @Override
  public void clearGrown() {
    grown.clear();
  }

  @Override
  public void transfer(int from, int to, long amount) {
    shared[from] -= amount;
    shared[to] += amount;
  }

  @Override
  public void done(long n) {
    done = n;
  }
}
