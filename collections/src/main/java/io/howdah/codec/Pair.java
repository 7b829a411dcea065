package io.howdah.codec;

/**
 * Two values: a key of two parts, or a value of two. A record with names of its own is often
 * better.
 *
 * @param <A> the first
 * @param <B> the second
 */
public record Pair<A, B>(A first, B second) {}
