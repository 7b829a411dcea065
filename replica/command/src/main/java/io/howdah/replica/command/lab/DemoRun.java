package io.howdah.replica.command.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Does faults to a group under traffic, one after the other. Between two of them the group is
 * whole, and all members have what was committed before: so a time is that of one fault. In the end
 * the members' regions are compared.
 */
final class DemoRun {

  private static final long POLL_NANOS = 2_000_000;

  /** How long a partition or a pause lasts, at least; beyond another member's first commit. */
  private static final long HOLD_NANOS = 1_000_000_000;

  /** How long a fault lasts at most if no other member leads. */
  private static final long MAX_HOLD_NANOS = 20_000_000_000L;

  /** After each such time without one position of all members a barrier is committed. */
  private static final long BARRIER_NANOS = 20_000_000_000L;

  /**
   * How long a whole group may take to commit, or a member to catch up, before it is a failure.
   * Long enough for a machine that is busy with other work.
   */
  static final long LONG_PATIENCE_NANOS = 600_000_000_000L;

  private static final int TIMEOUT_MILLIS = 20_000;

  private static final String DIMENSIONS =
      """
      max-size = 1048576
      partitions = 2
      max-log-bytes = 16777216
      """;

  /** So that processes start fast. */
  private static final List<String> FLAGS = List.of("-XX:TieredStopAtLevel=1", "-Xmx256m");

  private final Path directory;
  private final List<Fault> plan;
  private final long nanos;
  private final long patienceNanos;
  private final SplittableRandom random;
  private final Ledger ledger = new Ledger(Traffic.COUNTERS);
  private final List<Row> rows = new ArrayList<>();
  private String regions = "not compared";

  /**
   * What a fault did.
   *
   * @param failOverNanos until another member has acknowledged an addition; negative if none had to
   *     or has
   */
  record Row(
      long atNanos,
      Fault fault,
      String what,
      String leader,
      long failOverNanos,
      Ledger.Figures figures) {}

  /**
   * Figures of a run.
   *
   * @param regions what the comparison of the regions has shown
   */
  record Figures(List<Row> rows, Ledger.Figures ledger, String regions) {

    int count(Fault fault) {
      return (int) rows.stream().filter(row -> row.fault() == fault).count();
    }

    int partitions() {
      return (int) rows.stream().filter(row -> row.fault().isPartition()).count();
    }

    /** Returns times from a fault to another member's first commit, ascending. */
    List<Long> failOverNanos(Fault fault) {
      return rows.stream()
          .filter(row -> row.fault() == fault && row.failOverNanos() >= 0)
          .map(Row::failOverNanos)
          .sorted()
          .toList();
    }

    /**
     * Returns how many outcomes were unknown from the fault on to the next one, of all of a kind.
     */
    long unknown(Fault fault) {
      long unknown = 0;
      long before = 0;
      for (Row row : rows) {
        long sum = row.figures().unknown();
        unknown += row.fault() == fault ? sum - before : 0;
        before = sum;
      }
      return unknown;
    }
  }

  /** The group does not do what it has to do without a fault. */
  private static final class NotWhole extends Exception {

    private static final long serialVersionUID = 1L;

    NotWhole(String message) {
      super(message);
    }
  }

  /**
   * Prepares a run.
   *
   * @param directory empty
   * @param nanos how long the run takes at least
   * @param patienceNanos how long a whole group may take to commit, or a member to catch up
   */
  DemoRun(Path directory, List<Fault> plan, long nanos, long seed, long patienceNanos) {
    this.directory = directory;
    this.plan = List.copyOf(plan);
    this.nanos = nanos;
    this.patienceNanos = patienceNanos;
    this.random = new SplittableRandom(seed);
  }

  /** Runs; tells what happens. */
  Figures run(Consumer<String> status, Consumer<Row> told)
      throws IOException, InterruptedException {
    try (Group group = new Group(directory, CounterMember.class, DIMENSIONS, FLAGS);
        MemberClient client = new MemberClient(group, TIMEOUT_MILLIS)) {
      status.accept("starting three members");
      for (String name : Group.NAMES) {
        group.start(name);
      }
      for (String name : Group.NAMES) {
        group.awaitPort(name);
      }
      try {
        try (Traffic _ = new Traffic(group, ledger, random.nextLong())) {
          run(group, client, status, told);
        }
        status.accept("comparing the regions of the members");
        regions = compareRegions(group, client);
      } catch (NotWhole e) {
        ledger.broken(String.valueOf(e.getMessage()));
      }
      group.errors().forEach(line -> ledger.broken("on standard error: " + line));
    }
    return new Figures(List.copyOf(rows), ledger.figures(), regions);
  }

  private void run(Group group, MemberClient client, Consumer<String> status, Consumer<Row> told)
      throws NotWhole, IOException, InterruptedException {
    awaitWhole(group, client);
    long began = System.nanoTime();
    for (int i = 0; i < plan.size(); i++) {
      status.accept("next: fault %d of %d".formatted(i + 1, plan.size()));
      while (System.nanoTime() - began < nanos * i / plan.size()) {
        LockSupport.parkNanos(POLL_NANOS);
      }
      Row row = act(plan.get(i), group, client, began);
      rows.add(row);
      told.accept(row);
      if (!ledger.figures().complaints().isEmpty()) {
        return; // what follows would not be clear
      }
    }
    while (System.nanoTime() - began < nanos) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    compareCounters(client);
  }

  private Row act(Fault fault, Group group, MemberClient client, long began)
      throws NotWhole, IOException, InterruptedException {
    int leader = leader(client);
    String name = Group.NAMES.get(leader);
    int follower = (leader + 1 + random.nextInt(Group.NAMES.size() - 1)) % Group.NAMES.size();
    String other = Group.NAMES.get(follower);
    if (random.nextBoolean()) {
      client.ask(random.nextInt(Group.NAMES.size()), "checkpoint");
    }
    boolean isReset = random.nextBoolean();
    long at = System.nanoTime();
    ledger.awaitAcknowledgements();
    begin(fault, group, client, name, other);
    long failOver = fault.needsOtherLeader() ? awaitOther(name, at) : -1;
    if (fault.lasts()) {
      hold(HOLD_NANOS);
    }
    end(fault, group, name, isReset);
    awaitWhole(group, client);
    compareCounters(client);
    return new Row(
        at - began,
        fault,
        describe(fault, name, other, isReset),
        Group.NAMES.get(leader(client)),
        failOver,
        ledger.figures());
  }

  private static void begin(
      Fault fault, Group group, MemberClient client, String leader, String follower)
      throws IOException, InterruptedException {
    switch (fault) {
      case KILL -> group.kill(leader);
      case PAUSE -> group.stop(leader, true);
      case CUT_OFF -> cut(group, leader, true, true);
      case MUTE -> cut(group, leader, true, false);
      case DEAF -> cut(group, leader, false, true);
      case FOLLOWER_CUT_OFF -> cut(group, follower, true, true);
      case FOLLOWER_MUTE -> group.network().cut(follower, leader);
      case TRANSFER -> client.ask(Group.NAMES.indexOf(leader), "transfer " + follower);
    }
  }

  private static void cut(Group group, String member, boolean sends, boolean receives) {
    for (String other : Group.NAMES) {
      if (!other.equals(member)) {
        if (sends) {
          group.network().cut(member, other);
        }
        if (receives) {
          group.network().cut(other, member);
        }
      }
    }
  }

  private static void end(Fault fault, Group group, String leader, boolean isReset)
      throws IOException, InterruptedException {
    switch (fault) {
      case KILL -> group.start(leader);
      case PAUSE -> group.stop(leader, false);
      case TRANSFER -> {}
      default -> group.network().heal(isReset);
    }
  }

  private static String describe(Fault fault, String leader, String follower, boolean isReset) {
    String text =
        switch (fault) {
          case FOLLOWER_CUT_OFF -> "follower " + follower + " " + fault.text();
          case FOLLOWER_MUTE -> "follower " + follower + " " + fault.text() + " the leader";
          case TRANSFER -> "leader " + leader + " " + fault.text() + " " + follower;
          default -> "leader " + leader + " " + fault.text();
        };
    return fault.isPartition() && isReset ? text + ", then resets" : text;
  }

  private static void hold(long nanos) {
    long began = System.nanoTime();
    while (System.nanoTime() - began < nanos) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Waits until another member has acknowledged an addition; returns how long it took, or -1. */
  private long awaitOther(String leader, long since) {
    while (System.nanoTime() - since < MAX_HOLD_NANOS) {
      Long first = ledger.acknowledgedByOthers(leader);
      if (first != null) {
        return first - since;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return -1;
  }

  /** Returns the number of the member that leads; waits for one. */
  private int leader(MemberClient client) throws NotWhole {
    long began = System.nanoTime();
    while (System.nanoTime() - began < patienceNanos) {
      for (int i = 0; i < Group.NAMES.size(); i++) {
        MemberClient.Answer answer = client.ask(i, "leads");
        if (answer.is("ok") && answer.words().get(1).equals("true")) {
          return i;
        }
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    throw new NotWhole("no member has led for " + patienceNanos / 1_000_000_000 + " s");
  }

  /** Waits until the group commits, and each member has what it has committed before this. */
  private void awaitWhole(Group group, MemberClient client)
      throws NotWhole, IOException, InterruptedException {
    long began = System.nanoTime();
    long acknowledged = ledger.figures().acknowledged();
    for (String name : Group.NAMES) {
      group.awaitPort(name);
    }
    long position = -1;
    boolean[] isThere = new boolean[Group.NAMES.size()];
    while (System.nanoTime() - began < patienceNanos) {
      if (position < 0 && ledger.figures().acknowledged() > acknowledged) {
        MemberClient.Answer answer = client.ask(leader(client), "position");
        position = answer.is("ok") ? answer.number() : -1;
      }
      boolean areAllThere = position >= 0;
      for (int i = 0; i < isThere.length && areAllThere; i++) {
        if (!isThere[i]) {
          MemberClient.Answer answer = client.ask(i, "position");
          isThere[i] = answer.is("ok") && answer.number() >= position;
          areAllThere = isThere[i];
        }
      }
      if (areAllThere) {
        return;
      }
      List<String> ended = group.ended();
      if (!ended.isEmpty()) {
        throw new NotWhole("members have ended: " + ended + "; they said " + group.errors());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    throw new NotWhole(
        "the group is not whole after "
            + patienceNanos / 1_000_000_000
            + " s: members that have position "
            + position
            + ": "
            + Arrays.toString(isThere)
            + "; they said "
            + group.errors());
  }

  private void compareCounters(MemberClient client) throws NotWhole {
    for (int counter = 0; counter < Traffic.COUNTERS; counter++) {
      compareCounter(client, counter);
    }
  }

  private void compareCounter(MemberClient client, int counter) throws NotWhole {
    long began = System.nanoTime();
    while (System.nanoTime() - began < patienceNanos) {
      long least = ledger.beginRead(counter);
      MemberClient.Answer answer = client.ask(leader(client), "last " + (counter + 1));
      if (answer.is("ok")) {
        List<Long> last = answer.words().stream().skip(2).map(Long::valueOf).toList();
        ledger.compare(counter, least, answer.number(), last);
        return;
      }
    }
    throw new NotWhole("no member answers with the newest state");
  }

  /** Waits until all members are at one place of the log, and compares their regions. */
  private String compareRegions(Group group, MemberClient client) throws NotWhole {
    long began = System.nanoTime();
    int members = Group.NAMES.size();
    int barriers = 0;
    String[] position = new String[members];
    while (System.nanoTime() - began < patienceNanos) {
      if (System.nanoTime() - began > (barriers + 1) * BARRIER_NANOS) {
        // Without traffic members have stayed at different places; an entry that changes nothing.
        MemberClient.Answer _ = client.ask(leader(client), "newest 1");
        barriers++;
      }
      String[] hash = new String[members];
      for (int i = 0; i < members; i++) {
        MemberClient.Answer answer = client.ask(i, "digest");
        position[i] = answer.is("ok") ? answer.words().get(1) : "?" + i;
        hash[i] = answer.is("ok") ? answer.words().get(2) : "?";
      }
      if (Arrays.stream(position).distinct().count() == 1) {
        boolean areEqual = Arrays.stream(hash).distinct().count() == 1;
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < members; i++) {
          text.append(i == 0 ? "" : "  ").append(Group.NAMES.get(i)).append(' ');
          text.append(hash[i], 0, 8);
        }
        String found =
            "regions at position %s: %s (%s)%s"
                .formatted(
                    position[0],
                    areEqual ? "equal" : "DIFFERENT",
                    text,
                    barriers == 0 ? "" : ", after " + barriers + " barriers");
        if (!areEqual) {
          ledger.broken(found);
        }
        return found;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    throw new NotWhole(
        "the members do not come to one position: "
            + Arrays.toString(position)
            + "; they said "
            + group.errors());
  }
}
