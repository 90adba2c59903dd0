#include "tests/core/interp/random_programs.h"

#include <array>

namespace {

constexpr std::array<const char*, 5> Operations = {"addi", "subi", "muli", "maxsi", "xori"};

int between(std::mt19937& random, int low, int high) { return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)); }

RandomProgram::Access access(std::mt19937& random) {
    RandomProgram::Access made;
    made.array = random() % RandomProgram::Arrays;
    for (int& offset : made.offsets) {
        offset = between(random, -2, 2);
    }
    return made;
}

std::string text(const RandomProgram::Access& access) {
    const auto index = [](const char* variable, int offset) {
        return std::string(variable) + (offset < 0 ? " - " + std::to_string(-offset) : " + " + std::to_string(offset));
    };
    return std::string("%") + static_cast<char>('A' + static_cast<int>(access.array)) + "[" + index("%i", access.offsets[0]) + ", " +
           index("%j", access.offsets[1]) + "] : memref<8x8xi32>";
}

} // namespace

RandomProgram RandomProgram::make(std::mt19937& random) {
    RandomProgram made;
    made.nests.resize(1 + random() % 3);
    for (Nest& nest : made.nests) {
        nest.lower = between(random, 2, 3);
        nest.upper = between(random, 4, 6);
        nest.statements.resize(1 + random() % 2);
        for (Statement& statement : nest.statements) {
            statement = {access(random), {access(random), access(random)}, random() % Operations.size(), random() % 2 == 0, between(random, -3, 3)};
        }
    }
    return made;
}

void RandomProgram::mutate(std::mt19937& random) {
    Nest& nest = nests[random() % nests.size()];
    Statement& statement = nest.statements[random() % nest.statements.size()];
    switch (random() % 6) {
    case 0: statement.written = access(random); break;
    case 1: statement.read[random() % 2] = access(random); break;
    case 2: statement.operation = (statement.operation + 1 + random() % (Operations.size() - 1)) % Operations.size(); break;
    case 3: nest.upper = nest.upper == 6 ? 5 : nest.upper + 1; break;
    case 4: statement.exchanged = !statement.exchanged; break;
    default: statement.constant += 1; break;
    }
}

std::string RandomProgram::text(const std::string& name) const {
    std::string out = "func.func @" + name + "(%A: memref<8x8xi32>, %B: memref<8x8xi32>, %C: memref<8x8xi32>) {\n";
    for (const Nest& nest : nests) {
        const std::string range = " = " + std::to_string(nest.lower) + " to " + std::to_string(nest.upper) + " {\n";
        out += "affine.for %i" + range + "affine.for %j" + range;
        for (const Statement& statement : nest.statements) {
            const std::string x = ::text(statement.read[0]);
            const std::string y = ::text(statement.read[1]);
            const std::string s = std::to_string(&statement - nest.statements.data());
            out += "%x" + s + " = affine.load " + x + "\n%y" + s + " = affine.load " + y + "\n%c" + s + " = arith.constant " +
                   std::to_string(statement.constant) + " : i32\n";
            out += "%r" + s + " = arith." + Operations[statement.operation] + " " +
                   (statement.exchanged ? "%y" + s + ", %x" + s : "%x" + s + ", %y" + s) + " : i32\n";
            out += "%z" + s + " = arith.addi %r" + s + ", %c" + s + " : i32\naffine.store %z" + s + ", " + ::text(statement.written) + "\n";
        }
        out += "}\n}\n";
    }
    return out + "return\n}\n";
}
