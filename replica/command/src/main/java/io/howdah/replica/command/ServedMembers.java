package io.howdah.replica.command;

import io.howdah.replica.store.ReplicaGroup;
import io.howdah.server.net.GroupMember;
import java.nio.file.Path;

/** Opens members of replica groups for {@code howdah serve --replica}. */
public final class ServedMembers implements GroupMember.Provider {

  /** Creates it, for {@link java.util.ServiceLoader}. */
  public ServedMembers() {}

  @Override
  public GroupMember open(Path directory, Path group, String name) {
    ReplicaGroup members = ReplicaGroup.read(group);
    if (members.relay().isEmpty()) {
      throw new IllegalArgumentException(
          group
              + ": servers pass connections to the leader, so all members need an address"
              + " relay.NAME");
    }
    return new ServedMember(directory, members, name);
  }
}
