list(APPEND LEMMASCOPE_UI_SOURCES
    views/counterexample_facts.cpp views/counterexample_facts.h
    views/cut_text_tips.cpp views/cut_text_tips.h
    views/elided_label.cpp views/elided_label.h
    views/fact_table_view.cpp views/fact_table_view.h
    views/flow_layout.cpp views/flow_layout.h
    views/graph_rows.cpp views/graph_rows.h
    views/help_pages.cpp views/help_pages.h
    views/icon_button.cpp views/icon_button.h
    views/inspector_facts.cpp views/inspector_facts.h
    views/label_accessible.cpp views/label_accessible.h
    views/legend.cpp views/legend.h
    views/lemma_tree_view.cpp views/lemma_tree_view.h
    views/match_rows.cpp views/match_rows.h
    views/node_index.cpp views/node_index.h
    views/node_query.cpp views/node_query.h
    views/outline.cpp views/outline.h
    views/ranking.cpp views/ranking.h
    views/row_text.cpp views/row_text.h
    views/smtlib_highlighter.cpp views/smtlib_highlighter.h
    views/tensor_cell_delegate.cpp views/tensor_cell_delegate.h
    views/tensor_text.cpp views/tensor_text.h
    views/text.h
    views/theme.cpp views/theme.h
    views/verdict_text.cpp views/verdict_text.h
)
