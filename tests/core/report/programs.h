#pragma once

// Small programs by hand, with texts whose lines their places name.

#include "core/program/builder.h"
#include "core/report/cell_story.h"

#include <memory>
#include <string>

namespace lemmascope::test {

struct WrittenProgram {
    std::string text;
    std::shared_ptr<const interp::Program> program; ///< null: the builder refused it
};

/// C[i,j] = A[i,j] * B[j] + 1 over 4 x 6; in column `wrong` + 2 instead (-1: nowhere). `turned`: operands the other way round.
inline WrittenProgram scaled(const std::string& file, int wrong, bool turned = false) {
    using namespace interp;
    ProgramBuilder p;
    FunctionBuilder& f = p.function("scale", {}, {{F64, {4, 6}}, {F64, {6}}, {F64, {4, 6}}});
    p.argument({"A", true, 0});
    p.argument({"B", true, 1});
    p.argument({"C", true, 2});
    const auto at = [&](std::uint32_t line, const char* op) { f.at(p.place(file, line, 5, op)); };
    at(2, "scf.for");
    const auto rows = f.beginFor(f.index(0), f.index(4), f.index(1), "i");
    at(3, "scf.for");
    const auto columns = f.beginFor(f.index(0), f.index(6), f.index(1), "j");
    at(4, "memref.load");
    const Register a = f.load(0, {rows.variable, columns.variable});
    at(5, "memref.load");
    const Register b = f.load(1, {columns.variable});
    at(6, "arith.mulf");
    const Register product = turned ? f.binary(Op::MulF, F64, b, a) : f.binary(Op::MulF, F64, a, b);
    at(7, "arith.select");
    Register more = f.number(F64, 1.0);
    if (wrong >= 0) {
        const Register here = f.binary(Op::CmpI, Index, columns.variable, f.index(wrong), static_cast<std::uint16_t>(CmpIPredicate::Eq));
        more = f.select(F64, here, f.number(F64, 2.0), more);
    }
    at(8, "arith.addf");
    const Register sum = f.binary(Op::AddF, F64, product, more);
    at(9, "memref.store");
    f.store(sum, 2, {rows.variable, columns.variable});
    f.endFor(columns);
    f.endFor(rows);
    f.ret();
    auto made = p.finish();
    std::string text = "func.func @scale(%A: memref<4x6xf64>, %B: memref<6xf64>, %C: memref<4x6xf64>) {\n"
                       "  scf.for %i = %c0 to %c4 step %c1 {\n"
                       "    scf.for %j = %c0 to %c6 step %c1 {\n"
                       "      %a = memref.load %A[%i, %j] : memref<4x6xf64>\n"
                       "      %b = memref.load %B[%j] : memref<6xf64>\n";
    text += turned ? "      %p = arith.mulf %b, %a : f64\n" : "      %p = arith.mulf %a, %b : f64\n";
    text += wrong >= 0 ? "      %m = arith.select %here, %two, %one : f64\n" : "      // one everywhere\n";
    text += "      %s = arith.addf %p, %m : f64\n      memref.store %s, %C[%i, %j] : memref<4x6xf64>\n    }\n  }\n  return\n}\n";
    return {text, made ? *made : nullptr};
}

/// B = A + A, then C = B * B, in two tasks: the second waits for the first where `waits`.
inline WrittenProgram chained(const std::string& file, bool waits) {
    using namespace interp;
    ProgramBuilder p;
    const ViewType four{F64, {4}};
    const auto body = [&](FunctionBuilder& f, std::uint32_t line, Op op) {
        f.at(p.place(file, line, 5, "scf.for"));
        const auto loop = f.beginFor(f.index(0), f.index(4), f.index(1), "i");
        f.at(p.place(file, line + 1, 7, "memref.load"));
        const Register a = f.load(0, {loop.variable});
        const Register r = f.binary(op, F64, a, a);
        f.at(p.place(file, line + 2, 7, "memref.store"));
        f.store(r, 1, {loop.variable});
        f.endFor(loop);
        f.ret();
    };
    FunctionBuilder& first = p.function("first", {}, {four, four});
    body(first, 3, Op::AddF);
    FunctionBuilder& second = p.function("second", {}, {four, four});
    body(second, 9, Op::MulF);
    FunctionBuilder& main = p.function("kernel", {}, {four, four, four});
    for (const std::uint32_t i : {0U, 1U, 2U}) {
        p.argument({std::string(1, static_cast<char>('A' + i)), true, i});
    }
    main.at(p.place(file, 2, 3, "async.execute"));
    const Register t1 = main.spawn(first, {}, {0, 1});
    main.at(p.place(file, 8, 3, "async.execute"));
    const Register t2 = main.spawn(second, {}, {1, 2}, waits ? std::vector{t1} : std::vector<Register>{});
    main.at(p.place(file, 14, 3, "async.await"));
    main.await(t1);
    main.at(p.place(file, 15, 3, "async.await"));
    main.await(t2);
    main.ret();
    auto made = p.finish(2);
    const std::string text = "func.func @kernel(%A: memref<4xf64>, %B: memref<4xf64>, %C: memref<4xf64>) {\n"
                             "  %t1 = async.execute {\n"
                             "    scf.for %i = %c0 to %c4 step %c1 {\n"
                             "      %a = memref.load %A[%i] : memref<4xf64>\n"
                             "      memref.store %r, %B[%i] : memref<4xf64>\n"
                             "    }\n  }\n" +
                             std::string(waits ? "  %t2 = async.execute [%t1] {\n" : "  %t2 = async.execute {\n") +
                             "    scf.for %i = %c0 to %c4 step %c1 {\n"
                             "      %b = memref.load %B[%i] : memref<4xf64>\n"
                             "      memref.store %q, %C[%i] : memref<4xf64>\n"
                             "    }\n  }\n  async.await %t1\n  async.await %t2\n  return\n}\n";
    return {text, made ? *made : nullptr};
}

inline ProgramPair pairOf(const WrittenProgram& reference, const WrittenProgram& rewritten) {
    return {"a.mlir", "b.mlir", reference.text, rewritten.text, reference.program, rewritten.program};
}

} // namespace lemmascope::test
