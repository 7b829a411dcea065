package io.howdah.store.archive;

import io.howdah.archive.ArchiveNames;
import io.howdah.archive.ArchiveTarget;
import io.howdah.checkpoint.BaseStart;
import io.howdah.checkpoint.CheckpointThread;
import io.howdah.core.Execution;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import java.nio.ByteBuffer;

/**
 * Copies a base to an archive, slice by slice. Commits and checkpoints go on between two slices. So
 * the pages may be of different checkpoints, and the log from the start of the base on completes
 * them (docs/protocol.md, R53). Used by one thread.
 */
final class BaseCopy implements AutoCloseable {

  private static final int SLICE_BYTES = 1 << 20;
  private static final int PAGE_BYTES = Alignment.PAGE_BYTES;

  private final CheckpointThread checkpoints;
  private final Execution execution;
  private final BaseStart start;
  private final long number;
  private final long endBytes;
  private final FrameWriter writer;
  private final StagingMemory memory = new StagingMemory(); // the checkpoint's thread fills it
  private final ByteBuffer pages = memory.allocate(SLICE_BYTES);
  private final ByteBuffer payload =
      memory.allocate(SLICE_BYTES + SLICE_BYTES / PAGE_BYTES / Byte.SIZE);
  private long address;
  private long lsn = -1;

  BaseCopy(
      ArchiveTarget target,
      RunId run,
      long number,
      BaseStart start,
      CheckpointThread checkpoints,
      Execution execution,
      PayloadCoding coding) {
    this.checkpoints = checkpoints;
    this.execution = execution;
    this.start = start;
    this.number = number;
    this.endBytes = Alignment.up(start.imageEndBytes(), PAGE_BYTES);
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
    }
    if (address == endBytes) {
      complete();
      return true;
    }
    int length = (int) Math.min(SLICE_BYTES, endBytes - address);
    if (!checkpoints.readPages(address, pages.clear().limit(length))) {
      return false;
    }
    if (pack(length)) {
      writer.append(FrameKind.PAGES, address, length / PAGE_BYTES, 0, 0, payload);
      writer.force(); // a long force at the end would delay those of the store's log
    }
    address += length;
    return true;
  }

  /** Fills the payload with the pages that are not zeros; returns whether there are any. */
  private boolean pack(int length) {
    int count = length / PAGE_BYTES;
    int at = bitmapBytes(count);
    payload.clear();
    for (int i = 0; i < at; i++) {
      payload.put(i, (byte) 0);
    }
    int bitmap = at;
    for (int page = 0; page < count; page++) {
      if (!isZero(page * PAGE_BYTES)) {
        payload.put(
            page / Byte.SIZE, (byte) (payload.get(page / Byte.SIZE) | 1 << page % Byte.SIZE));
        payload.put(at, pages, page * PAGE_BYTES, PAGE_BYTES);
        at += PAGE_BYTES;
      }
    }
    payload.clear().limit(at);
    return at > bitmap;
  }

  /** Returns the length of the bits for some pages. */
  static int bitmapBytes(int pages) {
    return (int) Alignment.up((pages + Byte.SIZE - 1) / Byte.SIZE, Long.BYTES);
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

  /** Returns the name of its object. */
  String object() {
    return writer.name();
  }

  /** Ends the copy, complete or not. */
  @Override
  public void close() {
    memory.close();
    writer.close();
  }
}
