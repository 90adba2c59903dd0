#pragma once

#include "core/prove/check_result.h"
#include "ui/canvas/picture_export.h"
#include "ui/jobs/latest_job.h"
#include "ui/panels/picture_dialog.h"

#include <QObject>
#include <QRectF>

#include <optional>
#include <vector>

class QPrinter;

namespace lemmascope {

class MainWindow;

/// Pictures of the graphs: SVG, PDF and PNG files, the clipboard, the printer. All are painted by the routine of the screen, in colours
/// of their own choice, off the UI thread.
class PicturesPart : public QObject {
    Q_OBJECT

  public:
    explicit PicturesPart(MainWindow& window);
    ~PicturesPart() override;

    /// The drawing that a choice gives of what is open now.
    [[nodiscard]] Result<PictureSheet> sheet(const PictureChoice& choice) const;
    /// In words what a choice gives: its size, and whether it had to be made smaller.
    [[nodiscard]] Result<QString> preview(const PictureChoice& choice) const;
    /// Writes a file by its ending, replaced only when all is written. What went wrong is a row in the messages.
    void save(const QString& file, PictureChoice choice);
    void copy(const PictureChoice& choice);
    /// Paints the pages; false, with a message, when it cannot be.
    bool print(QPrinter& printer, const PictureChoice& choice);
    [[nodiscard]] bool isBusy() const { return m_save.isRunning() || m_copy.isRunning(); }

  Q_SIGNALS:
    void saved(const QString& file);
    void failed(const QString& why);
    void copied();

  private:
    void askForFile();
    void askForPrint(bool previewOnly);
    void showPrintPreview();
    void complain(const QString& task, const Error& error);
    /// What of a scene is drawn; nothing: all of it.
    [[nodiscard]] std::optional<QRectF> areaOf(Side side, PictureArea area) const;
    [[nodiscard]] QRectF focusOf(Side side) const;
    [[nodiscard]] std::vector<PicturePart> pieces(const PictureChoice& choice) const;
    [[nodiscard]] PictureOptions optionsOf(const PictureChoice& choice) const;

    MainWindow& m_window;
    PictureChoice m_choice;
    PictureChoice m_printChoice;
    QString m_file; ///< written last: the next goes beside it
    LatestJob m_save;
    LatestJob m_copy;
};

} // namespace lemmascope
