/**
 * Makes and reads archives (docs/protocol.md, section 13). Start reading at {@link
 * io.howdah.store.archive.ArchiveThread}, which copies, and {@link
 * io.howdah.store.archive.ArchiveIndex}, which finds what an archive has.
 */
@NullMarked
package io.howdah.store.archive;

import org.jspecify.annotations.NullMarked;
