/**
 * What collections are made of: a hash table with linear hashing, a B+-tree, chunks that double,
 * and the buffers in which entries are encoded.
 *
 * <p>Start reading at {@link io.howdah.collections.structure.HashTable} and {@link
 * io.howdah.collections.structure.Tree}.
 */
@NullMarked
package io.howdah.collections.structure;

import org.jspecify.annotations.NullMarked;
