import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.workload.TracedHeap;
import io.howdah.nvmsim.workload.TransactionalWorkload;
import io.howdah.nvmsim.workload.WorkloadProvider;

/** Each operation adds one to a random counter of its own line, and to the total. */
public final class RingOfCounters implements WorkloadProvider {
  private static final int LINE = 64;

  @Override
  public String name() {
    return "counters";
  }

  @Override
  public TransactionalWorkload create(TracedHeap heap, int footprintBytes) {
    int counters = footprintBytes / LINE;
    long total = heap.reserve(LINE, LINE);
    long first = heap.reserve((long) counters * LINE, LINE);
    return new TransactionalWorkload() {
      @Override
      public void populate(SplitMix random) {
        for (int i = 0; i < counters; i++) {
          heap.store(first + (long) i * LINE, 0);
        }
      }

      @Override
      public void operate(SplitMix random) {
        add(first + (long) random.below(counters) * LINE);
        add(total);
      }

      private void add(long address) {
        heap.store(address, heap.load(address) + 1);
      }

      @Override
      public void check() {
        long sum = 0;
        for (int i = 0; i < counters; i++) {
          sum += heap.load(first + (long) i * LINE);
        }
        if (sum != heap.load(total)) {
          throw new IllegalStateException("counters add up to " + sum);
        }
      }
    };
  }
}
