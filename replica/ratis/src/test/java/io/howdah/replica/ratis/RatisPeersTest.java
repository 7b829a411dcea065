package io.howdah.replica.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.replica.consensus.Consensus;
import io.howdah.replica.consensus.Consensus.Position;
import io.howdah.replica.consensus.ConsensusProvider.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.proto.grpc.RaftServerProtocolServiceGrpc;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannelBuilder;
import org.apache.ratis.thirdparty.io.grpc.Server;
import org.apache.ratis.thirdparty.io.grpc.ServerBuilder;
import org.apache.ratis.thirdparty.io.grpc.stub.StreamObserver;
import org.apache.ratis.util.CodeInjectionForTesting;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What this adapter relies on in Ratis, with peers that say what a broken network makes of them.
 */
@Timeout(120)
class RatisPeersTest {

  private static final UUID GROUP = new UUID(3, 4);
  private static final long TERM = 5;
  private static final int COPIES = 100;
  private static final int LONG = 5;

  /** Where Ratis runs a test's code before the thread of its log takes anything. */
  private static final String LOG_THREAD = "SegmentedRaftLogWorker.runWorker";

  private static final int FORGOTTEN = 3;

  /** Errors behind which Ratis would by itself wait for seconds. */
  private static final int MANY_ERRORS = 40;

  /** Heartbeats after which the leader waits before each one. */
  private static final int REFUSALS = 3;

  private static final long LONG_NANOS = 40_000_000_000L;
  private static final long POLL_NANOS = 1_000_000;

  @TempDir private Path directory;

  private final Map<String, String> addresses = new TreeMap<>();

  private static final class Notes implements Consensus.Member {

    final CountDownLatch ready = new CountDownLatch(1);

    @Override
    public void committed(Position at, ByteBuffer entry) {}

    @Override
    public void leaderReady() {
      ready.countDown();
    }

    @Override
    public void notLeader(@Nullable String leader) {}

    @Override
    public void behind(long firstIndex) {}

    @Override
    public void stopped(Throwable cause) {}
  }

  private RatisConsensus startMember(Notes notes) throws IOException {
    for (String name : List.of("a", "b", "c")) {
      try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        addresses.put(name, "127.0.0.1:" + free.getLocalPort());
      }
    }
    RatisConsensus member =
        new RatisConsensus(
            new Settings(
                GROUP,
                addresses,
                "a",
                directory.resolve("raft"),
                Long.MAX_VALUE,
                () -> false,
                () -> {}));
    member.start(notes, Position.START);
    return member;
  }

  private int port(String name) {
    String address = Objects.requireNonNull(addresses.get(name));
    return Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }

  private static ByteString bytes(String name) {
    return ByteString.copyFrom(name, StandardCharsets.UTF_8);
  }

  private static RaftGroupIdProto group() {
    return RaftGroupIdProto.newBuilder().setId(RaftGroupId.valueOf(GROUP).toByteString()).build();
  }

  private static LogEntryProto entry(long index, long term) {
    return LogEntryProto.newBuilder()
        .setTerm(term)
        .setIndex(index)
        .setStateMachineLogEntry(
            StateMachineLogEntryProto.newBuilder()
                .setLogData(bytes("entry"))
                .setClientId(ByteString.copyFrom(new byte[16]))
                .setCallId(index))
        .build();
  }

  /** Asks the member to append entries, none of which is committed; a heartbeat has none. */
  private static AppendEntriesRequestProto append(long call, long first, int count) {
    return append(call, first, count, TERM);
  }

  /** The entry before has the same term, or is the first one of {@link #TERM}. */
  private static AppendEntriesRequestProto append(long call, long first, int count, long term) {
    AppendEntriesRequestProto.Builder request =
        AppendEntriesRequestProto.newBuilder()
            .setServerRequest(
                RaftRpcRequestProto.newBuilder()
                    .setRequestorId(bytes("b"))
                    .setReplyId(bytes("a"))
                    .setRaftGroupId(group())
                    .setCallId(call))
            .setLeaderTerm(term)
            .setLeaderCommit(RaftLog.INVALID_LOG_INDEX);
    if (first > 0) {
      request.setPreviousLog(
          TermIndexProto.newBuilder().setTerm(first == 1 ? TERM : term).setIndex(first - 1));
    }
    LongStream.range(first, first + count).forEach(index -> request.addEntries(entry(index, term)));
    return request.build();
  }

  /**
   * A leader whose connection broke sends again what may not have arrived, with what came behind.
   */
  @Test
  void aFollowerHasWhatItAcknowledgesWhenEntriesComeTwice() throws Exception {
    BlockingQueue<AppendEntriesReplyProto> replies = new LinkedBlockingQueue<>();
    try (RatisConsensus _ = startMember(new Notes())) {
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", port("a")).usePlaintext().build();
      try {
        StreamObserver<AppendEntriesRequestProto> leader =
            RaftServerProtocolServiceGrpc.newStub(channel).appendEntries(collect(replies));
        for (int i = 0; i < COPIES; i++) {
          long first = (long) i * LONG;
          leader.onNext(append(3L * i, first, 1));
          leader.onNext(append(3L * i + 1, first, LONG));
          assertThat(next(replies).getResult()).isEqualTo(AppendResult.SUCCESS);
          AppendEntriesReplyProto reply = next(replies);
          assertThat(reply.getResult()).isEqualTo(AppendResult.SUCCESS);
          assertThat(reply.getMatchIndex()).isEqualTo(first + LONG - 1);
          leader.onNext(append(3L * i + 2, first + LONG, 0));
          assertThat(next(replies).getResult())
              .as("a heartbeat behind the entry that was acknowledged")
              .isEqualTo(AppendResult.SUCCESS);
        }
      } finally {
        channel.shutdownNow();
      }
    }
  }

  /**
   * Two connections bring the same entries, and the log's thread is held before it writes them. The
   * second time the member's log holds other entries there, which are forced.
   */
  @Test
  void aFollowerAcknowledgesNoCopyOfEntriesThatAreNotForced() throws Exception {
    copiesBeforeTheForce(TERM, 0, -1);
    copiesBeforeTheForce(TERM + 1, 1, 0);
  }

  private void copiesBeforeTheForce(long term, long first, long kept) throws Exception {
    CountDownLatch forces = new CountDownLatch(1);
    CodeInjectionForTesting.put(
        LOG_THREAD,
        (_, _, _) -> {
          awaitUninterruptibly(forces);
          return true;
        });
    AppendEntriesRequestProto request = append(1, first, LONG - (int) first, term);
    try (RatisConsensus _ = startMember(new Notes())) {
      BlockingQueue<AppendEntriesReplyProto> formerReplies = new LinkedBlockingQueue<>();
      BlockingQueue<AppendEntriesReplyProto> replies = new LinkedBlockingQueue<>();
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", port("a")).usePlaintext().build();
      try {
        RaftServerProtocolServiceGrpc.RaftServerProtocolServiceStub stub =
            RaftServerProtocolServiceGrpc.newStub(channel);
        StreamObserver<AppendEntriesRequestProto> former =
            stub.appendEntries(collect(formerReplies));
        former.onNext(request);
        // A heartbeat behind the entries is refused until the log holds them.
        AppendEntriesRequestProto heartbeat = append(2, LONG, 0, term);
        do {
          former.onNext(heartbeat);
        } while (next(formerReplies).getResult() != AppendResult.SUCCESS);
        StreamObserver<AppendEntriesRequestProto> leader = stub.appendEntries(collect(replies));
        leader.onNext(request);
        AppendEntriesReplyProto before = next(replies);
        assertThat(before.getMatchIndex()).as("before the force").isEqualTo(kept);
        assertThat(before.getNextIndex()).as("what is to be sent next").isEqualTo(kept + 1);
        assertThat(formerReplies).isEmpty();
        forces.countDown();
        assertThat(next(formerReplies).getMatchIndex()).as("the former").isEqualTo(LONG - 1);
        leader.onNext(request);
        assertThat(next(replies).getMatchIndex()).as("behind the force").isEqualTo(LONG - 1);
      } finally {
        forces.countDown();
        channel.shutdownNow();
      }
    } finally {
      CodeInjectionForTesting.remove(LOG_THREAD);
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static AppendEntriesReplyProto next(BlockingQueue<AppendEntriesReplyProto> replies)
      throws InterruptedException {
    return Objects.requireNonNull(replies.poll(60, TimeUnit.SECONDS), "no reply");
  }

  private static <T> StreamObserver<T> collect(BlockingQueue<T> values) {
    return new StreamObserver<>() {
      @Override
      public void onNext(T value) {
        values.add(value);
      }

      @Override
      public void onError(Throwable cause) {}

      @Override
      public void onCompleted() {}
    };
  }

  /** A peer that votes for everybody and has a log of which only the length is known. */
  private static final class Follower
      extends RaftServerProtocolServiceGrpc.RaftServerProtocolServiceImplBase {

    private final String name;
    private long length; // guarded by this
    private int refusals; // guarded by this

    Follower(String name) {
      this.name = name;
    }

    synchronized long length() {
      return length;
    }

    synchronized int refusals() {
      return refusals;
    }

    synchronized void forget(int entries) {
      length -= entries;
    }

    private RaftRpcReplyProto reply(RaftRpcRequestProto request, boolean isSuccess) {
      return RaftRpcReplyProto.newBuilder()
          .setRequestorId(request.getRequestorId())
          .setReplyId(bytes(name))
          .setRaftGroupId(group())
          .setCallId(request.getCallId())
          .setSuccess(isSuccess)
          .build();
    }

    @Override
    public void requestVote(
        RequestVoteRequestProto request, StreamObserver<RequestVoteReplyProto> answer) {
      answer.onNext(
          RequestVoteReplyProto.newBuilder()
              .setServerReply(reply(request.getServerRequest(), true))
              .setTerm(request.getCandidateTerm())
              .build());
      answer.onCompleted();
    }

    @Override
    public StreamObserver<AppendEntriesRequestProto> appendEntries(
        StreamObserver<AppendEntriesReplyProto> answer) {
      return new StreamObserver<>() {
        @Override
        public void onNext(AppendEntriesRequestProto request) {
          AppendEntriesReplyProto reply = append(request);
          boolean isRefusedHeartbeat =
              reply.getIsHearbeat() && reply.getResult() == AppendResult.INCONSISTENCY;
          int times = isRefusedHeartbeat ? MANY_ERRORS : 1;
          for (int i = 0; i < times; i++) {
            answer.onNext(reply);
          }
        }

        @Override
        public void onError(Throwable cause) {}

        @Override
        public void onCompleted() {
          answer.onCompleted();
        }
      };
    }

    private synchronized AppendEntriesReplyProto append(AppendEntriesRequestProto request) {
      boolean isBehind = request.hasPreviousLog() && request.getPreviousLog().getIndex() >= length;
      long last = -1;
      if (isBehind) {
        refusals++;
      } else if (request.getEntriesCount() > 0) {
        last = request.getEntries(request.getEntriesCount() - 1).getIndex();
        length = Math.max(length, last + 1);
      }
      return AppendEntriesReplyProto.newBuilder()
          .setServerReply(reply(request.getServerRequest(), !isBehind))
          .setTerm(request.getLeaderTerm())
          .setNextIndex(length)
          .setResult(isBehind ? AppendResult.INCONSISTENCY : AppendResult.SUCCESS)
          .setMatchIndex(last)
          .setFollowerCommit(Math.min(request.getLeaderCommit(), length - 1))
          .setIsHearbeat(request.getEntriesCount() == 0)
          .build();
    }
  }

  private static Server serve(Follower follower, int port) throws IOException {
    return ServerBuilder.forPort(port).addService(follower).build().start();
  }

  /** However often a follower has refused what a leader sent, new entries bring what it lacks. */
  @Test
  void aFollowerThatHasRefusedHeartbeatsGetsWhatItLacks() throws Exception {
    Notes notes = new Notes();
    Follower healthy = new Follower("b");
    Follower forgetful = new Follower("c");
    try (RatisConsensus member = startMember(notes)) {
      Server b = serve(healthy, port("b"));
      Server c = serve(forgetful, port("c"));
      try {
        assertThat(notes.ready.await(60, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < FORGOTTEN; i++) {
          member.propose(ByteBuffer.allocate(100));
        }
        awaitLength(forgetful, 1 + FORGOTTEN);
        long length = forgetful.length();
        forgetful.forget(FORGOTTEN);
        awaitRefusals(forgetful);
        member.propose(ByteBuffer.allocate(100));
        awaitLength(forgetful, length + 1);
      } finally {
        b.shutdownNow();
        c.shutdownNow();
      }
    }
  }

  private static void awaitRefusals(Follower follower) {
    long began = System.nanoTime();
    while (follower.refusals() < REFUSALS) {
      assertThat(System.nanoTime() - began).as("until heartbeats").isLessThan(LONG_NANOS);
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private static void awaitLength(Follower follower, long length) {
    long began = System.nanoTime();
    while (follower.length() < length) {
      assertThat(System.nanoTime() - began)
          .as("until the peer has %d entries", length)
          .isLessThan(LONG_NANOS);
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
