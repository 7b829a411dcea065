/**
 * A member of a replica group as a program opens it. Start at {@link
 * io.howdah.replica.store.ReplicatedStore}.
 */
@NullMarked
package io.howdah.replica.store;

import org.jspecify.annotations.NullMarked;
