import io.howdah.nvmsim.loc.Contents;
import io.howdah.nvmsim.loc.CoreConfig;
import io.howdah.nvmsim.loc.OwnProtocol;
import io.howdah.nvmsim.loc.ProtocolProvider;
import io.howdah.nvmsim.loc.RecoveryMemory;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Undo logging: the old content of a line is durable in the log before the line changes. A commit
 * writes the lines home, waits, and marks the transaction as finished.
 *
 * <pre>
 *   log line 0       mark: word 0 = the last finished transaction
 *   log line 1 + 2i  entry i: word 0 = transaction (32 bits) | line (32 bits), 0 if never used
 *   log line 2 + 2i  the line's old content
 * </pre>
 */
public final class UndoLog implements ProtocolProvider {
  @Override
  public String name() {
    return "undo";
  }

  @Override
  public OwnProtocol create(CoreConfig config, int degree, Contents contents) {
    return new Core(config, contents);
  }

  @Override
  public boolean recovers() {
    return true;
  }

  /** Brings the old contents of the unfinished transaction home, and marks it as finished. */
  @Override
  public void recover(RecoveryMemory memory) {
    long unfinished = memory.logWord(0, 0) + 1;
    for (int entry = 1; entry + 1 < memory.logLines(); entry += 2) {
      long tag = memory.logWord(entry, 0);
      if (tag >>> 32 == unfinished) {
        memory.writeHome(tag & 0xFFFF_FFFFL, memory.logContent(entry + 1));
      }
    }
    memory.awaitDurable();
    memory.writeLog(0, unfinished);
    memory.awaitDurable();
  }

  private static final class Core extends OwnProtocol {
    private final Map<Long, long[]> old = new HashMap<>();

    Core(CoreConfig config, Contents contents) {
      super(config, contents);
      firstTxId(logWord(0, 0) + 1);
    }

    @Override
    protected void firstStore(long txId, long line) {
      int entry = 1 + 2 * old.size();
      long[] content = content(line);
      old.put(line, content);
      writeLog(entry + 1, content);
      // An entry must not name a content that is not there.
      awaitDurable();
      writeLog(entry, txId << 32 | line);
      // The cache may evict the changed line home at any time.
      awaitDurable();
    }

    @Override
    protected void commitLines(long txId, Set<Long> changed) {
      changed.forEach(this::writeHome);
      finish(txId);
    }

    @Override
    protected void abortLines(long txId, Set<Long> changed) {
      old.forEach(this::setContent);
      changed.forEach(this::writeHome);
      finish(txId);
    }

    private void finish(long txId) {
      awaitDurable();
      writeLog(0, txId);
      awaitDurable();
      durable(txId);
      old.clear();
    }
  }
}
