/**
 * Crash checks of the persistent queues: every queue under every persistency model, in every
 * schedule of a small run, and with each persist barrier left out in turn. Start at {@link
 * io.howdah.nvmsim.crash.queue.CrashCampaign}. For one thread.
 */
@NullMarked
package io.howdah.nvmsim.crash.queue;

import org.jspecify.annotations.NullMarked;
