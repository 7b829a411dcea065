package io.howdah.crashtest.power;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Does on a storage what the notes of {@link NotedCalls} say that a process did. A force takes
 * place where it began, if it ended: what was written while it ran is not covered. For one thread.
 */
final class CallReplay {

  private static final int HEAD_BYTES = 32;

  // Kinds of notes and flags of an open, as in calls.c.
  private static final int OPEN = 1;
  private static final int CLOSE = 2;
  private static final int WRITE = 3;
  private static final int SIZE = 4;
  private static final int FORCE = 5;
  private static final int FORCED = 6;
  private static final int RENAME = 7;
  private static final int DELETE = 8;
  private static final int MAKE_FOLDER = 9;
  private static final long IS_CREATED = 1;
  private static final long IS_EMPTIED = 2;
  private static final long IS_FOLDER = 4;

  private final Storage storage;
  private final ByteBuffer notes;
  private final Set<Long> ended = new HashSet<>();
  private final Map<Integer, Opened> opened = new HashMap<>();
  private long forces;

  /** What stands behind a descriptor; a folder has no file. */
  private record Opened(String name, @Nullable StorageFile file) {}

  /** A note; its bytes are a part of the notes. */
  private record Note(int kind, int descriptor, long offset, long number, ByteBuffer bytes) {

    String text() {
      return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }
  }

  private CallReplay(Storage storage, ByteBuffer notes) {
    this.storage = storage;
    this.notes = notes.order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Does it.
   *
   * @param storage holds what the folder held when the process started
   * @return how many forces have ended
   * @throws IOException if the notes say what cannot have happened
   */
  static long replay(Path notes, Storage storage) throws IOException {
    try (FileChannel channel = FileChannel.open(notes, StandardOpenOption.READ)) {
      CallReplay replay =
          new CallReplay(storage, channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
      replay.findEndedForces();
      replay.run();
      return replay.forces;
    }
  }

  private void findEndedForces() {
    for (Note note = next(); note != null; note = next()) {
      if (note.kind() == FORCED) {
        ended.add(note.number());
      }
    }
    notes.rewind();
  }

  private void run() throws IOException {
    int at = 0;
    for (Note note = next(); note != null; note = next()) {
      try {
        apply(note);
      } catch (RuntimeException e) {
        throw new IOException("the note at " + at + " cannot be repeated: " + note, e);
      }
      at = notes.position();
    }
  }

  /** Returns the next note; null at the end, also if the last note is there in part only. */
  private @Nullable Note next() {
    if (notes.remaining() < HEAD_BYTES) {
      return null;
    }
    int at = notes.position();
    long length = notes.getLong(at + 24);
    if (length > notes.remaining() - HEAD_BYTES) {
      return null;
    }
    ByteBuffer bytes = notes.slice(at + HEAD_BYTES, (int) length);
    notes.position(at + HEAD_BYTES + (int) length);
    return new Note(
        notes.getInt(at),
        notes.getInt(at + 4),
        notes.getLong(at + 8),
        notes.getLong(at + 16),
        bytes);
  }

  private void apply(Note note) {
    switch (note.kind()) {
      case OPEN -> open(note);
      case CLOSE -> {
        StorageFile file = known(note).file();
        opened.remove(note.descriptor());
        if (file != null) {
          file.close();
        }
      }
      case WRITE -> file(note).write(note.offset(), note.bytes().duplicate());
      case SIZE -> file(note).setSize(note.offset());
      case FORCE -> force(note);
      case FORCED -> {}
      case RENAME -> {
        String[] names = note.text().split("\0", -1);
        storage.rename(names[0], names[1]);
      }
      case DELETE -> storage.delete(note.text());
      case MAKE_FOLDER -> storage.createDirectory(note.text());
      default -> throw new IllegalArgumentException("kind " + note.kind());
    }
  }

  private void open(Note note) {
    String name = note.text();
    boolean isCreated = (note.offset() & IS_CREATED) != 0;
    StorageFile file = null;
    if ((note.offset() & IS_FOLDER) == 0) {
      file = isCreated ? storage.create(name) : storage.open(name, Access.READ_WRITE);
      if ((note.offset() & IS_EMPTIED) != 0) {
        file.setSize(0);
      }
    }
    opened.put(note.descriptor(), new Opened(name, file));
  }

  private void force(Note note) {
    if (!ended.contains(note.number())) {
      return;
    }
    forces++;
    Opened target = known(note);
    if (target.file() == null) {
      storage.forceDirectory(target.name());
    } else {
      target.file().force();
    }
  }

  private Opened known(Note note) {
    Opened found = opened.get(note.descriptor());
    if (found == null) {
      throw new IllegalArgumentException("descriptor " + note.descriptor() + " is not open");
    }
    return found;
  }

  private StorageFile file(Note note) {
    StorageFile file = known(note).file();
    if (file == null) {
      throw new IllegalArgumentException("descriptor " + note.descriptor() + " is a folder");
    }
    return file;
  }
}
