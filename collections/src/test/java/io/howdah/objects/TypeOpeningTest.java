package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.txn.TxOptions;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** PersistentTypes are opened beside transactions, and in them. */
@Timeout(60)
final class TypeOpeningTest {

  @Persistent
  interface Part {
    @Nullable String name();

    void name(@Nullable String v);
  }

  @Persistent
  interface Whole {
    @Embedded
    Part part();
  }

  @Persistent
  interface Other {
    long number();

    void number(long v);
  }

  private final WordStore store =
      WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 22).withOrecs(4096));
  private final PersistentType<Whole> wholes = store.type(Whole.class, MethodHandles.lookup());

  @AfterEach
  void close() {
    store.close();
  }

  private PersistentType<Other> others() {
    return store.type(Other.class, MethodHandles.lookup());
  }

  /** The commit of whoever opens a type waits for a transaction, which asks for types. */
  @Test
  void anIrrevocableTransactionUsesTypesWhileOneIsOpened() throws InterruptedException {
    store.run(
        tx -> {
          Whole whole = wholes.create(tx);
          whole.part().name("a name");
          tx.root(0, wholes.address(whole));
        });
    List<PersistentType<Other>> opened = new CopyOnWriteArrayList<>();
    List<Thread> opener = new ArrayList<>();
    Thread irrevocable =
        Thread.ofPlatform()
            .daemon()
            .start(
                () ->
                    store.call(
                        TxOptions.async().withIrrevocable(),
                        tx -> {
                          Thread beside =
                              Thread.ofPlatform().daemon().start(() -> opened.add(others()));
                          opener.add(beside);
                          awaitItsWait(beside);
                          opened.add(others());
                          assertThat(store.type(Whole.class, MethodHandles.lookup()))
                              .isSameAs(wholes);
                          wholes.free(tx, wholes.at(tx, tx.root(0)));
                          tx.root(0, 0);
                          return 0;
                        }));
    assertThat(irrevocable.join(Duration.ofSeconds(20))).as("both go on").isTrue();
    opener.getFirst().join();
    assertThat(opened).hasSize(2);
    assertThat(opened.getFirst()).isSameAs(opened.getLast());
    assertThat(store.<Long, RuntimeException>read(tx -> tx.root(0))).isZero();
  }

  private static void awaitItsWait(Thread thread) {
    while (thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }
}
