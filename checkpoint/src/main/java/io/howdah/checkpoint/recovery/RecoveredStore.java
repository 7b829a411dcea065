package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Region;
import io.howdah.log.commit.LogStart;

/**
 * A store's memory after recovery, and where its log goes on. The superblock already says so, and
 * names no rings yet: rings and the first segment of the generation come first, then a superblock
 * that names the rings, then commits.
 *
 * @param region the recovered words, but for those that are still to be replayed; the caller closes
 *     it
 * @param dirty the pages that differ from the image; the caller closes it
 * @param logStart for {@link io.howdah.log.RedoLog#start}
 * @param replay of what is not in the region yet: every word is {@linkplain DeferredReplay#require
 *     required} before it is read or written, and all are replayed before a checkpoint is taken;
 *     the caller starts or finishes it, and closes it before the region
 * @param lastLsn the largest dense LSN that survived; {@code report} tells of the largest one seen
 * @param report of what happened
 */
public record RecoveredStore(
    Region region,
    DirtyPages dirty,
    LogStart logStart,
    DeferredReplay replay,
    long lastLsn,
    RecoveryReport report) {}
