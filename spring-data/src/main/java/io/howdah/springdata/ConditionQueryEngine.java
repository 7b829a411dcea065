package io.howdah.springdata;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Sort;
import org.springframework.data.keyvalue.core.QueryEngine;
import org.springframework.data.keyvalue.core.query.KeyValueQuery;

/** Hands the parts of a query to the adapter, which runs it in a transaction. */
final class ConditionQueryEngine
    extends QueryEngine<HowdahKeyValueAdapter, @Nullable Condition, Sort> {

  ConditionQueryEngine() {
    super(query -> Condition.of(query.getCriteria()), KeyValueQuery::getSort);
  }

  @Override
  public Collection<?> execute(
      @Nullable Condition condition, @Nullable Sort sort, long offset, int rows, String keyspace) {
    return getRequiredAdapter()
        .search(keyspace, condition, sort == null ? Sort.unsorted() : sort, offset, rows);
  }

  @Override
  public long count(@Nullable Condition condition, String keyspace) {
    return getRequiredAdapter().count(keyspace, condition);
  }
}
