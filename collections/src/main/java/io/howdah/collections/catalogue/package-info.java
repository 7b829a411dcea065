/**
 * The names of a store's collections, and the blocks that each collection consists of.
 *
 * <p>Start reading at {@link io.howdah.collections.catalogue.Catalogue}.
 */
@NullMarked
package io.howdah.collections.catalogue;

import org.jspecify.annotations.NullMarked;
