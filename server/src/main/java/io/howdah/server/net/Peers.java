package io.howdah.server.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What waits for the clients of one address, so that one address does not take what all may use.
 * All clients of a unix socket count as one address. Thread-safe.
 */
final class Peers {

  private static final Object UNIX = "unix";

  /** The connections of one address. */
  static final class Peer {
    private final Object address;
    private final AtomicLong unsentBytes = new AtomicLong();
    private final AtomicInteger held = new AtomicInteger();
    private int connections; // changed within the map's compute only

    private Peer(Object address) {
      this.address = address;
    }

    long unsent(long change) {
      return unsentBytes.addAndGet(change);
    }

    /** Changes how many connections wait until others have taken their replies. */
    void held(int change) {
      held.addAndGet(change);
    }

    boolean hasHeld() {
      return held.get() > 0;
    }
  }

  private final ConcurrentHashMap<Object, Peer> peers = new ConcurrentHashMap<>();

  /** Counts a connection, and returns its address. */
  Peer enter(@Nullable SocketAddress remote) {
    return peers.compute(
        addressOf(remote),
        (address, known) -> {
          Peer peer = known == null ? new Peer(address) : known;
          peer.connections++;
          return peer;
        });
  }

  /** Ends a connection of an address. */
  void leave(Peer left) {
    peers.computeIfPresent(left.address, (_, peer) -> --peer.connections == 0 ? null : peer);
  }

  /** Returns the number of addresses. */
  int count() {
    return peers.size();
  }

  private static Object addressOf(@Nullable SocketAddress remote) {
    InetAddress address = remote instanceof InetSocketAddress inet ? inet.getAddress() : null;
    return address == null ? UNIX : address;
  }
}
