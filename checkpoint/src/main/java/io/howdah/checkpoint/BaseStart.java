package io.howdah.checkpoint;

import io.howdah.core.superblock.Superblock;

/**
 * The state from which a base of an archive starts.
 *
 * @param superblock after a checkpoint, which is folded. The log from its oldest batch on contains
 *     every commit whose effects the image may lack
 * @param imageEndBytes end of the part of the image that was ever written
 */
public record BaseStart(Superblock superblock, long imageEndBytes) {}
