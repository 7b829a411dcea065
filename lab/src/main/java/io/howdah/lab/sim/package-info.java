/**
 * {@code howdah sim}: reproduces the papers with the simulator of non-volatile memory. The
 * simulator returns data; tables, plots and files are made here.
 */
@NullMarked
package io.howdah.lab.sim;

import org.jspecify.annotations.NullMarked;
