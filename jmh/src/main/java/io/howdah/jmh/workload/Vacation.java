package io.howdah.jmh.workload;

import io.howdah.DurableScope;
import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A travel agency after the published description of STAMP's vacation (Cao Minh et al., IISWC 2008,
 * section III.B): three tables of things to reserve and one of customers, all of them trees. A
 * session is one transaction: it reserves for a customer, deletes a customer, or changes the
 * tables. Hathi's Figure 4(b) shows this workload. Thread-safe.
 *
 * <p>{@link #verify} proves the outcome: every reservation of a customer is counted at its thing,
 * and every count has its customers.
 */
public final class Vacation {

  /** Kinds of things to reserve: cars, flights, rooms. */
  static final int KINDS = 3;

  /** Of a row of each table, the customer's above all, with room between blocks. */
  private static final long ROW_BYTES = 16 << 10;

  private static final String[] NAMES = {"cars", "flights", "rooms"};
  private static final int LOAD_BATCH = 64;
  private static final int STEP = 100;
  private static final int BURST = 4;

  private final Store store;
  private final int relations;
  private final List<PersistentSortedMap<Long, Thing>> things = new ArrayList<>();
  private final PersistentSortedMap<Long, Reservations> customers;
  private final AtomicInteger seeds = new AtomicInteger();

  /**
   * How much sessions meet.
   *
   * @param queries things that a session looks at or changes, at most
   * @param span percentage of the rows that sessions choose from
   * @param reserving percentage of sessions that reserve; the others delete customers and change
   *     the tables, half of them each
   */
  public record Contention(String name, int queries, int span, int reserving) {

    /** STAMP's {@code -n2 -q90 -u98}. */
    public static final Contention LOW = new Contention("low", 2, 90, 98);

    /** STAMP's {@code -n4 -q60 -u90}. */
    public static final Contention HIGH = new Contention("high", 4, 60, 90);
  }

  private Vacation(Store store, int relations) {
    this.store = store;
    this.relations = relations;
    for (String name : NAMES) {
      things.add(store.sortedMap(name, Codec.int64(), Thing.CODEC));
    }
    this.customers = store.sortedMap("customers", Codec.int64(), Reservations.CODEC);
  }

  /**
   * Returns the {@code maxSize} that a store needs for so many rows in each table, however long
   * sessions run. With low contention 98 of 100 sessions reserve one or two things, and one deletes
   * a customer. So customers have some 130 reservations once as many are cancelled as are made, and
   * a few have a thousand; each reservation writes the customer's row anew.
   */
  public static long maxSize(int relations) {
    return relations * ROW_BYTES + (64L << 20);
  }

  /**
   * Fills the tables of a new store.
   *
   * @param relations rows of each table
   */
  public static Vacation fill(Store store, int relations) {
    Vacation vacation = new Vacation(store, relations);
    RandomWords random = new RandomWords(vacation.seeds.getAndIncrement());
    for (long from = 0; from < relations; from += LOAD_BATCH) {
      long first = from;
      long end = Math.min(relations, from + LOAD_BATCH);
      List<Thing> drawn = new ArrayList<>();
      for (long i = first * KINDS; i < end * KINDS; i++) {
        drawn.add(new Thing((random.next(5) + 1) * STEP, 0, price(random)));
      }
      store.run(
          TxOptions.async(),
          tx -> {
            for (long id = first; id < end; id++) {
              for (int kind = 0; kind < KINDS; kind++) {
                vacation.things.get(kind).put(tx, id, drawn.get((int) (id - first) * KINDS + kind));
              }
              vacation.customers.put(tx, id, Reservations.NONE);
            }
          });
    }
    return vacation;
  }

  private static long price(RandomWords random) {
    return random.next(5) * 10 + 50;
  }

  /** Repeats sessions on so many platform threads. */
  public ThreadTeam.Outcome run(Contention contention, int threads, long nanos) throws Exception {
    return ThreadTeam.run(
        threads,
        nanos,
        _ -> {
          Sessions sessions = new Sessions(contention, seeds.getAndIncrement());
          return stop -> {
            long done = 0;
            do {
              store.run(TxOptions.async(), sessions.next());
              done++;
            } while (!stop.isSet());
            return done;
          };
        });
  }

  /**
   * Repeats sessions; each thread stops at intervals until all its sessions are durable, as Hathi's
   * split-phase commit does.
   *
   * @param durability what it waits for
   */
  public ThreadTeam.Outcome splitPhase(
      Contention contention, Durability durability, int threads, long nanos, long intervalNanos)
      throws Exception {
    return ThreadTeam.run(
        threads,
        nanos,
        _ -> {
          Sessions sessions = new Sessions(contention, seeds.getAndIncrement());
          return stop -> {
            long done = 0;
            long last = System.nanoTime();
            try (DurableScope scope = store.durability().scope(durability)) {
              while (!stop.isSet()) {
                for (int i = 0; i < BURST; i++) {
                  scope.run(sessions.next());
                }
                done += BURST;
                if (System.nanoTime() - last >= intervalNanos) {
                  scope.await();
                  last = System.nanoTime();
                }
              }
            }
            return done;
          };
        });
  }

  /** Returns its sessions as a mix of transactions. */
  public TransactionMix mix(Contention contention) {
    return new TransactionMix() {
      @Override
      public Worker worker(int thread) {
        Sessions sessions = new Sessions(contention, seeds.getAndIncrement());
        return durability -> store.run(TxOptions.of(durability), sessions.next());
      }

      @Override
      public long verify() {
        return Vacation.this.verify();
      }
    };
  }

  /** One thread's sessions. A session that is repeated after a conflict makes the same choices. */
  private final class Sessions {

    private final Contention contention;
    private final RandomWords random;
    private final long span;
    private final int[] kinds;
    private final long[] ids;
    private final long[] prices;

    Sessions(Contention contention, int seed) {
      this.contention = contention;
      this.random = new RandomWords(seed);
      this.span = Math.max(1, (long) relations * contention.span() / 100);
      this.kinds = new int[contention.queries()];
      this.ids = new long[contention.queries()];
      this.prices = new long[contention.queries()];
    }

    /** Chooses the next session. */
    TxBody<RuntimeException> next() {
      int choice = (int) random.next(100);
      long customer = random.next(span);
      if (choice >= contention.reserving() && (choice & 1) == 0) {
        return tx -> deleteCustomer(tx, customer);
      }
      int queries = 1 + (int) random.next(contention.queries());
      boolean reserves = choice < contention.reserving();
      for (int i = 0; i < queries; i++) {
        kinds[i] = (int) random.next(KINDS);
        ids[i] = random.next(span);
        // Not needed by a session that reserves; 0 says that one that changes the tables removes.
        prices[i] = random.next(2) == 0 ? 0 : price(random);
      }
      return reserves ? tx -> reserve(tx, customer, queries) : tx -> changeTables(tx, queries);
    }

    /** Reserves the most expensive of the things looked at, one of each kind. */
    private void reserve(Tx tx, long customer, int queries) {
      long[] best = {-1, -1, -1};
      long[] highest = {-1, -1, -1};
      for (int i = 0; i < queries; i++) {
        Thing thing = things.get(kinds[i]).get(tx, ids[i]);
        if (thing != null && thing.free() > 0 && thing.price() > highest[kinds[i]]) {
          highest[kinds[i]] = thing.price();
          best[kinds[i]] = ids[i];
        }
      }
      if (best[0] < 0 && best[1] < 0 && best[2] < 0) {
        return;
      }
      Reservations reservations = customers.getOrDefault(tx, customer, Reservations.NONE);
      for (int kind = 0; kind < KINDS; kind++) {
        if (best[kind] >= 0 && !reservations.contains(kind, best[kind])) {
          PersistentSortedMap<Long, Thing> table = things.get(kind);
          Thing thing = table.get(tx, best[kind]);
          if (thing != null) {
            table.put(tx, best[kind], thing.used(1));
            reservations = reservations.plus(kind, best[kind], highest[kind]);
          }
        }
      }
      customers.put(tx, customer, reservations);
    }

    /** Cancels all reservations of a customer and removes the row. */
    private void deleteCustomer(Tx tx, long customer) {
      Reservations reservations = customers.get(tx, customer);
      if (reservations == null) {
        return;
      }
      for (int i = 0; i < reservations.count(); i++) {
        PersistentSortedMap<Long, Thing> table = things.get(reservations.kind(i));
        Thing thing = table.get(tx, reservations.id(i));
        if (thing != null) {
          table.put(tx, reservations.id(i), thing.used(-1));
        }
      }
      customers.remove(tx, customer);
    }

    /** Adds things at a new price, or takes unused ones away. */
    private void changeTables(Tx tx, int queries) {
      for (int i = 0; i < queries; i++) {
        PersistentSortedMap<Long, Thing> table = things.get(kinds[i]);
        Thing thing = table.get(tx, ids[i]);
        if (prices[i] != 0) {
          table.put(
              tx,
              ids[i],
              thing == null
                  ? new Thing(STEP, 0, prices[i])
                  : new Thing(thing.total() + STEP, thing.used(), prices[i]));
        } else if (thing != null && thing.free() >= STEP) {
          if (thing.total() == STEP) {
            table.remove(tx, ids[i]);
          } else {
            table.put(tx, ids[i], new Thing(thing.total() - STEP, thing.used(), thing.price()));
          }
        }
      }
    }
  }

  /**
   * Verifies the tables in one transaction, with no session running.
   *
   * @return number of reservations
   * @throws IllegalStateException if a thing is overbooked, or if its count differs from what
   *     customers have reserved
   */
  public long verify() {
    return store.read(
        TxOptions.async(),
        tx -> {
          List<long[]> counted = new ArrayList<>();
          for (int kind = 0; kind < KINDS; kind++) {
            counted.add(new long[relations]);
          }
          customers.scan(
              tx,
              null,
              null,
              (_, reservations) -> {
                for (int i = 0; i < reservations.count(); i++) {
                  counted.get(reservations.kind(i))[(int) reservations.id(i)]++;
                }
                return true;
              });
          long all = 0;
          for (int kind = 0; kind < KINDS; kind++) {
            all += verify(tx, kind, counted.get(kind));
          }
          return all;
        });
  }

  private long verify(Tx tx, int kind, long[] counted) {
    long[] sum = {0};
    things
        .get(kind)
        .scan(
            tx,
            null,
            null,
            (id, thing) -> {
              if (thing.used() < 0 || thing.used() > thing.total()) {
                throw new IllegalStateException(
                    "%s %d: %d of %d used".formatted(NAMES[kind], id, thing.used(), thing.total()));
              }
              requireCounted(kind, id, thing.used(), counted[id.intValue()]);
              counted[id.intValue()] = 0;
              sum[0] += thing.used();
              return true;
            });
    for (int id = 0; id < counted.length; id++) {
      requireCounted(kind, id, 0, counted[id]); // left over: the thing was removed
    }
    return sum[0];
  }

  private static void requireCounted(int kind, long id, long used, long reserved) {
    if (used != reserved) {
      throw new IllegalStateException(
          "%s %d: %d used, %d reserved by customers".formatted(NAMES[kind], id, used, reserved));
    }
  }
}
