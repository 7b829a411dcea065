package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.collections.Blocks;
import io.howdah.collections.WordMemory;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.core.InvalidAddressException;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random sequences of what changes owners, against a map of who owns whom. */
final class OwnershipModelTest {

  @AutoClose private final WordMemory directory = new WordMemory();

  private static final int SLOTS = 4;

  @Persistent
  interface Room {
    @Owned
    @Nullable Part tenant();

    void tenant(@Nullable Part v);
  }

  @Persistent
  interface Part {
    @Owned
    @Nullable Part first();

    void first(@Nullable Part v);

    @Owned
    @Length(2)
    @Nullable Part others(int index);

    void others(int index, @Nullable Part v);

    @Embedded
    Room room();

    @Nullable String text();

    void text(@Nullable String v);
  }

  /** The model: by the address of each object, the addresses of those that it owns, or 0. */
  private Map<Long, long[]> model = new TreeMap<>();

  private final Set<Long> freed = new HashSet<>();

  private static Map<Long, long[]> copy(Map<Long, long[]> model) {
    Map<Long, long[]> copy = new TreeMap<>();
    model.forEach((k, v) -> copy.put(k, v.clone()));
    return copy;
  }

  private static @Nullable Part get(Part part, int slot) {
    return switch (slot) {
      case 0 -> part.first();
      case 1, 2 -> part.others(slot - 1);
      default -> part.room().tenant();
    };
  }

  private static void set(Part part, int slot, @Nullable Part value) {
    switch (slot) {
      case 0 -> part.first(value);
      case 1, 2 -> part.others(slot - 1, value);
      default -> part.room().tenant(value);
    }
  }

  private long[] slots(long address) {
    return Objects.requireNonNull(model.get(address));
  }

  private boolean isOwned(long address) {
    return model.values().stream()
        .anyMatch(slots -> Arrays.stream(slots).anyMatch(a -> a == address));
  }

  private boolean owns(long above, long below) {
    if (above == below) {
      return true;
    }
    for (long child : slots(above)) {
      if (child != 0 && owns(child, below)) {
        return true;
      }
    }
    return false;
  }

  private void unlink(long address) {
    for (long[] slots : model.values()) {
      for (int i = 0; i < SLOTS; i++) {
        slots[i] = slots[i] == address ? 0 : slots[i];
      }
    }
  }

  private void free(long address) {
    for (long child : slots(address)) {
      if (child != 0) {
        free(child);
      }
    }
    model.remove(address);
    freed.add(address);
  }

  private long any(SplittableRandom random) {
    List<Long> all = new ArrayList<>(model.keySet());
    return all.get(random.nextInt(all.size()));
  }

  /** Does something to the store and to the model, if it is allowed. */
  private void step(Tx tx, PersistentType<Part> type, SplittableRandom random) {
    int what = model.size() < 3 ? 0 : random.nextInt(10);
    if (what < 3) {
      Part part = type.create(tx);
      part.text("x".repeat(random.nextInt(40)));
      freed.remove(type.address(part));
      model.put(type.address(part), new long[SLOTS]);
      return;
    }
    long one = any(random);
    if (what == 3) {
      type.free(tx, type.at(tx, one));
      unlink(one);
      free(one);
    } else if (what == 4) {
      assertThat(type.detach(tx, type.at(tx, one))).isEqualTo(isOwned(one));
      unlink(one);
    } else {
      int slot = random.nextInt(SLOTS);
      long other = what == 5 ? 0 : any(random);
      long[] slots = slots(one);
      if (other != 0 && other != slots[slot] && (isOwned(other) || owns(other, one))) {
        return; // refused, as the tests of refusals show
      }
      set(type.at(tx, one), slot, other == 0 ? null : type.at(tx, other));
      if (slots[slot] != other) {
        long before = slots[slot];
        slots[slot] = other;
        if (before != 0) {
          free(before);
        }
      }
    }
  }

  private void check(WordStore store, PersistentType<Part> type) {
    store.run(
        tx ->
            model.forEach(
                (address, slots) -> {
                  Part part = type.at(tx, address);
                  for (int i = 0; i < SLOTS; i++) {
                    Part held = get(part, i);
                    assertThat(held == null ? 0 : type.address(held)).isEqualTo(slots[i]);
                  }
                }));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void objectsAreOwnedAsInTheModel(long seed) {
    WordOptions options =
        WordOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 10).withPartitions(2);
    SplittableRandom random = new SplittableRandom(seed);
    for (int opening = 0; opening < 3; opening++) {
      try (WordStore store = WordStore.open(directory, options)) {
        PersistentType<Part> type = store.type(Part.class, MethodHandles.lookup());
        for (int n = 0; n < 60; n++) {
          transaction(store, type, random);
        }
        check(store, type);
        for (long address : freed) {
          assertThatThrownBy(() -> store.run(tx -> type.at(tx, address)))
              .isInstanceOf(InvalidAddressException.class);
        }
        freed.clear(); // one place in 2^18 would be taken for another's, so not for ever
        if (opening == 2) {
          while (!model.isEmpty()) {
            long one = any(random);
            store.run(tx -> type.free(tx, type.at(tx, one)));
            unlink(one);
            free(one);
          }
          Blocks.assertNothingLeaks(store);
        }
      }
    }
  }

  private void transaction(WordStore store, PersistentType<Part> type, SplittableRandom random) {
    Map<Long, long[]> before = copy(model);
    Set<Long> freedBefore = new HashSet<>(freed);
    boolean aborts = random.nextInt(5) == 0;
    try {
      store.run(
          tx -> {
            for (int i = 0; i < 4; i++) {
              step(tx, type, random);
            }
            if (random.nextInt(3) == 0) {
              Map<Long, long[]> then = copy(model);
              Set<Long> freedThen = new HashSet<>(freed);
              Savepoint savepoint = tx.savepoint();
              for (int i = 0; i < 4; i++) {
                step(tx, type, random);
              }
              tx.rollBack(savepoint);
              model = then;
              freed.clear();
              freed.addAll(freedThen);
            }
            step(tx, type, random);
            if (aborts) {
              throw new IllegalStateException("on purpose");
            }
          });
    } catch (IllegalStateException e) {
      assertThat(aborts).isTrue();
      model = before;
      freed.clear();
      freed.addAll(freedBefore);
    }
  }
}
