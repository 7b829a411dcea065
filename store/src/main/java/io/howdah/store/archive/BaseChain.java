package io.howdah.store.archive;

import io.howdah.archive.ArchiveNames;
import io.howdah.core.layout.ArchiveFrameLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The bases that a base refers to for pages that have not changed, newest first: the one that it
 * was compared with, and those that this one refers to. The last one refers to none. Immutable.
 *
 * @param objects names of their objects
 */
record BaseChain(List<String> objects) {

  /** Of a base that has all of its pages. */
  static final BaseChain NONE = new BaseChain(List.of());

  BaseChain {
    objects = List.copyOf(objects);
  }

  /** Returns the chain of a base that is compared with one; none if it would be too long. */
  static BaseChain behind(String object, BaseChain chain) {
    if (chain.objects.size() >= ArchiveFrameLayout.MAX_CHAIN) {
      return NONE;
    }
    List<String> objects = new ArrayList<>();
    objects.add(object);
    objects.addAll(chain.objects);
    return new BaseChain(objects);
  }

  boolean isEmpty() {
    return objects.isEmpty();
  }

  /** Returns the chain of the base at an index of this one. */
  BaseChain behind(int index) {
    return new BaseChain(objects.subList(index + 1, objects.size()));
  }

  /** Writes the names into a buffer and sets its limit. */
  void encode(ByteBuffer buffer) {
    buffer.clear();
    for (String object : objects) {
      buffer.put(object.getBytes(StandardCharsets.US_ASCII));
    }
    buffer.flip();
  }

  /**
   * Reads names.
   *
   * @param object whose chain it is. Each name of the chain is before the one that refers to it, so
   *     no base refers to itself
   * @return empty if they are no chain
   */
  static Optional<BaseChain> decode(String object, ByteBuffer buffer) {
    int length = ArchiveFrameLayout.NAME_LENGTH;
    int count = buffer.remaining() / length;
    if (count == 0 || count > ArchiveFrameLayout.MAX_CHAIN || buffer.remaining() % length != 0) {
      return Optional.empty();
    }
    List<String> objects = new ArrayList<>();
    String former = object;
    for (int i = 0; i < count; i++) {
      byte[] name = new byte[length];
      buffer.get(buffer.position() + i * length, name);
      String next = new String(name, StandardCharsets.US_ASCII);
      if (ArchiveNames.part(next).filter(ArchiveNames.Part::isBase).isEmpty()
          || next.compareTo(former) >= 0) {
        return Optional.empty();
      }
      objects.add(next);
      former = next;
    }
    return Optional.of(new BaseChain(objects));
  }
}
