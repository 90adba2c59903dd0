#include "ui/views/legend.h"

#include "ui/canvas/palette.h"

#include <array>

namespace lemmascope {

QString legendHtml(const QPalette& palette) {
    const CanvasTheme theme = CanvasTheme::fromPalette(palette);
    QString html = QStringLiteral("<table cellspacing='3'>");
    constexpr std::array Roles{Role::Shared,  Role::Changed,  Role::OnlyReference, Role::OnlyRewritten, Role::Undecided,
                               Role::Failing, Role::Obsolete, Role::Dead,          Role::Accepted};
    for (std::size_t i = 0; i < Roles.size(); ++i) {
        const QColor colour = theme.style(Roles[i]).colour;
        const QColor onBadge = contrast(colour, Qt::white) >= contrast(colour, Qt::black) ? Qt::white : Qt::black;
        html += (i % 2 == 0 ? QStringLiteral("<tr>") : QString()) +
                QStringLiteral("<td bgcolor='%1' align='center' width='22'><font color='%2'><b>%3</b></font></td><td>%4&nbsp;&nbsp;</td>")
                    .arg(colour.name(), onBadge.name(), glyph(Roles[i]), roleText(Roles[i]).toHtmlEscaped()) +
                (i % 2 == 1 || i + 1 == Roles.size() ? QStringLiteral("</tr>") : QString());
    }
    return html + QStringLiteral("</table>");
}

} // namespace lemmascope
