package io.howdah.archive;

import io.howdah.core.storage.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Objects of an archive as parts in an object store; {@link ObjectPart} has the keys. A force
 * returns when a part is uploaded, and from then on every listing has it. Used by one thread at a
 * time.
 */
final class PartsTarget implements ArchiveTarget {

  private final ObjectStore objects;
  private final ObjectReader reader;
  private final Map<String, AppendedObject> open = new HashMap<>();

  PartsTarget(ObjectStore objects) {
    this.objects = objects;
    this.reader = new ObjectReader(objects);
  }

  @Override
  public String describe() {
    return objects.describe();
  }

  @Override
  public SortedMap<String, Long> list() {
    SortedMap<String, Long> lengths = new TreeMap<>();
    objects.list(
        "",
        (key, bytes) -> {
          int slash = key.indexOf('/');
          String name = slash < 0 ? key : key.substring(0, slash);
          if (!ArchiveNames.isObject(name)) {
            return;
          }
          if (slash < 0) {
            lengths.merge(name, bytes, Math::max);
          } else {
            ObjectPart.parse(name, key)
                .ifPresent(part -> lengths.merge(name, part.end(), Math::max));
          }
        });
    return Collections.unmodifiableSortedMap(lengths);
  }

  @Override
  public void put(String name, ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    reader.forget();
    objects.put(name, copy, 0, copy.length);
  }

  @Override
  public void append(String name, long offset, ByteBuffer bytes) {
    AppendedObject object = open.get(name);
    if (object == null) {
      if (offset != 0) {
        throw new IllegalStateException(name + " was not created by this target");
      }
      if (objects.hasAny(name)) {
        throw new StorageException(
            StorageException.Reason.EXISTS, "create " + describe() + "/" + name, null);
      }
      object = new AppendedObject(objects, name);
      open.put(name, object);
    }
    object.append(offset, bytes);
  }

  @Override
  public void force(String name) {
    AppendedObject object = open.get(name);
    if (object == null) {
      throw new IllegalStateException(name + " was not created by this target");
    }
    reader.forget();
    object.force();
  }

  /** Forgets what was not forced. */
  @Override
  public void finish(String name) {
    open.remove(name);
  }

  @Override
  public int read(String name, long offset, ByteBuffer bytes) {
    return reader.read(name, offset, bytes);
  }

  /**
   * Removes the parts from the last one to the first one, so that what an interruption leaves is
   * the beginning of the object, as a crash leaves one.
   */
  @Override
  public void remove(String name) {
    finish(name);
    reader.forget();
    List<String> keys = new ArrayList<>();
    objects.list(
        name,
        (key, _) -> {
          if (key.equals(name) || key.startsWith(name + "/")) {
            keys.add(key);
          }
        });
    objects.remove(keys.reversed());
  }

  @Override
  public void close() {
    open.clear();
    reader.forget();
    objects.close();
  }
}
