/**
 * The two address translation tables and the slots that hold versions: {@link
 * io.howdah.nvmsim.thynvm.table.BlockTable} (BTT), {@link io.howdah.nvmsim.thynvm.table.PageTable}
 * (PTT) and {@link io.howdah.nvmsim.thynvm.table.VersionSlots}. They know states and places, but
 * not when a state may change; that is the controllers'. Nothing allocates after construction. For
 * one thread.
 */
@NullMarked
package io.howdah.nvmsim.thynvm.table;

import org.jspecify.annotations.NullMarked;
