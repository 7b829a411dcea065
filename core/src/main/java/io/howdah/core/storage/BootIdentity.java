package io.howdah.core.storage;

/**
 * One run of the kernel. Equal identities mean that the machine was not restarted in between; they
 * do not prove that unforced file contents survived (docs/protocol.md, R27).
 */
public record BootIdentity(long high, long low) {

  /** Equal to no real boot, itself included where {@link #matches} is asked. */
  public static final BootIdentity UNKNOWN = new BootIdentity(0, 0);

  /** Returns whether both are known and the same. */
  public boolean matches(BootIdentity other) {
    return (high != 0 || low != 0) && high == other.high && low == other.low;
  }
}
