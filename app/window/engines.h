#pragma once

#include "core/prove/check.h"
#include "core/prove/lemma_memory.h"
#include "core/prove/proof_cache.h"
#include "core/worker/worker_pool.h"

#include <optional>

namespace lemmascope {

/// What checks of graphs and of programs share: worker processes, proof cache, answers of this run. They end with the last service that holds them.
struct Engines {
    WorkerPool pool;
    std::optional<ProofCache> cache;
    LemmaMemory memory;

    Engines() {
        if (auto folder = ProofCache::defaultFolder()) {
            cache.emplace(std::move(*folder));
        }
    }
    [[nodiscard]] CheckServices services() {
        CheckServices made;
        made.solver = &pool;
        made.cache = cache ? &*cache : nullptr;
        made.memory = &memory;
        return made;
    }
};

} // namespace lemmascope
