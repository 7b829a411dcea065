/**
 * What the measuring commands compute: each study runs its workloads in turns and returns records.
 * A command prints them and writes them as metrics.
 */
@NullMarked
package io.howdah.jmh.study;

import org.jspecify.annotations.NullMarked;
