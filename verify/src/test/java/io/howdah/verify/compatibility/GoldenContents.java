package io.howdah.verify.compatibility;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.collections.CacheOptions;
import io.howdah.collections.ChangeJournal;
import io.howdah.collections.Expiry;
import io.howdah.collections.Index;
import io.howdah.collections.PersistentBlob;
import io.howdah.collections.PersistentCache;
import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentList;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentMultimap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSet;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.changes.Change;
import io.howdah.objects.PersistentType;
import io.howdah.server.cache.Item;
import io.howdah.server.items.ConnectionCache;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.txn.Tx;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What the stores that stand for a release hold: each kind of collection, with keys and values of
 * fixed and of variable length, with expiry, indexes and journals; objects; the items of a server.
 * It is written in rounds, so that a part of it is in the image and a part in the log alone. It
 * stays as it is; what is new gets a class of its own.
 */
final class GoldenContents {

  /** The rounds that a golden store holds. */
  static final int ROUNDS = 2;

  /** The time of the store's clock when it was written. */
  static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

  private static final int EACH = 120;
  private static final Duration LONG = Duration.ofDays(100);
  private static final Index<Parcel, String> BY_RECEIVER = Index.of("to", Parcel::to, Codec.utf8());
  private static final Index<Parcel, Integer> BY_WEIGHT =
      Index.unique("grams", Parcel::grams, Codec.int32());

  /** Accounts, each of which but the first of a round refers to the one before. */
  private static final class Objects {
    private final PersistentType<Account> accounts;
    private final PersistentMap<Long, Account> byNumber;

    Objects(Store store) {
      accounts = store.type(Account.class, MethodHandles.lookup());
      byNumber = store.map("accounts", Codec.int64(), accounts.codec());
    }

    void put(Tx tx, int i) {
      Account account = accounts.create(tx);
      account.open(i % 2 == 0);
      account.balance(i / 8.0);
      account.owner(i % 4 == 0 ? null : text(i));
      account.code("C" + i);
      account.limits(2, (short) -i);
      account.address().number(i);
      account.address().street(word(i));
      account.parent(i % EACH == 0 ? null : byNumber.get(tx, i - 1L));
      byNumber.put(tx, (long) i, account);
    }

    void judge(Store store, List<Integer> kept) {
      store.read(
          tx -> {
            assertThat(byNumber.size(tx)).isEqualTo(kept.size());
            for (int i : kept) {
              Account account = requireNonNull(byNumber.get(tx, (long) i));
              assertThat(account.open()).isEqualTo(i % 2 == 0);
              assertThat(account.balance()).isEqualTo(i / 8.0);
              assertThat(account.owner()).isEqualTo(i % 4 == 0 ? null : text(i));
              assertThat(account.code()).isEqualTo("C" + i);
              assertThat(account.limits(2)).isEqualTo((short) -i);
              assertThat(account.address().number()).isEqualTo(i);
              assertThat(account.address().street()).isEqualTo(word(i));
              assertThat(requireNonNull(account.parent()).code()).isEqualTo("C" + (i - 1));
            }
            return true;
          });
    }
  }

  private final Store store;
  private final PersistentMap<Long, Long> fixed;
  private final PersistentMap<String, byte[]> variable;
  private final PersistentMap<Long, Parcel> parcels;
  private final PersistentMap<String, String> expiring;
  private final PersistentSortedMap<Long, Integer> numbers;
  private final PersistentSortedMap<String, String> words;
  private final PersistentSortedMap<String, Long> sortedExpiring;
  private final PersistentSet<String> set;
  private final PersistentSet<Long> expiringSet;
  private final PersistentMultimap<String, Long> multimap;
  private final PersistentList<String> list;
  private final PersistentList<Integer> integers;
  private final PersistentQueue<String> queue;
  private final PersistentCounter counter;
  private final PersistentBlob blob;
  private final PersistentCache<String, String> cache;
  private final @Nullable Objects objects;

  /**
   * Opens or creates all.
   *
   * @param withObjects whether the store has persistent objects, which an export cannot have
   */
  GoldenContents(Store store, boolean withObjects) {
    this.store = store;
    OrderedCodec<String> utf8 = Codec.utf8();
    fixed = store.map("fixed", Codec.int64(), Codec.int64(), ChangeJournal.keeping(10_000));
    variable = store.map("variable", utf8, Codec.bytes());
    parcels = store.map("parcels", Long.class, Parcel.class, BY_RECEIVER, BY_WEIGHT);
    expiring = store.map("expiring", utf8, utf8, Expiry.after(LONG));
    numbers = store.sortedMap("numbers", Codec.int64(), Codec.int32());
    words = store.sortedMap("words", utf8, utf8, ChangeJournal.keeping(10_000));
    sortedExpiring = store.sortedMap("sorted expiring", utf8, Codec.int64(), Expiry.perEntry());
    set = store.set("set", utf8, ChangeJournal.keeping(10_000));
    expiringSet = store.set("expiring set", Codec.int64(), Expiry.perEntry());
    multimap = store.multimap("multimap", utf8, Codec.int64(), ChangeJournal.keeping(10_000));
    list = store.list("list", utf8);
    integers = store.list("integers", Codec.int32());
    queue = store.queue("queue", utf8, ChangeJournal.keeping(10_000));
    counter = store.counter("counter");
    blob = store.blob("blob");
    cache =
        store.cache("cache", utf8, utf8, CacheOptions.ofEntries(10_000).withExpireAfterWrite(LONG));
    objects = withObjects ? new Objects(store) : null;
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 7 + length);
    }
    return bytes;
  }

  /** A value of 0 bytes to some kilobytes. */
  private static String text(int number) {
    return "text %d ".formatted(number).repeat(number % 40 == 7 ? 300 : number % 5);
  }

  private static String word(int number) {
    return number % 3 == 0 ? "w" + number : "the same long prefix of many words, " + number;
  }

  /** Each key but those of the first of a hundred, which the round also removes. */
  private static List<Integer> kept(int rounds) {
    List<Integer> kept = new ArrayList<>();
    for (int i = 0; i < rounds * EACH; i++) {
      if (i % EACH != 0) {
        kept.add(i);
      }
    }
    return kept;
  }

  private ConnectionCache items() {
    return new ItemStore(store, new ItemStoreOptions(1 << 20, false, null, NOW::getEpochSecond))
        .connect();
  }

  /** Adds one round, in durable transactions of some operations each. */
  void write(int round) {
    for (int i = round * EACH; i < (round + 1) * EACH; i++) {
      put(i);
    }
    int first = round * EACH;
    store.run(
        tx -> {
          fixed.remove(tx, (long) first);
          variable.remove(tx, word(first));
          parcels.remove(tx, (long) first);
          expiring.remove(tx, word(first));
          numbers.remove(tx, (long) first);
          words.remove(tx, word(first));
          sortedExpiring.remove(tx, word(first));
          set.remove(tx, word(first));
          expiringSet.remove(tx, (long) first);
          multimap.remove(tx, "key " + first % 7, (long) first);
          queue.poll(tx);
          cache.remove(tx, word(first));
          counter.add(tx, -1);
          if (objects != null) {
            objects.byNumber.remove(tx, (long) first);
          }
        });
    ConnectionCache items = items();
    for (int i = first; i < first + EACH; i++) {
      int number = i;
      items.update(
          word(number).replace(' ', '_').getBytes(US_ASCII),
          _ ->
              new Item(
                  number, io.howdah.server.cache.Expiry.NEVER, Item.NEW_CAS, 0, bytes(number * 9)));
    }
  }

  private void put(int i) {
    store.run(
        tx -> {
          fixed.put(tx, (long) i, -3L * i);
          variable.put(tx, word(i), bytes(i));
          parcels.put(tx, (long) i, Parcel.of(i));
          expiring.put(tx, word(i), text(i));
          numbers.put(tx, (long) i, i * i);
          words.put(tx, word(i), text(i));
          sortedExpiring.expiry().putUntil(tx, word(i), (long) i, NOW.plus(LONG).plusSeconds(i));
          set.add(tx, word(i));
          expiringSet.expiry().addUntil(tx, (long) i, NOW.plus(LONG).plusSeconds(i));
          multimap.put(tx, "key " + i % 7, (long) i);
          list.add(tx, text(i));
          integers.add(tx, -i);
          queue.add(tx, word(i));
          counter.add(tx, i);
          blob.append(tx, bytes(i));
          cache.put(tx, word(i), text(i));
          if (objects != null) {
            objects.put(tx, i);
          }
        });
  }

  /** Compares all that the store holds with what so many rounds have written. */
  void judge(int rounds) {
    List<Integer> kept = kept(rounds);
    judgeMaps(kept);
    judgeSortedMaps(kept);
    judgeSets(kept);
    judgeSequences(rounds);
    judgeItems(rounds);
    judgeJournals(rounds);
    if (objects != null) {
      objects.judge(store, kept);
    }
  }

  private void judgeMaps(List<Integer> kept) {
    store.read(
        tx -> {
          assertThat(fixed.size(tx)).isEqualTo(kept.size());
          assertThat(variable.size(tx)).isEqualTo(kept.size());
          assertThat(parcels.size(tx)).isEqualTo(kept.size());
          assertThat(expiring.size(tx)).isEqualTo(kept.size());
          for (int i : kept) {
            assertThat(fixed.get(tx, (long) i)).isEqualTo(-3L * i);
            assertThat(variable.get(tx, word(i))).isEqualTo(bytes(i));
            assertThat(parcels.get(tx, (long) i)).isEqualTo(Parcel.of(i));
            assertThat(expiring.get(tx, word(i))).isEqualTo(text(i));
            assertThat(expiring.expiry().expiresAt(tx, word(i))).isEqualTo(NOW.plus(LONG));
            assertThat(cache.get(tx, word(i))).isEqualTo(text(i));
            assertThat(parcels.index(BY_RECEIVER).first(tx, "Street " + i))
                .isEqualTo(Map.entry((long) i, Parcel.of(i)));
            assertThat(parcels.index(BY_WEIGHT).get(tx, i * 10)).isEqualTo(Parcel.of(i));
          }
          assertThat(parcels.index(BY_WEIGHT).size(tx)).isEqualTo(kept.size());
          assertThat(cache.size(tx)).isEqualTo(kept.size());
          return true;
        });
  }

  private void judgeSortedMaps(List<Integer> kept) {
    List<Map.Entry<Long, Integer>> byLong = new ArrayList<>();
    Map<String, String> byWord = new TreeMap<>();
    Map<String, Long> longs = new TreeMap<>();
    for (int i : kept) {
      byLong.add(Map.entry((long) i, i * i));
      byWord.put(word(i), text(i));
      longs.put(word(i), (long) i);
    }
    store.read(
        tx -> {
          assertThat(numbers.entries(tx)).containsExactlyElementsOf(byLong);
          assertThat(words.entries(tx)).containsExactlyElementsOf(byWord.entrySet());
          assertThat(sortedExpiring.entries(tx)).containsExactlyElementsOf(longs.entrySet());
          for (int i : kept) {
            assertThat(sortedExpiring.expiry().expiresAt(tx, word(i)))
                .isEqualTo(NOW.plus(LONG).plusSeconds(i));
          }
          return true;
        });
  }

  private void judgeSets(List<Integer> kept) {
    List<String> byWord = kept.stream().map(i -> word(i)).toList();
    List<Long> longs = kept.stream().map(i -> (long) i).toList();
    store.read(
        tx -> {
          assertThat(set.stream(tx)).containsExactlyInAnyOrderElementsOf(byWord);
          assertThat(expiringSet.stream(tx)).containsExactlyInAnyOrderElementsOf(longs);
          for (int key = 0; key < 7; key++) {
            int of = key;
            assertThat(multimap.values(tx, "key " + key))
                .containsExactlyElementsOf(longs.stream().filter(i -> i % 7 == of).toList());
          }
          return true;
        });
  }

  private void judgeSequences(int rounds) {
    int all = rounds * EACH;
    store.read(
        tx -> {
          assertThat(list.size(tx)).isEqualTo(all);
          assertThat(integers.size(tx)).isEqualTo(all);
          long offset = 0;
          for (int i = 0; i < all; i++) {
            assertThat(list.get(tx, i)).isEqualTo(text(i));
            assertThat(integers.get(tx, i)).isEqualTo(-i);
            assertThat(blob.read(tx, offset, i)).isEqualTo(bytes(i));
            offset += i;
          }
          assertThat(blob.length(tx)).isEqualTo(offset);
          assertThat(counter.get(tx)).isEqualTo(LongStream.range(0, all).sum() - rounds);
          List<String> queued = new ArrayList<>();
          for (int i = rounds; i < all; i++) {
            queued.add(word(i));
          }
          assertThat(queue.stream(tx)).containsExactlyElementsOf(queued);
          return true;
        });
  }

  /** Each round puts so many entries and removes one. */
  private void judgeJournals(int rounds) {
    store.read(
        tx -> {
          long changes = rounds * (EACH + 1L);
          assertThat(fixed.changes().newest(tx)).isEqualTo(changes);
          assertThat(words.changes().newest(tx)).isEqualTo(changes);
          assertThat(set.changes().newest(tx)).isEqualTo(changes);
          assertThat(multimap.changes().newest(tx)).isEqualTo(changes);
          assertThat(queue.changes().newest(tx)).isEqualTo(changes);
          List<Change<Long, Long>> first = fixed.changes().after(tx, EACH - 1, 2);
          assertThat(first)
              .containsExactly(
                  new Change.Put<>(EACH, EACH - 1L, -3L * (EACH - 1)),
                  new Change.Removed<>(EACH + 1L, 0L));
          assertThat(words.changes().after(tx, 0, 1))
              .containsExactly(new Change.Put<>(1, word(0), text(0)));
          return true;
        });
  }

  private void judgeItems(int rounds) {
    ConnectionCache items = items();
    for (int i = 0; i < rounds * EACH; i++) {
      @Nullable Item item = items.get(word(i).replace(' ', '_').getBytes(US_ASCII));
      assertThat(item).isNotNull();
      assertThat(item.flags()).isEqualTo(i);
      assertThat(item.value()).isEqualTo(bytes(i * 9));
    }
  }
}
