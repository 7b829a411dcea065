package io.howdah.jcache;

/** What an operation does with an entry. */
enum Action {
  NOTHING,

  /** The entry was found, which may let it expire at another time. */
  ACCESS,
  PUT,
  REMOVE
}
