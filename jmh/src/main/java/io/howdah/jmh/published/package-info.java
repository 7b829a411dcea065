/**
 * Small models of how Hathi works as it was published (Saxena et al., DaMoN 2012), to compare the
 * product with. The product has no switch for any of this.
 *
 * <ul>
 *   <li>{@link io.howdah.jmh.published.PublishedWords}: six random words in a volatile store, each
 *       commit logged by {@link io.howdah.jmh.published.PublishedLog}, a log of each thread's own;
 *   <li>{@link io.howdah.jmh.published.CheckpointScheme}: how many bytes a checkpoint writes that
 *       copies pages, or lines, or all that was ever used.
 * </ul>
 *
 * <p>What no model covers (vacation on a log of each thread's own, unchecked partition commits in a
 * store that recovers) is measured with the build of commit {@code d4103fef}.
 */
@NullMarked
package io.howdah.jmh.published;

import org.jspecify.annotations.NullMarked;
