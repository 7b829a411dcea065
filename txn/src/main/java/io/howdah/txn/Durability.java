package io.howdah.txn;

/**
 * What a commit has survived by the time it returns.
 *
 * <table>
 * <caption>What survives, by failure</caption>
 * <tr><th></th><th>process kill</th><th>crash of the operating system, power cut</th></tr>
 * <tr><th>{@link #SYNC}</th>
 *   <td>every commit that returned</td>
 *   <td>every commit that returned, and all commits before it</td></tr>
 * <tr><th>{@link #PARTITION}</th>
 *   <td>every commit that returned</td>
 *   <td>every commit that returned, and all that it depends on</td></tr>
 * <tr><th>{@link #ASYNC}</th>
 *   <td>every commit that returned</td>
 *   <td>every commit up to the stable LSN, and those after it whose records reached the disk
 *     together with all that they depend on</td></tr>
 * </table>
 *
 * <p>Either way, the store found after a failure is the result of running a set of committed
 * transactions one after the other, in LSN order, each in full: no transaction is found in part,
 * and none without those it read from.
 *
 * <p>A result that leaves a transaction without writes, or that an exception carries out, may rest
 * on commits that are not durable yet. Under {@code SYNC} and {@code PARTITION} it is handed out
 * only when they are. A wait that takes too long ends with {@code NotYetDurableException}.
 *
 * <p>A process kill keeps the operating system's memory, and with it the rings that hold records
 * not yet forced. Where that memory itself is lost with the process, as when a container is
 * replaced together with its {@code /dev/shm}, the column of the power cut applies.
 *
 * <p>A store in memory ({@code Store.inMemory}) survives nothing, whatever the mode.
 */
public enum Durability {

  /** Returns when the commit and all before it are forced to the disk. */
  SYNC,

  /**
   * Returns when the log partition that holds the commit is forced up to its record, and so is
   * whatever it depends on: the commits whose data it has read or overwritten, theirs, and so on.
   * Commits of other threads that it has nothing to do with are not waited for, and may be lost
   * although they are older; {@code StoreDurability.isStable} may be false for it although it is
   * durable.
   *
   * <p>Dependencies are tracked by ownership records, which stand for stripes of 32 bytes and are
   * shared by hash, and by partition: a commit that looks dependent without being so waits a little
   * longer, and that is all.
   */
  PARTITION,

  /**
   * Returns when the commit's record is in memory that outlives the process; the force follows
   * within the group commit interval. {@code StoreDurability.isStable} and {@code awaitStable} tell
   * when.
   */
  ASYNC
}
