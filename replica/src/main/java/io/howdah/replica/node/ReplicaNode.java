package io.howdah.replica.node;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreId;
import io.howdah.core.engine.EngineThread;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.Storage;
import io.howdah.log.recovery.LiveReplay;
import io.howdah.replica.LeadershipLostException;
import io.howdah.replica.NotLeaderException;
import io.howdah.replica.consensus.Consensus;
import io.howdah.replica.log.Chain;
import io.howdah.replica.log.ChainEnd;
import io.howdah.replica.log.ConsensusTarget;
import io.howdah.replica.log.Entry;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node of a replica group. It follows the group's log and keeps a region as the log says; while
 * it leads, it has a {@link Store} over this region.
 *
 * <p>The time from an empty region to its end is a <em>life</em>. A life ends when the node ceases
 * to lead, when the engine stops, or when the node is closed. Then region and store are dropped,
 * and the next life begins with the log's first entry (docs/protocol.md, R73).
 *
 * <p>The node keeps nothing on disk: the engine's log is all there is, and it is never trimmed.
 *
 * <p>Thread-safe.
 */
public final class ReplicaNode implements AutoCloseable {

  private static final long MAX_INBOX_BYTES = 64L << 20;
  private static final long IDLE_NANOS = 100_000_000;
  private static final long POLL_NANOS = 1_000_000;

  private final String name;
  private final StoreId id;
  private final StoreOptions options;
  private final Storage memory;
  private final Supplier<Consensus> engines;
  private final int maxEntryBytes;
  private final Execution execution;
  private final EngineThread thread;
  private final AtomicLong barriers = new AtomicLong();

  private volatile @Nullable Leading leading;
  private volatile @Nullable Region region;

  /** How far this node is, at the end of an entry. */
  private volatile Progress progress = new Progress(0, ChainEnd.START);

  /**
   * How far a node is.
   *
   * @param life number of the life, from 1
   * @param end of the log, as this life knows it; the start of the log once the life is over
   */
  public record Progress(long life, ChainEnd end) {}

  /** What the engine has told. */
  private sealed interface Message {
    record Committed(Consensus.Position at, ByteBuffer entry) implements Message {}

    record LeaderReady() implements Message {}

    record NotLeader(@Nullable String leader) implements Message {}

    record Stopped(Throwable cause) implements Message {}
  }

  /** A store in use, and the engine to which its barriers go. */
  private static final class Leading {
    final LeaderStore store;
    final Consensus consensus;
    final ChainEnd begun;

    /** Number of the last barrier that counts. */
    volatile long barrier;

    volatile @Nullable LeadershipLostException lost;

    Leading(LeaderStore store, Consensus consensus, ChainEnd begun) {
      this.store = store;
      this.consensus = consensus;
      this.begun = begun;
    }
  }

  /**
   * Creates a node; {@link #start} starts it.
   *
   * @param name of the node, for messages
   * @param id of the store, the same for all nodes
   * @param options of the stores; size, partitions and length of the rings are the same for all
   *     nodes
   * @param memory allocates memory, and is not closed
   * @param engines returns an engine that was not started, for each life
   */
  public ReplicaNode(
      String name, StoreId id, StoreOptions options, Storage memory, Supplier<Consensus> engines) {
    this(name, id, options, memory, engines, ConsensusTarget.MAX_ENTRY_BYTES);
  }

  /** Creates a node with shorter entries, so that a round has several. For tests. */
  ReplicaNode(
      String name,
      StoreId id,
      StoreOptions options,
      Storage memory,
      Supplier<Consensus> engines,
      int maxEntryBytes) {
    ConsensusTarget.requireFits(options.partitions(), options.ringBytes(), maxEntryBytes);
    this.maxEntryBytes = maxEntryBytes;
    this.name = name;
    this.id = id;
    this.options = options;
    this.memory = memory;
    this.engines = engines;
    this.execution = options.execution();
    this.thread = new EngineThread(execution, "howdah-replica");
  }

  /** Starts the node. Called once. */
  public void start() {
    thread.start(this::run);
  }

  private void run() {
    for (long number = 1; !thread.isClosing(); number++) {
      Life life = new Life(number);
      try {
        life.run();
      } finally {
        life.end();
      }
    }
  }

  /** Returns whether the node leads. */
  public boolean isLeading() {
    return leading != null;
  }

  /** Returns how far the node is. */
  public Progress progress() {
    return progress;
  }

  /** Returns why the node has ended by itself, or null. */
  public @Nullable Throwable failure() {
    return thread.failure();
  }

  /**
   * Returns the store of this node, which leads. It fails with {@link LeadershipLostException} as
   * the cause when the node ceases to lead. The node closes it.
   *
   * @throws NotLeaderException if the node does not lead
   */
  public Store leader() {
    return leading().store.store();
  }

  private Leading leading() {
    Leading leading = this.leading;
    if (leading == null) {
      Throwable failure = thread.failure();
      throw failure != null
          ? new StoreClosedException("node " + name + " has stopped: " + failure)
          : new NotLeaderException("node " + name + " does not lead");
    }
    return leading;
  }

  /**
   * Waits until the node leads.
   *
   * @return whether it does; false after the time
   */
  public boolean awaitLeader(long nanos) {
    long started = execution.nanoTime();
    while (leading == null) {
      if (execution.nanoTime() - started >= nanos || thread.hasEnded()) {
        return false;
      }
      execution.parkThroughInterrupt(this, POLL_NANOS);
    }
    return true;
  }

  /**
   * Runs a transaction that does not write, and returns its result once it is certain that this
   * node led while the transaction ran. So the result is the newest state of the group.
   *
   * @throws NotLeaderException if the node does not lead
   * @throws LeadershipLostException if it is not certain
   */
  public <T extends @Nullable Object, E extends Exception> T readNewest(TxFunction<T, E> body)
      throws E {
    Leading leading = leading();
    T result = leading.store.store().read(TxOptions.sync(), body);
    awaitBarrier(leading);
    return result;
  }

  /** Proposes a barrier and waits until it counts (docs/protocol.md, R74). */
  private void awaitBarrier(Leading leading) {
    long number = barriers.incrementAndGet();
    leading.consensus.propose(
        Entry.barrier(id, leading.begun.epoch(), leading.begun.nonce(), number));
    while (leading.barrier < number) {
      LeadershipLostException lost = leading.lost;
      if (lost != null) {
        throw lost;
      }
      execution.parkThroughInterrupt(this, POLL_NANOS);
    }
  }

  /** Returns the region of the present life, which the end of the life closes. For tests. */
  @Nullable Region region() {
    return region;
  }

  /** Ends the node, and returns when its threads have ended. */
  @Override
  public void close() {
    thread.close();
  }

  /** One life of the node, on the thread {@code howdah-replica}. */
  private final class Life implements Consensus.Member {

    private final long number;
    private final Inbox<Message> inbox = new Inbox<>(execution, MAX_INBOX_BYTES);
    private final Consensus consensus = engines.get();
    private final Region region = memory.allocate(options.maxSize());
    private final LiveReplay replay =
        new LiveReplay(
            memory, id.high(), id.low(), options.partitions(), options.maxSize(), this::store);
    private final Chain chain = new Chain(id);

    /** Whether the engine's last word was that this node leads. */
    private boolean mayLead;

    /** Nonce of the epoch that this life has proposed last; meaningless before. */
    private long proposedNonce;

    private boolean hasProposed;
    private boolean isOver;

    Life(long number) {
      this.number = number;
      ReplicaNode.this.region = region;
      progress = new Progress(number, chain.end());
    }

    void run() {
      consensus.start(this, Consensus.Position.START);
      while (!thread.isClosing() && !isOver) {
        Message message = inbox.take(IDLE_NANOS);
        if (message != null) {
          handle(message);
        }
      }
    }

    private void handle(Message message) {
      switch (message) {
        case Message.Committed committed -> committedInOrder(committed);
        case Message.LeaderReady _ -> {
          if (leading != null) {
            // Between the two terms another node may have led.
            lose("the engine has elected node " + name + " again");
          } else {
            mayLead = true;
            proposeEpoch();
          }
        }
        case Message.NotLeader told -> {
          mayLead = false;
          if (leading != null) {
            lose(
                "node "
                    + name
                    + " does not lead any more; "
                    + (told.leader() == null ? "no leader is known" : told.leader() + " leads"));
          }
        }
        case Message.Stopped stopped ->
            lose("engine or store of node " + name + " has stopped: " + stopped.cause());
      }
    }

    private void proposeEpoch() {
      proposedNonce = execution.randomLong();
      hasProposed = true;
      consensus.propose(Entry.epoch(id, proposedNonce, chain.end()));
    }

    private void committedInOrder(Message.Committed committed) {
      String place = "entry " + committed.at().index() + " of the group's log";
      Entry entry = Entry.read(committed.entry(), id, place);
      boolean counts = chain.add(entry, place);
      switch (entry) {
        case Entry.Epoch epoch -> {
          boolean isOwn = hasProposed && epoch.nonce() == proposedNonce;
          if (counts) {
            begin(isOwn);
          } else if (isOwn && mayLead && leading == null) {
            proposeEpoch();
          }
        }
        case Entry.Batch batch -> {
          if (counts) {
            append(batch, place);
          }
        }
        case Entry.Barrier barrier -> {
          Leading leading = ReplicaNode.this.leading;
          if (counts && leading != null) {
            leading.barrier = Math.max(leading.barrier, barrier.number());
          }
        }
      }
      if (!isOver) {
        progress = new Progress(number, chain.end());
      }
    }

    /** Begins the epoch that the chain is in. */
    private void begin(boolean isOwn) {
      if (leading != null) {
        lose("another node has begun epoch " + chain.end().epoch());
        return;
      }
      replay.begin(chain.end().epoch(), chain.end().cut());
      // An own epoch without leadership is one in which nobody commits.
      if (isOwn && mayLead) {
        leading =
            new Leading(
                new LeaderStore(
                    id,
                    chain.end(),
                    region,
                    options,
                    memory,
                    consensus::propose,
                    maxEntryBytes,
                    this::stopped),
                consensus,
                chain.end());
      }
    }

    private void append(Entry.Batch batch, String place) {
      Leading leading = ReplicaNode.this.leading;
      if (leading == null) {
        replay.add(batch.bytes(), place);
      } else {
        // The commits have stored their words in the region already.
        leading.store.counted(chain.end().sequence());
      }
    }

    /** Stores the words of a record. */
    private void store(ByteBuffer source, int from, int to) {
      ByteBuffer words = source.duplicate();
      for (int at = from; at < to; ) {
        long head = source.getLong(at);
        int bytes = RedoRecordLayout.entryRun(head) << 3;
        at += Long.BYTES;
        region.copyFrom(
            RedoRecordLayout.entryAddress(head), words.clear().position(at).limit(at + bytes));
        at += bytes;
      }
    }

    private void lose(String why) {
      isOver = true;
      progress = new Progress(number, ChainEnd.START);
      Leading leading = ReplicaNode.this.leading;
      if (leading != null) {
        LeadershipLostException lost = new LeadershipLostException(why);
        leading.lost = lost;
        ReplicaNode.this.leading = null;
        leading.store.fail(lost);
        leading.store.close();
      }
    }

    void end() {
      try {
        lose("node " + name + " is closed");
      } finally {
        inbox.close();
        consensus.close();
        replay.close();
        ReplicaNode.this.region = null;
        region.close();
      }
    }

    // ---- What the engine tells, on its threads.

    @Override
    public void committed(Consensus.Position at, ByteBuffer entry) {
      ByteBuffer copy = ByteBuffer.allocate(entry.remaining()).put(entry).flip();
      inbox.add(new Message.Committed(at, copy), copy.capacity());
    }

    @Override
    public void leaderReady() {
      inbox.add(new Message.LeaderReady(), 0);
    }

    @Override
    public void notLeader(@Nullable String leader) {
      inbox.add(new Message.NotLeader(leader), 0);
    }

    @Override
    public void stopped(Throwable cause) {
      inbox.add(new Message.Stopped(cause), 0);
    }
  }
}
