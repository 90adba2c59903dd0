list(APPEND LEMMASCOPE_UI_SOURCES
    models/fact_table_model.cpp models/fact_table_model.h
    models/graph_table_model.cpp models/graph_table_model.h
    models/lemma_model.cpp models/lemma_model.h
    models/message_model.cpp models/message_model.h
    models/outline_model.cpp models/outline_model.h
    models/palette_model.cpp models/palette_model.h
    models/schedule_model.cpp models/schedule_model.h
    models/step_model.cpp models/step_model.h
    models/tensor_table_model.cpp models/tensor_table_model.h
)
