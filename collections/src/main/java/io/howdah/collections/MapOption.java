package io.howdah.collections;

/**
 * What a map is opened with, beside its name and codecs: an {@link Index}, an {@link Expiry}, or a
 * {@link ChangeJournal}.
 *
 * @param <V> the values of the map
 */
public sealed interface MapOption<V> permits SortedMapOption, Expiry {}
