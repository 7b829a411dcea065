package io.howdah.jmh.cache;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.zip.GZIPInputStream;

/**
 * A sequence of keys that a program asks a cache for. It is the same in every process that has its
 * name. Immutable.
 *
 * @param name tells the generator, or the file, and its parameters
 */
public record CacheTrace(String name, IntFunction<long[]> generator) {

  /** Keys of a Zipf distribution for each entry of the cache. */
  private static final int POPULATION = 10;

  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;
  private static final String FILE = "file:";

  /** Names of the generated traces. */
  public enum Kind {
    /** Zipf with an exponent of 0.7: much of it is rarely used. */
    ZIPF_70("Zipf 0.7"),
    /** Zipf with an exponent of 0.9. */
    ZIPF_90("Zipf 0.9"),
    /** Zipf with an exponent of 1.1: few keys take most of the uses. */
    ZIPF_110("Zipf 1.1"),
    /** The same keys in the same order again, a quarter more than there is room for. */
    LOOP("loop 1.25"),
    /** The same with three times as many keys as there is room for. */
    LONG_LOOP("loop 3"),
    /**
     * Zipf 0.9, and after each hundred uses per ten entries a scan of keys that never come again.
     */
    SCAN("Zipf 0.9 and scans"),
    /** Zipf 0.9 whose most popular keys move to others all the time. */
    SHIFTING("shifting Zipf 0.9"),
    /** Keys that are used again shortly after, three times, and then never. */
    BURSTS("bursts"),
    /** Turns of Zipf, a loop, bursts and a scan. */
    MIXED("mixed");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** Returns what it is called in a table. */
    public String text() {
      return text;
    }
  }

  /**
   * Returns a generated trace.
   *
   * @param entries of the cache that it is made for
   */
  public static CacheTrace of(Kind kind, int entries, long seed) {
    return new CacheTrace(
        "%s %d %d".formatted(kind.name(), entries, seed),
        requests -> generate(kind, entries, requests, new SplittableRandom(seed)));
  }

  /**
   * Returns the keys of a file, from its beginning: a line each, of which the text before a blank
   * or comma is the key; compressed if its name ends in {@code .gz}.
   */
  public static CacheTrace ofFile(Path file) {
    return new CacheTrace(FILE + file, requests -> read(file, requests));
  }

  /** Returns the trace of a {@link #name}. */
  public static CacheTrace named(String name) {
    if (name.startsWith(FILE)) {
      return ofFile(Path.of(name.substring(FILE.length())));
    }
    String[] parts = name.split(" ", -1);
    return of(Kind.valueOf(parts[0]), Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
  }

  /** Returns the first keys, or all if there are fewer. */
  public long[] keys(int requests) {
    return generator.apply(requests);
  }

  private static long[] read(Path file, int requests) {
    long[] keys = new long[requests];
    int count = 0;
    try (InputStream bytes = new BufferedInputStream(Files.newInputStream(file));
        InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes;
        BufferedReader lines =
            new BufferedReader(new java.io.InputStreamReader(plain, StandardCharsets.ISO_8859_1))) {
      for (String line = lines.readLine(); line != null && count < requests; ) {
        String key = line.strip().split("[,\\s]", 2)[0];
        if (!key.isEmpty()) {
          keys[count++] = number(key);
        }
        line = lines.readLine();
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return Arrays.copyOf(keys, count);
  }

  /** Returns a number for the text of a key: itself if it is one, or else a hash of 64 bits. */
  private static long number(String key) {
    try {
      return Long.parseLong(key);
    } catch (NumberFormatException _) {
      long hash = key.length();
      for (int i = 0; i < key.length(); i++) {
        hash = (hash ^ key.charAt(i)) * MIX;
        hash ^= hash >>> Integer.SIZE;
      }
      return hash;
    }
  }

  private static long[] generate(Kind kind, int entries, int requests, SplittableRandom random) {
    long[] keys = new long[requests];
    switch (kind) {
      case ZIPF_70 -> fillZipf(keys, 0, requests, new Zipf(POPULATION * entries, 0.7), 0, random);
      case ZIPF_90 -> fillZipf(keys, 0, requests, new Zipf(POPULATION * entries, 0.9), 0, random);
      case ZIPF_110 -> fillZipf(keys, 0, requests, new Zipf(POPULATION * entries, 1.1), 0, random);
      case LOOP -> Arrays.setAll(keys, i -> i % (entries + entries / 4));
      case LONG_LOOP -> Arrays.setAll(keys, i -> i % (3 * entries));
      case SCAN -> scans(keys, entries, random);
      case SHIFTING -> shifting(keys, entries, random);
      case BURSTS -> bursts(keys, 0, requests, entries, random);
      case MIXED -> mixed(keys, entries, random);
    }
    return keys;
  }

  /** A rank's key: neighbours in rank are none in number. */
  private static long key(long rank) {
    return (rank * MIX) >>> 1;
  }

  private static void fillZipf(
      long[] keys, int from, int to, Zipf zipf, long shift, SplittableRandom random) {
    for (int i = from; i < to; i++) {
      keys[i] = key(zipf.next(random) + shift);
    }
  }

  private static void scans(long[] keys, int entries, SplittableRandom random) {
    Zipf zipf = new Zipf(POPULATION * entries, 0.9);
    long fresh = 1L << 40;
    int zipfUses = 10 * entries;
    for (int i = 0; i < keys.length; ) {
      int end = Math.min(keys.length, i + zipfUses);
      fillZipf(keys, i, end, zipf, 0, random);
      i = end;
      for (int left = 2 * entries; left > 0 && i < keys.length; left--) {
        keys[i++] = key(fresh++);
      }
    }
  }

  private static void shifting(long[] keys, int entries, SplittableRandom random) {
    Zipf zipf = new Zipf(POPULATION * entries, 0.9);
    for (int i = 0; i < keys.length; i++) {
      keys[i] = key(zipf.next(random) + i / 20); // a key's rank rises by one in 20 uses
    }
  }

  private static void bursts(long[] keys, int from, int to, int entries, SplittableRandom random) {
    long fresh = (2L << 40) + from;
    int window = Math.max(4, entries / 4);
    for (int i = from; i < to; i++) {
      // Three in four uses are of a key that is new within the window.
      keys[i] =
          i - from > window && random.nextInt(4) != 0
              ? keys[i - 1 - random.nextInt(window)]
              : key(fresh++);
    }
  }

  private static void mixed(long[] keys, int entries, SplittableRandom random) {
    Zipf zipf = new Zipf(POPULATION * entries, 0.9);
    int turn = 20 * entries;
    int number = 0;
    for (int from = 0; from < keys.length; from += turn, number++) {
      int to = Math.min(keys.length, from + turn);
      switch (number % 4) {
        case 0, 2 -> fillZipf(keys, from, to, zipf, 0, random);
        case 1 -> {
          for (int i = from; i < to; i++) {
            keys[i] = key((3L << 40) + i % (2 * entries));
          }
        }
        default -> bursts(keys, from, to, entries, random);
      }
    }
  }
}
