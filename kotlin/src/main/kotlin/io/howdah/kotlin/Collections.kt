package io.howdah.kotlin

import io.howdah.Store
import io.howdah.codec.Codec
import io.howdah.codec.OrderedCodec
import io.howdah.codec.derived.CodecRegistry
import io.howdah.collections.CacheOptions
import io.howdah.collections.ChangeJournal
import io.howdah.collections.MapOption
import io.howdah.collections.PersistentCache
import io.howdah.collections.PersistentList
import io.howdah.collections.PersistentMap
import io.howdah.collections.PersistentMultimap
import io.howdah.collections.PersistentQueue
import io.howdah.collections.PersistentSet
import io.howdah.collections.PersistentSortedMap
import io.howdah.objects.PersistentType
import java.lang.invoke.MethodHandles

/** Opens the map of a name, or creates it, with codecs of the store's registry. */
public inline fun <reified K : Any, reified V : Any> Store.map(
    name: String,
    vararg options: MapOption<in V>
): PersistentMap<K, V> = map(name, K::class.javaObjectType, V::class.javaObjectType, *options)

/** Opens the sorted map of a name, or creates it, with codecs of the store's registry. */
public inline fun <reified K : Any, reified V : Any> Store.sortedMap(
    name: String,
    vararg options: MapOption<in V>
): PersistentSortedMap<K, V> = sortedMap(name, K::class.javaObjectType, V::class.javaObjectType, *options)

/** Opens the cache of a name, or creates it, with codecs of the store's registry. */
public inline fun <reified K : Any, reified V : Any> Store.cache(
    name: String,
    options: CacheOptions
): PersistentCache<K, V> = cache(name, K::class.javaObjectType, V::class.javaObjectType, options)

/** Opens the multimap of a name, or creates it, with codecs of the store's registry. */
public inline fun <reified K : Any, reified V : Any> Store.multimap(
    name: String,
    vararg journal: ChangeJournal
): PersistentMultimap<K, V> = multimap(name, K::class.javaObjectType, V::class.javaObjectType, *journal)

/** Opens the set of a name, or creates it, with a codec of the store's registry. */
public inline fun <reified E : Any> Store.set(name: String, vararg journal: ChangeJournal): PersistentSet<E> =
    set(name, E::class.javaObjectType, *journal)

/** Opens the list of a name, or creates it, with a codec of the store's registry. */
public inline fun <reified E : Any> Store.list(name: String): PersistentList<E> =
    list(name, E::class.javaObjectType)

/** Opens the queue of a name, or creates it, with a codec of the store's registry. */
public inline fun <reified E : Any> Store.queue(name: String, vararg journal: ChangeJournal): PersistentQueue<E> =
    queue(name, E::class.javaObjectType, *journal)

/** Opens the type of the objects of an interface, with the lookup of the caller. */
public inline fun <reified T : Any> Store.type(): PersistentType<T> = type(T::class.java, MethodHandles.lookup())

/** Returns the codec of a class. */
public inline fun <reified T : Any> CodecRegistry.of(): Codec<T> = of(T::class.javaObjectType)

/** Returns the codec of a class whose values have an order. */
public inline fun <reified T : Any> CodecRegistry.ordered(): OrderedCodec<T> = ordered(T::class.javaObjectType)
