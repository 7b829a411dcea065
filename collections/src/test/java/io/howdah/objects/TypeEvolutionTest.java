package io.howdah.objects;

import static io.howdah.objects.Interfaces.get;
import static io.howdah.objects.Interfaces.inner;
import static io.howdah.objects.Interfaces.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.collections.Blocks;
import io.howdah.collections.WordMemory;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.objects.Interfaces.Property;
import io.howdah.txn.stm.TxHandle;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Stores that one version of a program leaves to the next, with objects of both. */
final class TypeEvolutionTest {

  private static final WordOptions SMALL =
      WordOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 12).withPartitions(2);

  private static final int OBJECT = 0;

  @AutoClose private final WordMemory folder = new WordMemory();

  private WordStore open() {
    return WordStore.open(folder, SMALL);
  }

  private static Interfaces account(Property... properties) {
    return new Interfaces().with("Account", properties);
  }

  private static final Property BALANCE = Property.of("balance", long.class);
  private static final Property NAME = Property.of("name", String.class);
  private static final Property LIMIT = Property.of("limit", int.class);

  /** Leaves an account of the first version, with 7 on it, at the root. */
  private void firstVersion() {
    try (WordStore store = open()) {
      PersistentType<Object> accounts = account(BALANCE, NAME).open(store, "Account");
      store.run(
          tx -> {
            Object account = accounts.create(tx);
            set(account, "balance", 7L);
            set(account, "name", "Ann");
            tx.root(OBJECT, accounts.address(account));
          });
    }
  }

  @Test
  void anObjectThatHasGrownIsOneOrphan() {
    firstVersion();
    Interfaces second = account(BALANCE, NAME, LIMIT, Property.reference("next", "Account"));
    try (WordStore store = open()) {
      PersistentType<Object> accounts = second.open(store, "Account");
      store.run(
          tx -> {
            Object old = accounts.at(tx, tx.root(OBJECT));
            set(old, "next", accounts.create(tx)); // in another block than the root leads to
          });
      assertThat(store.orphans()).isEmpty();
      store.run(tx -> set(accounts.at(tx, tx.root(OBJECT)), "next", null));
      assertThat(store.orphans()).extracting(Orphans::count).containsExactly(1L);
      store.run(tx -> tx.root(OBJECT, 0));
      assertThat(store.orphans()).extracting(Orphans::count).containsExactly(2L);
    }
  }

  /** New properties go where there is room, which may be at a lower address. */
  @Test
  void anObjectWhoseNewPropertiesLieBeforeItIsOneOrphan() {
    try (WordStore store = open()) {
      store.run(tx -> tx.root(OBJECT, tx.allocate(48))); // so others of that length lie here
    }
    firstVersion();
    Interfaces second = account(BALANCE, NAME, LIMIT, Property.reference("next", "Account"));
    try (WordStore store = open()) {
      PersistentType<Object> accounts = second.open(store, "Account");
      store.run(
          tx -> {
            Object old = accounts.at(tx, tx.root(OBJECT));
            set(old, "limit", 5);
            tx.root(OBJECT, 0);
          });
      assertThat(store.orphans()).extracting(Orphans::count).containsExactly(1L);
    }
  }

  @Test
  void anObjectThatHasGrownKeepsWhatIsNewWhoeverOwnsIt() {
    firstVersion();
    Interfaces second = account(BALANCE, NAME, LIMIT, Property.owned("child", "Account"));
    try (WordStore store = open()) {
      PersistentType<Object> accounts = second.open(store, "Account");
      store.run(
          tx -> {
            Object old = accounts.at(tx, tx.root(OBJECT));
            set(old, "limit", 5);
            Object owner = accounts.create(tx);
            set(owner, "child", old);
            assertThat(get(old, "limit")).isEqualTo(5);
            assertThat(accounts.detach(tx, old)).isTrue();
            assertThat(get(old, "limit")).isEqualTo(5);
            set(owner, "child", old);
            tx.root(OBJECT, accounts.address(owner));
          });
      assertThat(store.orphans()).isEmpty();
      store.run(
          tx -> {
            Object owner = accounts.at(tx, tx.root(OBJECT));
            Object old = inner(owner, "child");
            assertThat(get(old, "limit")).isEqualTo(5);
            assertThat(get(old, "balance")).isEqualTo(7L);
            accounts.free(tx, owner);
            tx.root(OBJECT, 0);
          });
      assertThat(store.orphans()).isEmpty();
      Blocks.assertNothingLeaks(store);
    }
  }

  @Test
  void anAddedPropertyIsNothingInOlderObjectsUntilItIsSet() {
    firstVersion();
    Interfaces second = account(BALANCE, NAME, LIMIT, Property.of("note", String.class));
    try (WordStore store = open()) {
      PersistentType<Object> accounts = second.open(store, "Account");
      store.run(
          tx -> {
            Object old = accounts.at(tx, tx.root(OBJECT));
            assertThat(get(old, "balance")).isEqualTo(7L);
            assertThat(get(old, "limit")).isEqualTo(0);
            assertThat(get(old, "note")).isNull();
            set(old, "limit", 500);
            set(old, "note", "kept");
            Object young = accounts.create(tx);
            set(young, "limit", 300);
            tx.root(OBJECT + 1, accounts.address(young));
          });
    }
    try (WordStore store = open()) {
      PersistentType<Object> accounts = second.open(store, "Account");
      store.run(
          tx -> {
            Object old = accounts.at(tx, tx.root(OBJECT));
            assertThat(get(old, "balance")).isEqualTo(7L);
            assertThat(get(old, "limit")).isEqualTo(500);
            assertThat(get(old, "note")).isEqualTo("kept");
            Object young = accounts.at(tx, tx.root(OBJECT + 1));
            assertThat(get(young, "limit")).isEqualTo(300);
            accounts.free(tx, old);
            accounts.free(tx, young);
          });
      store.run(
          tx ->
              assertThat(Blocks.inUse(TxHandle.of(tx).words()))
                  .as("what describes the type is left: strings and extensions went along")
                  .hasSizeLessThanOrEqualTo(4));
    }
  }

  @Test
  void toolsSeeWhatWasAddedToAnOlderObject() {
    firstVersion();
    Interfaces second = account(BALANCE, NAME, LIMIT, Property.of("note", String.class));
    try (WordStore store = open()) {
      PersistentType<Object> accounts = second.open(store, "Account");
      assertThat(properties(store)).containsEntry("balance", 7L).containsEntry("note", null);
      store.run(tx -> set(accounts.at(tx, tx.root(OBJECT)), "note", "kept"));
      assertThat(properties(store))
          .containsEntry("balance", 7L)
          .containsEntry("limit", 0)
          .containsEntry("note", "kept");
    }
  }

  private static Map<String, @Nullable Object> properties(WordStore store) {
    return store
        .read(tx -> store.properties(tx, "evolving.Account", tx.root(OBJECT)))
        .orElseThrow();
  }

  @Test
  void aRemovedPropertyIsThereAgainWhenItComesBack() {
    firstVersion();
    try (WordStore store = open()) {
      PersistentType<Object> accounts = account(BALANCE).open(store, "Account");
      store.run(
          tx -> {
            Object account = accounts.at(tx, tx.root(OBJECT));
            assertThat(get(account, "balance")).isEqualTo(7L);
            set(account, "balance", 8L);
          });
    }
    try (WordStore store = open()) {
      PersistentType<Object> accounts = account(BALANCE, NAME).open(store, "Account");
      store.run(
          tx -> {
            Object account = accounts.at(tx, tx.root(OBJECT));
            assertThat(get(account, "balance")).isEqualTo(8L);
            assertThat(get(account, "name")).isEqualTo("Ann");
          });
    }
  }

  @Test
  void aPropertyOfAnotherTypeIsRefusedUnlessItReplacesTheStoredOne() {
    firstVersion();
    Interfaces second = account(Property.of("balance", double.class), NAME);
    try (WordStore store = open()) {
      assertThatThrownBy(() -> second.open(store, "Account"))
          .isInstanceOf(InvalidTypeException.class)
          .hasMessageContainingAll(
              "evolving.Account",
              "In the store: {balance: long, name: string}",
              "in the interface: {balance: double, name: string}");
      PersistentType<Object> accounts =
          second.open(store, "Account", PersistentType.Options.defaults().replacing("balance"));
      store.run(
          tx -> {
            Object account = accounts.at(tx, tx.root(OBJECT));
            assertThat(get(account, "balance")).isEqualTo(0.0);
            assertThat(accounts.former(account, "balance")).isEqualTo(7L);
            assertThat(accounts.former(account, "name")).isNull();
            set(account, "balance", 7.5);
          });
    }
    try (WordStore store = open()) {
      PersistentType<Object> accounts = second.open(store, "Account");
      store.run(
          tx -> {
            Object account = accounts.at(tx, tx.root(OBJECT));
            assertThat(get(account, "balance")).isEqualTo(7.5);
            assertThat(get(account, "name")).isEqualTo("Ann");
          });
    }
  }

  /** Each conversion finds what the one before has stored, and not what that one has found. */
  @Test
  void theFormerValueIsThatOfTheLastPropertyThatWasReplaced() {
    firstVersion();
    List<Class<?>> types = List.of(double.class, int.class, short.class, float.class);
    List<Object> values = List.of(7.5, 8, (short) 9, 10.5f);
    Object before = 7L;
    for (int version = 0; version < types.size(); version++) {
      Interfaces next = account(Property.of("balance", types.get(version)), NAME);
      Object value = values.get(version);
      Object former = before;
      try (WordStore store = open()) {
        PersistentType<Object> accounts =
            next.open(store, "Account", PersistentType.Options.defaults().replacing("balance"));
        store.run(
            tx -> {
              Object account = accounts.at(tx, tx.root(OBJECT));
              assertThat(accounts.former(account, "balance")).isEqualTo(former);
              set(account, "balance", value);
            });
      }
      before = value;
    }
  }

  /** It has no setter, so its getter makes room in a transaction that may write. */
  @Test
  void anEmbeddedObjectThatIsAddedLaterIsThereInOldObjects() {
    firstVersion();
    Property point = Property.embedded("point", "Point");
    Interfaces second = account(BALANCE, NAME, LIMIT, point);
    second.with("Point", Property.of("x", long.class));
    try (WordStore store = open()) {
      PersistentType<Object> accounts = second.open(store, "Account");
      store.<Boolean, RuntimeException>read(
          tx -> {
            Object old = accounts.at(tx, tx.root(OBJECT));
            assertThat(get(old, "point")).isNull();
            return true;
          });
      store.run(
          tx -> {
            Object old = accounts.at(tx, tx.root(OBJECT));
            Object inner = inner(old, "point");
            assertThat(get(inner, "x")).isEqualTo(0L);
            set(inner, "x", 5L);
          });
      store.<Boolean, RuntimeException>read(
          tx -> {
            Object old = accounts.at(tx, tx.root(OBJECT));
            assertThat(get(inner(old, "point"), "x")).isEqualTo(5L);
            assertThat(get(old, "balance")).isEqualTo(7L);
            assertThat(get(old, "limit")).isEqualTo(0);
            return true;
          });
    }
  }

  @Test
  void anElementThatAnArrayAddedLaterDoesNotHaveIsRefusedInOldObjects() {
    firstVersion();
    Interfaces second = account(BALANCE, NAME, LIMIT, Property.array("cell", long.class, 4));
    try (WordStore store = open()) {
      PersistentType<Object> accounts = second.open(store, "Account");
      store.run(
          tx -> {
            Object old = accounts.at(tx, tx.root(OBJECT));
            assertThat(get(old, "cell", 3)).isEqualTo(0L);
          });
      for (int index : new int[] {-1, 4, 99}) {
        assertThatThrownBy(
                () -> store.run(tx -> get(accounts.at(tx, tx.root(OBJECT)), "cell", index)))
            .isInstanceOf(IndexOutOfBoundsException.class)
            .hasMessageContaining("cell");
      }
    }
  }

  /** Its properties have versions, and it has no header that says which of them it has. */
  @Test
  void aTypeThatGrewBeforeItWasEmbeddedHasAllItsProperties() {
    Property x = Property.of("x", long.class);
    Property y = Property.of("y", long.class);
    try (WordStore store = open()) {
      new Interfaces().with("Point", x).open(store, "Point");
    }
    Interfaces second =
        new Interfaces()
            .with("Point", x, y)
            .with("Pair", Property.embedded("from", "Point"), Property.embedded("to", "Point"));
    try (WordStore store = open()) {
      PersistentType<Object> pairs = second.open(store, "Pair");
      store.run(
          tx -> {
            Object pair = pairs.create(tx);
            set(inner(pair, "from"), "y", 1L);
            set(inner(pair, "to"), "x", -1L);
            set(inner(pair, "to"), "y", 2L);
            tx.root(OBJECT, pairs.address(pair));
          });
      store.run(
          tx -> {
            Object pair = pairs.at(tx, tx.root(OBJECT));
            assertThat(get(inner(pair, "from"), "x")).isEqualTo(0L);
            assertThat(get(inner(pair, "from"), "y")).isEqualTo(1L);
            assertThat(get(inner(pair, "to"), "x")).isEqualTo(-1L);
            assertThat(get(inner(pair, "to"), "y")).isEqualTo(2L);
            pairs.free(tx, pair);
          });
      store.run(
          tx -> assertThat(Blocks.inUse(TxHandle.of(tx).words())).hasSizeLessThanOrEqualTo(4));
    }
  }

  /** Objects lie in others one after the other, so there is no room to grow. */
  @Test
  void aTypeThatGrowsWhereItIsEmbeddedIsRefused() {
    Property x = Property.of("x", long.class);
    Property point = Property.embedded("point", "Point");
    try (WordStore store = open()) {
      new Interfaces().with("Point", x).with("Holder", point).open(store, "Holder");
    }
    try (WordStore store = open()) {
      Interfaces second =
          new Interfaces().with("Point", x, Property.of("y", long.class)).with("Holder", point);
      assertThatThrownBy(() -> second.open(store, "Holder"))
          .isInstanceOf(InvalidTypeException.class)
          .hasMessageContainingAll("evolving.Holder", "point: struct", "In the store");
    }
  }

  /** What is in an object goes with it, also where no property leads to it any more. */
  @Test
  void whatAnObjectEmbedsIsFreedThoughTheInterfaceHasDroppedIt() {
    Property name = Property.of("name", String.class);
    try (WordStore store = open()) {
      PersistentType<Object> holders =
          new Interfaces()
              .with("Label", name)
              .with("Pair", Property.embedded("label", "Label"))
              .with("Holder", BALANCE, Property.embedded("pair", "Pair"), NAME)
              .open(store, "Holder");
      store.run(
          tx -> {
            for (int i = 0; i < 2; i++) {
              Object holder = holders.create(tx);
              set(inner(inner(holder, "pair"), "label"), "name", "a label");
              set(holder, "name", "a holder");
              tx.root(i, holders.address(holder));
            }
          });
    }
    Interfaces second =
        new Interfaces()
            .with("Label", name, Property.of("more", String.class))
            .with("Holder", BALANCE, NAME);
    try (WordStore store = open()) {
      PersistentType<Object> holders = second.open(store, "Holder");
      store.run(tx -> holders.free(tx, holders.at(tx, tx.root(0))));
      second.open(store, "Label"); // which nothing embeds now, so it may grow
      store.run(tx -> holders.free(tx, holders.at(tx, tx.root(1))));
      store.run(
          tx ->
              assertThat(Blocks.inUse(TxHandle.of(tx).words()))
                  .as("types")
                  .hasSizeLessThanOrEqualTo(6));
    }
  }
}
