#include "ui/panels/help_window.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QImage>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr int PlaceRole = Qt::UserRole;

} // namespace

/// Finds pages and pictures among what is compiled in.
class HelpWindow::Browser : public QTextBrowser {
  public:
    Browser(const HelpPages& pages, std::function<QString()> legendNow, QWidget* parent)
        : QTextBrowser(parent), m_pages(pages), m_legendNow(std::move(legendNow)) {
        setOpenExternalLinks(true);
    }

    QVariant loadResource(int type, const QUrl& url) override {
        if (type == QTextDocument::HtmlResource) {
            const HelpPage* page = m_pages.page(url.fileName().section(u'.', 0, 0));
            return page != nullptr ? HelpPages::html(*page, m_legendNow(), pictureWidth()) : QString();
        }
        if (type == QTextDocument::ImageResource) {
            // Pages name the light pictures; a dark window shows the dark ones.
            QString name = url.fileName();
            if (palette().color(QPalette::Base).lightnessF() < 0.5F) {
                name.replace(QStringLiteral("-light."), QStringLiteral("-dark."));
            }
            // Scaled here: the view would do it without smoothing.
            const QImage picture(QStringLiteral(":/help/pictures/") + name);
            const int pixels = qRound(pictureWidth() * devicePixelRatioF());
            QImage scaled = picture.width() > pixels ? picture.scaledToWidth(pixels, Qt::SmoothTransformation) : picture;
            scaled.setDevicePixelRatio(scaled.width() / static_cast<double>(pictureWidth()));
            return scaled;
        }
        return {};
    }

  private:
    [[nodiscard]] int pictureWidth() const {
        constexpr int Least = 320;
        constexpr int Most = 900;
        constexpr int Margin = 40;
        return std::clamp(width() - Margin, Least, Most);
    }

    const HelpPages& m_pages;
    std::function<QString()> m_legendNow;
};

HelpWindow::HelpWindow(std::function<QString()> legendNow, QWidget* parent) : QWidget(parent, Qt::Window) {
    setObjectName(QStringLiteral("helpWindow"));
    setWindowTitle(tr("Help — Lemmascope"));
    setAccessibleName(tr("Help"));

    m_search = new QLineEdit(this);
    m_search->setObjectName(QStringLiteral("helpSearch"));
    m_search->setPlaceholderText(tr("Search the help"));
    m_search->setAccessibleName(tr("Search the help"));
    m_search->setClearButtonEnabled(true);
    m_list = new QListWidget(this);
    m_list->setObjectName(QStringLiteral("helpContents"));
    m_list->setAccessibleName(tr("Contents of the help, or what was found"));
    m_list->setWordWrap(true);
    m_browser = new Browser(m_pages, std::move(legendNow), this);
    m_browser->setObjectName(QStringLiteral("helpText"));
    m_browser->setAccessibleName(tr("Help page"));

    const auto button = [this](const QString& text, const QString& name, const QKeySequence& key, Qt::ArrowType arrow) {
        auto* made = new QToolButton(this);
        made->setArrowType(arrow);
        made->setAccessibleName(text);
        made->setToolTip(key.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, key.toString(QKeySequence::NativeText)));
        made->setObjectName(name);
        made->setFocusPolicy(Qt::TabFocus);
        made->setEnabled(false);
        return made;
    };
    auto* back = button(tr("Back"), QStringLiteral("helpBack"), QKeySequence(QKeySequence::Back), Qt::LeftArrow);
    auto* forward = button(tr("Forward"), QStringLiteral("helpForward"), QKeySequence(QKeySequence::Forward), Qt::RightArrow);
    connect(back, &QToolButton::clicked, m_browser, &QTextBrowser::backward);
    connect(forward, &QToolButton::clicked, m_browser, &QTextBrowser::forward);
    connect(m_browser, &QTextBrowser::backwardAvailable, back, &QWidget::setEnabled);
    connect(m_browser, &QTextBrowser::forwardAvailable, forward, &QWidget::setEnabled);

    auto* left = new QWidget(this);
    left->setAccessibleName(tr("Contents and search"));
    auto* bar = new QHBoxLayout;
    bar->addWidget(back);
    bar->addWidget(forward);
    bar->addWidget(m_search, 1);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(bar);
    column->addWidget(m_list, 1);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setAccessibleName(tr("Contents and page"));
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(left);
    splitter->addWidget(m_browser);
    splitter->setStretchFactor(1, 1);
    auto* all = new QHBoxLayout(this);
    all->setContentsMargins(6, 6, 6, 6);
    all->addWidget(splitter);
    const int letter = fontMetrics().averageCharWidth();
    splitter->setSizes({letter * 34, letter * 100});
    resize(letter * 140, fontMetrics().height() * 42);

    connect(m_search, &QLineEdit::textChanged, this, &HelpWindow::fillList);
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (m_list->count() > 0) {
            m_list->setCurrentRow((m_list->currentRow() + 1) % m_list->count());
        }
    });
    connect(m_list, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
        if (item != nullptr) {
            showPage(item->data(PlaceRole).toString());
        }
    });
    connect(m_browser, &QTextBrowser::sourceChanged, this, [this](const QUrl& source) {
        // The contents follow where links lead.
        if (!m_search->text().isEmpty()) {
            return;
        }
        for (int row = 0; row < m_list->count(); ++row) {
            if (m_list->item(row)->data(PlaceRole).toString() == source.fileName().section(u'.', 0, 0)) {
                const QSignalBlocker blocked(m_list);
                m_list->setCurrentRow(row);
            }
        }
    });
    fillList();
    showPage(QStringLiteral("index"));
}

QTextBrowser* HelpWindow::browser() const { return m_browser; }

QString HelpWindow::currentPage() const { return m_browser->source().fileName().section(u'.', 0, 0); }

void HelpWindow::showPage(const QString& place) {
    const QString id = place.section(u'#', 0, 0);
    QUrl url(QStringLiteral("help:/%1.html").arg(m_pages.page(id) != nullptr ? id : QStringLiteral("index")));
    if (place.contains(u'#')) {
        url.setFragment(place.section(u'#', 1));
    }
    m_browser->setSource(url, QTextDocument::HtmlResource);
    if (!m_search->text().isEmpty()) {
        m_browser->find(m_search->text().simplified().section(u' ', 0, 0));
    }
}

void HelpWindow::search(const QString& words) { m_search->setText(words); }

void HelpWindow::fillList() {
    const QSignalBlocker blocked(m_list); // filling moves nothing
    m_list->clear();
    const auto add = [this](const QString& text, const QString& place) {
        auto* item = new QListWidgetItem(text, m_list);
        item->setData(PlaceRole, place);
    };
    if (m_search->text().trimmed().isEmpty()) {
        for (const HelpPage& page : m_pages.pages()) {
            add(page.title, page.id);
        }
        return;
    }
    for (const HelpHit& hit : m_pages.search(m_search->text())) {
        add(QStringLiteral("%1\n%2").arg(hit.where, hit.line), hit.anchor.isEmpty() ? hit.page : hit.page + u'#' + hit.anchor);
    }
    if (m_list->count() == 0) {
        auto* none = new QListWidgetItem(tr("Nothing found."), m_list);
        none->setFlags(Qt::NoItemFlags);
    }
}

void HelpWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        if (m_search->text().isEmpty()) {
            close();
        } else {
            m_search->clear();
        }
    } else if (event->matches(QKeySequence::Find)) {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    } else if (event->matches(QKeySequence::Back)) {
        m_browser->backward();
    } else if (event->matches(QKeySequence::Forward)) {
        m_browser->forward();
    } else {
        QWidget::keyPressEvent(event);
    }
}

void HelpWindow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_browser != nullptr) {
        m_browser->reload(); // legend and pictures have other colours
    }
}

} // namespace lemmascope
