list(APPEND LEMMASCOPE_UI_SOURCES
    jobs/background_free.cpp jobs/background_free.h
    jobs/job_list_model.cpp jobs/job_list_model.h
    jobs/latest_job.cpp jobs/latest_job.h
    jobs/pair_session.cpp jobs/pair_session.h
    jobs/pair_session.cpp jobs/pair_session.h jobs/pair_session_groups.cpp
    jobs/pair_session_review.cpp
    jobs/program_services.h
    jobs/program_session.cpp jobs/program_session.h
    jobs/services.h
    jobs/step_checks.cpp jobs/step_checks.h
)
