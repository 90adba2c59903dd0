#include "core/interp/term_dag.h"

#include "core/program/number.h"
#include "core/program/program.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace lemmascope::interp {

namespace {

constexpr std::uint32_t FirstBuckets = 64;

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Predicates whose exchange of operands gives another one of the first half.
std::uint8_t swappedCmpI(std::uint8_t predicate) {
    switch (static_cast<CmpIPredicate>(predicate)) {
    case CmpIPredicate::Sgt: return static_cast<std::uint8_t>(CmpIPredicate::Slt);
    case CmpIPredicate::Sge: return static_cast<std::uint8_t>(CmpIPredicate::Sle);
    case CmpIPredicate::Ugt: return static_cast<std::uint8_t>(CmpIPredicate::Ult);
    case CmpIPredicate::Uge: return static_cast<std::uint8_t>(CmpIPredicate::Ule);
    default: return predicate;
    }
}

std::uint8_t swappedCmpF(std::uint8_t predicate) {
    switch (static_cast<CmpFPredicate>(predicate)) {
    case CmpFPredicate::Ogt: return static_cast<std::uint8_t>(CmpFPredicate::Olt);
    case CmpFPredicate::Oge: return static_cast<std::uint8_t>(CmpFPredicate::Ole);
    case CmpFPredicate::Ugt: return static_cast<std::uint8_t>(CmpFPredicate::Ult);
    case CmpFPredicate::Uge: return static_cast<std::uint8_t>(CmpFPredicate::Ule);
    default: return predicate;
    }
}

bool isSymmetricCompare(Op op, std::uint8_t predicate) {
    if (op == Op::CmpI) {
        return predicate <= static_cast<std::uint8_t>(CmpIPredicate::Ne);
    }
    switch (static_cast<CmpFPredicate>(predicate)) {
    case CmpFPredicate::Oeq:
    case CmpFPredicate::One:
    case CmpFPredicate::Ord:
    case CmpFPredicate::Ueq:
    case CmpFPredicate::Une:
    case CmpFPredicate::Uno: return true;
    default: return false;
    }
}

} // namespace

bool isCommutative(Op op) {
    switch (op) {
    case Op::AddI:
    case Op::MulI:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::MinS:
    case Op::MinU:
    case Op::MaxS:
    case Op::MaxU:
    case Op::MulHighS:
    case Op::MulHighU:
    case Op::AddF:
    case Op::MulF:
    case Op::MinimumF:
    case Op::MaximumF:
    case Op::MinNumF:
    case Op::MaxNumF: return true;
    default: return false;
    }
}

TermDag::TermDag(Keep keep, std::size_t sweepAt) : m_keep(keep), m_sweepAt(sweepAt), m_buckets(FirstBuckets) {
    m_limit = FirstBuckets * 12 * 90 / 100;
    (void)append({});                                      // 0: no term
    (void)append({TermKind::Uninitialised, Op::Copy, {}}); // 1
    (void)append({});                                      // Pending
    (void)append({});                                      // Mixed
}

std::uint64_t TermDag::hashOf(const TermNode& node) {
    std::array<std::uint64_t, 2> words{};
    std::memcpy(words.data(), &node, sizeof(node));
    return mix(words[0] ^ 0x9E3779B97F4A7C15ULL, words[1] ^ 0xD1B54A32D192ED03ULL) * 0x2545F4914F6CDD1DULL;
}

std::uint64_t TermDag::hashOfStored(const TermNode& node) const {
    if (node.kind != TermKind::Open) {
        return hashOf(node);
    }
    TermNode plain = node;
    plain.b = 0;
    std::uint64_t hash = hashOf(plain);
    for (const Term operand : openOperands(node)) {
        hash = mix(hash ^ operand, 0xD1B54A32D192ED03ULL) + 0x9E3779B97F4A7C15ULL;
    }
    return hash * 0x2545F4914F6CDD1DULL;
}

Term TermDag::append(const TermNode& node) {
    if ((m_count & (ChunkSize - 1)) == 0) {
        m_chunks.push_back(std::make_unique<TermNode[]>(ChunkSize));
        if (keepsDigests()) {
            m_digests.push_back(std::make_unique<Digest128[]>(ChunkSize));
        }
        m_orders.resize(m_orders.size() + ChunkSize / 4);
    }
    const auto id = static_cast<Term>(m_count++);
    m_chunks[id >> ChunkBits][id & (ChunkSize - 1)] = node;
    return id;
}

void TermDag::insert(std::uint64_t hash, Term term) {
    __extension__ using Wide = unsigned __int128;
    auto at = static_cast<std::size_t>((static_cast<Wide>(hash) * m_buckets.size()) >> 64);
    while (m_buckets[at].used == 12) {
        at = at + 1 == m_buckets.size() ? 0 : at + 1;
    }
    Bucket& bucket = m_buckets[at];
    bucket.ids[bucket.used] = term;
    bucket.tags[bucket.used] = static_cast<std::uint8_t>(hash);
    ++bucket.used;
}

void* TermDag::allocateLarge(std::size_t bytes) {
    constexpr std::size_t LargePage = std::size_t{1} << 21;
    const std::size_t alignment = bytes >= LargePage ? LargePage : 64;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* const made = std::aligned_alloc(alignment, rounded);
    if (made == nullptr) {
        throw std::bad_alloc();
    }
#ifdef MADV_HUGEPAGE
    if (bytes >= LargePage) {
        (void)madvise(made, rounded, MADV_HUGEPAGE); // a hint
    }
#endif
    return made;
}

void TermDag::grow() { rebuild(m_buckets.size() + m_buckets.size() * 3 / 10); }

void TermDag::rebuild(std::size_t next) {
    __extension__ using Wide = unsigned __int128;
    m_buckets = {}; // the old table goes first: it can be made again from the nodes
    m_buckets.resize(next);
    m_limit = next * 12 / 100 * 90;
    // Places are fetched ahead of use.
    constexpr std::size_t Ahead = 16;
    std::array<std::uint64_t, Ahead> hashes{};
    const Term first = Mixed + 1;
    for (Term term = first; term < m_count + Ahead; ++term) {
        std::uint64_t& slot = hashes[term % Ahead];
        if (term >= first + Ahead) {
            insert(slot, static_cast<Term>(term - Ahead));
        }
        if (term < m_count) {
            slot = hashOfTerm(term);
            __builtin_prefetch(&m_buckets[static_cast<std::size_t>((static_cast<Wide>(slot) * next) >> 64)], 1);
        }
    }
}

Term TermDag::intern(const TermNode& wanted) {
    if (keepsDigests()) {
        return internByDigest(wanted);
    }
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t hash = hashOf(wanted);
    auto at = static_cast<std::size_t>((static_cast<Wide>(hash) * m_buckets.size()) >> 64);
    const auto tag = static_cast<std::uint8_t>(hash);
    while (true) {
        const Bucket& bucket = m_buckets[at];
        for (std::uint32_t i = 0; i < bucket.used; ++i) {
            if (bucket.tags[i] == tag && std::memcmp(&node(bucket.ids[i]), &wanted, sizeof(wanted)) == 0) {
                return bucket.ids[i];
            }
        }
        if (bucket.used < 12) {
            break;
        }
        at = at + 1 == m_buckets.size() ? 0 : at + 1;
    }
    const Term made = append(wanted);
    if (m_count > m_limit) {
        grow();
    } else {
        Bucket& bucket = m_buckets[at];
        bucket.ids[bucket.used] = made;
        bucket.tags[bucket.used] = tag;
        ++bucket.used;
    }
    return made;
}

Term TermDag::constant(ValueType type, std::uint64_t bits) {
    return intern({TermKind::Constant, Op::Copy, type, 0, static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32), 0});
}

Term TermDag::leaf(std::uint32_t buffer, std::uint32_t cell) {
    return intern({TermKind::Leaf, Op::Copy, m_buffers[buffer].type, 0, buffer, cell, 0});
}

Term TermDag::apply(Op op, ValueType type, std::uint8_t aux, Term a, Term b, Term c) {
    bool mayExchange = false;
    bool exchanged = false;
    if (op == Op::CmpI || op == Op::CmpF) {
        const std::uint8_t other = op == Op::CmpI ? swappedCmpI(aux) : swappedCmpF(aux);
        mayExchange = true;
        if (other != aux) {
            aux = other;
            exchanged = true;
        } else if (isSymmetricCompare(op, aux)) {
            exchanged = isBefore(b, a);
        }
    } else if (op == Op::Select) {
        if (b == c) {
            return b;
        }
    } else if (isCommutative(op)) {
        mayExchange = true;
        exchanged = isBefore(b, a);
    } else if (op == Op::Fma) {
        mayExchange = true;
        exchanged = isBefore(b, a);
    }
    if (exchanged) {
        std::swap(a, b);
    }
    const Term term = intern({TermKind::Apply, op, type, aux, a, b, c});
    if (op == Op::Select && (mayBeUninitialised(b) || mayBeUninitialised(c))) {
        m_orders[term >> 2] = static_cast<std::uint8_t>(m_orders[term >> 2] | (1U << (2 * (term & 3))));
    }
    if (mayExchange && a != b) {
        m_orders[term >> 2] = static_cast<std::uint8_t>(m_orders[term >> 2] | ((exchanged ? 2U : 1U) << (2 * (term & 3))));
    }
    return term;
}

Term TermDag::open(std::uint32_t name, std::uint8_t result, ValueType type, std::span<const Term> operands) {
    // Compared by content: the list of a node that turns out to be known is taken back.
    const auto start = static_cast<std::uint32_t>(m_operands.size());
    m_operands.insert(m_operands.end(), operands.begin(), operands.end());
    const TermNode wanted{TermKind::Open, Op::Open, type, result, name, start, static_cast<std::uint32_t>(operands.size())};
    if (keepsDigests()) {
        const std::size_t count = m_count;
        const Term term = internByDigest(wanted);
        if (m_count == count) {
            m_operands.resize(start);
        }
        return term;
    }
    const std::uint64_t hash = hashOfStored(wanted);
    __extension__ using Wide = unsigned __int128;
    auto at = static_cast<std::size_t>((static_cast<Wide>(hash) * m_buckets.size()) >> 64);
    for (;; at = at + 1 == m_buckets.size() ? 0 : at + 1) {
        const Bucket& bucket = m_buckets[at];
        for (std::uint32_t i = 0; i < bucket.used; ++i) {
            const TermNode& known = node(bucket.ids[i]);
            if (known.kind == TermKind::Open && known.a == name && known.aux == result && known.type == type && known.c == wanted.c &&
                std::equal(operands.begin(), operands.end(), m_operands.begin() + known.b)) {
                m_operands.resize(start);
                return bucket.ids[i];
            }
        }
        if (bucket.used < 12) {
            break;
        }
    }
    const Term made = append(wanted);
    if (m_count > m_limit) {
        grow();
    } else {
        insert(hash, made);
    }
    return made;
}

std::span<const Term> TermDag::operands(const TermNode& node) const {
    if (node.kind == TermKind::Open) {
        return openOperands(node);
    }
    if (node.kind != TermKind::Apply) {
        return {};
    }
    const std::size_t count = node.c != NoTerm ? 3 : node.b != NoTerm ? 2 : 1;
    return {&node.a, count};
}

std::uint32_t TermDag::addBuffer(LeafBuffer buffer) {
    m_buffers.push_back(std::move(buffer));
    return static_cast<std::uint32_t>(m_buffers.size() - 1);
}

std::uint32_t TermDag::openName(std::string_view name) {
    const auto [at, isNew] = m_openNumbers.try_emplace(std::string(name), static_cast<std::uint32_t>(m_openNames.size()));
    if (isNew) {
        m_openNames.emplace_back(name);
    }
    return at->second;
}

std::size_t TermDag::bytes() const {
    return m_chunks.size() * ChunkSize * sizeof(TermNode) + m_digests.size() * ChunkSize * sizeof(Digest128) + m_buckets.capacity() * sizeof(Bucket) +
           m_orders.capacity() + m_operands.capacity() * sizeof(Term);
}

} // namespace lemmascope::interp
