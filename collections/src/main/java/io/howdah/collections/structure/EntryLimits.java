package io.howdah.collections.structure;

/** Maximum lengths of keys, values and elements. */
public final class EntryLimits {

  /** Maximum length of a key in bytes: 64 KiB. */
  public static final int MAX_KEY_BYTES = 1 << 16;

  /** Maximum length of a value or an element in bytes: 8 MiB. */
  public static final int MAX_VALUE_BYTES = 1 << 23;

  private EntryLimits() {}
}
