// Functions of numbers and lists; tests: tests/core/rewrite/tst_rewrite.cpp.
#include "core/match/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace lemmascope::match {

namespace {

constexpr std::int64_t MostEntries = 4'096;
using List = FactValue::List;
using Arguments = std::vector<FactValue>;

std::optional<std::int64_t> whole(const FactValue& value) {
    const auto* integer = std::get_if<std::int64_t>(&value.value);
    return integer != nullptr ? std::optional(*integer) : std::nullopt;
}

const List* listOf(const FactValue& value) { return std::get_if<List>(&value.value); }

std::optional<double> numberOf(const FactValue& value) {
    if (const auto* number = std::get_if<double>(&value.value)) {
        return *number;
    }
    const auto integer = whole(value);
    return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
}

FactValue made(List list) {
    const bool plain = std::none_of(list.begin(), list.end(), [](const FactValue& each) { return listOf(each) != nullptr || !each.isDefined(); });
    return plain && list.size() <= static_cast<std::size_t>(MostEntries) ? FactValue(std::move(list)) : FactValue();
}

/// Entry `index`, from the end where it is negative.
FactValue entry(const List& list, const FactValue& index) {
    const auto at = whole(index);
    const auto size = static_cast<std::int64_t>(list.size());
    if (!at || *at < -size || *at >= size) {
        return {};
    }
    return list[static_cast<std::size_t>(*at < 0 ? *at + size : *at)];
}

FactValue range(const Arguments& of) {
    const auto from = whole(of[0]);
    const auto to = whole(of[1]);
    if (!from || !to || *from < -MostEntries || *to > MostEntries || *to < -MostEntries || *from > MostEntries) {
        return {};
    }
    List out;
    for (std::int64_t i = *from; i < *to; ++i) {
        out.emplace_back(i);
    }
    return made(std::move(out));
}

FactValue repeat(const Arguments& of) {
    const auto times = whole(of[1]);
    return times && *times >= 0 && *times <= MostEntries ? made(List(static_cast<std::size_t>(*times), of[0])) : FactValue();
}

FactValue concat(const Arguments& of) {
    List out;
    for (const FactValue& each : of) {
        const List* list = listOf(each);
        if (list == nullptr || out.size() + list->size() > static_cast<std::size_t>(MostEntries)) {
            return {};
        }
        out.insert(out.end(), list->begin(), list->end());
    }
    return made(std::move(out));
}

FactValue slice(const Arguments& of) {
    const List* list = listOf(of[0]);
    const auto from = whole(of[1]);
    const auto to = whole(of[2]);
    if (list == nullptr || !from || !to || *from < 0 || *to < *from || *to > static_cast<std::int64_t>(list->size())) {
        return {};
    }
    return made(List(list->begin() + *from, list->begin() + *to));
}

FactValue pick(const Arguments& of) {
    const List* list = listOf(of[0]);
    const List* indices = listOf(of[1]);
    if (list == nullptr || indices == nullptr) {
        return {};
    }
    List out;
    for (const FactValue& each : *indices) {
        out.push_back(entry(*list, each));
    }
    return made(std::move(out));
}

FactValue count(const Arguments& of) {
    const List* list = listOf(of[0]);
    return list == nullptr ? FactValue() : FactValue(static_cast<std::int64_t>(list->size()));
}

FactValue item(const Arguments& of) {
    const List* list = listOf(of[0]);
    if (list == nullptr) {
        return {};
    }
    const auto at = whole(of[1]);
    if (of.size() == 2) {
        return entry(*list, of[1]);
    }
    return at && *at >= 0 && *at < static_cast<std::int64_t>(list->size()) ? (*list)[static_cast<std::size_t>(*at)] : of[2];
}

FactValue product(const Arguments& of) {
    const List* list = listOf(of[0]);
    FactValue out(std::int64_t{1});
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        out = listOf((*list)[i]) != nullptr ? FactValue() : arithmetic('*', out, (*list)[i]);
    }
    return list == nullptr ? FactValue() : out;
}

FactValue extreme(const Arguments& of, bool largest) {
    if (const List* list = listOf(of[0])) {
        List out;
        for (const FactValue& each : *list) {
            out.push_back(listOf(each) != nullptr ? FactValue() : extreme({each, of[1]}, largest));
        }
        return made(std::move(out));
    }
    const Truth less = lessThan(of[0], of[1]);
    if (less == Truth::Undefined) {
        return {};
    }
    return (less == Truth::True) == largest ? of[1] : of[0];
}

FactValue largest(const Arguments& of) { return extreme(of, true); }
FactValue smallest(const Arguments& of) { return extreme(of, false); }

FactValue root(const Arguments& of) {
    const auto number = numberOf(of[0]);
    return number && *number >= 0 ? FactValue(std::sqrt(*number)) : FactValue();
}

FactValue axis(const Arguments& of) {
    const auto at = whole(of[0]);
    const auto rank = whole(of[1]);
    return at && rank && *rank >= 0 && *at >= -*rank && *at < *rank ? FactValue(*at < 0 ? *at + *rank : *at) : FactValue();
}

struct Function {
    std::string_view name;
    std::string_view use;
    std::size_t least;
    std::size_t most;
    FactValue (*apply)(const Arguments&);
};

constexpr std::array<Function, 12> Functions{{{"range", "range(from, to) takes 2 arguments", 2, 2, range},
                                              {"repeat", "repeat(v, n) takes 2 arguments", 2, 2, repeat},
                                              {"concat", "concat(l, m) takes 1 to 16 lists", 1, 16, concat},
                                              {"slice", "slice(l, from, to) takes 3 arguments", 3, 3, slice},
                                              {"pick", "pick(l, indices) takes 2 lists", 2, 2, pick},
                                              {"count", "count(l) takes 1 list", 1, 1, count},
                                              {"item", "item(l, i) or item(l, i, otherwise) takes 2 or 3 arguments", 2, 3, item},
                                              {"product", "product(l) takes 1 list", 1, 1, product},
                                              {"max", "max(a, b) takes 2 arguments", 2, 2, largest},
                                              {"min", "min(a, b) takes 2 arguments", 2, 2, smallest},
                                              {"sqrt", "sqrt(n) takes 1 argument", 1, 1, root},
                                              {"axis", "axis(a, rank) takes 2 arguments", 2, 2, axis}}};

const Function* find(std::string_view name) {
    const auto* at = std::find_if(Functions.begin(), Functions.end(), [&](const Function& each) { return each.name == name; });
    return at == Functions.end() ? nullptr : at;
}

} // namespace

bool isFunction(std::string_view name) { return find(name) != nullptr; }

std::vector<std::string_view> functionNames() {
    std::vector<std::string_view> out;
    for (const Function& each : Functions) {
        out.push_back(each.name);
    }
    return out;
}

bool takesArguments(std::string_view name, std::size_t count) {
    const Function* at = find(name);
    return at != nullptr && count >= at->least && count <= at->most;
}

std::string functionUse(std::string_view name) {
    const Function* at = find(name);
    return at == nullptr ? std::string() : std::string(at->use);
}

FactValue applyFunction(std::string_view name, const std::vector<FactValue>& arguments) {
    const Function* at = find(name);
    const bool fits = at != nullptr && arguments.size() >= at->least && arguments.size() <= at->most;
    const bool known = std::all_of(arguments.begin(), arguments.end(), [](const FactValue& each) { return each.isDefined(); });
    return fits && known ? at->apply(arguments) : FactValue();
}

} // namespace lemmascope::match
