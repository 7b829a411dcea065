package io.howdah.store.open;

import io.howdah.log.RedoLog;
import io.howdah.txn.stm.Lifecycle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stops a store for a cause.
 *
 * @param log stopped too, unless it is null
 */
public record StoreFailure(Lifecycle lifecycle, @Nullable RedoLog log)
    implements Consumer<Throwable> {

  @Override
  public void accept(Throwable cause) {
    lifecycle.fail(cause);
    if (log != null) {
      log.fail(cause);
    }
  }
}
