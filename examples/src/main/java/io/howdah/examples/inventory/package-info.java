/** An event loop that answers when an answer is durable, and never waits. */
@NullMarked
package io.howdah.examples.inventory;

import org.jspecify.annotations.NullMarked;
