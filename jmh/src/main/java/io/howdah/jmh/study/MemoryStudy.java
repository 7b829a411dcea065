package io.howdah.jmh.study;

import io.howdah.AdminClient;
import io.howdah.jmh.process.ServerProcess;
import io.howdah.jmh.ycsb.FirstHit;
import io.howdah.jmh.ycsb.KeySpace;
import io.howdah.jmh.ycsb.LoadException;
import io.howdah.jmh.ycsb.LoadGenerator;
import io.howdah.jmh.ycsb.ServerStatistics;
import io.howdah.jmh.ycsb.Values;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The memory of a server: with idle connections, and with items. */
public final class MemoryStudy {

  private static final int CONNECTIONS = 4;
  private static final int SETTLE_MILLIS = 1000;

  private MemoryStudy() {}

  /**
   * What was found.
   *
   * @param startBytes resident when the server listened
   * @param idleBytes that became resident with the idle connections
   * @param residentBytes with all items
   * @param bytesPerItem of the server's own count of its memory for items: the blocks of the region
   *     with the index, or memcached's slab pages and hash table; 0 if it does not tell
   */
  public record Memory(long startBytes, long idleBytes, long residentBytes, double bytesPerItem) {}

  /**
   * Starts a server, opens connections that stay idle after one read each, closes them, and loads
   * items with keys of 20 bytes.
   */
  public static Memory measure(
      Path folder,
      ServerSubject subject,
      int idleConnections,
      long items,
      int valueBytes,
      StudyProgress progress)
      throws IOException, InterruptedException {
    Path own = folder.resolve(subject.name());
    Files.createDirectories(own);
    try (ServerProcess process = subject.starter().start(own, 1)) {
      InetSocketAddress address = process.awaitListening().address();
      progress.begins("%s: %,d idle connections".formatted(subject.name(), idleConnections));
      long start = settled(process);
      long idle = withIdle(process, address, idleConnections) - start;
      progress.begins("%s: loading %,d items".formatted(subject.name(), items));
      KeySpace space = new KeySpace(items, KeySpace.Form.TWENTY_BYTES);
      try (LoadGenerator load =
          new LoadGenerator(address, space, new Values(valueBytes), 1, CONNECTIONS)) {
        load.load();
      }
      long bytes = ownCount(subject, own, address);
      return new Memory(start, idle, settled(process), (double) bytes / items);
    }
  }

  private static long settled(ServerProcess process) throws InterruptedException {
    Thread.sleep(SETTLE_MILLIS);
    return process.usage().residentBytes();
  }

  private static long withIdle(ServerProcess process, InetSocketAddress address, int count)
      throws IOException, InterruptedException {
    List<SocketChannel> channels = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        SocketChannel channel = SocketChannel.open(address);
        channels.add(channel);
        if (FirstHit.read(channel, "absent")) {
          throw new LoadException("a server without items has one");
        }
      }
      return settled(process);
    } finally {
      for (SocketChannel channel : channels) {
        channel.close();
      }
    }
  }

  private static long ownCount(ServerSubject subject, Path folder, InetSocketAddress address) {
    Path store = subject.storeIn(folder);
    if (store != null) {
      return AdminClient.stat(store).allocatedBytes();
    }
    if (subject.durability().equals("none")) {
      return 0; // nobody can ask a store without a directory
    }
    Map<String, String> slabs = ServerStatistics.of(address, "slabs");
    Map<String, String> all = ServerStatistics.of(address, "");
    return number(slabs, "total_malloced") + number(all, "hash_bytes");
  }

  private static long number(Map<String, String> rows, String name) {
    String text = rows.get(name);
    if (text == null) {
      throw new LoadException("the server tells no " + name);
    }
    return Long.parseLong(text);
  }
}
