/** The demo of a replica group: three processes, the network between them, and a judge. */
@NullMarked
package io.howdah.replica.command.demo;

import org.jspecify.annotations.NullMarked;
