// Terms found by digests of what they compute, and how those that nobody needs any more are forgotten.

#include "core/interp/term_dag.h"

#include <algorithm>
#include <array>

namespace lemmascope::interp {

namespace {

/// Operations of integers that stay below what is held: a clamped index or the condition of a fault is seldom longer.
constexpr std::uint8_t KeptOperations = 12;

} // namespace

Digest128 TermDag::digestOf(const TermNode& node) const {
    // What the node is, then its content or the digests of its operands.
    std::array<std::uint64_t, 8> few{};
    std::vector<std::uint64_t> many;
    std::uint64_t* words = few.data();
    std::size_t count = 1;
    const std::span<const Term> parts = operands(node);
    if (parts.size() > 3) {
        many.resize(2 + 2 * parts.size());
        words = many.data();
    }
    words[0] = static_cast<std::uint64_t>(node.kind) | static_cast<std::uint64_t>(node.op) << 8 | std::uint64_t{node.type.code} << 24 |
               std::uint64_t{node.aux} << 32;
    if (node.kind == TermKind::Constant || node.kind == TermKind::Leaf) {
        words[count++] = std::uint64_t{node.b} << 32 | node.a;
    } else if (node.kind == TermKind::Open) {
        words[count++] = std::uint64_t{node.c} << 32 | node.a;
    }
    for (const Term part : parts) {
        const Digest128& of = digest(part);
        words[count++] = of.high;
        words[count++] = of.low;
    }
    return contentDigest(std::as_bytes(std::span(words, count)));
}

Term TermDag::internByDigest(const TermNode& wanted) {
    __extension__ using Wide = unsigned __int128;
    const Digest128 sought = digestOf(wanted);
    auto at = static_cast<std::size_t>((static_cast<Wide>(sought.low) * m_buckets.size()) >> 64);
    const auto tag = static_cast<std::uint8_t>(sought.low);
    for (;; at = at + 1 == m_buckets.size() ? 0 : at + 1) {
        const Bucket& bucket = m_buckets[at];
        for (std::uint32_t i = 0; i < bucket.used; ++i) {
            if (bucket.tags[i] == tag && digest(bucket.ids[i]) == sought) {
                return bucket.ids[i];
            }
        }
        if (bucket.used < 12) {
            break;
        }
    }
    const Term made = append(wanted);
    m_digests[made >> ChunkBits][made & (ChunkSize - 1)] = sought;
    if (m_count > m_limit) {
        grow();
    } else {
        insert(sought.low, made);
    }
    return made;
}

void TermDag::sweep(const TermHolders& holders) {
    // By term: 0 goes, 1 stays as a digest, n stays with its operands, which have n - 1 at least.
    constexpr Term First = Mixed + 1;
    std::vector<std::uint8_t> stays(m_count);
    const auto wanted = [&](Term term) { return node(term).type.isFloat() ? std::uint8_t{1} : KeptOperations; };
    holders([&](Term& term) {
        if (term >= First) {
            stays[term] = std::max(stays[term], wanted(term));
        }
    });
    for (auto term = static_cast<Term>(m_count); term-- > First;) {
        const TermNode& n = node(term);
        // What may be content that nobody wrote is looked into (Machine::stripUninitialised): all its choices stay.
        const bool isOpenChoice = n.kind == TermKind::Apply && mayBeUninitialised(term);
        if (n.kind != TermKind::Apply || stays[term] == 0 || (stays[term] == 1 && !isOpenChoice)) {
            continue;
        }
        stays[term] = std::max<std::uint8_t>(stays[term], 2);
        for (const Term operand : operands(n)) {
            if (operand >= First) {
                const auto below = static_cast<std::uint8_t>(stays[term] - 1);
                stays[operand] = std::max({stays[operand], std::uint8_t{1}, std::min(below, wanted(operand))});
            }
        }
    }
    std::vector<Term> ids(m_count);
    for (Term term = 0; term < First; ++term) {
        ids[term] = term;
    }
    Term next = First;
    const auto order = [&](Term term) { return static_cast<unsigned>(m_orders[term >> 2] >> (2 * (term & 3)) & 3); };
    for (Term term = First; term < m_count; ++term) {
        if (stays[term] == 0) {
            continue;
        }
        TermNode kept = node(term);
        unsigned orders = order(term);
        if (kept.kind == TermKind::Open || (kept.kind == TermKind::Apply && stays[term] == 1)) {
            kept = {TermKind::Forgotten, Op::Copy, kept.type};
            orders = 0;
        } else if (kept.kind == TermKind::Apply) {
            kept.a = ids[kept.a];
            kept.b = ids[kept.b];
            kept.c = ids[kept.c];
        }
        const Digest128 of = digest(term);
        m_chunks[next >> ChunkBits][next & (ChunkSize - 1)] = kept;
        m_digests[next >> ChunkBits][next & (ChunkSize - 1)] = of;
        std::uint8_t& place = m_orders[next >> 2];
        place = static_cast<std::uint8_t>((place & ~(3U << (2 * (next & 3)))) | orders << (2 * (next & 3)));
        ids[term] = next++;
    }
    holders([&](Term& term) { term = ids[term]; });
    m_forgotten += m_count - next;
    for (Term term = next; term < m_count; ++term) {
        m_orders[term >> 2] = static_cast<std::uint8_t>(m_orders[term >> 2] & ~(3U << (2 * (term & 3))));
    }
    m_count = next;
    const std::size_t chunks = (m_count + ChunkSize - 1) / ChunkSize;
    m_chunks.resize(chunks);
    m_digests.resize(chunks);
    m_orders.resize(chunks * ChunkSize / 4);
    m_operands.clear();
    m_sweepAt = std::max(m_sweepAt, 2 * m_count);
    rebuild(std::max<std::size_t>(64, m_sweepAt / 10));
}

} // namespace lemmascope::interp
