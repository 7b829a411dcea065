package io.howdah.lab.fuzz;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.crashtest.fuzz.FuzzTarget;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The bytes that a client sends, in the text, meta and binary protocols. They come in one piece,
 * and again in small ones to another server: both give the same replies.
 */
final class ProtocolTarget implements FuzzTarget {

  private static final int MAX_ITEM_BYTES = 4096;
  private static final int MAX_REPLY_BYTES = 1 << 16;

  /** A session does something with each piece; more turns than this are an endless loop. */
  private static final int MAX_TURNS = 100_000;

  @Override
  public String name() {
    return "memcached";
  }

  @Override
  public String what() {
    return "commands in memcached's text, meta and binary protocols";
  }

  @Override
  public List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    seeds.add(lines("set a 1 0 3", "abc", "get a", "gets a b", "delete a"));
    seeds.add(
        lines("add n 0 0 2 noreply", "10", "incr n 5", "decr n 100", "touch n 10", "gat 5 n"));
    seeds.add(lines("set a 0 0 1", "x", "append a 0 0 1", "y", "prepend a 0 0 1", "z"));
    seeds.add(lines("set a 0 0 1", "x", "cas a 0 0 1 1", "w", "cas a 0 0 1 1", "v"));
    seeds.add(lines("ms k 3 T0 F5", "abc", "mg k v f t c k q", "md k q", "mn", "me k"));
    seeds.add(lines("ma n N0 J5 v", "ms a2V5 S3 b", "abc", "mg a2V5 b v", "mg k N30 R30 v"));
    seeds.add(lines("ms k 2 MA I", "xy", "flush_all 0", "verbosity 1", "version", "quit"));
    seeds.add(binary(1, 8, "key", "value"));
    for (int opcode : new int[] {0, 4, 5, 7, 10, 11, 14, 28}) {
      seeds.add(binary(opcode, opcode == 5 ? 20 : opcode == 28 ? 4 : 0, "key", ""));
    }
    return seeds;
  }

  private static byte[] lines(String... lines) {
    return (String.join("\r\n", lines) + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] binary(int opcode, int extras, String key, String value) {
    ByteBuffer buffer = ByteBuffer.allocate(24 + extras + key.length() + value.length());
    buffer.put((byte) 0x80).put((byte) opcode).putShort((short) key.length());
    buffer.put((byte) extras).put((byte) 0).putShort((short) 0);
    buffer.putInt(extras + key.length() + value.length()).putInt(7).putLong(0);
    buffer.put(new byte[extras]);
    buffer.put(key.getBytes(StandardCharsets.ISO_8859_1));
    buffer.put(value.getBytes(StandardCharsets.ISO_8859_1));
    return buffer.array();
  }

  @Override
  public void run(byte[] input) {
    String whole = replies(input, input.length);
    if (tellsTimes(input)) {
      return;
    }
    int piece = 1 + (Arrays.hashCode(input) & 7);
    String pieces = replies(input, piece);
    if (!whole.equals(pieces)) {
      throw new Violation(
          "in one piece the replies are " + whole + ", in pieces of " + piece + " bytes " + pieces);
    }
  }

  /** Statistics have times and addresses of the process in them. */
  private static boolean tellsTimes(byte[] input) {
    String text = new String(input, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    return text.contains("stats") || (input.length > 0 && input[0] == (byte) 0x80);
  }

  private static String replies(byte[] input, int piece) {
    try (Store store = Store.inMemory(options())) {
      ItemStoreOptions items = new ItemStoreOptions(1 << 20, true, null, () -> 1_700_000_000L);
      Session session =
          new Session(
              new ItemStore(store, items).connect(),
              new ProtocolOptions(MAX_ITEM_BYTES, true, "1"),
              new CommandCounters());
      StringBuilder text = new StringBuilder();
      boolean open = true;
      for (int from = 0; open && from < input.length; from += piece) {
        ByteBuffer bytes = ByteBuffer.wrap(input, from, Math.min(piece, input.length - from));
        open = receive(session, bytes, text);
      }
      return text.append(open ? "" : "closed").toString();
    }
  }

  private static boolean receive(Session session, ByteBuffer bytes, StringBuilder text) {
    Reply reply = new Reply();
    for (int turn = 0; turn < MAX_TURNS; turn++) {
      boolean open = session.receive(bytes, reply, MAX_REPLY_BYTES);
      text.append(new String(reply.array(), 0, reply.length(), StandardCharsets.ISO_8859_1));
      reply.clear(0);
      if (!open || (!bytes.hasRemaining() && !session.hasMore())) {
        return open;
      }
    }
    throw new Violation("a session takes its bytes in more than " + MAX_TURNS + " turns");
  }

  private static StoreOptions options() {
    return StoreOptions.defaults().withMaxSize(1 << 21).withOrecs(1 << 10).withPartitions(1);
  }
}
