#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every text of simgui has a translation in every language: tests/gui/translations.py TOP [SIMRUN]

The texts are those that Qt's lupdate finds in gui/, and the descriptions of settings and policies in `simrun schema`
(context Settings). Of the latter, MOST_SETTINGS may be missing, because they are added where no one translates. The
questions of the scenarios have a text each (context Examples), and so have the messages that simrun declares as
Sentence<…> (context Messages, by id), with the same places. Titles of columns and names of keys come from the files
that simrun writes and from its schema (contexts Columns and Keys), words of tables from what it explains (Words): what
one language has, the others must have. Exits with 77 where lupdate is not installed.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

FORMS = {"ru": 3, "zh_CN": 1}  # of a plural
MOST_SETTINGS = 30


def messages(file):
    """Message by (class without namespaces, text)."""
    found = {}
    for context in xml.parse(file).getroot().iter("context"):
        for message in context.iter("message"):
            if len(message.findall("source")) != 1 or len(message.findall("translation")) != 1:
                sys.exit(f"{file}: a message has not one source and one translation: {message.findtext('source')}")
            found[context.findtext("name").split("::")[-1], message.findtext("source")] = message
    return found


def texts_of(gui, lupdate):
    """What lupdate finds, by (class, text)."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "all.ts"
        subprocess.run([lupdate, "-locations", "none", str(gui), "-ts", str(file)], check=True, capture_output=True)
        return messages(file)


def descriptions_of(schema):
    if isinstance(schema, list):
        return set().union(*map(descriptions_of, schema))
    if not isinstance(schema, dict):
        return set()
    own = {schema["description"]} if isinstance(schema.get("description"), str) else set()
    own |= {words for words in schema.get("enumDescriptions", []) if words}
    return own.union(*map(descriptions_of, schema.values()))


def questions_of(scenarios):
    """The question of each example, as the welcome page reads it."""
    found = (re.search(r"^question: *(.*\S)", file.read_text(), re.MULTILINE) for file in scenarios.rglob("*.yaml"))
    return {match[1].strip("\"'") for match in found if match}


def sentences_of(folder):
    """English text by id of the messages that are declared in the sources, one or a list at a time."""
    found = {}
    for file in folder.rglob("*.[ch]pp"):
        for declared in re.findall(r'Sentence<[^{};]*>\s+\w+(?:\[\])?\{((?:"(?:[^"\\]|\\.)*"|[^";])*)\};', file.read_text()):
            for id, text in re.findall(r'"([\w.]+)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', declared):
                if id in found:
                    sys.exit(f"{file}: there is another message '{id}'")
                found[id] = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))
    return found


def assumptions_of(file):
    """The same of the table of assumptions: "precision {}" of jobs.*.precision is assumed.jobs.precision."""
    rows = re.findall(r'\{"([\w.*]+)",\s*"((?:[^"\\]|\\.)*)",\s*"', file.read_text())
    return {"assumed." + path.replace("*.", ""): words.replace("{}", "{value}") for path, words in rows if words != "{}"}


def places_of(text):
    return set(re.findall(r"\{(\w+)(?:\|[^}]*)?\}", text))


def message_fault(english, message, language):
    """What is wrong with the translation of a message."""
    if fault := fault_of("", message, language):
        return fault
    forms = [form.text for form in message.iter("numerusform")] or [message.findtext("translation")]
    if ("|" in english) != (message.get("numerus") == "yes"):
        return "one language counts, the other does not"
    return next((f"its places are {sorted(places_of(form))}, not {sorted(places_of(english))}" for form in forms
                 if places_of(form) != places_of(english)), "")


def fault_of(source, message, language):
    """What is wrong with a translation; empty where nothing is."""
    if message is None:
        return "missing"
    translation = message.find("translation")
    plural = message.get("numerus") == "yes"
    forms = [form.text or "" for form in translation.iter("numerusform")] if plural else [translation.text or ""]
    if translation.get("type") in ("unfinished", "obsolete", "vanished") or not all(form.strip() for form in forms):
        return "not translated"
    if plural and len(forms) != FORMS[language]:
        return f"{len(forms)} plural forms, not {FORMS[language]}"
    for place in set(re.findall(r"%[1-9]", source)):
        if any(place not in form for form in forms):
            return f"{place} is gone"
    return ""


def main():
    top = pathlib.Path(sys.argv[1])
    lupdate = shutil.which("lupdate", path="/usr/lib/qt6/bin") or shutil.which("lupdate6") or shutil.which("lupdate")
    if lupdate is None:
        print("skipped: lupdate was not found")
        return 77
    wanted = texts_of(top / "gui", lupdate)
    settings = set()
    if len(sys.argv) > 2:
        settings = descriptions_of(json.loads(subprocess.run([sys.argv[2], "schema", "--long"], check=True, capture_output=True).stdout))
    sentences = sentences_of(top / "models") | sentences_of(top / "sim") | assumptions_of(top / "models/scenario/assumptions.cpp")
    if len(sentences) < 20:
        sys.exit("the declarations of messages were not found")
    faults = []
    translated = {language: messages(top / "gui" / "translations" / f"simgui_{language}.ts") for language in FORMS}
    from_data = {key for have in translated.values() for key in have if key[0] in ("Columns", "Keys", "Words")}
    wanted = wanted.keys() | from_data
    for language, have in translated.items():
        for key in wanted:
            if fault := fault_of(key[1], have.get(key), language):
                faults.append(f"{language}, {key[0]}: {fault}: {key[1]!r}")
        for text in sorted(questions_of(top / "scenarios")):
            if fault := fault_of(text, have.get(("Examples", text)), language):
                faults.append(f"{language}, question: {fault}: {text!r}")
        for id, english in sorted(sentences.items()):
            if fault := message_fault(english, have.get(("Messages", id)), language):
                faults.append(f"{language}, message {id}: {fault}: {english!r}")
        faults += [f"{language}, message {key[1]}: no source declares it" for key in have if key[0] == "Messages" and key[1] not in sentences]
        untranslated = sorted(text for text in settings if fault_of(text, have.get(("Settings", text)), language))
        print(f"{language}: {len(wanted)} texts, {len(settings)} settings, {len(untranslated)} of these in English")
        if len(untranslated) > MOST_SETTINGS:
            faults += [f"{language}, setting: {text!r}" for text in untranslated]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
