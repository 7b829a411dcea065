package io.howdah.crashtest.kill;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;

/** The cities that the demo moves people between, as packed from {@code examples/data}. */
final class Cities {

  private static final String RESOURCE = "cities.tsv.gz";
  private static final int COLUMNS = 6;

  private final List<City> cities;

  private Cities(List<City> cities) {
    this.cities = List.copyOf(cities);
  }

  /**
   * One city.
   *
   * @param latitudeE5 degrees times 100,000
   * @param longitudeE5 degrees times 100,000
   */
  record City(
      long geonameId,
      String name,
      String country,
      int latitudeE5,
      int longitudeE5,
      long population) {}

  /**
   * Reads the packed table, or its first rows.
   *
   * @param most how many
   */
  static Cities load(int most) {
    try (InputStream packed = Cities.class.getResourceAsStream(RESOURCE)) {
      if (packed == null) {
        throw new IllegalStateException(RESOURCE + " was not packed with this program");
      }
      return read(new GZIPInputStream(packed, 1 << 16), most);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Cities read(InputStream table, int most) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(table, StandardCharsets.UTF_8))) {
      lines.readLine(); // the column names
      List<City> cities = new ArrayList<>();
      while (cities.size() < most) {
        String line = lines.readLine();
        if (line == null) {
          break;
        }
        cities.add(parse(line));
      }
      return new Cities(cities);
    }
  }

  private static City parse(String line) {
    String[] columns = line.split("\t", -1);
    if (columns.length != COLUMNS) {
      throw new IllegalStateException(RESOURCE + " has a row of another shape: " + line);
    }
    return new City(
        Long.parseLong(columns[0]),
        columns[1],
        columns[2],
        (int) Math.round(Double.parseDouble(columns[3]) * 1e5),
        (int) Math.round(Double.parseDouble(columns[4]) * 1e5),
        Long.parseLong(columns[5]));
  }

  int count() {
    return cities.size();
  }

  City get(int index) {
    return cities.get(index);
  }

  long totalPopulation() {
    return cities.stream().mapToLong(City::population).sum();
  }

  /** Returns the population of each city, by index. */
  long[] populations() {
    return cities.stream().mapToLong(City::population).toArray();
  }

  /** Returns the indexes of the {@code count} most populous cities, largest first. */
  int[] largest(int count) {
    return IntStream.range(0, cities.size())
        .boxed()
        .sorted(Comparator.comparingLong((Integer i) -> cities.get(i).population()).reversed())
        .limit(count)
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
