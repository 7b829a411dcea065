package io.howdah.replica.node;

import io.howdah.replica.consensus.Consensus;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A consensus engine in which the test decides who leads, and which directions of the network work.
 * One thread does everything, in the order of the calls.
 */
final class SmallGroup implements AutoCloseable {

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final List<byte[]> log = new ArrayList<>(); // of the thread
  private final List<Port> ports = new ArrayList<>(); // of the thread
  private final boolean[] isDeaf;
  private final boolean[] isMute;
  private final long[] trimmed;
  private int leader = -1;
  private long removed; // of the thread
  private final AtomicInteger lost = new AtomicInteger();
  private int refusals; // of the thread

  SmallGroup(int members) {
    this.isDeaf = new boolean[members];
    this.isMute = new boolean[members];
    this.trimmed = new long[members];
    for (int i = 0; i < members; i++) {
      ports.add(new Port(i));
    }
  }

  private static String name(int member) {
    return Character.toString('a' + member);
  }

  /** Returns an engine for the next life of a member. */
  Consensus engine(int member) {
    return new Port(member);
  }

  private void run(Runnable action) {
    CompletableFuture.runAsync(action, thread).join();
  }

  /** Makes a member the leader. Members that hear nothing are not told. */
  void elect(int member) {
    run(
        () -> {
          leader = member;
          for (Port port : ports) {
            port.tellRole();
          }
        });
  }

  /** From now on a member hears nothing; what it proposes is heard. */
  void deafen(int member) {
    run(() -> isDeaf[member] = true);
  }

  /** From now on nothing that a member proposes arrives; it hears what others do. */
  void mute(int member) {
    run(() -> isMute[member] = true);
  }

  /** The next proposal of the leader is not taken; its role is told as if nothing were wrong. */
  void refuseOne() {
    run(() -> refusals++);
  }

  /** Both directions of a member work again. */
  void heal(int member) {
    run(
        () -> {
          isDeaf[member] = false;
          isMute[member] = false;
          ports.get(member).handOver();
          ports.get(member).tellRole();
        });
  }

  /** The engine of a member ends by itself, as when its own log cannot be written. */
  void stop(int member) {
    run(
        () -> {
          Consensus.Member told = ports.get(member).member;
          if (told != null) {
            told.stopped(new IllegalStateException("no space left"));
          }
        });
  }

  /** Commits an entry that no member has proposed. */
  void commit(ByteBuffer entry) {
    run(
        () -> {
          byte[] copy = new byte[entry.remaining()];
          entry.duplicate().get(copy);
          log.add(copy);
          ports.forEach(Port::handOver);
        });
  }

  /** Members that begin before an entry need a snapshot from now on: the log begins behind it. */
  void remove(long upTo) {
    run(() -> removed = upTo);
  }

  /** Returns how many proposals were lost, since they were not heard, or not of the leader. */
  int lost() {
    return lost.get();
  }

  /** Returns how many entries are committed. */
  long committed() {
    return CompletableFuture.supplyAsync(log::size, thread).join();
  }

  /** Returns the last entry of which a member has said that it needs nothing up to it. */
  long trimmed(int member) {
    return CompletableFuture.supplyAsync(() -> trimmed[member], thread).join();
  }

  @Override
  public void close() {
    thread.shutdownNow();
    thread.close();
  }

  private final class Port implements Consensus {

    private final int number;
    private @Nullable Member member;
    private int handedOver;

    Port(int number) {
      this.number = number;
    }

    void handOver() {
      while (member != null && !isDeaf[number] && handedOver < log.size()) {
        int index = handedOver++;
        member.committed(new Position(1, index + 1L), ByteBuffer.wrap(log.get(index)));
      }
    }

    void tellRole() {
      if (member == null || isDeaf[number]) {
        return;
      }
      handOver();
      if (number == leader) {
        member.leaderReady();
      } else {
        member.notLeader(leader < 0 ? null : name(leader));
      }
    }

    @Override
    public void start(Member member, Position behind) {
      thread.execute(
          () -> {
            if (behind.index() < removed) {
              member.behind(removed + 1);
              return;
            }
            this.member = member;
            handedOver = (int) behind.index();
            ports.set(number, this);
            handOver();
            tellRole();
          });
    }

    @Override
    public void propose(ByteBuffer entry) {
      byte[] copy = new byte[entry.remaining()];
      entry.duplicate().get(copy);
      thread.execute(
          () -> {
            if (number == leader && refusals > 0) {
              refusals--;
            } else if (number == leader && !isMute[number]) {
              log.add(copy);
              ports.forEach(Port::handOver);
            } else {
              lost.incrementAndGet();
            }
          });
    }

    @Override
    public void checkpointed(Position position) {
      thread.execute(() -> trimmed[number] = Math.max(trimmed[number], position.index()));
    }

    @Override
    public void transfer(String member) {
      throw new UnsupportedOperationException("the test elects");
    }

    @Override
    public boolean replace(String former, String name, String address) {
      throw new UnsupportedOperationException("the members do not change");
    }

    @Override
    public void close() {
      run(() -> member = null);
    }
  }
}
