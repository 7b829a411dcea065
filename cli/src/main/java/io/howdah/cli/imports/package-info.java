/**
 * Imports of maps that other embedded stores keep. {@link io.howdah.cli.imports.ForeignStores} is
 * the port of the libraries that read them, {@link io.howdah.cli.imports.MapImport} the copy.
 */
@NullMarked
package io.howdah.cli.imports;

import org.jspecify.annotations.NullMarked;
