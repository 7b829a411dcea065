package io.howdah;

/**
 * Whether an opening of a type or a collection may change what the store knows of it. See {@link
 * StoreOptions#withSchemaChanges}.
 */
public enum SchemaChanges {
  /** It may. */
  ALLOW,

  /** It is refused with {@link io.howdah.core.SchemaChangeException}. */
  REFUSE
}
