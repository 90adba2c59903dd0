#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// Small loop programs in affine over three integer arrays, where every index is in range whatever is changed in them.
struct RandomProgram {
    struct Access {
        std::size_t array = 0;
        int offsets[2] = {}; ///< -2..2 besides the loops' variables
    };
    struct Statement {
        Access written;
        Access read[2];
        std::size_t operation = 0; ///< in Operations
        bool exchanged = false;
        int constant = 1;
    };
    struct Nest {
        int lower = 2;
        int upper = 5;
        std::vector<Statement> statements;
    };
    std::vector<Nest> nests;

    static constexpr int Size = 8;
    static constexpr std::size_t Arrays = 3;

    [[nodiscard]] static RandomProgram make(std::mt19937& random);
    /// One thing is another: an offset, an operation, a bound, the order of operands or statements, a constant.
    void mutate(std::mt19937& random);
    /// `func.func @NAME(%A, %B, %C)`
    [[nodiscard]] std::string text(const std::string& name) const;
};
