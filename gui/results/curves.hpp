// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gui/results/chart_view.hpp"
#include "gui/results/results.hpp"

namespace trainyard::gui {

/// Numbers over numbers of a jobs table: x and y are columns, one line per value of the other.
struct ChartChoice {
  QString x;
  QString y;
  QString series;
};

/// The columns worth an x axis first: those with more than one value; `samples_per_second` over `workers` by `variant`
/// where they exist.
ChartChoice best_choice(const Table& jobs);

/// Whether a line of a chart has several places on the x axis within one point of a sweep, as over time: then each
/// point has a chart of its own.
bool of_one_point(const Table& table, const ChartChoice& choice);

/// The rows of a table as lines of a chart.
struct Curves {
  QVector<Series> lines; // each in order of x; models, and points that differ at one place, have lines of their own
  QStringList across;    // names of the whole numbers on x where the column has names: bars, and no lines between them
};

/// @p separator stands between model and series in the name of a line, which is empty where all rows are one line.
/// Without x all rows stand at one place.
Curves curves_of(const Table& table, const ChartChoice& choice, const QString& separator);

/// Titles and units of a chart: the numbers of the lines are brought to the unit that its title names.
struct ChartTitles {
  QString x;
  QString y;
  double x_factor = 1;
};
/// @p x empty: names stand there. @p sample: what a sample is called.
ChartTitles scale_axes(QVector<Series>& lines, const QString& x, const QString& y, const QString& sample);
/// What a sample is called in these results, "image"; empty where jobs differ.
QString sample_of(const ResultsData& data);

/// For rates over workers: what perfect scaling would give, a pale line per model. Empty where there is no one such
/// line.
QVector<Series> ideal_lines(const Table& jobs, const ChartChoice& choice);

/// The rows as columns, "figure | value", for rows that there is nothing to draw over; empty cells are left out. Each
/// is named by what tells it from the others.
Table figures_of(const Table& table);

} // namespace trainyard::gui
