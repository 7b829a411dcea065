package io.howdah.replica.ratis;

import io.howdah.core.CorruptStoreException;
import io.howdah.replica.consensus.Consensus;
import io.howdah.replica.consensus.ConsensusProvider.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/**
 * Apache Ratis as the engine of a replica group. A member proposes to the server in its own process
 * alone, so a proposal never reaches another leader. Entries that a member needs no more are
 * removed from its log, in whole segments, once all members have them.
 *
 * <p>Thread-safe.
 */
public final class RatisConsensus implements Consensus {

  private static final int SEGMENT_BYTES = 64 << 20;
  private static final int APPEND_BYTES = 4 << 20;

  /** Longer than an entry. */
  private static final int MIN_SEGMENT_BYTES = 4 << 20;

  /**
   * How long a leader waits after an error of a follower, and how often. Shorter than the time
   * between two heartbeats: after a longer wait Ratis sends a heartbeat, and if a follower refuses
   * it, waits again. Then it never sends the entries that the follower lacks.
   */
  private static final String RETRIES = "1ms,10, 200ms,1000000000";

  private static final int MESSAGE_BYTES = 64 << 20;
  private static final long SNAPSHOT_MILLIS = 10_000;
  private static final long TRANSFER_MILLIS = 3000;
  private static final long ANSWER_SECONDS = 30;

  static {
    // Netty, inside of Ratis, tries native code and Unsafe first, and the JDK warns of both.
    for (String without :
        List.of(
            "io.netty.noUnsafe", "io.netty.transport.noNative", "io.netty.handler.ssl.noOpenSsl")) {
      System.setProperty("org.apache.ratis.thirdparty." + without, "true");
    }
  }

  private final Settings settings;
  private final String name;
  private final Path directory;
  private final RaftGroup group;
  private final RaftPeer self;
  private final ClientId client = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();
  private final int segmentBytes;
  private @Nullable Handover handover;
  private @Nullable RaftServer server;

  /**
   * Creates a member.
   *
   * @param settings the directory is created if absent. One that is lost or older than it was must
   *     never be used under the same name: it has forgotten votes and entries
   */
  public RatisConsensus(Settings settings) {
    this(settings, Math.clamp(settings.maxLogBytes() / 4, MIN_SEGMENT_BYTES, SEGMENT_BYTES));
  }

  /** Creates a member with shorter segments, for tests. */
  RatisConsensus(Settings settings, int segmentBytes) {
    this.settings = settings;
    this.segmentBytes = segmentBytes;
    this.name = settings.name();
    this.directory = settings.directory();
    this.group =
        RaftGroup.valueOf(
            RaftGroupId.valueOf(settings.group()),
            settings.peers().entrySet().stream()
                .map(peer -> peer(peer.getKey(), peer.getValue()))
                .toArray(RaftPeer[]::new));
    RaftPeer found = this.group.getPeer(RaftPeerId.valueOf(name));
    if (found == null) {
      throw new IllegalArgumentException(name + " is not a member of " + settings.peers().keySet());
    }
    this.self = found;
  }

  private static RaftPeer peer(String name, String address) {
    return RaftPeer.newBuilder().setId(name).setAddress(address).build();
  }

  @Override
  public synchronized void start(Member member, Position behind) {
    try {
      boolean isNew = isEmpty(directory);
      boolean joins = settings.joins().getAsBoolean();
      if (isNew && behind.index() > 0 && !joins) {
        throw new CorruptStoreException(
            directory.toString(),
            -1,
            "the log of Ratis is gone, but member "
                + name
                + " has entries up to "
                + behind.index()
                + " in its image. It has forgotten what it has promised to the group, and must not"
                + " start again under this name: replace it");
      }
      Files.createDirectories(directory);
      Path log = directory.resolve(group.getGroupId().getUuid().toString()).resolve("current");
      TermIndex end = RaftLogGuard.check(log, APPEND_BYTES);
      Handover handover = new Handover(member, behind, start(behind, end), end);
      this.handover = handover;
      RaftServer started =
          RaftServer.newBuilder()
              .setServerId(self.getId())
              // A member without peers waits for the leader of a group to add it.
              .setGroup(joins ? RaftGroup.valueOf(group.getGroupId()) : group)
              .setStateMachine(handover)
              .setProperties(properties())
              .setParameters(parameters(handover))
              .setOption(
                  isNew ? RaftStorage.StartupOption.FORMAT : RaftStorage.StartupOption.RECOVER)
              .build();
      server = started;
      started.start();
      settings.started().run();
    } catch (IOException e) {
      throw new UncheckedIOException("start member " + name + " in " + directory, e);
    }
  }

  /**
   * Returns the entry behind which Ratis begins. Its own log may end before the member's position,
   * since a power cut takes what was not forced here yet; Ratis would not accept a later start.
   */
  private static @Nullable TermIndex start(Position behind, @Nullable TermIndex end) {
    if (behind.index() == 0 || end == null) {
      return null;
    }
    return behind.index() <= end.getIndex()
        ? TermIndex.valueOf(behind.term(), behind.index())
        : end;
  }

  private static boolean isEmpty(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return true;
    }
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.findAny().isEmpty();
    }
  }

  private RaftProperties properties() {
    RaftProperties properties = new RaftProperties();
    String address = self.getAddress();
    int colon = address.lastIndexOf(':');
    GrpcConfigKeys.Server.setHost(properties, address.substring(0, colon));
    GrpcConfigKeys.Server.setPort(properties, Integer.parseInt(address.substring(colon + 1)));
    GrpcConfigKeys.setMessageSizeMax(properties, SizeInBytes.valueOf(MESSAGE_BYTES));
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, TimeDuration.valueOf(1, TimeUnit.SECONDS));
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, TimeDuration.valueOf(2, TimeUnit.SECONDS));
    RaftServerConfigKeys.Rpc.setSlownessTimeout(
        properties, TimeDuration.valueOf(1, TimeUnit.HOURS));
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf(segmentBytes));
    RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf(APPEND_BYTES + 8));
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(
        properties, SizeInBytes.valueOf(APPEND_BYTES));
    RaftServerConfigKeys.Log.Appender.setWaitTimeMin(properties, TimeDuration.ZERO);
    RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(properties, false);
    RaftServerConfigKeys.Log.Appender.setRetryPolicy(properties, RETRIES);
    // With it a follower that gets a longer copy of what it is writing acknowledges all of the
    // copy, and keeps the former alone.
    RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
    // Each entry is forced before it counts for the majority, and nothing else is written for it.
    RaftServerConfigKeys.Log.setForceSyncNum(properties, 1);
    RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, false);
    RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, false);
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    RaftServerConfigKeys.Log.setCorruptionPolicy(
        properties, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
    // A snapshot is a checkpoint of the node; see checkpointed, which decides what is purged.
    RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, false);
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
    return properties;
  }

  private static Parameters parameters(Handover handover) {
    Parameters parameters = new Parameters();
    GrpcConfigKeys.Server.setServicesCustomizer(
        parameters, (builder, _) -> builder.intercept(new ForcedReplies(handover::forced)));
    return parameters;
  }

  @Override
  public void propose(ByteBuffer entry) {
    RaftServer server = this.server;
    if (server == null) {
      return;
    }
    ByteString bytes = ByteString.copyFrom(entry.duplicate());
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(client)
            .setServerId(self.getId())
            .setGroupId(group.getGroupId())
            .setCallId(calls.incrementAndGet())
            .setMessage(Message.valueOf(bytes))
            .setType(RaftClientRequest.writeRequestType())
            .build();
    try {
      // The answer is of no use: a committed entry is handed over, a lost leader is told, and what
      // was refused is proposed again when it does not come back.
      CompletableFuture<RaftClientReply> _ = server.submitClientRequestAsync(request);
    } catch (IOException e) {
      throw new UncheckedIOException("propose an entry as member " + name, e);
    }
  }

  /** Asks Ratis for a snapshot, which is there already; then it purges segments. */
  @Override
  public void checkpointed(Position position) {
    RaftServer server = this.server;
    Handover handover = this.handover;
    if (server == null || handover == null) {
      return;
    }
    try {
      handover.removable(removable(server, position));
    } catch (IOException e) {
      throw new UncheckedIOException("read the log of Ratis in " + directory, e);
    }
    // The answer is of no use: the next checkpoint asks again.
    CompletableFuture<RaftClientReply> _ =
        server.snapshotManagementAsync(
            SnapshotManagementRequest.newCreate(
                client,
                self.getId(),
                group.getGroupId(),
                calls.incrementAndGet(),
                SNAPSHOT_MILLIS,
                1));
  }

  /**
   * Returns up to which entry the log may go: what all members have, and the checkpoint covers.
   * Once the log is longer than it may be, members that have not got it need a snapshot. The last
   * one of these entries stays: a leader names it to a member that goes on behind it, and without
   * it takes the member for one that needs a snapshot.
   */
  private long removable(RaftServer server, Position checkpoint) throws IOException {
    long index = checkpoint.index();
    if (settings.maxLogBytes() == Long.MAX_VALUE || logBytes() <= settings.maxLogBytes()) {
      for (CommitInfoProto peer : server.getDivision(group.getGroupId()).getCommitInfos()) {
        index = Math.min(index, peer.getCommitIndex());
      }
    }
    return index - 1;
  }

  private long logBytes() throws IOException {
    long bytes = 0;
    try (Stream<Path> files =
        Files.list(directory.resolve(group.getGroupId().getUuid().toString()).resolve("current"))) {
      for (Path file : files.toList()) {
        try {
          bytes += Files.size(file);
        } catch (NoSuchFileException e) {
          // Ratis has removed or renamed it meanwhile.
        }
      }
    }
    return bytes;
  }

  @Override
  public void transfer(String member) {
    RaftServer server = this.server;
    if (server == null) {
      return;
    }
    try {
      // The answer is of no use: the member is told of the new leader, and closes this engine
      // perhaps before Ratis answers.
      CompletableFuture<RaftClientReply> _ =
          server.transferLeadershipAsync(
              new TransferLeadershipRequest(
                  client,
                  self.getId(),
                  group.getGroupId(),
                  calls.incrementAndGet(),
                  RaftPeerId.valueOf(member),
                  TRANSFER_MILLIS));
    } catch (IOException e) {
      throw new UncheckedIOException("transfer leadership of member " + name, e);
    }
  }

  @Override
  public boolean replace(String former, String member, String address) {
    RaftServer server = this.server;
    if (server == null) {
      return false;
    }
    try {
      List<RaftPeer> peers = new ArrayList<>();
      for (RaftPeer peer : server.getDivision(group.getGroupId()).getRaftConf().getCurrentPeers()) {
        String id = peer.getId().toString();
        if (!id.equals(former) && !id.equals(member)) {
          peers.add(peer);
        }
      }
      peers.add(peer(member, address));
      return isDone(
          server.setConfigurationAsync(
              new SetConfigurationRequest(
                  client,
                  self.getId(),
                  group.getGroupId(),
                  calls.incrementAndGet(),
                  SetConfigurationRequest.Arguments.newBuilder()
                      .setServersInNewConf(peers)
                      .build())));
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isDone(CompletableFuture<RaftClientReply> answer) {
    try {
      return answer.get(ANSWER_SECONDS, TimeUnit.SECONDS).isSuccess();
    } catch (ExecutionException | TimeoutException e) {
      return false; // it may come about later
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    RaftServer server;
    synchronized (this) {
      server = this.server;
      this.server = null;
    }
    if (server != null) {
      try {
        server.close();
      } catch (IOException e) {
        throw new UncheckedIOException("close member " + name, e);
      }
    }
  }

  /** The entry behind which Ratis begins. */
  private record Start(TermIndex getTermIndex, List<FileInfo> getFiles) implements SnapshotInfo {}

  /** Hands over what Ratis commits and tells. Ratis calls it from several threads. */
  private static final class Handover extends BaseStateMachine {

    private final Member member;

    /** What the member has, at or behind the start. */
    private final Position had;

    private volatile @Nullable TermIndex start;

    /** Index of the last entry that may be removed; never lower than before, as Ratis wants it. */
    private final AtomicLong removable = new AtomicLong(RaftLog.INVALID_LOG_INDEX);

    /** Ratis's log, once the server has made it. */
    private volatile @Nullable RaftLog log;

    private final Truncations truncations;

    /**
     * Creates it.
     *
     * @param end the last entry of Ratis's log, or null if it has none
     */
    Handover(Member member, Position had, @Nullable TermIndex start, @Nullable TermIndex end) {
      this.member = member;
      this.had = had;
      this.start = start;
      this.truncations = new Truncations(end == null ? RaftLog.INVALID_LOG_INDEX : end.getIndex());
      removable.set(start == null ? RaftLog.INVALID_LOG_INDEX : start.getIndex());
    }

    void removable(long index) {
      removable.accumulateAndGet(index, Math::max);
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId id, RaftStorage storage)
        throws IOException {
      super.initialize(server, id, storage);
      reinitialize();
    }

    /**
     * Returns the index of the last entry that is forced, with all before it. The removals are read
     * before Ratis's index: the other way round, one that is made in between would be missed, with
     * an index that still counts its entries.
     */
    long forced() {
      long kept = truncations.kept();
      RaftLog log = log();
      return log == null ? RaftLog.INVALID_LOG_INDEX : Math.min(kept, log.getFlushIndex());
    }

    private @Nullable RaftLog log() {
      RaftLog log = this.log;
      if (log == null) {
        try {
          log = getServer().join().getDivision(getGroupId()).getRaftLog();
        } catch (IOException e) {
          return null; // the group is removed
        }
        this.log = log;
      }
      return log;
    }

    /** Called when Ratis has decided to remove the entries from one on, and queues the removal. */
    @Override
    public CompletableFuture<Void> truncate(long index) {
      truncations.decided(index);
      return CompletableFuture.completedFuture(null);
    }

    /**
     * Called by the thread of Ratis's log between the write of an entry and its force, for each
     * entry, since each is forced by itself.
     */
    @Override
    public CompletableFuture<Void> flush(long index) {
      truncations.written(index);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void reinitialize() {
      getLifeCycle()
          .startAndTransition(
              () -> {
                TermIndex start = this.start;
                if (start != null) {
                  setLastAppliedTermIndex(start);
                }
              });
    }

    @Override
    public void pause() {
      getLifeCycle().transition(LifeCycle.State.PAUSING);
      getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    /**
     * Answers a leader whose log begins behind the end of this member's log. The member has got a
     * snapshot before this engine started, or needs one.
     */
    @Override
    public CompletableFuture<@Nullable TermIndex> notifyInstallSnapshotFromLeader(
        RoleInfoProto role, TermIndex first) {
      if (first.getIndex() > had.index()) {
        // With the first entry of that log, which the leader has to name.
        tell(() -> member.behind(first.getIndex() + 1));
        return new CompletableFuture<>(); // the member closes this engine
      }
      if (had.index() == 0) {
        return CompletableFuture.completedFuture(null); // the leader has everything from the start
      }
      TermIndex installed = TermIndex.valueOf(had.term(), had.index());
      start = installed;
      return CompletableFuture.completedFuture(installed);
    }

    @Override
    public @Nullable SnapshotInfo getLatestSnapshot() {
      TermIndex start = this.start;
      return start == null ? null : new Start(start, List.of());
    }

    @Override
    public long takeSnapshot() {
      return removable.get();
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
      LogEntryProto entry = transaction.getLogEntry();
      ByteBuffer bytes = entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer();
      tell(() -> member.committed(new Position(entry.getTerm(), entry.getIndex()), bytes));
      updateLastAppliedTermIndex(TermIndex.valueOf(entry.getTerm(), entry.getIndex()));
      return CompletableFuture.completedFuture(Message.EMPTY);
    }

    @Override
    public void notifyLeaderReady() {
      tell(member::leaderReady);
    }

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId self, RaftPeerId leader) {
      if (!self.getPeerId().equals(leader)) {
        tell(() -> member.notLeader(leader == null ? null : leader.toString()));
      }
    }

    @Override
    public void notifyNotLeader(Collection<TransactionContext> pending) {
      tell(() -> member.notLeader(null));
    }

    @Override
    public void notifyLogFailed(Throwable cause, LogEntryProto entry) {
      tell(() -> member.stopped(cause));
    }

    @Override
    public void notifyServerShutdown(RoleInfoProto role, boolean isWhole) {
      tell(() -> member.stopped(new IllegalStateException("the server of Ratis has ended")));
    }

    /** Makes the calls one at a time. */
    private synchronized void tell(Runnable call) {
      call.run();
    }
  }
}
