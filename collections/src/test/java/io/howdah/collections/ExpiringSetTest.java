package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When elements of sets expire. */
final class ExpiringSetTest {

  private static final Duration TTL = Duration.ofSeconds(10);
  private static final Expiry EXPIRY = Expiry.after(TTL);
  private static final int ELEMENTS = 60;

  private final SettableClock clock = new SettableClock();
  private final WordStore store = WordStore.withoutReclaiming(clock);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void anElementIsThereUntilItsTime() {
    PersistentSet<String> set = store.set("set", Codec.utf8(), EXPIRY);
    store.run(
        tx -> {
          assertThat(set.add(tx, "short")).isTrue();
          set.expiry().add(tx, "long", Duration.ofDays(1));
          set.expiry().addUntil(tx, "for ever", Instant.MAX);
          assertThat(set.expiry().remaining(tx, "short")).isEqualTo(TTL);
          assertThat(set.expiry().expiresAt(tx, "for ever")).isEqualTo(Instant.MAX);
        });
    clock.move(TTL.toMillis());
    store.run(
        tx -> {
          assertThat(set.contains(tx, "short")).isFalse();
          assertThat(set.stream(tx)).containsExactlyInAnyOrder("long", "for ever");
          assertThat(set.iterator(tx)).toIterable().doesNotContain("short");
          assertThat(set.size(tx)).isEqualTo(2);
          assertThat(set.remove(tx, "short")).isFalse();
          assertThat(set.expiry().storedElements(tx)).isEqualTo(2);
          assertThat(set.expiry().touch(tx, "long", TTL)).isTrue();
          assertThat(set.expiry().touch(tx, "short", TTL)).isFalse();
          assertThat(set.expiry().persist(tx, "for ever")).isTrue();
        });
    clock.move(TTL.toMillis());
    assertThat(set.expiry().reclaim()).isEqualTo(1);
    assertThat(store.<Boolean, RuntimeException>call(tx -> set.add(tx, "long"))).isTrue();
    Blocks.assertNothingLeaks(store);
  }

  @Test
  void aSetKeepsWhetherItsElementsExpire() {
    PersistentSet<String> _ = store.set("set", Codec.utf8(), EXPIRY);
    assertThatThrownBy(() -> store.set("set", Codec.utf8()))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("is an expiring set of utf8");
    PersistentSet<String> plain = store.set("plain", Codec.utf8());
    assertThatThrownBy(() -> store.set("plain", Codec.utf8(), EXPIRY))
        .isInstanceOf(CollectionMismatchException.class);
    assertThatThrownBy(plain::expiry).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void randomChangesAreThoseOfAModel() {
    SplittableRandom random = new SplittableRandom(1);
    PersistentSet<Long> set = store.set("numbers", Codec.int64(), EXPIRY);
    Map<Long, Long> model = new HashMap<>(); // when each expires
    for (int step = 0; step < 2000; step++) {
      long element = random.nextInt(ELEMENTS);
      long now = clock.millis();
      boolean isThere = model.getOrDefault(element, 0L) > now;
      switch (random.nextInt(4)) {
        case 0 -> clock.move(random.nextInt(1000));
        case 1 -> {
          assertThat(store.<Boolean, RuntimeException>call(tx -> set.remove(tx, element)))
              .isEqualTo(isThere);
          model.remove(element);
        }
        case 2 -> {
          long _ = set.expiry().reclaim();
          model.values().removeIf(at -> at <= now);
          assertThat(store.<Long, RuntimeException>read(set.expiry()::storedElements))
              .isEqualTo(model.size());
        }
        default -> {
          assertThat(store.<Boolean, RuntimeException>call(tx -> set.add(tx, element)))
              .isEqualTo(!isThere);
          model.put(element, now + TTL.toMillis());
        }
      }
      TreeSet<Long> expected = new TreeSet<>();
      model.forEach(
          (each, at) -> {
            if (at > clock.millis()) {
              expected.add(each);
            }
          });
      assertThat(store.read((Tx tx) -> new TreeSet<>(set.stream(tx).toList()))).isEqualTo(expected);
    }
    Blocks.assertNothingLeaks(store);
  }
}
