package io.howdah.cli.bench;

import io.howdah.server.net.ReplyMode;
import io.howdah.server.net.Server;
import io.howdah.server.net.ServerOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The program of a server under measurement: directory, mode, port, threads, memory in MiB. */
final class BenchServer {

  private static final int MAX_CONNECTIONS = 20_000;

  private BenchServer() {}

  /** Serves until SIGTERM. */
  public static void main(String[] args) throws InterruptedException {
    ServerOptions options =
        ServerOptions.defaults()
            .withAddresses(
                List.of(
                    new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), Integer.parseInt(args[2]))))
            .withThreads(Integer.parseInt(args[3]))
            .withMaxConnections(MAX_CONNECTIONS)
            .withMode(ReplyMode.valueOf(args[1]))
            .withMaxBytes(Long.parseLong(args[4]) << 20);
    Server server = new Server(Path.of(args[0]), options);
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    new CountDownLatch(1).await();
  }
}
