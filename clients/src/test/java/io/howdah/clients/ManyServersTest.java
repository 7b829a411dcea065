package io.howdah.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.serve.ServerProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.spy.memcached.ConnectionFactoryBuilder.Locator;
import net.spy.memcached.DefaultHashAlgorithm;
import net.spy.memcached.FailureMode;
import net.spy.memcached.MemcachedClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys spread over three servers by the client. The page docs/many-servers.md describes it. */
final class ManyServersTest {

  private static final int SERVERS = 3;
  private static final int ITEMS = 1500;

  @TempDir Path folder;

  @Test
  void aServerThatIsKilledTakesOnlyItsOwnKeysAwayAndBringsThemBack() throws Exception {
    List<ServerProcess> servers = new ArrayList<>();
    MemcachedClient client = null;
    try {
      List<InetSocketAddress> addresses = new ArrayList<>();
      for (int i = 0; i < SERVERS; i++) {
        servers.add(Servers.start(folder.resolve("store" + i), 0));
        addresses.add(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), servers.get(i).port()));
      }
      client =
          new MemcachedClient(
              SpyClient.builder(false)
                  .setLocatorType(Locator.CONSISTENT)
                  .setHashAlg(DefaultHashAlgorithm.KETAMA_HASH)
                  .setFailureMode(FailureMode.Cancel)
                  .build(),
              addresses);
      MemcachedClient spread = client;
      Await.until("all are connected", () -> spread.getAvailableServers().size() == SERVERS);
      for (int i = 0; i < ITEMS; i++) {
        assertThat(client.set("k" + i, 0, "value " + i).get()).isTrue();
      }
      List<List<Integer>> byServer = byServer(client, addresses);
      byServer.forEach(keys -> assertThat(keys.size()).isGreaterThan(ITEMS / 20));

      servers.get(1).kill();
      for (int server : new int[] {0, 2}) {
        read(client, byServer.get(server));
      }
      servers.set(1, Servers.start(folder.resolve("store1"), addresses.get(1).getPort()));
      for (int server : new int[] {0, 2}) {
        read(client, byServer.get(server));
      }
      List<Integer> keys = byServer.get(1);
      Await.until("the client connects again", () -> spread.get("k" + keys.getFirst()) != null);
      read(client, keys);
      assertThat(byServer(client, addresses)).isEqualTo(byServer);
    } finally {
      if (client != null) {
        client.shutdown();
      }
      for (ServerProcess server : servers) {
        server.close();
      }
    }
  }

  private static void read(MemcachedClient client, List<Integer> keys) {
    for (int key : keys) {
      assertThat(client.get("k" + key)).isEqualTo("value " + key);
    }
  }

  private static List<List<Integer>> byServer(
      MemcachedClient client, List<InetSocketAddress> addresses) {
    List<List<Integer>> keys = new ArrayList<>();
    for (int i = 0; i < SERVERS; i++) {
      keys.add(new ArrayList<>());
    }
    for (int i = 0; i < ITEMS; i++) {
      SocketAddress server = client.getNodeLocator().getPrimary("k" + i).getSocketAddress();
      keys.get(addresses.indexOf(server)).add(i);
    }
    return keys;
  }
}
