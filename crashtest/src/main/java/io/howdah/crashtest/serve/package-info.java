/**
 * The server as a process that is killed, seen through its socket alone. Start at {@link
 * io.howdah.crashtest.serve.ServerProcess}.
 */
@NullMarked
package io.howdah.crashtest.serve;

import org.jspecify.annotations.NullMarked;
