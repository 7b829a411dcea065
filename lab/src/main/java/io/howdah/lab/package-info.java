/**
 * The {@code howdah} command for engineers: {@code Main} adds demo, measurements, tests and
 * simulations to the commands for stores and servers.
 */
@NullMarked
package io.howdah.lab;

import org.jspecify.annotations.NullMarked;
