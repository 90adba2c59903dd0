list(APPEND LEMMASCOPE_UI_SOURCES
    window/main_window.cpp window/main_window.h window/main_window_actions.cpp window/main_window_navigation.cpp window/main_window_steps.cpp
    window/main_window_programs.cpp
    window/access_part.cpp window/access_part.h
    window/action_list.cpp window/action_list.h
    window/find_part.cpp window/find_part.h
    window/graph_table_part.cpp window/graph_table_part.h
    window/groups_part.cpp window/groups_part.h
    window/help_part.cpp window/help_part.h
    window/hidden_part.cpp window/hidden_part.h
    window/keyboard_page.cpp window/keyboard_page.h
    window/keyboard_part.cpp window/keyboard_part.h
    window/looks_part.cpp window/looks_part.h
    window/matcher_part.cpp window/matcher_part.h
    window/palette_part.cpp window/palette_part.h
    window/parts.cpp window/parts.h
    window/picture_part.cpp window/picture_part.h
    window/places_part.cpp window/places_part.h
    window/play_part.cpp window/play_part.h
    window/program_part.cpp window/program_part.h
    window/reason_part.cpp window/reason_part.h
    window/replacement_part.cpp window/replacement_part.h
    window/review_part.cpp window/review_part.h
    window/rules_part.cpp window/rules_part.h
    window/session_part.cpp window/session_part.h
    window/values_part.cpp window/values_part.h
    window/view_history_part.cpp window/view_history_part.h
    window/worker_loss_part.cpp window/worker_loss_part.h
)
