package io.howdah.cli.entries;

import io.howdah.StoreInspection;
import io.howdah.objects.Orphans;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a store holds, as a tree of JSON. */
final class InspectionTree {

  private InspectionTree() {}

  static Map<String, Object> of(StoreInspection found) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("structures", found.collections().stream().map(InspectionTree::structure).toList());
    tree.put("types", found.types());
    tree.put("roots", found.roots());
    tree.put("nameBytes", found.nameBytes());
    tree.put("blocks", found.blocks());
    tree.put("blockBytes", found.blockBytes());
    tree.put("freeBytes", found.freeBytes());
    tree.put("reclaimableBytes", found.reclaimableBytes());
    tree.put("capacityBytes", found.capacityBytes());
    return tree;
  }

  static Map<String, Object> orphans(Orphans each) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("type", each.type());
    tree.put("objects", each.count());
    tree.put("bytes", each.bytes());
    tree.put("addresses", each.addresses());
    return tree;
  }

  private static Map<String, Object> structure(StoreInspection.Collection each) {
    Map<String, Object> tree = brief(each);
    tree.put("blocks", each.blocks());
    if (!each.levels().isEmpty()) {
      tree.put("levels", each.levels().stream().map(InspectionTree::level).toList());
    }
    each.cache().ifPresent(bound -> tree.put("cache", cache(bound)));
    return tree;
  }

  private static Map<String, Object> cache(StoreInspection.CacheBound bound) {
    Map<String, Object> tree = new LinkedHashMap<>();
    if (bound.maxBytes() != Long.MAX_VALUE) {
      tree.put("maxBytes", bound.maxBytes());
    }
    if (bound.maxEntries() != Long.MAX_VALUE) {
      tree.put("maxEntries", bound.maxEntries());
    }
    tree.put("usedBytes", bound.usedBytes());
    tree.put("evictions", bound.evictions());
    return tree;
  }

  /** Returns what howdah ls shows of a structure. */
  static Map<String, Object> brief(StoreInspection.Collection each) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("name", each.name());
    tree.put("type", each.type());
    tree.put("entries", each.size());
    tree.put("bytes", each.bytes());
    return tree;
  }

  private static Map<String, Object> level(StoreInspection.TreeLevel each) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("nodes", each.nodes());
    tree.put("keys", each.keys());
    tree.put("fill", each.fill());
    return tree;
  }
}
