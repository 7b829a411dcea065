package io.howdah.server.protocol;

/** How a command stores an item. */
enum StoreMode {
  SET,
  ADD,
  REPLACE,
  APPEND,
  PREPEND,
  CAS
}
