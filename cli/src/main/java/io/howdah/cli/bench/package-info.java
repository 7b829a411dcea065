/** The measuring commands; each is one class, named in {@link io.howdah.cli.bench.BenchCommand}. */
@NullMarked
package io.howdah.cli.bench;

import org.jspecify.annotations.NullMarked;
