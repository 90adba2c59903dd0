#pragma once

#include "core/prove/check.h"
#include "core/prove/check_result.h"
#include "ui/canvas/palette.h"

#include <QFrame>

#include <memory>

class QLabel;
class QProgressBar;
class QPushButton;
class QTextBrowser;
class QToolButton;

namespace lemmascope {

class LongText;

/// A verdict's glyph on a filled square in its role's colour; the words beside it say the same.
class VerdictBadge : public QWidget {
    Q_OBJECT

  public:
    explicit VerdictBadge(QWidget* parent = nullptr);
    void setMark(const QString& glyph, Role role);
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QString m_glyph;
    Role m_role = Role::Plain;
};

/// The verdict at a glance: badge, words, counts, the first failing lemma with its acts, the strength asked for, and on a click
/// what the verdict rests on. Forms: PROVED (strength), REFUTED (kind), UNPROVED, UNDECIDED, CHECKING n of m, STOPPED, STALE.
class VerdictBanner : public QFrame {
    Q_OBJECT

  public:
    explicit VerdictBanner(QWidget* parent = nullptr);

    void showLoading(const QString& files);
    /// `earlier`: the verdict known so far, where there is one.
    void showChecking(const QString& phase, std::size_t done, std::size_t total, const QString& earlier = {});
    void showResult(const std::shared_ptr<const CheckResult>& result);
    /// A check that was stopped or failed: `why` in one sentence.
    void showNoVerdict(const QString& title, const QString& why);
    /// The files have changed since: the verdict stays readable behind the word STALE.
    void setStale(bool stale);
    void setWanted(Strength wanted);

    [[nodiscard]] QString title() const;
    [[nodiscard]] QString text() const; ///< everything it says, for tests and screen readers

  Q_SIGNALS:
    void goRequested(); ///< to the first failing lemma
    void reportRequested();
    void stopRequested();
    void reloadRequested();
    void wantedChosen(lemmascope::Strength wanted);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    enum class Form { Working, Result, NoVerdict };

    void update(Form form);
    void fillDetails();

    Form m_form = Form::NoVerdict;
    bool m_stale = false;
    Strength m_wanted = Strength::Rounded;
    QString m_title;
    std::shared_ptr<const CheckResult> m_result;
    VerdictBadge* m_badge;
    QLabel* m_titleLabel;
    LongText* m_reasonLabel;
    QLabel* m_countsLabel;
    LongText* m_failingLabel;
    QProgressBar* m_progress;
    QToolButton* m_wantedButton;
    QToolButton* m_detailsButton;
    QPushButton* m_goButton;
    QPushButton* m_reportButton;
    QPushButton* m_stopButton;
    QPushButton* m_reloadButton;
    QTextBrowser* m_details;
};

/// What a verdict rests on, as HTML with nothing but headings and lists: outputs, assumptions, caveats, condition, constants.
[[nodiscard]] QString verdictDetailsHtml(const CheckResult& result);

} // namespace lemmascope
