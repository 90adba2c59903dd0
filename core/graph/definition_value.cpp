#include "core/graph/definition_value.h"

#include <algorithm>
#include <cstdlib>

namespace lemmascope {

using Item = DefinitionItem;

namespace {

constexpr std::size_t MaxList = 4096;
constexpr std::size_t MaxBits = 4096;

bool tooLong(const mpq_class& q) { return mpz_sizeinbase(q.get_num().get_mpz_t(), 2) + mpz_sizeinbase(q.get_den().get_mpz_t(), 2) > MaxBits; }

std::optional<mpq_class> exactRoot(const mpq_class& q) {
    if (q < 0 || mpz_perfect_square_p(q.get_num().get_mpz_t()) == 0 || mpz_perfect_square_p(q.get_den().get_mpz_t()) == 0) {
        return std::nullopt;
    }
    return mpq_class(sqrt(q.get_num()), sqrt(q.get_den()));
}

Item product(const DefinedNumber& a, const DefinedNumber& b, bool divide) {
    if (divide && b.q == 0) {
        return Item::trouble("a division by 0");
    }
    DefinedNumber out;
    out.q = divide ? mpq_class(a.q / b.q) : mpq_class(a.q * b.q);
    out.radicand = divide ? mpq_class(a.radicand / b.radicand) : mpq_class(a.radicand * b.radicand);
    out.piHalves = divide ? a.piHalves - b.piHalves : a.piHalves + b.piHalves;
    if (const std::optional<mpq_class> root = exactRoot(out.radicand)) {
        out.q *= *root;
        out.radicand = 1;
    }
    if (tooLong(out.q) || tooLong(out.radicand) || std::abs(out.piHalves) > 16) {
        return Item::trouble("a number has too many digits");
    }
    return Item::of(out);
}

Item rootOf(const DefinedNumber& a) {
    if (a.radicand != 1 || a.piHalves % 2 != 0 || a.q < 0) {
        return Item::trouble("the square root of a negative number or of a square root");
    }
    DefinedNumber out;
    out.q = 1;
    out.piHalves = a.piHalves / 2;
    if (const std::optional<mpq_class> root = exactRoot(a.q)) {
        out.q = *root;
    } else {
        out.radicand = a.q;
    }
    return Item::of(out);
}

Item compared(const std::string& op, const Item& a, const Item& b, bool numbers) {
    if (numbers && a.number.isRational() && b.number.isRational()) {
        const int order = cmp(a.number.q, b.number.q);
        return Item::of(op == "<" ? order < 0 : op == "<=" ? order <= 0 : op == ">" ? order > 0 : order >= 0);
    }
    const std::optional<Dim> da = a.dim();
    const std::optional<Dim> db = b.dim();
    if (da && db) {
        const bool strict = op.size() == 1;
        const Dim& small = op[0] == '<' ? *da : *db;
        const Dim& large = op[0] == '<' ? *db : *da;
        if (Dim::provablyAtLeast(large, strict ? small + Dim(1) : small)) {
            return Item::of(true);
        }
        if (Dim::provablyAtLeast(small, strict ? large : large + Dim(1))) {
            return Item::of(false);
        }
    }
    return Item::trouble("two sizes that cannot be compared for every size");
}

Item arithmetic(const std::string& op, const DefinedNumber& a, const DefinedNumber& b) {
    if (op == "*" || op == "/") {
        return product(a, b, op == "/");
    }
    if (!a.isRational() || !b.isRational()) {
        return Item::trouble("a sum of roots; write it with the op Add");
    }
    const mpq_class out = op == "+" ? mpq_class(a.q + b.q) : mpq_class(a.q - b.q);
    return tooLong(out) ? Item::trouble("a number has too many digits") : Item::of(out);
}

/// A whole number that counts or indexes something; far beyond any list it is none.
std::optional<std::int64_t> smallWhole(const Item& item) {
    constexpr std::int64_t Most = std::int64_t{1} << 40U;
    const std::optional<std::int64_t> value = item.whole();
    return value && *value >= -Most && *value <= Most ? value : std::nullopt;
}

Item extreme(bool largest, const Item& a, const Item& b) {
    if (a.is(Item::Kind::List)) {
        std::vector<Item> out;
        for (const Item& each : a.list) {
            out.push_back(each.is(Item::Kind::List) ? Item::trouble("a list within a list") : extreme(largest, each, b));
        }
        return listOf(std::move(out));
    }
    const std::optional<Dim> da = a.dim();
    const std::optional<Dim> db = b.dim();
    if (!da || !db) {
        return Item::trouble("the larger or smaller of what are no whole numbers");
    }
    return Item::of(largest ? Dim::max(*da, *db) : Dim::min(*da, *db));
}

} // namespace

Item listOf(std::vector<Item> entries) {
    for (const Item& each : entries) {
        if (each.is(Item::Kind::Trouble) || each.is(Item::Kind::List)) {
            return Item::troubleOr(each, "a list within a list"); // lists of lists could grow without end
        }
    }
    return entries.size() > MaxList ? Item::trouble("a list has more than " + std::to_string(MaxList) + " entries") : Item::of(std::move(entries));
}

Item itemOf(const Item& list, const Item& index) {
    if (list.is(Item::Kind::Trouble) || index.is(Item::Kind::Trouble)) {
        return list.is(Item::Kind::Trouble) ? list : index;
    }
    std::optional<std::int64_t> at = index.whole();
    if (!list.is(Item::Kind::List) || !at) {
        return Item::trouble("an index of what is no list");
    }
    *at += *at < 0 ? static_cast<std::int64_t>(list.list.size()) : 0;
    if (*at < 0 || *at >= static_cast<std::int64_t>(list.list.size())) {
        return Item::trouble("a list has " + std::to_string(list.list.size()) + " entries, entry " + std::to_string(*at) + " is wanted");
    }
    return list.list[static_cast<std::size_t>(*at)];
}

std::optional<bool> equalItems(const Item& a, const Item& b) {
    if (a.is(Item::Kind::Text) && b.is(Item::Kind::Text)) {
        return a.text == b.text;
    }
    if (a.is(Item::Kind::Truth) && b.is(Item::Kind::Truth)) {
        return a.truth == b.truth;
    }
    if (a.is(Item::Kind::Number) && b.is(Item::Kind::Number)) {
        return a.number.q == b.number.q && a.number.radicand == b.number.radicand && a.number.piHalves == b.number.piHalves;
    }
    if (a.is(Item::Kind::List) && b.is(Item::Kind::List)) {
        bool all = a.list.size() == b.list.size();
        for (std::size_t k = 0; all && k < a.list.size(); ++k) {
            const bool nested = a.list[k].is(Item::Kind::List) || b.list[k].is(Item::Kind::List);
            const std::optional<bool> same = nested ? std::nullopt : equalItems(a.list[k], b.list[k]);
            if (!same) {
                return std::nullopt;
            }
            all = *same;
        }
        return all;
    }
    const std::optional<Dim> da = a.dim();
    const std::optional<Dim> db = b.dim();
    if (da && db) {
        // Two lengths that differ as polynomials may still be equal at some size.
        const Dim difference = *da - *db;
        if (*da == *db) {
            return true;
        }
        return difference.isKnown() ? std::optional<bool>(false) : std::nullopt;
    }
    return std::nullopt;
}

Item onScalars(const std::string& op, const Item& a, const Item& b) {
    if (a.is(Item::Kind::List) || b.is(Item::Kind::List)) {
        // Entry by entry; what is no list goes with every entry.
        const std::size_t length = a.is(Item::Kind::List) ? a.list.size() : b.list.size();
        std::vector<Item> out;
        for (std::size_t k = 0; k < length; ++k) {
            const bool inBoth = b.is(Item::Kind::List) && b.list.size() != length;
            const Item& left = a.is(Item::Kind::List) ? a.list[k] : a;
            const Item& right = b.is(Item::Kind::List) && !inBoth ? b.list[k] : b;
            if (inBoth || left.is(Item::Kind::List) || right.is(Item::Kind::List) || left.is(Item::Kind::Tensor) || right.is(Item::Kind::Tensor)) {
                return Item::trouble("lists of different lengths, or of what are no numbers");
            }
            out.push_back(onScalars(op, left, right));
        }
        return listOf(std::move(out));
    }
    const bool numbers = a.is(Item::Kind::Number) && b.is(Item::Kind::Number);
    if (op == "<" || op == "<=" || op == ">" || op == ">=") {
        return compared(op, a, b, numbers);
    }
    if (numbers && op != "//" && op != "%") {
        return arithmetic(op, a.number, b.number);
    }
    const std::optional<Dim> da = a.dim();
    const std::optional<Dim> db = b.dim();
    if (!da || !db) {
        return Item::trouble("'" + op + "' of what are no numbers");
    }
    if (op == "+" || op == "-" || op == "*") {
        return Item::of(op == "+" ? *da + *db : op == "-" ? *da - *db : *da * *db);
    }
    if (!Dim::provablyAtLeast(*db, Dim(1))) {
        return Item::trouble("a division by a length that may be 0");
    }
    if (op == "//") {
        return Item::of(Dim::floorDiv(*da, *db));
    }
    if (op == "%") {
        return Item::of(*da - Dim::floorDiv(*da, *db) * *db);
    }
    return Item::trouble("a fraction of lengths that are not known");
}

Item listFunction(const std::string& name, const std::vector<Item>& arguments) {
    const std::size_t count = arguments.size();
    if (name == "sqrt" && count == 1 && arguments[0].is(Item::Kind::Number)) {
        return rootOf(arguments[0].number);
    }
    if (name == "count" && count == 1 && arguments[0].is(Item::Kind::List)) {
        return Item::of(mpq_class(static_cast<unsigned long>(arguments[0].list.size())));
    }
    if (name == "axis" && count == 2) {
        const auto at = smallWhole(arguments[0]);
        const auto rank = smallWhole(arguments[1]);
        if (at && rank && *at >= -*rank && *at < *rank) {
            return Item::of(mpq_class(static_cast<long>(*at < 0 ? *at + *rank : *at)));
        }
        return Item::trouble("an axis is out of range");
    }
    if (name == "range" && count == 2) {
        const auto from = smallWhole(arguments[0]);
        const auto to = smallWhole(arguments[1]);
        if (!from || !to || *to - *from > static_cast<std::int64_t>(MaxList)) {
            return Item::trouble("a range whose ends are not known");
        }
        std::vector<Item> list;
        for (std::int64_t k = *from; k < *to; ++k) {
            list.push_back(Item::of(mpq_class(static_cast<long>(k))));
        }
        return Item::of(std::move(list));
    }
    if (name == "repeat" && count == 2) {
        const auto times = smallWhole(arguments[1]);
        if (!times || *times < 0 || *times > static_cast<std::int64_t>(MaxList)) {
            return Item::trouble("a number of repeats that is not known");
        }
        return listOf(std::vector<Item>(static_cast<std::size_t>(*times), arguments[0]));
    }
    if (name == "concat") {
        std::vector<Item> list;
        for (const Item& each : arguments) {
            if (!each.is(Item::Kind::List) || list.size() + each.list.size() > MaxList) {
                return Item::trouble("concat joins lists");
            }
            list.insert(list.end(), each.list.begin(), each.list.end());
        }
        return Item::of(std::move(list));
    }
    if (name == "slice" && count == 3 && arguments[0].is(Item::Kind::List)) {
        const auto from = smallWhole(arguments[1]);
        const auto to = smallWhole(arguments[2]);
        const auto length = static_cast<std::int64_t>(arguments[0].list.size());
        if (!from || !to || *from < 0 || *to < *from || *to > length) {
            return Item::trouble("a slice of a list that is out of range");
        }
        return Item::of(std::vector<Item>(arguments[0].list.begin() + *from, arguments[0].list.begin() + *to));
    }
    if (name == "pick" && count == 2 && arguments[0].is(Item::Kind::List) && arguments[1].is(Item::Kind::List)) {
        std::vector<Item> list;
        for (const Item& each : arguments[1].list) {
            list.push_back(itemOf(arguments[0], each));
        }
        return listOf(std::move(list));
    }
    if ((name == "max" || name == "min") && count == 2) {
        return extreme(name == "max", arguments[0], arguments[1]);
    }
    if (name == "item" && count == 3 && arguments[0].is(Item::Kind::List)) {
        const auto at = smallWhole(arguments[1]);
        return at && *at >= 0 && *at < static_cast<std::int64_t>(arguments[0].list.size()) ? arguments[0].list[static_cast<std::size_t>(*at)]
                                                                                           : arguments[2];
    }
    return Item::trouble("no function '" + name + "' of " + std::to_string(count) + " such arguments; see the help page on definitions");
}

} // namespace lemmascope
