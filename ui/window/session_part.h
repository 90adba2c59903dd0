#pragma once

#include "core/workspace/session_store.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

class QAction;

namespace lemmascope {

class MainWindow;
class ReviewPart;
class LatestJob;

/// Sessions of the window: saved where the reader says, and by itself in the state folder, so that neither a crash nor another pair
/// loses a note. What was left by a program that did not end in order is offered on the start page.
class SessionPart : public QObject {
    Q_OBJECT

  public:
    static constexpr int AutosaveMs = 400;        ///< after the last change
    static constexpr std::size_t KeptPairs = 300; ///< pairs without notes whose state is kept

    /// `stateFolder` empty: nothing is kept by itself.
    SessionPart(MainWindow* window, ReviewPart* review, std::filesystem::path stateFolder);
    ~SessionPart() override;

    void open(const QString& file);
    /// To the file it has, else the reader is asked for one.
    void save();
    void saveAs();
    void saveTo(const QString& file);
    /// The session file of what is open; empty: none.
    [[nodiscard]] QString file() const;
    /// Notes that its file does not have; of no file none.
    [[nodiscard]] bool hasUnsavedNotes() const;
    /// Writes the working session now and waits for it; what is open is offered by the next start. For an end from outside.
    void keepForNextStart();
    /// Everything that is queued stands on the disk.
    bool flush();
    [[nodiscard]] static bool isSessionFile(const QString& file);

  Q_SIGNALS:
    void openRefused(const lemmascope::Error& error); ///< a session file that cannot be read

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Read {
        std::shared_ptr<const SavedSession> session;
        bool sameFiles = false;
    };
    [[nodiscard]] SessionStore::Make current() const; ///< with the view and what is being written
    [[nodiscard]] std::filesystem::path pairFile() const;
    [[nodiscard]] std::vector<ReviewNote> notes() const;
    void changed();
    void autosave();
    void pairOpened();
    void applyView(const SavedSession& session);
    void written(const std::filesystem::path& file, const std::optional<Error>& trouble);
    void offerLeft();
    [[nodiscard]] bool mayClose();
    [[nodiscard]] bool hasNotesBesidesFile() const;
    void tellNotKept(const std::filesystem::path& file, const Error& why);
    [[nodiscard]] bool keepsNotesNow();
    void updateActions();

    MainWindow* m_window;
    ReviewPart* m_review;
    std::filesystem::path m_stateFolder;
    std::filesystem::path m_file;    ///< of the open session
    std::filesystem::path m_opening; ///< of the one that is being opened
    std::vector<ReviewNote> m_openingNotes;
    std::vector<ReviewNote> m_saved; ///< notes as that file has them
    std::filesystem::path m_saving;  ///< a file that was asked for by name, not yet written
    std::shared_ptr<const SavedSession> m_applied;
    std::optional<SavedSession> m_pendingNode; ///< a node to go to once there is a picture
    std::optional<LeftSession> m_left;
    bool m_quiet = false;     ///< closing asks nothing
    bool m_keepsMark = false; ///< the next start offers what is open
    bool m_told = false;      ///< that the state cannot be kept: once
    struct Kept {
        bool notes = false; ///< there are some that no session file has
        bool fails = false; ///< as it was tried last
        bool told = false;
    };
    std::map<std::filesystem::path, Kept> m_kept; ///< by the file that keeps a pair
    QAction* m_saveAction;
    QAction* m_saveAsAction;
    QTimer m_timer;
    std::unique_ptr<LatestJob> m_read;
    std::unique_ptr<LatestJob> m_prune;
    std::shared_ptr<SessionStore> m_store; ///< shared with who reads a pair; its thread tells this object, so it ends here
};

} // namespace lemmascope
