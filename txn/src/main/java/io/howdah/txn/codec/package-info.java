/**
 * How values become bytes in a store and back. Start at {@link io.howdah.txn.codec.Codec}; a codec
 * of one's own implements that interface and nothing else.
 */
@NullMarked
package io.howdah.txn.codec;

import org.jspecify.annotations.NullMarked;
