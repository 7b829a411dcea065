package io.howdah.archive;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Objects as files in the root of a storage. Keeps open the files to which it appends. */
final class StorageTarget implements ArchiveTarget {

  /** Suffix of a file that {@link #put} has not completed. */
  private static final String UNFINISHED = ".unfinished";

  private final Storage storage;
  private final Map<String, StorageFile> open = new HashMap<>();

  /** Files whose directory entry was not forced yet. */
  private final Set<String> created = new HashSet<>();

  StorageTarget(Storage storage) {
    this.storage = storage;
  }

  @Override
  public String describe() {
    return storage.describe();
  }

  @Override
  public SortedMap<String, Long> list() {
    SortedMap<String, Long> lengths = new TreeMap<>();
    for (String name : storage.list("")) {
      if (ArchiveNames.isObject(name)) {
        try (StorageFile file = storage.open(name, Storage.Access.READ)) {
          lengths.put(name, file.sizeBytes());
        } catch (StorageException e) {
          if (e.reason() != StorageException.Reason.MISSING) {
            throw e; // otherwise it was removed meanwhile
          }
        }
      }
    }
    return Collections.unmodifiableSortedMap(lengths);
  }

  @Override
  public void put(String name, ByteBuffer bytes) {
    String unfinished = name + UNFINISHED;
    storage.delete(unfinished);
    try (StorageFile file = storage.create(unfinished)) {
      file.write(0, bytes);
      file.force();
    }
    storage.rename(unfinished, name);
    storage.forceDirectory("");
  }

  @Override
  public void append(String name, long offset, ByteBuffer bytes) {
    StorageFile file = open.get(name);
    if (file == null) {
      if (offset != 0) {
        throw new IllegalStateException(name + " was not created by this target");
      }
      file = storage.create(name);
      open.put(name, file);
      created.add(name);
    }
    file.write(offset, bytes);
  }

  @Override
  public void force(String name) {
    StorageFile file = open.get(name);
    if (file == null) {
      throw new IllegalStateException(name + " was not created by this target");
    }
    file.force();
    if (created.contains(name)) {
      storage.forceDirectory("");
      created.remove(name);
    }
  }

  @Override
  public void keep(String name) {
    try (StorageFile file = storage.open(name, Storage.Access.READ_WRITE)) {
      file.force();
    }
    storage.forceDirectory("");
  }

  @Override
  public int read(String name, long offset, ByteBuffer bytes) {
    try (StorageFile file = storage.open(name, Storage.Access.READ)) {
      return file.read(offset, bytes);
    }
  }

  @Override
  public void finish(String name) {
    StorageFile file = open.remove(name);
    created.remove(name);
    if (file != null) {
      file.close();
    }
  }

  @Override
  public void remove(String name) {
    finish(name);
    storage.delete(name);
  }

  @Override
  public void close() {
    List<StorageFile> files = new ArrayList<>(open.values());
    open.clear();
    files.forEach(StorageFile::close);
    storage.close();
  }
}
