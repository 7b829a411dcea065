package io.howdah.kotlin

import io.howdah.Store
import io.howdah.txn.TxOptions
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlin.reflect.KFunction
import kotlin.reflect.jvm.jvmErasure
import kotlin.reflect.jvm.kotlinFunction
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

/** Transactions in functions and in coroutines. */
class TransactionsTest {

    private val store = Store.inMemory()
    private val map = store.map<String, Long>("map")

    @AfterEach
    fun close() = store.close()

    @Test
    fun aTransactionReturnsWhatItsBodyDoes() {
        val sum = store.update { tx -> map.merge(tx, "a", 2L, Long::plus) }
        assertThat(sum).isEqualTo(2)
        assertThat(store.query { tx -> map.get(tx, "a") }).isEqualTo(2)
        assertThat(store.query { tx -> map.get(tx, "b") }).isNull()
        assertThatThrownBy { store.update { tx -> map.put(tx, "a", 9L); error("no") } }
            .isInstanceOf(IllegalStateException::class.java)
        assertThat(store.query { tx -> map.get(tx, "a") }).isEqualTo(2)
    }

    @Test
    fun theSameInACoroutine() = runBlocking<Unit> {
        val sum = store.awaitUpdate { tx -> map.merge(tx, "a", 2L, Long::plus) }
        assertThat(sum).isEqualTo(2)
        assertThat(store.awaitQuery { tx -> map.get(tx, "a") }).isEqualTo(2)
        val thrown = runCatching { store.awaitUpdate { tx -> map.put(tx, "a", 9L); error("no") } }.exceptionOrNull()
        assertThat(thrown).isInstanceOf(IllegalStateException::class.java).hasMessage("no")
        val receipt = store.callWithReceipt<Long?, RuntimeException>(TxOptions.async()) { tx -> map.get(tx, "a") }
        assertThat(receipt.awaitDurable()).isEqualTo(2)
    }

    /** If the body ran on the dispatcher's only thread, the coroutine that ends its wait could not run. */
    @Test
    fun aBodyThatWaitsHoldsNoThreadOfTheDispatcher() {
        Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { dispatcher ->
            runBlocking(dispatcher) {
                val entered = CompletableDeferred<Thread>()
                val released = CountDownLatch(1)
                val waiting = async {
                    store.awaitUpdate { tx ->
                        entered.complete(Thread.currentThread())
                        released.await()
                        map.put(tx, "a", 1L)
                    }
                    Thread.currentThread()
                }
                assertThat(entered.await().isVirtual).isTrue()
                released.countDown()
                assertThat(waiting.await()).isSameAs(Thread.currentThread())
            }
        }
    }

    @Test
    fun aCancelledCoroutineRunsNoTransactionOrWaitsForItsEnd() = runBlocking<Unit> {
        val runs = AtomicInteger()
        val early = launch(start = CoroutineStart.UNDISPATCHED) {
            kotlinx.coroutines.awaitCancellation()
        }
        early.cancelAndJoin()
        assertThatThrownBy { runBlocking { withContext(early) { store.awaitUpdate { runs.incrementAndGet() } } } }
            .isInstanceOf(CancellationException::class.java)
        assertThat(runs).hasValue(0)

        val entered = CompletableDeferred<Unit>()
        val released = CountDownLatch(1)
        var told: Throwable? = null
        val late = launch {
            try {
                store.awaitUpdate { tx ->
                    map.put(tx, "late", 1L)
                    entered.complete(Unit)
                    released.await()
                }
            } catch (e: CancellationException) {
                told = e
            }
        }
        entered.await()
        late.cancel()
        assertThat(late.isCompleted).isFalse()
        released.countDown()
        late.join()
        assertThat(told).isInstanceOf(CancellationException::class.java)
        assertThat(store.query { tx -> map.get(tx, "late") }).isEqualTo(1)
    }

    /** So the compiler refuses a body that suspends, even where the caller is a suspending function. */
    @Test
    fun noBodyCanSuspend() {
        val update: KFunction<*> = Class.forName("io.howdah.kotlin.TransactionsKt").named("update")
        val others = listOf("query", "awaitUpdate", "awaitQuery")
            .map { Class.forName("io.howdah.kotlin.TransactionsKt").named(it) }
        for (function in others + update) {
            assertThat(function.isInline).describedAs(function.name).isFalse()
            val body = function.parameters.last()
            assertThat(body.type.jvmErasure).isEqualTo(Function1::class)
            assertThat(body.type.toString()).doesNotContain("suspend")
        }
    }

    private fun Class<*>.named(name: String): KFunction<*> =
        declaredMethods.filter { it.name == name }.firstNotNullOf { it.kotlinFunction }
}
