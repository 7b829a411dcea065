package io.howdah.server.protocol;

import java.util.function.Consumer;

/** What a command of a line may ask of the connection's input behind the line. */
public interface TextInput {

  /** Waits for the value of a command, and for the line end behind it. */
  void awaitValue(StoreCommand command);

  /** Drops a number of bytes that will come. */
  void swallow(long bytes);

  /** Runs a command again in a later turn: too many large values are being read. */
  void retry(Consumer<Reply> command);

  /** Leaves the rest of the command at hand for later turns. */
  void continueWith(Continuation rest);
}
