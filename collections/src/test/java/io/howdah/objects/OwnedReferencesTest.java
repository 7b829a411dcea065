package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.collections.Blocks;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Objects that belong to others: what is freed with what, and what is refused. */
final class OwnedReferencesTest {

  private static final WordOptions SMALL =
      WordOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 12).withPartitions(2);

  @Persistent
  interface Place {
    @Owned
    @Nullable Node tenant();

    void tenant(@Nullable Node v);
  }

  @Persistent
  interface Node {
    @Nullable String text();

    void text(@Nullable String v);

    @Owned
    @Nullable Node first();

    void first(@Nullable Node v);

    @Owned
    @Length(3)
    @Nullable Node others(int index);

    void others(int index, @Nullable Node v);

    @Nullable Node friend();

    void friend(@Nullable Node v);

    @Embedded
    Place place();

    @NotPersistent
    int pins();

    void pins(int v);
  }

  private WordStore store = WordStore.inMemory(SMALL);
  private PersistentType<Node> nodes = store.type(Node.class, MethodHandles.lookup());

  @AfterEach
  void close() {
    store.close();
  }

  private Node node(Tx tx, String text) {
    Node node = nodes.create(tx);
    node.text(text);
    return node;
  }

  private int blocks() {
    return store.read(tx -> Blocks.inUse(TxHandle.of(tx).words()).size());
  }

  private void assertGone(long address) {
    assertThatThrownBy(() -> store.run(tx -> nodes.at(tx, address)))
        .isInstanceOf(InvalidAddressException.class);
  }

  private long[] family() {
    return store.call(
        tx -> {
          Node top = node(tx, "top");
          Node child = node(tx, "child");
          Node grandchild = node(tx, "grandchild");
          Node tenant = node(tx, "tenant");
          top.first(child);
          child.others(2, grandchild);
          top.place().tenant(tenant);
          return new long[] {
            nodes.address(top),
            nodes.address(child),
            nodes.address(grandchild),
            nodes.address(tenant)
          };
        });
  }

  @Test
  void whatAnObjectOwnsIsFreedWithIt() {
    int before = blocks();
    long[] family = family();
    assertThat(blocks()).isEqualTo(before + 4 * 2 + 3); // object and text, and who owns it
    store.run(tx -> nodes.free(tx, nodes.at(tx, family[0])));
    assertThat(blocks()).isEqualTo(before);
    for (long address : family) {
      assertGone(address);
    }
  }

  @Test
  void whatIsReplacedIsFreed() {
    int before = blocks();
    long[] family = family();
    store.run(
        tx -> {
          Node top = nodes.at(tx, family[0]);
          Node child = Objects.requireNonNull(top.first());
          top.first(child);
          assertThat(child.text()).as("it was set to what it was").isEqualTo("child");
          top.first(node(tx, "other"));
          top.place().tenant(null);
          assertThat(top.place().tenant()).isNull();
        });
    assertGone(family[1]);
    assertGone(family[2]);
    assertGone(family[3]);
    assertThat(blocks()).isEqualTo(before + 2 * 2 + 1);
    store.run(tx -> nodes.free(tx, nodes.at(tx, family[0])));
    assertThat(blocks()).isEqualTo(before);
  }

  @Test
  void anOwnedObjectThatIsFreedByItselfIsNoLongerThere() {
    int before = blocks();
    long[] family = family();
    store.run(tx -> nodes.free(tx, nodes.at(tx, family[1])));
    store.run(tx -> assertThat(nodes.at(tx, family[0]).first()).isNull());
    store.run(tx -> nodes.free(tx, nodes.at(tx, family[0])));
    assertThat(blocks()).isEqualTo(before);
  }

  @Test
  void aDetachedObjectGetsAnotherOwner() {
    int before = blocks();
    long[] family = family();
    store.run(
        tx -> {
          Node top = nodes.at(tx, family[0]);
          Node grandchild = nodes.at(tx, family[2]);
          assertThat(nodes.detach(tx, grandchild)).isTrue();
          assertThat(nodes.detach(tx, grandchild)).isFalse();
          assertThat(nodes.at(tx, family[1]).others(2)).isNull();
          top.others(0, grandchild);
          top.first(null);
          assertThat(grandchild.text()).isEqualTo("grandchild");
        });
    assertGone(family[1]);
    store.run(tx -> nodes.free(tx, nodes.at(tx, family[0])));
    assertThat(blocks()).isEqualTo(before);
  }

  @Test
  void aSecondOwnerIsRefused() {
    long[] family = family();
    assertThatThrownBy(() -> store.run(tx -> node(tx, "thief").first(nodes.at(tx, family[1]))))
        .isInstanceOf(OwnershipException.class)
        .hasMessageContaining("Node@" + ObjectLayout.address(family[1]) + " belongs to")
        .hasMessageContaining("Node@" + ObjectLayout.address(family[0]))
        .hasMessageContaining("detach");
    assertThatThrownBy(
            () ->
                store.run(tx -> nodes.at(tx, family[0]).others(1, nodes.at(tx, family[0]).first())))
        .isInstanceOf(OwnershipException.class);
  }

  @Test
  void aCircleIsRefused() {
    long[] family = family();
    assertThatThrownBy(
            () -> store.run(tx -> nodes.at(tx, family[2]).first(nodes.at(tx, family[0]))))
        .isInstanceOf(OwnershipException.class)
        .hasMessageContaining("Node@" + ObjectLayout.address(family[2]) + " cannot own")
        .hasMessageContaining("Node@" + ObjectLayout.address(family[0]) + ", which owns it");
    assertThatThrownBy(
            () -> store.run(tx -> nodes.at(tx, family[0]).first(nodes.at(tx, family[0]))))
        .isInstanceOf(OwnershipException.class)
        .hasMessageContaining("is itself");
    assertThatThrownBy(
            () -> store.run(tx -> nodes.at(tx, family[3]).place().tenant(nodes.at(tx, family[0]))))
        .isInstanceOf(OwnershipException.class);
  }

  @Test
  void aFreedObjectOwnsNothing() {
    long[] family = family();
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      Node child = nodes.at(tx, family[1]);
                      nodes.free(tx, nodes.at(tx, family[0]));
                      child.first(node(tx, "late"));
                    }))
        .isInstanceOf(InvalidAddressException.class)
        .hasMessageContaining("was freed, so it cannot own");
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      Node child = nodes.at(tx, family[1]);
                      nodes.free(tx, child);
                      nodes.at(tx, family[0]).others(0, child);
                    }))
        .isInstanceOf(InvalidAddressException.class);
  }

  @Test
  void savepointsAndAbortsBringBackWhatWasFreed() {
    long[] family = family();
    int before = blocks();
    store.run(
        tx -> {
          Node top = nodes.at(tx, family[0]);
          Savepoint savepoint = tx.savepoint();
          top.first(node(tx, "other"));
          nodes.free(tx, nodes.at(tx, family[3]));
          tx.rollBack(savepoint);
          assertThat(Objects.requireNonNull(top.first()).text()).isEqualTo("child");
          assertThat(nodes.at(tx, family[2]).text()).isEqualTo("grandchild");
        });
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      nodes.free(tx, nodes.at(tx, family[0]));
                      throw new IllegalStateException("changed its mind");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(blocks()).isEqualTo(before);
    store.run(tx -> assertThat(nodes.at(tx, family[3]).text()).isEqualTo("tenant"));
  }

  @Test
  void aLongChainIsFreedWithoutRecursion() {
    int before = blocks();
    long top =
        store.call(
            tx -> {
              Node first = node(tx, "end");
              for (int i = 0; i < 5000; i++) {
                Node above = nodes.create(tx);
                above.first(first);
                first = above;
              }
              return nodes.address(first);
            });
    store.run(tx -> nodes.free(tx, nodes.at(tx, top)));
    assertThat(blocks()).isEqualTo(before);
  }

  @Test
  void aTreeThatIsTooLargeForATransactionIsRefusedAndStays() {
    try (WordStore small = WordStore.inMemory(SMALL.withMaxTransactionBytes(1 << 12))) {
      PersistentType<Node> type = small.type(Node.class, MethodHandles.lookup());
      long[] top = {small.call(tx -> type.address(type.create(tx)))};
      for (int i = 0; i < 300; i++) {
        top[0] =
            small.call(
                tx -> {
                  Node above = type.create(tx);
                  above.first(type.at(tx, top[0]));
                  return type.address(above);
                });
      }
      assertThatThrownBy(() -> small.run(tx -> type.free(tx, type.at(tx, top[0]))))
          .isInstanceOf(TransactionTooLargeException.class)
          .hasMessageContaining("Node with all it owns does not fit into one transaction")
          .hasMessageContaining("maxTransactionBytes");
      small.run(tx -> assertThat(type.at(tx, top[0]).first()).isNotNull());
    }
  }

  @Test
  void whatDoesNotPersistGoesWithItsObject() {
    long[] family = family();
    store.run(tx -> nodes.at(tx, family[2]).pins(3));
    store.run(tx -> nodes.free(tx, nodes.at(tx, family[0])));
    assertThat(nodes.notPersistent().has(family[2])).isFalse();
  }

  // ---- What is no owned property.

  @Persistent
  interface OwnedText {
    @Owned
    String text();
  }

  @Persistent
  interface OwnedInPlace {
    @Owned
    @Embedded
    Place place();
  }

  @Persistent
  interface OwnedPassing {
    @Owned
    @NotPersistent
    Node node();
  }

  @Test
  void onlyReferencesAreOwned() {
    for (Class<?> type : new Class<?>[] {OwnedText.class, OwnedInPlace.class, OwnedPassing.class}) {
      assertThatThrownBy(() -> store.type(type, MethodHandles.lookup()))
          .isInstanceOf(InvalidTypeException.class)
          .hasMessageContaining(type.getName());
    }
  }
}
