list(APPEND LEMMASCOPE_UI_SOURCES
    canvas/canvas_accessible.cpp canvas/canvas_accessible.h
    canvas/graph_canvas.cpp canvas/graph_canvas.h canvas/graph_canvas_input.cpp
    canvas/graph_scene.cpp canvas/graph_scene.h canvas/grid_index.h
    canvas/item_text.cpp canvas/item_text.h
    canvas/overview_map.cpp canvas/overview_map.h
    canvas/palette.cpp canvas/palette.h
    canvas/picture_export.cpp canvas/picture_export.h
    canvas/picture_pages.cpp canvas/picture_pages.h
    canvas/role_paint.cpp canvas/role_paint.h
    canvas/scene_builder.cpp canvas/scene_builder.h
    canvas/scene_frame.cpp canvas/scene_frame.h canvas/scene_frame_match.cpp canvas/scene_frame_text.cpp
    canvas/scene_labels.cpp canvas/scene_labels.h
    canvas/scene_memory.cpp canvas/scene_memory.h
    canvas/scene_navigation.cpp canvas/scene_navigation.h
    canvas/scene_overlay.cpp canvas/scene_overlay.h
    canvas/scene_painter.cpp canvas/scene_painter.h
    canvas/scene_plan.cpp canvas/scene_plan.h canvas/scene_plan_groups.cpp canvas/scene_planner.h
)
