package io.howdah.nvmsim.loc;

/**
 * Makes a transaction protocol of your own: found by {@link java.util.ServiceLoader}, or run with
 * {@link TraceRun#of}. {@link OwnProtocol} is the usual base of such a protocol.
 */
public interface ProtocolProvider {
  /** Short name, as the report has it. */
  String name();

  /**
   * Creates a core that runs the protocol.
   *
   * @param config the machine
   * @param degree transactions per speculation window, for protocols that have one
   */
  TransactionCore create(CoreConfig config, int degree);
}
