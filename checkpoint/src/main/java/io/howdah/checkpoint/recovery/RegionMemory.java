package io.howdah.checkpoint.recovery;

import io.howdah.core.Region;
import io.howdah.core.layout.Alignment;
import io.howdah.core.report.LateLogger;
import io.howdah.core.storage.StorageException;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * Maps the region of a store, in full or in part. The maximum size of a store is a limit; an
 * opening need not map all of it. A kernel refuses a private mapping that is longer than the memory
 * it can provide, and a store of a large machine must open on a small one that has memory for its
 * data. So an opening tries the limit first. If that is refused, it maps the used part and as much
 * more as the kernel permits.
 */
final class RegionMemory {

  private static final LateLogger LOGGER = new LateLogger("io.howdah.checkpoint");

  private static final int PAGE_BYTES = Alignment.PAGE_BYTES;

  /** Minimum length of the unused part. If less is possible, only the used part is mapped. */
  private static final long MIN_GROWTH_BYTES = 1 << 20;

  /**
   * The mapped length divided by this must remain available for the rest of the process: threads,
   * rings, the heap.
   */
  private static final int SPARE_SHARE = 4;

  private final String store;
  private final long limitBytes;
  private final LongSupplier usedBytes;

  /**
   * Creates the memory of a store.
   *
   * @param store the name of the store, for messages
   * @param limitBytes maximum length of the region
   * @param usedBytes returns the end of the store's data; called at most once, and only if the
   *     limit cannot be mapped
   */
  RegionMemory(String store, long limitBytes, LongSupplier usedBytes) {
    this.store = store;
    this.limitBytes = limitBytes;
    this.usedBytes = usedBytes;
  }

  /**
   * Maps a region.
   *
   * @param map maps a number of bytes, a multiple of the length of a page, or throws a {@link
   *     StorageException} for {@link StorageException.Reason#NO_MEMORY}
   * @throws StorageException if not even the used part can be mapped
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
      if (growth < MIN_GROWTH_BYTES) {
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
