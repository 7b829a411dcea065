package io.howdah.kotlin

import io.howdah.Store
import io.howdah.codec.derived.CodecRegistry
import io.howdah.codec.derived.Codecs
import io.howdah.collections.Range
import java.util.Arrays
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

data class ByOwner(val owner: AccountId, val cents: Cents, val at: ULong?)

/** Value classes, and data classes of them, as keys in order. */
class ValueClassKeysTest {

    private inline fun <reified T : Any> bytesInOrder(values: List<T>) {
        val codec = CodecRegistry.defaults().ordered<T>()
        val sorted = values.map { Codecs.encode(codec, it) }
        for (i in 1 until sorted.size) {
            assertThat(Arrays.compareUnsigned(sorted[i - 1], sorted[i])).describedAs("%s", values[i]).isNegative()
        }
        for (value in values) {
            assertThat(Codecs.decode(codec, Codecs.encode(codec, value))).isEqualTo(value)
        }
    }

    @Test
    fun keysHaveTheOrderOfTheirValues() {
        bytesInOrder(listOf("", "a", "a\u0000", "b").drop(1).map { AccountId(it) })
        bytesInOrder(listOf(Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE).map { Cents(it) })
        bytesInOrder(listOf(0u, 1u, 0x7fffffffu, 0x80000000u, UInt.MAX_VALUE))
        bytesInOrder(listOf(0uL, 1uL, Long.MAX_VALUE.toULong() + 1u, ULong.MAX_VALUE))
        bytesInOrder(listOf(0.toUByte(), 127.toUByte(), 128.toUByte(), UByte.MAX_VALUE))
        bytesInOrder(listOf(0.toUShort(), 32767.toUShort(), 32768.toUShort(), UShort.MAX_VALUE))
        bytesInOrder(listOf((-1).seconds, 0.seconds, 1.nanoseconds, 1.seconds, 100_000.days, 200_000.days))
        bytesInOrder(listOf(Pieces(1u), Pieces(3_000_000_000u)))
        bytesInOrder(
            listOf(
                ByOwner(AccountId("a"), Cents(5), null),
                ByOwner(AccountId("a"), Cents(5), 0uL),
                ByOwner(AccountId("a"), Cents(6), null),
                ByOwner(AccountId("aa"), Cents(-1), null),
                ByOwner(AccountId("b"), Cents(-1), null)
            )
        )
    }

    @Test
    fun aSortedMapFindsPrefixesOfValueClasses() {
        Store.inMemory().use { store ->
            val map = store.sortedMap<ByOwner, String>("by owner")
            store.update { tx ->
                map.put(tx, ByOwner(AccountId("a"), Cents(2), null), "second")
                map.put(tx, ByOwner(AccountId("a"), Cents(1), null), "first")
                map.put(tx, ByOwner(AccountId("b"), Cents(0), null), "other")
            }
            val found = store.query { tx -> map.range(tx, Range.prefix(AccountId("a"))).map { it.value }.toList() }
            assertThat(found).containsExactly("first", "second")
        }
    }
}
