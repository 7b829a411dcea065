package shop

import io.howdah.Store
import io.howdah.codec.Codec
import io.howdah.objects.Persistent
import java.lang.invoke.MethodHandles
import java.nio.file.Path
import java.time.Instant
import java.util.Optional
import java.util.UUID

/** A data class that is a Java record has a codec. What may be absent is an Optional. */
@JvmRecord
data class Order(val article: String, val pieces: Int, val placed: Instant, val note: Optional<String>)

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
            orders.put(tx, id, Order("tea pot", 2, Instant.EPOCH, Optional.empty()))
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
        check(order == Order("tea pot", 2, Instant.EPOCH, Optional.empty())) { "the order is $order" }
        val vip = store.query { tx ->
            val alice = checkNotNull(customers.get(tx, "alice"))
            "${alice.email}, invited by ${alice.invitedBy?.email}, vip: ${alice.isVip}"
        }
        check(vip == "alice@example.org, invited by bob@example.org, vip: true") { vip }
        check(store.query { tx -> customers.get(tx, "carol") } == null) { "nobody put carol" }
        println(vip)
    }
}
