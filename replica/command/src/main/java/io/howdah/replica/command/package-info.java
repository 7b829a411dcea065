/** The command {@code howdah replica}: members of groups. */
@NullMarked
package io.howdah.replica.command;

import org.jspecify.annotations.NullMarked;
