import io.howdah.nvmsim.loc.CoreConfig;
import io.howdah.nvmsim.loc.OwnProtocol;
import io.howdah.nvmsim.loc.ProtocolProvider;
import io.howdah.nvmsim.loc.TransactionCore;
import java.util.Set;

/**
 * Undo logging: the old content of a line is durable in the log before the line changes. A commit
 * writes the lines home, waits, and marks the log as not needed any more.
 */
public final class UndoLog implements ProtocolProvider {
  @Override
  public String name() {
    return "undo";
  }

  @Override
  public TransactionCore create(CoreConfig config, int degree) {
    return new OwnProtocol(config) {
      @Override
      protected void firstStore(long line) {
        writeLog();
        // The cache may evict the changed line home at any time.
        awaitDurable();
      }

      @Override
      protected void commitLines(Set<Long> changed) {
        changed.forEach(this::writeHome);
        awaitDurable();
        writeLog();
        awaitDurable();
      }
    };
  }
}
