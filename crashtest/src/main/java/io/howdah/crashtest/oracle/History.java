package io.howdah.crashtest.oracle;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Every transaction ever tried on a store, over all its openings, and the judgement of what each
 * opening returned.
 *
 * <p>Each transaction has a mark, a word of its own that it writes, so that the marks tell exactly
 * which transactions a recovered store holds; and it writes its number into cells that it shares
 * with others, so that these tell whose write came last.
 *
 * <p>What an opening returned is right if
 *
 * <ul>
 *   <li>it holds every transaction it had to: after a kill all that had returned, after a power cut
 *       all that were acknowledged as durable, and in either case all that an earlier opening
 *       served;
 *   <li>it holds none that was refused, or that an earlier opening had discarded;
 *   <li>it holds what a transaction that only read had seen, if that one's result was acknowledged;
 *   <li>it holds whatever a transaction in it had read from, and overwritten after reading;
 *   <li>of each cell, the value is that of the last writer it holds, in the order of LSNs;
 *   <li>in that order every transaction reads what it had read (so the state is that of a serial
 *       execution).
 * </ul>
 *
 * <p>Attempts are made by any thread; judging is for one thread, with the store at rest.
 */
public final class History {

  /** The writer of what a cell holds at first. */
  public static final long NOBODY = 0;

  private final Map<Long, Attempt> attempts = new LinkedHashMap<>();
  private final Set<Long> served = new HashSet<>();
  private final Set<Long> discarded = new HashSet<>();
  private long lastId;

  /** Creates an empty history. */
  public History() {}

  /**
   * Returns a history of the same transactions that no opening has been judged by: for openings of
   * several disks that one crash may have left.
   */
  public synchronized History unjudged() {
    History copy = new History();
    copy.attempts.putAll(attempts);
    copy.lastId = lastId;
    return copy;
  }

  /**
   * Starts a transaction; its number counts from 1.
   *
   * @param readOnly whether it writes nothing, not even a mark
   */
  public synchronized Attempt begin(boolean readOnly) {
    Attempt attempt = new Attempt(++lastId, readOnly);
    attempts.put(attempt.id(), attempt);
    return attempt;
  }

  /** Returns how many transactions were tried. */
  public synchronized long size() {
    return attempts.size();
  }

  /** How the opening that is judged had ended before. */
  public enum Ending {
    /** The process died, the machine ran on, and its rings were kept. */
    KILLED,
    /** The machine lost power, or otherwise lost what was not forced. */
    POWER_CUT,
    /** The store was closed. */
    CLOSED
  }

  /**
   * Judges what an opening returned.
   *
   * @param marked numbers of the transactions whose mark is there
   * @param cells number of the transaction found in each cell
   * @throws Violation if it is not a state that the store may return
   */
  public void judge(Ending ending, Set<Long> marked, List<Long> cells) {
    for (Attempt attempt : attempts.values()) {
      judge(attempt, ending, marked);
    }
    for (long id : marked) {
      Attempt attempt = attempts.get(id);
      if (attempt == null) {
        throw new Violation("the store holds T" + id + ", which was never tried");
      }
      for (long source : attempt.reads().values()) {
        if (source != NOBODY && !marked.contains(source)) {
          throw new Violation(attempt + " survived, but read from T" + source + ", which did not");
        }
      }
      judgeReads(attempt, marked);
    }
    judgeOrder(marked, cells);
    for (Attempt attempt : attempts.values()) {
      boolean survived =
          attempt.isReadOnly()
              ? marked.containsAll(attempt.reads().values())
              : marked.contains(attempt.id());
      (survived ? served : discarded).add(attempt.id());
    }
  }

  private void judge(Attempt attempt, Ending ending, Set<Long> marked) {
    long id = attempt.id();
    if (attempt.isReadOnly()) {
      judgeResult(attempt, ending, marked);
      return;
    }
    boolean isThere = marked.contains(id);
    if (isThere && discarded.contains(id)) {
      throw new Violation(attempt + " had been discarded by an earlier opening and is back");
    }
    if (isThere && attempt.progress() == Attempt.Progress.REFUSED) {
      throw new Violation(attempt + " was refused, and happened");
    }
    if (isThere) {
      return;
    }
    if (served.contains(id)) {
      throw new Violation(attempt + " was served by an earlier opening and is lost");
    }
    if (isDue(attempt, ending) && !discarded.contains(id)) {
      throw new Violation(attempt + " is lost after " + ending);
    }
  }

  private static boolean isDue(Attempt attempt, Ending ending) {
    return switch (attempt.progress()) {
      case DURABLE -> true;
      case RETURNED -> ending != Ending.POWER_CUT;
      case UNKNOWN, REFUSED -> false;
    };
  }

  /** What was shown to somebody must have happened. */
  private void judgeResult(Attempt reader, Ending ending, Set<Long> marked) {
    if (!isDue(reader, ending) || discarded.contains(reader.id())) {
      return;
    }
    for (long source : reader.reads().values()) {
      if (source != NOBODY && !marked.contains(source)) {
        throw new Violation(
            reader + " was answered with the write of T" + source + ", which is lost");
      }
    }
  }

  /**
   * Checks the order among those that survived. Where a commit returned, its LSN is known; for the
   * others the order follows from what reads found.
   */
  private void judgeOrder(Set<Long> marked, List<Long> cells) {
    for (int cell = 0; cell < cells.size(); cell++) {
      long last = cells.get(cell);
      if (last != NOBODY && !marked.contains(last)) {
        throw new Violation(
            "cell " + cell + " holds the write of T" + last + ", which did not survive");
      }
      Map<Long, Long> successors = new LinkedHashMap<>();
      Collection<Attempt> writers = writersOf(cell, marked);
      for (Attempt writer : writers) {
        Long source = writer.reads().get(cell);
        if (source == null) {
          continue;
        }
        Long other = successors.put(source, writer.id());
        if (other != null) {
          throw new Violation(
              "T"
                  + other
                  + " and T"
                  + writer.id()
                  + " both overwrote what T"
                  + source
                  + " had written to"
                  + " cell "
                  + cell
                  + ": one update is lost");
        }
      }
      if (successors.containsKey(last)) {
        throw new Violation(
            "cell "
                + cell
                + " holds the write of T"
                + last
                + ", which T"
                + successors.get(last)
                + " overwrote");
      }
      judgeByLsn(cell, last, writers);
    }
  }

  private void judgeByLsn(int cell, long last, Collection<Attempt> writers) {
    Attempt lastWriter = attempts.get(last);
    if (last != NOBODY && lastWriter != null && lastWriter.lsn() == 0) {
      return; // it never returned, so its place in the order is known from reads alone
    }
    long lastLsn = lastWriter == null ? 0 : lastWriter.lsn();
    for (Attempt writer : writers) {
      if (writer.lsn() > lastLsn) {
        throw new Violation(
            "cell "
                + cell
                + " holds the write of T"
                + last
                + " (LSN "
                + lastLsn
                + "), but "
                + writer
                + " survived and came later");
      }
    }
  }

  /** Checks that a transaction read, of each cell, what the last writer before it had written. */
  private void judgeReads(Attempt reader, Set<Long> marked) {
    if (reader.lsn() == 0) {
      return;
    }
    reader
        .reads()
        .forEach(
            (cell, source) -> {
              Attempt read = attempts.get(source);
              long readLsn = read == null ? 0 : read.lsn();
              if (source != NOBODY && readLsn == 0) {
                return;
              }
              if (readLsn >= reader.lsn()) {
                throw new Violation(reader + " read from " + read + ", which came later");
              }
              for (Attempt between : writersOf(cell, marked)) {
                if (between.lsn() > readLsn && between.lsn() < reader.lsn()) {
                  throw new Violation(
                      reader
                          + " did not see the write of "
                          + between
                          + " to cell "
                          + cell
                          + ", which came before it");
                }
              }
            });
  }

  private Collection<Attempt> writersOf(int cell, Set<Long> marked) {
    List<Attempt> writers = new ArrayList<>();
    for (long id : marked) {
      Attempt attempt = attempts.get(id);
      if (attempt != null && attempt.isWriterOf(cell)) {
        writers.add(attempt);
      }
    }
    return writers;
  }
}
