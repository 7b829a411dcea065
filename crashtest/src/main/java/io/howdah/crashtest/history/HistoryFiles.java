package io.howdah.crashtest.history;

import io.howdah.crashtest.history.CollectionRound.Kind;
import io.howdah.crashtest.history.CollectionRound.Operation;
import io.howdah.crashtest.oracle.Linearizability.Call;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Writes histories as JSON lines, for a checker that is not ours: one file for each round, and one
 * for each history that is wrong on purpose. For one thread.
 *
 * <p>A file has one or more histories. The first line of a history says what follows: {@code
 * history} is its model, {@code name} is for messages, {@code sound} is false if it is wrong on
 * purpose, and {@code count} is the number of lines that belong to it.
 *
 * <pre>
 * {"history":"words","name":"round 3","sound":true,"words":24,"count":1}
 * {"begin":0,"end":91,"committed":true,"reads":[[3,17]],"writes":[[5,18]]}
 * {"history":"collections","name":"round 3, part 0","sound":true,"map":[0,4,0,0],"sorted-map":[0,0,0,0],"queue":[7],"count":1}
 * {"begin":0,"end":77,"on":"map","key":1,"verb":"get","value":0,"seen":4}
 * </pre>
 *
 * <p>Of words, each line is an attempt of a transaction: what it read before it wrote it, and what
 * it wrote, in pairs of word and value. Words are 0 at first. An attempt with {@code committed}
 * false was given up, so nothing of its {@code writes} may be seen. An attempt without writes that
 * is committed is a transaction that only read.
 *
 * <p>Of collections, the first line has the values of the keys 0, 1, 2 and so on, and the elements
 * of the queue, as they were before; 0 stands for no value. Each other line is an operation: {@code
 * put} and {@code add} write {@code value}; {@code get-and-put} writes it and returns what was
 * there; {@code get}, {@code poll} and {@code peek} return a value; {@code remove} returns 1 if
 * there was one, else 0. What is returned is {@code seen}.
 *
 * <p>{@code begin} and {@code end} are nanoseconds of one clock, from the first {@code begin} of
 * the history. What a line describes has happened between the two.
 */
public final class HistoryFiles {

  private final Path folder;
  private final long maxBytes;
  private long bytes;
  private int rounds;
  private int leftOut;

  /**
   * Writes to a folder that is there.
   *
   * @param maxBytes of all files together; a round that does not fit is left out, as are all behind
   *     it. Histories that are wrong on purpose are always written.
   */
  public HistoryFiles(Path folder, long maxBytes) {
    this.folder = folder;
    this.maxBytes = maxBytes;
  }

  /** Returns how many rounds were written. */
  public int rounds() {
    return rounds;
  }

  /** Returns how many rounds were left out. */
  public int leftOut() {
    return leftOut;
  }

  /** Returns the length of all files. */
  public long bytes() {
    return bytes;
  }

  void round(int number, List<Recorded> words, List<CollectionRound> collections)
      throws IOException {
    if (leftOut == 0) {
      byte[] text = text("round " + number, true, words, collections);
      if (bytes + text.length <= maxBytes) {
        write("round-%05d".formatted(number), text);
        rounds++;
        return;
      }
    }
    leftOut++;
  }

  void control(String name, List<Recorded> words, List<CollectionRound> collections)
      throws IOException {
    String lower = name.toLowerCase(Locale.ROOT);
    write(
        "control-" + lower.replace('_', '-'),
        text(lower.replace('_', ' '), false, words, collections));
  }

  private void write(String name, byte[] text) throws IOException {
    Files.write(folder.resolve(name + ".jsonl"), text);
    bytes += text.length;
  }

  private static byte[] text(
      String name, boolean sound, List<Recorded> words, List<CollectionRound> collections) {
    StringBuilder out = new StringBuilder();
    if (!words.isEmpty()) {
      begin(out, "words", name, sound)
          .append(",\"words\":")
          .append(WordHistory.WORDS)
          .append(",\"count\":")
          .append(words.size())
          .append("}\n");
      long first = words.stream().mapToLong(recorded -> recorded.begun).min().orElseThrow();
      words.forEach(recorded -> attempt(out, recorded, first));
    }
    for (int part = 0; part < collections.size(); part++) {
      collections(out, sound ? name + ", part " + part : name, sound, collections.get(part));
    }
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static StringBuilder begin(
      StringBuilder out, String history, String name, boolean sound) {
    return out.append("{\"history\":\"")
        .append(history)
        .append("\",\"name\":\"")
        .append(name)
        .append("\",\"sound\":")
        .append(sound);
  }

  private static void attempt(StringBuilder out, Recorded recorded, long first) {
    moments(out, recorded.begun - first, recorded.ended() - first)
        .append(",\"committed\":")
        .append(recorded.hasReturned())
        .append(",\"reads\":")
        .append(pairs(recorded.reads()))
        .append(",\"writes\":")
        .append(pairs(recorded.writes()))
        .append("}\n");
  }

  private static void collections(
      StringBuilder out, String name, boolean sound, CollectionRound round) {
    begin(out, "collections", name, sound);
    long first = Long.MAX_VALUE;
    for (Kind kind : Kind.values()) {
      out.append(",\"").append(name(kind)).append("\":").append(numbers(round.before(kind)));
      for (int key = 0; key < CollectionRound.objects(kind); key++) {
        for (Call<Operation> call : round.calls(kind, key)) {
          first = Math.min(first, call.called());
        }
      }
    }
    out.append(",\"count\":").append(round.operations()).append("}\n");
    for (Kind kind : Kind.values()) {
      for (int key = 0; key < CollectionRound.objects(kind); key++) {
        for (Call<Operation> call : round.calls(kind, key)) {
          operation(out, kind, key, call, first);
        }
      }
    }
  }

  private static void operation(
      StringBuilder out, Kind kind, int key, Call<Operation> call, long first) {
    Operation operation = call.operation();
    moments(out, call.called() - first, call.returned() - first)
        .append(",\"on\":\"")
        .append(name(kind))
        .append("\",\"key\":")
        .append(key)
        .append(",\"verb\":\"")
        .append(name(operation.verb()))
        .append("\",\"value\":")
        .append(operation.value())
        .append(",\"seen\":")
        .append(operation.seen())
        .append("}\n");
  }

  private static StringBuilder moments(StringBuilder out, long begin, long end) {
    return out.append("{\"begin\":").append(begin).append(",\"end\":").append(end);
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String pairs(Map<Integer, Long> values) {
    return new TreeMap<>(values)
        .entrySet().stream()
            .map(entry -> "[" + entry.getKey() + "," + entry.getValue() + "]")
            .collect(Collectors.joining(",", "[", "]"));
  }

  private static String numbers(List<Long> values) {
    return values.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
  }
}
