package io.howdah.replica.command.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Directions between members, each of which is cut alone. */
@Timeout(60)
class NetworkTest {

  @TempDir private Path directory;

  @Test
  void aDirectionIsCutAloneAndHealed() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      List<Network.Member> members =
          List.of(
              new Network.Member("a", List.of()),
              new Network.Member("b", List.of(server.getLocalPort())));
      try (Network network = new Network(members);
          Socket client = new Socket("127.0.1.2", server.getLocalPort());
          Socket peer = server.accept()) {
        requireArrives(client, peer, 1);
        requireArrives(peer, client, 2);

        network.cut("a", "b");
        client.getOutputStream().write(3);
        requireArrives(peer, client, 4);
        assertThat(peer.getInputStream().available()).as("what a sends is held back").isZero();
        network.heal(false);
        assertThat(peer.getInputStream().read()).as("and arrives").isEqualTo(3);

        network.cut("b", "a");
        peer.getOutputStream().write(5);
        requireArrives(client, peer, 6);
        assertThat(client.getInputStream().available()).isZero();
        network.heal(true);
        assertThat(ends(client.getInputStream())).as("a reset breaks connections").isTrue();
      }
    }
  }

  private static boolean ends(InputStream stream) {
    try {
      return stream.read() < 0;
    } catch (IOException e) {
      return true;
    }
  }

  private static void requireArrives(Socket from, Socket to, int value) throws Exception {
    from.getOutputStream().write(value);
    assertThat(to.getInputStream().read()).isEqualTo(value);
  }

  @Test
  void eachMemberHasAddressesOfItsOwnForTheOthers() throws Exception {
    List<Network.Member> members =
        List.of(new Network.Member("a", List.of()), new Network.Member("b", List.of()));
    try (Network network = new Network(members)) {
      Path hosts = directory.resolve("hosts");
      network.writeHosts("a", hosts);
      assertThat(Files.readAllLines(hosts)).contains("127.0.0.1 a.test", "127.0.1.2 b.test");
      network.writeHosts("b", hosts);
      assertThat(Files.readAllLines(hosts)).contains("127.0.0.1 b.test", "127.0.2.1 a.test");
    }
  }
}
