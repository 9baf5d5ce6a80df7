# SPDX-License-Identifier: Apache-2.0
"""Pictures and keys of the pages: each picture is there, results/make_screenshots.sh makes those of simgui, and the guide names simgui's keys."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "results/screenshots"
GUIDE = ROOT / "docs/how-to/gui.md"
STANDARD = {"New": "Ctrl+N", "Open": "Ctrl+O", "Save": "Ctrl+S", "Quit": "Ctrl+Q", "Undo": "Ctrl+Z", "Redo": "Ctrl+Y", "Copy": "Ctrl+C",
            "Paste": "Ctrl+V", "SelectAll": "Ctrl+A"}  # of Qt, on X11


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def pictures_of(page):
    """(words, file) of every picture that a page shows."""
    found = re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", page.read_text())
    return [(words, (page.parent / target).resolve()) for words, target in found if not re.match(r"[a-z]+:", target)]


def made():
    """The names of files, without their folder, that results/make_screenshots.sh makes, by folder."""
    source = (ROOT / "tests/gui/screenshots.cpp").read_text()
    views = re.findall(r'\b(?:shoot|save)\((?:\w+, )?"(\w+)"\)', source) + re.findall(r'shootDialog\("\w+", "(\w+)"\)', source)
    every = [re.search(rf'arguments\.value\({number}, QStringLiteral\("([^"]+)"\)\)', source)[1].split(",") for number in (3, 4)]
    folders = {}
    for folder, languages, themes in re.findall(r'"\$program" "\$top/([^"]+)" \d+x\d+(?: (\S+) (\S+))?', (ROOT / "results/make_screenshots.sh").read_text()):
        chosen = [given.split(",") if given else usual for given, usual in zip((languages, themes), every)]
        names = folders.setdefault(ROOT / folder, set())
        names |= {f"{view}-{language}-{theme}.png" for view in views for language in chosen[0] for theme in chosen[1]}
    return folders


class Pictures(unittest.TestCase):
    def test_each_picture_of_a_page_is_there_and_has_words(self):
        for page in pages():
            for words, file in pictures_of(page):
                self.assertTrue(file.is_file(), f"{page}: {file}")
                self.assertTrue(words.strip(), f"{page}: {file} has no words for those who do not see it")

    def test_pictures_of_simgui_are_those_that_the_command_makes(self):
        folders = made()
        self.assertIn("welcome-en-light.png", folders[PICTURES])
        for folder, names in folders.items():
            self.assertEqual({file.name for file in folder.glob("*.png")}, names, folder)
        for page in pages():
            for _, file in pictures_of(page):
                if file.is_relative_to(PICTURES):
                    self.assertIn(file.name, folders.get(file.parent, ()), page)

    def test_each_section_of_the_guide_has_its_picture(self):
        no_picture = {"Export", "Text size, theme, language", "What other programs do better"}
        for section in GUIDE.read_text().split("\n## ")[1:]:
            heading, _, text = section.partition("\n")
            self.assertEqual("![" not in text, heading in no_picture, heading)


class Keys(unittest.TestCase):
    def test_the_guide_names_each_key_of_a_command(self):
        source = (ROOT / "gui/windows/main_window_actions.cpp").read_text()
        keys = set(re.findall(r'"((?:(?:Ctrl|Shift|Alt)\+)+\w+|F\d+)"', source)) | set(re.findall(r"QKeySequence\{Qt::Key_(\w+)\}", source))
        keys |= {STANDARD[name] for name in re.findall(r"QKeySequence::(\w+)", source) if name in STANDARD}
        self.assertGreater(len(keys), 25)
        guide = GUIDE.read_text()
        tables = "\n".join(line for line in guide.partition("\n## Keys\n")[2].splitlines() if line.startswith("| "))
        named = set(re.findall(r"[^\s,;|]+", tables))
        self.assertEqual(keys - named, set())

    def test_the_guide_counts_the_keys_of_panels_and_pages_right(self):
        source = (ROOT / "gui/windows/main_window_actions.cpp").read_text()
        panels = re.findall(r'QStringLiteral\("(\w+)"\)', re.search(r"const QStringList names\{(.*?)\};", source, re.DOTALL)[1])
        self.assertEqual(panels.index("runs") + 1, 6)  # "Alt+6 to Alt+0": Runs and what follows
        self.assertEqual(len(panels), 10)
        guide = GUIDE.read_text()
        for panel, words in (("runs", "panel **Runs** (Alt+"), ("what_if", "panel **What if** (Alt+")):
            self.assertIn(words + f"{panels.index(panel) + 1}", guide)
        pages_ = re.search(r"const QStringList pages\{(.*?)\};", source, re.DOTALL)[1]
        self.assertIn("| Ctrl+1 to Ctrl+5 | " + ", ".join(re.findall(r'tr\("([^"]+)"\)', pages_)) + " |", guide)


if __name__ == "__main__":
    unittest.main()
