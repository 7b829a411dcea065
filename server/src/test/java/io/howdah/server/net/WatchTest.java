package io.howdah.server.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands {@code watch}, {@code verbosity} and {@code lru_crawler}, by sockets. */
final class WatchTest {

  private static final int READ_TIMEOUT_MILLIS = 60_000;

  @TempDir Path folder;

  /** With one thread, connections have their numbers in the order in which they come. */
  private static ServerOptions options() {
    return ServerTest.options(ReplyMode.NONE, 100).withThreads(1);
  }

  /** A client that reads lines. */
  private static final class Client implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    Client(Server server) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
      socket.setSoTimeout(READ_TIMEOUT_MILLIS);
      in = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
    }

    void send(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(US_ASCII));
    }

    String line() throws IOException {
      String line = in.readLine();
      assertThat(line).as("the connection ended").isNotNull();
      return line;
    }

    /** Returns the next line without time and number. */
    String event() throws IOException {
      return line().replaceFirst("^ts=[0-9]+\\.[0-9]+ gid=[0-9]+ ", "");
    }

    String ask(String command) throws IOException {
      send(command + "\r\n");
      return line();
    }

    /** Returns a row of statistics. */
    String statistic(String kind, String name) throws IOException {
      send("stats" + kind + "\r\n");
      String found = "none";
      for (String line = line(); !line.equals("END"); line = line()) {
        if (line.startsWith("STAT " + name + " ")) {
          found = line.substring(("STAT " + name + " ").length());
        }
      }
      return found;
    }

    /**
     * Closes the connection once the server has ended its side. The server waits some seconds for
     * that, and tells watchers of the end only then.
     */
    void leave() throws IOException {
      while (in.readLine() != null) {
        // what it says before it ends
      }
      socket.close();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void eachCommandIsSeenByTheWatchersThatWantIt() throws IOException {
    try (Server server = new Server(folder, options());
        Client watcher = new Client(server);
        Client client = new Client(server)) {
      assertThat(watcher.ask("watch fetchers mutations")).isEqualTo("OK");
      assertThat(client.ask("set a 0 100 3\r\nabc")).isEqualTo("STORED");
      assertThat(watcher.event())
          .isEqualTo("type=item_get key=a status=not_found clsid=0 cfd=2 size=0");
      assertThat(watcher.event())
          .isEqualTo("type=item_store key=a status=stored cmd=set ttl=100 clsid=1 cfd=2 size=3");
      client.send("get a none\r\n");
      assertThat(watcher.event())
          .isEqualTo("type=item_get key=a status=found clsid=1 cfd=2 size=3");
      assertThat(watcher.event())
          .isEqualTo("type=item_get key=none status=not_found clsid=0 cfd=2 size=0");
      client.send("add a 0 0 1\r\nx\r\n");
      assertThat(watcher.event())
          .isEqualTo("type=item_get key=a status=found clsid=1 cfd=2 size=3");
      assertThat(watcher.event())
          .isEqualTo("type=item_store key=a status=not_stored cmd=add ttl=0 clsid=1 cfd=2 size=1");
      client.send("flush_all\r\nmg a\r\nma n N0 J5\r\ndelete n\r\n");
      assertThat(watcher.event())
          .isEqualTo("type=item_get key=a status=flushed clsid=0 cfd=2 size=0");
      assertThat(watcher.event())
          .isEqualTo("type=item_get key=n status=not_found clsid=0 cfd=2 size=0");
      assertThat(watcher.event())
          .isEqualTo("type=item_store key=n status=stored cmd=add ttl=0 clsid=1 cfd=2 size=1");
      assertThat(watcher.event())
          .isEqualTo("type=item_get key=n status=found clsid=1 cfd=2 size=1");
      client.send("set big 0 0 2000000\r\n" + "x".repeat(2_000_000) + "\r\n");
      assertThat(watcher.event())
          .isEqualTo(
              "type=item_store key=big status=too_large cmd=set ttl=0 clsid=1 cfd=2 size=2000000");
      assertThat(watcher.event())
          .isEqualTo("type=item_get key=big status=not_found clsid=0 cfd=2 size=0");
      client.send("set l 0 0 100000\r\n" + "x".repeat(100_000) + "\r\nget l\r\n");
      assertThat(watcher.event()).startsWith("type=item_get key=l status=not_found");
      assertThat(watcher.event()).startsWith("type=item_store key=l status=stored");
      assertThat(watcher.event())
          .isEqualTo("type=item_get key=l status=found clsid=1 cfd=2 size=100000");
    }
  }

  @Test
  void connectionsAreSeenWhenTheyComeAndGo() throws IOException {
    try (Server server = new Server(folder, options());
        Client watcher = new Client(server);
        Client asker = new Client(server)) {
      assertThat(asker.statistic("", "log_watchers")).isEqualTo("0");
      assertThat(watcher.ask("watch connevents")).isEqualTo("OK");
      watcher.send("mn\r\n"); // dropped
      try (Client client = new Client(server)) {
        int port = client.socket.getLocalPort();
        String address = "rip=127.0.0.1 rport=" + port + " transport=tcp";
        assertThat(watcher.event()).isEqualTo("type=conn_new " + address + " cfd=3");
        client.send("quit\r\n");
        client.leave();
        assertThat(watcher.event())
            .isEqualTo("type=conn_close " + address + " reason=normal cfd=3");
      }
      try (Client browser = new Client(server)) {
        browser.send("GET / HTTP/1.1\r\n");
        assertThat(watcher.event()).startsWith("type=conn_new ").endsWith(" cfd=4");
        browser.leave();
        assertThat(watcher.event()).startsWith("type=conn_close ").endsWith(" reason=error cfd=4");
      }
      assertThat(asker.statistic(" conns", "1:state")).isEqualTo("conn_watch");
      assertThat(asker.statistic("", "log_watchers")).isEqualTo("1");
      assertThat(asker.statistic("", "log_watcher_sent")).isEqualTo("4");
      watcher.socket.close();
      String count = asker.statistic("", "log_watchers");
      for (int i = 0; i < 10_000 && !count.equals("0"); i++) {
        count = asker.statistic("", "log_watchers");
      }
      assertThat(count).as("watchers, once the client has left").isEqualTo("0");
    }
  }

  @Test
  void evictionsAreSeen() throws IOException {
    try (Server server = new Server(folder, options().withMaxBytes(1 << 20));
        Client watcher = new Client(server);
        Client client = new Client(server)) {
      assertThat(watcher.ask("watch evictions")).isEqualTo("OK");
      for (int i = 0; i < 300; i++) {
        client.send("set k" + i + " 0 0 10000 noreply\r\n" + "x".repeat(10_000) + "\r\n");
      }
      assertThat(watcher.event())
          .matches("type=eviction key=k[0-9]+ fetch=no ttl=-1 la=[0-9]+ clsid=1 size=10000");
    }
  }

  /**
   * It has no deadline, and its socket takes no more: the others go on, and what it missed is
   * counted.
   */
  @Test
  void aWatcherThatDoesNotReadHoldsNobodyAndIsToldWhatItMissed() throws IOException {
    ConnectionLimits limits =
        ConnectionLimits.DEFAULTS.withTimeouts(
            Duration.ofSeconds(1), Duration.ZERO, Duration.ofSeconds(1));
    ServerOptions small = options().withWatchBufferBytes(1 << 13).withLimits(limits);
    try (Server server = new Server(folder, small);
        Client client = new Client(server);
        Client deaf = new Client(server)) {
      deaf.socket.setReceiveBufferSize(1 << 12);
      assertThat(deaf.ask("watch fetchers")).isEqualTo("OK");
      String key = "k".repeat(240);
      String gets = ("get" + (" " + key).repeat(100) + "\r\n").repeat(20);
      while (client.statistic("", "log_watcher_skipped").equals("0")) {
        client.send(gets);
        for (int i = 0; i < 20; i++) {
          assertThat(client.line()).isEqualTo("END");
        }
      }
      assertThat(client.statistic("", "howdah_write_timeouts")).isEqualTo("0");
      // It reads again: the event that comes next stands behind the number of those dropped.
      List<String> lines = new ArrayList<>();
      do {
        client.send("get " + key + "\r\n");
        assertThat(client.line()).isEqualTo("END");
        lines.add(deaf.line());
      } while (!lines.getLast().startsWith("skipped="));
      assertThat(lines.getLast()).matches("skipped=[1-9][0-9]*");
      assertThat(deaf.event()).startsWith("type=item_get key=kkk");
    }
  }

  @Test
  void watchingCanBeForbidden() throws IOException {
    try (Server server = new Server(folder, options().withWatchAllowed(false));
        Client client = new Client(server)) {
      assertThat(client.ask("watch fetchers")).isEqualTo("CLIENT_ERROR watch commands not allowed");
      assertThat(client.statistic(" settings", "watch_enabled")).isEqualTo("no");
    }
  }

  @Test
  void verbosityReachesTheProgram() throws IOException {
    List<Integer> levels = new ArrayList<>();
    try (Server server = new Server(folder, options().withVerbosity(1, levels::add));
        Client client = new Client(server)) {
      assertThat(client.statistic(" settings", "verbosity")).isEqualTo("1");
      assertThat(client.ask("verbosity 2")).isEqualTo("OK");
      assertThat(client.statistic(" settings", "verbosity")).isEqualTo("2");
      assertThat(levels).containsExactly(2);
    }
  }

  @Test
  void theCrawlerRemovesWhatIsGoneWhenItIsAsked() throws IOException {
    try (Server server = new Server(folder, options().withDebugTimeAllowed(true));
        Client client = new Client(server)) {
      assertThat(client.ask("lru_crawler disable")).isEqualTo("OK");
      assertThat(client.statistic(" settings", "lru_crawler")).isEqualTo("no");
      assertThat(client.ask("lru_crawler crawl all"))
          .isEqualTo("CLIENT_ERROR lru crawler disabled");
      assertThat(client.ask("lru_crawler mgdump all"))
          .isEqualTo("CLIENT_ERROR lru crawler disabled");
      for (int i = 0; i < 3000; i++) {
        client.send("set k" + i + " 0 " + (i % 3 == 0 ? 100 : 0) + " 1 noreply\r\nx\r\n");
      }
      assertThat(client.ask("debugtime 101")).isEqualTo("OK");
      assertThat(client.statistic("", "curr_items"))
          .as("nobody has removed them")
          .isEqualTo("3000");
      assertThat(client.ask("lru_crawler enable")).isEqualTo("OK");
      assertThat(client.ask("lru_crawler sleep 0")).isEqualTo("OK");
      assertThat(client.ask("lru_crawler crawl 1"))
          .isIn("OK", "BUSY currently processing crawler request");
      while (!client.statistic("", "lru_crawler_running").equals("0")) {
        Thread.onSpinWait();
      }
      assertThat(client.statistic("", "curr_items")).isEqualTo("2000");
      assertThat(client.statistic("", "crawler_reclaimed")).isEqualTo("1000");
      assertThat(client.statistic("", "lru_crawler_starts")).isEqualTo("1");
    }
  }
}
