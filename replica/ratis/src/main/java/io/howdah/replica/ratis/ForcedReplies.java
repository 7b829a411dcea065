package io.howdah.replica.ratis;

import java.util.function.LongSupplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;

/**
 * Lowers what this member acknowledges to what it has forced. Ratis acknowledges a copy of entries
 * that it has already at once, though the former may not be forced yet. The leader learns of the
 * rest by the reply to a later entry.
 *
 * <p>Thread-safe.
 */
final class ForcedReplies implements ServerInterceptor {

  private final LongSupplier forced;

  /**
   * Creates the interceptor.
   *
   * @param forced index of the last entry that is forced, with all before it
   */
  ForcedReplies(LongSupplier forced) {
    this.forced = forced;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    return next.startCall(
        new SimpleForwardingServerCall<Q, A>(call) {
          @Override
          @SuppressWarnings("unchecked") // a reply has the type of the one that takes its place
          public void sendMessage(A message) {
            super.sendMessage(
                message instanceof AppendEntriesReplyProto reply ? (A) lower(reply) : message);
          }
        },
        headers);
  }

  private AppendEntriesReplyProto lower(AppendEntriesReplyProto reply) {
    // A heartbeat and a refusal acknowledge nothing: they have no such index.
    if (reply.getMatchIndex() < 0) {
      return reply;
    }
    long forced = this.forced.getAsLong();
    return reply.getMatchIndex() <= forced
        ? reply
        : reply.toBuilder().setMatchIndex(forced).setNextIndex(forced + 1).build();
  }
}
