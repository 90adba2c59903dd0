#pragma once

// The terms of both programs: scalar operations on cells that nobody has written yet (leaves) and constants, hash-consed, so that
// equal terms have equal ids. 16 bytes a node, and a table of cache lines with twelve ids and eight hash bits of each: one
// miss a look-up and about 7 bytes a term. For programs whose terms do not fit there are digests: 16 more bytes a term, and
// what nobody needs any more is forgotten.

#include "core/base/digest.h"
#include "core/program/opcode.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope::interp {

using Term = std::uint32_t; ///< 0: no term (a concrete value)

inline constexpr Term NoTerm = 0;
inline constexpr Term Unwritten = 1; ///< the content of memory that nobody wrote
inline constexpr Term Pending = 2;   ///< in memory only: a live-in cell whose leaf nobody needed yet
inline constexpr Term Mixed = 3;     ///< in registers only: differs between two ways that met and cannot be a choice

/// Forgotten: an operation of which only the digest is left (TermDag::sweep).
enum class TermKind : std::uint8_t { Absent, Uninitialised, Constant, Leaf, Apply, Open, Forgotten };

/// Apply: `op` with operands a, b, c (0: none); `aux`: predicate, function or operand type as in the bytecode.
/// Constant: bits in a (low) and b (high). Leaf: cell b of buffer a. Open: name a, operands at b, c of them, result aux.
struct TermNode {
    TermKind kind = TermKind::Absent;
    Op op = Op::Copy;
    ValueType type;
    std::uint8_t aux = 0;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
};
static_assert(sizeof(TermNode) == 16);

/// Where leaves come from: an argument or global of either program, paired.
struct LeafBuffer {
    std::string name;
    ValueType type;
    std::vector<std::int64_t> sizes; ///< the first may be Dynamic; empty: a scalar
};

/// Calls its argument with each term that somebody holds.
using TermHolders = std::function<void(const std::function<void(Term&)>&)>;

class TermDag {
  public:
    /// Terms: equal ids are equal terms. Digests: terms are found by 128-bit digests (XXH3) of what they compute, so equal ids are equal
    /// terms but for a collision, and sweep() may be used.
    enum class Keep : std::uint8_t { Terms, Digests };
    explicit TermDag(Keep keep = Keep::Terms, std::size_t sweepAt = std::size_t{1} << 20);

    [[nodiscard]] Term constant(ValueType type, std::uint64_t bits);
    [[nodiscard]] Term leaf(std::uint32_t buffer, std::uint32_t cell);
    /// Operands of commutative ops are put in order, `a > b` becomes `b < a`, and a choice between equals is that value; nothing else.
    /// Constants are not folded: the machine does, where all operands are concrete.
    [[nodiscard]] Term apply(Op op, ValueType type, std::uint8_t aux, Term a, Term b = NoTerm, Term c = NoTerm);
    [[nodiscard]] Term open(std::uint32_t name, std::uint8_t result, ValueType type, std::span<const Term> operands);

    [[nodiscard]] const TermNode& node(Term term) const { return m_chunks[term >> ChunkBits][term & (ChunkSize - 1)]; }
    [[nodiscard]] std::uint64_t constantBits(Term term) const { return (std::uint64_t{node(term).b} << 32) | node(term).a; }
    [[nodiscard]] std::span<const Term> openOperands(const TermNode& node) const { return std::span(m_operands).subspan(node.b, node.c); }
    /// Operand terms of any node, in order.
    [[nodiscard]] std::span<const Term> operands(const TermNode& node) const;
    /// Both orders of a commutative operation were met: sharing it used that law.
    [[nodiscard]] bool metInBothOrders(Term term) const { return (m_orders[term >> 2] >> (2 * (term & 3)) & 3) == 3; }
    /// May be content that nobody wrote, where a choice in it goes that way.
    [[nodiscard]] bool mayBeUninitialised(Term term) const {
        return term == Unwritten || (node(term).op == Op::Select && (m_orders[term >> 2] >> (2 * (term & 3)) & 1) != 0);
    }

    std::uint32_t addBuffer(LeafBuffer buffer);
    [[nodiscard]] const std::vector<LeafBuffer>& buffers() const { return m_buffers; }
    std::uint32_t openName(std::string_view name);
    [[nodiscard]] const std::string& openNameOf(std::uint32_t number) const { return m_openNames[number]; }

    [[nodiscard]] bool keepsDigests() const { return m_keep == Keep::Digests; }
    [[nodiscard]] const Digest128& digest(Term term) const { return m_digests[term >> ChunkBits][term & (ChunkSize - 1)]; } ///< with Keep::Digests
    /// More terms than twice what the last sweep left: it is time for another.
    [[nodiscard]] bool isSweepDue() const { return keepsDigests() && m_count > m_sweepAt; }
    /// Keeps what `holders` hold and some operations of integers below it, which ranges of indices need, and gives new ids; operands of all
    /// else are forgotten. Order of ids stays. Whatever is not held by `holders` is not valid afterwards.
    void sweep(const TermHolders& holders);
    [[nodiscard]] std::uint64_t made() const { return m_forgotten + m_count; } ///< terms made so far

    [[nodiscard]] std::size_t size() const { return m_count; } ///< terms; ids are below it
    [[nodiscard]] std::size_t bytes() const;
    /// `#09af31c2d4e5`, the beginning of a digest: what stands for a forgotten operation.
    [[nodiscard]] std::string digestText(Term term) const;
    /// `A[3,4]`; of a forgotten operation its whole digest.
    [[nodiscard]] std::string leafText(Term term) const;
    /// `(A[0] + 2) * B[1]`, cut at about `limit` characters.
    [[nodiscard]] std::string text(Term term, std::size_t limit = 200) const;

  private:
    static constexpr unsigned ChunkBits = 12;
    static constexpr std::size_t ChunkSize = std::size_t{1} << ChunkBits;
    struct alignas(64) Bucket {
        std::uint32_t ids[12];
        std::uint8_t tags[12];
        std::uint32_t used;
    };

    [[nodiscard]] static std::uint64_t hashOf(const TermNode& node);
    [[nodiscard]] std::uint64_t hashOfStored(const TermNode& node) const;
    [[nodiscard]] std::uint64_t hashOfTerm(Term term) const { return keepsDigests() ? digest(term).low : hashOfStored(node(term)); }
    [[nodiscard]] bool isBefore(Term a, Term b) const { return keepsDigests() ? digest(a) < digest(b) : a < b; }
    [[nodiscard]] Digest128 digestOf(const TermNode& node) const;
    [[nodiscard]] Term internByDigest(const TermNode& node);
    void rebuild(std::size_t buckets);
    [[nodiscard]] Term intern(const TermNode& node);
    [[nodiscard]] Term append(const TermNode& node);
    void insert(std::uint64_t hash, Term term);
    void grow();

    /// Large pages where the system has them: look-ups go all over the table.
    template <typename T>
    struct LargePages {
        using value_type = T;
        LargePages() = default;
        template <typename U>
        explicit LargePages(const LargePages<U>&) {}
        T* allocate(std::size_t count) { return static_cast<T*>(allocateLarge(count * sizeof(T))); }
        void deallocate(T* pointer, std::size_t) { std::free(pointer); }
        friend bool operator==(const LargePages&, const LargePages&) { return true; }
    };
    [[nodiscard]] static void* allocateLarge(std::size_t bytes);

    Keep m_keep;
    std::size_t m_sweepAt;
    std::uint64_t m_forgotten = 0;
    std::vector<std::unique_ptr<TermNode[]>> m_chunks;
    std::vector<std::unique_ptr<Digest128[]>> m_digests; ///< with Keep::Digests
    std::size_t m_count = 0;
    std::vector<Bucket, LargePages<Bucket>> m_buckets;
    std::size_t m_limit = 0;
    std::vector<std::uint8_t> m_orders; ///< two bits a term: orders met of a commutative op; for a choice, whether it may be uninitialised
    std::vector<Term> m_operands;       ///< of open functions
    std::vector<LeafBuffer> m_buffers;
    std::vector<std::string> m_openNames;
    std::map<std::string, std::uint32_t, std::less<>> m_openNumbers;
};

/// Spelling of an op in texts: `+`, `min`, `exp` ...
[[nodiscard]] std::string_view symbolOf(Op op, std::uint8_t aux);
[[nodiscard]] bool isCommutative(Op op);

} // namespace lemmascope::interp
