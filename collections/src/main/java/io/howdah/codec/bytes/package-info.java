/**
 * The arrays behind {@link io.howdah.codec.Encoder} and {@link io.howdah.codec.Decoder}, with what
 * collections and codecs of several parts need of them.
 */
@NullMarked
package io.howdah.codec.bytes;

import org.jspecify.annotations.NullMarked;
