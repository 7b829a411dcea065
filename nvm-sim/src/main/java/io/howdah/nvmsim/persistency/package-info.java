/**
 * Persistency models and what they cost: the order in which persists must become durable, its
 * critical path, and the races a model allows (<i>Memory Persistency</i>, ISCA 2014, §§5, 7). Start
 * at {@link io.howdah.nvmsim.persistency.PersistencyModel}; a new model is one class that
 * implements it. An analyser belongs to one thread.
 */
@NullMarked
package io.howdah.nvmsim.persistency;

import org.jspecify.annotations.NullMarked;
