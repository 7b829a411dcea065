package io.howdah.archive;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The parts of one object, as of one listing. Immutable. */
final class ObjectParts {

  private final List<ObjectPart> parts;
  private final long length;
  private final boolean exists;

  private ObjectParts(List<ObjectPart> parts, long length, boolean exists) {
    this.parts = parts;
    this.length = length;
    this.exists = exists;
  }

  /**
   * Returns the parts of an object whose bytes are needed: those that a larger one covers are left
   * out.
   */
  static ObjectParts list(ObjectStore objects, String objectKey) {
    List<ObjectPart> found = new ArrayList<>();
    objects.list(
        objectKey,
        (key, bytes) -> {
          if (key.equals(objectKey) && bytes <= Integer.MAX_VALUE) {
            found.add(new ObjectPart(key, 0, (int) bytes, ObjectPart.NO_CRC));
          } else {
            ObjectPart.parse(objectKey, key).ifPresent(found::add);
          }
        });
    found.sort(
        Comparator.comparingLong(ObjectPart::offset)
            .thenComparing(Comparator.comparingInt(ObjectPart::length).reversed()));
    List<ObjectPart> needed = new ArrayList<>();
    long end = 0;
    for (ObjectPart part : found) {
      if (part.end() > end) {
        needed.add(part);
        end = part.end();
      }
    }
    return new ObjectParts(List.copyOf(needed), end, !found.isEmpty());
  }

  /** Returns whether there is such an object; it may be empty. */
  boolean exists() {
    return exists;
  }

  /** Returns the offset behind the last part. */
  long length() {
    return length;
  }

  /** Returns the part that has an offset; empty if it is missing, or the object ends before. */
  Optional<ObjectPart> at(long offset) {
    int low = 0;
    int high = parts.size() - 1;
    ObjectPart last = null;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      ObjectPart part = parts.get(middle);
      if (part.offset() <= offset) {
        last = part;
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return having(last, offset);
  }

  private static Optional<ObjectPart> having(@Nullable ObjectPart part, long offset) {
    return Optional.ofNullable(part).filter(found -> offset < found.end());
  }
}
