package io.howdah.archives3;

import io.howdah.archive.ArchiveNames;
import io.howdah.archive.ArchiveTarget;
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
 * Objects of an archive as parts in a bucket; {@link Part} has the keys. A force returns when a
 * part is uploaded. From then on every listing has it, since listings of S3 show each upload that
 * has returned (as those of MinIO and Ceph do). Used by one thread at a time.
 */
final class S3Target implements ArchiveTarget {

  private final S3Requests requests;
  private final ObjectReader reader;
  private final Map<String, AppendedObject> open = new HashMap<>();

  S3Target(S3Requests requests) {
    this.requests = requests;
    this.reader = new ObjectReader(requests);
  }

  @Override
  public String describe() {
    return requests.describe();
  }

  @Override
  public SortedMap<String, Long> list() {
    SortedMap<String, Long> lengths = new TreeMap<>();
    int skipped = requests.prefix().length();
    requests.list(
        requests.prefix(),
        (key, bytes) -> {
          String path = key.substring(skipped);
          int slash = path.indexOf('/');
          String name = slash < 0 ? path : path.substring(0, slash);
          if (!ArchiveNames.isObject(name)) {
            return;
          }
          if (slash < 0) {
            lengths.merge(name, bytes, Math::max);
          } else {
            Part.parse(requests.key(name), key)
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
    requests.put(requests.key(name), copy, 0, copy.length);
  }

  @Override
  public void append(String name, long offset, ByteBuffer bytes) {
    AppendedObject object = open.get(name);
    if (object == null) {
      if (offset != 0) {
        throw new IllegalStateException(name + " was not created by this target");
      }
      String key = requests.key(name);
      if (requests.hasAny(key)) {
        throw new StorageException(
            StorageException.Reason.EXISTS, "create " + describe() + "/" + name, null);
      }
      object = new AppendedObject(requests, key);
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
    return reader.read(requests.key(name), offset, bytes);
  }

  /**
   * Removes the parts from the last one to the first one, so that what an interruption leaves is
   * the beginning of the object, as a crash leaves one.
   */
  @Override
  public void remove(String name) {
    finish(name);
    reader.forget();
    String objectKey = requests.key(name);
    List<String> keys = new ArrayList<>();
    requests.list(
        objectKey,
        (key, _) -> {
          if (key.equals(objectKey) || key.startsWith(objectKey + "/")) {
            keys.add(key);
          }
        });
    requests.delete(keys.reversed());
  }

  @Override
  public void close() {
    open.clear();
    reader.forget();
    requests.close();
  }
}
