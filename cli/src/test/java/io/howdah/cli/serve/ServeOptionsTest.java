package io.howdah.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.cli.log.LogFormat;
import io.howdah.server.net.ReplyMode;
import io.howdah.server.net.ServerOptions;
import io.howdah.server.protocol.WireProtocol;
import io.howdah.server.transport.TransportKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What the options of {@code howdah serve} mean, and which are refused. */
final class ServeOptionsTest {

  private static ServerOptions parse(String... arguments) {
    ServeArguments parsed = new ServeArguments();
    CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.forAnnotatedObject(parsed);
    new CommandLine(spec).parseArgs(arguments);
    ServerOptions options = parsed.options();
    assertThatPlainArgumentsMeanTheSame(options, arguments);
    return options;
  }

  /** The parser of a start in a hurry says the same, or leaves it to the other one. */
  private static void assertThatPlainArgumentsMeanTheSame(
      ServerOptions expected, String... arguments) {
    List<String> words = new ArrayList<>(List.of(arguments));
    words.addFirst("serve");
    ServeArguments plain = PlainArguments.parse(words.toArray(String[]::new));
    if (plain != null) {
      assertThat(plain.options()).usingRecursiveComparison().isEqualTo(expected);
    }
  }

  private static ServeArguments arguments(String... words) {
    ServeArguments parsed = new ServeArguments();
    new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(parsed)).parseArgs(words);
    return parsed;
  }

  @Test
  void theLogIsTextOrJson() {
    assertThat(arguments("dir").logFormat()).isEqualTo(LogFormat.TEXT);
    assertThat(arguments("dir", "--log-format=json").logFormat()).isEqualTo(LogFormat.JSON);
    assertThatThrownBy(() -> parse("dir", "--log-format", "xml"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--log-format")
        .hasMessageContaining("json");
    ServeArguments plain =
        PlainArguments.parse(new String[] {"serve", "dir", "-v", "--log-format", "json"});
    assertThat(plain).isNotNull();
    assertThat(plain.logFormat()).isEqualTo(LogFormat.JSON);
    assertThat(plain.logLevel()).isEqualTo(System.Logger.Level.INFO);
    assertThat(arguments("dir").logLevel()).isEqualTo(System.Logger.Level.WARNING);
    assertThat(arguments("dir", "-vv").logLevel()).isEqualTo(System.Logger.Level.DEBUG);
  }

  @Test
  void theArchiveHasAPlaceAnIntervalAndATimeToKeep() {
    assertThat(parse("dir").archive()).isEmpty();
    Archive plain = parse("dir", "--archive", "copy").archive().orElseThrow();
    assertThat(plain.directory()).contains(Path.of("copy"));
    assertThat(plain.interval()).isEqualTo(Duration.ofSeconds(1));
    assertThat(plain.keep()).isEmpty();
    Archive kept =
        parse("dir", "--archive=copy", "--archive-every", "500ms", "--archive-keep=7d")
            .archive()
            .orElseThrow();
    assertThat(kept.interval()).isEqualTo(Duration.ofMillis(500));
    assertThat(kept.keep()).contains(Duration.ofDays(7));
    assertThat(kept.isCompressed()).isFalse();
    assertThat(parse("dir", "--archive=copy", "--archive-compress").archive().orElseThrow())
        .extracting(Archive::isCompressed)
        .isEqualTo(true);
    assertThatThrownBy(() -> parse("dir", "--archive-compress"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("are options of --archive");
    assertThatThrownBy(() -> parse("dir", "--archive=copy", "--archive-key=no-such-file"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--archive-key: no-such-file cannot be read");
    assertThatThrownBy(() -> parse("dir", "--archive", "copy", "--archive-every", "soon"))
        .hasMessageContaining("--archive-every is a time such as");
    assertThatThrownBy(() -> parse("dir", "--archive", "copy", "--archive-every", "2h"))
        .hasMessageContaining("interval must be from");
    assertThatThrownBy(() -> parse("dir", "--archive", "dir/copy"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("dir/copy lies in dir");
    assertThatThrownBy(() -> parse("--mode=none", "--archive", "copy"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("no store to archive with --mode none");
  }

  @Test
  void whatMeansNothingHereIsNamed() {
    assertThat(arguments("dir").remarks(parse("dir"))).isEmpty();
    String all = "-d -f 1.25 -n 48 -L -k -r -C -D : -e /tmp/warm dir";
    assertThat(arguments(all.split(" ")).remarks(parse("dir")))
        .extracting(remark -> remark.substring(0, 2))
        .containsExactly("-d", "-f", "-n", "-L", "-k", "-r", "-C", "-D", "-e");
    assertThat(arguments("--slab-growth-factor=2", "--lock-memory", "dir").remarks(parse("dir")))
        .containsExactly(
            "-f is ignored: there are no slabs",
            "-k is ignored: the kernel decides what stays in memory");
  }

  @Test
  void optionsThatDoNotGoTogetherAreNamed() {
    for (String right :
        List.of("-I 1m -m 2 dir", "-I 2m -m 4 dir", "--mode periodic --force-interval 5 dir")) {
      String[] given = right.split(" ", -1);
      assertThat(arguments(given).remarks(parse(given))).as(right).isEmpty();
    }
    String[] idle = {"--force-interval", "5", "dir"};
    assertThat(arguments(idle).remarks(parse(idle)))
        .containsExactly("--force-interval has no meaning without --mode periodic");
  }

  @Test
  void theLargestItemHasHalfOfTheMemoryAtMost() {
    assertThat(parse("dir", "-I", "32m", "-m", "64").maxItemBytes()).isEqualTo(32 << 20);
    for (String wrong : List.of("-I 33m -m 64 dir", "-I 256m dir", "-I 3m -m 2 dir")) {
      assertThatThrownBy(() -> parse(wrong.split(" ", -1)))
          .as(wrong)
          .hasMessageEndingWith("the largest item may have half of -m at most");
    }
  }

  @Test
  void watchingMayBeForbiddenAndItsBuffersSized() {
    assertThat(parse("dir").watchAllowed()).isTrue();
    assertThat(parse("dir", "-W").watchAllowed()).isFalse();
    assertThat(parse("dir").watchBufferBytes()).isEqualTo(256 << 10);
    assertThat(parse("dir", "-o", "watcher_logbuf_size=8").watchBufferBytes()).isEqualTo(8 << 10);
    for (String wrong : List.of("x", "1", "1000000000")) {
      assertThatThrownBy(() -> parse("dir", "-o", "watcher_logbuf_size=" + wrong))
          .isInstanceOf(UsageException.class);
    }
    assertThat(parse("dir", "-vv").verbosity()).isEqualTo(2);
  }

  @Test
  void aStartInAHurryUnderstandsWhatIsUsual() {
    for (String usual :
        List.of(
            "serve dir",
            "serve dir -p 0 -m 64 -t4 -vv",
            "serve -l 127.0.0.1 --mode=sync dir",
            "serve dir --mode none -M -c 100 -o idle_timeout=5 -P /tmp/pid",
            "serve dir --mode periodic --force-interval 50",
            "serve -s /tmp/x -a 777 dir")) {
      assertThat(PlainArguments.parse(usual.split(" "))).as(usual).isNotNull();
      parse(usual.substring("serve ".length()).split(" "));
    }
    for (String other :
        List.of(
            "bench",
            "serve --help",
            "serve -h",
            "serve dir dir",
            "serve dir -p x",
            "serve dir -p 1 -p 2",
            "serve dir -p",
            "serve dir --nonsense",
            "serve @file")) {
      assertThat(PlainArguments.parse(other.split(" "))).as(other).isNull();
    }
    assertThat(PlainArguments.parse(new String[0])).isNull();
  }

  @Test
  void defaultsAreThoseOfMemcachedOnTheLoopbackAddress() {
    ServerOptions options = parse("dir");
    assertThat(options.addresses())
        .singleElement()
        .satisfies(
            at -> {
              assertThat(at.getAddress().isLoopbackAddress()).isTrue();
              assertThat(at.getPort()).isEqualTo(11211);
            });
    assertThat(options.maxBytes()).isEqualTo(64 << 20);
    assertThat(options.maxItemBytes()).isEqualTo(1 << 20);
    assertThat(options.limits().maxConnections()).isEqualTo(1024);
    assertThat(options.threads()).isEqualTo(4);
    assertThat(options.mode()).isEqualTo(ReplyMode.ASYNC);
    assertThat(options.evicts()).isTrue();
  }

  @Test
  void lettersAndNamesAreThoseOfMemcached() {
    ServerOptions options =
        parse(
            "dir",
            "-p",
            "1",
            "-l",
            "127.0.0.1,[::1]:2",
            "-m512",
            "-M",
            "-I",
            "2m",
            "-c",
            "7",
            "-t",
            "2",
            "-R",
            "3",
            "-b",
            "9",
            "-B",
            "binary",
            "-F",
            "-A",
            "-X",
            "-vv",
            "-U",
            "0",
            "-o",
            "idle_timeout=5,modern",
            "-o",
            "request_timeout=0",
            "--transport",
            "nio",
            "--mode",
            "SYNC");
    assertThat(options.addresses()).hasSize(2);
    assertThat(options.addresses().get(0).getPort()).isEqualTo(1);
    assertThat(options.addresses().get(1).getPort()).isEqualTo(2);
    assertThat(options.maxBytes()).isEqualTo(512L << 20);
    assertThat(options.evicts()).isFalse();
    assertThat(options.maxItemBytes()).isEqualTo(2 << 20);
    assertThat(options.limits().maxConnections()).isEqualTo(7);
    assertThat(options.threads()).isEqualTo(2);
    assertThat(options.limits().commandsPerTurn()).isEqualTo(3);
    assertThat(options.backlog()).isEqualTo(9);
    assertThat(options.wireProtocol()).isEqualTo(WireProtocol.BINARY);
    assertThat(options.flushAllowed()).isFalse();
    assertThat(options.shutdownAllowed()).isTrue();
    assertThat(options.dumpAllowed()).isFalse();
    assertThat(options.limits().idleTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(options.limits().requestTimeout()).isZero();
    assertThat(options.transport()).isEqualTo(TransportKind.NIO);
    assertThat(options.mode()).isEqualTo(ReplyMode.SYNC);
  }

  @Test
  void permissionsOfASocketAreReadWithoutOne() {
    assertThatThrownBy(() -> parse("dir", "-a", "999"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("-a 999: permissions are octal");
    assertThat(parse("dir", "-a", "770").unixSocket()).isEmpty();
  }

  @Test
  void aUnixSocketAloneTurnsTcpOff() {
    ServerOptions options = parse("dir", "-s", "/tmp/x", "-a", "770");
    assertThat(options.addresses()).isEmpty();
    assertThat(options.unixSocket()).isPresent();
    assertThat(options.unixSocketMode()).isEqualTo(0770);
    assertThat(parse("dir", "-s", "/tmp/x", "-p", "0").addresses()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          -p 65536                 | a port is 0 to 65535
          --replica a              | --replica a needs --group FILE
          --group g                | are options of --replica
          --reads leader           | are options of --replica
          --replica a --group g --mode periodic | --mode periodic: a replica serves in mode sync or async
          --replica a --group g --mode none | --mode none: a replica serves in mode sync or async
          --replica a --group g --reads all | one of leader, linearizable
          --replica a --group g --reads linearizable --mode async | --reads linearizable: needs --mode sync
          --replica a --group g --backing shared | a replica does not have these yet
          --replica a --group g --cold | a replica does not have these yet
          --replica a --group g --archive x | a replica does not have these yet
          -p -1                    | a port is 0 to 65535
          -p x                     | not an int
          -l no.such.host.invalid  | is unknown
          -l 127.0.0.1:            | has no port
          -l 127.0.0.1:99999       | a port is 0 to 65535
          -l [::1                  | no closing bracket
          -l 0.0.0.0               | give -Y FILE, or --insecure-listen
          -l *                     | give -Y FILE, or --insecure-listen
          -m 0                     | the limit of memory is
          -m -1                    | a number, or one with k, m or g
          -m 99999999999999999999  | a number, or one with k, m or g
          -m 16777217              | the limit of memory is
          -m 1000k                 | the limit of memory is
          -I 1023                  | the largest item is 1024 to
          -I 1025m                 | the largest item is 1024 to
          -I 5g                    | the largest item is 1024 to 1073741824, not 5368709120
          -I m                     | a number, or one with k, m or g
          -c 0                     | the number of connections is
          -t 0                     | the number of threads is
          -t 257                   | the number of threads is
          -R 0                     | the number of commands in a turn is
          -b 0                     | the backlog is
          -B udp                   | one of auto, ascii, binary
          -a 8                     | octal
          -U 11211                 | there is no UDP
          -u nobody-of-this-name   | does not change its user
          -S                       | -S needs -Y FILE
          --mode fast              | one of async, periodic, partition, sync, none
          --force-interval 0       | 1 to 10000 ms
          --transport rdma         | one of auto, epoll, io_uring, nio
          -o nonsense              | -o nonsense is unknown
          -Z                       | -Z needs -o ssl_chain_cert=FILE
          -o ssl_key=x             | -o ssl_key needs -Z
          -Z -o ssl_chain_cert=x,ssl_min_version=1 | tlsv1.2 (2) or tlsv1.3 (3)
          --metrics-port 65536     | a port is 0 to 65535
          -o idle_timeout=x        | a number of seconds
          -o idle_timeout=9999999  | a timeout is 0 to
          -o max_unsent=0          | the bytes of unsent replies
          -o max_partial=q         | MiB, or a number
          -o idle_timeout=1,idle_timeout=2 | is given twice
          """)
  void badValuesAreUsageErrorsThatSayWhatIsAllowed(String arguments, String message) {
    ServeArguments parsed = new ServeArguments();
    CommandLine line = new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(parsed));
    String[] words = ("dir -s /tmp/x " + arguments).split(" ");
    assertThatThrownBy(
            () -> {
              line.parseArgs(words);
              parsed.options();
            })
        .isInstanceOfAny(UsageException.class, CommandLine.ParameterException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aDirectoryIsNeededToKeepItems() {
    StringWriter err = new StringWriter();
    assertThat(new CommandLine(new ServeCommand()).setErr(new PrintWriter(err)).execute())
        .isEqualTo(2);
    assertThat(err.toString()).contains("Missing DIR");
  }

  /** Statistics by prefix exist, with one delimiter. */
  @Test
  void theDelimiterOfPrefixesIsNamed() {
    assertThat(arguments("-D", "/", "dir").remarks(parse("dir")))
        .containsExactly("-D is ignored: statistics by prefix end a prefix at \":\"");
  }

  @Test
  void clientsAndMetricsDoNotShareAPort() {
    for (String wrong :
        List.of(
            "dir -p 4711 --metrics-port 4711",
            "dir --metrics-port 11211",
            "dir -p 4711 -l 127.0.0.1 --metrics-port 4711",
            "dir --insecure-listen -l 0.0.0.0:4711 --metrics-port 4711",
            "dir -l 127.0.0.2:4712,127.0.0.1:4711 --metrics-port 4711")) {
      assertThatThrownBy(() -> parse(wrong.split(" ", -1)))
          .as(wrong)
          .isInstanceOf(UsageException.class)
          .hasMessageContaining("--metrics-port")
          .hasMessageContaining("clients");
    }
    for (String right :
        List.of(
            "dir -p 0 --metrics-port 0",
            "dir -p 4711 --metrics-port 4712",
            "dir -l 127.0.0.2:4711 --metrics-port 4711")) {
      assertThat(parse(right.split(" ", -1))).as(right).isNotNull();
    }
  }
}
