#pragma once

#include <QObject>

#include <functional>

class QSocketNotifier;

namespace lemmascope {

/// While it lives, SIGTERM, SIGINT and SIGHUP do not end the program but call `act`, in the event loop. At most one exists. Worker
/// processes get the default handling back when they are started.
class EndSignals : public QObject {
    Q_OBJECT

  public:
    explicit EndSignals(std::function<void(int signal)> act, QObject* parent = nullptr);
    ~EndSignals() override;

  private:
    std::function<void(int)> m_act;
    QSocketNotifier* m_notifier = nullptr;
    int m_pipe[2] = {-1, -1};
};

} // namespace lemmascope
