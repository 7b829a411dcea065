/**
 * Codecs that are derived: from classes, as records, enums, sealed interfaces and types of the JDK,
 * and from other codecs, as lists, maps and pairs. Start at {@link io.howdah.codec.derived.Codecs};
 * {@link io.howdah.codec.derived.CodecRegistry} has the rules that a program adds.
 *
 * <p>{@code Derivation} finds the codec of a class. A {@code Part} is a codec within another one. A
 * record has a {@code RecordType}, and a store's shape of it is a text, {@code ShapeText}.
 */
@NullMarked
package io.howdah.codec.derived;

import org.jspecify.annotations.NullMarked;
