package io.howdah.server.protocol;

/** How a command stores an item. */
public enum StoreMode {
  SET,
  ADD,
  REPLACE,
  APPEND,
  PREPEND,
  CAS
}
