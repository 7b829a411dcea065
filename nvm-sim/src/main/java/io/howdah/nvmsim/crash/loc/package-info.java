/**
 * Power cuts in the middle of the protocols of {@link io.howdah.nvmsim.loc}: a tape of what went to
 * memory, the states a cut may leave, and recovery on each of them. Start at {@link
 * io.howdah.nvmsim.crash.loc.PowerCuts}. For one thread.
 */
@NullMarked
package io.howdah.nvmsim.crash.loc;

import org.jspecify.annotations.NullMarked;
