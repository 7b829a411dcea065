package io.howdah.cli.imports;

import org.jspecify.annotations.Nullable;

/**
 * How to read another store.
 *
 * @param keys the type of the keys of all maps; null for what the store tells, or else bytes
 * @param values likewise, the type of the values
 * @param isRaw whether what only a program can read is kept as the bytes that are stored
 */
public record ForeignOptions(
    @Nullable ImportType<?> keys, @Nullable ImportType<?> values, boolean isRaw) {

  /** What the store tells, or else bytes. */
  public static final ForeignOptions DEFAULT = new ForeignOptions(null, null, false);
}
