/**
 * Reads the files of other embedded stores by their own libraries, for {@code howdah import}. Start
 * at {@link io.howdah.importers.MvStoreFiles}. Each kind opens for reading alone, reads entries in
 * an order that stays, and creates no object of a class that a file names.
 */
@NullMarked
package io.howdah.importers;

import org.jspecify.annotations.NullMarked;
