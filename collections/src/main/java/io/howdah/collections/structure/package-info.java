/**
 * The structures of collections: a hash table with linear hashing, a B+-tree, chunks of doubling
 * length, and the buffers in which entries are encoded.
 *
 * <p>Start reading at {@link io.howdah.collections.structure.HashTable} and {@link
 * io.howdah.collections.structure.Tree}.
 */
@NullMarked
package io.howdah.collections.structure;

import org.jspecify.annotations.NullMarked;
