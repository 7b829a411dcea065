package io.howdah.checkpoint;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.SegmentNames;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Makes the files of a store from a base of an archive and the log behind it. The pages of a base
 * were copied one after the other while checkpoints went on. So a page may contain effects of later
 * commits than another one, and the log from the start of the base on is replayed over all of them
 * (docs/protocol.md, R53). Owned by one thread.
 */
public final class BaseRestore implements AutoCloseable {

  private final Storage target;
  private final CopyTarget copied;
  private final Superblock start;
  private final int pageBytes;
  private final StagingMemory memory;
  private final StorageFile image;
  private final ImageSums sums;
  private int segments;

  /**
   * Claims an empty storage and creates the files of an empty store in it.
   *
   * @param start the state from which the base was started
   * @param note what is restored, for the message to those who find the copy unfinished
   */
  public BaseRestore(Storage target, Superblock start, String note) {
    this.target = target;
    this.start = start;
    this.pageBytes = start.geometry().pageBytes();
    this.copied = new CopyTarget(target);
    this.memory = new StagingMemory();
    StorageFile file = null;
    try {
      copied.create(note, start.storeId(), start.geometry());
      file = target.open(ImageFile.NAME, Storage.Access.READ_WRITE);
      this.image = file;
      this.sums = new ImageSums(target, Storage.Access.READ_WRITE, memory, pageBytes);
    } catch (RuntimeException | Error e) {
      if (file != null) {
        file.close();
      }
      memory.close();
      copied.discard(e);
      throw e;
    }
  }

  /**
   * Writes whole pages; pages that are not written are zeros.
   *
   * @param address larger than the addresses of all pages before
   * @param pages a direct buffer
   */
  public void pages(long address, ByteBuffer pages) {
    for (int at = pages.position(); at < pages.limit(); at += pageBytes) {
      sums.put((address + at - pages.position()) / pageBytes, Crc32c.of(pages, at, at + pageBytes));
    }
    image.write(address, pages);
  }

  /**
   * Creates the next segment of the log.
   *
   * @param lengthBytes length of the file
   * @return the file, which the caller writes, forces and closes
   */
  public StorageFile segment(int lengthBytes) {
    StorageFile file = target.create(SegmentNames.name(segments++));
    file.setSize(lengthBytes);
    return file;
  }

  /**
   * Makes all files durable, and prepares a superblock for them. A recovery then replays the log.
   *
   * @param end a state in which a checkpoint had written every page of the base that was read
   * @param imageEndBytes end of the part of the image that was ever written
   */
  public void prepare(Superblock end, long imageEndBytes) {
    // As of a backup: no rings are looked for, and without a log no commit was accepted.
    prepare(end, imageEndBytes, segments > 0 ? RingPlacement.ABSENT : new RingPlacement.None());
  }

  /**
   * Makes all files durable, and prepares a superblock for them, of a store whose log is not in its
   * directory. A replay of that log from the state at the start on makes the image complete.
   *
   * @param end as for {@link #prepare(Superblock, long)}
   * @param imageEndBytes end of the part of the image that was ever written
   */
  public void prepareReplica(Superblock end, long imageEndBytes) {
    prepare(end, imageEndBytes, start.rings());
  }

  private void prepare(Superblock end, long imageEndBytes, RingPlacement rings) {
    sums.force();
    image.force();
    target.forceDirectory(SegmentNames.DIRECTORY);
    CheckpointState first = start.checkpoint();
    CheckpointState last = end.checkpoint();
    CheckpointState state =
        new CheckpointState(
            last.sequence(),
            first.replayAboveLsn(),
            Math.max(first.imageLsn(), last.imageLsn()),
            first.replayAboveLsn(),
            CheckpointState.Phase.FOLDED,
            last.journalArea(),
            last.journalLengthBytes(),
            last.journalCrc());
    writeJournalHeader(state, imageEndBytes);
    copied.prepare(start.change().withCheckpoint(state).withRings(rings).build());
  }

  /** Writes the header of a journal, all that is left of one that is folded. */
  private void writeJournalHeader(CheckpointState state, long imageEndBytes) {
    ByteBuffer page = memory.allocate(JournalLayout.HEADER_LENGTH);
    new JournalHeader(
            JournalLayout.VERSION,
            pageBytes,
            start.storeId(),
            state.sequence(),
            state.replayAboveLsn(),
            0,
            Alignment.up(imageEndBytes, pageBytes),
            List.of())
        .write(page);
    try (StorageFile file = target.create(Journal.name(state.journalArea()))) {
      file.write(0, page);
      file.force();
    }
    target.forceDirectory(Journal.DIRECTORY);
  }

  /** Turns the files into a store, durably. */
  public void finish() {
    copied.finish();
  }

  /**
   * Removes the files if possible.
   *
   * @param failure receives failures of this method as suppressed ones
   */
  public void discard(Throwable failure) {
    copied.discard(failure);
  }

  /** Closes image and checksums. */
  @Override
  public void close() {
    sums.close();
    image.close();
    memory.close();
  }
}
