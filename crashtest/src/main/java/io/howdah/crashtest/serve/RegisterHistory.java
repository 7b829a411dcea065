package io.howdah.crashtest.serve;

import io.howdah.crashtest.oracle.Linearizability;
import io.howdah.crashtest.oracle.Linearizability.Call;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Connections that work on few keys at the same time, and a check of what they were told: each key
 * is a register, and its history must be linearizable. Thread-safe.
 */
public final class RegisterHistory {

  /** What the register does; one reply belongs to each. */
  private enum Verb {
    SET,
    ADD,
    CAS,
    INCR,
    DELETE,
    GETS
  }

  /** A {@code cas} follows a {@code gets} at once: only such a pair can be torn apart. */
  private static final Verb[] MIX = {
    Verb.CAS, Verb.CAS, Verb.CAS, Verb.CAS, Verb.SET, Verb.ADD, Verb.INCR, Verb.DELETE
  };

  /**
   * An operation with its reply.
   *
   * @param number the value to store, or the amount
   * @param cas of a {@code cas}
   * @param reply the first line, or null if none came
   * @param value what {@code gets} showed
   * @param seenCas what {@code gets} showed
   */
  private record Operation(
      Verb verb, long number, long cas, @Nullable String reply, long value, long seenCas) {}

  /**
   * The register: absent, or a number with the CAS value that it has, if that is known.
   *
   * @param cas 0 if no reply has told it yet
   */
  private record State(boolean isThere, long value, long cas) {}

  /** A CAS value that no item ever has. */
  private static final long NO_CAS = Long.MAX_VALUE;

  private static final State ABSENT = new State(false, 0, 0);

  private final int port;
  private final long seed;
  private final int connections;
  private final int keys;

  /**
   * Prepares a run.
   *
   * @param port of the server, on the loopback address
   */
  public RegisterHistory(int port, long seed, int connections, int keys) {
    this.port = port;
    this.seed = seed;
    this.connections = connections;
    this.keys = keys;
  }

  /**
   * Runs a number of operations on each connection and checks their history.
   *
   * @param name begins the keys; not used before
   * @return the keys whose histories are not linearizable, with them
   */
  public List<String> run(String name, int operations) throws InterruptedException {
    List<List<List<Call<Operation>>>> all = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    CountDownLatch start = new CountDownLatch(connections);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      List<List<Call<Operation>>> histories = new ArrayList<>();
      for (int key = 0; key < keys; key++) {
        histories.add(new ArrayList<>());
      }
      all.add(histories);
      SplittableRandom random = new SplittableRandom(seed * 131 + i);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      work(name, operations, random, histories, start);
                    } catch (IOException | RuntimeException | InterruptedException e) {
                      synchronized (failures) {
                        failures.add(e);
                      }
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    List<String> broken = new ArrayList<>();
    failures.forEach(failure -> broken.add("a connection failed: " + failure));
    for (int key = 0; key < keys; key++) {
      List<Call<Operation>> history = new ArrayList<>();
      for (List<List<Call<Operation>>> histories : all) {
        history.addAll(histories.get(key));
      }
      if (!Linearizability.holds(ABSENT, history, RegisterHistory::step)) {
        broken.add(name + key + " is not linearizable (seed " + seed + "): " + history);
      }
    }
    return broken;
  }

  private void work(
      String name,
      int operations,
      SplittableRandom random,
      List<List<Call<Operation>>> histories,
      CountDownLatch start)
      throws IOException, InterruptedException {
    try (TextConnection connection = new TextConnection(port)) {
      start.countDown();
      start.await();
      for (int i = 0; i < operations; i++) {
        int key = random.nextInt(keys);
        Verb verb = MIX[random.nextInt(MIX.length)];
        long number = verb == Verb.INCR ? 1 + random.nextInt(3) : random.nextInt(1000);
        long cas = 0;
        if (verb == Verb.CAS) {
          long called = System.nanoTime();
          Operation read = run(connection, name + key, Verb.GETS, 0, 0);
          histories.get(key).add(new Call<>(read, called, System.nanoTime()));
          cas = read.seenCas == 0 ? NO_CAS : read.seenCas;
        }
        long called = System.nanoTime();
        Operation done = run(connection, name + key, verb, number, cas);
        histories.get(key).add(new Call<>(done, called, System.nanoTime()));
      }
    }
  }

  private static Operation run(
      TextConnection connection, String key, Verb verb, long number, long cas) throws IOException {
    String digits = Long.toString(number);
    String value = digits.length() + "\r\n" + digits + "\r\n";
    connection.send(
        switch (verb) {
          case SET -> "set " + key + " 0 0 " + value;
          case ADD -> "add " + key + " 0 0 " + value;
          case CAS ->
              "cas " + key + " 0 0 " + digits.length() + " " + cas + "\r\n" + digits + "\r\n";
          case INCR -> "incr " + key + " " + digits + "\r\n";
          case DELETE -> "delete " + key + "\r\n";
          case GETS -> "gets " + key + "\r\n";
        });
    String reply = connection.line();
    if (!reply.startsWith("VALUE ")) {
      return new Operation(verb, number, cas, reply, 0, 0);
    }
    Worker.Found found = Worker.Found.read(connection, reply);
    return new Operation(
        verb, number, cas, "VALUE", Long.parseLong(found.value().strip()), found.cas());
  }

  private static @Nullable State step(State state, Operation operation) {
    String reply = operation.reply;
    boolean isThere = state.isThere;
    return switch (operation.verb) {
      case SET -> "STORED".equals(reply) ? written(operation.number) : null;
      case ADD ->
          isThere
              ? only(state, "NOT_STORED".equals(reply))
              : only(written(operation.number), "STORED".equals(reply));
      case DELETE ->
          isThere
              ? only(new State(false, 0, 0), "DELETED".equals(reply))
              : only(state, "NOT_FOUND".equals(reply));
      case INCR ->
          isThere
              ? only(
                  written(state.value + operation.number),
                  Long.toString(state.value + operation.number).equals(reply))
              : only(state, "NOT_FOUND".equals(reply));
      case GETS -> gets(state, operation);
      case CAS -> cas(state, operation);
    };
  }

  private static State written(long value) {
    return new State(true, value, 0);
  }

  private static @Nullable State only(State state, boolean holds) {
    return holds ? state : null;
  }

  private static @Nullable State gets(State state, Operation operation) {
    if (!state.isThere) {
      return only(state, "END".equals(operation.reply));
    }
    boolean holds =
        "VALUE".equals(operation.reply)
            && operation.value == state.value
            && (state.cas == 0 || state.cas == operation.seenCas);
    return only(new State(true, state.value, operation.seenCas), holds);
  }

  /** A CAS value that was seen belongs to the write that the reader saw, and to no other. */
  private static @Nullable State cas(State state, Operation operation) {
    if (!state.isThere) {
      return only(state, "NOT_FOUND".equals(operation.reply));
    }
    if (state.cas == operation.cas) {
      return only(written(operation.number), "STORED".equals(operation.reply));
    }
    return only(state, "EXISTS".equals(operation.reply));
  }
}
