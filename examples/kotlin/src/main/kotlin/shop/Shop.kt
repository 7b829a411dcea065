package shop

import io.howdah.Store
import io.howdah.codec.Codec
import io.howdah.collections.ChangeJournal
import io.howdah.collections.changes.Change
import io.howdah.kotlin.awaitQuery
import io.howdah.kotlin.awaitUpdate
import io.howdah.kotlin.batches
import io.howdah.kotlin.map
import io.howdah.kotlin.query
import io.howdah.kotlin.sortedMap
import io.howdah.kotlin.type
import io.howdah.kotlin.update
import io.howdah.objects.Persistent
import io.howdah.objects.PersistentType
import java.nio.file.Path
import java.time.Instant
import java.util.UUID
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.takeWhile
import kotlinx.coroutines.runBlocking

/** A sealed interface has a codec. Its cases are data classes and data objects. */
sealed interface Delivery {
    data class Parcel(val number: String, val weight: Int) : Delivery

    data object PickUp : Delivery
}

/** A value class is stored as its value, and is a key with its order. */
@JvmInline
value class Article(val name: String)

/** A data class has a codec. What may be absent is of a type with a question mark. */
data class Order(
    val article: Article,
    val pieces: Int,
    val placed: Instant,
    val note: String?,
    val delivery: Delivery = Delivery.PickUp
)

private fun orders(store: Store) = store.map<UUID, Order>("orders", ChangeJournal.keeping(1_000))

private fun customers(store: Store, types: PersistentType<Customer>) =
    store.map("customers", Codec.utf8(), types.codec())

/** How many pieces of each article were ordered, from the changes of the orders: each is counted once. */
private suspend fun count(store: Store, until: Long): Map<Article, Int> {
    val pieces = store.sortedMap<Article, Int>("pieces")
    val counted = store.map<String, Long>("counted")
    val begin = store.awaitQuery { tx -> counted.get(tx, "position") } ?: 0L
    orders(store).changes().batches(begin).takeWhile { it.first().position() <= until }.onEach { batch ->
        store.awaitUpdate { tx ->
            batch.filterIsInstance<Change.Put<UUID, Order>>().forEach {
                pieces.merge(tx, it.value().article, it.value().pieces, Int::plus)
            }
            counted.put(tx, "position", batch.last().position())
        }
    }.first { it.last().position() >= until }
    return store.awaitQuery { tx -> pieces.entries(tx).toList().associate { it.key to it.value } }
}

/** An object in the store: each property is read and written where it lies. */
@Persistent
interface Customer {
    var email: String
    var spentCents: Long
    var isVip: Boolean
    var invitedBy: Customer?
}

/** Opens the shop twice; the second time it finds what the first has left. */
fun main(args: Array<String>) {
    val folder = Path.of(args[0])
    val id = UUID(1, 1)
    val first = Order(Article("tea pot"), 2, Instant.EPOCH, null)
    val second = Order(Article("cup"), 6, Instant.EPOCH, "a gift", Delivery.Parcel("DE 17", 900))
    Store.open(folder).use { store ->
        val orders = orders(store)
        val types = store.type<Customer>()
        val customers = customers(store, types)
        store.update { tx ->
            val bob = types.create(tx)
            bob.email = "bob@example.org"
            val alice = types.create(tx)
            alice.email = "alice@example.org"
            alice.invitedBy = bob
            customers.put(tx, "bob", bob)
            customers.put(tx, "alice", alice)
        }
        val spent = store.update { tx ->
            orders.put(tx, id, first)
            orders.put(tx, UUID(2, 2), second)
            val alice = checkNotNull(customers.get(tx, "alice"))
            alice.spentCents += 900
            alice.isVip = alice.spentCents > 500
            alice.spentCents
        }
        println("alice has spent $spent cents")
    }
    Store.open(folder).use { store ->
        val orders = orders(store)
        val types = store.type<Customer>()
        val customers = customers(store, types)
        val order = store.query { tx -> orders.get(tx, id) }
        check(order == first) { "the order is $order" }
        check(order.delivery === Delivery.PickUp) { "a data object is one object" }
        check(store.query { tx -> orders.get(tx, UUID(2, 2)) } == second)
        val vip = store.query { tx ->
            val alice = checkNotNull(customers.get(tx, "alice"))
            "${alice.email}, invited by ${alice.invitedBy?.email}, vip: ${alice.isVip}"
        }
        check(vip == "alice@example.org, invited by bob@example.org, vip: true") { vip }
        check(store.query { tx -> customers.get(tx, "carol") } == null) { "nobody put carol" }
        println(vip)
        val pieces = runBlocking { count(store, 2) }
        check(pieces == mapOf(Article("cup") to 6, Article("tea pot") to 2)) { "$pieces" }
        println(pieces)
    }
}
