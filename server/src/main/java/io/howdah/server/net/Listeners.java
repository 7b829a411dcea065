package io.howdah.server.net;

import io.howdah.server.transport.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The sockets that a server listens at. For one thread at a time. */
final class Listeners implements AutoCloseable {

  private static final PosixFilePermission[] PERMISSIONS = {
    PosixFilePermission.OTHERS_EXECUTE,
    PosixFilePermission.OTHERS_WRITE,
    PosixFilePermission.OTHERS_READ,
    PosixFilePermission.GROUP_EXECUTE,
    PosixFilePermission.GROUP_WRITE,
    PosixFilePermission.GROUP_READ,
    PosixFilePermission.OWNER_EXECUTE,
    PosixFilePermission.OWNER_WRITE,
    PosixFilePermission.OWNER_READ,
  };

  private final List<Channel> channels = new ArrayList<>();
  private final List<InetSocketAddress> addresses = new ArrayList<>();
  private final Transport transport;
  private final ServerBootstrap bootstrap;
  private @Nullable Path unixSocket;

  /**
   * Listens at all addresses.
   *
   * @throws ListenException if one of them cannot be had; then none is taken
   */
  Listeners(
      Transport transport,
      EventLoopGroup loops,
      ServerOptions options,
      ChannelHandler initializer) {
    this.transport = transport;
    this.bootstrap =
        new ServerBootstrap()
            .group(loops)
            .option(ChannelOption.SO_BACKLOG, options.backlog())
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    ServerBootstrap bootstrap = this.bootstrap.clone().childHandler(initializer);
    try {
      for (InetSocketAddress address : options.addresses()) {
        addresses.add(listenAt(address, bootstrap));
      }
      Path path = options.unixSocket().orElse(null);
      if (path != null) {
        removeStale(path);
        listenAt(path, bootstrap.clone().channel(transport.unix()), transport, options);
      }
    } catch (Throwable t) {
      try {
        close();
      } catch (Throwable again) {
        if (!again.equals(t)) {
          t.addSuppressed(again);
        }
      }
      throw t;
    }
  }

  /**
   * Listens at one more TCP address, whose connections are made in another way.
   *
   * @throws ListenException if it cannot be had
   */
  void listenAt(InetSocketAddress address, ChannelHandler initializer) {
    InetSocketAddress _ = listenAt(address, bootstrap.clone().childHandler(initializer));
  }

  private InetSocketAddress listenAt(InetSocketAddress address, ServerBootstrap bootstrap) {
    ServerBootstrap tcp =
        bootstrap
            .clone()
            .channel(transport.tcp())
            .option(ChannelOption.SO_REUSEADDR, true)
            // SO_KEEPALIVE detects a client whose machine has vanished.
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.TCP_NODELAY, true);
    return (InetSocketAddress) bind(tcp, address, describe(address)).localAddress();
  }

  /**
   * Looks whether all addresses can be had, and takes none of them.
   *
   * @throws ListenException if one cannot, at this moment
   */
  static void check(ServerOptions options) {
    for (InetSocketAddress address : options.addresses()) {
      try (ServerSocket socket = new ServerSocket()) {
        socket.setReuseAddress(true);
        socket.bind(address);
      } catch (IOException e) {
        throw new ListenException("cannot listen at " + describe(address) + ": " + reason(e), e);
      }
    }
    options.unixSocket().ifPresent(Listeners::checkSocketFile);
  }

  private static void checkSocketFile(Path path) {
    removeStale(path);
    try {
      remove(privateFolder(parent(path)));
    } catch (IOException e) {
      throw cannotListen(path, e);
    }
  }

  private static Path parent(Path path) {
    Path parent = path.toAbsolutePath().getParent();
    return parent == null ? Path.of("/") : parent;
  }

  private static ListenException cannotListen(Path path, IOException e) {
    return new ListenException(
        "cannot listen at " + path + ": " + FileFailure.reason(e, "there is no directory for it"),
        e);
  }

  /**
   * Makes a socket file. It gets its permissions in a folder that nobody else may enter, and moves
   * to its place then: nobody can connect before.
   */
  private void listenAt(
      Path path, ServerBootstrap unix, Transport transport, ServerOptions options) {
    Path folder = null;
    try {
      folder = privateFolder(parent(path));
      Path hidden = folder.resolve("s");
      bind(unix, transport.unixAddress().apply(hidden), path.toString());
      setMode(hidden, options.unixSocketMode());
      Files.move(hidden, path, StandardCopyOption.ATOMIC_MOVE);
      unixSocket = path;
    } catch (IOException e) {
      throw cannotListen(path, e);
    } finally {
      remove(folder);
    }
  }

  /** Makes a folder of a short name: the path of a socket has 107 bytes at most. */
  private static Path privateFolder(Path parent) throws IOException {
    FileAttribute<?> ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    for (long attempt = ProcessHandle.current().pid(); ; attempt++) {
      try {
        return Files.createDirectory(
            parent.resolve("." + Long.toString(attempt, Character.MAX_RADIX)), ownerOnly);
      } catch (FileAlreadyExistsException _) {
        // the next name
      }
    }
  }

  private static void remove(@Nullable Path folder) {
    if (folder != null) {
      try {
        Files.deleteIfExists(folder.resolve("s"));
        Files.deleteIfExists(folder);
      } catch (IOException _) {
        // An empty folder stays.
      }
    }
  }

  private Channel bind(ServerBootstrap bootstrap, SocketAddress address, String name) {
    try {
      Channel channel = bootstrap.bind(address).syncUninterruptibly().channel();
      channels.add(channel);
      return channel;
    } catch (Exception e) { // also IOExceptions that Netty does not declare
      throw new ListenException("cannot listen at " + name + ": " + reason(e), e);
    }
  }

  private static String reason(Exception failure) {
    String message = String.valueOf(failure.getMessage());
    if (message.contains("in use")) {
      return "another program listens there";
    }
    return failure instanceof UnresolvedAddressException || message.equals("Unresolved address")
        ? "the host is unknown"
        : message;
  }

  private static String describe(InetSocketAddress address) {
    InetAddress resolved = address.getAddress();
    String host = resolved == null ? address.getHostString() : resolved.getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /** Removes a socket file that a process left when it was killed. Anything else stays. */
  private static void removeStale(Path path) {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .isOther()) {
        throw new ListenException(
            "cannot listen at " + path + ": a file that is no socket is there", null);
      }
      try (SocketChannel _ = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
        throw new ListenException(
            "cannot listen at " + path + ": another program listens there", null);
      } catch (ConnectException _) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new ListenException("cannot listen at " + path + ": " + e.getMessage(), e);
    }
  }

  private static void setMode(Path path, int mode) {
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (int bit = 0; bit < PERMISSIONS.length; bit++) {
      if ((mode & 1 << bit) != 0) {
        permissions.add(PERMISSIONS[bit]);
      }
    }
    try {
      PosixFileAttributeView view =
          // Not NOFOLLOW_LINKS: the JDK would open the file, and a socket cannot be opened.
          Files.getFileAttributeView(path, PosixFileAttributeView.class);
      if (view != null) {
        view.setPermissions(permissions);
      }
    } catch (IOException e) {
      throw new ListenException("cannot set the permissions of " + path + ": " + e.getMessage(), e);
    }
  }

  /** Returns the TCP addresses, in the order of the options, with the ports that were taken. */
  List<InetSocketAddress> addresses() {
    return List.copyOf(addresses);
  }

  /** Returns where it listens, for a person. */
  List<String> places() {
    List<String> places = new ArrayList<>(addresses.stream().map(Listeners::describe).toList());
    if (unixSocket != null) {
      places.add(unixSocket.toString());
    }
    return places;
  }

  /** Stops listening, and removes the socket file. */
  @Override
  public void close() {
    for (Channel channel : channels) {
      channel.close().awaitUninterruptibly();
    }
    Path path = unixSocket;
    unixSocket = null;
    if (path != null) {
      try {
        Files.deleteIfExists(path);
      } catch (IOException _) {
        // The next start finds that nobody listens there, and removes it.
      }
    }
  }
}
