/** A node of a replica group: follower, leader, and the change between them. */
@NullMarked
package io.howdah.replica.node;

import org.jspecify.annotations.NullMarked;
