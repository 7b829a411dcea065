package io.howdah.server.protocol.text;

import static io.howdah.server.protocol.text.TextProtocolTest.bytes;
import static io.howdah.server.protocol.text.TextProtocolTest.receive;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.server.cache.CommandCounters;
import io.howdah.server.protocol.HeapCache;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.ServerControl;
import io.howdah.server.protocol.session.Session;
import io.howdah.server.watch.Watchers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands on the server as a whole: what they ask of it, and lists of keys. */
final class AdminCommandsTest {

  private static final ProtocolOptions OPTIONS = new ProtocolOptions(4096, true, "1");

  private final HeapCache cache = new HeapCache();
  private final CommandCounters counters = new CommandCounters();
  private final List<String> asked = new ArrayList<>();
  private final Watchers watchers = new Watchers();

  private final ServerControl control =
      new ServerControl() {
        @Override
        public void shutdown(boolean graceful) {
          asked.add("shutdown " + graceful);
        }

        @Override
        public boolean setMaxBytes(long bytes) {
          asked.add("limit " + bytes);
          return bytes < 1L << 40;
        }

        @Override
        public void setVerbosity(int level) {
          asked.add("verbosity " + level);
        }

        @Override
        public void moveClock(long seconds) {
          asked.add("move " + seconds);
        }

        @Override
        public void pauseClock(boolean paused) {
          asked.add("pause " + paused);
        }

        @Override
        public void resetStatistics() {
          asked.add("reset");
        }
      };

  private String send(ProtocolOptions options, String text) {
    Session session = new Session(cache, options, counters, control, watchers.connection(7));
    Reply reply = new Reply();
    boolean goesOn = receive(session, bytes(text), reply);
    return goesOn ? reply.toString() : reply + "!";
  }

  @Test
  void theServerIsStoppedOnlyIfThatIsAllowed() {
    assertThat(send(OPTIONS, "shutdown\r\n")).isEqualTo("SERVER_ERROR: shutdown not enabled\r\n");
    assertThat(asked).isEmpty();
    ProtocolOptions allowed = OPTIONS.withShutdownAllowed(true);
    assertThat(send(allowed, "shutdown now\r\n"))
        .isEqualTo("CLIENT_ERROR invalid shutdown mode\r\n");
    assertThat(asked).isEmpty();
    assertThat(send(allowed, "shutdown\r\nversion\r\n")).isEqualTo("!");
    assertThat(send(allowed, "shutdown graceful\r\n")).isEqualTo("!");
    assertThat(asked).containsExactly("shutdown false", "shutdown true");
  }

  @Test
  void theClockIsMovedOnlyIfThatIsAllowed() {
    assertThat(send(OPTIONS, "debugtime 5\r\n")).isEqualTo("ERROR\r\n");
    assertThat(
            send(
                OPTIONS.withDebugTimeAllowed(true),
                "debugtime p\r\ndebugtime 5\r\ndebugtime -2\r\ndebugtime r\r\ndebugtime x\r\n"))
        .isEqualTo("OK\r\nOK\r\nOK\r\nOK\r\nERROR\r\n");
    assertThat(asked).containsExactly("pause true", "move 5", "move -2", "pause false");
  }

  @Test
  void theServerMayRefuseALimitOfMemory() {
    assertThat(send(OPTIONS, "cache_memlimit 64\r\ncache_memlimit 999999999\r\n"))
        .isEqualTo("OK\r\nMEMLIMIT_ADJUST_FAILED out of bounds or unable to adjust\r\n");
    assertThat(asked).containsExactly("limit 67108864", "limit 1048575998951424");
  }

  @Test
  void verbosityAndResetReachTheServer() {
    assertThat(send(OPTIONS, "verbosity 4000000000\r\nstats reset\r\n"))
        .isEqualTo("OK\r\nRESET\r\n");
    assertThat(asked).containsExactly("verbosity 10", "reset");
  }

  @Test
  void keysAreNotListedIfThatIsForbidden() {
    ProtocolOptions options = OPTIONS.withDumpAllowed(false);
    assertThat(send(options, "lru_crawler metadump all\r\n"))
        .isEqualTo("ERROR metadump not allowed\r\n");
    assertThat(send(options, "lru_crawler mgdump all\r\n"))
        .isEqualTo("ERROR key dump not allowed\r\n");
    assertThat(send(options, "stats cachedump 1 0\r\n"))
        .isEqualTo("CLIENT_ERROR stats cachedump not allowed\r\n");
    assertThat(send(options, "stats detail dump\r\n"))
        .isEqualTo("CLIENT_ERROR stats detail not allowed\r\n");
  }

  @Test
  void aListTellsOfEachItem() {
    send(OPTIONS, "set a%b 7 0 2\r\nxy\r\nset gone 0 -1 1\r\nx\r\nget a%b\r\n");
    assertThat(send(OPTIONS, "lru_crawler metadump all\r\n"))
        .isEqualTo(
            "key=a%25b exp=-1 la=1700000000 cas=1 fetch=yes cls=1 size=55 flags=7 \nEND\r\n");
    send(OPTIONS, "set c 0 100 3\r\nxyz\r\ndelete a%b\r\n");
    assertThat(send(OPTIONS, "stats cachedump 1 0\r\n"))
        .isEqualTo("ITEM c [3 b; 1700000100 s]\r\nEND\r\n");
  }

  @Test
  void aLongListIsWrittenInPages() {
    int items = 5000;
    for (int i = 0; i < items; i++) {
      send(OPTIONS, "set key" + i + " 0 0 1 noreply\r\nx\r\n");
    }
    Session session = new Session(cache, OPTIONS, counters, control, watchers.connection(7));
    ByteBuffer input = ByteBuffer.wrap(bytes("lru_crawler mgdump all\r\nmn\r\n"));
    int maxReplyBytes = 2000;
    StringBuilder all = new StringBuilder();
    Reply reply = new Reply();
    do {
      reply.clear(0);
      assertThat(session.receive(input, reply, maxReplyBytes)).isTrue();
      assertThat(reply.length()).isLessThan(2 * maxReplyBytes);
      all.append(reply);
    } while (session.hasMore() || input.hasRemaining());
    assertThat(all.toString()).startsWith("mg key").endsWith("EN\r\nMN\r\n");
    assertThat(all.toString().lines().filter(line -> line.startsWith("mg ")).distinct().count())
        .isEqualTo(items);
  }

  @Test
  void theOldListEndsAtItsLimit() {
    send(OPTIONS, "set a 0 0 1\r\nx\r\nset b 0 0 1\r\nx\r\nset c 0 0 1\r\nx\r\n");
    assertThat(send(OPTIONS, "stats cachedump 1 2\r\n").lines().count()).isEqualTo(3);
    assertThat(send(OPTIONS, "stats cachedump 1 0\r\n").lines().count()).isEqualTo(4);
  }

  /** The limit is one of lines: what the old list cannot show takes no other item's place. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 64, 65, 99, 100, 101, 1000})
  void theLimitOfTheOldListCountsWhatItShows(int limit) {
    int shown = 100;
    for (int i = 0; i < 2 * shown; i++) {
      String key = "key" + i;
      String inBase64 = Base64.getEncoder().encodeToString(bytes(key + "!!"));
      send(
          OPTIONS,
          i % 2 == 0 ? "ms " + inBase64 + " 1 b\r\nx\r\n" : "set " + key + " 0 0 1\r\nx\r\n");
    }
    assertThat(send(OPTIONS, "stats cachedump 1 " + limit + "\r\n").lines().distinct())
        .hasSize(Math.min(limit, shown) + 1)
        .endsWith("END");
  }

  @Test
  void slabsAndItemsAreOneClass() {
    assertThat(send(OPTIONS, "stats items\r\n")).isEqualTo("END\r\n");
    assertThat(send(OPTIONS, "stats slabs\r\n"))
        .isEqualTo("STAT active_slabs 0\r\nSTAT total_malloced 0\r\nEND\r\n");
    send(OPTIONS, "set a 0 0 1\r\nx\r\nget a\r\n");
    assertThat(send(OPTIONS, "stats items\r\n"))
        .contains("STAT items:1:number 1\r\n", "STAT items:1:hits_to_cold 1\r\n");
    assertThat(send(OPTIONS, "stats slabs\r\n"))
        .contains("STAT 1:used_chunks 1\r\n", "STAT 1:cmd_set 1\r\n", "STAT 1:get_hits 1\r\n");
  }
}
