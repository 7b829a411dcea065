package io.howdah.collections;

/**
 * What a map of either kind is opened with, beside its name and codecs: an {@link Index}, an {@link
 * Expiry}, or a {@link ChangeJournal}.
 *
 * @param <V> the values of the map
 */
public sealed interface MapOption<V> permits Index, Expiry, ChangeJournal {}
