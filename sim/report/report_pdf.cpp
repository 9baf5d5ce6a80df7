// SPDX-License-Identifier: Apache-2.0
#include "sim/report/cairo_canvas.hpp"
#include "sim/report/drawing_part.hpp"

#include <algorithm>
#include <cairo-pdf.h>
#include <cairo.h>
#include <fmt/format.h>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr double page_width = 595, page_height = 842, margin = 48; // A4 in points

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
};

/// Sets text, tables and pictures from top to bottom, and begins a new page where one is full.
class Pages
{
public:
  explicit Pages(const std::filesystem::path& file)
      : surface_{cairo_pdf_surface_create(file.c_str(), page_width, page_height)}, cairo_{cairo_create(surface_.get())},
        drawing_{cairo_.get()}, file_{file}
  {
    cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATOR, report_generator);
    check();
  }

  void text(const std::string& text, double size, Colour colour, bool bold = false, double indent = 0, double after = 6)
  {
    for (const std::string& line : wrapped(text, size, bold, page_width - 2 * margin - indent)) {
      room(size * 1.4);
      canvas_.colour(colour);
      canvas_.text(margin + indent, y_ + size, line, size, Anchor::left, bold);
      y_ += size * 1.4;
    }
    y_ += after;
  }

  void answer(const std::string& text)
  {
    const std::vector<std::string> lines = wrapped(text, 11, false, page_width - 2 * margin - 24);
    const double height = static_cast<double>(lines.size()) * 15.5 + 16;
    room(std::min(height, 300.0));
    canvas_.colour({0.96, 0.97, 0.98});
    canvas_.rectangle(margin, y_, page_width - 2 * margin, height);
    canvas_.colour(okabe_ito[0]);
    canvas_.rectangle(margin, y_, 4, height);
    y_ += 8;
    for (const std::string& line : lines) {
      canvas_.colour(ink);
      canvas_.text(margin + 14, y_ + 11, line, 11);
      y_ += 15.5;
    }
    y_ += 16;
  }

  /// @p keep: what must fit below it on the same page.
  void heading(const std::string& text, int level, double keep)
  {
    const double size = level <= 2 ? 14 : 11.5;
    room(size * 4 + keep);
    y_ += level <= 2 ? 12 : 5;
    this->text(text, size, ink, true, 0, 1);
    if (level <= 2)
      canvas_.line(margin, y_, page_width - margin, y_, 0.6);
    y_ += 8;
  }

  /// A table that is too wide loses its last columns to a note; long ones go on on the next page.
  void table(const ReportBlock& block)
  {
    const double size = 7, gap = 8;
    std::vector<double> widths;
    for (std::size_t i = 0; i < block.columns.size(); ++i) {
      double width = canvas_.text_width(block.columns[i], size, true);
      for (std::size_t r = 0; r < std::min<std::size_t>(block.rows.size(), 200); ++r)
        if (i < block.rows[r].size())
          width = std::max(width, canvas_.text_width(block.rows[r][i], size));
      widths.push_back(std::min(width, 170.0) + gap);
    }
    std::size_t columns = 0;
    double total = 0;
    while (columns < widths.size() && total + widths[columns] <= page_width - 2 * margin + gap)
      total += widths[columns++];
    const auto row = [&](const std::vector<std::string>& cells, bool bold) {
      room(size * 1.9);
      double x = margin;
      for (std::size_t i = 0; i < columns; ++i) {
        canvas_.colour(bold ? quiet_ink : ink);
        if (i < cells.size())
          canvas_.text(x, y_ + size, canvas_.fitted(cells[i], widths[i] - gap + 1, size), size, Anchor::left, bold);
        x += widths[i];
      }
      y_ += size * 1.6;
      canvas_.colour(grid_line);
      canvas_.line(margin, y_, margin + total, y_, 0.5);
      y_ += 2;
    };
    row(block.columns, true);
    for (const auto& cells : block.rows)
      row(cells, false);
    if (columns < widths.size())
      text(fmt::format("The HTML report and the CSV files have {} more columns.", widths.size() - columns), 7.5,
           quiet_ink);
    y_ += 6;
  }

  void picture(const ReportBlock& block)
  {
    std::string_view left = block.png;
    const auto read = [](void* from, unsigned char* to, unsigned size) {
      auto& rest = *static_cast<std::string_view*>(from);
      if (rest.size() < size)
        return CAIRO_STATUS_READ_ERROR;
      std::copy_n(rest.begin(), size, to);
      rest.remove_prefix(size);
      return CAIRO_STATUS_SUCCESS;
    };
    const std::unique_ptr<cairo_surface_t, Destroy> image{cairo_image_surface_create_from_png_stream(read, &left)};
    if (cairo_surface_status(image.get()) != CAIRO_STATUS_SUCCESS)
      return;
    const double width = cairo_image_surface_get_width(image.get()),
                 height = cairo_image_surface_get_height(image.get());
    if (width < 1 || height < 1)
      return;
    const double scale = std::min({(page_width - 2 * margin) / width, (page_height - 2 * margin - 60) / height, 0.5});
    room(height * scale + 24);
    cairo_save(cairo_.get());
    cairo_translate(cairo_.get(), margin, y_);
    cairo_scale(cairo_.get(), scale, scale);
    cairo_set_source_surface(cairo_.get(), image.get(), 0, 0);
    cairo_paint(cairo_.get());
    cairo_restore(cairo_.get());
    y_ += height * scale + 4;
    text(block.text, 8.5, quiet_ink, false, 0, 10);
  }

  void code(const std::string& text)
  {
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);) {
      const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
      double left = margin + 6 + canvas_.text_width(std::string(blanks, ' '), 7);
      if (blanks == line.size())
        y_ += 9.6;
      for (const std::string& part : wrapped(line.substr(blanks), 7, false, page_width - margin - left - 12)) {
        room(10);
        canvas_.colour(ink);
        canvas_.text(left, y_ + 7, part, 7);
        y_ += 9.6;
        left = margin + 18 + canvas_.text_width(std::string(blanks, ' '), 7); // what goes on stands further in
      }
    }
    y_ += 6;
  }

  void finish()
  {
    foot();
    cairo_show_page(cairo_.get());
    cairo_surface_finish(surface_.get());
    check();
  }

private:
  void room(double height)
  {
    if (y_ + height <= page_height - margin)
      return;
    foot();
    cairo_show_page(cairo_.get());
    y_ = margin;
  }

  void foot()
  {
    canvas_.colour(quiet_ink);
    canvas_.text(page_width - margin, page_height - 24, fmt::format("{}", ++page_), 8, Anchor::right);
  }

  std::vector<std::string> wrapped(const std::string& text, double size, bool bold, double width)
  {
    if (text.find('\n') == std::string::npos && canvas_.text_width(text, size, bold) <= width)
      return {text};
    std::vector<std::string> lines;
    std::istringstream paragraphs{text};
    for (std::string paragraph; std::getline(paragraphs, paragraph);) {
      std::istringstream words{paragraph};
      std::string line;
      for (std::string word; words >> word;) {
        const std::string longer = line.empty() ? word : line + " " + word;
        if (!line.empty() && canvas_.text_width(longer, size, bold) > width) {
          lines.push_back(line);
          line = word;
        } else {
          line = longer;
        }
      }
      lines.push_back(canvas_.text_width(line, size, bold) > width ? canvas_.fitted(line, width, size) : line);
    }
    return lines;
  }

  void check() const
  {
    const cairo_status_t status = cairo_status(cairo_.get()) != CAIRO_STATUS_SUCCESS
                                      ? cairo_status(cairo_.get())
                                      : cairo_surface_status(surface_.get());
    if (status != CAIRO_STATUS_SUCCESS)
      throw std::runtime_error{
          fmt::format("'{}' cannot be written: {}", file_.string(), cairo_status_to_string(status))};
  }

  std::unique_ptr<cairo_surface_t, Destroy> surface_;
  std::unique_ptr<cairo_t, Destroy> cairo_;
  CairoCanvas drawing_;
  Canvas& canvas_ = drawing_;
  std::filesystem::path file_;
  double y_ = margin;
  int page_ = 0;
};

} // namespace

} // namespace trainyard

void trainyard_write_pdf(const trainyard::ReportDocument& document, const std::filesystem::path& file)
{
  using namespace trainyard;
  Pages pages{file};
  pages.text(document.title, 19, ink, true, 0, 2);
  if (!document.question.empty())
    pages.text(document.question, 12, quiet_ink, false, 0, 10);
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const ReportBlock& block = document.blocks[i];
    switch (block.kind) {
    case ReportBlock::Kind::heading:
      pages.heading(block.text, block.level,
                    i + 1 < document.blocks.size() && document.blocks[i + 1].kind == ReportBlock::Kind::picture ? 330
                                                                                                                : 0);
      break;
    case ReportBlock::Kind::paragraph:
      pages.text(block.text, 10, ink);
      break;
    case ReportBlock::Kind::answer:
      pages.answer(block.text);
      break;
    case ReportBlock::Kind::badge:
      pages.text(block.text + ": " + block.detail, 10, ink);
      break;
    case ReportBlock::Kind::table:
      pages.table(block);
      break;
    case ReportBlock::Kind::picture:
      pages.picture(block);
      break;
    case ReportBlock::Kind::code:
      pages.code(block.text);
      break;
    }
  }
  pages.finish();
}
