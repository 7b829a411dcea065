package io.howdah.peers;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.howdah.jmh.cache.CacheTrace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A JVM with Caffeine. It reads a request a line, the number of requests, the entries of the cache
 * and the name of a trace, and answers each with the number of hits. It ends with its input.
 */
public final class CaffeineMain {

  private CaffeineMain() {}

  /** Runs; without arguments. */
  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err); // what libraries print is no answer
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      String[] request = line.split(" ", 3);
      answers.println(
          hits(
              CacheTrace.named(request[2]).keys(Integer.parseInt(request[0])),
              Integer.parseInt(request[1])));
      answers.flush();
    }
  }

  /** Runs a trace in one thread, which also does what the cache leaves to others by default. */
  private static long hits(long[] keys, int entries) {
    Cache<Long, Long> cache =
        Caffeine.newBuilder()
            .maximumSize(entries)
            .initialCapacity(entries)
            .executor(Runnable::run)
            .build();
    long hits = 0;
    for (long key : keys) {
      if (cache.getIfPresent(key) != null) {
        hits++;
      } else {
        cache.put(key, key);
      }
    }
    return hits;
  }
}
