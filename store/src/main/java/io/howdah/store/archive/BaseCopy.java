package io.howdah.store.archive;

import io.howdah.archive.ArchiveNames;
import io.howdah.archive.ArchiveTarget;
import io.howdah.checkpoint.BaseStart;
import io.howdah.checkpoint.CheckpointThread;
import io.howdah.core.Execution;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.ArchiveFrameLayout;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Copies a base to an archive, slice by slice. Commits and checkpoints go on between two slices. So
 * the pages may be of different checkpoints, and the log from the start of the base on completes
 * them (docs/protocol.md, R53). Used by one thread.
 */
final class BaseCopy implements AutoCloseable {

  private static final int SLICE_BYTES = ArchiveFrameLayout.SLICE_BYTES;
  private static final int PAGE_BYTES = Alignment.PAGE_BYTES;
  private static final int BITMAP_BYTES = BaseReader.bitmapBytes(PageDigests.SLICE_PAGES);

  private final CheckpointThread checkpoints;
  private final Execution execution;
  private final BaseStart start;
  private final long number;
  private final long endBytes;
  private final FrameWriter writer;
  private final StagingMemory memory;
  private final ByteBuffer pages;
  private final ByteBuffer payload;
  private final PageDigests digests = new PageDigests();

  /** The base that this one is compared with, or null. */
  private final @Nullable BaseDigests former;

  private final BaseChain chain;
  private long address;
  private long imageBytes;
  private long lsn = -1;

  /** A complete base, with which the next one is compared. */
  record Former(String object, BaseChain chain, long bytes) {}

  /**
   * Starts a base.
   *
   * @param compared the base whose pages are not copied again, or null
   */
  BaseCopy(
      ArchiveTarget target,
      RunId run,
      long number,
      BaseStart start,
      @Nullable Former compared,
      CheckpointThread checkpoints,
      Execution execution,
      PayloadCoding coding) {
    this.checkpoints = checkpoints;
    this.execution = execution;
    this.start = start;
    this.number = number;
    this.endBytes = Alignment.up(start.imageEndBytes(), PAGE_BYTES);
    BaseChain longer =
        compared == null ? BaseChain.NONE : BaseChain.behind(compared.object(), compared.chain());
    BaseDigests digestsOfFormer =
        longer.isEmpty() || compared == null
            ? null
            : new BaseDigests(target, compared.object(), compared.bytes(), coding);
    boolean isCompared = digestsOfFormer != null && digestsOfFormer.hasSome();
    if (digestsOfFormer != null && !isCompared) {
      digestsOfFormer.close();
    }
    this.former = isCompared ? digestsOfFormer : null;
    this.chain = isCompared ? longer : BaseChain.NONE;
    // Behind what reads the place and may fail: these have memory that only close() gives back.
    this.memory = new StagingMemory(); // the checkpoint's thread fills it
    this.pages = memory.allocate(SLICE_BYTES);
    this.payload = memory.allocate(SLICE_BYTES + 2 * BITMAP_BYTES);
    this.writer =
        new FrameWriter(target, ArchiveNames.base(run.number(), run.nonce(), number), run, coding);
  }

  /**
   * Copies the next slice; behind the last one, completes the base.
   *
   * @return whether something was done; false if a checkpoint must be completed first
   */
  boolean next() {
    if (writer.frames() == 0) {
      writer.append(
          FrameKind.BASE,
          number,
          start.imageEndBytes(),
          start.superblock().log().oldestBatch(),
          0,
          SuperblockFile.encode(start.superblock()));
      if (!chain.isEmpty()) {
        chain.encode(payload);
        writer.append(FrameKind.CHAIN, number, 0, 0, 0, payload);
      }
    }
    if (address == endBytes) {
      complete();
      return true;
    }
    int length = (int) Math.min(SLICE_BYTES, endBytes - address);
    if (!checkpoints.readPages(address, pages.clear().limit(length))) {
      return false;
    }
    if (digest(length / PAGE_BYTES)) {
      digests.encode(length / PAGE_BYTES, payload);
      writer.append(FrameKind.DIGESTS, address, length / PAGE_BYTES, 0, 0, payload);
      pack(length / PAGE_BYTES);
      writer.append(FrameKind.PAGES, address, length / PAGE_BYTES, 0, 0, payload);
      writer.force(); // a long force at the end would delay those of the store's log
    }
    address += length;
    return true;
  }

  /** Makes the digests of the pages that are not zeros; returns whether there are any. */
  private boolean digest(int count) {
    digests.clear();
    boolean isSome = false;
    for (int page = 0; page < count; page++) {
      if (!isZero(page * PAGE_BYTES)) {
        digests.set(page, pages);
        imageBytes += PAGE_BYTES;
        isSome = true;
      }
    }
    return isSome;
  }

  /** Fills the payload with the pages that are neither zeros nor in the base before. */
  private void pack(int count) {
    PageDigests ofFormer = former == null ? null : former.at(address);
    payload.clear();
    for (int i = 0; i < 2 * BITMAP_BYTES; i++) {
      payload.put(i, (byte) 0);
    }
    int at = 2 * BITMAP_BYTES;
    for (int page = 0; page < count; page++) {
      if (digests.isZero(page)) {
        continue;
      }
      if (ofFormer != null && digests.hasSame(page, ofFormer)) {
        set(BITMAP_BYTES, page);
      } else {
        set(0, page);
        payload.put(at, pages, page * PAGE_BYTES, PAGE_BYTES);
        at += PAGE_BYTES;
      }
    }
    payload.clear().limit(at);
  }

  private void set(int bitmap, int page) {
    int at = bitmap + page / Byte.SIZE;
    payload.put(at, (byte) (payload.get(at) | 1 << page % Byte.SIZE));
  }

  private boolean isZero(int from) {
    for (int at = from; at < from + PAGE_BYTES; at += Long.BYTES) {
      if (pages.getLong(at) != 0) {
        return false;
      }
    }
    return true;
  }

  private void complete() {
    // The pages first: where the end is, all of the base is.
    writer.force();
    Superblock end = checkpoints.state();
    lsn = Math.max(start.superblock().checkpoint().imageLsn(), end.checkpoint().imageLsn());
    writer.append(
        FrameKind.BASE_END,
        number,
        lsn,
        execution.wallClockMillis(),
        0,
        SuperblockFile.encode(end));
    writer.force();
  }

  /** Returns whether the base is complete and durable. */
  boolean isComplete() {
    return lsn >= 0;
  }

  /** Returns the smallest LSN as of which a complete base can be restored. */
  long lsn() {
    return lsn;
  }

  long bytes() {
    return writer.bytes();
  }

  /** Returns the length of the pages that are not zeros, whether or not they were copied. */
  long imageBytes() {
    return imageBytes;
  }

  /** Returns this base, complete, for the next one. */
  Former asFormer() {
    return new Former(writer.name(), chain, writer.bytes());
  }

  /** Returns the name of its object. */
  String object() {
    return writer.name();
  }

  /** Ends the copy, complete or not. */
  @Override
  public void close() {
    try (writer;
        memory) {
      if (former != null) {
        former.close();
      }
    }
  }
}
