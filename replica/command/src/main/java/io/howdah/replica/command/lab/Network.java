package io.howdah.replica.command.lab;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The network between the members of a group, on the loopback interface: a proxy for each pair of
 * members and each port, so that each direction can be cut. A cut direction loses nothing: as with
 * TCP over a network that loses packets, bytes arrive when it is whole again, unless the connection
 * is reset.
 *
 * <p>Each member has a file of hosts of its own. There its own name is the address at which it
 * listens, and the names of the others are those of proxies.
 *
 * <p>Thread-safe.
 */
final class Network implements AutoCloseable {

  private static final int BACKLOG = 64;
  private static final int MIN_PORT = 10_000;
  private static final int MAX_PORT = 32_000;
  private static final int MAX_TRIES = 1000;
  private static final int PIECE_BYTES = 1 << 16;
  private static final int CONNECT_MILLIS = 10_000;

  private final List<Member> members;
  private final List<ServerSocket> proxies = new ArrayList<>();
  private final Set<Way> cut = new HashSet<>(); // guarded by this
  private final Set<Socket> sockets = new HashSet<>(); // guarded by this
  private boolean isClosed; // guarded by this

  /**
   * A member.
   *
   * @param ports at which it listens
   */
  record Member(String name, List<Integer> ports) {

    String host() {
      return name + ".test";
    }
  }

  /** From one member to another one. */
  record Way(String from, String to) {}

  /** Starts proxies between members, which need not run. */
  Network(List<Member> members) throws IOException {
    this.members = List.copyOf(members);
    try {
      for (int from = 0; from < members.size(); from++) {
        for (int to = 0; to < members.size(); to++) {
          if (from != to) {
            for (int port : members.get(to).ports()) {
              listen(from, to, port);
            }
          }
        }
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /**
   * Returns ports that are free now, below those that the kernel gives to clients: one of these may
   * have the port while the process that listens there is started again.
   */
  static List<Integer> freePorts(int count) throws IOException {
    List<Integer> ports = new ArrayList<>();
    for (int tries = 0; ports.size() < count; tries++) {
      int port = ThreadLocalRandom.current().nextInt(MIN_PORT, MAX_PORT);
      try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        ports.add(port);
      } catch (BindException e) {
        if (tries == MAX_TRIES) {
          throw e;
        }
      }
    }
    return ports;
  }

  private static String proxyAddress(int from, int to) {
    return "127.0.%d.%d".formatted(from + 1, to + 1);
  }

  /** Writes the file for the property {@code jdk.net.hosts.file} of a member. */
  void writeHosts(String member, Path file) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append("127.0.0.1 localhost\n");
    text.append("127.0.0.1 ").append(InetAddress.getLocalHost().getHostName()).append('\n');
    int from = index(member);
    for (int to = 0; to < members.size(); to++) {
      text.append(to == from ? "127.0.0.1" : proxyAddress(from, to))
          .append(' ')
          .append(members.get(to).host())
          .append('\n');
    }
    Files.writeString(file, text);
  }

  private int index(String member) {
    for (int i = 0; i < members.size(); i++) {
      if (members.get(i).name().equals(member)) {
        return i;
      }
    }
    throw new IllegalArgumentException(member);
  }

  /** Holds back what one member sends to another one. */
  synchronized void cut(String from, String to) {
    cut.add(new Way(from, to));
  }

  /**
   * Lets everything through again.
   *
   * @param isReset whether connections break; otherwise what was held back arrives
   */
  synchronized void heal(boolean isReset) {
    cut.clear();
    if (isReset) {
      Set.copyOf(sockets).forEach(this::reset);
    }
    notifyAll();
  }

  private void listen(int from, int to, int port) throws IOException {
    ServerSocket proxy =
        new ServerSocket(port, BACKLOG, InetAddress.getByName(proxyAddress(from, to)));
    proxies.add(proxy);
    Way there = new Way(members.get(from).name(), members.get(to).name());
    Way back = new Way(there.to(), there.from());
    start(
        () -> {
          try {
            while (true) {
              Socket near = proxy.accept();
              start(() -> connect(near, port, there, back));
            }
          } catch (IOException e) {
            // The network is closed.
          }
        });
  }

  private static void start(Runnable body) {
    Thread _ = Thread.ofVirtual().name("network").start(body);
  }

  private void connect(Socket near, int port, Way there, Way back) {
    Socket far = new Socket();
    try {
      if (!add(near) || !awaitOpen(there, near) || !awaitOpen(back, near) || !add(far)) {
        reset(near);
        return;
      }
      far.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
      near.setTcpNoDelay(true);
      far.setTcpNoDelay(true);
      start(() -> pump(far, near, back));
      pump(near, far, there);
    } catch (IOException e) {
      reset(near);
      reset(far);
    }
  }

  private void pump(Socket from, Socket to, Way way) {
    byte[] piece = new byte[PIECE_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int length = in.read(piece);
      while (length >= 0 && awaitOpen(way, to)) {
        out.write(piece, 0, length);
        length = in.read(piece);
      }
      if (length < 0 && awaitOpen(way, to)) {
        to.shutdownOutput();
        if (from.isOutputShutdown()) {
          close(from);
          close(to);
        }
        return;
      }
    } catch (IOException e) {
      // The other side learns of it below.
    }
    reset(from);
    reset(to);
  }

  private synchronized boolean add(Socket socket) {
    if (!isClosed) {
      sockets.add(socket);
    }
    return !isClosed;
  }

  private void reset(Socket socket) {
    try {
      if (!socket.isClosed()) {
        socket.setSoLinger(true, 0);
      }
    } catch (IOException e) {
      // It was closed meanwhile.
    }
    close(socket);
  }

  private synchronized void close(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no use any more.
    }
    notifyAll();
  }

  /** Waits while a direction is cut; returns whether the connection still is. */
  private synchronized boolean awaitOpen(Way way, Socket socket) {
    while (cut.contains(way) && !isClosed && !socket.isClosed()) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return !isClosed && !socket.isClosed();
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      isClosed = true;
      Set.copyOf(sockets).forEach(this::reset);
      notifyAll();
    }
    for (ServerSocket proxy : proxies) {
      proxy.close();
    }
  }
}
