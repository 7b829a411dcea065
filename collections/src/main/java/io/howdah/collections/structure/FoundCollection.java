package io.howdah.collections.structure;

/**
 * What a name stands for.
 *
 * @param type kind and codecs, as the store has them
 * @param magic of the structure at its address
 * @param incarnation tells it from others that were at this address before
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
