package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

final class PeersTest {

  private final Peers peers = new Peers();

  @Test
  void allClientsOfUnixSocketsAreOneAddress() {
    Peers.Peer unix = peers.enter(new DomainSocketAddress("/tmp/a"));
    assertThat(peers.enter(null)).isSameAs(unix);
    assertThat(peers.enter(InetSocketAddress.createUnresolved("host", 1))).isSameAs(unix);
    assertThat(peers.enter(new InetSocketAddress("10.0.0.1", 1))).isNotSameAs(unix);
    assertThat(peers.count()).isEqualTo(2);
  }

  @Test
  void anAddressIsForgottenWithItsLastConnection() {
    Peers.Peer first = peers.enter(null);
    assertThat(first.unsent(5)).isEqualTo(5);
    peers.enter(null);
    peers.leave(first);
    assertThat(peers.enter(null)).isSameAs(first);
    peers.leave(first);
    peers.leave(first);
    assertThat(peers.count()).isZero();
    assertThat(peers.enter(null).unsent(0)).isZero();
  }

  @Test
  void anAddressHasHeldWhileOneOfItsConnectionsWaits() {
    Peers.Peer peer = peers.enter(null);
    assertThat(peer.hasHeld()).isFalse();
    peer.held(2);
    peer.held(-1);
    assertThat(peer.hasHeld()).isTrue();
    peer.held(-1);
    assertThat(peer.hasHeld()).isFalse();
  }
}
