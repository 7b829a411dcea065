/** The measuring commands; each is one class, named in {@link io.howdah.lab.bench.BenchCommand}. */
@NullMarked
package io.howdah.lab.bench;

import org.jspecify.annotations.NullMarked;
