<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>trainyard::gui::MainWindow</name>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n errors</source>
        <translation>
            <numerusform>%n error</numerusform>
            <numerusform>%n errors</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ResultsView</name>
    <message numerus="yes">
        <source>%n more lines…</source>
        <translation>
            <numerusform>%n more line…</numerusform>
            <numerusform>%n more lines…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>(%n designs are far above the chart; see the table)</source>
        <translation>
            <numerusform>(%n design is far above the chart; see the table)</numerusform>
            <numerusform>(%n designs are far above the chart; see the table)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trainyard::gui::SchemaForm</name>
    <message numerus="yes">
        <source>Open (%n)…</source>
        <translation>
            <numerusform>Open (%n)…</numerusform>
            <numerusform>Open (%n)…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TopologyScene</name>
    <message numerus="yes">
        <source>Move %n items</source>
        <translation>
            <numerusform>Move %n item</numerusform>
            <numerusform>Move %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n items</source>
        <translation>
            <numerusform>%n item</numerusform>
            <numerusform>%n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Remove %n items</source>
        <translation>
            <numerusform>Remove %n item</numerusform>
            <numerusform>Remove %n items</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Align %n items</source>
        <translation>
            <numerusform>Align %n item</numerusform>
            <numerusform>Align %n items</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trainyard::gui::WorkloadView</name>
    <message numerus="yes">
        <source>%n jobs added</source>
        <translation>
            <numerusform>%n job added</numerusform>
            <numerusform>%n jobs added</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TimelinePage</name>
    <message numerus="yes">
        <source>%1 chosen, %n lanes</source>
        <translation>
            <numerusform>%1 chosen, %n lane</numerusform>
            <numerusform>%1 chosen, %n lanes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trainyard::gui::PipelineView</name>
    <message numerus="yes">
        <source>%1 at %2: %3, of them %4 activations of %n chunk(s)</source>
        <translation>
            <numerusform>%1 at %2: %3, of them %4 activations of %n chunk</numerusform>
            <numerusform>%1 at %2: %3, of them %4 activations of %n chunks</numerusform>
        </translation>
    </message>
</context>
</TS>
