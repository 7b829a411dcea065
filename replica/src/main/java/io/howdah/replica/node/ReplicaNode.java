package io.howdah.replica.node;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.checkpoint.BaseStart;
import io.howdah.checkpoint.CheckpointOptions;
import io.howdah.checkpoint.ReplayStart;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.HowdahException;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.engine.EngineThread;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockBuilder;
import io.howdah.log.recovery.LiveReplay;
import io.howdah.replica.LeadershipLostException;
import io.howdah.replica.NotLeaderException;
import io.howdah.replica.ReplicaBehindException;
import io.howdah.replica.consensus.Consensus;
import io.howdah.replica.log.Chain;
import io.howdah.replica.log.ChainEnd;
import io.howdah.replica.log.ConsensusTarget;
import io.howdah.replica.log.Entry;
import io.howdah.replica.log.OpenRecords;
import io.howdah.replica.snapshot.SnapshotPages;
import io.howdah.replica.snapshot.SnapshotReader;
import io.howdah.replica.snapshot.SnapshotWriter;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A node of a replica group. It follows the group's log and keeps a region as the log says, which
 * programs read; while it leads, it has a {@link Store} over this region.
 *
 * <p>A <em>life</em> begins with the image that the node has on disk, and with the place in the
 * group's log from which a replay makes it complete. It ends when the node ceases to lead, when the
 * engine stops, or when the node is closed. Then region and store are dropped, and the next life
 * begins with the newest checkpoint (docs/protocol.md, R73 and R75).
 *
 * <p>Thread-safe.
 */
public final class ReplicaNode implements AutoCloseable {

  private static final long MAX_INBOX_BYTES = 64L << 20;
  private static final long IDLE_NANOS = 100_000_000;
  private static final long POLL_NANOS = 1_000_000;
  private static final int HASHED_BYTES = 1 << 16;
  private static final int DIGEST_BYTES = 16;

  /** Time after which an epoch or a barrier that has not come back is proposed again. */
  private static final long PROPOSAL_NANOS = 1_000_000_000;

  /** Time after which a checkpoint that has failed for lack of space is tried again. */
  private static final long RETRY_NANOS = 1_000_000_000;

  /** Time after which a snapshot is asked for again; it doubles up to the other one. */
  private static final long FIRST_RETRY_NANOS = 10_000_000;

  /** Time that a node has to install a snapshot and to reach the log behind it. */
  private static final long KEEP_NANOS = 60_000_000_000L;

  /**
   * Time after which a node that follows takes a former checkpoint for a snapshot: a record may
   * wait for an entry that never comes.
   */
  private static final long FORMER_NANOS = 100_000_000;

  /** Time after which a node that follows gives up to make a checkpoint for a snapshot. */
  private static final long START_NANOS = 10_000_000_000L;

  private final String name;
  private final StoreId id;
  private final StoreOptions options;
  private final Storage storage;
  private final Supplier<Consensus> engines;
  private final SnapshotSource snapshots;
  private final boolean joins;
  private final int maxEntryBytes;
  private final long checkpointBytes;
  private final int snapshotPieceBytes;
  private final Execution execution;
  private final EngineThread thread;
  private final AtomicLong barriers = new AtomicLong();

  private volatile @Nullable Leading leading;
  private volatile @Nullable View view;
  private volatile @Nullable Region region;
  private volatile boolean isCheckpointRequested;

  /** The image of the present life, for snapshots; null if there is none. */
  private volatile @Nullable SnapshotPages pages;

  /**
   * Until when the engine keeps the log behind the last snapshot, from its last byte on;
   * meaningless before one.
   */
  private volatile long keepNanos;

  private volatile boolean hasWrittenSnapshot;
  private final AtomicLong installed = new AtomicLong();
  private volatile @Nullable String installProblem;

  /** The life whose region {@link #digest} reads; null between lives. */
  private volatile @Nullable Life current;

  /** The name of the leader, by the engine's last word. */
  private volatile @Nullable String knownLeader;

  /** Index of the last entry that reads of former lives may have seen. Of the node's thread. */
  private long readIndex;

  /** How far this node is, at the end of an entry. */
  private volatile Progress progress = new Progress(0, 0, ChainEnd.START);

  /**
   * How far a node is.
   *
   * @param life number of the life, from 1
   * @param index of the last entry that was applied, 0 if the life is over or has just begun
   * @param end of the log, as this life knows it; the start of the log once the life is over
   */
  public record Progress(long life, long index, ChainEnd end) {}

  /**
   * A hash of the whole region at a place of the group's log.
   *
   * @param index of the last entry that the region has
   * @param hash 128 bits of SHA-256, in hexadecimal digits
   */
  public record Digest(long index, String hash) {}

  /**
   * What local reads see.
   *
   * @param how the options of a read
   */
  private record View(Store store, TxOptions how) {}

  /** What the engine has told. */
  private sealed interface Message {
    record Committed(Consensus.Position at, ByteBuffer entry) implements Message {}

    record LeaderReady() implements Message {}

    record NotLeader(@Nullable String leader) implements Message {}

    record Stopped(Throwable cause) implements Message {}

    record Lost(String why) implements Message {}

    record Behind(long firstIndex) implements Message {}

    /** Work that a reader of the image has for the thread that owns it. */
    record Task(Work<?> work) implements Message {}
  }

  /** A store in use, and the engine to which its barriers go. */
  private static final class Leading {
    final Life life;
    final LeaderStore store;
    final Consensus consensus;
    final ChainEnd begun;

    /** Number of the last barrier that counts. */
    volatile long barrier;

    volatile @Nullable LeadershipLostException lost;

    Leading(Life life, LeaderStore store, Consensus consensus, ChainEnd begun) {
      this.life = life;
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
   * @param storage the node's directory, in which {@link #create} has made its files; not closed
   * @param engines returns an engine that was not started, for each life
   * @param snapshots of the other members, for a node that the group's log does not reach
   * @param joins whether the node takes the place of another one, so that it begins with a snapshot
   */
  public ReplicaNode(
      String name,
      StoreId id,
      StoreOptions options,
      Storage storage,
      Supplier<Consensus> engines,
      SnapshotSource snapshots,
      boolean joins) {
    this(
        name,
        id,
        options,
        storage,
        engines,
        snapshots,
        joins,
        ConsensusTarget.MAX_ENTRY_BYTES,
        CheckpointOptions.forGoal(options.recoveryGoal().toNanos()).logBytes() / 2,
        SnapshotWriter.MAX_PIECE_BYTES);
  }

  /**
   * Creates a node with shorter entries, so that a round has several, more checkpoints, and
   * snapshots that are read in shorter pieces. For tests.
   */
  ReplicaNode(
      String name,
      StoreId id,
      StoreOptions options,
      Storage storage,
      Supplier<Consensus> engines,
      SnapshotSource snapshots,
      boolean joins,
      int maxEntryBytes,
      long checkpointBytes,
      int snapshotPieceBytes) {
    this.snapshotPieceBytes = snapshotPieceBytes;
    this.checkpointBytes = checkpointBytes;
    ConsensusTarget.requireFits(options.partitions(), options.ringBytes(), maxEntryBytes);
    this.maxEntryBytes = maxEntryBytes;
    this.name = name;
    this.id = id;
    this.options = options;
    this.storage = storage;
    this.engines = engines;
    this.snapshots = snapshots;
    this.joins = joins;
    this.execution = options.execution();
    this.thread = new EngineThread(execution, "howdah-replica");
  }

  /**
   * Creates the files of a node that has never been a member of a group. A name whose directory is
   * lost, or older than it was, must never be used again: the group would believe that the node
   * still has what it has said to have.
   *
   * @param storage an empty directory
   * @param options size, partitions and length of the rings, the same for all nodes
   */
  public static void create(Storage storage, StoreId id, StoreOptions options) {
    try (StorageLock _ = storage.lock("howdah")) {
      ReplicaFiles.create(storage, id, options);
    }
  }

  /** Starts the node. Called once. */
  public void start() {
    thread.start(this::run);
  }

  private void run() {
    try (StorageLock _ = storage.lock("howdah")) {
      boolean isNew = joins && isUntouched();
      long behind = isNew ? 1 : 0;
      long retryNanos = FIRST_RETRY_NANOS;
      for (long number = 1; !thread.isClosing(); number++) {
        boolean isInstalled = behind == 0 || install(behind);
        if (isInstalled) {
          retryNanos = FIRST_RETRY_NANOS;
        } else {
          execution.parkNanos(this, retryNanos);
          retryNanos = Math.min(2 * retryNanos, RETRY_NANOS);
        }
        // Without a snapshot a member goes on as it is: its vote counts.
        if (isInstalled || !isNew) {
          isNew = false;
          behind = live(number);
        }
      }
    }
  }

  private boolean isUntouched() {
    try (ReplicaFiles files = ReplicaFiles.open(storage, id, options)) {
      return files.place().equals(RingPlacement.Replica.START);
    }
  }

  /**
   * Runs a life.
   *
   * @return index of the first entry that the group has, if it has none before that this node
   *     needs; 0 otherwise
   */
  private long live(long number) {
    try (ReplicaFiles files = ReplicaFiles.open(storage, id, options)) {
      Life life = new Life(number, files);
      try {
        life.run();
      } finally {
        life.end();
      }
      return life.behind;
    }
  }

  /**
   * Replaces the files by a snapshot of another member, between two lives (docs/protocol.md, R78).
   *
   * @param firstIndex of the first entry that the group has
   * @return whether it was done; otherwise the files are as before
   */
  private boolean install(long firstIndex) {
    Geometry geometry;
    try (ReplicaFiles files = ReplicaFiles.open(storage, id, options)) {
      geometry = files.geometry();
    }
    SnapshotReader.Expected expected =
        new SnapshotReader.Expected(id, geometry, Math.max(0, firstIndex - 1));
    StringBuilder problems = new StringBuilder();
    for (String member : snapshots.members(knownLeader)) {
      if (thread.isClosing()) {
        return false;
      }
      try (InputStream stream = snapshots.open(member)) {
        SnapshotReader.install("member " + member, stream, storage, expected, thread::isClosing);
        installed.incrementAndGet();
        installProblem = null;
        return true;
      } catch (IOException | CorruptStoreException | UnsupportedStoreException e) {
        problems.append("; ").append(member).append(": ").append(e.getMessage());
      } catch (StorageException e) {
        if (!e.isTransient()) {
          throw e;
        }
        problems.append("; ").append(e.getMessage());
      }
    }
    installProblem =
        "node "
            + name
            + " lacks entries that the group has removed, and has got no snapshot yet"
            + problems;
    return false;
  }

  /** Returns how often this object has replaced its files by a snapshot. */
  public long snapshotsInstalled() {
    return installed.get();
  }

  /** Returns why the node has not got the snapshot that it needs, or null. */
  public @Nullable String installProblem() {
    return installProblem;
  }

  /**
   * Writes a snapshot of this node, while it runs.
   *
   * @throws ReplicaBehindException if the node has no image to read at present
   * @throws IOException if the stream cannot be written
   */
  public void writeSnapshot(OutputStream to) throws IOException {
    SnapshotPages pages = this.pages;
    if (pages == null) {
      throw new ReplicaBehindException("node " + name + " has no image to read at present");
    }
    SnapshotWriter.write(
        pages,
        execution,
        snapshotPieceBytes,
        new FilterOutputStream(to) {
          @Override
          public void write(byte[] bytes, int from, int length) throws IOException {
            keepLog();
            out.write(bytes, from, length);
            keepLog();
          }
        });
  }

  private void keepLog() {
    keepNanos = execution.nanoTime() + KEEP_NANOS;
    hasWrittenSnapshot = true;
  }

  /** Returns whether the log behind a snapshot has to stay, for the node that installs it. */
  private boolean keepsLog() {
    return hasWrittenSnapshot && execution.nanoTime() - keepNanos < 0;
  }

  /** Returns the name of the leader, by the engine's last word; null if none is known. */
  public @Nullable String knownLeader() {
    return knownLeader;
  }

  /**
   * Makes another node the leader. New transactions are refused at once, and everything committed
   * is acknowledged before, so that nothing is unknown to its caller. Then this node follows.
   *
   * @return whether the other node leads, as far as is known within the time; otherwise the group
   *     elects one
   * @throws NotLeaderException if this node does not lead
   */
  public boolean transfer(String member, long nanos) {
    Leading leading = leading();
    leading.store.close();
    leading.consensus.transfer(member);
    long started = execution.nanoTime();
    while (!member.equals(knownLeader) && execution.nanoTime() - started < nanos) {
      execution.parkThroughInterrupt(this, POLL_NANOS);
    }
    // If the engine has not done it, this node must not go on with a store that is closed.
    leading.life.inbox.add(
        new Message.Lost("node " + name + " has handed leadership to " + member), 0);
    return member.equals(knownLeader);
  }

  /**
   * Removes a member from the group, and adds another one in its place, which runs already and
   * waits for it.
   *
   * @param former name of a member whose machine is lost, or switched off for good
   * @param member name of the new member, which no member ever had
   * @param address of the new member
   * @return whether it was done within the time; if not, it may be repeated
   * @throws NotLeaderException if this node does not lead
   */
  public boolean replace(String former, String member, String address, long nanos) {
    long started = execution.nanoTime();
    while (true) {
      Leading leading = leading();
      if (leading.consensus.replace(former, member, address)) {
        return true;
      }
      if (execution.nanoTime() - started >= nanos) {
        return false;
      }
      execution.parkThroughInterrupt(this, RETRY_NANOS);
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
          : new NotLeaderException("node " + name + " does not lead; " + whoLeads());
    }
    return leading;
  }

  private String whoLeads() {
    String leader = knownLeader;
    return leader == null ? "no leader is known" : leader + " leads, as far as is known";
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

  // ---- Reads on any node.

  /** Returns whether {@link #read} has a state to read. */
  public boolean isReadable() {
    return view != null;
  }

  /**
   * Runs a transaction that does not write, on what this node has, and returns its result. On a
   * node that follows this is a state that the group has committed; while the node has a life, it
   * does not go back. It may be old. On a node that leads, see {@link Store#read} in the mode
   * {@code SYNC}. If the node changes its role meanwhile, the body may run again.
   *
   * @throws ReplicaBehindException if the node has no state yet: it replays the log, or the group
   *     has never committed anything
   */
  public <T extends @Nullable Object, E extends Exception> T read(TxFunction<T, E> body) throws E {
    while (true) {
      View view = this.view;
      if (view == null) {
        throw new ReplicaBehindException(
            "node "
                + name
                + " has no state to read yet: it replays the group's log, or the group has never"
                + " committed anything");
      }
      try {
        return view.store().read(view.how(), body);
      } catch (StoreClosedException | StoreFailedException e) {
        if (view.equals(this.view)) {
          throw e;
        }
      }
    }
  }

  /**
   * Returns the store that {@link #read} reads, for handles of collections: each store has its own.
   * It is open for reading only unless the node leads, and is closed when the node changes its
   * role.
   *
   * @throws ReplicaBehindException as {@link #read}
   */
  public Store reader() {
    View view = this.view;
    if (view == null) {
      throw new ReplicaBehindException("node " + name + " has no state to read yet");
    }
    return view.store();
  }

  /**
   * Returns how far this node is in the group's log. A node that is as far has every commit that
   * was acknowledged by this node before the call.
   */
  public long position() {
    return progress.index();
  }

  /**
   * Waits until this node has applied the group's log up to a position, and can be read.
   *
   * @param position of this node or another one, of {@link #position}
   * @return whether it has; false after the time
   */
  public boolean awaitPosition(long position, long nanos) {
    long started = execution.nanoTime();
    while (progress.index() < position || view == null) {
      if (execution.nanoTime() - started >= nanos || thread.hasEnded()) {
        return false;
      }
      execution.parkThroughInterrupt(this, POLL_NANOS);
    }
    return true;
  }

  /**
   * Hashes the region. Nodes at the same place of the log have the same hash. The region of a node
   * that leads has commits that are not in the log yet, so there nothing may commit meanwhile. The
   * node applies nothing until the hash is made.
   *
   * @throws ReplicaBehindException if the node has no complete state, or begins anew
   */
  public Digest digest() {
    Life life = this.current;
    Digest digest = life == null ? null : life.ask(life::digest, () -> life != current);
    if (digest == null) {
      throw new ReplicaBehindException("node " + name + " has no complete state yet");
    }
    return digest;
  }

  /**
   * Makes a checkpoint, so that the next start replays less: on a node that leads before this
   * returns, on another one with the next entry.
   *
   * @throws StoreFailedException if the node ceases to lead
   */
  public void checkpoint() {
    Leading leading = this.leading;
    if (leading == null) {
      isCheckpointRequested = true;
    } else {
      leading.store.checkpoint();
    }
  }

  /** Proposes a barrier and waits until it counts (docs/protocol.md, R74). */
  private void awaitBarrier(Leading leading) {
    long number = barriers.incrementAndGet();
    ByteBuffer entry = Entry.barrier(id, leading.begun.epoch(), leading.begun.nonce(), number);
    leading.consensus.propose(entry);
    long proposed = execution.nanoTime();
    while (leading.barrier < number) {
      if (execution.nanoTime() - proposed >= PROPOSAL_NANOS) {
        leading.consensus.propose(entry);
        proposed = execution.nanoTime();
      }
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
    private final ReplicaFiles files;
    private final Consensus consensus = engines.get();
    private final LiveReplay replay =
        new LiveReplay(
            storage, id.high(), id.low(), options.partitions(), options.maxSize(), this::redo);
    private final Chain chain;
    private final OpenRecords open = new OpenRecords();

    /** What commits of others are applied to; null from when this node leads. */
    private @Nullable FollowingStore following;

    /**
     * The last place from which a replay may start. All records up to it are in the region.
     * Volatile for the thread that makes checkpoints.
     */
    private volatile RingPlacement.Replica place;

    /** Bytes of batches since the last checkpoint. */
    private long appliedBytes;

    /** When a checkpoint that has failed may be tried again; meaningless before. */
    private long retryNanos;

    private boolean hasFailedCheckpoint;

    /** Whether the engine's last word was that this node leads. */
    private boolean mayLead;

    /** Nonce of the epoch that this life has proposed last; meaningless before. */
    private long proposedNonce;

    /** When this life has proposed its last epoch; meaningless before. */
    private long proposedNanos;

    private boolean hasProposed;
    private boolean isOver;

    /** Index of the first entry that the group has, if this node needs earlier ones; or 0. */
    private long behind;

    Life(long number, ReplicaFiles files) {
      this.number = number;
      this.files = files;
      this.place = files.place();
      this.chain = new Chain(id, ReplicaFiles.end(place));
    }

    void run() {
      ReplicaNode.this.region = files.region();
      ChainEnd end = chain.end();
      if (end.epoch() > 0) {
        replay.resume(end.epoch(), end.cut());
      }
      FollowingStore following = new FollowingStore(files, options, storage);
      this.following = following;
      pages = new FollowerPages(this);
      current = this;
      applied(place.index());
      consensus.start(this, ReplicaFiles.position(place));
      while (!thread.isClosing() && !isOver) {
        Message message = inbox.take(IDLE_NANOS);
        if (message != null) {
          handle(message);
        }
        if (mayLead && leading == null && execution.nanoTime() - proposedNanos >= PROPOSAL_NANOS) {
          proposeEpoch(proposedNonce);
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
            knownLeader = name;
            proposeEpoch(execution.randomLong());
          }
        }
        case Message.NotLeader told -> {
          mayLead = false;
          knownLeader = told.leader();
          if (leading != null) {
            lose("node " + name + " does not lead any more; " + whoLeads());
          }
        }
        case Message.Stopped stopped ->
            lose("engine or store of node " + name + " has stopped: " + stopped.cause());
        case Message.Lost lost -> lose(lost.why());
        case Message.Behind told -> {
          behind = told.firstIndex();
          lose("the group has removed entries that node " + name + " needs");
        }
        case Message.Task task -> task.work().run();
      }
    }

    private void proposeEpoch(long nonce) {
      proposedNonce = nonce;
      hasProposed = true;
      proposedNanos = execution.nanoTime();
      consensus.propose(Entry.epoch(id, nonce, chain.end()));
    }

    private void committedInOrder(Message.Committed committed) {
      String place = "entry " + committed.at().index() + " of the group's log";
      Entry entry = Entry.read(committed.entry(), id, place);
      boolean counts = chain.add(entry, place);
      long index = Math.max(committed.at().index(), progress.index());
      switch (entry) {
        case Entry.Epoch epoch -> {
          boolean isOwn = hasProposed && epoch.nonce() == proposedNonce;
          if (counts) {
            begin(isOwn);
          } else if (isOwn && mayLead && leading == null) {
            proposeEpoch(execution.randomLong());
          }
        }
        case Entry.Batch batch -> {
          if (counts) {
            append(batch, place, index);
          }
        }
        case Entry.Barrier barrier -> {
          Leading leading = ReplicaNode.this.leading;
          if (counts && leading != null) {
            leading.barrier = Math.max(leading.barrier, barrier.number());
            leading.store.passed();
          }
        }
      }
      if (!isOver) {
        if (open.isEmpty() && committed.at().index() >= this.place.index()) {
          this.place = ReplicaFiles.place(committed.at(), chain.end());
        }
        applied(index);
        checkpointIfDue();
      }
    }

    /** Tells that the region has everything up to an entry. */
    private void applied(long index) {
      progress = new Progress(number, index, chain.end());
      FollowingStore following = this.following;
      if (view == null && following != null && isComplete() && index >= readIndex) {
        Store reader = following.reader();
        view = reader == null ? null : new View(reader, TxOptions.async());
      }
    }

    /** Returns whether the region is the state at the cut, and not ahead of it in some words. */
    private boolean isComplete() {
      return chain.end().cut() >= files.imageLsn();
    }

    /** Makes a checkpoint of a node that follows; a node that leads has a thread for that. */
    private void checkpointIfDue() {
      if (leading != null
          || (appliedBytes < checkpointBytes && !isCheckpointRequested)
          || !open.isEmpty()
          || !isComplete()
          || (hasFailedCheckpoint && execution.nanoTime() - retryNanos < 0)) {
        return;
      }
      boolean isRequested = isCheckpointRequested;
      try {
        isCheckpointRequested = false;
        files.checkpoint(place);
        appliedBytes = 0;
        hasFailedCheckpoint = false;
        checkpointed(place);
      } catch (StorageException e) {
        if (!e.isTransient() || files.hasLostSuperblock()) {
          throw e;
        }
        hasFailedCheckpoint = true;
        retryNanos = execution.nanoTime() + RETRY_NANOS;
        if (isRequested) {
          isCheckpointRequested = true; // it is still to be made
        }
      }
    }

    /** Tells the engine of a checkpoint, unless another node needs the log: then a later one. */
    private void checkpointed(RingPlacement.Replica place) {
      if (!keepsLog()) {
        consensus.checkpointed(ReplicaFiles.position(place));
      }
    }

    /**
     * Makes a checkpoint for a snapshot, between two batches.
     *
     * @param canBeFormer whether a former checkpoint will do
     * @return the state after it; null while the image may not be written
     */
    @Nullable BaseStart startSnapshot(boolean canBeFormer) {
      if (leading != null || isOver) {
        return null;
      }
      if (open.isEmpty() && isComplete()) {
        files.checkpoint(place);
        appliedBytes = 0;
      } else if (!canBeFormer
          || files.checkpointer().current().checkpoint().phase() != CheckpointState.Phase.FOLDED) {
        return null;
      }
      return new BaseStart(files.checkpointer().current(), files.checkpointer().imageEnd());
    }

    /** Begins the epoch that the chain is in. */
    private void begin(boolean isOwn) {
      if (leading != null) {
        lose("another node has begun epoch " + chain.end().epoch());
        return;
      }
      replay.begin(chain.end().epoch(), chain.end().cut());
      open.beginEpoch();
      // In an own epoch without leadership no node commits.
      if (isOwn && mayLead) {
        lead();
      }
    }

    private void lead() {
      if (!isComplete()) {
        // A leader has everything that was committed, and so every commit of any image.
        throw new CorruptStoreException(
            "log of the replica group",
            -1,
            "the group has committed everything up to LSN "
                + chain.end().cut()
                + ", but the image of node "
                + name
                + " has words up to LSN "
                + files.imageLsn()
                + ": the log is older than the image, or of another group");
      }
      endFollowing();
      LeaderStore store =
          new LeaderStore(
              id,
              chain.end(),
              files,
              new PlaceOfLeader(),
              checkpointBytes,
              options,
              storage,
              consensus::propose,
              maxEntryBytes,
              this::stopped);
      leading = new Leading(this, store, consensus, chain.end());
      view = new View(store.store(), TxOptions.sync());
      pages = store.pages();
    }

    private void endFollowing() {
      view = null;
      FollowingStore following = this.following;
      this.following = null;
      if (following != null) {
        following.close();
      }
    }

    /** Tells the thread that makes a leader's checkpoints from where a replay starts. */
    private final class PlaceOfLeader implements ReplayStart {

      @Override
      public UnaryOperator<SuperblockBuilder> take() {
        RingPlacement.Replica taken = place;
        return change -> change.withRings(taken);
      }

      @Override
      public void folded(Superblock superblock) {
        checkpointed((RingPlacement.Replica) superblock.rings());
      }
    }

    private void append(Entry.Batch batch, String place, long index) {
      FollowingStore following = this.following;
      if (following != null) {
        following.apply(() -> replay.add(batch.bytes(), place));
        open.add(batch);
        appliedBytes += batch.bytes().remaining();
        return;
      }
      Leading leading = ReplicaNode.this.leading;
      if (leading != null) {
        open.add(batch);
        // Before the commits are acknowledged: callers ask for this position afterwards.
        progress = new Progress(number, index, chain.end());
        // The commits have stored their words in the region already.
        leading.store.counted(chain.end().sequence());
      }
    }

    /** Returns a hash of the region; null if the region is not that of the place. */
    @Nullable Digest digest() {
      Region region = ReplicaNode.this.region;
      if (region == null || !isComplete()) {
        return null;
      }
      MessageDigest hash = sha256();
      ByteBuffer piece = ByteBuffer.allocate(HASHED_BYTES);
      for (long address = 0; address < region.capacityBytes(); address += HASHED_BYTES) {
        piece.clear().limit((int) Math.min(HASHED_BYTES, region.capacityBytes() - address));
        region.copyWordsTo(address, piece.order(ByteOrder.LITTLE_ENDIAN));
        hash.update(piece.flip());
      }
      return new Digest(progress.index(), HexFormat.of().formatHex(hash.digest(), 0, DIGEST_BYTES));
    }

    /** Has the thread of this life do something between two entries. */
    <T> @Nullable T ask(Supplier<@Nullable T> body, BooleanSupplier hasEnded) {
      Work<@Nullable T> work = new Work<>(body);
      inbox.add(new Message.Task(work), 0);
      while (!work.isDone) {
        if (hasEnded.getAsBoolean()) {
          throw new ReplicaBehindException("node " + name + " has changed its role meanwhile");
        }
        execution.parkThroughInterrupt(this, POLL_NANOS);
      }
      RuntimeException failure = work.failure;
      if (failure != null) {
        throw failure;
      }
      return work.result;
    }

    /** Takes the words of a record. */
    private void redo(ByteBuffer source, int from, int to) {
      FollowingStore following = this.following;
      if (following != null) {
        following.redo(source, from, to);
      }
    }

    private void lose(String why) {
      isOver = true;
      readIndex = Math.max(readIndex, progress.index());
      progress = new Progress(number, 0, ChainEnd.START);
      view = null;
      pages = null;
      current = null;
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
        try {
          consensus.close();
        } finally {
          endFollowing();
          replay.close();
          ReplicaNode.this.region = null;
        }
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
    public void behind(long firstIndex) {
      inbox.add(new Message.Behind(firstIndex), 0);
    }

    @Override
    public void stopped(Throwable cause) {
      inbox.add(new Message.Stopped(cause), 0);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("each JDK has it", e);
    }
  }

  /** Work for the thread of a life, and its result. */
  private static final class Work<T> {
    private final Supplier<T> body;
    private @Nullable T result;
    private volatile @Nullable RuntimeException failure;
    private volatile boolean isDone;

    Work(Supplier<T> body) {
      this.body = body;
    }

    void run() {
      try {
        result = body.get();
        isDone = true;
      } catch (HowdahException e) {
        failure = e;
        isDone = true;
        if (e instanceof StorageException storage && !storage.isTransient()) {
          throw e; // the node cannot go on
        }
      }
    }
  }

  /** The image of a node that follows, whose thread reads it between two batches. */
  private final class FollowerPages implements SnapshotPages {

    private final Life life;

    FollowerPages(Life life) {
      this.life = life;
    }

    private <T> @Nullable T ask(Supplier<@Nullable T> body) {
      return life.ask(body, () -> pages != this);
    }

    @Override
    public BaseStart start() {
      long started = execution.nanoTime();
      while (true) {
        long waited = execution.nanoTime() - started;
        BaseStart start = ask(() -> life.startSnapshot(waited >= FORMER_NANOS));
        if (start != null) {
          return start;
        }
        if (waited >= START_NANOS) {
          throw new ReplicaBehindException(
              "node " + name + " has no complete image to make a snapshot of");
        }
        execution.parkThroughInterrupt(this, POLL_NANOS);
      }
    }

    @Override
    public boolean readPages(long address, ByteBuffer pages) {
      return Boolean.TRUE.equals(ask(() -> life.files.checkpointer().readPages(address, pages)));
    }

    @Override
    public Superblock state() {
      return Objects.requireNonNull(ask(() -> life.files.checkpointer().current()));
    }
  }
}
