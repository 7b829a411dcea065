package io.howdah.examples.spatial;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.Range;
import io.howdah.examples.Check;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * Which cities are near? A sorted map by cells of half a degree: row, then column, then the city's
 * id. A circle touches a few rows, and in each of them one range of the map. The answer is checked
 * against going through all cities.
 */
public final class CityIndex {

  private static final double CELL_DEGREES = 0.5;
  private static final int COLUMNS = (int) (360 / CELL_DEGREES);
  private static final double KM_PER_DEGREE = 111.195;

  /** A city, in degrees. */
  record City(long id, String name, double latitude, double longitude, long population) {

    double kmTo(double toLatitude, double toLongitude) {
      double a = Math.toRadians(latitude);
      double b = Math.toRadians(toLatitude);
      double cos =
          Math.sin(a) * Math.sin(b)
              + Math.cos(a) * Math.cos(b) * Math.cos(Math.toRadians(longitude - toLongitude));
      return Math.toDegrees(Math.acos(Math.clamp(cos, -1, 1))) * KM_PER_DEGREE;
    }
  }

  private final Store store;
  private final PersistentSortedMap<Long, City> cells;

  private CityIndex(Store store) {
    this.store = store;
    cells = store.sortedMap("cells", Codec.int64(), Codecs.of(MethodHandles.lookup(), City.class));
  }

  /** Loads the cities and asks. */
  public static void main(String[] args) throws IOException {
    List<City> all = read();
    try (Store store = Store.open(Path.of(args[0]))) {
      CityIndex index = new CityIndex(store);
      index.load(all);
      index.ask(all, "Tallinn", 59.437, 24.7535, 40);
      index.ask(all, "Quito", -0.2299, -78.5249, 60);
      index.ask(all, "Suva, by the date line", -18.1416, 178.4415, 400);
    }
  }

  private static List<City> read() throws IOException {
    InputStream packed = CityIndex.class.getResourceAsStream("cities.tsv.gz");
    Check.that(packed != null, "the cities were not packed with this program");
    List<City> cities = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(new GZIPInputStream(packed), StandardCharsets.UTF_8))) {
      lines.readLine(); // the column names
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] f = line.split("\t", -1);
        cities.add(
            new City(
                Long.parseLong(f[0]),
                f[1],
                Double.parseDouble(f[3]),
                Double.parseDouble(f[4]),
                Long.parseLong(f[5])));
      }
    }
    return cities;
  }

  private void load(List<City> all) {
    long started = System.nanoTime();
    for (int first = 0; first < all.size(); first += 1000) {
      List<City> batch = all.subList(first, Math.min(first + 1000, all.size()));
      store.run(TxOptions.async(), tx -> batch.forEach(city -> put(tx, city)));
    }
    System.out.printf(
        "indexed %,d cities in %,d ms%n", all.size(), (System.nanoTime() - started) / 1_000_000);
  }

  private void put(Tx tx, City city) {
    cells.put(tx, key(row(city.latitude()), column(city.longitude())) | city.id(), city);
  }

  private static long row(double latitude) {
    return (long) Math.floor((latitude + 90) / CELL_DEGREES);
  }

  private static long column(double longitude) {
    return (long) Math.floor((longitude + 180) / CELL_DEGREES);
  }

  /** Row and column above the 32 bits of an id. */
  private static long key(long row, long column) {
    return (row * COLUMNS + column) << 32;
  }

  private List<City> near(Tx tx, double latitude, double longitude, double km) {
    List<City> found = new ArrayList<>();
    double reach = km / KM_PER_DEGREE;
    double widest = Math.max(Math.abs(latitude - reach), Math.abs(latitude + reach));
    double wide =
        Math.min(180, reach / Math.max(1e-6, Math.cos(Math.toRadians(Math.min(89, widest)))));
    for (long row = row(latitude - reach); row <= row(latitude + reach); row++) {
      long first = column(longitude - wide);
      long last = Math.min(column(longitude + wide), first + COLUMNS - 1);
      for (long column = first; column <= last; column++) {
        long cell = key(row, Math.floorMod(column, COLUMNS)); // the earth is round
        cells
            .range(tx, Range.from(cell))
            .takeWhile(entry -> entry.getKey() >> 32 == cell >> 32)
            .map(Map.Entry::getValue)
            .filter(city -> city.kmTo(latitude, longitude) <= km)
            .forEach(found::add);
      }
    }
    found.sort(Comparator.comparingLong(City::id));
    return found;
  }

  private void ask(List<City> all, String where, double latitude, double longitude, double km) {
    long started = System.nanoTime();
    List<City> found = store.read(tx -> near(tx, latitude, longitude, km));
    long micros = (System.nanoTime() - started) / 1000;
    List<City> expected =
        all.stream()
            .filter(city -> city.kmTo(latitude, longitude) <= km)
            .sorted(Comparator.comparingLong(City::id))
            .toList();
    Check.that(!found.isEmpty() && found.equals(expected), "the index and the table differ");
    City biggest = found.stream().max(Comparator.comparingLong(City::population)).orElseThrow();
    System.out.printf(
        "%d cities within %.0f km of %s, the biggest is %s (%,d): %,d µs%n",
        found.size(), km, where, biggest.name(), biggest.population(), micros);
  }
}
