package io.howdah.collections.structure;

/**
 * The collection with a name in the catalogue.
 *
 * @param type kind and codecs in the store
 * @param magic the first word of its header
 * @param incarnation distinguishes it from earlier collections at the same address
 * @param hashKey0 first half of the secret of a hash table's hash; 0 of others
 * @param hashKey1 second half
 */
public record FoundCollection(
    String name,
    String type,
    long address,
    long magic,
    long incarnation,
    long hashKey0,
    long hashKey1) {

  /** Returns whether it is a hash table whose memory and number of entries are bounded. */
  public boolean isBounded() {
    return TableBound.isBounded(type);
  }
}
