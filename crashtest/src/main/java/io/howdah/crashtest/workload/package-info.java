/**
 * Short workloads, each a sequence of operations of a store, and what the store must hold after a
 * crash or a fault in any of them. Start at {@link io.howdah.crashtest.workload.SmallWorkload}.
 */
@NullMarked
package io.howdah.crashtest.workload;

import org.jspecify.annotations.NullMarked;
