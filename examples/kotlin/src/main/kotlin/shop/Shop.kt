package shop

import io.howdah.Store
import io.howdah.codec.Codec
import io.howdah.objects.Persistent
import java.lang.invoke.MethodHandles
import java.nio.file.Path
import java.time.Instant
import java.util.UUID

/** A sealed interface has a codec. Its cases are data classes that are Java records, and data objects. */
sealed interface Delivery {
    @JvmRecord
    data class Parcel(val number: String, val weight: Int) : Delivery

    data object PickUp : Delivery
}

/** A data class that is a Java record has a codec. What may be absent is of a type with a question mark. */
@JvmRecord
data class Order(
    val article: String,
    val pieces: Int,
    val placed: Instant,
    val note: String?,
    val delivery: Delivery = Delivery.PickUp
)

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
    val first = Order("tea pot", 2, Instant.EPOCH, null)
    val second = Order("cup", 6, Instant.EPOCH, "a gift", Delivery.Parcel("DE 17", 900))
    Store.open(folder).use { store ->
        val orders = store.map("orders", UUID::class.java, Order::class.java)
        val types = store.type(Customer::class.java, MethodHandles.lookup())
        val customers = store.map("customers", Codec.utf8(), types.codec())
        store.run<RuntimeException> { tx ->
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
        val orders = store.map("orders", UUID::class.java, Order::class.java)
        val types = store.type(Customer::class.java, MethodHandles.lookup())
        val customers = store.map("customers", Codec.utf8(), types.codec())
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
    }
}
