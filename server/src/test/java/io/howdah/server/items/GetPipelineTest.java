package io.howdah.server.items;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pipelines of gets, which are looked for together: replies, counters and statistics are those of
 * the same bytes that arrive one at a time, so that each command is run alone. Values are large
 * from 101 bytes on.
 */
final class GetPipelineTest {

  private static final int CHUNK_BYTES = 100;
  private static final int KEYS = 12;

  /** A server with one connection. */
  private static final class Server implements AutoCloseable {
    private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(64 << 20));
    private final CommandCounters counters = new CommandCounters();
    final ItemStore items;
    final Session session;
    long now = 1_700_000_000;

    Server() {
      items =
          new ItemStore(
              store,
              new ItemStoreOptions(4 << 20, true, null, () -> now, 5000),
              Numbering.RANGE,
              CHUNK_BYTES);
      session = new Session(items.connect(), new ProtocolOptions(1 << 20, true, "1"), counters);
    }

    /** Sends bytes in pieces of a length, and returns all replies. */
    String ask(String text, int piece, int maxReplyBytes, int maxCommands) {
      StringBuilder all = new StringBuilder();
      byte[] bytes = text.getBytes(ISO_8859_1);
      Reply reply = new Reply();
      for (int at = 0; at < bytes.length; at += piece) {
        ByteBuffer input = ByteBuffer.wrap(bytes, at, Math.min(piece, bytes.length - at));
        do {
          session.receive(input, reply, maxReplyBytes, maxCommands);
          all.append(reply);
          reply.clear(0);
        } while (input.hasRemaining() || session.hasMore());
      }
      return all.toString();
    }

    String ask(String text) {
      return ask(text, Integer.MAX_VALUE, 1 << 16, Integer.MAX_VALUE);
    }

    String figures() {
      StringBuilder all = new StringBuilder();
      for (Counter counter : Counter.values()) {
        all.append(counter).append(' ').append(counters.get(counter)).append('\n');
      }
      items.statistics((name, value) -> all.append(name).append(' ').append(value).append('\n'));
      return all.toString();
    }

    @Override
    public void close() {
      session.close();
      store.close();
    }
  }

  private static String key(Random random) {
    return switch (random.nextInt(40)) {
      case 0 -> "k".repeat(250);
      case 1 -> "k".repeat(251);
      case 2 -> "a\0b";
      case 3 -> "";
      case 4 -> "two words";
      case 5 -> " k1";
      case 6 -> "k1 ";
      case 7 -> "k\r1";
      default -> "k" + random.nextInt(KEYS);
    };
  }

  private static String command(Random random) {
    String end = random.nextInt(10) == 0 ? "\n" : "\r\n";
    int kind = random.nextInt(30);
    if (kind == 0) {
      int length = random.nextInt(3) == 0 ? 101 + random.nextInt(300) : random.nextInt(60);
      return "set k%d %d %d %d\r\n%s\r\n"
          .formatted(
              random.nextInt(KEYS),
              random.nextInt(3),
              random.nextInt(4) == 0 ? 1 : 0,
              length,
              "v".repeat(length));
    }
    return switch (kind) {
      case 1 -> "gets " + key(random) + end;
      case 2 -> "delete k" + random.nextInt(KEYS) + end;
      case 3 -> random.nextInt(8) == 0 ? "flush_all" + end : "mn" + end;
      case 4 -> "gat 100 k" + random.nextInt(KEYS) + end;
      case 5 -> "mg k" + random.nextInt(KEYS) + " v" + end;
      case 6 -> "get" + end;
      case 7 -> "getk1" + end;
      default -> "get " + key(random) + end;
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void aPipelineRepliesAsCommandsThatAreRunAlone(int seed) {
    Random random = new Random(seed);
    try (Server together = new Server();
        Server alone = new Server()) {
      for (int round = 0; round < 60; round++) {
        StringBuilder pipeline = new StringBuilder();
        for (int i = random.nextInt(50); i >= 0; i--) {
          pipeline.append(command(random));
        }
        String text = pipeline.toString();
        int maxReplyBytes = random.nextBoolean() ? 1 << 16 : 1 + random.nextInt(300);
        int maxCommands = random.nextBoolean() ? 20 : 1 + random.nextInt(5);
        int piece = random.nextInt(4) == 0 ? 1 + random.nextInt(100) : Integer.MAX_VALUE;
        assertThat(together.ask(text, piece, maxReplyBytes, maxCommands))
            .as("round %d of seed %d: %s", round, seed, text)
            .isEqualTo(alone.ask(text, 1, 1 << 16, Integer.MAX_VALUE));
        assertThat(together.figures()).isEqualTo(alone.figures());
        together.now += round % 3;
        alone.now += round % 3;
      }
    }
  }

  @Test
  void noCommandStartsOnceTheRepliesAreLong() {
    try (Server server = new Server()) {
      server.ask("set k 0 0 50\r\n" + "v".repeat(50) + "\r\n");
      ByteBuffer input = ByteBuffer.wrap("get k\r\n".repeat(16).getBytes(ISO_8859_1));
      Reply reply = new Reply();
      server.session.receive(input, reply, 130, 100); // room for three of unknown length
      String one = "VALUE k 0 50\r\n" + "v".repeat(50) + "\r\nEND\r\n";
      assertThat(reply).hasToString(one + one);
      assertThat(input.position()).isEqualTo(2 * "get k\r\n".length());
      reply.clear(0);
      server.session.receive(input, reply, 1 << 16, 3);
      assertThat(reply).hasToString(one.repeat(3));
    }
  }

  /** A transaction that reads runs again after a conflict; what it found before does not count. */
  @Test
  void eachGetOfAPipelineHasTheItemOfItsKeyBesideWriters() throws InterruptedException {
    try (Server server = new Server()) {
      AtomicBoolean stop = new AtomicBoolean();
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    Session session =
                        new Session(
                            server.items.connect(),
                            new ProtocolOptions(1 << 20, true, "1"),
                            new CommandCounters());
                    Reply reply = new Reply();
                    while (!stop.get()) {
                      for (int i = 0; i < KEYS; i++) {
                        byte[] set =
                            "set k%d 0 0 3\r\n%03d\r\n".formatted(i, i).getBytes(ISO_8859_1);
                        session.receive(ByteBuffer.wrap(set), reply, 1 << 16);
                        reply.clear(0);
                      }
                    }
                    session.close();
                  });
      try {
        StringBuilder gets = new StringBuilder();
        for (int i = 0; i < KEYS; i++) {
          gets.append("get k").append(i).append("\r\n");
        }
        for (int round = 0; round < 20_000; round++) {
          String replies = server.ask(gets.toString());
          for (int i = 0; i < KEYS; i++) {
            String value = "VALUE k%d 0 3\r\n%03d\r\nEND\r\n".formatted(i, i);
            if (replies.startsWith(value)) {
              replies = replies.substring(value.length());
            } else {
              assertThat(replies).startsWith("END\r\n");
              replies = replies.substring("END\r\n".length());
            }
          }
          assertThat(replies).isEmpty();
        }
      } finally {
        stop.set(true);
        writer.join();
      }
    }
  }
}
