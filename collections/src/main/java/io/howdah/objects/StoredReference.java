package io.howdah.objects;

import io.howdah.core.layout.ReferenceLayout;

/**
 * What an object's property refers to, for programs without the interface. Immutable.
 *
 * @param type the name of the type
 * @param reference as {@link PersistentType#address} returns it
 */
public record StoredReference(String type, long reference) {

  /** Returns type and address. */
  @Override
  public String toString() {
    return type + "@" + ReferenceLayout.address(reference);
  }
}
