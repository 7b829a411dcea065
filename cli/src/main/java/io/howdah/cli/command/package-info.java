/** What every command is built on: the shape of a group, and which sources are running. */
@NullMarked
package io.howdah.cli.command;

import org.jspecify.annotations.NullMarked;
