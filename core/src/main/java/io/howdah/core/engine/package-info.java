/**
 * What the threads of the engine have in common: their start and their orderly end, and buffers
 * outside of the heap that are freed at once. Exported to the modules of the engine alone.
 *
 * <p>Start reading at {@link io.howdah.core.engine.EngineThread}.
 */
@NullMarked
package io.howdah.core.engine;

import org.jspecify.annotations.NullMarked;
