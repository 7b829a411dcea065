/** What holds between the modules, and between the modules, the documents and the BOM. */
@NullMarked
package io.howdah.verify.architecture;

import org.jspecify.annotations.NullMarked;
