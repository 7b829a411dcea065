package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.WarmMemory;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Region;
import io.howdah.log.commit.LogStart;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a store after its recovery, and the start of its next log. The superblock has the
 * new generation, and names no rings yet. The caller next creates rings and the first segment of
 * the generation, then writes a superblock that names the rings, then accepts commits.
 *
 * @param region the recovered words, except those that {@code replay} has; the caller closes it
 * @param dirty the pages that differ from the image; the caller closes it
 * @param logStart for {@link io.howdah.log.RedoLog#start}
 * @param replay the words that are not in the region yet. Every word is {@linkplain
 *     DeferredReplay#require required} before it is read or written, and all are replayed before
 *     the first checkpoint. The caller starts or finishes it, and closes it before the region
 * @param lastLsn the largest dense LSN that survived; {@code report} has the largest one of any
 *     record
 * @param warm the memory of the region if it outlives the process, or null. The caller makes it the
 *     opening's own before it writes the superblock that names the rings, and closes it last
 * @param report of this recovery
 */
public record RecoveredStore(
    Region region,
    DirtyPages dirty,
    LogStart logStart,
    DeferredReplay replay,
    long lastLsn,
    @Nullable WarmMemory warm,
    RecoveryReport report) {}
