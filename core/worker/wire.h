#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// Appends values to a byte string: integers little-endian, doubles by their bits, texts and lists after their length.
class WireWriter {
  public:
    void u8(std::uint8_t value) { m_bytes.push_back(static_cast<char>(value)); }
    void u32(std::uint32_t value) { integer(value, 4); }
    void u64(std::uint64_t value) { integer(value, 8); }
    void f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }
    void text(std::string_view value) {
        u64(value.size());
        m_bytes.append(value);
    }
    void texts(const std::vector<std::string>& values) {
        u64(values.size());
        for (const std::string& value : values)
            text(value);
    }
    [[nodiscard]] std::string take() { return std::move(m_bytes); }

  private:
    void integer(std::uint64_t value, int size) {
        for (int i = 0; i < size; ++i)
            m_bytes.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
    }
    std::string m_bytes;
};

/// Reads what a WireWriter wrote. Bytes may come from a broken process: reading past the end gives zeros and empty texts
/// and leaves `ok()` false for good; no length is believed beyond the bytes there are.
class WireReader {
  public:
    explicit WireReader(std::string_view bytes) : m_bytes(bytes) {}

    [[nodiscard]] std::uint8_t u8() { return static_cast<std::uint8_t>(integer(1)); }
    [[nodiscard]] std::uint32_t u32() { return static_cast<std::uint32_t>(integer(4)); }
    [[nodiscard]] std::uint64_t u64() { return integer(8); }
    [[nodiscard]] double f64() { return std::bit_cast<double>(u64()); }
    [[nodiscard]] std::string text() {
        const std::uint64_t size = count(1);
        std::string value(m_bytes.substr(0, size));
        m_bytes.remove_prefix(size);
        return value;
    }
    [[nodiscard]] std::vector<std::string> texts() {
        std::vector<std::string> values(count(8));
        for (std::string& value : values)
            value = text();
        return values;
    }
    /// The length of a list whose items take at least `itemBytes` each; 0, and a failure, if that many cannot follow.
    [[nodiscard]] std::uint64_t count(std::uint64_t itemBytes) {
        const std::uint64_t value = u64();
        if (value > m_bytes.size() / itemBytes) {
            m_ok = false;
            return 0;
        }
        return value;
    }
    [[nodiscard]] bool ok() const { return m_ok; }
    [[nodiscard]] bool atEnd() const { return m_ok && m_bytes.empty(); }

  private:
    std::uint64_t integer(std::size_t size) {
        if (m_bytes.size() < size) {
            m_ok = false;
            m_bytes = {};
            return 0;
        }
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(m_bytes[i])) << (8 * i);
        m_bytes.remove_prefix(size);
        return value;
    }
    std::string_view m_bytes;
    bool m_ok = true;
};

} // namespace lemmascope
