/**
 * Exports: the named structures of a store in one file, in the format of {@link
 * io.howdah.core.layout.ExportLayout}. Start at {@link io.howdah.store.export.StoreExport} and
 * {@link io.howdah.store.export.StoreImport}.
 */
@NullMarked
package io.howdah.store.export;

import org.jspecify.annotations.NullMarked;
