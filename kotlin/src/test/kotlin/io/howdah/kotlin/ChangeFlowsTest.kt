package io.howdah.kotlin

import io.howdah.Store
import io.howdah.StoreOptions
import io.howdah.collections.ChangeJournal
import io.howdah.collections.PersistentMap
import io.howdah.collections.changes.Change
import io.howdah.collections.changes.ChangesLostException
import io.howdah.core.StoreClosedException
import java.util.concurrent.Executors
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.takeWhile
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

/** Changes as flows. */
class ChangeFlowsTest {

    private fun store(): Store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 shl 24).withOrecs(1 shl 12))

    private fun journalled(store: Store, entries: Long = 10_000): PersistentMap<Long, Long> =
        store.map<Long, Long>("map", ChangeJournal.keeping(entries))

    private fun put(store: Store, map: PersistentMap<Long, Long>, keys: LongRange) {
        for (key in keys) {
            store.update { tx -> map.put(tx, key, -key) }
        }
    }

    private fun subscriptions(store: Store): Int = store.admin().stats().subscriptions()

    @Test
    fun aFlowHasEachChangeOnceAndInOrder() = runBlocking<Unit> {
        store().use { store ->
            val map = journalled(store)
            put(store, map, 1L..100L)
            val found = async(Dispatchers.Default) { map.changes().asFlow(10).take(190).toList() }
            put(store, map, 101L..200L)
            assertThat(found.await().map { it.position() }).isEqualTo((11L..200L).toList())
            assertThat(found.await().first()).isEqualTo(Change.Put(11, 11L, -11L))
            assertThat(subscriptions(store)).isZero()
        }
    }

    /** A collector that suspends for ever holds up its own flow: writers and other flows continue. */
    @Test
    fun aCollectorThatWaitsHoldsUpItsOwnFlowAlone() {
        Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { dispatcher ->
            store().use { store ->
                val map = journalled(store)
                runBlocking(dispatcher) {
                    val first = CompletableDeferred<Int>()
                    val stuck = launch {
                        map.changes().batches(0, max = 16).collect { batch ->
                            first.complete(batch.size)
                            awaitCancellation()
                        }
                    }
                    put(store, map, 1L..1L)
                    assertThat(first.await()).isEqualTo(1)
                    put(store, map, 2L..1000L)
                    assertThat(map.changes().asFlow(0).take(1000).toList()).hasSize(1000)
                    assertThat(subscriptions(store)).isEqualTo(1)
                    stuck.cancelAndJoin()
                    assertThat(subscriptions(store)).isZero()
                }
            }
        }
    }

    /** The collector has one batch, and the next one waits in the subscription's thread: no more are read. */
    @Test
    fun theSubscriptionIsNotAheadOfTheCollector() = runBlocking<Unit> {
        store().use { store ->
            val map = journalled(store)
            put(store, map, 1L..64L)
            var collected = 0
            var atOnce = 0
            map.changes().batches(0, max = 4)
                .onEach { batch ->
                    collected += batch.size
                    atOnce = maxOf(atOnce, batch.size)
                }
                .takeWhile { collected < 64 }
                .collect {}
            assertThat(atOnce).isEqualTo(4)
            assertThat(subscriptions(store)).isZero()
        }
    }

    @Test
    fun aFlowBehindTheJournalEndsWithAnException() = runBlocking<Unit> {
        store().use { store ->
            val map = journalled(store, 10)
            put(store, map, 1L..50L)
            val thrown = runCatching { map.changes().asFlow(1).first() }.exceptionOrNull()
            assertThat(thrown).isInstanceOf(ChangesLostException::class.java)

            val newest = store.query { tx -> map.changes().newest(tx) }
            val collector = async(Dispatchers.Default) {
                runCatching {
                    map.changes().batches(newest, max = 1).collect {
                        put(store, map, 1L..100L) // ten times what the journal keeps, while this change is taken
                    }
                }
            }
            put(store, map, 1L..1L)
            assertThat(collector.await().exceptionOrNull()).isInstanceOf(ChangesLostException::class.java)
            assertThat(subscriptions(store)).isZero()
        }
    }

    @Test
    fun aClosedStoreEndsAFlowWithAnException() = runBlocking<Unit> {
        val store = store()
        val map = journalled(store)
        put(store, map, 1L..1L)
        val began = CompletableDeferred<Unit>()
        supervisorScope {
            val flow = async(Dispatchers.Default) { map.changes().asFlow(0).collect { began.complete(Unit) } }
            began.await()
            store.close()
            val thrown = runCatching { flow.await() }.exceptionOrNull()
            assertThat(thrown).isInstanceOf(StoreClosedException::class.java)
        }
    }

    @Test
    fun anExceptionOfTheCollectorEndsTheSubscription() {
        store().use { store ->
            val map = journalled(store)
            put(store, map, 1L..10L)
            assertThatThrownBy { runBlocking { map.changes().asFlow(0).collect { error("enough") } } }
                .isInstanceOf(IllegalStateException::class.java)
                .hasMessage("enough")
            assertThat(subscriptions(store)).isZero()
        }
    }
}
