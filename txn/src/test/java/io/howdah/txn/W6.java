package io.howdah.txn;

import io.howdah.core.Region;
import io.howdah.core.storage.Regions;
import java.time.Duration;
import java.util.Arrays;

/**
 * Throughput of transactions that read and write six random words, beside the same loop without
 * transactions. For profiling: {@code java -cp ... io.howdah.txn.W6 [GiB] [seconds] [rounds]}.
 */
final class W6 {

  private static final int WORDS = 6;

  private W6() {}

  public static void main(String[] args) throws InterruptedException {
    long bytes = (args.length > 0 ? Integer.parseInt(args[0]) : 1L) << 30;
    double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 2;
    int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 5;
    StoreOptions options =
        StoreOptions.defaults().maxSize(bytes).closeTimeout(Duration.ofSeconds(1));
    try (Store store = Store.inMemory(options);
        Region raw = Regions.anonymous(bytes)) {
      raw.clear(0, bytes);
      long words = (bytes - 4096) >>> 3;
      for (long w = 0; w < words; w += 512) {
        long address = 4096 + (w << 3);
        store.run(tx -> tx.putLong(address, 1));
      }
      for (int threads = 1; threads <= 2; threads++) {
        double[] stm = new double[rounds];
        double[] loop = new double[rounds];
        for (int r = 0; r < rounds; r++) {
          loop[r] = measure(threads, seconds, () -> new Raw(raw, words));
          stm[r] = measure(threads, seconds, () -> new Stm(store, words));
        }
        System.out.printf(
            "threads %d: raw %s M/s, transactions %s M/s, ratio of medians %.3f%n",
            threads, show(loop), show(stm), median(stm) / median(loop));
      }
      System.out.println(store.stats());
    }
  }

  private static String show(double[] rates) {
    double[] sorted = rates.clone();
    Arrays.sort(sorted);
    return String.format(
        "%.2f (%.2f-%.2f)", median(rates) / 1e6, sorted[0] / 1e6, sorted[sorted.length - 1] / 1e6);
  }

  private static double median(double[] rates) {
    double[] sorted = rates.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private interface Work {
    void once();
  }

  private static double measure(
      int threads, double seconds, java.util.function.Supplier<Work> factory)
      throws InterruptedException {
    long[] counts = new long[threads * 16];
    Thread[] all = new Thread[threads];
    long start = System.nanoTime();
    for (int t = 0; t < threads; t++) {
      int at = t * 16;
      Work work = factory.get();
      all[t] =
          new Thread(
              () -> {
                long n = 0;
                while (System.nanoTime() - start < seconds * 1e9) {
                  for (int i = 0; i < 256; i++) {
                    work.once();
                  }
                  n += 256;
                }
                counts[at] = n;
              });
    }
    for (Thread t : all) {
      t.start();
    }
    for (Thread t : all) {
      t.join();
    }
    return Arrays.stream(counts).sum() / ((System.nanoTime() - start) / 1e9);
  }

  private abstract static class Randomised implements Work {
    private final long words;
    private long state = System.nanoTime() | 1;
    final long[] addresses = new long[WORDS];

    Randomised(long words) {
      this.words = words;
    }

    void draw() {
      for (int i = 0; i < WORDS; i++) {
        state ^= state << 13;
        state ^= state >>> 7;
        state ^= state << 17;
        addresses[i] = 4096 + (Math.unsignedMultiplyHigh(state, words) << 3);
      }
    }
  }

  private static final class Raw extends Randomised {
    private final Region region;

    Raw(Region region, long words) {
      super(words);
      this.region = region;
    }

    @Override
    public void once() {
      draw();
      long sum = 0;
      for (long a : addresses) {
        sum += region.getLongOpaque(a);
      }
      for (long a : addresses) {
        region.setLongOpaque(a, sum);
      }
    }
  }

  private static final class Stm extends Randomised implements TxBody<RuntimeException> {
    private final Store store;

    Stm(Store store, long words) {
      super(words);
      this.store = store;
    }

    @Override
    public void once() {
      draw();
      store.run(Durability.ASYNC, this);
    }

    @Override
    public void run(Tx tx) {
      long sum = 0;
      for (long a : addresses) {
        sum += tx.getLong(a);
      }
      for (long a : addresses) {
        tx.putLong(a, sum);
      }
    }
  }
}
