package io.howdah.replica.node;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a node gets snapshots of other members. Thread-safe. */
public interface SnapshotSource {

  /**
   * Returns the names of the members to ask, in this order.
   *
   * @param leader name of the leader, if it is known: it keeps the log behind a snapshot for a time
   */
  List<String> members(@Nullable String leader);

  /**
   * Asks a member for a snapshot.
   *
   * @return what {@link ReplicaNode#writeSnapshot} writes there; the caller closes it
   * @throws IOException if the member does not answer, or has none
   */
  InputStream open(String member) throws IOException;
}
