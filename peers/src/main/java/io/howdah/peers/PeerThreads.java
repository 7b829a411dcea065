package io.howdah.peers;

import io.howdah.jmh.peers.PeerAnswer;
import io.howdah.jmh.peers.PeerSize;
import io.howdah.jmh.peers.PeerWorkload;
import io.howdah.jmh.workload.ThreadTeam;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import site.ycsb.generator.ScrambledZipfianGenerator;

/** What the threads of all workloads do with a store, the same for each store. */
final class PeerThreads {

  private static final int POOL_BYTES = 1 << 20;
  private static final double READS_OF_MIXED_50 = 0.5;
  private static final double READS_OF_MIXED_95 = 0.95;

  private final Peer peer;
  private final PeerSize size;
  private final byte[] pool;
  private final AtomicLong seeds = new AtomicLong(1);

  PeerThreads(Peer peer, PeerSize size) {
    this.peer = peer;
    this.size = size;
    pool = new byte[POOL_BYTES + size.valueBytes()];
    new SplittableRandom(0).nextBytes(pool);
  }

  /** Spreads neighbours over all keys: a bijection (the finalizer of SplitMix64). */
  private static long key(long entry) {
    long z = (entry ^ entry >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  /** A value that no compression makes smaller. */
  private byte[] value(SplittableRandom random) {
    int from = random.nextInt(POOL_BYTES);
    return Arrays.copyOfRange(pool, from, from + size.valueBytes());
  }

  long load(long first, long count, int batch) throws Exception {
    SplittableRandom random = new SplittableRandom(first);
    Peer.Session session = peer.session();
    long[] keys = new long[batch];
    byte[][] values = new byte[batch][];
    int filled = 0;
    for (long entry = first; entry < first + count; entry++) {
      keys[filled] = key(entry);
      values[filled++] = value(random);
      if (filled == batch || entry == first + count - 1) {
        session.put(keys, values, filled);
        filled = 0;
      }
    }
    session.release();
    return count;
  }

  /** Puts entries in the order of their keys. */
  long bulk(long first, long count) throws Exception {
    SplittableRandom random = new SplittableRandom(first);
    Peer.Session session = peer.session();
    session.putAscending(first, count, () -> value(random));
    for (long entry : new long[] {first, first + count - 1}) {
      byte[] value = session.get(entry);
      if (value == null || value.length != size.valueBytes()) {
        throw new IllegalStateException("entry " + entry + " of a bulk load is not there");
      }
    }
    session.release();
    return count;
  }

  /** Returns how many of these entries are there. */
  long count(long first, long count) throws Exception {
    Peer.Session session = peer.session();
    long found = 0;
    for (long entry = first; entry < first + count; entry++) {
      byte[] value = session.get(key(entry));
      found += value != null && value.length == size.valueBytes() ? 1 : 0;
    }
    session.release();
    return found;
  }

  PeerAnswer run(PeerWorkload workload, int threads, long nanos) throws Exception {
    ThreadTeam.Outcome outcome =
        ThreadTeam.run(
            threads,
            nanos,
            _ -> {
              SplittableRandom random = new SplittableRandom(seeds.getAndIncrement());
              return stop -> {
                Peer.Session session = peer.session();
                Operation operation = operation(workload, session, random);
                long operations = 0;
                do {
                  operation.run();
                  operations++;
                } while (!stop.isSet());
                session.release();
                return operations;
              };
            });
    return new PeerAnswer(outcome.operations(), outcome.nanos(), outcome.cpuNanos());
  }

  private interface Operation {
    void run() throws Exception;
  }

  private Operation operation(
      PeerWorkload workload, Peer.Session session, SplittableRandom random) {
    return switch (workload) {
      case GET -> () -> get(session, random.nextLong(size.entries()));
      case SCAN -> () -> session.scan(random.nextLong(), PeerWorkload.SCAN_ENTRIES);
      case PUT -> putting(session, random, 1);
      case PUT_8 -> putting(session, random, PeerWorkload.TRANSACTION_KEYS);
      case MIXED_50 -> mixed(session, random, READS_OF_MIXED_50);
      case MIXED_95 -> mixed(session, random, READS_OF_MIXED_95);
    };
  }

  private void get(Peer.Session session, long entry) throws Exception {
    byte[] value = session.get(key(entry));
    if (value == null || value.length != size.valueBytes()) {
      throw new IllegalStateException("entry " + entry + " is not there or has another length");
    }
  }

  private Operation putting(Peer.Session session, SplittableRandom random, int count) {
    long[] keys = new long[count];
    byte[][] values = new byte[count][];
    return () -> {
      for (int i = 0; i < count; i++) {
        keys[i] = key(random.nextLong(size.entries()));
        values[i] = value(random);
      }
      session.put(keys, values, count);
    };
  }

  private Operation mixed(Peer.Session session, SplittableRandom random, double reads) {
    ScrambledZipfianGenerator zipf = new ScrambledZipfianGenerator(0, size.entries() - 1);
    long[] keys = new long[1];
    byte[][] values = new byte[1][];
    return () -> {
      long entry = zipf.nextValue();
      if (random.nextDouble() < reads) {
        get(session, entry);
      } else {
        keys[0] = key(entry);
        values[0] = value(random);
        session.put(keys, values, 1);
      }
    };
  }
}
