package io.howdah.collections.structure;

/**
 * The collection that a name of the catalogue stands for.
 *
 * @param type kind and codecs, as the store has them
 * @param magic the first word of its header
 * @param incarnation tells it from other collections that were at this address before
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
    long hashKey1) {}
