package io.howdah.collections.structure;

import io.howdah.core.layout.ChangeLayout;

/** Maximum lengths of keys, values and elements. */
public final class EntryLimits {

  /** Maximum length of a key in bytes: 64 KiB. */
  public static final int MAX_KEY_BYTES = 1 << 16;

  /** Maximum length of a value or an element in bytes: 8 MiB. */
  public static final int MAX_VALUE_BYTES = 1 << 23;

  /** Maximum length of a change in a change journal in bytes: its head, a key and a value. */
  public static final int MAX_CHANGE_BYTES =
      ChangeLayout.KEY_OFFSET + MAX_KEY_BYTES + MAX_VALUE_BYTES;

  private EntryLimits() {}
}
