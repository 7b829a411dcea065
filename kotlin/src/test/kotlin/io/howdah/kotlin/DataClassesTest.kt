package io.howdah.kotlin

import io.howdah.Store
import io.howdah.StoreOptions
import io.howdah.codec.Codec
import io.howdah.codec.CodecException
import io.howdah.codec.FormerName
import io.howdah.codec.PersistentName
import io.howdah.codec.derived.CodecRegistry
import io.howdah.codec.derived.Codecs
import io.howdah.testkit.disk.SimulatedDisk
import java.math.BigInteger
import java.util.UUID
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Instant
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

@JvmInline
value class AccountId(val text: String) {
    init {
        require(text.isNotEmpty()) { "an account has a name" }
    }
}

@JvmInline
value class Cents(val amount: Long)

@JvmInline
value class Wrapped(val id: AccountId)

@JvmInline
value class Pieces(val count: UInt)

@JvmInline
value class Nick(val text: String?)

@JvmInline
value class Big(val number: BigInteger)

enum class Currency { EUR, CHF }

data class Line(val article: String, val pieces: Int = 1)

/** Everything that a data class has, and a Java record has not. */
data class Order(
    val id: UUID,
    val buyer: AccountId,
    val seller: AccountId?,
    val total: Cents,
    val discount: Cents?,
    val wrapped: Wrapped,
    val wrappedOrNot: Wrapped?,
    val pieces: Pieces,
    val nick: Nick,
    val nickOrNot: Nick?,
    val note: String?,
    val weight: Double?,
    val lines: List<Line>,
    val tags: List<String?>,
    val prices: Map<String, Cents>,
    val bits: LongArray?,
    val currency: Currency = Currency.EUR,
    private val secret: Int = 7
) {
    val secretOf: Int get() = secret

    override fun equals(other: Any?): Boolean = other is Order && toString() == other.toString()

    override fun hashCode(): Int = id.hashCode()
}

sealed class Event {
    data class Paid(val cents: Cents) : Event()

    data class Sent(val parcel: String?) : Event()

    data object Closed : Event()
}

internal data class Node(val name: String, val child: Node?)

data class Generic<T>(val value: T)

/** Data classes and value classes as values. */
class DataClassesTest {

    private val order =
        Order(
            UUID(1, 2),
            AccountId("alice"),
            null,
            Cents(500),
            Cents(-1),
            Wrapped(AccountId("w")),
            null,
            Pieces(UInt.MAX_VALUE),
            Nick(null),
            Nick(null),
            null,
            0.5,
            listOf(Line("cup"), Line("pot", 2)),
            listOf("a", null),
            mapOf("x" to Cents(3)),
            null,
            Currency.CHF,
            9
        )

    private inline fun <reified T : Any> again(value: T): T {
        val codec = CodecRegistry.defaults().of<T>()
        return Codecs.decode(codec, Codecs.encode(codec, value))
    }

    @Test
    fun aDataClassIsReadAsItWasWritten() {
        assertThat(again(order)).isEqualTo(order)
        assertThat(again(order).secretOf).isEqualTo(9)
        val other = order.copy(seller = AccountId("bob"), wrappedOrNot = Wrapped(AccountId("v")), nickOrNot = null)
        assertThat(again(other)).isEqualTo(other)
        assertThat(again(other)).isNotEqualTo(order)
    }

    @Test
    fun aSealedClassOfDataClassesAndObjectsHasACodec() {
        for (event in listOf(Event.Paid(Cents(4)), Event.Sent(null), Event.Sent("x"), Event.Closed)) {
            assertThat(again<Event>(event)).isEqualTo(event)
        }
        assertThat(again<Event>(Event.Closed)).isSameAs(Event.Closed)
    }

    @Test
    fun typesOfTheLibraryHaveCodecs() {
        data class All(
            val a: UByte,
            val b: UShort,
            val c: UInt,
            val d: ULong?,
            val at: Instant,
            val took: kotlin.time.Duration,
            val many: List<ULong>
        )
        val all = All(200u, 65535u, 1u, ULong.MAX_VALUE, Instant.fromEpochSeconds(7, 8), 3.minutes, listOf(0uL, 5uL))
        assertThat(again(all)).isEqualTo(all)
        assertThatThrownBy { again(all.copy(took = kotlin.time.Duration.INFINITE)) }
            .isInstanceOf(CodecException::class.java)
            .hasMessageContaining("Infinity")
    }

    @Test
    fun aValueClassHasTheBytesOfItsValue() {
        val registry = CodecRegistry.defaults()
        assertThat(Codecs.encode(registry.of<AccountId>(), AccountId("al")))
            .isEqualTo(Codecs.encode(Codec.utf8(), "al"))
        data class Plain(val all: List<BigInteger>)
        data class Wrapping(val all: List<Big>)
        assertThat(Codecs.encode(registry.of<Wrapping>(), Wrapping(listOf(Big(BigInteger.TWO), Big(BigInteger.TEN)))))
            .isEqualTo(Codecs.encode(registry.of<Plain>(), Plain(listOf(BigInteger.TWO, BigInteger.TEN))))
    }

    @Test
    fun whatAValueClassRefusesIsRefusedWhenItIsRead() {
        data class Plain(val id: String)
        data class Checked(val id: AccountId)
        val bytes = Codecs.encode(CodecRegistry.defaults().of<Plain>(), Plain(""))
        assertThatThrownBy { Codecs.decode(CodecRegistry.defaults().of<Checked>(), bytes) }
            .isInstanceOf(IllegalArgumentException::class.java)
            .hasMessage("an account has a name")
    }

    @Test
    fun aCodecOfTheProgramIsUsedForAValueClass() {
        data class Account(val id: AccountId, val other: AccountId?)
        val registry =
            CodecRegistry.defaults()
                .with(AccountId::class.java, Codecs.map("upper", Codec.utf8(), { AccountId(it) }, { it.text.uppercase() }))
        val codec = registry.of<Account>()
        assertThat(Codecs.decode(codec, Codecs.encode(codec, Account(AccountId("a"), null))))
            .isEqualTo(Account(AccountId("A"), null))
    }

    @Test
    fun whatHasNoCodecIsNamed() {
        assertThatThrownBy { CodecRegistry.defaults().of<Node>() }
            .isInstanceOf(CodecException::class.java)
            .hasMessageContaining("Node.child embeds").hasMessageContaining("in itself")
        assertThatThrownBy { CodecRegistry.defaults().of<Generic<String>>() }
            .isInstanceOf(CodecException::class.java)
            .hasMessageContaining("Generic has type parameters")
        data class Holder(val any: Any)
        assertThatThrownBy { CodecRegistry.defaults().of<Holder>() }
            .isInstanceOf(CodecException::class.java)
            .hasMessageContaining("Holder.any has the type java.lang.Object")
        data class Stars(val all: List<*>)
        assertThatThrownBy { CodecRegistry.defaults().of<Stars>() }
            .isInstanceOf(CodecException::class.java)
            .hasMessageContaining("Stars.all has a type argument that is not a class")
    }

    // ---- Evolution. Each pair of classes is one class of a program, before and after.

    @PersistentName("customer")
    data class CustomerBefore(val name: String, val points: Int, val old: String)

    @PersistentName("customer")
    data class CustomerAfter(
        val level: Currency = Currency.CHF,
        @FormerName("name") val fullName: String,
        val points: Long,
        val since: String = "the beginning of $fullName",
        val bonus: Cents = Cents(42),
        val mentor: AccountId? = AccountId("root"),
        val none: String?
    )

    @PersistentName("wide")
    data class WideBefore(val p0: Int)

    /** More defaults than an int has bits. */
    @PersistentName("wide")
    data class WideAfter(
        val p0: Int, val p1: Int = 1, val p2: Int = 2, val p3: Int = 3, val p4: Int = 4, val p5: Int = 5,
        val p6: Int = 6, val p7: Int = 7, val p8: Int = 8, val p9: Int = 9, val p10: Int = 10, val p11: Int = 11,
        val p12: Int = 12, val p13: Int = 13, val p14: Int = 14, val p15: Int = 15, val p16: Int = 16,
        val p17: Int = 17, val p18: Int = 18, val p19: Int = 19, val p20: Int = 20, val p21: Int = 21,
        val p22: Int = 22, val p23: Int = 23, val p24: Int = 24, val p25: Int = 25, val p26: Int = 26,
        val p27: Int = 27, val p28: Int = 28, val p29: Int = 29, val p30: Int = 30, val p31: Int = 31,
        val p32: Int = 32, val p33: Long = 33
    )

    private fun options(disk: SimulatedDisk): StoreOptions =
        StoreOptions.defaults().withMaxSize(1 shl 22).withOrecs(1 shl 10).withPartitions(1).withStorage(disk.storage())

    @Test
    fun anAddedPropertyHasItsDefaultInOldValues() {
        val disk = SimulatedDisk.seeded(1)
        Store.open(options(disk)).use { store ->
            val map = store.map<String, CustomerBefore>("customers")
            store.update { tx -> map.put(tx, "a", CustomerBefore("Alice", 3, "gone")) }
        }
        Store.open(options(disk)).use { store ->
            val map = store.map<String, CustomerAfter>("customers")
            val read = checkNotNull(store.query { tx -> map.get(tx, "a") })
            assertThat(read)
                .isEqualTo(
                    CustomerAfter(
                        Currency.CHF, "Alice", 3, "the beginning of Alice", Cents(42), AccountId("root"), null
                    )
                )
            store.update { tx -> map.put(tx, "a", read.copy(mentor = null, since = "now")) }
            assertThat(store.query { tx -> map.get(tx, "a") }).isEqualTo(read.copy(mentor = null, since = "now"))
        }
    }

    @Test
    fun moreThan32PropertiesHaveTheirDefaults() {
        val disk = SimulatedDisk.seeded(1)
        Store.open(options(disk)).use { store ->
            val map = store.map<String, WideBefore>("wide")
            store.update { tx -> map.put(tx, "a", WideBefore(5)) }
        }
        Store.open(options(disk)).use { store ->
            val map = store.map<String, WideAfter>("wide")
            assertThat(store.query { tx -> map.get(tx, "a") }).isEqualTo(WideAfter(5))
        }
    }

    @Test
    fun aValueOfTheRegistryGoesBeforeTheDefault() {
        val disk = SimulatedDisk.seeded(1)
        Store.open(options(disk)).use { store ->
            val map = store.map<String, WideBefore>("wide")
            store.update { tx -> map.put(tx, "a", WideBefore(5)) }
        }
        val registry = CodecRegistry.defaults().withAdded(WideAfter::class.java, "p2", -2)
        Store.open(options(disk).withCodecs(registry)).use { store ->
            val map = store.map<String, WideAfter>("wide")
            assertThat(store.query { tx -> map.get(tx, "a") }).isEqualTo(WideAfter(5, p2 = -2))
        }
        assertThatThrownBy { registry.withAdded(WideAfter::class.java, "p99", 1) }
            .isInstanceOf(CodecException::class.java)
            .hasMessageContaining("has no component p99")
    }

    @JvmRecord
    @PersistentName("row")
    data class RowBefore(val name: String, val note: String?, val pieces: Int)

    @PersistentName("row")
    data class RowAfter(val name: String, val note: String?, val pieces: Int = 1)

    @Test
    fun aDataClassMayCeaseToBeARecord() {
        val disk = SimulatedDisk.seeded(1)
        Store.open(options(disk)).use { store ->
            val map = store.map<String, RowBefore>("rows")
            store.update { tx -> map.put(tx, "a", RowBefore("cup", null, 3)) }
            assertThat(store.query { tx -> map.get(tx, "a") }).isEqualTo(RowBefore("cup", null, 3))
        }
        Store.open(options(disk)).use { store ->
            val map = store.map<String, RowAfter>("rows")
            assertThat(store.query { tx -> map.get(tx, "a") }).isEqualTo(RowAfter("cup", null, 3))
        }
    }

    @PersistentName("event")
    sealed interface Before {
        @PersistentName("kept")
        data class Kept(val n: Int) : Before

        @PersistentName("gone")
        data class Gone(val n: Int) : Before
    }

    @PersistentName("event")
    sealed interface After {
        @PersistentName("kept")
        data class Kept(val n: Int) : After
    }

    @Test
    fun aValueWhoseClassIsGoneIsRefusedByName() {
        val disk = SimulatedDisk.seeded(1)
        Store.open(options(disk)).use { store ->
            val map = store.map<String, Before>("events")
            store.update { tx -> map.put(tx, "kept", Before.Kept(1)) }
            store.update { tx -> map.put(tx, "gone", Before.Gone(2)) }
        }
        Store.open(options(disk)).use { store ->
            val map = store.map<String, After>("events")
            assertThat(store.query { tx -> map.get(tx, "kept") }).isEqualTo(After.Kept(1))
            assertThatThrownBy { store.query { tx -> map.get(tx, "gone") } }
                .isInstanceOf(CodecException::class.java)
                .hasMessageContaining("gone")
        }
    }
}
