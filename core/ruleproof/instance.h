#pragma once

#include "core/graph/graph.h"
#include "core/graph/infer.h"
#include "core/match/value.h"
#include "core/ruleproof/guard_value.h"
#include "core/ruleproof/skeleton.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

// Instances of a skeleton: types, ranks, attributes, and how its lengths relate.
namespace lemmascope::ruleproof {

/// A hole, or a number, of the skeleton.
struct Leaf {
    ElementType element = ElementType::Undefined;
    std::optional<Shape> shape;
    std::vector<Dim> entries; ///< of an integer list that says a shape; -1 and 0 as Reshape reads them
};

/// A real number that an instance leaves open: an attribute, or a constant of one number that the rule reads. What builds replacements sees a
/// stand-in, a number that occurs nowhere else; in the graphs it is an input of one element (open_numbers.h).
struct OpenNumber {
    double standIn = 0.0;
    std::string input;              ///< its name
    std::vector<std::string> names; ///< of the rule that hold it, without ?
    bool nonZero = false;           ///< the guards demand it
    bool positive = false;          ///< they demand that
    std::optional<double> fixed;    ///< it is this number after all
};

struct Instance {
    std::map<std::uint32_t, Leaf> leaves;                                        ///< by value
    std::vector<std::map<std::string, Attribute>> attributes;                    ///< by node
    std::map<std::uint32_t, std::map<std::string, Attribute>> operandAttributes; ///< by node: those that are operands in this opset
    std::vector<bool> decided;                                                   ///< by node: its attributes are chosen
    std::map<std::uint32_t, match::FactValue> held;                              ///< by cell of an attribute variable
    std::vector<DimQuestion> unsolved;                                           ///< what the operators ask of lengths and no substitution gives
    std::vector<OpenNumber> open;                                                ///< attributes
};

/// An instance as a graph; as much of it as is decided.
struct InstanceGraph {
    std::shared_ptr<const Graph> graph; ///< typed; its output is the root, if that is there
    std::vector<ValueId> values;        ///< by value of the skeleton (resolved); invalid: not there
    std::vector<NodeId> nodes;          ///< by node of the skeleton
    std::vector<DimQuestion> questions;
    bool complete = false;
};

struct InstanceOptions {
    std::size_t maxRank = 4;
    std::map<std::string, std::int64_t> opsets;
    std::vector<ElementType> elements; ///< that leaves may have
    bool readsAttributes = false;      ///< the rule reads attributes of nodes as they are written
    std::size_t most = 4000;           ///< instances
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::stop_token stop;
};

/// What was found out beside the instances themselves.
struct InstanceNotes {
    std::set<std::string> scope; ///< which values of attributes were tried, and so on
    std::set<std::string> gaps;  ///< what a claim may not lean on
    bool outOfTime = false;
};

/// What is to follow an instance: no more of them, or the same one where two lengths are equal.
struct Next {
    bool stop = false;
    std::optional<std::pair<Dim, Dim>> equation;
};

/// Calls `each` for every instance until it says stop. Instances whose guards are certainly false or that inference refuses are none; lengths
/// that operators or guards want to be equal are so, and broadcasting is decided. What `file`, `skeleton` and `options` are must outlive it.
class Instances {
  public:
    Instances(const match::RuleFile& file, const Skeleton& skeleton, const InstanceOptions& options);

    void forEach(const std::function<Next(const Instance&, const InstanceGraph&)>& each);
    [[nodiscard]] const InstanceNotes& notes() const { return m_notes; }
    /// Builds and types what is decided; fails where inference does.
    [[nodiscard]] Result<InstanceGraph> build(const Instance& instance) const;

  private:
    [[nodiscard]] bool decide(Instance instance, std::uint32_t depth);
    [[nodiscard]] bool decideLeaf(const Instance& instance, const InstanceGraph& built, std::uint32_t value, std::uint32_t depth);
    [[nodiscard]] bool decideAttributes(const Instance& instance, const InstanceGraph& built, std::uint32_t node, std::uint32_t depth);
    [[nodiscard]] bool decideLengths(const Instance& instance, const InstanceGraph& built, std::uint32_t depth);
    [[nodiscard]] bool typesFit(const InstanceGraph& built) const;
    [[nodiscard]] bool guardsMayHold(const Instance& instance, const InstanceGraph& built) const;
    /// `settled`: of lengths that no open broadcast decides.
    [[nodiscard]] std::optional<std::pair<Dim, Dim>> guardEquation(const Instance& instance, const InstanceGraph& built, bool settled) const;
    void addRests(const Instance& instance, const InstanceGraph& built, std::vector<DimQuestion>& questions) const;
    void chooseAttribute(const Instance& instance, const InstanceGraph& built, std::uint32_t node, const std::string& name,
                         std::vector<Instance>& out);

    const match::RuleFile& m_file;
    const Skeleton& m_skeleton;
    const InstanceOptions& m_options;
    std::vector<std::uint32_t> m_order; ///< of nodes
    std::function<Next(const Instance&, const InstanceGraph&)> m_each;
    InstanceNotes m_notes;
    std::size_t m_count = 0;
};

/// What guards may ask of an instance.
class InstanceFacts : public Facts {
  public:
    InstanceFacts(const Skeleton& skeleton, const Instance& instance, const InstanceGraph& built)
        : m_skeleton(skeleton), m_instance(instance), m_built(built) {}
    [[nodiscard]] match::FactValue fact(match::FactKind kind, std::uint32_t value, const match::FactValue& argument) const override;
    [[nodiscard]] match::FactValue attribute(std::uint32_t node, const std::string& name) const override;
    [[nodiscard]] match::FactValue held(std::uint32_t cell) const override;

  private:
    const Skeleton& m_skeleton;
    const Instance& m_instance;
    const InstanceGraph& m_built;
};

/// What symbols are where two lengths are equal, all solutions at once. Nothing when they are not found so.
[[nodiscard]] std::optional<std::map<std::string, Dim>> solved(const Dim& left, const Dim& right);
/// They are different at all sizes.
[[nodiscard]] bool neverEqual(const Dim& left, const Dim& right);

} // namespace lemmascope::ruleproof
