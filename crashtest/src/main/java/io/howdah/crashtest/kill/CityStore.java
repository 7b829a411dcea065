package io.howdah.crashtest.kill;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.Backing;
import io.howdah.core.StoreClosedException;
import io.howdah.crashtest.kill.Cities.City;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** The cities in a store, laid out word by word as {@link CityLayout} says. Thread-safe. */
final class CityStore implements AutoCloseable {

  private static final int ROOT = 0;
  private static final long MAX_SIZE = 256L << 20;

  /** The image is small, so checkpoints are cheap, and the log is what an opening reads. */
  private static final Duration RECOVERY_GOAL = Duration.ofSeconds(1);

  private static final int EXAMPLES = 3;

  private final Store store;
  private final int modes;
  private final int threads;
  private final long counters;
  private final long[] addresses;
  private volatile boolean closing;

  private CityStore(Store store, int modes, int threads, long counters, long[] addresses) {
    this.store = store;
    this.modes = modes;
    this.threads = threads;
    this.counters = counters;
    this.addresses = addresses;
  }

  /**
   * Puts all cities into an empty store.
   *
   * @param progress told how many are in
   */
  static CityStore create(
      Store store, Cities cities, int modes, int threads, IntConsumer progress) {
    int count = cities.count();
    long directory =
        store.call(
            TxOptions.async(),
            tx -> {
              long address = tx.allocate(CityLayout.directoryLength(count));
              tx.putInt(address + CityLayout.MODES_OFFSET, modes);
              tx.putInt(address + CityLayout.THREADS_OFFSET, threads);
              tx.putLong(address + CityLayout.CITIES_OFFSET, count);
              tx.putLong(
                  address + CityLayout.COUNTERS_OFFSET,
                  tx.allocate((long) CityLayout.COUNTER_STRIDE * modes * threads));
              return address;
            });
    for (int chunk = 0; chunk < CityLayout.chunks(count); chunk++) {
      int first = chunk * CityLayout.CHUNK_CITIES;
      int end = Math.min(first + CityLayout.CHUNK_CITIES, count);
      long entry = directory + CityLayout.CHUNKS_OFFSET + (long) Long.BYTES * chunk;
      store.run(TxOptions.async(), tx -> tx.putLong(entry, putChunk(tx, cities, first, end)));
      progress.accept(end);
    }
    // The magic word and the root come last: whoever finds them finds everything.
    store.run(
        TxOptions.sync(),
        tx -> {
          tx.putLong(directory + CityLayout.MAGIC_OFFSET, CityLayout.MAGIC);
          tx.root(ROOT, directory);
        });
    return of(store);
  }

  private static long putChunk(Tx tx, Cities cities, int first, int end) {
    long chunk = tx.allocate((long) Long.BYTES * CityLayout.CHUNK_CITIES);
    for (int index = first; index < end; index++) {
      tx.putLong(chunk + (long) Long.BYTES * (index - first), putCity(tx, cities.get(index)));
    }
    return chunk;
  }

  private static long putCity(Tx tx, City city) {
    byte[] name = city.name().getBytes(StandardCharsets.UTF_8);
    long address = tx.allocate(CityLayout.NAME_OFFSET + name.length);
    tx.putLong(address + CityLayout.GEONAME_ID_OFFSET, city.geonameId());
    tx.putLong(address + CityLayout.POPULATION_OFFSET, city.population());
    tx.putInt(address + CityLayout.LATITUDE_OFFSET, city.latitudeE5());
    tx.putInt(address + CityLayout.LONGITUDE_OFFSET, city.longitudeE5());
    tx.putInt(address + CityLayout.COUNTRY_OFFSET, countryCode(city));
    tx.putInt(address + CityLayout.NAME_LENGTH_OFFSET, name.length);
    tx.write(address + CityLayout.NAME_OFFSET, name);
    return address;
  }

  private static int countryCode(City city) {
    return city.country().charAt(0) | city.country().charAt(1) << Byte.SIZE;
  }

  /** Takes a store that was filled before. Closing the result closes it. */
  static CityStore of(Store store) {
    return store.read(
        tx -> {
          long directory = tx.root(ROOT);
          if (directory == 0
              || tx.getLong(directory + CityLayout.MAGIC_OFFSET) != CityLayout.MAGIC) {
            throw new IllegalStateException("the store holds no cities");
          }
          long[] addresses =
              new long[Math.toIntExact(tx.getLong(directory + CityLayout.CITIES_OFFSET))];
          long chunk = 0;
          for (int i = 0; i < addresses.length; i++) {
            int inChunk = i % CityLayout.CHUNK_CITIES;
            if (inChunk == 0) {
              long number = i / CityLayout.CHUNK_CITIES;
              chunk = tx.getLong(directory + CityLayout.CHUNKS_OFFSET + Long.BYTES * number);
            }
            addresses[i] = tx.getLong(chunk + (long) Long.BYTES * inChunk);
          }
          return new CityStore(
              store,
              tx.getInt(directory + CityLayout.MODES_OFFSET),
              tx.getInt(directory + CityLayout.THREADS_OFFSET),
              tx.getLong(directory + CityLayout.COUNTERS_OFFSET),
              addresses);
        });
  }

  /** Returns the options that the demo's stores are opened with. */
  static StoreOptions options(Backing backing) {
    return StoreOptions.defaults()
        .withMaxSize(MAX_SIZE)
        .withRecoveryGoal(RECOVERY_GOAL)
        .withBacking(backing);
  }

  int cities() {
    return addresses.length;
  }

  /** Returns where a city's record is. */
  long address(int city) {
    return addresses[city];
  }

  /**
   * Runs the n-th transfer of a thread in a mode: one transaction that moves people and counts
   * itself.
   */
  void transfer(
      Durability durability, int mode, int thread, long n, int from, int to, long people) {
    long counter = CityLayout.counterAddress(counters, threads, mode, thread);
    long source = addresses[from] + CityLayout.POPULATION_OFFSET;
    long target = addresses[to] + CityLayout.POPULATION_OFFSET;
    store.run(
        TxOptions.of(durability),
        tx -> {
          tx.putLong(source, tx.getLong(source) - people);
          tx.putLong(target, tx.getLong(target) + people);
          tx.putLong(counter, n);
        });
  }

  /** Returns what the store holds now, read in one transaction. */
  RecoveredState state() {
    long[][] transfers = new long[modes][threads];
    long[] populations = new long[addresses.length];
    store.read(
        TxOptions.async(),
        tx -> {
          for (int mode = 0; mode < modes; mode++) {
            for (int thread = 0; thread < threads; thread++) {
              transfers[mode][thread] =
                  tx.getLong(CityLayout.counterAddress(counters, threads, mode, thread));
            }
          }
          for (int city = 0; city < addresses.length; city++) {
            populations[city] = tx.getLong(addresses[city] + CityLayout.POPULATION_OFFSET);
          }
          return populations;
        });
    return new RecoveredState() {
      @Override
      public long transfers(int mode, int thread) {
        return transfers[mode][thread];
      }

      @Override
      public long population(int city) {
        return populations[city];
      }
    };
  }

  /** Returns what of the cities, but for their populations, is not as it was put in. */
  List<String> differences(Cities cities) {
    return store.read(
        TxOptions.async(),
        tx -> {
          List<String> differences = new ArrayList<>();
          for (int i = 0; i < addresses.length && differences.size() < EXAMPLES; i++) {
            City expected = cities.get(i);
            City found = readCity(tx, addresses[i], expected.population());
            if (!found.equals(expected)) {
              differences.add("city " + i + " is " + found + " instead of " + expected);
            }
          }
          return differences;
        });
  }

  private static City readCity(Tx tx, long address, long population) {
    int country = tx.getInt(address + CityLayout.COUNTRY_OFFSET);
    int nameLength = tx.getInt(address + CityLayout.NAME_LENGTH_OFFSET);
    byte[] name = new byte[Math.clamp(nameLength, 0, CityLayout.MAX_NAME_LENGTH)];
    tx.read(address + CityLayout.NAME_OFFSET, name);
    return new City(
        tx.getLong(address + CityLayout.GEONAME_ID_OFFSET),
        new String(name, StandardCharsets.UTF_8),
        new String(new char[] {(char) (country & 0xFF), (char) (country >>> Byte.SIZE)}),
        tx.getInt(address + CityLayout.LATITUDE_OFFSET),
        tx.getInt(address + CityLayout.LONGITUDE_OFFSET),
        population);
  }

  /** Returns whether {@link #close} was called, so that a {@link StoreClosedException} is due. */
  boolean isClosing() {
    return closing;
  }

  @Override
  public void close() {
    closing = true;
    store.close();
  }
}
