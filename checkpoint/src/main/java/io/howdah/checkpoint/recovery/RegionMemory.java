package io.howdah.checkpoint.recovery;

import io.howdah.core.Region;
import io.howdah.core.layout.Alignment;
import io.howdah.core.report.LateLogger;
import io.howdah.core.storage.StorageException;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * How much of a region an opening maps. The size that a store was made for is a limit, not what has
 * to be mapped: a kernel refuses a private mapping of more than it thinks it can back, and a store
 * made on a large machine has to open on a small one that what is in it fits. So an opening tries
 * the limit first; where that is refused, it maps what is used and as much beyond as it can get.
 */
final class RegionMemory {

  private static final LateLogger LOGGER = new LateLogger("io.howdah.checkpoint");

  private static final int PAGE_BYTES = Alignment.PAGE_BYTES;

  /** Room to grow of less is not tried for. */
  private static final long LEAST_GROWTH_BYTES = 1 << 20;

  /** Part of what is mapped that is left to the rest of the process: threads, rings, the heap. */
  private static final int SPARE_SHARE = 4;

  private final String store;
  private final long limitBytes;
  private final LongSupplier usedBytes;

  /**
   * Creates one.
   *
   * @param store its name, for messages
   * @param limitBytes that the region may have at most
   * @param usedBytes how far up the store's data reach; asked at most once, and only if less than
   *     the limit can be mapped
   */
  RegionMemory(String store, long limitBytes, LongSupplier usedBytes) {
    this.store = store;
    this.limitBytes = limitBytes;
    this.usedBytes = usedBytes;
  }

  /**
   * Maps a region.
   *
   * @param map maps so many bytes, a multiple of the page's length, or throws a {@link
   *     StorageException} for {@link StorageException.Reason#NO_MEMORY}
   * @throws StorageException if not even what is used can be mapped
   */
  Region map(LongFunction<Region> map) {
    try {
      return map.apply(limitBytes);
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.NO_MEMORY) {
        throw e;
      }
      return mapLess(map, e);
    }
  }

  private Region mapLess(LongFunction<Region> map, StorageException refusal) {
    long used = Math.min(Alignment.up(usedBytes.getAsLong(), PAGE_BYTES), limitBytes);
    long growth = limitBytes - used;
    StorageException last = refusal;
    while (growth > 0) {
      growth = growth / 2 & -PAGE_BYTES;
      if (growth < LEAST_GROWTH_BYTES) {
        growth = 0;
      }
      long length = used + growth;
      try {
        if (growth > 0) {
          long spare = Alignment.up(length / SPARE_SHARE, PAGE_BYTES);
          map.apply(Math.min(length + spare, limitBytes)).close();
        }
        Region region = map.apply(length);
        LOGGER
            .get()
            .log(
                System.Logger.Level.WARNING,
                "{0}: this opening could map only {1} of {2} bytes (maxSize), of which {3} are"
                    + " used, because the kernel refuses more address space ({4}); blocks beyond"
                    + " get RegionFullException",
                store,
                Long.toString(length),
                Long.toString(limitBytes),
                Long.toString(used),
                String.valueOf(refusal.getMessage()));
        return region;
      } catch (StorageException e) {
        if (e.reason() != StorageException.Reason.NO_MEMORY) {
          throw e;
        }
        last = e;
      }
    }
    throw new StorageException(
        StorageException.Reason.NO_MEMORY, "map the " + used + " bytes in use of " + store, last);
  }
}
