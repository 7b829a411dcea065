package io.howdah.testkit;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.disk.Bytes;
import io.howdah.testkit.schedule.Mixer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A log small enough to see that it is right: a directory, a file made under another name, two
 * header slots with the number of the lap, records of four words. And the ways to get it wrong.
 */
final class ToyLog implements AutoCloseable {

  /** What people forget. */
  enum Bug {
    /** A record is acknowledged, but never forced. */
    NO_FORCE,
    /** The same, but the next record's force covers it. */
    ACKNOWLEDGED_BEFORE_FORCE,
    /** Recovery takes what has the right sequence number. */
    NO_CHECKSUM,
    /** The checksum does not tell laps apart. */
    NO_LAP_IN_CHECKSUM,
    /** The new directory's own name is not forced. */
    NO_FORCE_OF_PARENT,
    /** The rename is not forced. */
    NO_FORCE_AFTER_RENAME,
    /** The new file is renamed before its contents are there. */
    RENAMED_BEFORE_FORCE,
    /** A new lap overwrites the only header. */
    ONE_HEADER,
    /** A force that failed is tried again, and believed. */
    FORCE_RETRIED
  }

  private static final String DIRECTORY = "log";
  private static final String FILE = "log/data";
  private static final int SLOT_BYTES = 512;
  private static final int RECORDS_OFFSET = 2 * SLOT_BYTES;
  private static final int RECORD_BYTES = 32;
  private static final int FILE_BYTES = 4096;

  private final Set<Bug> bugs;
  private final StorageFile file;
  private final List<Long> keys = new ArrayList<>();
  private long lap;

  ToyLog(Storage storage, Set<Bug> bugs) {
    this.bugs = bugs.isEmpty() ? EnumSet.noneOf(Bug.class) : EnumSet.copyOf(bugs);
    if (!storage.exists(FILE)) {
      create(storage);
    }
    file = storage.open(FILE, Access.READ_WRITE);
    recover();
  }

  private void create(Storage storage) {
    storage.createDirectory(DIRECTORY);
    if (!bugs.contains(Bug.NO_FORCE_OF_PARENT)) {
      storage.forceDirectory("");
    }
    String fresh = FILE + "-new";
    storage.delete(fresh);
    try (StorageFile next = storage.create(fresh)) {
      next.write(0, Bytes.empty(FILE_BYTES));
      writeHeader(next, 1);
      if (!bugs.contains(Bug.RENAMED_BEFORE_FORCE)) {
        next.force();
      }
    }
    storage.rename(fresh, FILE);
    if (!bugs.contains(Bug.NO_FORCE_AFTER_RENAME)) {
      storage.forceDirectory(DIRECTORY);
    }
  }

  private void writeHeader(StorageFile target, long number) {
    ByteBuffer header = ByteBuffer.allocateDirect(16);
    header.putLong(number).putLong(Mixer.mix(number)).flip();
    boolean second = number % 2 == 0 && !bugs.contains(Bug.ONE_HEADER);
    target.write(second ? SLOT_BYTES : 0, header);
  }

  private void recover() {
    for (int slot = 0; slot < 2; slot++) {
      ByteBuffer header = read((long) slot * SLOT_BYTES, 16);
      long number = header.getLong(0);
      if (number > lap && header.getLong(8) == Mixer.mix(number)) {
        lap = number;
      }
    }
    if (lap == 0) {
      throw new IllegalStateException("no valid header");
    }
    while (true) {
      ByteBuffer record = read(position(), RECORD_BYTES);
      long sequence = keys.size() + 1L;
      long key = record.getLong(8);
      long value = record.getLong(16);
      boolean whole =
          bugs.contains(Bug.NO_CHECKSUM) || record.getLong(24) == checksum(sequence, key, value);
      if (record.getLong(0) != sequence || !whole) {
        return;
      }
      if (value != key * 31) {
        throw new IllegalStateException("record " + sequence + " is torn");
      }
      keys.add(key);
    }
  }

  private ByteBuffer read(long offset, int length) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(length);
    file.read(offset, buffer);
    return buffer;
  }

  private long position() {
    return RECORDS_OFFSET + (long) keys.size() * RECORD_BYTES;
  }

  private long checksum(long sequence, long key, long value) {
    return Mixer.mix(sequence, key, value)
        ^ (bugs.contains(Bug.NO_LAP_IN_CHECKSUM) ? 0 : Mixer.mix(lap));
  }

  /** Appends a key; durable when it returns. */
  void append(long key) {
    long sequence = keys.size() + 1L;
    if (bugs.contains(Bug.ACKNOWLEDGED_BEFORE_FORCE)) {
      force();
    }
    ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
    record.putLong(sequence).putLong(key).putLong(key * 31);
    record.putLong(checksum(sequence, key, key * 31)).flip();
    file.write(position(), record);
    keys.add(key);
    if (!bugs.contains(Bug.NO_FORCE) && !bugs.contains(Bug.ACKNOWLEDGED_BEFORE_FORCE)) {
      force();
    }
  }

  private void force() {
    try {
      file.force();
    } catch (StorageException e) {
      if (!bugs.contains(Bug.FORCE_RETRIED)) {
        throw e;
      }
      file.force();
    }
  }

  /** Forgets all records; durable when it returns. */
  void newLap() {
    writeHeader(file, lap + 1);
    file.force();
    lap++;
    keys.clear();
  }

  long lap() {
    return lap;
  }

  List<Long> keys() {
    return List.copyOf(keys);
  }

  @Override
  public void close() {
    file.close();
  }
}
