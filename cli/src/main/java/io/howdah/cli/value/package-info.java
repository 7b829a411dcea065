/**
 * Values of any codec as JSON, by the names and shapes that a store keeps of its codecs: the
 * commands need no class of the program. {@code FormReader} makes a form of a codec's name, {@code
 * DescribedCodec} opens collections with it.
 */
@NullMarked
package io.howdah.cli.value;

import org.jspecify.annotations.NullMarked;
