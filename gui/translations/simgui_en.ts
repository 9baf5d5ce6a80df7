<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>QObject</name>
    <message>
        <source>no GPU</source>
        <translation>no GPU</translation>
    </message>
    <message>
        <source>%1 machines: only the groups are drawn</source>
        <translation>%1 machines: only the groups are drawn</translation>
    </message>
    <message>
        <source>%1 switches</source>
        <translation>%1 switches</translation>
    </message>
    <message>
        <source>%1 – %2: %3 links, %4 together in each direction</source>
        <translation>%1 – %2: %3 links, %4 together in each direction</translation>
    </message>
    <message>
        <source>workers</source>
        <translation>workers</translation>
    </message>
    <message>
        <source>%1 cannot be read</source>
        <translation>%1 cannot be read</translation>
    </message>
    <message>
        <source>%1 is damaged: %2</source>
        <translation>%1 is damaged: %2</translation>
    </message>
    <message>
        <source>%1 unpacks to more than %2 MB; open it in Perfetto, or run again with a lower trace level</source>
        <translation>%1 unpacks to more than %2 MB; open it in Perfetto, or run again with a lower trace level</translation>
    </message>
    <message>
        <source>%1 is no Chrome trace or is damaged: %2</source>
        <translation>%1 is no Chrome trace or is damaged: %2</translation>
    </message>
    <message>
        <source>Timeline: zoom in and out, move left and right</source>
        <translation>Timeline: zoom in and out, move left and right</translation>
    </message>
    <message>
        <source>Canvas: zoom in and out, show all</source>
        <translation>Canvas: zoom in and out, show all</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 cannot be read: %2</translation>
    </message>
    <message>
        <source>%1 is no results folder: it has no summary.json</source>
        <translation>%1 is no results folder: it has no summary.json</translation>
    </message>
    <message>
        <source>summary.json of %1 is damaged: %2</source>
        <translation>summary.json of %1 is damaged: %2</translation>
    </message>
    <message>
        <source>the folder was written by a newer version (%1); what this version knows is shown</source>
        <translation>the folder was written by a newer version (%1); what this version knows is shown</translation>
    </message>
    <message>
        <source>%1: %2 rows have another number of cells than the head</source>
        <translation>%1: %2 rows have another number of cells than the head</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::Chart</name>
    <message>
        <source>Chart</source>
        <translation>Chart</translation>
    </message>
    <message>
        <source>Numbers of the chart</source>
        <translation>Numbers of the chart</translation>
    </message>
    <message>
        <source>%1: %2 at %3</source>
        <translation>%1: %2 at %3</translation>
    </message>
    <message>
        <source>%1 could not be written</source>
        <translation>%1 could not be written</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::Checker</name>
    <message>
        <source>simrun could not be started, so nothing is checked: %1</source>
        <translation>simrun could not be started, so nothing is checked: %1</translation>
    </message>
    <message>
        <source>the program simrun was not found beside simgui or on the PATH, so nothing can be checked or run</source>
        <translation>the program simrun was not found beside simgui or on the PATH, so nothing can be checked or run</translation>
    </message>
    <message>
        <source>nothing was checked, because %1 cannot be written: %2</source>
        <translation>nothing was checked, because %1 cannot be written: %2</translation>
    </message>
    <message>
        <source>the checker stopped unexpectedly or took longer than 20 seconds</source>
        <translation>the checker stopped unexpectedly or took longer than 20 seconds</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>Commands</translation>
    </message>
    <message>
        <source>Type part of a command…</source>
        <translation>Type part of a command…</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Command</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::CompareView</name>
    <message>
        <source>Run A</source>
        <translation>Run A</translation>
    </message>
    <message>
        <source>Run B</source>
        <translation>Run B</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metric</translation>
    </message>
    <message>
        <source>Difference of the answers</source>
        <translation>Difference of the answers</translation>
    </message>
    <message>
        <source>Difference of the inputs</source>
        <translation>Difference of the inputs</translation>
    </message>
    <message>
        <source>Run twice, or open a results folder, to compare</source>
        <translation>Run twice, or open a results folder, to compare</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::JobsModel</name>
    <message>
        <source>Remove %1</source>
        <translation>Remove %1</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>Set %1</translation>
    </message>
    <message>
        <source>The clipboard has no rows</source>
        <translation>The clipboard has no rows</translation>
    </message>
    <message>
        <source>The rows have more cells than the table has columns; a first row may name them: %1</source>
        <translation>The rows have more cells than the table has columns; a first row may name them: %1</translation>
    </message>
    <message>
        <source>Paste jobs</source>
        <translation>Paste jobs</translation>
    </message>
    <message>
        <source>Add a job</source>
        <translation>Add a job</translation>
    </message>
    <message>
        <source>No row could be added</source>
        <translation>No row could be added</translation>
    </message>
    <message>
        <source>Remove a job</source>
        <translation>Remove a job</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::MainWindow</name>
    <message>
        <source>Cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>Workload</translation>
    </message>
    <message>
        <source>Policies and faults</source>
        <translation>Policies and faults</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Results</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Compare</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Network</translation>
    </message>
    <message>
        <source>Kind of machine: %1</source>
        <translation>Kind of machine: %1</translation>
    </message>
    <message>
        <source>no problems</source>
        <translation>no problems</translation>
    </message>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation>
            <numerusform>%n warning</numerusform><numerusform>%n warnings</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n errors</source>
        <translation>
            <numerusform>%n error</numerusform><numerusform>%n errors</numerusform></translation>
    </message>
    <message>
        <source>%1 of %2, %3 s left</source>
        <translation>%1 of %2, %3 s left</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>running…</translation>
    </message>
    <message>
        <source>The run failed: %1</source>
        <translation>The run failed: %1</translation>
    </message>
    <message>
        <source>no reason was given</source>
        <translation>no reason was given</translation>
    </message>
    <message>
        <source>The run was cancelled</source>
        <translation>The run was cancelled</translation>
    </message>
    <message>
        <source>Scenario text</source>
        <translation>Scenario text</translation>
    </message>
    <message>
        <source>Properties</source>
        <translation>Properties</translation>
    </message>
    <message>
        <source>Palette</source>
        <translation>Palette</translation>
    </message>
    <message>
        <source>GPU machines</source>
        <translation>GPU machines</translation>
    </message>
    <message>
        <source>Machines without GPU</source>
        <translation>Machines without GPU</translation>
    </message>
    <message>
        <source>Switch (free network)</source>
        <translation>Switch (free network)</translation>
    </message>
    <message>
        <source>Network: star</source>
        <translation>Network: star</translation>
    </message>
    <message>
        <source>Network: leaf and spine</source>
        <translation>Network: leaf and spine</translation>
    </message>
    <message>
        <source>Network: fat tree</source>
        <translation>Network: fat tree</translation>
    </message>
    <message>
        <source>Network: torus</source>
        <translation>Network: torus</translation>
    </message>
    <message>
        <source>Network: dragonfly</source>
        <translation>Network: dragonfly</translation>
    </message>
    <message>
        <source>Network: rails</source>
        <translation>Network: rails</translation>
    </message>
    <message>
        <source>Drag onto the canvas, or double-click</source>
        <translation>Drag onto the canvas, or double-click</translation>
    </message>
    <message>
        <source>Outline of the cluster</source>
        <translation>Outline of the cluster</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>Outline</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Problems</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Runs</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>What if</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;File</translation>
    </message>
    <message>
        <source>&amp;New scenario</source>
        <translation>&amp;New scenario</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>&amp;Open…</translation>
    </message>
    <message>
        <source>Open a scenario</source>
        <translation>Open a scenario</translation>
    </message>
    <message>
        <source>Scenarios (*.yaml *.yml);;Manifests and results (*.json);;All files (*)</source>
        <translation>Scenarios (*.yaml *.yml);;Manifests and results (*.json);;All files (*)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>Open &amp;recent</translation>
    </message>
    <message>
        <source>nothing yet</source>
        <translation>nothing yet</translation>
    </message>
    <message>
        <source>Open &amp;results folder…</source>
        <translation>Open &amp;results folder…</translation>
    </message>
    <message>
        <source>Open a results folder</source>
        <translation>Open a results folder</translation>
    </message>
    <message>
        <source>&amp;Import compose, Kubernetes, Slurm, NCCL…</source>
        <translation>&amp;Import compose, Kubernetes, Slurm, NCCL…</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Import</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Save</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>Save &amp;as…</translation>
    </message>
    <message>
        <source>&amp;Export picture…</source>
        <translation>&amp;Export picture…</translation>
    </message>
    <message>
        <source>&amp;Welcome page</source>
        <translation>&amp;Welcome page</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Quit</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Edit</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Undo</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Redo</translation>
    </message>
    <message>
        <source>Remove from the &amp;canvas</source>
        <translation>Remove from the &amp;canvas</translation>
    </message>
    <message>
        <source>&amp;Lay out the canvas</source>
        <translation>&amp;Lay out the canvas</translation>
    </message>
    <message>
        <source>Draw l&amp;inks</source>
        <translation>Draw l&amp;inks</translation>
    </message>
    <message>
        <source>Paste &amp;jobs</source>
        <translation>Paste &amp;jobs</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Run</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>&amp;Cancel</translation>
    </message>
    <message>
        <source>E&amp;xplain the result</source>
        <translation>E&amp;xplain the result</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;View</translation>
    </message>
    <message>
        <source>Chart or &amp;table</source>
        <translation>Chart or &amp;table</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Theme</translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation>As the desktop</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Light</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dark</translation>
    </message>
    <message>
        <source>Text &amp;size</source>
        <translation>Text &amp;size</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>&amp;Language</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Help</translation>
    </message>
    <message>
        <source>&amp;Commands…</source>
        <translation>&amp;Commands…</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>&amp;Keys</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Keys</translation>
    </message>
    <message>
        <source>&amp;About Trainyard</source>
        <translation>&amp;About Trainyard</translation>
    </message>
    <message>
        <source>About Trainyard</source>
        <translation>About Trainyard</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Trainyard&lt;/h3&gt;&lt;p&gt;Cluster simulator and capacity planner for distributed deep-learning training.&lt;/p&gt;&lt;p&gt;The sources are under the Apache License 2.0. This program links Qt Charts, which is under the GNU General Public License 3, so this program as a whole is under that licence; Qt itself is used under the LGPL 3, Dear ImGui under the MIT licence.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Trainyard&lt;/h3&gt;&lt;p&gt;Cluster simulator and capacity planner for distributed deep-learning training.&lt;/p&gt;&lt;p&gt;The sources are under the Apache License 2.0. This program links Qt Charts, which is under the GNU General Public License 3, so this program as a whole is under that licence; Qt itself is used under the LGPL 3, Dear ImGui under the MIT licence.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Tools</translation>
    </message>
    <message>
        <source>%1[*] – Trainyard</source>
        <translation>%1[*] – Trainyard</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>Machines</translation>
    </message>
    <message>
        <source>Not opened</source>
        <translation>Not opened</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 cannot be read: %2</translation>
    </message>
    <message>
        <source>Not imported</source>
        <translation>Not imported</translation>
    </message>
    <message>
        <source>simrun import said nothing</source>
        <translation>simrun import said nothing</translation>
    </message>
    <message>
        <source>What was understood</source>
        <translation>What was understood</translation>
    </message>
    <message>
        <source>Changed on disk</source>
        <translation>Changed on disk</translation>
    </message>
    <message>
        <source>%1 was changed by another program since it was opened. Write over it?</source>
        <translation>%1 was changed by another program since it was opened. Write over it?</translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>Not saved</translation>
    </message>
    <message>
        <source>Save the scenario</source>
        <translation>Save the scenario</translation>
    </message>
    <message>
        <source>Scenarios (*.yaml)</source>
        <translation>Scenarios (*.yaml)</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>Unsaved changes</translation>
    </message>
    <message>
        <source>Save the changes of %1?</source>
        <translation>Save the changes of %1?</translation>
    </message>
    <message>
        <source>Export picture</source>
        <translation>Export picture</translation>
    </message>
    <message>
        <source>Pictures (*.png *.svg *.pdf)</source>
        <translation>Pictures (*.png *.svg *.pdf)</translation>
    </message>
    <message>
        <source>Not exported</source>
        <translation>Not exported</translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation>Explanation</translation>
    </message>
    <message>
        <source>Recovered text</source>
        <translation>Recovered text</translation>
    </message>
    <message>
        <source>The program ended last time with unsaved changes in %1. Open them?</source>
        <translation>The program ended last time with unsaved changes in %1. Open them?</translation>
    </message>
    <message>
        <source>recovered.yaml</source>
        <translation>recovered.yaml</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ProblemsPanel</name>
    <message>
        <source>Problems</source>
        <translation>Problems</translation>
    </message>
    <message>
        <source>line %1: </source>
        <translation>line %1: </translation>
    </message>
    <message>
        <source>No problems: simrun accepts this text</source>
        <translation>No problems: simrun accepts this text</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ResultsView</name>
    <message>
        <source>Filter all views…</source>
        <translation>Filter all views…</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Point shown on the canvas</source>
        <translation>Point shown on the canvas</translation>
    </message>
    <message>
        <source>The point of the sweep whose link loads the canvas and the step breakdown show</source>
        <translation>The point of the sweep whose link loads the canvas and the step breakdown show</translation>
    </message>
    <message>
        <source>Across</source>
        <translation>Across</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Up</translation>
    </message>
    <message>
        <source>A line per</source>
        <translation>A line per</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>Chart</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Jobs</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Events</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Timeline</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Step</translation>
    </message>
    <message>
        <source>More</source>
        <translation>More</translation>
    </message>
    <message>
        <source>Where the step's time goes</source>
        <translation>Where the step's time goes</translation>
    </message>
    <message>
        <source>Nothing has run yet. Press Run (F5).</source>
        <translation>Nothing has run yet. Press Run (F5).</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>compute</translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation>exposed communication</translation>
    </message>
    <message>
        <source>input</source>
        <translation>input</translation>
    </message>
    <message>
        <source>waiting for others</source>
        <translation>waiting for others</translation>
    </message>
    <message>
        <source>whole step</source>
        <translation>whole step</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>Critical path</translation>
    </message>
    <message>
        <source>Busiest</source>
        <translation>Busiest</translation>
    </message>
    <message>
        <source>Based on</source>
        <translation>Based on</translation>
    </message>
    <message>
        <source>No step breakdown in this folder</source>
        <translation>No step breakdown in this folder</translation>
    </message>
    <message>
        <source>workers</source>
        <translation>workers</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::RulesView</name>
    <message>
        <source>Sections</source>
        <translation>Sections</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Up</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::RunProcess</name>
    <message>
        <source>simrun could not be started: %1</source>
        <translation>simrun could not be started: %1</translation>
    </message>
    <message>
        <source>the program simrun was not found beside simgui or on the PATH; install it, or set TRAINYARD_SIMRUN to its place</source>
        <translation>the program simrun was not found beside simgui or on the PATH; install it, or set TRAINYARD_SIMRUN to its place</translation>
    </message>
    <message>
        <source>simrun stopped unexpectedly (%1)</source>
        <translation>simrun stopped unexpectedly (%1)</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::RunQueue</name>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 cannot be written: %2</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>waiting</translation>
    </message>
    <message>
        <source>%1 of %2, %3 s left</source>
        <translation>%1 of %2, %3 s left</translation>
    </message>
    <message>
        <source>running</source>
        <translation>running</translation>
    </message>
    <message>
        <source>done</source>
        <translation>done</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>failed</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>cancelled</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>No.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Run</translation>
    </message>
    <message>
        <source>State</source>
        <translation>State</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Time</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Message</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ScenarioDocument</name>
    <message>
        <source>untitled</source>
        <translation>untitled</translation>
    </message>
    <message>
        <source>%1 is not a text file</source>
        <translation>%1 is not a text file</translation>
    </message>
    <message>
        <source>%1 was not saved: %2. The text is still here; choose another place with Save As.</source>
        <translation>%1 was not saved: %2. The text is still here; choose another place with Save As.</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Type</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::SchemaForm</name>
    <message>
        <source>default: %1</source>
        <translation>default: %1</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>yes</translation>
    </message>
    <message>
        <source>no</source>
        <translation>no</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Open…</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>Add…</translation>
    </message>
    <message numerus="yes">
        <source>Open (%n)…</source>
        <translation>
            <numerusform>Open (%n)…</numerusform><numerusform>Open (%n)…</numerusform></translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>Remove %1</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>Set %1</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TimelineView</name>
    <message>
        <source>Timeline</source>
        <translation>Timeline</translation>
    </message>
    <message>
        <source>Work on every GPU, server and link over time; W and S zoom, A and D move</source>
        <translation>Work on every GPU, server and link over time; W and S zoom, A and D move</translation>
    </message>
    <message>
        <source>No timeline: run the scenario, or open a results folder with a trace</source>
        <translation>No timeline: run the scenario, or open a results folder with a trace</translation>
    </message>
    <message>
        <source>%1 on %2 (%3): from %4 to %5, %6</source>
        <translation>%1 on %2 (%3): from %4 to %5, %6</translation>
    </message>
    <message>
        <source>other</source>
        <translation>other</translation>
    </message>
    <message>
        <source>%1 selected: %2</source>
        <translation>%1 selected: %2</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TopologyItem</name>
    <message>
        <source>%1: %2 × %3. Double-click to unfold</source>
        <translation>%1: %2 × %3. Double-click to unfold</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TopologyScene</name>
    <message>
        <source>%1: busy %2 % of the time, the most of %3 links</source>
        <translation>%1: busy %2 % of the time, the most of %3 links</translation>
    </message>
    <message>
        <source>Lay out</source>
        <translation>Lay out</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>Move %1</translation>
    </message>
    <message numerus="yes">
        <source>Move %n items</source>
        <translation>
            <numerusform>Move %n item</numerusform><numerusform>Move %n items</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n items</source>
        <translation>
            <numerusform>%n item</numerusform><numerusform>%n items</numerusform></translation>
    </message>
    <message>
        <source>Use a %1 network</source>
        <translation>Use a %1 network</translation>
    </message>
    <message>
        <source>The network's layout places its own switches. Set topology to graph in the network's properties to draw your own.</source>
        <translation>The network's layout places its own switches. Set topology to graph in the network's properties to draw your own.</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>Add %1</translation>
    </message>
    <message>
        <source>Add GPU machines</source>
        <translation>Add GPU machines</translation>
    </message>
    <message>
        <source>Add machines without GPU</source>
        <translation>Add machines without GPU</translation>
    </message>
    <message>
        <source>Add a kind of machine</source>
        <translation>Add a kind of machine</translation>
    </message>
    <message>
        <source>Nothing selected that can be taken out; links and switches of a layout belong to it</source>
        <translation>Nothing selected that can be taken out; links and switches of a layout belong to it</translation>
    </message>
    <message numerus="yes">
        <source>Remove %n items</source>
        <translation>
            <numerusform>Remove %n item</numerusform><numerusform>Remove %n items</numerusform></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Remove</translation>
    </message>
    <message>
        <source>Links can be drawn in a free network only. Set topology to graph in the network's properties.</source>
        <translation>Links can be drawn in a free network only. Set topology to graph in the network's properties.</translation>
    </message>
    <message>
        <source>Join %1 and %2</source>
        <translation>Join %1 and %2</translation>
    </message>
    <message>
        <source>Drag machines from the palette, or write them in the text</source>
        <translation>Drag machines from the palette, or write them in the text</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TopologyView</name>
    <message>
        <source>Cluster canvas</source>
        <translation>Cluster canvas</translation>
    </message>
    <message>
        <source>Machines, switches and links; the outline lists the same</source>
        <translation>Machines, switches and links; the outline lists the same</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::WelcomePage</name>
    <message>
        <source>What will this training cluster do? Pick a question, change it, run it.</source>
        <translation>What will this training cluster do? Pick a question, change it, run it.</translation>
    </message>
    <message>
        <source>New scenario</source>
        <translation>New scenario</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Open…</translation>
    </message>
    <message>
        <source>Import compose, Kubernetes, Slurm, NCCL…</source>
        <translation>Import compose, Kubernetes, Slurm, NCCL…</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Recent</translation>
    </message>
    <message>
        <source>Ready scenarios</source>
        <translation>Ready scenarios</translation>
    </message>
    <message>
        <source>The folder of the shipped scenarios was not found; set TRAINYARD_DATA to it</source>
        <translation>The folder of the shipped scenarios was not found; set TRAINYARD_DATA to it</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::WhatIfPanel</name>
    <message>
        <source>Add a slider</source>
        <translation>Add a slider</translation>
    </message>
    <message>
        <source>Move a slider: the scenario runs in the background with the changed value; the dashed curve is the answer before.</source>
        <translation>Move a slider: the scenario runs in the background with the changed value; the dashed curve is the answer before.</translation>
    </message>
    <message>
        <source>no numbers in this scenario</source>
        <translation>no numbers in this scenario</translation>
    </message>
    <message>
        <source>Take this slider away</source>
        <translation>Take this slider away</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Keep</translation>
    </message>
    <message>
        <source>Write this value into the scenario</source>
        <translation>Write this value into the scenario</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>Set %1</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 cannot be written: %2</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>running…</translation>
    </message>
    <message>
        <source>%1 before</source>
        <translation>%1 before</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Throughput</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>samples/s</translation>
    </message>
    <message>
        <source>%1
(%2 s)</source>
        <translation>%1
(%2 s)</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::WorkloadView</name>
    <message>
        <source>Add job</source>
        <translation>Add job</translation>
    </message>
    <message>
        <source>Remove job</source>
        <translation>Remove job</translation>
    </message>
    <message>
        <source>Paste rows</source>
        <translation>Paste rows</translation>
    </message>
    <message>
        <source>Rows from a spreadsheet; a first row may name the columns</source>
        <translation>Rows from a spreadsheet; a first row may name the columns</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Jobs</translation>
    </message>
    <message>
        <source>Job %1</source>
        <translation>Job %1</translation>
    </message>
    <message>
        <source>How it trains</source>
        <translation>How it trains</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>layer</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>gradient</translation>
    </message>
    <message>
        <source>forward work, Gflop per sample</source>
        <translation>forward work, Gflop per sample</translation>
    </message>
    <message>
        <source>%1: %2 layers, %3 million parameters, %4 MB of gradients in 32 bits, %5 Gflop forward per sample</source>
        <translation>%1: %2 layers, %3 million parameters, %4 MB of gradients in 32 bits, %5 Gflop forward per sample</translation>
    </message>
    <message>
        <source>Gradient of each layer (MB) and its work</source>
        <translation>Gradient of each layer (MB) and its work</translation>
    </message>
    <message>
        <source>layer, from the input</source>
        <translation>layer, from the input</translation>
    </message>
    <message>
        <source>MB, Gflop</source>
        <translation>MB, Gflop</translation>
    </message>
    <message numerus="yes">
        <source>%n jobs added</source>
        <translation>
            <numerusform>%n job added</numerusform><numerusform>%n jobs added</numerusform></translation>
    </message>
</context>
<context>
    <name>trainyard::gui::YamlEditor</name>
    <message>
        <source>Scenario text</source>
        <translation>Scenario text</translation>
    </message>
</context>
</TS>