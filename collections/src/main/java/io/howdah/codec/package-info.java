/**
 * How values become bytes in a store and back. Start at {@link io.howdah.codec.Codec}; a codec of
 * one's own implements that interface and nothing else. Codecs of records, enums, times, lists and
 * the like are in {@code io.howdah.codec.derived}.
 */
@NullMarked
package io.howdah.codec;

import org.jspecify.annotations.NullMarked;
