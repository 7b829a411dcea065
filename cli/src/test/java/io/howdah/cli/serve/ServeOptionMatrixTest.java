package io.howdah.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.net.ConnectionLimits;
import io.howdah.server.net.ServerOptions;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Each option of {@code howdah serve} changes the settings that it names, to what is given, and no
 * other setting. The table has every option, and every setting is in it: a new one of either has to
 * be added.
 */
final class ServeOptionMatrixTest {

  /** Options, and the settings that they change; a setting's value as its text. */
  private static final Map<String, Map<String, String>> TABLE =
      Map.ofEntries(
          row("-p 11300", "addresses", "[localhost/127.0.0.1:11300]"),
          row("--port=11300", "addresses", "[localhost/127.0.0.1:11300]"),
          row("-l 127.0.0.2:99", "addresses", "[/127.0.0.2:99]"),
          row("-l 0.0.0.0:99 --insecure-listen", "addresses", "[/0.0.0.0:99]"),
          row(
              "-s sock -l 127.0.0.2",
              "addresses",
              "[/127.0.0.2:11211]",
              "unixSocket",
              "Optional[sock]"),
          row("-s sock -p 11211 -a 750", "unixSocket", "Optional[sock]", "unixSocketMode", "488"),
          row("--mode none", "mode", "NONE"),
          row(
              "--mode PERIODIC --force-interval 250",
              "mode",
              "PERIODIC",
              "forceInterval",
              "PT0.25S"),
          row("--backing shared", "backing", "SHARED"),
          row("--cold", "warmRestart", "false"),
          row("-m 100", "maxBytes", "104857600", "maxPinnedBytes", "26214400"),
          row("-m 1g", "maxBytes", "1073741824", "maxPinnedBytes", "268435456"),
          row("-M", "evicts", "false"),
          row("-I 2m", "maxItemBytes", "2097152"),
          row("-I 4096", "maxItemBytes", "4096"),
          row("-c 77", "limits.maxConnections", "77"),
          row("-t 3", "threads", "3"),
          row("-R 7", "limits.commandsPerTurn", "7"),
          row("-B ascii", "wireProtocol", "TEXT"),
          row("-B binary", "wireProtocol", "BINARY"),
          row("-Y users", "authFile", "Optional[users]"),
          row("-S -Y users", "authFile", "Optional[users]"),
          row("-A", "shutdownAllowed", "true"),
          row("-X", "dumpAllowed", "false"),
          row("-W", "watchAllowed", "false"),
          row("-F", "flushAllowed", "false"),
          row("-b 33", "backlog", "33"),
          row("--transport nio", "transport", "NIO"),
          row("-v", "verbosity", "1"),
          row("-vv", "verbosity", "2"),
          row("-o idle_timeout=5", "limits.idleTimeout", "PT5S"),
          row("-o request_timeout=6", "limits.requestTimeout", "PT6S"),
          row("-o write_timeout=7", "limits.writeTimeout", "PT7S"),
          row("-o max_unsent=3", "limits.maxUnsentBytes", "3145728"),
          row("-o max_partial=5", "limits.maxPartialBytes", "5242880"),
          row("-o max_pinned=9", "maxPinnedBytes", "9437184"),
          row("-o watcher_logbuf_size=8", "watchBufferBytes", "8192"),
          row("-o debug_time", "debugTimeAllowed", "true"),
          row(
              "-Z -o ssl_chain_cert=chain,ssl_key=key",
              "tls",
              "Optional[TlsOptions[chain=chain, key=key, version=TLS_1_2]]"),
          row(
              "-Z -o ssl_chain_cert=chain,ssl_min_version=TLSv1.3",
              "tls",
              "Optional[TlsOptions[chain=chain, key=null, version=TLS_1_3]]"),
          row("--archive copy", "archive.directory", "Optional[copy]"),
          row(
              "--archive copy --archive-every 3s",
              "archive.directory",
              "Optional[copy]",
              "archive.interval",
              "PT3S"),
          row(
              "--archive copy --archive-keep 2d",
              "archive.directory",
              "Optional[copy]",
              "archive.keep",
              "Optional[PT48H]"),
          row(
              "--archive copy --archive-compress",
              "archive.directory",
              "Optional[copy]",
              "archive.isCompressed",
              "true"),
          row("--replica a --group g", "mode", "SYNC"),
          row("--replica a --group g --mode async"),
          row("--replica a --group g --reads leader", "mode", "SYNC"),
          row(
              "--replica a --group g --reads linearizable",
              "mode",
              "SYNC",
              "confirmedReplies",
              "true"),
          row("--metrics-port 9000"),
          row("-P pid"),
          row("-U 0"),
          row("--log-format json"));

  /** Tested with files and names of this machine elsewhere, or without a meaning here. */
  private static final Set<String> ELSEWHERE =
      Set.of("--archive-key", "-u", "-d", "-f", "-n", "-L", "-k", "-r", "-C", "-D", "-e");

  private static Map.Entry<String, Map<String, String>> row(String options, String... changes) {
    Map<String, String> expected = new TreeMap<>();
    for (int i = 0; i < changes.length; i += 2) {
      expected.put(changes[i], changes[i + 1]);
    }
    return Map.entry(options, expected);
  }

  private static ServerOptions parse(String words) {
    ServeArguments parsed = new ServeArguments();
    new CommandLine(CommandSpec.forAnnotatedObject(parsed))
        .parseArgs((words + " dir").strip().split(" "));
    return parsed.options();
  }

  private static Map<String, String> settings(ServerOptions options) throws Exception {
    Map<String, String> all = new TreeMap<>();
    for (Method method : getters(ServerOptions.class)) {
      if (method.getName().equals("limits")) {
        for (Method limit : getters(ConnectionLimits.class)) {
          all.put("limits." + limit.getName(), String.valueOf(limit.invoke(options.limits())));
        }
      } else if (!method.getName().equals("archive")) {
        all.put(method.getName(), String.valueOf(method.invoke(options)));
      }
    }
    options
        .archive()
        .ifPresent(
            archive -> {
              all.put("archive.directory", archive.directory().toString());
              all.put("archive.interval", archive.interval().toString());
              all.put("archive.keep", archive.keep().toString());
              all.put("archive.isCompressed", String.valueOf(archive.isCompressed()));
            });
    return all;
  }

  private static List<Method> getters(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.getDeclaringClass() == type && method.getParameterCount() == 0)
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> !Set.of("hashCode", "toString").contains(method.getName()))
        .toList();
  }

  static Stream<Arguments> rows() {
    return TABLE.entrySet().stream().map(row -> Arguments.of(row.getKey(), row.getValue()));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void anOptionChangesItsSettingsAndNoOther(String options, Map<String, String> changes)
      throws Exception {
    Map<String, String> expected = settings(parse(""));
    if (options.startsWith("--archive")) {
      expected.putAll(
          Map.of(
              "archive.interval", "PT1S",
              "archive.keep", "Optional.empty",
              "archive.isCompressed", "false"));
    }
    changes.forEach(
        (setting, value) ->
            assertThat(expected.put(setting, value))
                .as("default of %s", setting)
                .isNotEqualTo(value));
    assertThat(settings(parse(options))).isEqualTo(expected);
  }

  @Test
  void everyOptionAndEverySettingIsInTheTable() throws Exception {
    Set<String> words =
        TABLE.keySet().stream()
            .flatMap(row -> Stream.of(row.split("[ =]")))
            .map(word -> word.matches("-v+") ? "-v" : word)
            .collect(Collectors.toCollection(TreeSet::new));
    List<String> untested = new ArrayList<>();
    CommandSpec spec = CommandSpec.forAnnotatedObject(new ServeArguments());
    spec.options().stream()
        .map(option -> List.of(option.names()))
        .filter(names -> names.stream().noneMatch(words::contains))
        .filter(names -> names.stream().noneMatch(ELSEWHERE::contains))
        .forEach(names -> untested.add(names.getFirst()));
    assertThat(untested).isEmpty();
    Set<String> settings = new TreeSet<>(settings(parse("")).keySet());
    TABLE.values().forEach(changes -> settings.removeAll(changes.keySet()));
    assertThat(settings).as("settings without an option").isEmpty();
  }
}
