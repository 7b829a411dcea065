package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.ImageFile;
import io.howdah.checkpoint.ImageSums;
import io.howdah.checkpoint.RegionImage;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Loads the image into a region. It uses two threads for each processor, each with a buffer of one
 * megabyte: while one half of them waits for the disk, the other half verifies pages and copies
 * them to memory, which the system allocates at the first access.
 */
final class ImageLoad {

  private static final long STRIPE_BYTES = 8 << 20;
  private static final long PARK_NANOS = 1_000_000;
  private static final int THREADS_PER_PROCESSOR = 2;

  private final Storage storage;
  private final Region region;
  private final long endBytes;
  private final int pageBytes;
  private final boolean checked;
  private final Execution execution;
  private final AtomicLong nextStripe = new AtomicLong();
  private final Thread caller = Thread.currentThread();

  private ImageLoad(
      Storage storage,
      Region region,
      long endBytes,
      int pageBytes,
      boolean checked,
      Execution execution) {
    this.storage = storage;
    this.region = region;
    this.endBytes = endBytes;
    this.pageBytes = pageBytes;
    this.checked = checked;
    this.execution = execution;
  }

  /**
   * Loads the first {@code endBytes} of the image.
   *
   * @param checked whether to verify its pages against their checksums
   */
  static void load(
      Storage storage,
      Region region,
      long endBytes,
      int pageBytes,
      boolean checked,
      Execution execution) {
    new ImageLoad(storage, region, endBytes, pageBytes, checked, execution).run();
  }

  private void run() {
    List<Helper> helpers = new ArrayList<>();
    long threads = (long) THREADS_PER_PROCESSOR * execution.availableProcessors();
    long useful = Math.min(threads, endBytes / STRIPE_BYTES);
    try {
      for (int i = 1; i < useful; i++) {
        helpers.add(new Helper());
      }
      stripes();
    } catch (Throwable t) {
      nextStripe.set(endBytes / STRIPE_BYTES + 1); // ends the other threads
      throw t;
    } finally {
      // The region may be closed once this returns.
      helpers.forEach(Helper::join);
    }
    helpers.forEach(Helper::failIfFailed);
  }

  private void stripes() {
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.open(ImageFile.NAME, Storage.Access.DIRECT);
        ImageSums sums = new ImageSums(storage, Storage.Access.READ, memory, pageBytes)) {
      ByteBuffer staging = RegionImage.staging(memory, endBytes);
      for (long from = stripe(); from < endBytes; from = stripe()) {
        RegionImage.load(
            file,
            checked ? sums : null,
            region,
            from,
            Math.min(from + STRIPE_BYTES, endBytes),
            pageBytes,
            staging);
      }
    } catch (Throwable t) {
      nextStripe.set(endBytes / STRIPE_BYTES + 1); // ends the other threads
      throw t;
    }
  }

  private long stripe() {
    return nextStripe.getAndIncrement() * STRIPE_BYTES;
  }

  private final class Helper {

    private volatile boolean ended;
    private volatile @Nullable Throwable failure;
    private final Thread thread;

    Helper() {
      this.thread = execution.start("howdah-image-loader", this::run);
    }

    private void run() {
      try {
        stripes();
      } catch (Throwable t) {
        // Not rethrown: failIfFailed throws it to the caller.
        failure = t;
      } finally {
        ended = true;
        execution.unpark(caller);
      }
    }

    void join() {
      while (!ended) {
        execution.unpark(thread);
        execution.parkNanos(this, PARK_NANOS);
      }
    }

    void failIfFailed() {
      Throwable cause = failure;
      if (cause instanceof RuntimeException e) {
        throw e;
      }
      if (cause instanceof Error e) {
        throw e;
      }
    }
  }
}
