package io.howdah.txn;

import java.time.Duration;
import java.util.Optional;

/**
 * Where a store's checkpoints stand. The values are read one after the other while the store works,
 * so they fit together only roughly.
 *
 * @param taken checkpoints since the store was opened
 * @param running whether one is being taken
 * @param replayBytes of log that the next opening would read after a crash now
 * @param expectedRecovery how long that would take, at the rate that {@link
 *     StoreOptions#recoveryGoal} counts with
 * @param logBytes that the segments of the log take which that opening would need
 * @param maxLogBytes from which on no commit begins; see {@link StoreOptions#maxLogBytes(long)}
 * @param commitsHeld whether no commit begins because of that
 * @param holds how often that came about since the store was opened
 * @param failedAttempts attempts in a row that have failed since the last one that succeeded,
 *     because the disk is full or too many files are open; 0 if the last one succeeded. Another is
 *     made every second, without limit; meanwhile {@code logBytes} grows, up to {@code
 *     maxLogBytes}, where commits are refused
 * @param problem why the last of them failed, empty if none has
 * @param last what the last one did
 */
public record CheckpointStats(
    long taken,
    boolean running,
    long replayBytes,
    Duration expectedRecovery,
    long logBytes,
    long maxLogBytes,
    boolean commitsHeld,
    long holds,
    long failedAttempts,
    Optional<String> problem,
    Optional<CheckpointReport> last) {}
