package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.collections.WordStore;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.RunningTx;
import io.howdah.txn.words.Words;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Transactions on one tree under a scheduler that owns every interleaving: two move amounts between
 * entries, which come and go, so that nodes split and merge; one reads all entries both ways, one
 * by one, and in groups whose leaves are found together. The sum is the same in every state.
 */
@Tag("scaled")
final class ScheduledTreeTest {

  private static final int RUNS = Integer.getInteger("howdah.schedules", 400) / 10;

  /** Behind this seed there is one with a split between the descents of one group. */
  private static final long FIRST_OF_GROUPS = 60;

  private static final int KEYS = 130;
  private static final long AMOUNT = 1000;
  private static final int TRANSACTIONS = 12;
  private static final int MOVES = 6;
  private static final int PASSES = 30;

  enum Keys {
    WORDS,
    TEXTS,
    LONG_KEYS;

    byte[] of(int number) {
      if (this == WORDS) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number * 0x9E3779B97F4A7C15L).array();
      }
      String text =
          (this == TEXTS ? "a" : "a".repeat(150)) + "%04d".formatted(number * 7919 % 10_007);
      return text.getBytes(StandardCharsets.US_ASCII);
    }

    boolean areFixed() {
      return this == WORDS;
    }
  }

  /** Amounts under keys; those of even numbers stay, the others come and go. */
  private static final class Accounts {
    private final WordStore store;
    private final Keys keys;
    private final Tree tree;

    Accounts(WordStore store, Keys keys) {
      this.store = store;
      this.keys = keys;
      int keyFixed = keys.areFixed() ? Long.BYTES : Codec.VARIABLE;
      long address = store.call(tx -> Tree.create(words(tx), 1, keyFixed, Codec.VARIABLE));
      tree = new Tree(address, keys.areFixed(), Codec.VARIABLE);
      for (int from = 0; from < KEYS; from += 20) {
        int first = from;
        store.run(
            tx -> {
              for (int i = first; i < Math.min(KEYS, first + 20); i += 2) {
                put(words(tx), i, AMOUNT);
              }
            });
      }
    }

    static Words words(Tx tx) {
      return TxHandle.of(tx).words();
    }

    private int key(Words words, int number) {
      Tree.beginKey(words).putBytes(keys.of(number));
      return Tree.endKey(words);
    }

    /** Returns the amount of an entry, 0 if there is none. */
    long get(Words words, int number) {
      DecodingBuffer value = tree.get(words, key(words, number));
      return value == null ? 0 : value.getLong();
    }

    void put(Words words, int number, long amount) {
      int length = key(words, number);
      Tree.beginValue(words).putLong(amount);
      Tree.beginValue(words).putBytes(new byte[200 + number % 40]);
      tree.put(words, length);
    }

    /** Moves an amount, or all of an entry that may go. */
    void move(SplittableRandom random) {
      long seed = random.nextLong();
      store.run(
          tx -> {
            SplittableRandom same = new SplittableRandom(seed); // in each attempt
            for (int i = 0; i < MOVES; i++) {
              move(tx, same.nextInt(KEYS), same.nextInt(KEYS), same.nextBoolean());
            }
          });
    }

    /** Finds the leaves of keys before the operations on them, as those on many keys do. */
    private void loadAhead(Tx tx, Integer... numbers) {
      EntryGroup<byte[], byte[]> group = new EntryGroup<>(RunningTx.of(tx));
      boolean _ = group.takeKeys(Arrays.stream(numbers).map(keys::of).iterator());
      Words words = words(tx);
      EntryCodec<byte[]> codec = new EntryCodec<>(Codec.bytes());
      tree.loadAhead(words, CollectionScratch.of(words).encodeAhead(words, codec, group));
    }

    private void move(Tx tx, int from, int to, boolean isAhead) {
      Words words = words(tx);
      boolean isAll = from % 2 == 1;
      long amount = isAll ? get(words, from) : Math.min(7, get(words, from));
      if (from == to || amount == 0) {
        return;
      }
      long left = get(words, from) - amount;
      long moved = get(words, to) + amount;
      if (isAhead) {
        loadAhead(tx, from, to);
      }
      if (left == 0 && isAll) {
        tree.remove(words, key(words, from));
      } else {
        put(words, from, left);
      }
      put(words, to, moved);
    }

    long sum(boolean isAscending) {
      return store.read(
          tx -> {
            Words words = words(tx);
            TreeCursor cursor = new TreeCursor(tree);
            if (isAscending) {
              cursor.first(words);
            } else {
              cursor.last(words);
            }
            long sum = 0;
            while (isAscending ? cursor.next(words) : cursor.previous(words)) {
              sum += cursor.value(words).getLong();
            }
            return sum;
          });
    }

    long sumOfGets() {
      return store.read(
          tx -> {
            long sum = 0;
            for (int i = 0; i < KEYS; i++) {
              sum += get(words(tx), i);
            }
            return sum;
          });
    }

    long sumOfGroups() {
      return store.read(
          tx -> {
            long sum = 0;
            for (int from = 0; from < KEYS; from += KeysAhead.MAX_KEYS) {
              int end = Math.min(KEYS, from + KeysAhead.MAX_KEYS);
              loadAhead(tx, IntStream.range(from, end).boxed().toArray(Integer[]::new));
              for (int i = from; i < end; i++) {
                sum += get(words(tx), i);
              }
            }
            return sum;
          });
    }
  }

  private static void run(Keys keys, long seed, Schedule schedule) {
    run(
        keys,
        schedule,
        (accounts, execution) -> {
          long total = (KEYS + 1) / 2 * AMOUNT;
          List.of(
                  execution.spawn("one", () -> moveMany(accounts, seed)),
                  execution.spawn("other", () -> moveMany(accounts, seed + 1_000_003)),
                  execution.spawn("reader", () -> readMany(accounts, total, seed)))
              .forEach(execution::join);
          assertThat(accounts.sum(true)).isEqualTo(total);
        });
  }

  private static void run(
      Keys keys, Schedule schedule, BiConsumer<Accounts, SimulatedExecution> threads) {
    ScheduledStore.run(
        schedule,
        1 << 21,
        (store, execution) -> {
          Accounts accounts = new Accounts(store, keys);
          execution.run(() -> threads.accept(accounts, execution));
          store.read(
              tx -> {
                accounts.tree.check(Accounts.words(tx));
                return 0;
              });
        });
  }

  private static void moveMany(Accounts accounts, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < TRANSACTIONS; i++) {
      accounts.move(random);
    }
  }

  private static void readMany(Accounts accounts, long total, long seed) {
    for (int i = 0; i < 3; i++) {
      assertThat(accounts.sum(true)).as("ascending, seed %d", seed).isEqualTo(total);
      assertThat(accounts.sum(false)).as("descending, seed %d", seed).isEqualTo(total);
      assertThat(accounts.sumOfGets()).as("gets, seed %d", seed).isEqualTo(total);
      assertThat(accounts.sumOfGroups()).as("groups, seed %d", seed).isEqualTo(total);
    }
  }

  /** Leaves split, and nothing else happens, while groups of keys are looked up and put. */
  private static void splitAndGroup(Keys keys, long seed) {
    run(
        keys,
        Schedule.random(seed, 4 + (int) (seed % 60)),
        (accounts, execution) ->
            List.of(
                    execution.spawn("splits", () -> insertOdd(accounts)),
                    execution.spawn("groups", () -> readGroups(accounts, seed)))
                .forEach(execution::join));
  }

  private static void insertOdd(Accounts accounts) {
    for (int i = 1; i < KEYS; i += 2) {
      int number = i;
      accounts.store.run(tx -> accounts.put(Accounts.words(tx), number, AMOUNT));
    }
  }

  /** Each group is a transaction of its own, so a split does not conflict with earlier ones. */
  private static void readGroups(Accounts accounts, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int pass = 0; pass < PASSES; pass++) {
      Integer[] numbers =
          random.ints(KeysAhead.MAX_KEYS, 0, KEYS / 2).mapToObj(i -> 2 * i).toArray(Integer[]::new);
      boolean isPut = pass % 2 == 0;
      long found =
          accounts.store.call(
              tx -> {
                accounts.loadAhead(tx, numbers);
                long sum = 0;
                for (int number : numbers) {
                  if (isPut) {
                    accounts.put(Accounts.words(tx), number, AMOUNT);
                  }
                  sum += accounts.get(Accounts.words(tx), number);
                }
                return sum;
              });
      assertThat(found).as("seed %d", seed).isEqualTo(numbers.length * AMOUNT);
    }
  }

  @ParameterizedTest
  @EnumSource(Keys.class)
  void groupsWhileLeavesSplit(Keys keys) {
    for (long seed = FIRST_OF_GROUPS; seed < FIRST_OF_GROUPS + RUNS; seed++) {
      splitAndGroup(keys, seed);
    }
  }

  @ParameterizedTest
  @EnumSource(Keys.class)
  void underRandomSchedules(Keys keys) {
    for (long seed = 0; seed < RUNS; seed++) {
      run(keys, seed, Schedule.random(seed, 4 + (int) (seed % 60)));
    }
  }

  @ParameterizedTest
  @EnumSource(Keys.class)
  void underSchedulesWithFewPreemptions(Keys keys) {
    for (long seed = 0; seed < RUNS; seed++) {
      run(keys, seed, Schedule.pct(seed, 2 + (int) (seed % 4), 20_000));
    }
  }
}
