// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QWidget>

#include "gui/timeline/timeline.hpp"

#include <vector>

namespace trainyard::gui {

/// What took the time within a range: a kind of work, a module of the model, or a part of it. Its parts take as much as
/// itself, or less.
struct FlamePart {
  QString name;                 // "backward"; below it "layer4", "1", "conv2"
  QString category;             // of a kind of work
  double total = 0;             // s, of all lanes together
  qint64 count = 0;             // of spans
  std::vector<FlamePart> parts; // the one that took most first
};

/// Spans between two times, added up by kind and by the path that their names are: "backward layer4.1.conv2" of kind
/// "backward" is conv2 in 1 in layer4 in backward. The result itself is the sum of all.
FlamePart flame_of(const Timeline& timeline, const std::vector<int>& lanes, double begin, double end);

/// The sums as a picture: each part as wide as the time it took, below what it is part of. A click or Enter shows a
/// part alone, the arrows go from part to part, Escape shows all.
class FlameView : public QWidget
{
  Q_OBJECT
public:
  explicit FlameView(QWidget* parent = nullptr);

  void show(FlamePart whole);
  /// Names from the top to the part that is chosen.
  QStringList chosen() const;
  /// The part that fills the width.
  QString shownAlone() const { return at(alone_)->name; }
  QSize sizeHint() const override;

signals:
  /// The part below the pointer, or chosen by a key.
  void described(const QString& words);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  using Path = std::vector<std::size_t>; // which part of which part
  struct Box {
    Path path;
    QRectF place;
  };
  const FlamePart* at(const Path& path) const;
  /// Parts that are wide enough to be seen.
  std::vector<Box> boxes() const;
  void choose(Path path);
  QString words(const Path& path) const;

  FlamePart whole_;
  Path alone_;
  Path chosen_;
};

} // namespace trainyard::gui
