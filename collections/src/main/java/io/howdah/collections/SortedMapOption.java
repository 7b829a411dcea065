package io.howdah.collections;

/**
 * What a sorted map, or any other one, is opened with, beside its name and codecs: an {@link Index}
 * or a {@link ChangeJournal}.
 *
 * @param <V> the values of the map
 */
public sealed interface SortedMapOption<V> extends MapOption<V> permits Index, ChangeJournal {}
