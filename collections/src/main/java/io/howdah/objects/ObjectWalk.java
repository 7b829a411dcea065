package io.howdah.objects;

import io.howdah.core.layout.ObjectHeaderLayout;
import io.howdah.core.layout.ReferenceLayout;
import io.howdah.txn.words.Words;
import java.util.HashMap;
import java.util.Map;

/**
 * Goes through the blocks and fields of an object by the layout that the store has of its type, so
 * also through fields that the interface has no property for, and through objects whose interface
 * this process has not opened. For one transaction, not thread-safe.
 */
abstract class ObjectWalk {

  final Words words;
  final StoredLayouts types;
  private final Map<String, ObjectLayout> layouts = new HashMap<>();

  ObjectWalk(Words words, StoredLayouts types) {
    this.words = words;
    this.types = types;
  }

  /** Takes a word that holds a reference or the address of a block; of an array each one. */
  abstract void word(ObjectField field, long at);

  /** Takes an object that lies in the one that is walked. */
  void embedded(String type, long inner) {}

  /** Takes a block of the object, the object's own first; nothing of it is read afterwards. */
  void block(long block) {}

  /** Returns the layout that the store has of a type. */
  final ObjectLayout layout(String type) {
    return layouts.computeIfAbsent(type, name -> types.layout(words, name));
  }

  /** Goes through an object. */
  final void walk(ObjectLayout layout, long reference) {
    for (long block = ObjectLayout.address(reference); block != 0; ) {
      long next = words.getUnchecked(block + ObjectHeaderLayout.EXTENSION_OFFSET);
      int version = ObjectHeaderLayout.version(words.getUnchecked(block));
      long holder = ReferenceLayout.reference(block, reference);
      fields(layout, holder, version, Integer.MAX_VALUE);
      block(block);
      block = next;
    }
  }

  /**
   * Goes through the fields in one block, or in an embedded object. The interface may have dropped
   * the property that embeds it, and its type may have grown since.
   *
   * @param layout of what is there
   * @param holder the block's address, with the incarnation of the object
   * @param version the fields of later ones are not there
   * @param end nor are those from this offset on
   */
  private void fields(ObjectLayout layout, long holder, int version, int end) {
    long base = ObjectLayout.address(holder);
    for (ObjectField field : layout.fields()) {
      if (field.since() > version || field.offset() >= end) {
        continue;
      }
      if (field.kind().isAddress()) {
        for (int i = 0; i < field.length(); i++) {
          word(field, base + field.offset() + (long) i * Long.BYTES);
        }
      } else if (field.kind() == FieldKind.STRUCT) {
        long at = base + field.offset() - ObjectHeaderLayout.HEADER_LENGTH;
        long inner = ObjectLayout.embedded(at, holder);
        int innerEnd = ObjectHeaderLayout.HEADER_LENGTH + field.length();
        fields(layout(field.target()), inner, ObjectHeaderLayout.MAX_VERSION, innerEnd);
        embedded(field.target(), inner);
      }
    }
  }
}
