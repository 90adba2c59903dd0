list(APPEND LEMMASCOPE_UI_SOURCES
    jobs/job_list_model.cpp jobs/job_list_model.h
    jobs/latest_job.cpp jobs/latest_job.h
    jobs/services.h)
