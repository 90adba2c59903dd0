#pragma once

#include <QString>

#include <filesystem>
#include <string>
#include <string_view>

namespace lemmascope {

/// The one place where core's UTF-8 becomes a QString. Bytes that are not UTF-8 become replacement characters.
[[nodiscard]] inline QString toQString(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }
[[nodiscard]] inline std::string toStdString(const QString& text) { return text.toStdString(); }
[[nodiscard]] inline QString pathText(const std::filesystem::path& path) { return QString::fromLocal8Bit(path.string().c_str()); }
[[nodiscard]] inline std::filesystem::path toPath(const QString& text) { return {text.toLocal8Bit().toStdString()}; }

} // namespace lemmascope
