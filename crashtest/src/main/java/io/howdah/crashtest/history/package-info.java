/**
 * Histories of concurrent transactions and of collections, recorded with real threads and judged
 * afterwards. Start at {@link io.howdah.crashtest.history.Histories}.
 */
@NullMarked
package io.howdah.crashtest.history;

import org.jspecify.annotations.NullMarked;
