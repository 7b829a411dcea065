package io.howdah.core.superblock;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a directory holds in which a store is being made: a file under one of these names, durable
 * before any other file of the store, which becomes {@link SuperblockFile#NAME} after all the
 * others are durable. So at every instant a directory is empty, or says that it is unfinished, or
 * is whole.
 */
public enum UnfinishedStore {
  /**
   * A new store. Its other files hold nothing, so an opening may throw them away and begin again.
   */
  CREATION("store.howdah.new"),

  /** A copy of a store: it may hold any part of the data, and is never opened. */
  COPY("store.howdah.unfinished");

  private static final int MAX_NOTE_BYTES = 1024;

  private final String fileName;

  UnfinishedStore(String fileName) {
    this.fileName = fileName;
  }

  /** Returns the name of the file, in the store's root. */
  public String fileName() {
    return fileName;
  }

  /** Returns whether a directory holds one. */
  public boolean isIn(Storage storage) {
    return storage.exists(fileName);
  }

  /**
   * Begins to make a store, durably, in a directory that holds no file of one.
   *
   * @param note what is being made, for whoever looks at the file or tries to open it
   * @throws StorageException if somebody else has begun already, or the file cannot be written; it
   *     is removed then
   */
  public void begin(Storage storage, String note) {
    StorageFile file = storage.create(fileName);
    try {
      try (file) {
        byte[] text = (note + "\n").getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocateDirect(Math.min(text.length, MAX_NOTE_BYTES));
        file.write(0, bytes.put(text, 0, bytes.capacity()).flip());
        file.force();
      }
      storage.forceDirectory("");
    } catch (StorageException e) {
      remove(storage, e);
      throw e;
    }
  }

  /**
   * Removes what {@link #begin} has made, before there is anything else.
   *
   * @param failure the reason; takes up what goes wrong here
   */
  public void remove(Storage storage, RuntimeException failure) {
    try {
      storage.delete(fileName);
    } catch (StorageException e) {
      failure.addSuppressed(e);
    }
  }

  /** Returns what {@link #begin} was told, or nothing if that can no longer be read. */
  public String note(Storage storage) {
    try (StorageFile file = storage.open(fileName, Storage.Access.READ)) {
      ByteBuffer bytes = ByteBuffer.allocateDirect(MAX_NOTE_BYTES);
      int read = file.read(0, bytes);
      String text = StandardCharsets.UTF_8.decode(bytes.position(0).limit(read)).toString();
      int end = text.indexOf('\n');
      boolean readable = end > 0 && text.chars().limit(end).noneMatch(Character::isISOControl);
      return readable ? text.substring(0, end) : "";
    }
  }
}
