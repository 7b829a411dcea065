/**
 * Servers that run as processes of their own while they are measured, and what the kernel counts of
 * them. Linux only. Start with {@link io.howdah.jmh.process.ServerProcess}.
 */
@NullMarked
package io.howdah.jmh.process;

import org.jspecify.annotations.NullMarked;
