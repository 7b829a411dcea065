/**
 * Replica groups of three processes, with the network between them: a demo with a judge, and
 * measurements.
 */
@NullMarked
package io.howdah.replica.command.lab;

import org.jspecify.annotations.NullMarked;
