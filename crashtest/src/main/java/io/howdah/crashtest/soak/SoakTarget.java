package io.howdah.crashtest.soak;

/**
 * What a worker's operations change: the structures of a store in a transaction, or a model of
 * them. Keys are a worker's own, from 0. A value is named by the number of the operation that wrote
 * it, see {@link SoakWork#text}.
 */
interface SoakTarget {

  /** An entry of the hash map that all workers share. */
  void put(int key, long n);

  void remove(int key);

  /** An entry of the sorted map that all workers share. */
  void sortedPut(int key, long n);

  void sortedRemove(int key);

  /** An element of the worker's queue. */
  void add(long n);

  void poll();

  /** Bytes of the worker's blob, see {@link SoakWork#bytes}. */
  void blobWrite(int offset, int length, long n);

  /** Does nothing if the blob is not as long. */
  void blobTruncate(int length);

  /** An object, made if there is none for the key. */
  void object(int key, long n);

  /** Removes an object and frees it. */
  void freeObject(int key);

  /** An entry of a map with an index. */
  void indexedPut(int key, long n);

  void indexedRemove(int key);

  /** An entry that expires, and beside it one that says when. */
  void expiringPut(int key, long n, int millis);

  void expiringRemove(int key);

  /** An entry of the worker's map that only grows, until it is cleared. */
  void grow(long key, long n);

  void clearGrown();

  /** Moves an amount between two words that all workers share. */
  void transfer(int from, int to, long amount);

  /** Notes that the operation is done. */
  void done(long n);
}
