package io.howdah.crashtest.kill;

/**
 * How the demo lays its data out in a store's region, little-endian.
 *
 * <pre>
 *  directory, the store's root 0
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDCITY1"
 *    8 | modes        | threads      |
 *   16 | cities                      |
 *   24 | counters                    |  address: transfers of each mode and thread, 64 bytes apart
 *   32 | chunks ...                  |  addresses of blocks with {@value #CHUNK_CITIES} addresses of cities
 *
 *  city
 *    0 | geonameId                   |
 *    8 | population                  |
 *   16 | latitudeE5   | longitudeE5  |
 *   24 | country      | nameLength   |  country: two ASCII letters; nameLength: bytes
 *   32 | name in UTF-8, zero-padded to 8 ...
 * </pre>
 */
final class CityLayout {

  static final int MAGIC_OFFSET = 0;
  static final int MODES_OFFSET = MAGIC_OFFSET + Long.BYTES;
  static final int THREADS_OFFSET = MODES_OFFSET + Integer.BYTES;
  static final int CITIES_OFFSET = THREADS_OFFSET + Integer.BYTES;
  static final int COUNTERS_OFFSET = CITIES_OFFSET + Long.BYTES;
  static final int CHUNKS_OFFSET = COUNTERS_OFFSET + Long.BYTES;

  static final int GEONAME_ID_OFFSET = 0;
  static final int POPULATION_OFFSET = GEONAME_ID_OFFSET + Long.BYTES;
  static final int LATITUDE_OFFSET = POPULATION_OFFSET + Long.BYTES;
  static final int LONGITUDE_OFFSET = LATITUDE_OFFSET + Integer.BYTES;
  static final int COUNTRY_OFFSET = LONGITUDE_OFFSET + Integer.BYTES;
  static final int NAME_LENGTH_OFFSET = COUNTRY_OFFSET + Integer.BYTES;
  static final int NAME_OFFSET = NAME_LENGTH_OFFSET + Integer.BYTES;

  /** Cities per chunk, so that no transaction and no block is large. */
  static final int CHUNK_CITIES = 512;

  /** A cache line, so that threads counting do not meet. */
  static final int COUNTER_STRIDE = 64;

  /** "HWDCITY1" read as a little-endian word. */
  static final long MAGIC = 0x3159_5449_4344_5748L;

  /** Longest name a reader accepts, in bytes. */
  static final int MAX_NAME_LENGTH = 1024;

  private CityLayout() {}

  static int directoryLength(int cities) {
    return CHUNKS_OFFSET + Long.BYTES * chunks(cities);
  }

  static int chunks(int cities) {
    return (cities + CHUNK_CITIES - 1) / CHUNK_CITIES;
  }

  static long counterAddress(long counters, int threads, int mode, int thread) {
    return counters + (long) COUNTER_STRIDE * (mode * threads + thread);
  }
}
