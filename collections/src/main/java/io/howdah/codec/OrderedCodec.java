package io.howdah.codec;

/**
 * A codec whose bytes, compared unsigned and one by one with the shorter first, have the values'
 * order: what sorted collections ask of their keys.
 *
 * @param <T> the values
 */
public interface OrderedCodec<T> extends Codec<T> {}
