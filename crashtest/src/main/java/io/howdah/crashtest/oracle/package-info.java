/**
 * The oracle: what transactions did, and whether what a recovery returned is a state the store was
 * allowed to return. It knows nothing of how the engine works. Start at {@link
 * io.howdah.crashtest.oracle.History}.
 */
@NullMarked
package io.howdah.crashtest.oracle;

import org.jspecify.annotations.NullMarked;
