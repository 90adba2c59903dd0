#include "core/interp/term_dag.h"
#include "core/program/number.h"
#include "core/program/program.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace lemmascope::interp {

namespace {

constexpr std::array<std::string_view, 39> MathNames = {"abs",   "acos",      "acosh", "asin", "asinh", "atan",  "atanh", "cbrt",  "ceil",    "cos",
                                                        "cosh",  "erf",       "exp",   "exp2", "expm1", "floor", "log",   "log10", "log1p",   "log2",
                                                        "round", "roundeven", "rsqrt", "sin",  "sinh",  "sqrt",  "tan",   "tanh",  "trunc",   "pow",
                                                        "atan2", "copysign",  "absi",  "ctlz", "cttz",  "ctpop", "isnan", "isinf", "isfinite"};
constexpr std::array<std::string_view, 10> CmpINames = {"==", "!=", "<", "<=", ">", ">=", "<u", "<=u", ">u", ">=u"};
constexpr std::array<std::string_view, 16> CmpFNames = {"false", "==",  ">",   ">=",  "<",   "<=",  "!=",  "ord",
                                                        "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};

std::string numberText(ValueType type, std::uint64_t bits) {
    if (type == Bit) {
        return bits != 0 ? "true" : "false";
    }
    if (type.isInteger()) {
        return std::to_string(signedOf(type, bits));
    }
    const double value = doubleOf(type, bits);
    for (int digits = 1; digits <= 17; ++digits) {
        char buffer[40];
        std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
        double back = 0.0;
        if (std::isnan(value) || (std::sscanf(buffer, "%lf", &back) == 1 && bitsOf(type, back) == bits)) {
            return buffer;
        }
    }
    return "?";
}

} // namespace

std::string_view symbolOf(Op op, std::uint8_t aux) {
    switch (op) {
    case Op::AddI:
    case Op::AddF: return "+";
    case Op::SubI:
    case Op::SubF: return "-";
    case Op::MulI:
    case Op::MulF: return "*";
    case Op::DivS:
    case Op::DivF: return "/";
    case Op::DivU: return "/u";
    case Op::RemS:
    case Op::RemF: return "%";
    case Op::RemU: return "%u";
    case Op::CeilDivS: return "ceildiv";
    case Op::CeilDivU: return "ceildivu";
    case Op::FloorDivS: return "floordiv";
    case Op::Shl: return "<<";
    case Op::ShrS: return ">>";
    case Op::ShrU: return ">>u";
    case Op::And: return "&";
    case Op::Or: return "|";
    case Op::Xor: return "^";
    case Op::MinS: return "min";
    case Op::MinU: return "minu";
    case Op::MaxS: return "max";
    case Op::MaxU: return "maxu";
    case Op::MulHighS: return "mulhi";
    case Op::MulHighU: return "mulhiu";
    case Op::CmpI: return CmpINames[aux < CmpINames.size() ? aux : 0];
    case Op::CmpF: return CmpFNames[aux < CmpFNames.size() ? aux : 0];
    case Op::Select: return "select";
    case Op::ExtS: return "extsi";
    case Op::ExtU: return "extui";
    case Op::Trunc: return "trunci";
    case Op::IndexCastS: return "index_cast";
    case Op::IndexCastU: return "index_castui";
    case Op::Bitcast: return "bitcast";
    case Op::ExtF: return "extf";
    case Op::TruncF: return "truncf";
    case Op::IntToFloatS: return "sitofp";
    case Op::IntToFloatU: return "uitofp";
    case Op::FloatToIntS: return "fptosi";
    case Op::FloatToIntU: return "fptoui";
    case Op::NegF: return "neg";
    case Op::MinimumF: return "minimumf";
    case Op::MaximumF: return "maximumf";
    case Op::MinNumF: return "minnumf";
    case Op::MaxNumF: return "maxnumf";
    case Op::Math1:
    case Op::Math2:
    case Op::MathInt: return MathNames[aux < MathNames.size() ? aux : 0];
    case Op::Fma: return "fma";
    default: return "?";
    }
}

std::string TermDag::digestText(Term term) const { return "#" + digest(term).hex().substr(0, 12); }

std::string TermDag::leafText(Term term) const {
    const TermNode& n = node(term);
    if (n.kind == TermKind::Forgotten) {
        return "#" + digest(term).hex();
    }
    const LeafBuffer& buffer = m_buffers[n.a];
    if (buffer.sizes.empty()) {
        return buffer.name;
    }
    std::string index;
    std::uint64_t left = n.b;
    for (std::size_t axis = buffer.sizes.size(); axis-- > 0;) {
        std::uint64_t here = left;
        if (axis > 0) {
            const auto size = static_cast<std::uint64_t>(buffer.sizes[axis] > 0 ? buffer.sizes[axis] : 1);
            here = left % size;
            left /= size;
        }
        index = std::to_string(here) + (index.empty() ? "" : "," + index);
    }
    return buffer.name + "[" + index + "]";
}

std::string TermDag::text(Term term, std::size_t limit) const {
    // An explicit stack of what is still to be written: text, or a term.
    struct Piece {
        Term term = NoTerm;
        std::string text;
    };
    std::string out;
    std::vector<Piece> stack{{term, {}}};
    while (!stack.empty()) {
        const Piece piece = std::move(stack.back());
        stack.pop_back();
        if (out.size() > limit) {
            return out.substr(0, limit) + "...";
        }
        if (piece.term == NoTerm) {
            out += piece.text;
            continue;
        }
        const TermNode& n = node(piece.term);
        switch (n.kind) {
        case TermKind::Absent: out += "?"; break;
        case TermKind::Uninitialised: out += "uninitialised"; break;
        case TermKind::Constant: out += numberText(n.type, constantBits(piece.term)); break;
        case TermKind::Forgotten: out += digestText(piece.term); break;
        case TermKind::Leaf: out += leafText(piece.term); break;
        case TermKind::Open:
        case TermKind::Apply: {
            const std::span<const Term> parts = operands(n);
            const std::string symbol(n.kind == TermKind::Open ? std::string_view(m_openNames[n.a]) : symbolOf(n.op, n.aux));
            const bool infix = n.kind == TermKind::Apply && parts.size() == 2 && !(symbol[0] >= 'a' && symbol[0] <= 'z');
            std::vector<Piece> pieces;
            // Numbers go last where the order is free.
            const bool free = n.kind == TermKind::Apply && parts.size() == 2 && (isCommutative(n.op) || (n.op == Op::CmpI && n.aux <= 1));
            if (free && node(parts[0]).kind == TermKind::Constant && node(parts[1]).kind != TermKind::Constant) {
                pieces = infix ? std::vector<Piece>{{NoTerm, "("}, {parts[1], {}}, {NoTerm, " " + symbol + " "}, {parts[0], {}}, {NoTerm, ")"}}
                               : std::vector<Piece>{{NoTerm, symbol + "("}, {parts[1], {}}, {NoTerm, ", "}, {parts[0], {}}, {NoTerm, ")"}};
            } else if (infix) {
                pieces = {{NoTerm, "("}, {parts[0], {}}, {NoTerm, " " + symbol + " "}, {parts[1], {}}, {NoTerm, ")"}};
            } else {
                pieces.push_back({NoTerm, symbol + "("});
                for (std::size_t i = 0; i < parts.size(); ++i) {
                    if (i > 0) {
                        pieces.push_back({NoTerm, ", "});
                    }
                    pieces.push_back({parts[i], {}});
                }
                pieces.push_back({NoTerm, ")"});
            }
            stack.insert(stack.end(), std::make_move_iterator(pieces.rbegin()), std::make_move_iterator(pieces.rend()));
            break;
        }
        }
    }
    return out;
}

} // namespace lemmascope::interp
