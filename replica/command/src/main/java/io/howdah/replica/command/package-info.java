/** The command {@code howdah replica}: members of groups, and a demo. */
@NullMarked
package io.howdah.replica.command;

import org.jspecify.annotations.NullMarked;
