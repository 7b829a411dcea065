package io.howdah.replica.node;

import io.howdah.core.Execution;
import io.howdah.replica.consensus.Consensus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A consensus engine that an adversary runs: one thread decides what is committed, who is told to
 * lead, what is lost and what comes late. It keeps what {@link Consensus} promises, and nothing
 * else: there is one order of committed entries, each member gets them in this order, and is told
 * that it leads only after all entries before.
 *
 * <p>Runs on a simulated execution, where nothing else runs between two scheduling points.
 */
final class SimulatedGroup {

  /** What happens in a run, in how many of 200 steps. */
  record Habits(
      int elect,
      int depose,
      int hint,
      int stop,
      int late,
      int twice,
      int isolate,
      int purge,
      int betray) {

    static final Habits CALM = new Habits(0, 0, 0, 0, 0, 0, 0, 0, 0);
    static final Habits WILD = new Habits(3, 1, 1, 1, 2, 10, 100, 2, 100);
  }

  private final Execution execution;
  private final Random random;
  private final Habits habits;

  /** The committed entries. */
  final List<byte[]> log = new ArrayList<>();

  private final List<@Nullable Port> ports = new ArrayList<>();

  /** For each member, how many entries it has said that it needs no more. */
  private final long[] trimmed;

  /** For each member, how many entries its own log has, or had before they were removed. */
  private final int[] had;

  /** How many entries the group has removed. Who lacks one of them needs a snapshot. */
  private int removed;

  /** Cut of the last batch. */
  private long lastCut;

  /** Member that is asked to become the leader, or -1. */
  private int wished = -1;

  /** Proposals of members that were deposed or have ended: they may be committed later. */
  private final List<byte[]> late = new ArrayList<>();

  private int believers;
  private boolean isEnding;

  /** What happened, for the report of a run. */
  int elections;

  int stops;
  int checkpoints;
  int voidCandidates;
  int behind;
  int betrayals;

  SimulatedGroup(Execution execution, long seed, int members, Habits habits) {
    this.execution = execution;
    this.random = new Random(seed);
    this.habits = habits;
    this.trimmed = new long[members];
    this.had = new int[members];
    for (int i = 0; i < members; i++) {
      ports.add(null);
    }
  }

  /** Returns an engine for the next life of a member. */
  Consensus engine(int member) {
    return new Port(member);
  }

  /**
   * Ends a member as a power cut does. What it has proposed may be committed later; what it has
   * been told is durable is so.
   */
  void kill(int member) {
    Port port = ports.get(member);
    if (port != null) {
      port.isClosed = true;
      forget(port);
    }
  }

  /** Runs until {@link #end}; then hands over all entries, and tells every member to follow. */
  void run() {
    while (!isEnding) {
      step();
      execution.parkNanos(this, 1 + random.nextInt(20_000));
    }
    for (Port port : started()) {
      port.isolatedSteps = 0;
      tell(port, () -> port.member().notLeader(null));
    }
  }

  void end() {
    isEnding = true;
  }

  /** Hands over what is left; called until all members have everything. */
  void handOverAll() {
    for (Port port : started()) {
      handOver(port, log.size());
    }
  }

  private List<Port> started() {
    List<Port> started = new ArrayList<>();
    for (Port port : ports) {
      if (port != null && port.member != null && !port.isClosed) {
        started.add(port);
      }
    }
    return started;
  }

  private void step() {
    List<Port> started = started();
    if (started.isEmpty()) {
      return;
    }
    for (Port each : started) {
      each.isolatedSteps = Math.max(0, each.isolatedSteps - 1);
    }
    if (wished >= 0) {
      Port port = ports.get(wished);
      wished = -1;
      if (port != null && started.contains(port)) {
        elect(port);
      }
      return;
    }
    Port port = started.get(random.nextInt(started.size()));
    if (port.isolatedSteps > 0) {
      return;
    }
    int dice = random.nextInt(200);
    if ((dice -= habits.elect()) < 0 || (believers == 0 && random.nextInt(4) == 0)) {
      elect(port);
    } else if ((dice -= habits.depose()) < 0) {
      depose(port);
    } else if ((dice -= habits.hint()) < 0) {
      tell(port, () -> port.member().notLeader("somebody")); // wrong, perhaps
      forget(port);
    } else if ((dice -= habits.stop()) < 0) {
      stops++;
      forget(port);
      tell(port, () -> port.member().stopped(new IllegalStateException("the adversary")));
    } else if ((dice -= habits.purge()) < 0) {
      removed = Math.max(removed, (int) trimmed[random.nextInt(trimmed.length)]);
    } else if ((dice -= habits.late()) < 0 && !late.isEmpty()) {
      voidCandidates++;
      append(late.remove(random.nextInt(late.size())));
    } else if (dice < 80) {
      commit(port);
    } else {
      handOver(port, 1 + random.nextInt(3));
    }
  }

  private void commit(Port port) {
    byte[] entry = port.proposals.peek();
    if (entry == null) {
      return;
    }
    boolean isWithoutProgress = append(entry);
    if (random.nextInt(200) >= habits.twice()) {
      port.proposals.poll(); // otherwise it is committed again
    }
    if (isWithoutProgress && random.nextInt(200) < habits.betray()) {
      // Nothing of this batch is kept unless a later one of its round is committed. The member is
      // told of it, and long before the next one others may lead.
      betrayals++;
      handOver(port, log.size());
      port.isolatedSteps = 100 + random.nextInt(400);
    }
  }

  /** Commits an entry; returns whether it is a batch that does not raise the cut. */
  private boolean append(byte[] entry) {
    log.add(entry);
    ByteBuffer bytes = ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.getInt(12) != 2) {
      return false;
    }
    long cut = bytes.getLong(64 + 40);
    boolean isWithoutProgress = cut == lastCut;
    lastCut = cut;
    return isWithoutProgress;
  }

  private void handOver(Port port, int entries) {
    for (int i = 0; i < entries && port.handedOver < log.size() && !port.isClosed; i++) {
      int index = port.handedOver;
      if (index >= had[port.number] && index < removed) {
        if (!port.isBehind) {
          port.isBehind = true;
          behind++;
          long first = removed + 1L;
          tell(port, () -> port.member().behind(first));
        }
        return;
      }
      port.handedOver++;
      had[port.number] = Math.max(had[port.number], port.handedOver);
      tell(
          port,
          () ->
              port.member()
                  .committed(
                      new Consensus.Position(1, index + 1L), ByteBuffer.wrap(log.get(index))));
    }
  }

  /** Makes a member the leader. Others that believe they lead are not told, and may be cut off. */
  private void elect(Port port) {
    elections++;
    handOver(port, log.size());
    if (!port.isClosed && port.handedOver == log.size()) {
      if (!port.believes) {
        port.believes = true;
        believers++;
      }
      for (Port other : started()) {
        if (other != port && random.nextInt(200) < habits.isolate()) {
          other.isolatedSteps = 50 + random.nextInt(400);
        }
      }
      tell(port, () -> port.member().leaderReady());
    }
  }

  /** Tells a member, now, that it does not lead. What it has proposed may be committed later. */
  private void depose(Port port) {
    forget(port);
    tell(port, () -> port.member().notLeader(null));
  }

  private void forget(Port port) {
    late.addAll(port.proposals);
    port.proposals.clear();
    if (port.believes) {
      port.believes = false;
      believers--;
    }
  }

  private void tell(Port port, Runnable call) {
    if (!port.isClosed) {
      port.isInCall = true;
      try {
        call.run();
      } finally {
        port.isInCall = false;
      }
    }
  }

  private final class Port implements Consensus {

    private final int number;
    private final Deque<byte[]> proposals = new ArrayDeque<>();
    private @Nullable Member member;
    private int handedOver;

    /** For so many steps it is told nothing, and nothing that it proposes is committed. */
    private int isolatedSteps;

    private boolean believes;
    private boolean isBehind;
    private boolean isClosed;
    private boolean isInCall;

    Port(int number) {
      this.number = number;
    }

    Member member() {
      Member member = this.member;
      if (member == null) {
        throw new AssertionError("not started");
      }
      return member;
    }

    @Override
    public void start(Member member, Position behind) {
      this.member = member;
      if (behind.index() < trimmed[number]) {
        throw new AssertionError(
            "the member asks for entries behind "
                + behind.index()
                + ", and needed none up to "
                + trimmed[number]);
      }
      // Perhaps some again, of its own log.
      long least = behind.index() <= had[number] ? trimmed[number] : behind.index();
      handedOver = (int) random.nextLong(least, behind.index() + 1);
      had[number] = Math.max(had[number], handedOver);
      ports.set(number, this);
    }

    @Override
    public void propose(ByteBuffer entry) {
      byte[] copy = new byte[entry.remaining()];
      entry.duplicate().get(copy);
      if (isClosed) {
        late.add(copy);
      } else {
        proposals.add(copy);
      }
    }

    @Override
    public void checkpointed(Position position) {
      checkpoints++;
      if (position.index() < trimmed[number] || position.index() > log.size()) {
        throw new AssertionError("trims up to " + position + " after " + trimmed[number]);
      }
      trimmed[number] = position.index();
    }

    @Override
    public void transfer(String to) {
      wished = to.charAt(0) - 'a';
    }

    @Override
    public boolean replace(String former, String name, String address) {
      throw new UnsupportedOperationException("the members of a simulated group do not change");
    }

    @Override
    public void close() {
      isClosed = true;
      forget(this);
      while (isInCall) {
        execution.parkNanos(this, 1000);
      }
    }
  }
}
