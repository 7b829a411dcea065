package io.howdah.txn;

/**
 * What a collection takes, from {@link Store#space}.
 *
 * @param name as it was opened
 * @param type its kind and its codecs
 * @param entries how many entries or elements; of a blob, bytes; of a counter, 1
 * @param blocks how many blocks it has
 * @param bytes how long they are together, what their lengths were rounded up by included
 */
public record CollectionSpace(String name, String type, long entries, long blocks, long bytes) {}
