package io.howdah.replica.ratis;

import io.howdah.core.CorruptStoreException;
import io.howdah.replica.consensus.Consensus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
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
import org.apache.ratis.protocol.SnapshotManagementRequest;
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
  private static final int MESSAGE_BYTES = 64 << 20;
  private static final long SNAPSHOT_MILLIS = 10_000;

  static {
    // Netty, inside of Ratis, tries native code and Unsafe first, and the JDK warns of both.
    for (String without :
        List.of(
            "io.netty.noUnsafe", "io.netty.transport.noNative", "io.netty.handler.ssl.noOpenSsl")) {
      System.setProperty("org.apache.ratis.thirdparty." + without, "true");
    }
  }

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
   * @param group id of the group
   * @param peers address of each member, host and port, by its name
   * @param name of this member
   * @param directory for the log; created if absent. A directory that is lost or older than it was
   *     must never be used under the same name: it has forgotten votes and entries
   */
  public RatisConsensus(UUID group, Map<String, String> peers, String name, Path directory) {
    this(group, peers, name, directory, SEGMENT_BYTES);
  }

  /** Creates a member with shorter segments, for tests. */
  RatisConsensus(
      UUID group, Map<String, String> peers, String name, Path directory, int segmentBytes) {
    this.segmentBytes = segmentBytes;
    this.name = name;
    this.directory = directory;
    this.group =
        RaftGroup.valueOf(
            RaftGroupId.valueOf(group),
            peers.entrySet().stream()
                .map(
                    peer ->
                        RaftPeer.newBuilder()
                            .setId(peer.getKey())
                            .setAddress(peer.getValue())
                            .build())
                .toArray(RaftPeer[]::new));
    RaftPeer found = this.group.getPeer(RaftPeerId.valueOf(name));
    if (found == null) {
      throw new IllegalArgumentException(name + " is not a member of " + peers.keySet());
    }
    this.self = found;
  }

  @Override
  public synchronized void start(Member member, Position behind) {
    try {
      boolean isNew = isEmpty(directory);
      if (isNew && behind.index() > 0) {
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
      Handover handover =
          new Handover(member, start(behind, RaftLogGuard.check(log, APPEND_BYTES)));
      this.handover = handover;
      RaftServer started =
          RaftServer.newBuilder()
              .setServerId(self.getId())
              .setGroup(group)
              .setStateMachine(handover)
              .setProperties(properties())
              .setOption(
                  isNew ? RaftStorage.StartupOption.FORMAT : RaftStorage.StartupOption.RECOVER)
              .build();
      server = started;
      started.start();
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
    // Each entry is forced before it counts for the majority, and nothing else is written for it.
    RaftServerConfigKeys.Log.setForceSyncNum(properties, 1);
    RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, false);
    RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, false);
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    RaftServerConfigKeys.Log.setCorruptionPolicy(
        properties, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
    // A snapshot is a checkpoint of the node; see checkpointed.
    RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, false);
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, false);
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
    return properties;
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
      // The answer is of no use: a committed entry is handed over, and a lost leader is told.
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
    handover.durableIndex = position.index();
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
    private final @Nullable TermIndex start;

    /** Index of the last entry that the member needs no more. */
    volatile long durableIndex = RaftLog.INVALID_LOG_INDEX;

    Handover(Member member, @Nullable TermIndex start) {
      this.member = member;
      this.start = start;
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId id, RaftStorage storage)
        throws IOException {
      super.initialize(server, id, storage);
      TermIndex start = this.start;
      if (start != null) {
        setLastAppliedTermIndex(start);
      }
    }

    @Override
    public @Nullable SnapshotInfo getLatestSnapshot() {
      TermIndex start = this.start;
      return start == null ? null : new Start(start, List.of());
    }

    @Override
    public long takeSnapshot() {
      return durableIndex;
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
