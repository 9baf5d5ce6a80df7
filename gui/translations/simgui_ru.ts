<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ru" sourcelanguage="en">
<context>
    <name>trainyard::gui::FlameView</name>
    <message>
        <source>Where the time went: kinds of work and modules</source>
        <translation>На что ушло время: виды работы и модули</translation>
    </message>
    <message>
        <source>Click or Enter: this part alone · arrows: go from part to part · Escape: all</source>
        <translation>Щелчок или Enter: только эта часть · стрелки: от части к части · Escape: всё</translation>
    </message>
    <message>
        <source>all</source>
        <translation>всё</translation>
    </message>
    <message>
        <source>%1: %2, %3 % of all, %4 pieces</source>
        <translation>%1: %2, %3 % всего, кусков: %4</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Progress</source>
        <translation>Выполнено</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Время</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Что</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>Задание</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Вид</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Скорость</translation>
    </message>
    <message>
        <source>Flow</source>
        <translation>Поток</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Передано</translation>
    </message>
    <message>
        <source>Limited by</source>
        <translation>Сдерживает</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Занято</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>Связь</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>Ёмкость</translation>
    </message>
    <message>
        <source>Flows</source>
        <translation>Потоки</translation>
    </message>
    <message>
        <source>Start over</source>
        <translation>Сначала</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Начать</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Шаг</translation>
    </message>
    <message>
        <source>10 steps</source>
        <translation>10 шагов</translation>
    </message>
    <message>
        <source>100 steps</source>
        <translation>100 шагов</translation>
    </message>
    <message>
        <source>Run until</source>
        <translation>До времени</translation>
    </message>
    <message>
        <source>To the end</source>
        <translation>До конца</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Пауза</translation>
    </message>
    <message>
        <source>filter</source>
        <translation>фильтр</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>выполняется…</translation>
    </message>
    <message>
        <source>The simulation has ended</source>
        <translation>Симуляция закончена</translation>
    </message>
    <message>
        <source>Press Start to step through the current scenario</source>
        <translation>«Начать» проходит по шагам нынешний сценарий</translation>
    </message>
    <message>
        <source>Event queue (%1)</source>
        <translation>Очередь событий (%1)</translation>
    </message>
    <message>
        <source>Active flows (%1)</source>
        <translation>Активные потоки (%1)</translation>
    </message>
    <message>
        <source>Links in use</source>
        <translation>Занятые связи</translation>
    </message>
    <message>
        <source>Engine inspector</source>
        <translation>Инспектор движка</translation>
    </message>
    <message>
        <source>Event queue, flows and links of a simulation, step by step; simrun inspect shows the same as text</source>
        <translation>Очередь событий, потоки и связи пошаговой симуляции; simrun inspect сообщает то же текстом</translation>
    </message>
    <message>
        <source>day %1, %2</source>
        <translation>день %1, %2</translation>
    </message>
    <message>
        <source>arrives</source>
        <translation>приходит</translation>
    </message>
    <message>
        <source>ends</source>
        <translation>завершается</translation>
    </message>
    <message>
        <source>start</source>
        <translation>запустить</translation>
    </message>
    <message>
        <source>preempt</source>
        <translation>вытеснить</translation>
    </message>
    <message>
        <source>resize</source>
        <translation>изменить размер</translation>
    </message>
    <message>
        <source>fails and waits again</source>
        <translation>сбой, снова ждёт</translation>
    </message>
    <message>
        <source>is given up</source>
        <translation>оставлено навсегда</translation>
    </message>
    <message>
        <source>policy decides again</source>
        <translation>политика смотрит снова</translation>
    </message>
    <message>
        <source>failure or repair</source>
        <translation>отказ или ремонт</translation>
    </message>
    <message>
        <source>Where, or why not</source>
        <translation>Где или почему нет</translation>
    </message>
    <message>
        <source>%1: not possible</source>
        <translation>%1: невозможно</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Ends</source>
        <translation>Конец</translation>
    </message>
    <message>
        <source>On</source>
        <translation>На</translation>
    </message>
    <message>
        <source>Waits for</source>
        <translation>Ждёт</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Почему</translation>
    </message>
    <message>
        <source>%1 · %2 · %3 of %4 GPUs free · the policy has decided %5 times</source>
        <translation>%1 · %2 · свободно %3 из %4 GPU · решений политики: %5</translation>
    </message>
    <message>
        <source>%1 jobs finished, %2 never ran</source>
        <translation>завершено заданий: %1, так и не запущено: %2</translation>
    </message>
    <message>
        <source>Events at this time, and decisions of the policy (%1)</source>
        <translation>Что произошло и что решила политика (%1)</translation>
    </message>
    <message>
        <source>Running jobs (%1)</source>
        <translation>Выполняются (%1)</translation>
    </message>
    <message>
        <source>Waiting jobs (%1)</source>
        <translation>Ждут (%1)</translation>
    </message>
    <message>
        <source>a time such as 0.5 s, 20 min, 2 h or 1 d</source>
        <translation>время, например 0.5 s, 20 min, 2 h или 1 d</translation>
    </message>
    <message>
        <source>time %1 · %2 instants · rates worked out %3 times, %4 in all, %5 the last time · %6 levels filled · at most %7 flows at once</source>
        <translation>время %1 · моментов: %2 · скорости вычислялись %3 раз, всего %4, в последний раз %5 · заполнено уровней: %6 · не больше %7 потоков одновременно</translation>
    </message>
</context>
<context>
    <name>Picture</name>
    <message>
        <source>%1 could not be written</source>
        <translation>Не удалось записать %1</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>%1: a job waits %2 on average instead of %3; all are done after %4 instead of %5</source>
        <translation>%1: задание ждёт в среднем %2 вместо %3; всё готово через %4 вместо %5</translation>
    </message>
    <message>
        <source>no GPU</source>
        <translation>без GPU</translation>
    </message>
    <message>
        <source>%1 machines: only the groups are drawn</source>
        <translation>Машин: %1; показаны только группы</translation>
    </message>
    <message>
        <source>%1 switches</source>
        <translation>коммутаторов: %1</translation>
    </message>
    <message>
        <source>%1 – %2: %3 links, %4 in total in each direction</source>
        <translation>%1 – %2: связей %3, вместе %4 в каждую сторону</translation>
    </message>
    <message>
        <source>workers</source>
        <translation>рабочие процессы</translation>
    </message>
    <message>
        <source>%1 cannot be read</source>
        <translation>Не удаётся прочитать %1</translation>
    </message>
    <message>
        <source>%1 is damaged: %2</source>
        <translation>Файл %1 повреждён: %2</translation>
    </message>
    <message>
        <source>%1 unpacks to more than %2 MB; open it in Perfetto, or run again with a lower trace level</source>
        <translation>%1 в распакованном виде больше %2 МБ; откройте его в Perfetto или повторите запуск с меньшей подробностью</translation>
    </message>
    <message>
        <source>%1 is not a Chrome trace or is damaged: %2</source>
        <translation>%1 — не трасса Chrome или файл повреждён: %2</translation>
    </message>
    <message>
        <source>Timeline: zoom in and out, move left and right</source>
        <translation>Шкала времени: приблизить и отдалить, сдвинуть влево и вправо</translation>
    </message>
    <message>
        <source>Canvas: zoom in and out, show all</source>
        <translation>Холст: приблизить и отдалить, показать всё</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>Не удаётся прочитать %1: %2</translation>
    </message>
    <message>
        <source>%1 is not a results folder: it has no summary.json</source>
        <translation>%1 — не папка результатов: в ней нет summary.json</translation>
    </message>
    <message>
        <source>summary.json of %1 is damaged: %2</source>
        <translation>summary.json в %1 повреждён: %2</translation>
    </message>
    <message>
        <source>a newer version (%1) wrote this folder; only the parts that this version knows are shown</source>
        <translation>папку записала более новая версия (%1); показано то, что понимает эта версия</translation>
    </message>
    <message>
        <source>%1: in %2 rows the number of cells differs from the header</source>
        <translation>%1: в %2 строках число ячеек не такое, как в заголовке</translation>
    </message>
    <message>
        <source>%1, rack %2</source>
        <translation>%1, стойка %2</translation>
    </message>
    <message>
        <source>The scenario lists its jobs, or has none yet. Set generate or trace to get jobs that arrive over time.</source>
        <translation>Сценарий перечисляет задания сам или ещё не имеет их: задайте generate или trace, чтобы задания приходили со временем.</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>ожидает</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>работает</translation>
    </message>
    <message>
        <source>job %1</source>
        <translation>задание %1</translation>
    </message>
    <message>
        <source>where</source>
        <translation>где</translation>
    </message>
    <message>
        <source>%1, low</source>
        <translation>%1, нижняя граница</translation>
    </message>
    <message>
        <source>%1, high</source>
        <translation>%1, верхняя граница</translation>
    </message>
    <message>
        <source>%1, %</source>
        <translation>%1, %</translation>
    </message>
    <message>
        <source>%1: sure</source>
        <translation>%1: достоверно</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>да</translation>
    </message>
    <message>
        <source>no</source>
        <translation>нет</translation>
    </message>
    <message>
        <source>key</source>
        <translation>ключ</translation>
    </message>
    <message>
        <source>This link carried nothing in the run that is shown.</source>
        <translation>В показанном запуске по этой связи ничего не передавалось.</translation>
    </message>
    <message>
        <source>%1 (%2): busy %3 % of the time; it carried %4 in %5 s, %6 % of what %7 could carry; used by %8</source>
        <translation>%1 (%2): занята %3 % времени; передала %4 за %5 с — %6 % от возможного при %7; кто пользуется: %8</translation>
    </message>
    <message>
        <source>… and %1 more links of this bundle</source>
        <translation>… и ещё связей в этом пучке: %1</translation>
    </message>
    <message>
        <source>%1 exchanges %2 per step; bottleneck: %3</source>
        <translation>%1 обменивается %2 за шаг; что сдерживает: %3</translation>
    </message>
    <message>
        <source>%1 is trained</source>
        <translation>%1 обучается</translation>
    </message>
    <message>
        <source>%1 is out of date</source>
        <translation>%1 устарела</translation>
    </message>
    <message>
        <source>out of date</source>
        <translation>устарела</translation>
    </message>
    <message>
        <source>Timeline: keep the clicked lane at the top</source>
        <translation>Шкала времени: закрепить выбранную строку вверху</translation>
    </message>
    <message>
        <source>manifest.json of %1 is damaged: %2</source>
        <translation>manifest.json в %1 повреждён: %2</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>вычисления</translation>
    </message>
    <message>
        <source>host starts operators</source>
        <translation>запуск операций процессором</translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation>открытый обмен</translation>
    </message>
    <message>
        <source>input</source>
        <translation>ввод данных</translation>
    </message>
    <message>
        <source>the pipeline&apos;s bubble</source>
        <translation>простой конвейера</translation>
    </message>
    <message>
        <source>waiting for others</source>
        <translation>ожидание других</translation>
    </message>
    <message>
        <source>whole step</source>
        <translation>весь шаг</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>Критический путь</translation>
    </message>
    <message>
        <source>Busiest</source>
        <translation>Самые загруженные</translation>
    </message>
    <message>
        <source>Based on</source>
        <translation>Основано на</translation>
    </message>
    <message>
        <source>figure</source>
        <translation>показатель</translation>
    </message>
    <message>
        <source>value</source>
        <translation>значение</translation>
    </message>
    <message>
        <source>%1, perfect scaling</source>
        <translation>%1, идеальное масштабирование</translation>
    </message>
    <message>
        <source>perfect scaling</source>
        <translation>идеальное масштабирование</translation>
    </message>
    <message>
        <source>communication that compute does not hide</source>
        <translation>обмен, не скрытый вычислениями</translation>
    </message>
    <message>
        <source>other</source>
        <translation>прочее</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Копировать как Markdown</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>Копировать как CSV</translation>
    </message>
    <message>
        <source>%1 GPU %2</source>
        <translation>%1 GPU %2</translation>
    </message>
    <message>
        <source>busiest link</source>
        <translation>самая занятая связь</translation>
    </message>
    <message>
        <source>GPUs busy</source>
        <translation>занято GPU</translation>
    </message>
    <message>
        <source>jobs waiting</source>
        <translation>ждёт заданий</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>отказ: %1</translation>
    </message>
    <message>
        <source>Timeline: fold or unfold all groups</source>
        <translation>Шкала времени: свернуть или развернуть все группы</translation>
    </message>
    <message>
        <source>Timeline: critical path, arrows of messages</source>
        <translation>Шкала времени: критический путь, стрелки сообщений</translation>
    </message>
    <message>
        <source>Timeline: to what the chosen work waited for, to what waited for it</source>
        <translation>Шкала времени: к тому, чего ждала выбранная работа; к тому, что ждало её</translation>
    </message>
    <message>
        <source>Timeline: what is chosen fills the view</source>
        <translation>Шкала времени: показать выбранное во всю ширину</translation>
    </message>
    <message>
        <source>Canvas: select the next item; with Ctrl: move what is selected</source>
        <translation>Холст: выбрать соседний элемент; с Ctrl — сдвинуть выбранное</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>Сохранить в CSV…</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>Сохранить таблицу</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>Таблицы (*.csv)</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>Не удалось записать %1: %2</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Выделить всё</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ArrivalsView</name>
    <message>
        <source>Audit of the trace</source>
        <translation>Проверка трассы</translation>
    </message>
    <message>
        <source>Jobs over time</source>
        <translation>Задания во времени</translation>
    </message>
    <message>
        <source>%1 jobs over %2 days</source>
        <translation>Заданий: %1, дней: %2</translation>
    </message>
    <message>
        <source>jobs submitted</source>
        <translation>поступило заданий</translation>
    </message>
    <message>
        <source>When jobs arrive</source>
        <translation>Когда приходят задания</translation>
    </message>
    <message>
        <source>time, h</source>
        <translation>время, ч</translation>
    </message>
    <message>
        <source>jobs</source>
        <translation>задания</translation>
    </message>
    <message>
        <source>run time</source>
        <translation>время работы</translation>
    </message>
    <message>
        <source>Run times of jobs</source>
        <translation>Сколько они работают</translation>
    </message>
    <message>
        <source>run time, h</source>
        <translation>время работы, ч</translation>
    </message>
    <message>
        <source>% of the jobs</source>
        <translation>% заданий</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::Chart</name>
    <message>
        <source>Chart</source>
        <translation>График</translation>
    </message>
    <message>
        <source>Numbers of the chart</source>
        <translation>Числа графика</translation>
    </message>
    <message>
        <source>Whole chart</source>
        <translation>Весь график</translation>
    </message>
    <message>
        <source>Back from the enlarged part; a right click does the same</source>
        <translation>Назад от увеличенной части; то же делает правый щелчок</translation>
    </message>
    <message>
        <source>These results are numbers without a chart; there is no picture of them</source>
        <translation>Эти результаты — числа без графика; их нельзя сохранить как рисунок</translation>
    </message>
    <message>
        <source>Save picture…</source>
        <translation>Сохранить рисунок…</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>Сохранить рисунок</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png *.pdf)</source>
        <translation>Рисунки (*.svg *.png *.pdf)</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>Копировать рисунок</translation>
    </message>
    <message>
        <source>Save numbers as CSV…</source>
        <translation>Сохранить числа в CSV…</translation>
    </message>
    <message>
        <source>Save numbers</source>
        <translation>Сохранить числа</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>Таблицы (*.csv)</translation>
    </message>
    <message>
        <source>Copy numbers as CSV</source>
        <translation>Копировать числа в CSV</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::Checker</name>
    <message>
        <source>simrun could not be started, so nothing is checked: %1</source>
        <translation>Не удалось запустить simrun, проверки нет: %1</translation>
    </message>
    <message>
        <source>the program simrun was not found in the folder of simgui or on the PATH, so nothing can be checked or run</source>
        <translation>программа simrun не найдена ни рядом с simgui, ни в PATH: ни проверить, ни запустить сценарий нельзя</translation>
    </message>
    <message>
        <source>nothing was checked, because %1 cannot be written: %2</source>
        <translation>проверки не было: не удаётся записать %1: %2</translation>
    </message>
    <message>
        <source>the checker stopped unexpectedly or took longer than 20 seconds</source>
        <translation>проверка неожиданно прервалась или длилась более 20 секунд</translation>
    </message>
    <message>
        <source>the file is empty; File &gt; New gives a scenario that runs, to start from</source>
        <translation>файл пуст; «Файл &gt; Новый» даёт сценарий, который запускается, для начала</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>Команды</translation>
    </message>
    <message>
        <source>Type part of a command…</source>
        <translation>Введите часть команды…</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Команда</translation>
    </message>
    <message>
        <source>No command has these words</source>
        <translation>Нет команды с такими словами</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::CompareView</name>
    <message>
        <source>Differences of the results</source>
        <translation>Разница результатов</translation>
    </message>
    <message>
        <source>Differences of the inputs</source>
        <translation>Разница исходных данных</translation>
    </message>
    <message>
        <source>Run two scenarios, or open a results folder, to compare</source>
        <translation>Чтобы сравнить, выполните два запуска или откройте папку результатов</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Запуски</translation>
    </message>
    <message>
        <source>Open results folder…</source>
        <translation>Открыть папку результатов…</translation>
    </message>
    <message>
        <source>Compared with</source>
        <translation>Сравнивать с</translation>
    </message>
    <message>
        <source>Measure shown in the table</source>
        <translation>Показатель в таблице</translation>
    </message>
    <message>
        <source>Curve shown in the chart</source>
        <translation>Кривая на графике</translation>
    </message>
    <message>
        <source>Run two scenarios, or open results folders, to compare them.</source>
        <translation>Чтобы сравнивать, выполните два запуска или откройте папки результатов.</translation>
    </message>
    <message>
        <source>Check at least two runs.</source>
        <translation>Отметьте хотя бы два запуска.</translation>
    </message>
    <message>
        <source>comparing…</source>
        <translation>сравнение…</translation>
    </message>
    <message>
        <source>These runs have no measure in common.</source>
        <translation>У этих запусков нет ничего общего, что можно сравнить.</translation>
    </message>
    <message>
        <source>The numbers are those of simrun compare, at %1 % confidence.</source>
        <translation>Числа те же, что у simrun compare, с доверием %1 %.</translation>
    </message>
    <message>
        <source>Not drawn, because something else varies there: %1</source>
        <translation>Не показаны, потому что там меняется другое: %1</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::FaultAxis</name>
    <message>
        <source>Failures over time</source>
        <translation>Отказы во времени</translation>
    </message>
    <message>
        <source>Arrow keys move the selected failure, Delete removes it; the table shows the same failures</source>
        <translation>Стрелки двигают выбранный отказ, Delete убирает его; в таблице то же самое</translation>
    </message>
    <message>
        <source>There are no failures. To add one, double-click here or on a rack on the canvas.</source>
        <translation>Отказов нет. Щёлкните дважды здесь или по стойке на холсте, чтобы задать отказ.</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::FaultsModel</name>
    <message>
        <source>%1 fails at %2</source>
        <translation>%1: отказ в %2</translation>
    </message>
    <message>
        <source>Remove the failure of %1</source>
        <translation>Убрать отказ: %1</translation>
    </message>
    <message>
        <source>Move the failure of %1</source>
        <translation>Сдвинуть отказ: %1</translation>
    </message>
    <message>
        <source>for ever</source>
        <translation>навсегда</translation>
    </message>
    <message>
        <source>Change the failure of %1</source>
        <translation>Изменить отказ: %1</translation>
    </message>
    <message>
        <source>What fails</source>
        <translation>Что</translation>
    </message>
    <message>
        <source>At</source>
        <translation>Когда</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Длительность</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::FaultsView</name>
    <message>
        <source>Failures</source>
        <translation>Отказы</translation>
    </message>
    <message>
        <source>Add a failure…</source>
        <translation>Добавить отказ…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Убрать</translation>
    </message>
    <message>
        <source>Fail at…</source>
        <translation>Отказ в…</translation>
    </message>
    <message>
        <source>empty: never repaired</source>
        <translation>пусто: навсегда</translation>
    </message>
    <message>
        <source>What fails</source>
        <translation>Что отказывает</translation>
    </message>
    <message>
        <source>When (hh:mm or 90 min)</source>
        <translation>Когда (чч:мм или 90 min)</translation>
    </message>
    <message>
        <source>For how long</source>
        <translation>Как долго</translation>
    </message>
    <message>
        <source>Give what fails, a time such as 02:00 or 90 min, and a duration such as 6 h, or leave the duration empty.</source>
        <translation>Укажите, что отказывает, время (02:00 или 90 min) и длительность (6 h) или ничего.</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ImportReportView</name>
    <message>
        <source>What</source>
        <translation>Что</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Строка</translation>
    </message>
    <message>
        <source>Import report</source>
        <translation>Отчёт об импорте</translation>
    </message>
    <message>
        <source>Imported file</source>
        <translation>Импортированный источник</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>Ошибки</translation>
    </message>
    <message>
        <source>Understood</source>
        <translation>Понято</translation>
    </message>
    <message>
        <source>Assumed</source>
        <translation>Предположено</translation>
    </message>
    <message>
        <source>Ignored</source>
        <translation>Пропущено</translation>
    </message>
    <message>
        <source>Drop a compose, Kubernetes, Slurm, NCCL or trace file onto the window, or choose Import.</source>
        <translation>Перетащите в окно файл compose, Kubernetes, Slurm, NCCL или трассу либо выберите «Импорт».</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>Не удаётся прочитать %1: %2</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::InfoBar</name>
    <message>
        <source>Close this message</source>
        <translation>Закрыть сообщение</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Сообщение</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::InspectorProcess</name>
    <message>
        <source>simrun could not be started: %1</source>
        <translation>Не удалось запустить simrun: %1</translation>
    </message>
    <message>
        <source>simrun stopped unexpectedly (%1)</source>
        <translation>simrun неожиданно остановился (%1)</translation>
    </message>
    <message>
        <source>simrun ended with code %1</source>
        <translation>simrun завершился с кодом %1</translation>
    </message>
    <message>
        <source>the program simrun was not found in the folder of simgui or on the PATH; install it, or set TRAINYARD_SIMRUN to its path</source>
        <translation>программа simrun не найдена ни рядом с simgui, ни в PATH; установите её или укажите путь в TRAINYARD_SIMRUN</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>Не удаётся записать %1: %2</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::JobsModel</name>
    <message>
        <source>Remove %1</source>
        <translation>Удалить %1</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>Задать %1</translation>
    </message>
    <message>
        <source>The clipboard has no rows</source>
        <translation>В буфере обмена нет строк</translation>
    </message>
    <message>
        <source>The rows have more cells than the table has columns; a first row may name the columns: %1</source>
        <translation>В строках больше ячеек, чем столбцов в таблице; первая строка может называть их: %1</translation>
    </message>
    <message>
        <source>Paste jobs</source>
        <translation>Вставить задания</translation>
    </message>
    <message>
        <source>Add a job</source>
        <translation>Добавить задание</translation>
    </message>
    <message>
        <source>No row could be added</source>
        <translation>Ни одной строки добавить не удалось</translation>
    </message>
    <message>
        <source>Remove a job</source>
        <translation>Удалить задание</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::LoadScrubber</name>
    <message>
        <source>Link load</source>
        <translation>Загрузка связей</translation>
    </message>
    <message>
        <source>Play over time</source>
        <translation>Пустить время</translation>
    </message>
    <message>
        <source>Time of the link loads</source>
        <translation>Время загрузки связей</translation>
    </message>
    <message>
        <source>whole run</source>
        <translation>весь запуск</translation>
    </message>
    <message>
        <source>Shown: %1</source>
        <translation>Показано: %1</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::MainWindow</name>
    <message>
        <source>This scenario has no job that could be divided.</source>
        <translation>В этом сценарии нет задания, которое можно разделить.</translation>
    </message>
    <message>
        <source>&amp;Divide the first job among its GPUs</source>
        <translation>&amp;Разделить первое задание между его GPU</translation>
    </message>
    <message>
        <source>Pipeline: 2 stages of layers (parallel.pp: 2)</source>
        <translation>Конвейер: 2 ступени слоёв (parallel.pp: 2)</translation>
    </message>
    <message>
        <source>Tensor parallel: 2 GPUs share every matrix (parallel.tp: 2)</source>
        <translation>Тензорный параллелизм: 2 GPU делят каждую матрицу (parallel.tp: 2)</translation>
    </message>
    <message>
        <source>DDP: every replica holds all (parallel.zero: 0)</source>
        <translation>DDP: у каждой реплики есть всё (parallel.zero: 0)</translation>
    </message>
    <message>
        <source>FSDP, ZeRO-3: replicas share weights, gradients and optimiser (parallel.zero: 3)</source>
        <translation>FSDP, ZeRO-3: реплики делят веса, градиенты и оптимизатор (parallel.zero: 3)</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>Кластер</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>Нагрузка</translation>
    </message>
    <message>
        <source>Policies and faults</source>
        <translation>Правила и отказы</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Результаты</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Сравнение</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Сеть</translation>
    </message>
    <message>
        <source>Machine type: %1</source>
        <translation>Тип машины: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation>
            <numerusform>%n предупреждение</numerusform>
            <numerusform>%n предупреждения</numerusform>
            <numerusform>%n предупреждений</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n errors</source>
        <translation>
            <numerusform>%n ошибка</numerusform>
            <numerusform>%n ошибки</numerusform>
            <numerusform>%n ошибок</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2, %3 s left</source>
        <translation>%1 из %2, осталось %3 с</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>выполняется…</translation>
    </message>
    <message>
        <source>The run failed: %1</source>
        <translation>Запуск не удался: %1</translation>
    </message>
    <message>
        <source>no reason was given</source>
        <translation>причина не указана</translation>
    </message>
    <message>
        <source>The run was cancelled</source>
        <translation>Запуск отменён</translation>
    </message>
    <message>
        <source>Scenario text</source>
        <translation>Текст сценария</translation>
    </message>
    <message>
        <source>Properties</source>
        <translation>Свойства</translation>
    </message>
    <message>
        <source>Palette</source>
        <translation>Палитра</translation>
    </message>
    <message>
        <source>GPU machines</source>
        <translation>Машины с GPU</translation>
    </message>
    <message>
        <source>Machines without GPU</source>
        <translation>Машины без GPU</translation>
    </message>
    <message>
        <source>Switch (free network)</source>
        <translation>Коммутатор (произвольная сеть)</translation>
    </message>
    <message>
        <source>Network: star</source>
        <translation>Сеть: звезда</translation>
    </message>
    <message>
        <source>Network: leaf and spine</source>
        <translation>Сеть: leaf–spine</translation>
    </message>
    <message>
        <source>Network: fat tree</source>
        <translation>Сеть: толстое дерево</translation>
    </message>
    <message>
        <source>Network: torus</source>
        <translation>Сеть: тор</translation>
    </message>
    <message>
        <source>Network: dragonfly</source>
        <translation>Сеть: dragonfly</translation>
    </message>
    <message>
        <source>Network: rails</source>
        <translation>Сеть: рельсы</translation>
    </message>
    <message>
        <source>Drag onto the canvas, or double-click</source>
        <translation>Перетащите на холст или щёлкните дважды</translation>
    </message>
    <message>
        <source>Outline of the cluster</source>
        <translation>Структура кластера</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>Структура</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Замечания</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Запуски</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>Что если</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Файл</translation>
    </message>
    <message>
        <source>&amp;New scenario</source>
        <translation>&amp;Новый сценарий</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>&amp;Открыть…</translation>
    </message>
    <message>
        <source>Open a scenario</source>
        <translation>Открыть сценарий</translation>
    </message>
    <message>
        <source>Scenarios (*.yaml *.yml);;Manifests and results (*.json);;All files (*)</source>
        <translation>Сценарии (*.yaml *.yml);;Манифесты и результаты (*.json);;Все файлы (*)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>Открыть &amp;недавний</translation>
    </message>
    <message>
        <source>nothing yet</source>
        <translation>пока пусто</translation>
    </message>
    <message>
        <source>Open &amp;results folder…</source>
        <translation>Открыть папку &amp;результатов…</translation>
    </message>
    <message>
        <source>Open a results folder</source>
        <translation>Открыть папку результатов</translation>
    </message>
    <message>
        <source>&amp;Import compose, Kubernetes, Slurm, NCCL…</source>
        <translation>&amp;Импорт: compose, Kubernetes, Slurm, NCCL…</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Импорт</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Сохранить</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>Сохранить &amp;как…</translation>
    </message>
    <message>
        <source>&amp;Export picture…</source>
        <translation>&amp;Экспорт изображения…</translation>
    </message>
    <message>
        <source>&amp;Welcome page</source>
        <translation>&amp;Начальная страница</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>В&amp;ыход</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Правка</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Отменить</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Вернуть</translation>
    </message>
    <message>
        <source>Remove from the &amp;canvas</source>
        <translation>Удалить с &amp;холста</translation>
    </message>
    <message>
        <source>&amp;Lay out the canvas</source>
        <translation>&amp;Разложить холст</translation>
    </message>
    <message>
        <source>Draw l&amp;inks</source>
        <translation>Рисовать &amp;связи</translation>
    </message>
    <message>
        <source>Paste &amp;jobs</source>
        <translation>Вставить &amp;задания</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Запуск</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>&amp;Отмена</translation>
    </message>
    <message>
        <source>E&amp;xplain the result</source>
        <translation>О&amp;бъяснить результат</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Вид</translation>
    </message>
    <message>
        <source>Chart or &amp;table</source>
        <translation>График или &amp;таблица</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Тема</translation>
    </message>
    <message>
        <source>Same as the desktop</source>
        <translation>Как в системе</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Светлая</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Тёмная</translation>
    </message>
    <message>
        <source>Text &amp;size</source>
        <translation>&amp;Размер текста</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>&amp;Язык</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Справка</translation>
    </message>
    <message>
        <source>&amp;Commands…</source>
        <translation>&amp;Команды…</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>&amp;Клавиши</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Клавиши</translation>
    </message>
    <message>
        <source>&amp;About Trainyard</source>
        <translation>&amp;О программе Trainyard</translation>
    </message>
    <message>
        <source>About Trainyard</source>
        <translation>О программе Trainyard</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Trainyard&lt;/h3&gt;&lt;p&gt;Cluster simulator and capacity planner for distributed deep-learning training.&lt;/p&gt;&lt;p&gt;The sources are under the Apache License 2.0. This program links Qt Charts, which is under the GNU General Public License 3, so this program as a whole is under that licence; Qt itself is used under the LGPL 3, Dear ImGui under the MIT licence.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Trainyard&lt;/h3&gt;&lt;p&gt;Симулятор кластеров и планирование мощностей для распределённого обучения нейросетей.&lt;/p&gt;&lt;p&gt;Исходные тексты — под Apache License 2.0. Программа скомпонована с Qt Charts (GNU General Public License 3), поэтому в целом она распространяется на условиях этой лицензии; Qt используется по LGPL 3, Dear ImGui — по лицензии MIT.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Инструменты</translation>
    </message>
    <message>
        <source>%1[*] – Trainyard</source>
        <translation>%1[*] – Trainyard</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>Машины</translation>
    </message>
    <message>
        <source>Not opened</source>
        <translation>Не открыто</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>Не удаётся прочитать %1: %2</translation>
    </message>
    <message>
        <source>simrun import gave no message</source>
        <translation>simrun import ничего не сообщил</translation>
    </message>
    <message>
        <source>Changed on disk</source>
        <translation>Файл изменён на диске</translation>
    </message>
    <message>
        <source>Another program changed %1 since it was opened. Overwrite it?</source>
        <translation>Файл %1 был изменён другой программой после открытия. Перезаписать?</translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>Не сохранено</translation>
    </message>
    <message>
        <source>Save the scenario</source>
        <translation>Сохранить сценарий</translation>
    </message>
    <message>
        <source>Scenarios (*.yaml)</source>
        <translation>Сценарии (*.yaml)</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>Несохранённые изменения</translation>
    </message>
    <message>
        <source>Save the changes of %1?</source>
        <translation>Сохранить изменения в %1?</translation>
    </message>
    <message>
        <source>Export picture</source>
        <translation>Экспорт изображения</translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation>Объяснение</translation>
    </message>
    <message>
        <source>Recovered text</source>
        <translation>Восстановленный текст</translation>
    </message>
    <message>
        <source>The program ended last time with unsaved changes in %1. Open them?</source>
        <translation>В прошлый раз программа завершилась с несохранёнными изменениями в %1. Открыть их?</translation>
    </message>
    <message>
        <source>Make something &amp;fail…</source>
        <translation>Задать &amp;отказ…</translation>
    </message>
    <message>
        <source>&amp;Step through the simulation</source>
        <translation>&amp;Пошаговая симуляция</translation>
    </message>
    <message>
        <source>Import report</source>
        <translation>Отчёт об импорте</translation>
    </message>
    <message>
        <source>Double-click a job in the table or on the timeline, or press F2.</source>
        <translation>Щёлкните дважды по заданию в таблице или на шкале времени либо нажмите F2.</translation>
    </message>
    <message>
        <source>Engine inspector</source>
        <translation>Инспектор движка</translation>
    </message>
    <message>
        <source>This program was built without Dear ImGui; simrun inspect shows the same as text.</source>
        <translation>Программа собрана без Dear ImGui; simrun inspect сообщает то же текстом.</translation>
    </message>
    <message>
        <source>%1 was not imported: %2</source>
        <translation>Файл %1 не импортирован: %2</translation>
    </message>
    <message>
        <source>%1 was removed from the disk. The text is still here; save it to restore the file.</source>
        <translation>Файл %1 исчез с диска; текст остался здесь, сохраните его, чтобы вернуть файл.</translation>
    </message>
    <message>
        <source>Another program changed %1, and it was changed here too.</source>
        <translation>Файл %1 изменён другой программой, и здесь тоже.</translation>
    </message>
    <message>
        <source>Another program changed %1.</source>
        <translation>Файл %1 изменён другой программой.</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Прочитать снова</translation>
    </message>
    <message>
        <source>Keep this text</source>
        <translation>Оставить как здесь</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png *.pdf)</source>
        <translation>Изображения (*.svg *.png *.pdf)</translation>
    </message>
    <message>
        <source>Written to %1</source>
        <translation>Записано в %1</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>Ход выполнения</translation>
    </message>
    <message>
        <source>running: %1</source>
        <translation>выполняется: %1</translation>
    </message>
    <message>
        <source>No problems</source>
        <translation>Замечаний нет</translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation>&amp;Панели</translation>
    </message>
    <message>
        <source>&amp;Next part of the window</source>
        <translation>С&amp;ледующая часть окна</translation>
    </message>
    <message>
        <source>Open or close the panel %1 (%2)</source>
        <translation>Открыть или закрыть панель «%1» (%2)</translation>
    </message>
    <message>
        <source>The plan found a design.</source>
        <translation>Ответ найден.</translation>
    </message>
    <message>
        <source>No design meets the goals; the nearest miss is shown.</source>
        <translation>Целям не отвечает ни один вариант; показан ближайший к ним.</translation>
    </message>
    <message>
        <source>Open it as a scenario</source>
        <translation>Открыть как сценарий</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Отменить</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Повторить</translation>
    </message>
    <message>
        <source>&amp;Plan: find the best design…</source>
        <translation>&amp;План: найти лучший вариант…</translation>
    </message>
    <message>
        <source>&amp;Replace in the text…</source>
        <translation>&amp;Заменить в тексте…</translation>
    </message>
    <message>
        <source>&amp;Find in the text…</source>
        <translation>&amp;Найти в тексте…</translation>
    </message>
    <message>
        <source>On the canv&amp;as</source>
        <translation>На с&amp;хеме</translation>
    </message>
    <message>
        <source>&amp;Copy machines and switches</source>
        <translation>&amp;Копировать машины и коммутаторы</translation>
    </message>
    <message>
        <source>&amp;Paste machines and switches</source>
        <translation>&amp;Вставить машины и коммутаторы</translation>
    </message>
    <message>
        <source>&amp;Duplicate</source>
        <translation>&amp;Дублировать</translation>
    </message>
    <message>
        <source>Align in a &amp;row</source>
        <translation>Выровнять в &amp;ряд</translation>
    </message>
    <message>
        <source>Align in a c&amp;olumn</source>
        <translation>Выровнять в &amp;столбец</translation>
    </message>
    <message>
        <source>Equal d&amp;istances</source>
        <translation>Равные &amp;промежутки</translation>
    </message>
    <message>
        <source>&amp;Link what is selected</source>
        <translation>&amp;Соединить выбранное</translation>
    </message>
    <message>
        <source>&amp;Map of the whole canvas</source>
        <translation>&amp;Карта всего холста</translation>
    </message>
    <message>
        <source>Reports (*.html *.pdf)</source>
        <translation>Отчёты (*.html *.pdf)</translation>
    </message>
    <message>
        <source>The run has ended.</source>
        <translation>Запуск завершён.</translation>
    </message>
    <message>
        <source>Show the problems</source>
        <translation>Показать замечания</translation>
    </message>
    <message>
        <source>Show the results</source>
        <translation>Показать результаты</translation>
    </message>
    <message>
        <source>The report is being written…</source>
        <translation>Отчёт записывается…</translation>
    </message>
    <message>
        <source>The report was not written: %1</source>
        <translation>Отчёт не записан: %1</translation>
    </message>
    <message>
        <source>There are no results to report on: run the scenario first (%1).</source>
        <translation>Нет результатов для отчёта: сначала запустите сценарий (%1).</translation>
    </message>
    <message>
        <source>Export re&amp;port…</source>
        <translation>Экспорт &amp;отчёта…</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>Экспорт отчёта</translation>
    </message>
    <message>
        <source>No scenario is open: choose an example, open a file, or begin with New scenario (%1).</source>
        <translation>Сценарий не открыт: выберите пример, откройте файл или создайте новый сценарий (%1).</translation>
    </message>
    <message>
        <source>A run is going on</source>
        <translation>Идёт запуск</translation>
    </message>
    <message>
        <source>A run is not finished. Stop it and quit?</source>
        <translation>Запуск не завершён. Остановить его и выйти?</translation>
    </message>
    <message>
        <source>Sensiti&amp;vity: what the answer depends on</source>
        <translation>Чу&amp;вствительность: от чего зависит ответ</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 не удаётся записать: %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 из %2</translation>
    </message>
    <message>
        <source>&amp;Layouts: ways to divide the transformer…</source>
        <translation>&amp;Раскладки: способы разделить трансформер…</translation>
    </message>
    <message>
        <source>Sc&amp;ore: compare with measurements…</source>
        <translation>Сра&amp;внить с измерениями…</translation>
    </message>
    <message>
        <source>Export for another &amp;tool…</source>
        <translation>Экспорт для другой программ&amp;ы…</translation>
    </message>
    <message>
        <source>Perfetto, Chrome: the timeline (*.json.gz)</source>
        <translation>Perfetto, Chrome: временная шкала (*.json.gz)</translation>
    </message>
    <message>
        <source>Standard Workload Format: the jobs of a queue (*.swf)</source>
        <translation>Standard Workload Format: задания очереди (*.swf)</translation>
    </message>
    <message>
        <source>SimGrid: the cluster (*.xml)</source>
        <translation>SimGrid: кластер (*.xml)</translation>
    </message>
    <message>
        <source>Chakra: a folder with a trace of every rank (*)</source>
        <translation>Chakra: папка с трассой каждого ранга (*)</translation>
    </message>
    <message>
        <source>ASTRA-sim: a folder with traces and the cluster (*)</source>
        <translation>ASTRA-sim: папка с трассами и кластером (*)</translation>
    </message>
    <message>
        <source>Kubernetes: manifests (*.yaml)</source>
        <translation>Kubernetes: манифесты (*.yaml)</translation>
    </message>
    <message>
        <source>Docker Swarm: a stack (*.yml)</source>
        <translation>Docker Swarm: стек (*.yml)</translation>
    </message>
    <message>
        <source>Export for another tool</source>
        <translation>Экспорт для другой программы</translation>
    </message>
    <message>
        <source>This format is of results: run the scenario first (%1).</source>
        <translation>Этот формат — для результатов: сначала запустите сценарий (%1).</translation>
    </message>
    <message>
        <source>%1 is the file of the results themselves; choose another name.</source>
        <translation>%1 — файл самих результатов; выберите другое имя.</translation>
    </message>
    <message>
        <source>These results have no trace file. Those of a queue can be exported as SWF.</source>
        <translation>У этих результатов нет файла трассы. Результаты очереди можно экспортировать в SWF.</translation>
    </message>
    <message>
        <source>Nothing was exported: %1</source>
        <translation>Ничего не экспортировано: %1</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 с</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 мин</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 ч</translation>
    </message>
    <message>
        <source>The layout was taken. What contradicted it went out of the scenario: %1.</source>
        <translation>Раскладка взята. Из сценария убрано то, что ей противоречило: %1.</translation>
    </message>
    <message>
        <source>No job of this scenario divides a transformer among GPUs: give one training: parallel, or open the example llama3_70b_on_512_h100.</source>
        <translation>Ни одно задание этого сценария не делит трансформер между GPU: задайте training: parallel или откройте пример llama3_70b_on_512_h100.</translation>
    </message>
    <message>
        <source>The rows of %1 are predicted…</source>
        <translation>Строки %1 предсказываются…</translation>
    </message>
    <message>
        <source>The table was not scored: %1</source>
        <translation>Сравнить таблицу не удалось: %1</translation>
    </message>
    <message>
        <source>Every row of the table now has a prediction beside it.</source>
        <translation>Рядом с каждой строкой таблицы теперь есть предсказание.</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>Сохранить в CSV…</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>Сохранить таблицу</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>Таблицы (*.csv)</translation>
    </message>
    <message>
        <source>A table of measurements</source>
        <translation>Таблица измерений</translation>
    </message>
    <message>
        <source>The file that turns its rows into scenarios</source>
        <translation>Файл, превращающий её строки в сценарии</translation>
    </message>
    <message>
        <source>Mappings (*.yaml *.yml)</source>
        <translation>Отображения (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Sensitivity: the scenario is simulated as it is, which tells how long the rest takes…</source>
        <translation>Чувствительность: сценарий моделируется как есть, чтобы узнать, сколько займёт остальное…</translation>
    </message>
    <message>
        <source>At most %1 simulations: %2 are done, the rest takes about %3</source>
        <translation>Моделирований не больше %1: готово %2, остальные займут около %3</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Остановить</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Страницы</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::PlanDialog</name>
    <message>
        <source>Plan: the best design that meets a goal</source>
        <translation>План: лучший вариант, отвечающий цели</translation>
    </message>
    <message>
        <source>The plan considers every combination of the values below. The answer is the combination that meets the goals with the lowest value of the measure to minimise. The chart shows all combinations.</source>
        <translation>Моделируются все сочетания того, что можно выбирать. Ответ — вариант, который выполняет цели и требует меньше всего названного; на рисунке видны все.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>нет</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>Цель</translation>
    </message>
    <message>
        <source>And</source>
        <translation>И</translation>
    </message>
    <message>
        <source>Minimise</source>
        <translation>Наименьшее</translation>
    </message>
    <message>
        <source>Queue policies</source>
        <translation>Политики очереди</translation>
    </message>
    <message>
        <source>Values to choose from: a..b, or a list with commas</source>
        <translation>Что можно выбирать: a..b или значения через запятую</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Добавить</translation>
    </message>
    <message>
        <source>Add a value to choose</source>
        <translation>Добавить то, что можно выбирать</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Убрать</translation>
    </message>
    <message>
        <source>Remove the selected row</source>
        <translation>Убрать выбранную строку</translation>
    </message>
    <message>
        <source>Path in the scenario</source>
        <translation>Место в сценарии</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Значения</translation>
    </message>
    <message>
        <source>Values to choose from</source>
        <translation>Что можно выбирать</translation>
    </message>
    <message>
        <source>The same as a command</source>
        <translation>То же командой</translation>
    </message>
    <message>
        <source>Find it</source>
        <translation>Найти</translation>
    </message>
    <message>
        <source>The same as a command: %1</source>
        <translation>То же командой: %1</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::PolicyList</name>
    <message>
        <source>Choose</source>
        <translation>Выбор</translation>
    </message>
    <message>
        <source>Type of policy</source>
        <translation>Вид правила</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Правило</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Сравнить</translation>
    </message>
    <message>
        <source>What it does, and its source</source>
        <translation>Что оно делает и откуда взято</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>Правила</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>Использовать %1</translation>
    </message>
    <message>
        <source>Do not compare %1</source>
        <translation>Не сравнивать %1</translation>
    </message>
    <message>
        <source>Compare %1</source>
        <translation>Сравнить %1</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ProblemsPanel</name>
    <message>
        <source>Problems</source>
        <translation>Замечания</translation>
    </message>
    <message>
        <source>line %1: </source>
        <translation>строка %1: </translation>
    </message>
    <message>
        <source>No problems: simrun accepts this text</source>
        <translation>Замечаний нет: simrun принимает этот текст</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ResultsView</name>
    <message>
        <source>Words anywhere in a row, or columns compared: job = 17, waiting &gt; 1 h, team = speech. Enter goes to the rows that are left, and again explains the first</source>
        <translation>Слова в любом месте строки или сравнение столбцов: job = 17, waiting &gt; 1 h, team = speech. Enter переходит к оставшимся строкам, ещё раз – объясняет первую</translation>
    </message>
    <message>
        <source>%1 of %2 rows</source>
        <translation>строк: %1 из %2</translation>
    </message>
    <message>
        <source>%1 · all points</source>
        <translation>%1 · все точки</translation>
    </message>
    <message>
        <source>no column is called “%1”</source>
        <translation>столбца «%1» нет</translation>
    </message>
    <message>
        <source>Filter all views…</source>
        <translation>Фильтр для всех видов…</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Фильтр</translation>
    </message>
    <message>
        <source>Point shown on the canvas</source>
        <translation>Точка, показанная на холсте</translation>
    </message>
    <message>
        <source>The canvas and the step breakdown show this point of the sweep</source>
        <translation>Точка перебора, загрузку связей и разбор шага которой показывают холст и таблица</translation>
    </message>
    <message>
        <source>X axis</source>
        <translation>По горизонтали</translation>
    </message>
    <message>
        <source>Y axis</source>
        <translation>По вертикали</translation>
    </message>
    <message>
        <source>One line per</source>
        <translation>Линия для каждого</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Задания</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>Связи</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>События</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Шкала времени</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Шаг</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Ещё</translation>
    </message>
    <message>
        <source>Where the step&apos;s time goes</source>
        <translation>На что уходит время шага</translation>
    </message>
    <message>
        <source>No step breakdown in this folder</source>
        <translation>В этой папке нет разбора шага</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Таблица</translation>
    </message>
    <message>
        <source>Table to show</source>
        <translation>Показанная таблица</translation>
    </message>
    <message>
        <source>less</source>
        <translation>меньше</translation>
    </message>
    <message numerus="yes">
        <source>%n more lines…</source>
        <translation>
            <numerusform>ещё %n строка…</numerusform>
            <numerusform>ещё %n строки…</numerusform>
            <numerusform>ещё %n строк…</numerusform>
        </translation>
    </message>
    <message>
        <source>Designs</source>
        <translation>Варианты</translation>
    </message>
    <message>
        <source>designs: %1</source>
        <translation>варианты: %1</translation>
    </message>
    <message>
        <source>all points</source>
        <translation>все точки</translation>
    </message>
    <message>
        <source>Pareto front</source>
        <translation>граница Парето</translation>
    </message>
    <message>
        <source>the answer</source>
        <translation>ответ</translation>
    </message>
    <message>
        <source>the nearest miss</source>
        <translation>ближайший промах</translation>
    </message>
    <message numerus="yes">
        <source>%n designs are far above the chart; see the table</source>
        <translation>
            <numerusform>%n вариант намного выше рисунка; он есть в таблице</numerusform>
            <numerusform>%n варианта намного выше рисунка; они есть в таблице</numerusform>
            <numerusform>%n вариантов намного выше рисунка; они есть в таблице</numerusform>
        </translation>
    </message>
    <message>
        <source>goal: %1</source>
        <translation>цель: %1</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Обзор</translation>
    </message>
    <message>
        <source>The same in every row: %1</source>
        <translation>Одинаково во всех строках: %1</translation>
    </message>
    <message>
        <source>the timeline of this point is being made…</source>
        <translation>временная шкала этой точки вычисляется…</translation>
    </message>
    <message>
        <source>there is no timeline of this point: %1</source>
        <translation>для этой точки нет временной шкалы: %1</translation>
    </message>
    <message>
        <source>No results yet</source>
        <translation>Результатов пока нет</translation>
    </message>
    <message>
        <source>Run (F5) simulates the scenario. Its rates, costs, charts and timeline are then shown here; File, Open results folder… shows those of an earlier run.</source>
        <translation>Запуск (F5) моделирует сценарий. Затем здесь видны скорости, стоимость, графики и временная шкала; «Файл», «Открыть папку результатов…» показывает прежний запуск.</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>Конвейер</translation>
    </message>
    <message>
        <source>%1, run %2</source>
        <translation>%1, запуск %2</translation>
    </message>
    <message>
        <source>Results of %1 in %2</source>
        <translation>Результаты «%1» в %2</translation>
    </message>
    <message>
        <source>another scenario is open</source>
        <translation>открыт другой сценарий</translation>
    </message>
    <message>
        <source>Run that is shown</source>
        <translation>Показанный запуск</translation>
    </message>
    <message>
        <source>the scenario was changed since</source>
        <translation>сценарий с тех пор изменён</translation>
    </message>
    <message>
        <source>Pages of the results</source>
        <translation>Страницы результатов</translation>
    </message>
    <message>
        <source>Further tables and pictures</source>
        <translation>Другие таблицы и рисунки</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::RulesView</name>
    <message>
        <source>Sections</source>
        <translation>Разделы</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>Правила</translation>
    </message>
    <message>
        <source>All settings</source>
        <translation>Все настройки</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>Сценарий</translation>
    </message>
    <message>
        <source>name, question, and what counts for the whole file</source>
        <translation>имя, вопрос и то, что относится ко всему файлу</translation>
    </message>
    <message>
        <source>Pages of policies and settings</source>
        <translation>Страницы политик и настроек</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::RunProcess</name>
    <message>
        <source>simrun could not be started: %1</source>
        <translation>Не удалось запустить simrun: %1</translation>
    </message>
    <message>
        <source>the program simrun was not found in the folder of simgui or on the PATH; install it, or set TRAINYARD_SIMRUN to its path</source>
        <translation>программа simrun не найдена ни рядом с simgui, ни в PATH; установите её или укажите путь в TRAINYARD_SIMRUN</translation>
    </message>
    <message>
        <source>simrun stopped unexpectedly (%1)</source>
        <translation>simrun неожиданно остановился (%1)</translation>
    </message>
    <message>
        <source>simrun printed nothing for %1 s and used no processor time, so it was stopped. The scenario is unchanged.</source>
        <translation>simrun %1 с не подавал признаков жизни и не занимал процессор; он остановлен. Сценарий не изменён.</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::RunQueue</name>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>Не удаётся записать %1: %2</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>ожидает</translation>
    </message>
    <message>
        <source>%1 of %2, %3 s left</source>
        <translation>%1 из %2, осталось %3 с</translation>
    </message>
    <message>
        <source>running</source>
        <translation>выполняется</translation>
    </message>
    <message>
        <source>done</source>
        <translation>готово</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>ошибка</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>отменён</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 с</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>№</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Запуск</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Состояние</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Время</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Сообщение</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Когда</translation>
    </message>
    <message>
        <source>%1 (baseline)</source>
        <translation>%1 (для сравнения)</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Заметка</translation>
    </message>
    <message>
        <source>en</source>
        <comment>language of dates</comment>
        <translation>ru</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ScenarioDocument</name>
    <message>
        <source>untitled</source>
        <translation>без имени</translation>
    </message>
    <message>
        <source>%1 is not a text file</source>
        <translation>%1 — не текстовый файл</translation>
    </message>
    <message>
        <source>%1 was not saved: %2. The text is still here; choose another file with Save As.</source>
        <translation>Файл %1 не сохранён: %2. Текст остался здесь; выберите другое место через «Сохранить как».</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Ввод</translation>
    </message>
    <message>
        <source>%1 is not UTF-8 text: line %2 has a byte that is none of it. Convert the file first, for example with iconv -f latin1 -t utf-8.</source>
        <translation>%1 — не текст UTF-8: в строке %2 есть недопустимый байт. Сначала преобразуйте файл, например командой iconv -f latin1 -t utf-8.</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>Прочитать снова</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::SchemaForm</name>
    <message>
        <source>default: %1</source>
        <translation>по умолчанию: %1</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>да</translation>
    </message>
    <message>
        <source>no</source>
        <translation>нет</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Открыть…</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>Добавить…</translation>
    </message>
    <message numerus="yes">
        <source>Open (%n)…</source>
        <translation>
            <numerusform>Открыть (%n)…</numerusform>
            <numerusform>Открыть (%n)…</numerusform>
            <numerusform>Открыть (%n)…</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>Удалить %1</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>Задать %1</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Вверх</translation>
    </message>
    <message>
        <source>Back to the form that this one was opened from</source>
        <translation>Назад к форме, из которой открыта эта</translation>
    </message>
    <message>
        <source>Add an item</source>
        <translation>Добавить элемент</translation>
    </message>
    <message>
        <source>More… (%1)</source>
        <translation>Ещё… (%1)</translation>
    </message>
    <message>
        <source>Settings that are seldom set; without them the defaults count</source>
        <translation>Настройки, которые задают редко; без них действуют значения по умолчанию</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TimelineView</name>
    <message>
        <source>Timeline</source>
        <translation>Шкала времени</translation>
    </message>
    <message>
        <source>Work on every GPU, server and link over time; W and S zoom, A and D move</source>
        <translation>Работа каждого GPU, сервера и связи во времени; W и S — масштаб, A и D — сдвиг</translation>
    </message>
    <message>
        <source>No timeline: run the scenario, or open a results folder with a trace</source>
        <translation>Шкалы времени нет: запустите сценарий или откройте папку результатов с трассой</translation>
    </message>
    <message>
        <source>%1 on %2 (%3): from %4 to %5, %6</source>
        <translation>%1 на %2 (%3): с %4 до %5, %6</translation>
    </message>
    <message>
        <source>without a name</source>
        <translation>без имени</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>Обзор</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1, up to %2</source>
        <translation>%1, до %2</translation>
    </message>
    <message>
        <source>%1 chosen</source>
        <translation>выбрано %1</translation>
    </message>
    <message>
        <source>Nothing that it waited for is drawn</source>
        <translation>То, чего она ждала, не показано</translation>
    </message>
    <message>
        <source>Nothing drawn waited for it</source>
        <translation>Из показанного её ничто не ждало</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TopologyItem</name>
    <message>
        <source>%1: %2 × %3. Double-click to expand</source>
        <translation>%1: %2 × %3. Двойной щелчок раскрывает</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1: %2 × %3. Double-click to add a failure, Enter to expand</source>
        <translation>%1: %2 × %3. Двойной щелчок задаёт отказ, Enter раскрывает</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TopologyScene</name>
    <message>
        <source>%1: %2 % of its bandwidth used, the most of %3 links</source>
        <translation>%1: использовано %2 % пропускной способности, больше всех из %3</translation>
    </message>
    <message>
        <source>Lay out</source>
        <translation>Разложить</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>Переместить %1</translation>
    </message>
    <message numerus="yes">
        <source>Move %n items</source>
        <translation>
            <numerusform>Переместить %n элемент</numerusform>
            <numerusform>Переместить %n элемента</numerusform>
            <numerusform>Переместить %n элементов</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n items</source>
        <translation>
            <numerusform>%n элемент</numerusform>
            <numerusform>%n элемента</numerusform>
            <numerusform>%n элементов</numerusform>
        </translation>
    </message>
    <message>
        <source>Use a %1 network</source>
        <translation>Сеть %1</translation>
    </message>
    <message>
        <source>This network layout places its switches itself. To draw your own, set topology to graph in the network&apos;s properties.</source>
        <translation>Коммутаторы расставляет схема сети. Чтобы рисовать свои, задайте в свойствах сети topology: graph.</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>Добавить %1</translation>
    </message>
    <message>
        <source>Add GPU machines</source>
        <translation>Добавить машины с GPU</translation>
    </message>
    <message>
        <source>Add machines without GPU</source>
        <translation>Добавить машины без GPU</translation>
    </message>
    <message>
        <source>Nothing selected that can be removed; the links and switches of a layout cannot be removed one by one</source>
        <translation>Не выбрано ничего, что можно удалить; связи и коммутаторы схемы принадлежат ей</translation>
    </message>
    <message numerus="yes">
        <source>Remove %n items</source>
        <translation>
            <numerusform>Удалить %n элемент</numerusform>
            <numerusform>Удалить %n элемента</numerusform>
            <numerusform>Удалить %n элементов</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Удалить</translation>
    </message>
    <message>
        <source>Links can be drawn only in a free network. Set topology to graph in the network&apos;s properties.</source>
        <translation>Связи рисуют только в произвольной сети. Задайте в свойствах сети topology: graph.</translation>
    </message>
    <message>
        <source>Connect %1 and %2</source>
        <translation>Соединить %1 и %2</translation>
    </message>
    <message>
        <source>Drag machines from the palette, or add them in the text</source>
        <translation>Перетащите машины из палитры или опишите их в тексте</translation>
    </message>
    <message>
        <source>%1: fail at…</source>
        <translation>%1: отказ в…</translation>
    </message>
    <message>
        <source>Rack %1</source>
        <translation>Стойка %1</translation>
    </message>
    <message>
        <source>Network of %1</source>
        <translation>Сеть машины %1</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>Раскрыть</translation>
    </message>
    <message>
        <source>Collapse into %1</source>
        <translation>Свернуть в %1</translation>
    </message>
    <message>
        <source>Remove from the scenario</source>
        <translation>Удалить из сценария</translation>
    </message>
    <message>
        <source>%1 stands for %2; at most %3 are drawn one by one. Give the machines racks (per_rack) to unfold them rack by rack.</source>
        <translation>%1 обозначает %2; по отдельности рисуются не больше %3. Задайте стойки (per_rack), чтобы раскрывать их по стойкам.</translation>
    </message>
    <message>
        <source>Nothing selected that can be copied; the links and switches of a layout belong to it</source>
        <translation>Не выбрано ничего, что можно скопировать; каналы и коммутаторы типовой сети принадлежат ей</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>Скопировано: %1</translation>
    </message>
    <message>
        <source>There is no part of a canvas on the clipboard</source>
        <translation>В буфере обмена нет части холста</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Вставить</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Дублировать</translation>
    </message>
    <message>
        <source>Select one item to begin a link, or two to join them</source>
        <translation>Выберите один элемент, чтобы начать канал, или два, чтобы соединить их</translation>
    </message>
    <message>
        <source>Link from %1: go to the other end and press L; Esc gives up</source>
        <translation>Канал от %1: перейдите к другому концу и нажмите L; Esc — отмена</translation>
    </message>
    <message>
        <source>No link was drawn</source>
        <translation>Канал не проведён</translation>
    </message>
    <message>
        <source>Select two or more items to align them</source>
        <translation>Чтобы выровнять, выберите два элемента или больше</translation>
    </message>
    <message numerus="yes">
        <source>Align %n items</source>
        <translation>
            <numerusform>Выровнять %n элемент</numerusform>
            <numerusform>Выровнять %n элемента</numerusform>
            <numerusform>Выровнять %n элементов</numerusform>
        </translation>
    </message>
    <message>
        <source>Link from here</source>
        <translation>Провести канал отсюда</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TopologyView</name>
    <message>
        <source>Cluster canvas</source>
        <translation>Холст кластера</translation>
    </message>
    <message>
        <source>Machines, switches and links; the outline shows the same as a list</source>
        <translation>Машины, коммутаторы и связи; то же перечислено в структуре</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::WelcomePage</name>
    <message>
        <source>What will this training cluster do? Pick a question, change it, run it.</source>
        <translation>Что сделает этот кластер обучения? Выберите вопрос, измените его, запустите.</translation>
    </message>
    <message>
        <source>New scenario</source>
        <translation>Новый сценарий</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Открыть…</translation>
    </message>
    <message>
        <source>Import compose, Kubernetes, Slurm, NCCL…</source>
        <translation>Импорт: compose, Kubernetes, Slurm, NCCL…</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Недавние</translation>
    </message>
    <message>
        <source>Example scenarios</source>
        <translation>Готовые сценарии</translation>
    </message>
    <message>
        <source>The folder with the example scenarios was not found; set TRAINYARD_DATA to it</source>
        <translation>Папка готовых сценариев не найдена; укажите её в TRAINYARD_DATA</translation>
    </message>
    <message>
        <source>VGG-16: parameter server or ring?</source>
        <translation>VGG-16: сервер параметров или кольцо?</translation>
    </message>
    <message>
        <source>Distributed learning: which architecture, how many servers, which network</source>
        <translation>Распределённое обучение: какая архитектура, сколько серверов, какая сеть</translation>
    </message>
    <message>
        <source>Where does the parameter server stop scaling?</source>
        <translation>Где сервер параметров перестаёт масштабироваться?</translation>
    </message>
    <message>
        <source>Distributed-learning notes: ring and servers on 10 to 100 Gbit/s</source>
        <translation>Заметки о распределённом обучении: кольцо и серверы на 10–100 Гбит/с</translation>
    </message>
    <message>
        <source>A machine of a Docker Swarm fails</source>
        <translation>Машина Docker Swarm выходит из строя</translation>
    </message>
    <message>
        <source>Swarm paper: what restarts where and when, and what is lost</source>
        <translation>Статья о Swarm: что, где и когда возвращается и что теряется</translation>
    </message>
    <message>
        <source>Two M40 in one host, three containers</source>
        <translation>Две M40 в одном узле, три контейнера</translation>
    </message>
    <message>
        <source>Container-service article: where containers are placed, which GPU they see</source>
        <translation>Статья о контейнерной службе: куда попадают контейнеры и какой GPU видят</translation>
    </message>
    <message>
        <source>Teams share one cluster, or each has its own</source>
        <translation>Команды делят кластер или держатся своих машин</translation>
    </message>
    <message>
        <source>Cluster-management article: waiting, utilisation and quotas</source>
        <translation>Статья об управлении кластером: ожидание, загрузка и квоты</translation>
    </message>
    <message>
        <source>Models that are retrained every night</source>
        <translation>Модели, переобучаемые каждую ночь</translation>
    </message>
    <message>
        <source>Task-environment paper: how old is the deployed model?</source>
        <translation>Статья о среде задач: насколько устарела развёрнутая модель?</translation>
    </message>
    <message>
        <source>More examples</source>
        <translation>Ещё сценарии</translation>
    </message>
    <message>
        <source>Which queue policy is best for whom?</source>
        <translation>Какое правило очереди лучше и для кого?</translation>
    </message>
    <message>
        <source>Capacity planning: waiting, fairness and utilisation under eight policies</source>
        <translation>Планирование мощностей: ожидание, справедливость и загрузка при восьми правилах</translation>
    </message>
    <message>
        <source>A rack fails at 02:00</source>
        <translation>Стойка отказывает в 02:00</translation>
    </message>
    <message>
        <source>What is lost, what restarts where, and how long it takes</source>
        <translation>Что теряется, что и где восстанавливается и сколько это длится</translation>
    </message>
    <message>
        <source>Search the examples: ring, failure, Kubernetes, cost…</source>
        <translation>Поиск по примерам: кольцо, отказ, Kubernetes, cost…</translation>
    </message>
    <message>
        <source>Search the examples</source>
        <translation>Поиск по примерам</translation>
    </message>
    <message>
        <source>No example has “%1”. “New scenario” starts with a small cluster to change.</source>
        <translation>Нет примера со словом «%1». «Новый сценарий» начинает с небольшого кластера.</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::WhatIfPanel</name>
    <message>
        <source>Add a slider</source>
        <translation>Добавить ползунок</translation>
    </message>
    <message>
        <source>Move a slider: the scenario runs in the background with the changed value. The dashed curve is the result before the change.</source>
        <translation>Сдвиньте ползунок: сценарий выполнится в фоне с новым значением; пунктир — прежний ответ.</translation>
    </message>
    <message>
        <source>this scenario has no numbers</source>
        <translation>в этом сценарии нет чисел</translation>
    </message>
    <message>
        <source>Remove this slider</source>
        <translation>Убрать этот ползунок</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Оставить</translation>
    </message>
    <message>
        <source>Write this value into the scenario</source>
        <translation>Записать это значение в сценарий</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>Задать %1</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>Не удаётся записать %1: %2</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>выполняется…</translation>
    </message>
    <message>
        <source>%1 before</source>
        <translation>%1 раньше</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Производительность</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>образцов/с</translation>
    </message>
    <message>
        <source>%1
(%2 s)</source>
        <translation>%1
(%2 с)</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::WorkloadView</name>
    <message>
        <source>forward work</source>
        <translation>прямой проход</translation>
    </message>
    <message>
        <source>share of the model, %</source>
        <translation>доля модели, %</translation>
    </message>
    <message>
        <source>What each layer has of the gradient and of the work</source>
        <translation>Доля каждого слоя в градиенте и в работе</translation>
    </message>
    <message>
        <source>Add job</source>
        <translation>Добавить задание</translation>
    </message>
    <message>
        <source>Remove job</source>
        <translation>Удалить задание</translation>
    </message>
    <message>
        <source>Paste rows</source>
        <translation>Вставить строки</translation>
    </message>
    <message>
        <source>Rows from a spreadsheet; a first row may name the columns</source>
        <translation>Строки из таблицы; первая строка может называть столбцы</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Задания</translation>
    </message>
    <message>
        <source>Job %1</source>
        <translation>Задание %1</translation>
    </message>
    <message>
        <source>How the job trains</source>
        <translation>Как обучается</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>градиент</translation>
    </message>
    <message>
        <source>layer, from the input</source>
        <translation>слой, считая от входа</translation>
    </message>
    <message numerus="yes">
        <source>%n jobs added</source>
        <translation>
            <numerusform>Добавлено %n задание</numerusform>
            <numerusform>Добавлено %n задания</numerusform>
            <numerusform>Добавлено %n заданий</numerusform>
        </translation>
    </message>
    <message>
        <source>Trace or generated jobs</source>
        <translation>Трасса или созданные задания</translation>
    </message>
    <message>
        <source>A training job shows the layers of its model here. “Add job” adds one.</source>
        <translation>Здесь показаны слои модели задания обучения. «Добавить задание» добавляет его.</translation>
    </message>
    <message>
        <source>%1 million</source>
        <translation>%1 млн</translation>
    </message>
    <message>
        <source>%1 billion</source>
        <translation>%1 млрд</translation>
    </message>
    <message>
        <source>%1 Gflop</source>
        <translation>%1 Гфлоп</translation>
    </message>
    <message>
        <source>%1 Tflop</source>
        <translation>%1 Тфлоп</translation>
    </message>
    <message>
        <source>The forms of %1 are on the page Policies and faults, below All settings.</source>
        <translation>Формы для «%1» — на странице «Правила и отказы», вкладка «Все настройки».</translation>
    </message>
    <message>
        <source>%1: %2 layers, %3 parameters, %4 of gradients in 32 bits, %5 forward per sample</source>
        <translation>%1: слоёв %2, параметров %3, градиентов %4 (32 бита), %5 на образец в прямом проходе</translation>
    </message>
    <message>
        <source>Pages of the workload</source>
        <translation>Страницы нагрузки</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::YamlEditor</name>
    <message>
        <source>Scenario text</source>
        <translation>Текст сценария</translation>
    </message>
    <message>
        <source>default: %1</source>
        <translation>по умолчанию: %1</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>от %1 до %2</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>не меньше %1</translation>
    </message>
    <message>
        <source>for example: %1</source>
        <translation>например: %1</translation>
    </message>
    <message>
        <source>Change &apos;%1&apos; to &apos;%2&apos;</source>
        <translation>Заменить «%1» на «%2»</translation>
    </message>
    <message>
        <source>Complete (Ctrl+Space)</source>
        <translation>Дополнить (Ctrl+Пробел)</translation>
    </message>
    <message>
        <source>Comment (Ctrl+/)</source>
        <translation>Комментарий (Ctrl+/)</translation>
    </message>
    <message>
        <source> (Ctrl+. takes it)</source>
        <translation> (Ctrl+. принимает)</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>mean</source>
        <translation>среднее</translation>
    </message>
    <message>
        <source>median</source>
        <translation>медиана</translation>
    </message>
    <message>
        <source>95 % are below</source>
        <translation>95 % ниже</translation>
    </message>
    <message>
        <source>99 % are below</source>
        <translation>99 % ниже</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>наибольшее</translation>
    </message>
    <message>
        <source>low end</source>
        <translation>нижняя граница</translation>
    </message>
    <message>
        <source>high end</source>
        <translation>верхняя граница</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::FindBar</name>
    <message>
        <source>Aa</source>
        <translation>Аа</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Найти</translation>
    </message>
    <message>
        <source>Capital and small letters differ</source>
        <translation>Учитывать регистр</translation>
    </message>
    <message>
        <source>The one before (Shift+Enter)</source>
        <translation>Предыдущее (Shift+Enter)</translation>
    </message>
    <message>
        <source>The next one (Enter)</source>
        <translation>Следующее (Enter)</translation>
    </message>
    <message>
        <source>Close (Escape)</source>
        <translation>Закрыть (Escape)</translation>
    </message>
    <message>
        <source>Replace by</source>
        <translation>Заменить на</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Заменить</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Все</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>Не найдено</translation>
    </message>
    <message numerus="yes">
        <source>%n replaced</source>
        <translation>
            <numerusform>заменено: %n</numerusform>
            <numerusform>заменено: %n</numerusform>
            <numerusform>заменено: %n</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trainyard::gui::Overview</name>
    <message>
        <source>Fullest from %1 to %2, with %3 GPUs in use; most jobs wait at %4: %5</source>
        <translation>Сильнее всего занят с %1 до %2, работает GPU: %3; больше всего заданий ждёт в %4: %5</translation>
    </message>
    <message>
        <source>The figures that matter</source>
        <translation>Главные числа</translation>
    </message>
    <message>
        <source>Assumed: %1</source>
        <translation>Предположено: %1</translation>
    </message>
    <message>
        <source>%1, the slowest of %2 jobs%3</source>
        <translation>%1, самое медленное из заданий (%2)%3</translation>
    </message>
    <message>
        <source>%1s per second</source>
        <translation>%1/с</translation>
    </message>
    <message>
        <source>of the peak in model flop</source>
        <translation>пика по операциям модели</translation>
    </message>
    <message>
        <source>of perfect scaling</source>
        <translation>от идеального масштабирования</translation>
    </message>
    <message>
        <source>per step</source>
        <translation>на шаг</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>memory of a GPU</source>
        <translation>памяти GPU</translation>
    </message>
    <message>
        <source>over the network per step</source>
        <translation>по сети за шаг</translation>
    </message>
    <message>
        <source>per million %1s</source>
        <translation>за миллион %1</translation>
    </message>
    <message>
        <source>Bottleneck: %1</source>
        <translation>Узкое место: %1</translation>
    </message>
    <message>
        <source>Completion by policy</source>
        <translation>Завершение по политикам</translation>
    </message>
    <message>
        <source>Waiting by policy</source>
        <translation>Ожидание по политикам</translation>
    </message>
    <message>
        <source>GPUs in use over time</source>
        <translation>Занятые GPU во времени</translation>
    </message>
    <message>
        <source>Jobs that wait over time</source>
        <translation>Ожидающие задания во времени</translation>
    </message>
    <message>
        <source>Teams that waited</source>
        <translation>Какие команды ждали</translation>
    </message>
    <message>
        <source>Waiting by GPUs of a job</source>
        <translation>Ожидание по числу GPU задания</translation>
    </message>
</context>
<context>
    <name>Keys</name>
    <message>
        <source>Name</source>
        <translation>Имя</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Тип</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Количество</translation>
    </message>
    <message>
        <source>Machines per rack</source>
        <translation>Машин в стойке</translation>
    </message>
    <message>
        <source>Topology</source>
        <translation>Топология</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>Связь</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>Скорость</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Задержка</translation>
    </message>
    <message>
        <source>Switches</source>
        <translation>Коммутаторы</translation>
    </message>
    <message>
        <source>Wires</source>
        <translation>Соединения</translation>
    </message>
    <message>
        <source>Ports of a switch (k)</source>
        <translation>Порты коммутатора (k)</translation>
    </message>
    <message>
        <source>Levels</source>
        <translation>Уровни</translation>
    </message>
    <message>
        <source>Routing</source>
        <translation>Маршрутизация</translation>
    </message>
    <message>
        <source>Leaf ports</source>
        <translation>Порты листа</translation>
    </message>
    <message>
        <source>Oversubscription</source>
        <translation>Переподписка</translation>
    </message>
    <message>
        <source>Spines</source>
        <translation>Магистрали</translation>
    </message>
    <message>
        <source>Uplink bandwidth</source>
        <translation>Скорость вверх</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>Измерения</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>Оси</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>Группы</translation>
    </message>
    <message>
        <source>Routers</source>
        <translation>Маршрутизаторы</translation>
    </message>
    <message>
        <source>Ports</source>
        <translation>Порты</translation>
    </message>
    <message>
        <source>Global links</source>
        <translation>Глобальные связи</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>Число GPU</translation>
    </message>
    <message>
        <source>Wiring inside the machine</source>
        <translation>Связи внутри машины</translation>
    </message>
    <message>
        <source>NICs</source>
        <translation>Сетевых карт</translation>
    </message>
    <message>
        <source>NIC bandwidth</source>
        <translation>Скорость сетевой карты</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>Процессор</translation>
    </message>
    <message>
        <source>CPU cores</source>
        <translation>Ядра процессора</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Память</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>Цена</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Модель</translation>
    </message>
    <message>
        <source>Workers (GPUs)</source>
        <translation>Работники (GPU)</translation>
    </message>
    <message>
        <source>Batch per GPU</source>
        <translation>Пакет на GPU</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Точность</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Оптимизатор</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Обучение</translation>
    </message>
    <message>
        <source>Arrival</source>
        <translation>Поступление</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Шаги</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Приоритет</translation>
    </message>
    <message>
        <source>User</source>
        <translation>Пользователь</translation>
    </message>
    <message>
        <source>Team</source>
        <translation>Команда</translation>
    </message>
    <message>
        <source>Copies</source>
        <translation>Копии</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Режим</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>Серверы</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>Коллективная операция</translation>
    </message>
    <message>
        <source>Transport</source>
        <translation>Транспорт</translation>
    </message>
    <message>
        <source>Parallel</source>
        <translation>Параллельность</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>Политики</translation>
    </message>
    <message>
        <source>Scheduling</source>
        <translation>Планирование</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>Нагрузка</translation>
    </message>
    <message>
        <source>Orchestrator</source>
        <translation>Оркестратор</translation>
    </message>
    <message>
        <source>Services</source>
        <translation>Службы</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>Отказы</translation>
    </message>
    <message>
        <source>Framework</source>
        <translation>Фреймворк</translation>
    </message>
    <message>
        <source>Task environment</source>
        <translation>Среда задач</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Запуск</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Начальное число</translation>
    </message>
    <message>
        <source>Until</source>
        <translation>До</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Перебор</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Задания</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>Генерация</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Стоимость</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Сеть</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>Узлы</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>Трасса</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Файл</translation>
    </message>
    <message>
        <source>Fusion</source>
        <translation>Слияние</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Формат</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Метка</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>Метки</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>Размещение</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Правило</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Порядок</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Контрольная точка</translation>
    </message>
    <message>
        <source>Checkpoint interval</source>
        <translation>Интервал контрольных точек</translation>
    </message>
    <message>
        <source>Checkpoint cost</source>
        <translation>Цена контрольной точки</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>Перезапуск</translation>
    </message>
    <message>
        <source>Restart cost</source>
        <translation>Цена перезапуска</translation>
    </message>
    <message>
        <source>Restart delay</source>
        <translation>Задержка перезапуска</translation>
    </message>
    <message>
        <source>Start cost</source>
        <translation>Цена старта</translation>
    </message>
    <message>
        <source>Resources</source>
        <translation>Ресурсы</translation>
    </message>
    <message>
        <source>Replicas</source>
        <translation>Реплики</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Вид</translation>
    </message>
    <message>
        <source>Deadline</source>
        <translation>Срок</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Длительность</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Время</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Скорость</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>Вопрос</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>Описание</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>Кластер</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>Машина</translation>
    </message>
    <message>
        <source>Node types</source>
        <translation>Типы машин</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>Машины</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Модели</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>Задание</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Задача</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>Задачи</translation>
    </message>
    <message>
        <source>Users</source>
        <translation>Пользователи</translation>
    </message>
    <message>
        <source>Teams</source>
        <translation>Команды</translation>
    </message>
    <message>
        <source>Quotas</source>
        <translation>Квоты</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Очередь</translation>
    </message>
    <message>
        <source>Reservations</source>
        <translation>Резервирования</translation>
    </message>
    <message>
        <source>Partitions</source>
        <translation>Разделы</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>Пределы</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>Хранилище</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Образы</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>Образ</translation>
    </message>
    <message>
        <source>Containers</source>
        <translation>Контейнеры</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Эксперты</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Слои</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>Длина последовательности</translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation>Общий пакет</translation>
    </message>
    <message>
        <source>Micro batch</source>
        <translation>Микропакет</translation>
    </message>
    <message>
        <source>Parallelism</source>
        <translation>Параллелизм</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>Процесс</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>Распределение</translation>
    </message>
    <message>
        <source>Interval</source>
        <translation>Интервал</translation>
    </message>
    <message>
        <source>Period</source>
        <translation>Период</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>Ремонт</translation>
    </message>
    <message>
        <source>Stragglers</source>
        <translation>Отстающие</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>Перекрытие</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>Обновление</translation>
    </message>
    <message>
        <source>Update rule</source>
        <translation>Правило обновления</translation>
    </message>
    <message>
        <source>Protocol</source>
        <translation>Протокол</translation>
    </message>
    <message>
        <source>Efficiency</source>
        <translation>Эффективность</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>Оценка</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>Случайность</translation>
    </message>
    <message>
        <source>Variants</source>
        <translation>Варианты</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Сетка</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Вес</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Скорость</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Работа</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Работник</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Версия</translation>
    </message>
    <message>
        <source>Memory fraction</source>
        <translation>Доля памяти</translation>
    </message>
    <message>
        <source>Bucket size</source>
        <translation>Размер группы</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>Память GPU</translation>
    </message>
    <message>
        <source>GPU share</source>
        <translation>Доля GPU</translation>
    </message>
    <message>
        <source>GPU type</source>
        <translation>Тип GPU</translation>
    </message>
    <message>
        <source>Background</source>
        <translation>В фоне</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Контрольные точки</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Копирование</translation>
    </message>
    <message>
        <source>Elastic</source>
        <translation>Гибкость</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Граф</translation>
    </message>
    <message>
        <source>Rendezvous</source>
        <translation>Сбор участников</translation>
    </message>
    <message>
        <source>Transports</source>
        <translation>Транспорты</translation>
    </message>
    <message>
        <source>Era</source>
        <translation>Эпоха</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>Калибровка</translation>
    </message>
    <message>
        <source>Measured rates</source>
        <translation>Измеренные скорости</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::RunsPanel</name>
    <message>
        <source>Runs</source>
        <translation>Запуски</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Открыть</translation>
    </message>
    <message>
        <source>Shows the results of the chosen run (Return)</source>
        <translation>Показывает результаты выбранного запуска (Enter)</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Переименовать</translation>
    </message>
    <message>
        <source>Gives the chosen run another name</source>
        <translation>Даёт выбранному запуску другое имя</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Повторить</translation>
    </message>
    <message>
        <source>Runs the same scenario once more</source>
        <translation>Запускает тот же сценарий ещё раз</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>Удалить…</translation>
    </message>
    <message>
        <source>Deletes the chosen run and its results (Del)</source>
        <translation>Удаляет выбранный запуск и его результаты (Del)</translation>
    </message>
    <message>
        <source>%1 is gone; the run cannot be repeated</source>
        <translation>%1 больше нет; запуск нельзя повторить</translation>
    </message>
    <message>
        <source>Delete the run</source>
        <translation>Удаление запуска</translation>
    </message>
    <message>
        <source>Delete %1 and its results?</source>
        <translation>Удалить %1 и его результаты?</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Заметка</translation>
    </message>
    <message>
        <source>Keeps words about the chosen run</source>
        <translation>Хранит слова о выбранном запуске</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>Образец</translation>
    </message>
    <message>
        <source>Compares other runs with the chosen one; the same again: no longer</source>
        <translation>Сравнивает другие запуски с выбранным; ещё раз: больше нет</translation>
    </message>
</context>
<context>
    <name>Spans</name>
    <message>
        <source>forward</source>
        <translation>прямой проход</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>обратный проход</translation>
    </message>
    <message>
        <source>push</source>
        <translation>отправка</translation>
    </message>
    <message>
        <source>pull</source>
        <translation>получение</translation>
    </message>
    <message>
        <source>collective</source>
        <translation>коллективная операция</translation>
    </message>
    <message>
        <source>all-reduce</source>
        <translation>all-reduce</translation>
    </message>
    <message>
        <source>exchange</source>
        <translation>обмен</translation>
    </message>
    <message>
        <source>aggregate</source>
        <translation>сложение</translation>
    </message>
    <message>
        <source>update</source>
        <translation>обновление</translation>
    </message>
    <message>
        <source>input</source>
        <translation>ввод</translation>
    </message>
    <message>
        <source>running</source>
        <translation>работает</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>ждёт</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>запускается</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>отказ</translation>
    </message>
    <message>
        <source>jobs of the queue</source>
        <translation>задания очереди</translation>
    </message>
    <message>
        <source>services</source>
        <translation>службы</translation>
    </message>
    <message>
        <source>retraining</source>
        <translation>переобучение</translation>
    </message>
    <message>
        <source>jobs with 1 GPU</source>
        <translation>задания с 1 GPU</translation>
    </message>
    <message>
        <source>2 to 8 GPUs</source>
        <translation>от 2 до 8 GPU</translation>
    </message>
    <message>
        <source>9 to 64 GPUs</source>
        <translation>от 9 до 64 GPU</translation>
    </message>
    <message>
        <source>more than 64 GPUs</source>
        <translation>более 64 GPU</translation>
    </message>
    <message>
        <source>other</source>
        <translation>прочее</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>закончено</translation>
    </message>
    <message>
        <source>is trained</source>
        <translation>обучается</translation>
    </message>
    <message>
        <source>is out of date</source>
        <translation>устарела</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TimelinePage</name>
    <message>
        <source>Critical path</source>
        <translation>Критический путь</translation>
    </message>
    <message>
        <source>Policy that the timeline shows</source>
        <translation>Политика, которую показывает шкала</translation>
    </message>
    <message>
        <source>What has a lane of its own</source>
        <translation>Чему принадлежит дорожка</translation>
    </message>
    <message>
        <source>Lanes: machines and GPUs</source>
        <translation>Дорожки: машины и GPU</translation>
    </message>
    <message>
        <source>Lanes: jobs that waited longest</source>
        <translation>Дорожки: дольше всех ждавшие</translation>
    </message>
    <message>
        <source>Outlines what the end of the step waited for (C)</source>
        <translation>Обводит то, чего ждал конец шага (C)</translation>
    </message>
    <message>
        <source>A click shows this kind alone</source>
        <translation>Щелчок показывает только этот вид</translation>
    </message>
    <message>
        <source>Numbers of what is chosen on the timeline</source>
        <translation>Числа выбранного на шкале</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Что</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Число</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>Вместе</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Среднее</translation>
    </message>
    <message>
        <source>Shortest</source>
        <translation>Кратчайшее</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>Дольше всего</translation>
    </message>
    <message>
        <source>Share of the lanes</source>
        <translation>Доля дорожек</translation>
    </message>
    <message>
        <source>Unfold all</source>
        <translation>Развернуть всё</translation>
    </message>
    <message>
        <source>Fold all</source>
        <translation>Свернуть всё</translation>
    </message>
    <message>
        <source>Machines and jobs as one lane each, or with all of their lanes (G)</source>
        <translation>Машины и задания по одной дорожке или со всеми дорожками (G)</translation>
    </message>
    <message>
        <source>Wheel: zoom · drag: move · Shift and drag: add up a range · click: one piece of work</source>
        <translation>Колесо: масштаб · перетаскивание: сдвиг · Shift и перетаскивание: сумма участка · щелчок: одна операция</translation>
    </message>
    <message>
        <source>%1 (chosen)</source>
        <translation>%1 (выбрано)</translation>
    </message>
    <message>
        <source>all of %1 on %2</source>
        <translation>все %1 на %2</translation>
    </message>
    <message numerus="yes">
        <source>%1 chosen, %n lanes</source>
        <translation>
            <numerusform>выбрано %1, %n дорожка</numerusform>
            <numerusform>выбрано %1, %n дорожки</numerusform>
            <numerusform>выбрано %1, %n дорожек</numerusform>
        </translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Сообщения</translation>
    </message>
    <message>
        <source>Timeline that stands below, on the same time axis</source>
        <translation>Временная шкала внизу, с той же осью времени</translation>
    </message>
    <message>
        <source>Arrows from messages to what waited for them (M); [ and ] follow them</source>
        <translation>Стрелки от сообщений к тому, что их ждало (M); [ и ] ведут по ним</translation>
    </message>
    <message>
        <source>Second timeline</source>
        <translation>Вторая временная шкала</translation>
    </message>
    <message>
        <source>Below: nothing</source>
        <translation>Внизу: ничего</translation>
    </message>
    <message>
        <source>the timeline of %1 is being made…</source>
        <translation>временная шкала для %1 строится…</translation>
    </message>
    <message>
        <source>after %1 on %2</source>
        <translation>после %1 на %2</translation>
    </message>
    <message>
        <source>before %1 on %2</source>
        <translation>перед %1 на %2</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>Числа</translation>
    </message>
    <message>
        <source>Flame graph</source>
        <translation>Пламенный график</translation>
    </message>
    <message>
        <source>What was chosen</source>
        <translation>Что выбрано</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::PipelineView</name>
    <message>
        <source>Pipeline of the step</source>
        <translation>Конвейер шага</translation>
    </message>
    <message>
        <source>%1, stage %2</source>
        <translation>%1, стадия %2</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>стадия %1</translation>
    </message>
    <message>
        <source>%1: busy %2 % of the pipeline, memory up to %3</source>
        <translation>%1: занята %2 % времени конвейера, память до %3</translation>
    </message>
    <message>
        <source>%1: bubble, %2 to %3</source>
        <translation>%1: простой, от %2 до %3</translation>
    </message>
    <message>
        <source>%1: %2 pass of micro-batch %3, chunk %4, %5 to %6</source>
        <translation>%1: проход %2, микропакет %3, часть %4, от %5 до %6</translation>
    </message>
    <message>
        <source>Memory: this folder does not say (memory.csv)</source>
        <translation>Память: в папке нет данных (memory.csv)</translation>
    </message>
    <message>
        <source>Memory of %1, up to %2</source>
        <translation>Память: %1, до %2</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>прямой проход</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>обратный проход</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>веса</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>простой</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>активации</translation>
    </message>
    <message>
        <source>weights, gradients, optimiser, buffers</source>
        <translation>веса, градиенты, оптимизатор, буферы</translation>
    </message>
    <message>
        <source>memory of the GPU</source>
        <translation>память GPU</translation>
    </message>
    <message numerus="yes">
        <source>%1 at %2: %3, of them %4 activations of %n chunk(s)</source>
        <translation>
            <numerusform>%1, %2: %3, из них %4 — активации %n части</numerusform>
            <numerusform>%1, %2: %3, из них %4 — активации %n частей</numerusform>
            <numerusform>%1, %2: %3, из них %4 — активации %n частей</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation>%1 ГиБ</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::Minimap</name>
    <message>
        <source>Map of the whole canvas</source>
        <translation>Карта всего холста</translation>
    </message>
    <message>
        <source>The whole canvas; click or drag to move there (N hides it)</source>
        <translation>Весь холст; щелчок или перетаскивание перемещает вид (N скрывает карту)</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>communication takes (1 + this value) times as long as on the host's network</source>
        <translation>обмен длится в (1 + это значение) раз дольше, чем в сети самой машины</translation>
    </message>
    <message>
        <source>GPUs of each process of workers, as of a container that has several; 0: by worker_processes</source>
        <translation>число GPU у каждого процесса рабочих, например у контейнера с несколькими GPU; 0: по worker_processes</translation>
    </message>
    <message>
        <source>column in the file: how long it waited, where there is no start_s</source>
        <translation>столбец файла: сколько задание ждало, если нет start_s</translation>
    </message>
    <message>
        <source>column in the file: when it started, as submit_s: for simrun replay</source>
        <translation>столбец файла: когда задание началось, как submit_s: для simrun replay</translation>
    </message>
    <message>
        <source>its name</source>
        <translation>его имя</translation>
    </message>
    <message>
        <source>name of the user</source>
        <translation>имя пользователя</translation>
    </message>
    <message>
        <source>network of the containers that train: what it takes of each packet between them (bytes, processor time, one flow for a tunnel)</source>
        <translation>сеть контейнеров, которые обучают: чего стоит каждый пакет между ними (байты, время процессора, один поток на туннель)</translation>
    </message>
    <message>
        <source>workers of a machine are one process with all GPUs (machine), or each GPU has one, with connections of its own (gpu); of a service, each container is a process, unless this is given</source>
        <translation>рабочие одной машины — один процесс со всеми GPU (machine) или отдельный процесс со своими соединениями на каждый GPU (gpu); у службы каждый контейнер — процесс, если это не задано</translation>
    </message>
    <message>
        <source>age at which half of what is above the floor is left</source>
        <translation>возраст, при котором остаётся половина того, что выше нижней границы</translation>
    </message>
    <message>
        <source>instead of half_life: table with the columns age_h and quality, straight lines between its rows</source>
        <translation>вместо half_life: таблица со столбцами age_h и quality, между строками — прямые</translation>
    </message>
    <message>
        <source>its tasks are those of the section &apos;graph&apos; (role and number), whose runs are the work</source>
        <translation>её задачи — задачи раздела 'graph' (роль и номер), работа — его запуски</translation>
    </message>
    <message>
        <source>with half_life: quality on data of age 0</source>
        <translation>с half_life: качество на данных возраста 0</translation>
    </message>
    <message>
        <source>with half_life: quality that is left in the end</source>
        <translation>с half_life: качество, которое остаётся в конце</translation>
    </message>
    <message>
        <source>how good the deployed model is by the age of its data, as the user knows it</source>
        <translation>насколько хороша развёрнутая модель в зависимости от возраста её данных, по сведениям пользователя</translation>
    </message>
    <message>
        <source>what a site does beside its policy, as simrun replay finds it in a log; times as those of submissions</source>
        <translation>что делает площадка помимо стратегии, как это находит в журнале simrun replay; время — как у отправки заданий</translation>
    </message>
    <message>
        <source>times in which no job starts: maintenance, outages</source>
        <translation>время, когда задания не начинаются: обслуживание, сбои</translation>
    </message>
    <message>
        <source>a closed time</source>
        <translation>закрытое время</translation>
    </message>
    <message>
        <source>when it begins</source>
        <translation>когда начинается</translation>
    </message>
    <message>
        <source>when it ends</source>
        <translation>когда кончается</translation>
    </message>
    <message>
        <source>GPUs that jobs may hold at once then, as machines are down; 0: no job starts</source>
        <translation>сколько GPU задания тогда могут занимать вместе, потому что машины не работают; 0: ничего не начинается</translation>
    </message>
    <message>
        <source>what a user&apos;s jobs may hold at once; the others wait outside</source>
        <translation>что задания пользователя могут занимать вместе; остальные ждут вне очереди</translation>
    </message>
    <message>
        <source>a limit</source>
        <translation>ограничение</translation>
    </message>
    <message>
        <source>jobs; 1: one after the other, as a chain</source>
        <translation>задания; 1: одно за другим, как цепочка</translation>
    </message>
    <message>
        <source>hours of the day in which long jobs start</source>
        <translation>часы дня, в которые начинаются длинные задания</translation>
    </message>
    <message>
        <source>their estimate is above this</source>
        <translation>их оценка больше этого</translation>
    </message>
    <message>
        <source>hour of the day, counted from that of the first submission</source>
        <translation>час дня, считая от часа первой отправки</translation>
    </message>
    <message>
        <source>hour of the day; before &apos;from&apos;: of the next day</source>
        <translation>час дня; раньше &apos;from&apos;: следующего дня</translation>
    </message>
    <message>
        <source>jobs that somebody holds, or that wait for others</source>
        <translation>задания, которые кто-то удерживает или которые ждут других</translation>
    </message>
    <message>
        <source>a hold</source>
        <translation>удержание</translation>
    </message>
    <message>
        <source>it does not start before</source>
        <translation>раньше не начинается</translation>
    </message>
    <message>
        <source>jobs that ask for more GPUs ask for so many instead</source>
        <translation>задания, которые просят больше GPU, просят столько</translation>
    </message>
    <message>
        <source>the tensor is a table of so many rows (an embedding), of which a step touches some</source>
        <translation>Тензор — таблица из стольких строк (эмбеддинг), из которых шаг затрагивает часть</translation>
    </message>
    <message>
        <source>rows that one sample looks up</source>
        <translation>Строк, к которым обращается один пример</translation>
    </message>
    <message>
        <source>rows that a worker&apos;s batch touches, each counted once, as measured</source>
        <translation>Измеренное число разных строк, которые затрагивает батч работника</translation>
    </message>
    <message>
        <source>gradients of tables of rows (embeddings): the rows that a step touches with their numbers, to and from servers, or all-gathered between workers; dense: as large as the table</source>
        <translation>Градиенты таблиц строк (эмбеддингов): затронутые шагом строки с их номерами, к серверам и обратно или собранные all-gather между работниками; dense: размером с таблицу</translation>
    </message>
    <message>
        <source>which of them travel: each row that a batch touches once, or one for each lookup</source>
        <translation>Какие из них передаются: каждая затронутая строка один раз или строка на каждое обращение</translation>
    </message>
    <message>
        <source>of a model with tables of rows: where all other tensors are, on the servers as well, or on each worker, summed by all-reduce (hybrid)</source>
        <translation>У модели с таблицами строк: где остальные тензоры — тоже на серверах или у каждого работника с суммой по all-reduce (гибрид)</translation>
    </message>
    <message>
        <source>with dense_gradients: all_reduce: its transport</source>
        <translation>С dense_gradients: all_reduce: его транспорт</translation>
    </message>
    <message>
        <source>steps from one exchange to the next; from 2 on each worker updates a replica of its own in every step, and what is exchanged are parameters, after the update (local SGD)</source>
        <translation>Шагов от одного обмена до следующего; начиная с 2 каждый работник на каждом шаге обновляет свою копию, а обмениваются параметрами после обновления (локальный SGD)</translation>
    </message>
    <message>
        <source>with sequence_parallel, who gathers and scatters: Megatron-LM, which gathers inputs once more for gradients of weights; PyTorch's DTensor, which keeps them and copies what it gathers and scatters; the same with a gather for each matrix (ColwiseParallel with input_layouts, without PrepareModuleInput)</source>
        <translation>При sequence_parallel: кто собирает и рассылает части: Megatron-LM, который собирает входы ещё раз для градиентов весов; DTensor из PyTorch, который хранит их и копирует собранное и разосланное; то же, но со сбором для каждой матрицы (ColwiseParallel с input_layouts, без PrepareModuleInput)</translation>
    </message>
    <message>
        <source>with sync_every: what is done with the average: workers go on with it, or it is the gradient of an outer step with Nesterov&apos;s momentum (DiLoCo), which keeps the last average and a momentum</source>
        <translation>С sync_every: что делают со средним: работники продолжают с ним, или это градиент внешнего шага с импульсом Нестерова (DiLoCo), который хранит последнее среднее и импульс</translation>
    </message>
    <message>
        <source>recommendation, 26 tables of rows of 16 (sparse gradients), 541 M parameters (Naumov et al. 2019)</source>
        <translation>Рекомендации, 26 таблиц строк по 16 (разреженные градиенты), 541 млн параметров (Naumov et al. 2019)</translation>
    </message>
    <message>
        <source>recommendation of MLPerf v1, 26 tables of rows of 128 (sparse gradients), 24.0 G parameters (96 GB)</source>
        <translation>Рекомендации из MLPerf v1, 26 таблиц строк по 128 (разреженные градиенты), 24,0 млрд параметров (96 ГБ)</translation>
    </message>
    <message>
        <source>Horovod's thread that waits for an exchange (blocking) also copies sums back to the GPU before it looks again; TensorFlow's does not</source>
        <translation>Поток Horovod, который ждёт обмена (blocking), ещё и копирует суммы обратно на GPU, прежде чем смотреть снова; в TensorFlow — нет</translation>
    </message>
    <message>
        <source>images lie in memory as matrix units want them (NHWC, torch.channels_last); else they are turned around for each convolution</source>
        <translation>Изображения лежат в памяти так, как нужно матричным блокам (NHWC, torch.channels_last); иначе их переставляют для каждой свёртки</translation>
    </message>
    <message>
        <source>share of a compute kernel for which a collective issued during the backward pass waits for multiprocessors; default: 0.5 where the library reads GPU memory, 0 where it runs on processors</source>
        <translation>Доля вычислительного ядра, в течение которой коллективная операция, начатая во время обратного прохода, ждёт мультипроцессоров; по умолчанию 0.5, если библиотека читает память GPU, и 0, если она работает на процессорах</translation>
    </message>
    <message>
        <source>InfiniBand switches add up (SHARP): the library's plug-in and NCCL_COLLNET_ENABLE=1; from two nodes on</source>
        <translation>Суммируют коммутаторы InfiniBand (SHARP): подключаемый модуль библиотеки и NCCL_COLLNET_ENABLE=1; начиная с двух узлов</translation>
    </message>
    <message>
        <source>bytes that wait at a link at most, before some are lost; with fidelity tcp</source>
        <translation>Сколько байт самое большее ждёт на канале, прежде чем часть теряется; при fidelity tcp</translation>
    </message>
    <message>
        <source>how windows of connections grow and shrink; with fidelity tcp</source>
        <translation>Как растут и уменьшаются окна соединений; при fidelity tcp</translation>
    </message>
    <message>
        <source>packets of 1,514 B that wait at a link at most; with fidelity tcp</source>
        <translation>Сколько пакетов по 1 514 Б самое большее ждёт на канале; при fidelity tcp</translation>
    </message>
    <message>
        <source>links mark packets that find more bytes in the queue; with congestion_control dctcp</source>
        <translation>Каналы помечают пакеты, которые застают в очереди больше байт; при congestion_control dctcp</translation>
    </message>
    <message>
        <source>bytes that pass before a link has its bandwidth; they come back at that rate (token bucket: tc tbf, network credits of clouds); with fidelity tcp</source>
        <translation>Сколько байт проходит, прежде чем действует пропускная способность канала; с той же скоростью они восполняются (маркерная корзина: tc tbf, сетевые кредиты облаков); при fidelity tcp</translation>
    </message>
    <message>
        <source>at which the burst passes</source>
        <translation>С какой скоростью проходит всплеск</translation>
    </message>
    <message>
        <source>multiprocessors that collectives take from the backward pass while both run; default: two for each ring (24 and 16 in machines of A100 and of H100 with NVSwitch), 0 on CPUs; without effect beside contention_per_GB</source>
        <translation>Мультипроцессоры, которые коллективные операции отнимают у обратного прохода, пока идут вместе; по умолчанию два на каждое кольцо (24 и 16 в машинах с A100 и H100 с NVSwitch), 0 на процессорах; не действует вместе с contention_per_GB</translation>
    </message>
    <message>
        <source>with cp, how ranks see each other&apos;s keys and values: p2p, pieces go round a ring beside the attention to the piece before; all_gather, all of them before the attention (Llama 3); a2a, each rank gets the whole sequence of its share of the heads (Ulysses). Megatron-Core&apos;s cp_comm_type; torchtitan&apos;s context_parallel_rotate_method, whose alltoall is p2p</source>
        <translation>При cp: как ранги видят ключи и значения друг друга: p2p — части идут по кольцу, каждая рядом с вниманием к предыдущей; all_gather — все собираются до внимания (Llama 3); a2a — каждый ранг получает всю последовательность для своей доли голов (Ulysses). cp_comm_type в Megatron-Core; context_parallel_rotate_method в torchtitan, чей alltoall — это p2p</translation>
    </message>
    <message>
        <source>with precision fp8, mxfp8 or nvfp4, what the backward pass finds in fewer than 16 bit: linear_inputs, rounded as for the product (Transformer Engine); activation_inputs, of the activation function (Megatron-Core&apos;s activation-func-fp8-input-store); attention_output, in 12 bit (DeepSeek-V3: all three)</source>
        <translation>При точности fp8, mxfp8 или nvfp4: что обратный проход находит менее чем в 16 битах: linear_inputs — входы линейных слоёв, округлённые как для произведения (Transformer Engine); activation_inputs — входы функции активации (activation-func-fp8-input-store в Megatron-Core); attention_output — выход внимания в 12 битах (DeepSeek-V3: все три)</translation>
    </message>
    <message>
        <source>values are left out at random, in attention and before each sum with the identity path; MLPerf&apos;s GPT-3 and most recipes of today train without</source>
        <translation>Значения случайно отбрасываются: во внимании и перед каждой суммой с тождественным путём; GPT-3 в MLPerf и большинство сегодняшних рецептов обучаются без этого</translation>
    </message>
    <message>
        <source>with precision fp8, mxfp8 or nvfp4, tokens travel to their experts rounded as for the product; what comes back is in 16 bit (DeepSeek-V3, DeepEP)</source>
        <translation>При точности fp8, mxfp8 или nvfp4: токены идут к своим экспертам округлёнными, как для произведения; обратно возвращаются 16 бит (DeepSeek-V3, DeepEP)</translation>
    </message>
    <message>
        <source>groups in which the experts lie (n_group)</source>
        <translation>Группы, в которых лежат эксперты (n_group)</translation>
    </message>
    <message>
        <source>groups whose experts a token may pass (topk_group)</source>
        <translation>Группы, через экспертов которых может проходить токен (topk_group)</translation>
    </message>
    <message>
        <source>parts of every layer that the backward pass computes again: layernorm, activation (of the feed-forward network or the experts), mla_up_proj (latent attention's queries, keys and values), mlp, moe (all of the experts, with their messages), shared_experts (Megatron-Core's --recompute-modules)</source>
        <translation>Части каждого слоя, которые обратный проход вычисляет заново: layernorm, activation (полносвязной сети или экспертов), mla_up_proj (запросы, ключи и значения латентного внимания), mlp, moe (всё у экспертов, вместе с их сообщениями), shared_experts (--recompute-modules в Megatron-Core)</translation>
    </message>
    <message>
        <source>share of a compute kernel for which a collective issued during the backward pass waits for multiprocessors; default: 0.5 on GPUs, 0 on CPUs</source>
        <translation>Доля вычислительного ядра, в течение которой коллективная операция, начатая во время обратного прохода, ждёт мультипроцессоров; по умолчанию 0.5 на GPU, 0 на процессорах</translation>
    </message>
    <message>
        <source>share of the line rate that large payloads reach over InfiniBand; 0: as over other links</source>
        <translation>Доля скорости линии, которой большие объёмы достигают по InfiniBand; 0: как на других каналах</translation>
    </message>
    <message>
        <source>whether a process reaches endpoint_limit in each direction, or in both together (one I/O thread)</source>
        <translation>Достигает ли процесс endpoint_limit в каждом направлении или в обоих вместе (один поток ввода-вывода)</translation>
    </message>
    <message>
        <source>whether a process reaches that rate in each direction, or in both together (one I/O thread); default: the transport's, shared with zmq</source>
        <translation>Достигает ли процесс этой скорости в каждом направлении или в обоих вместе (один поток ввода-вывода); по умолчанию как у транспорта, с zmq — в обоих вместе</translation>
    </message>
    <message>
        <source>with zero: 3, weights are used where they are gathered (FSDP1, Megatron-FSDP); false: each layer's are copied out of the buffer of its collective, and gradients into one (PyTorch's fully_shard, DeepSpeed)</source>
        <translation>При zero: 3 веса используются там, где собраны (FSDP1, Megatron-FSDP); false: веса каждого слоя копируются из буфера его коллективной операции, а градиенты — в такой буфер (fully_shard в PyTorch, DeepSpeed)</translation>
    </message>
    <message>
        <source>column in the file: submission: a number, or a date with a time of day (2026-01-31 08:30:00)</source>
        <translation>столбец в файле: постановка в очередь: число или дата со временем (2026-01-31 08:30:00)</translation>
    </message>
    <message>
        <source>column in the file: run time without waiting, on the GPUs that the job asks for</source>
        <translation>столбец в файле: время работы без ожидания на тех GPU, которые запрашивает задача</translation>
    </message>
    <message>
        <source>column in the file: how many it asks for</source>
        <translation>столбец в файле: сколько GPU запрашивает задача</translation>
    </message>
    <message>
        <source>column in the file: of the job; its number where there is none</source>
        <translation>столбец в файле: имя задачи; если его нет — её номер</translation>
    </message>
    <message>
        <source>column in the file: who submitted it</source>
        <translation>столбец в файле: кто поставил задачу</translation>
    </message>
    <message>
        <source>column in the file: whose quota it uses</source>
        <translation>столбец в файле: чью квоту использует задача</translation>
    </message>
    <message>
        <source>column in the file: or partition</source>
        <translation>столбец в файле: очередь (или раздел)</translation>
    </message>
    <message>
        <source>column in the file: or queue</source>
        <translation>столбец в файле: раздел (или очередь)</translation>
    </message>
    <message>
        <source>column in the file: labels key=value of machines, separated by spaces</source>
        <translation>столбец в файле: метки машин вида ключ=значение через пробел</translation>
    </message>
    <message>
        <source>column in the file: what it trains</source>
        <translation>столбец в файле: что обучает задача</translation>
    </message>
    <message>
        <source>column in the file: run time that its user expected</source>
        <translation>столбец в файле: время работы, которое ожидал пользователь</translation>
    </message>
    <message>
        <source>column in the file: when it must have ended</source>
        <translation>столбец в файле: к какому времени задача должна закончиться</translation>
    </message>
    <message>
        <source>column in the file: higher goes first</source>
        <translation>столбец в файле: больший приоритет идёт первым</translation>
    </message>
    <message>
        <source>column in the file: of the job in fair shares</source>
        <translation>столбец в файле: вес задачи при справедливом разделе</translation>
    </message>
    <message>
        <source>column in the file: how many it is divided into</source>
        <translation>столбец в файле: на сколько частей делится задача</translation>
    </message>
    <message>
        <source>column in the file: thousandths of each GPU</source>
        <translation>столбец в файле: тысячные доли каждого GPU</translation>
    </message>
    <message>
        <source>column in the file: thousandths of the arithmetic of each GPU</source>
        <translation>столбец в файле: тысячные доли вычислительной мощности каждого GPU</translation>
    </message>
    <message>
        <source>column in the file: memory on each GPU</source>
        <translation>столбец в файле: память на каждом GPU</translation>
    </message>
    <message>
        <source>column in the file: thousandths of a core</source>
        <translation>столбец в файле: тысячные доли ядра</translation>
    </message>
    <message>
        <source>column in the file: memory of the machine</source>
        <translation>столбец в файле: память машины</translation>
    </message>
    <message>
        <source>column in the file: fewest that it can run on</source>
        <translation>столбец в файле: наименьшее число GPU, на котором задача может работать</translation>
    </message>
    <message>
        <source>column in the file: most that it can use</source>
        <translation>столбец в файле: наибольшее число GPU, которое задача может использовать</translation>
    </message>
    <message>
        <source>column in the file: quality of service (Slurm)</source>
        <translation>столбец в файле: качество обслуживания (QOS Slurm)</translation>
    </message>
    <message>
        <source>column in the file: that it runs in</source>
        <translation>столбец в файле: резервирование, в котором работает задача</translation>
    </message>
    <message>
        <source>column in the file: name of its job array</source>
        <translation>столбец в файле: имя массива задач</translation>
    </message>
    <message>
        <source>column in the file: jobs of the array that may run at once</source>
        <translation>столбец в файле: сколько задач массива могут работать одновременно</translation>
    </message>
    <message>
        <source>column in the file: type that it asks for</source>
        <translation>столбец в файле: тип GPU, который запрашивает задача</translation>
    </message>
    <message>
        <source>column in the file: type that duration_s was measured on</source>
        <translation>столбец в файле: тип GPU, на котором измерено duration_s</translation>
    </message>
    <message>
        <source>column in the file: names of jobs that must have ended, separated by spaces</source>
        <translation>столбец в файле: имена задач, которые должны закончиться раньше, через пробел</translation>
    </message>
    <message>
        <source>columns of a table of your own (format csv): which of them are those of Trainyard's table</source>
        <translation>столбцы вашей таблицы (формат csv): какие из них соответствуют столбцам таблицы Trainyard</translation>
    </message>
    <message>
        <source>0 = any number</source>
        <translation>0 = сколько угодно</translation>
    </message>
    <message>
        <source>12 characters</source>
        <translation>12 символов</translation>
    </message>
    <message>
        <source>8..64:8 (step), 1..64*2 (factor)</source>
        <translation>8..64:8 (шаг), 1..64*2 (множитель)</translation>
    </message>
    <message>
        <source>a cluster queue</source>
        <translation>Очередь кластера</translation>
    </message>
    <message>
        <source>A cluster, its jobs, and what to find out</source>
        <translation>Кластер, его задания и то, что нужно узнать</translation>
    </message>
    <message>
        <source>a cohort</source>
        <translation>Когорта</translation>
    </message>
    <message>
        <source>a flavor</source>
        <translation>Вид GPU (flavor)</translation>
    </message>
    <message>
        <source>a quota</source>
        <translation>Квота</translation>
    </message>
    <message>
        <source>action preempt: a job stops jobs of lower priority of its queue</source>
        <translation>Действие preempt: задание останавливает менее важные задания своей очереди</translation>
    </message>
    <message>
        <source>action reclaim: a queue that has less than it deserves stops jobs of queues that have more</source>
        <translation>Действие reclaim: очередь, у которой меньше положенного, останавливает задания очередей, у которых больше</translation>
    </message>
    <message>
        <source>cluster queues of one cohort lend each other what they do not use</source>
        <translation>Очереди одной когорты одалживают друг другу то, чем не пользуются</translation>
    </message>
    <message>
        <source>cluster queues: quotas of the team of this name</source>
        <translation>Очереди кластера: квоты команды с этим именем</translation>
    </message>
    <message>
        <source>cohorts with a parent or quotas of their own; others need no entry as long as none has one</source>
        <translation>Когорты с родителем или своими квотами; остальные можно не описывать, если не описана ни одна</translation>
    </message>
    <message>
        <source>account above this one</source>
        <translation>Учётная запись над этой</translation>
    </message>
    <message>
        <source>accounts and their users, with limits; those of all jobs count at every level of the tree of accounts</source>
        <translation>Учётные записи и их пользователи с ограничениями; ограничения на все задания действуют на каждом уровне дерева учётных записей</translation>
    </message>
    <message>
        <source>an association</source>
        <translation>Учётная запись или её пользователь</translation>
    </message>
    <message>
        <source>CPU cores</source>
        <translation>Ядра CPU</translation>
    </message>
    <message>
        <source>CPU cores of each task</source>
        <translation>Ядра CPU каждой задачи</translation>
    </message>
    <message>
        <source>CPU cores: they preprocess samples, and containers and queued jobs share them</source>
        <translation>Ядра CPU: они готовят примеры, их делят контейнеры и задания очереди</translation>
    </message>
    <message>
        <source>CPU of the catalogue; it sets how fast jobs with device: cpu compute</source>
        <translation>CPU из каталога; определяет скорость вычислений заданий с device: cpu</translation>
    </message>
    <message>
        <source>CPU sockets of the machine</source>
        <translation>Процессорные сокеты машины</translation>
    </message>
    <message>
        <source>time of a core at each end for a GB; a process of parameter servers moves no more than the cores of its machine can</source>
        <translation>Время ядра на каждом конце на ГБ; процесс сервера параметров передаёт не больше, чем могут ядра его машины</translation>
    </message>
    <message>
        <source>CPU time of a server per message</source>
        <translation>Время CPU сервера на сообщение</translation>
    </message>
    <message>
        <source>CSV file with a row per layer: name, parameters (elements of each tensor), forward and backward (times for the job's batch) or flop (forward, per sample), activations</source>
        <translation>CSV-файл со строкой на слой: имя, параметры (элементов в каждом тензоре), forward и backward (время для пакета задания) или flop (прямой проход, на пример), активации</translation>
    </message>
    <message>
        <source>CUDA_VISIBLE_DEVICES: numbers of the GPUs that it sees</source>
        <translation>CUDA_VISIBLE_DEVICES: номера видимых GPU</translation>
    </message>
    <message>
        <source>flavors, cohorts and cluster queues, for the queue policy kueue</source>
        <translation>Виды GPU, когорты и очереди кластера для политики очереди kueue</translation>
    </message>
    <message>
        <source>GPU of the catalogue</source>
        <translation>GPU из каталога</translation>
    </message>
    <message>
        <source>GPU type of its machines</source>
        <translation>Тип GPU его машин</translation>
    </message>
    <message>
        <source>GPU type that run times were measured on; with several types of GPU whose speeds differ (throughputs, or speed: step)</source>
        <translation>Тип GPU, на котором измерено время работы; при нескольких типах GPU разной скорости (throughputs или speed: step)</translation>
    </message>
    <message>
        <source>GPU-seconds after which a job moves down to the next queue, ascending, separated by spaces</source>
        <translation>GPU-секунды, после которых задание переходит в следующую очередь; по возрастанию, через пробел</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>GPUs, CPU, memory and pods by flavor; jobs try the flavors in this order</source>
        <translation>GPU, CPU, память и поды по видам; задания пробуют виды в этом порядке</translation>
    </message>
    <message>
        <source>GPUs in the machine</source>
        <translation>GPU в машине</translation>
    </message>
    <message>
        <source>GPUs of its own machine, with cluster: false</source>
        <translation>GPU собственной машины, при cluster: false</translation>
    </message>
    <message>
        <source>GPUs of one job: MaxTRESPerJob</source>
        <translation>GPU одного задания: MaxTRESPerJob</translation>
    </message>
    <message>
        <source>GPUs of the largest task: smaller jobs are one task on one machine, larger jobs are gangs of such tasks</source>
        <translation>GPU самой большой задачи: меньшие задания — одна задача на одной машине, большие — группы таких задач</translation>
    </message>
    <message>
        <source>GPUs of the whole gang</source>
        <translation>GPU всей группы</translation>
    </message>
    <message>
        <source>GPUs per team: 'team-a=8 team-b=16'; teams without one are not limited</source>
        <translation>GPU по командам: 'team-a=8 team-b=16'; остальные команды не ограничены</translation>
    </message>
    <message>
        <source>GPUs that a user's jobs may hold at once: MaxTRESPerUser</source>
        <translation>Сколько GPU могут сразу занимать задания пользователя: MaxTRESPerUser</translation>
    </message>
    <message>
        <source>GPUs that all arriving tasks ask for, as a share of the cluster's</source>
        <translation>Сколько GPU просят все прибывающие задачи, в доле от GPU кластера</translation>
    </message>
    <message>
        <source>GPUs that all its jobs may hold at once: GrpTRES</source>
        <translation>Сколько GPU могут сразу занимать все её задания: GrpTRES</translation>
    </message>
    <message>
        <source>GPUs that are kept for a queue of Volcano: &apos;team-a=4&apos;</source>
        <translation>Сколько GPU оставлено для очереди Volcano: 'team-a=4'</translation>
    </message>
    <message>
        <source>GPUs that it has</source>
        <translation>Сколько GPU у неё есть</translation>
    </message>
    <message>
        <source>GPUs that the jobs of an account (team) may hold at once: MaxTRESPerAccount</source>
        <translation>Сколько GPU могут сразу занимать задания счёта (команды): MaxTRESPerAccount</translation>
    </message>
    <message>
        <source>GPUs, with train_time</source>
        <translation>GPU, вместе с train_time</translation>
    </message>
    <message>
        <source>jobs are let in while they ask for no more than so many times the GPUs, CPU and memory that there are</source>
        <translation>Задания впускаются, пока просят не больше, чем во столько раз больше GPU, CPU и памяти, чем есть</translation>
    </message>
    <message>
        <source>jobs of other queues that borrow, which one of its jobs may stop although it borrows too</source>
        <translation>Какие задания занимающих очередей может остановить её задание, даже если занимает само</translation>
    </message>
    <message>
        <source>jobs of other queues that borrow, which one of its jobs within quota may stop</source>
        <translation>Какие задания занимающих очередей может остановить её задание в пределах квоты</translation>
    </message>
    <message>
        <source>jobs of the same queue that one of its jobs may stop</source>
        <translation>Какие задания той же очереди может остановить её задание</translation>
    </message>
    <message>
        <source>Kueue: quotas by GPU flavor, cohorts that borrow and lend, reclaiming; rules of the section kueue</source>
        <translation>Kueue: квоты по видам GPU, когорты с займами, возврат занятого; правила раздела kueue</translation>
    </message>
    <message>
        <source>jobs of a user that may wait and run at once, others are refused: MaxSubmitJobsPerUser</source>
        <translation>Сколько заданий пользователя могут ждать и идти сразу, остальным отказано: MaxSubmitJobsPerUser</translation>
    </message>
    <message>
        <source>jobs that may wait and run at once, others are refused: GrpSubmitJobs</source>
        <translation>Сколько заданий могут ждать и идти сразу, остальным отказано: GrpSubmitJobs</translation>
    </message>
    <message>
        <source>MaxTRESPerUser: GPUs that a user may hold at once; 0 = no limit</source>
        <translation>MaxTRESPerUser: сколько GPU может сразу занимать пользователь; 0 = без ограничения</translation>
    </message>
    <message>
        <source>most GPUs that a queue of Volcano may hold: &apos;team-a=16&apos;</source>
        <translation>Сколько GPU может держать очередь Volcano: 'team-a=16'</translation>
    </message>
    <message>
        <source>CPU cores that it has</source>
        <translation>Сколько ядер CPU у неё есть</translation>
    </message>
    <message>
        <source>quota of CPU cores</source>
        <translation>Квота ядер CPU</translation>
    </message>
    <message>
        <source>most CPU cores that it may borrow from its cohort</source>
        <translation>Сколько ядер CPU она может занять у своей когорты</translation>
    </message>
    <message>
        <source>most CPU cores of its own that others of its cohort may use</source>
        <translation>Сколько её ядер CPU могут использовать другие из её когорты</translation>
    </message>
    <message>
        <source>memory that it has</source>
        <translation>Сколько памяти у неё есть</translation>
    </message>
    <message>
        <source>quota of memory</source>
        <translation>Квота памяти</translation>
    </message>
    <message>
        <source>most memory that it may borrow from its cohort</source>
        <translation>Сколько памяти она может занять у своей когорты</translation>
    </message>
    <message>
        <source>most memory of its own that others of its cohort may use</source>
        <translation>Сколько её памяти могут использовать другие из её когорты</translation>
    </message>
    <message>
        <source>pods that it has</source>
        <translation>Сколько подов у неё есть</translation>
    </message>
    <message>
        <source>quota of pods</source>
        <translation>Квота подов</translation>
    </message>
    <message>
        <source>most pods that it may borrow from its cohort</source>
        <translation>Сколько подов она может занять у своей когорты</translation>
    </message>
    <message>
        <source>most pods of its own that others of its cohort may use</source>
        <translation>Сколько её подов могут использовать другие из её когорты</translation>
    </message>
    <message>
        <source>whether a job that asks for a resource of which its cluster queue has no quota never starts, or that resource is not limited</source>
        <translation>Задание просит ресурс, на который у его очереди кластера нет квоты: оно никогда не начнётся, или этот ресурс не ограничен</translation>
    </message>
    <message>
        <source>most CPU cores that a queue of Volcano may hold: &apos;team-a=128&apos;</source>
        <translation>Сколько ядер CPU может держать очередь Volcano: 'team-a=128'</translation>
    </message>
    <message>
        <source>CPU cores that are kept for a queue of Volcano: &apos;team-a=32&apos;</source>
        <translation>Сколько ядер CPU оставлено для очереди Volcano: 'team-a=32'</translation>
    </message>
    <message>
        <source>most memory that a queue of Volcano may hold: &apos;team-a=512GiB&apos;</source>
        <translation>Сколько памяти может держать очередь Volcano: 'team-a=512GiB'</translation>
    </message>
    <message>
        <source>memory that is kept for a queue of Volcano: &apos;team-a=128GiB&apos;</source>
        <translation>Сколько памяти оставлено для очереди Volcano: 'team-a=128GiB'</translation>
    </message>
    <message>
        <source>GPUs that a queue of Volcano deserves: &apos;team-a=8&apos;. Any such list switches to plugin capacity</source>
        <translation>Сколько GPU положено очереди Volcano: 'team-a=8'. Любой такой список включает плагин capacity</translation>
    </message>
    <message>
        <source>CPU cores that a queue of Volcano deserves (plugin capacity): &apos;team-a=64&apos;</source>
        <translation>Сколько ядер CPU положено очереди Volcano (плагин capacity): 'team-a=64'</translation>
    </message>
    <message>
        <source>memory that a queue of Volcano deserves (plugin capacity): &apos;team-a=256GiB&apos;</source>
        <translation>Сколько памяти положено очереди Volcano (плагин capacity): 'team-a=256GiB'</translation>
    </message>
    <message>
        <source>most GPUs that it may borrow from its cohort</source>
        <translation>Сколько GPU она может занять у своей когорты</translation>
    </message>
    <message>
        <source>most of its own GPUs that others of its cohort may use</source>
        <translation>Сколько её собственных GPU могут занять другие из её когорты</translation>
    </message>
    <message>
        <source>name of the cluster queue: the team of its jobs</source>
        <translation>Имя очереди: команда её заданий</translation>
    </message>
    <message>
        <source>name of the cohort, for cluster queues and other cohorts</source>
        <translation>Имя когорты, для очередей и других когорт</translation>
    </message>
    <message>
        <source>name of the flavor, for quotas</source>
        <translation>Имя вида GPU, для квот</translation>
    </message>
    <message>
        <source>name of the account: the team of its jobs; root: above all others</source>
        <translation>Имя учётной записи: команда её заданий; root — над всеми остальными</translation>
    </message>
    <message>
        <source>NCCL version whose start-up constants are used: 2.7 or 2.26; auto = 2.26 if the GPUs support fp8</source>
        <translation>Версия NCCL, чьи константы запуска берутся: 2.7 или 2.26; auto = 2.26, если GPU умеют fp8</translation>
    </message>
    <message>
        <source>NICs per router (p)</source>
        <translation>Сетевые карты на маршрутизатор (p)</translation>
    </message>
    <message>
        <source>NVLink generation; decides the rate of a link (20, 25, 25, 25, 50 GB/s each direction)</source>
        <translation>Поколение NVLink; определяет скорость канала (20, 25, 25, 25, 50 ГБ/с в каждую сторону)</translation>
    </message>
    <message>
        <source>one of kueue.flavors</source>
        <translation>Один из kueue.flavors</translation>
    </message>
    <message>
        <source>ONNX file of a network</source>
        <translation>ONNX-файл сети</translation>
    </message>
    <message>
        <source>partitions, QOS, accounts and reservations, for the queue policy slurm</source>
        <translation>Разделы, QOS, учётные записи и резервирования для политики очереди slurm</translation>
    </message>
    <message>
        <source>PCIe switches below each socket; 0 puts GPUs and NICs on root ports</source>
        <translation>Коммутаторы PCIe под каждым сокетом; 0 — GPU и сетевые карты на корневых портах</translation>
    </message>
    <message>
        <source>PreemptMode: requeue (a stopped job waits again, its progress kept), cancel (it is lost)</source>
        <translation>PreemptMode: requeue (остановленное задание снова ждёт, работа сохраняется), cancel (оно теряется)</translation>
    </message>
    <message>
        <source>PriorityCalcPeriod: how often priorities are computed</source>
        <translation>PriorityCalcPeriod: как часто вычисляются приоритеты</translation>
    </message>
    <message>
        <source>PriorityFavorSmall: small jobs get the larger size factor</source>
        <translation>PriorityFavorSmall: малые задания получают больший множитель размера</translation>
    </message>
    <message>
        <source>PriorityJobFactor: part of the priority, times weight_partition</source>
        <translation>PriorityJobFactor: часть приоритета, умноженная на weight_partition</translation>
    </message>
    <message>
        <source>PriorityMaxAge: waiting time at which the age factor is 1</source>
        <translation>PriorityMaxAge: время ожидания, при котором множитель возраста равен 1</translation>
    </message>
    <message>
        <source>PriorityTier: jobs of a higher tier go first, whatever their priority</source>
        <translation>PriorityTier: задания более высокого уровня идут первыми при любом приоритете</translation>
    </message>
    <message>
        <source>PriorityWeightAge: of the time a job has waited, over max_age, at most 1</source>
        <translation>PriorityWeightAge: доля времени ожидания от max_age, не больше 1</translation>
    </message>
    <message>
        <source>PriorityWeightFairshare: of the Fair Tree rank of the job's user, 1 = first</source>
        <translation>PriorityWeightFairshare: место пользователя по Fair Tree, 1 = первый</translation>
    </message>
    <message>
        <source>PriorityWeightJobSize: of the job's share of all GPUs</source>
        <translation>PriorityWeightJobSize: доля задания от всех GPU</translation>
    </message>
    <message>
        <source>PriorityWeightPartition: of the partition's factor over the largest</source>
        <translation>PriorityWeightPartition: множитель раздела относительно наибольшего</translation>
    </message>
    <message>
        <source>PriorityWeightQOS: of the job's `priority` over the largest</source>
        <translation>PriorityWeightQOS: `priority` задания относительно наибольшего</translation>
    </message>
    <message>
        <source>a QOS</source>
        <translation>QOS</translation>
    </message>
    <message>
        <source>a change of the number of replicas</source>
        <translation>Изменение числа реплик</translation>
    </message>
    <message>
        <source>a failure</source>
        <translation>Отказ</translation>
    </message>
    <message>
        <source>a job moves back to the first queue if it waits this many times its run time since it was last there; 0 = never</source>
        <translation>Задание возвращается в первую очередь, если ждёт во столько раз дольше, чем работало с тех пор, как было там; 0 = никогда</translation>
    </message>
    <message>
        <source>a job whose deadline cannot be met with the jobs admitted before it gets only the remaining GPUs</source>
        <translation>Задание, чей срок нельзя выдержать вместе с принятыми ранее, получает только оставшиеся GPU</translation>
    </message>
    <message>
        <source>a link of topology graph</source>
        <translation>Канал топологии graph</translation>
    </message>
    <message>
        <source>a machine type</source>
        <translation>Тип машины</translation>
    </message>
    <message>
        <source>a model</source>
        <translation>Модель</translation>
    </message>
    <message>
        <source>a name</source>
        <translation>Имя</translation>
    </message>
    <message>
        <source>a named set of changes</source>
        <translation>Именованный набор изменений</translation>
    </message>
    <message>
        <source>a partition</source>
        <translation>Раздел</translation>
    </message>
    <message>
        <source>a placement policy</source>
        <translation>Политика размещения</translation>
    </message>
    <message>
        <source>a placement policy, with settings</source>
        <translation>Политика размещения с настройками</translation>
    </message>
    <message>
        <source>a planner</source>
        <translation>Планировщик</translation>
    </message>
    <message>
        <source>a planner, with settings</source>
        <translation>Планировщик с настройками</translation>
    </message>
    <message>
        <source>a point of the curve</source>
        <translation>Точка кривой</translation>
    </message>
    <message>
        <source>a policy for duplicates</source>
        <translation>Политика для повторов</translation>
    </message>
    <message>
        <source>a policy for duplicates, with settings</source>
        <translation>Политика для повторов с настройками</translation>
    </message>
    <message>
        <source>a port</source>
        <translation>Порт</translation>
    </message>
    <message>
        <source>a process on the node's GPUs</source>
        <translation>Процесс на GPU узла</translation>
    </message>
    <message>
        <source>a queue policy</source>
        <translation>Политика очереди</translation>
    </message>
    <message>
        <source>a queue policy, with settings</source>
        <translation>Политика очереди с настройками</translation>
    </message>
    <message>
        <source>a range of values</source>
        <translation>Диапазон значений</translation>
    </message>
    <message>
        <source>a range to draw from</source>
        <translation>Диапазон, из которого выбирают случайно</translation>
    </message>
    <message>
        <source>a rate from a time on</source>
        <translation>Частота, начиная с некоторого времени</translation>
    </message>
    <message>
        <source>a reservation</source>
        <translation>Резервирование</translation>
    </message>
    <message>
        <source>a rolling update</source>
        <translation>Постепенное обновление</translation>
    </message>
    <message>
        <source>a rule of failures</source>
        <translation>Правило отказов</translation>
    </message>
    <message>
        <source>a service</source>
        <translation>Служба</translation>
    </message>
    <message>
        <source>a slow worker</source>
        <translation>Медленный рабочий</translation>
    </message>
    <message>
        <source>a task that joins late or never, or has another cluster_spec</source>
        <translation>Задача, которая присоединяется поздно или никогда либо имеет другой cluster_spec</translation>
    </message>
    <message>
        <source>a training job</source>
        <translation>Задание обучения</translation>
    </message>
    <message>
        <source>a training that fails</source>
        <translation>Обучение, которое не удаётся</translation>
    </message>
    <message>
        <source>a transport</source>
        <translation>Транспорт</translation>
    </message>
    <message>
        <source>accounts (teams) that may run jobs in it</source>
        <translation>Счета (команды), которым разрешено запускать в нём задания</translation>
    </message>
    <message>
        <source>additional work per step, which a single GPU does not have; with sync_every: of a step that averages</source>
        <translation>Дополнительная работа на шаг, которой нет у одного GPU; с sync_every: шага, в котором усредняют</translation>
    </message>
    <message>
        <source>after the tasks of the workload come copies of randomly chosen ones, up to the load</source>
        <translation>После задач нагрузки идут копии случайно выбранных, до заданной загрузки</translation>
    </message>
    <message>
        <source>age of its data at which the deployed model becomes stale</source>
        <translation>Возраст данных, при котором развёрнутая модель устаревает</translation>
    </message>
    <message>
        <source>all-reduce algorithm</source>
        <translation>Алгоритм all-reduce</translation>
    </message>
    <message>
        <source>all-reduce algorithm; auto = ring, tree, NVSwitch or low-latency protocol as NCCL would choose</source>
        <translation>Алгоритм all-reduce; auto = кольцо, дерево, NVSwitch или протокол малой задержки, как выбрала бы NCCL</translation>
    </message>
    <message>
        <source>all: 0.95 of each visible GPU at the start; allow_growth: as much as it needs; fraction: per_process_gpu_memory_fraction</source>
        <translation>all: 0.95 каждого видимого GPU сразу; allow_growth: сколько нужно; fraction: per_process_gpu_memory_fraction</translation>
    </message>
    <message>
        <source>amount of work</source>
        <translation>Объём работы</translation>
    </message>
    <message>
        <source>amplitude of the daily swing as a share of the mean rate, 0 to 1</source>
        <translation>Размах суточных колебаний как доля средней частоты, от 0 до 1</translation>
    </message>
    <message>
        <source>an image</source>
        <translation>Образ</translation>
    </message>
    <message>
        <source>an operation of the graph</source>
        <translation>Операция графа</translation>
    </message>
    <message>
        <source>any value</source>
        <translation>Любое значение</translation>
    </message>
    <message>
        <source>arrival process</source>
        <translation>Процесс поступления</translation>
    </message>
    <message>
        <source>attempts at one retraining before it is given up</source>
        <translation>Попытки одного переобучения до отказа от него</translation>
    </message>
    <message>
        <source>attempts before such a job is given up</source>
        <translation>Попытки до отказа от такого задания</translation>
    </message>
    <message>
        <source>attempts for one request and its answer</source>
        <translation>Попытки одного запроса с ответом</translation>
    </message>
    <message>
        <source>bandwidth between routers of a group</source>
        <translation>Пропускная способность между маршрутизаторами группы</translation>
    </message>
    <message>
        <source>bandwidth between two routers, one direction</source>
        <translation>Пропускная способность между двумя маршрутизаторами, в одну сторону</translation>
    </message>
    <message>
        <source>bandwidth between two sockets, one direction</source>
        <translation>Пропускная способность между двумя сокетами, в одну сторону</translation>
    </message>
    <message>
        <source>bandwidth for all readers together</source>
        <translation>Пропускная способность для всех читателей вместе</translation>
    </message>
    <message>
        <source>bandwidth of a global link</source>
        <translation>Пропускная способность глобального канала</translation>
    </message>
    <message>
        <source>bandwidth of each node's disk, or of the shared storage</source>
        <translation>Пропускная способность диска каждого узла или общего хранилища</translation>
    </message>
    <message>
        <source>bandwidth of image pulls of all nodes together</source>
        <translation>Пропускная способность загрузки образов для всех узлов вместе</translation>
    </message>
    <message>
        <source>bandwidth of image pulls to one node</source>
        <translation>Пропускная способность загрузки образов на один узел</translation>
    </message>
    <message>
        <source>bandwidth of one NVLink, one direction</source>
        <translation>Пропускная способность одного NVLink, в одну сторону</translation>
    </message>
    <message>
        <source>bandwidth of one direction; overrides that of the link</source>
        <translation>Пропускная способность в одну сторону; заменяет значение канала</translation>
    </message>
    <message>
        <source>bandwidth of one network card</source>
        <translation>Пропускная способность одной сетевой карты</translation>
    </message>
    <message>
        <source>bandwidth of one uplink, one direction</source>
        <translation>Пропускная способность одного восходящего канала, в одну сторону</translation>
    </message>
    <message>
        <source>bandwidth of the link that all uploads share</source>
        <translation>Пропускная способность канала, общего для всех выгрузок</translation>
    </message>
    <message>
        <source>bandwidth of the links; overrides the catalogue</source>
        <translation>Пропускная способность каналов; заменяет значение каталога</translation>
    </message>
    <message>
        <source>bandwidth of the storage</source>
        <translation>Пропускная способность хранилища</translation>
    </message>
    <message>
        <source>bandwidth shared by all downloads</source>
        <translation>Пропускная способность, общая для всех загрузок</translation>
    </message>
    <message>
        <source>bandwidth to storage, shared by all</source>
        <translation>Пропускная способность до хранилища, общая для всех</translation>
    </message>
    <message>
        <source>bare machine, container, virtual machine</source>
        <translation>Голая машина, контейнер, виртуальная машина</translation>
    </message>
    <message>
        <source>bytes of a gradient as it is kept and sent: 4 (fp32) or 2</source>
        <translation>Байты градиента при хранении и передаче: 4 (fp32) или 2</translation>
    </message>
    <message>
        <source>bytes of one gradient element on the wire; default: 2 with fp16 and bf16, else 4, also with amp, whose parameters and gradients are fp32 (with a compression hook 2)</source>
        <translation>Байты одного элемента градиента при передаче; по умолчанию 2 с fp16 и bf16, иначе 4, также с amp, где параметры и градиенты в fp32 (со сжатием 2)</translation>
    </message>
    <message>
        <source>bytes read and written in a worker's GPU memory in one step</source>
        <translation>Байты, которые рабочий читает и пишет в памяти GPU за шаг</translation>
    </message>
    <message>
        <source>bytes that each worker puts into the all-reduce in one step (the size of its buffer, not the sum over the workers)</source>
        <translation>Байты, которые каждый рабочий вносит в all-reduce за шаг (размер его буфера, а не сумма по рабочим)</translation>
    </message>
    <message>
        <source>bytes to read per sample</source>
        <translation>Байты, читаемые на пример</translation>
    </message>
    <message>
        <source>calibration file written by simcal; its measured constants replace those of the catalogue</source>
        <translation>Файл калибровки от simcal; измеренные константы заменяют константы каталога</translation>
    </message>
    <message>
        <source>changes of the number of replicas</source>
        <translation>Изменения числа реплик</translation>
    </message>
    <message>
        <source>changes to transports of the catalogue, or new ones with like:</source>
        <translation>Изменения транспортов каталога или новые, с like:</translation>
    </message>
    <message>
        <source>checkpoints: what survives a loss</source>
        <translation>Контрольные точки: что переживает потерю</translation>
    </message>
    <message>
        <source>children of a switch by level from the bottom, instead of k: "8 8 4"</source>
        <translation>Потомки коммутатора по уровням снизу, вместо k: "8 8 4"</translation>
    </message>
    <message>
        <source>clients that give work to waiting tasks</source>
        <translation>Клиенты, дающие работу ждущим задачам</translation>
    </message>
    <message>
        <source>cluster_spec: /job:worker/task:1</source>
        <translation>cluster_spec: /job:worker/task:1</translation>
    </message>
    <message>
        <source>cluster_spec: addresses of the tasks, {ps: ["ps-0:2222"], worker: ["worker-0:2222"]}</source>
        <translation>cluster_spec: адреса задач, {ps: ["ps-0:2222"], worker: ["worker-0:2222"]}</translation>
    </message>
    <message>
        <source>coefficient of variation of the training time between retrainings</source>
        <translation>Коэффициент вариации времени обучения между переобучениями</translation>
    </message>
    <message>
        <source>communication takes (1 + this value) times as long, for bridge or overlay networks; 0: host network</source>
        <translation>Обмен длится в (1 + это значение) раз дольше, для сетей bridge и overlay; 0: сеть хоста</translation>
    </message>
    <message>
        <source>computing of other tasks on its nodes takes (1 + this value) times as long</source>
        <translation>Вычисления других задач на его узлах длятся в (1 + это значение) раз дольше</translation>
    </message>
    <message>
        <source>computing time between two checkpoints</source>
        <translation>Время вычислений между двумя контрольными точками</translation>
    </message>
    <message>
        <source>conditions on nodes: node, group, role, rack, gpu or a label</source>
        <translation>Условия на узлы: узел, группа, роль, стойка, GPU или метка</translation>
    </message>
    <message>
        <source>conditions that a point must meet: workers * batch_per_gpu &lt;= 256</source>
        <translation>Условия, которым должна отвечать точка: workers * batch_per_gpu &lt;= 256</translation>
    </message>
    <message>
        <source>confidence level of the intervals</source>
        <translation>Доверительная вероятность интервалов</translation>
    </message>
    <message>
        <source>config.json of a transformer, as it lies beside its weights on Hugging Face</source>
        <translation>config.json трансформера, как он лежит рядом с весами на Hugging Face</translation>
    </message>
    <message>
        <source>container image</source>
        <translation>Образ контейнера</translation>
    </message>
    <message>
        <source>container names, one per replica</source>
        <translation>Имена контейнеров, по одному на реплику</translation>
    </message>
    <message>
        <source>containers of a pod; their resources are added up</source>
        <translation>Контейнеры пода; их ресурсы складываются</translation>
    </message>
    <message>
        <source>context parallel: GPUs that share every sequence</source>
        <translation>Контекстный параллелизм: GPU, делящие каждую последовательность</translation>
    </message>
    <message>
        <source>copies of a GB to the host and back, for a transport that cannot read GPU memory; they go on beside the collectives of others</source>
        <translation>Копирование 1 ГБ в память узла и обратно, если транспорт не читает память GPU; идёт рядом с другими коллективными операциями</translation>
    </message>
    <message>
        <source>cores that preprocess samples</source>
        <translation>Ядра, готовящие примеры</translation>
    </message>
    <message>
        <source>cpus in thousandths</source>
        <translation>CPU в тысячных</translation>
    </message>
    <message>
        <source>data sent to storage for each retraining</source>
        <translation>Данные, отправляемые в хранилище для каждого переобучения</translation>
    </message>
    <message>
        <source>delay before a restart</source>
        <translation>Задержка перед перезапуском</translation>
    </message>
    <message>
        <source>delay before a task is started again</source>
        <translation>Задержка перед новым запуском задачи</translation>
    </message>
    <message>
        <source>detect: also leave out the jobs before the waiting times become steady (MSER-5)</source>
        <translation>detect: не учитывать и задания до того, как ожидание установится (MSER-5)</translation>
    </message>
    <message>
        <source>deviation of each need from its time, as a share of the period (uniform, both sides)</source>
        <translation>Отклонение каждой потребности от её времени, в доле периода (равномерно, в обе стороны)</translation>
    </message>
    <message>
        <source>difference between two values</source>
        <translation>Разность двух значений</translation>
    </message>
    <message>
        <source>disk space that a container writes and leaves behind</source>
        <translation>Место на диске, которое контейнер записывает и оставляет</translation>
    </message>
    <message>
        <source>distribution of the repair times</source>
        <translation>Распределение времени восстановления</translation>
    </message>
    <message>
        <source>distribution of these times</source>
        <translation>Распределение этих времён</translation>
    </message>
    <message>
        <source>distribution, with mean 1</source>
        <translation>Распределение со средним 1</translation>
    </message>
    <message>
        <source>downlink over uplink bandwidth of a leaf</source>
        <translation>Отношение нисходящей пропускной способности листа к восходящей</translation>
    </message>
    <message>
        <source>download of the result</source>
        <translation>Загрузка результата</translation>
    </message>
    <message>
        <source>draw stretches of this length from the trace, with replacement, others for each seed: what another such period could have brought. Days stay days of the week</source>
        <translation>Составить из отрезков трассы такой длины, с повторами, для каждого зерна по-своему: что мог бы принести другой такой период. Дни остаются своими днями недели</translation>
    </message>
    <message>
        <source>each task needs a machine of its own</source>
        <translation>Каждой задаче нужна своя машина</translation>
    </message>
    <message>
        <source>efficiency by size, between points log-linear</source>
        <translation>Эффективность по размеру, между точками логлинейно</translation>
    </message>
    <message>
        <source>elastic jobs: fewest GPUs</source>
        <translation>Эластичные задания: наименьшее число GPU</translation>
    </message>
    <message>
        <source>elastic jobs: most GPUs</source>
        <translation>Эластичные задания: наибольшее число GPU</translation>
    </message>
    <message>
        <source>elastic: pause when workers leave or join</source>
        <translation>Эластичность: пауза, когда рабочие уходят или приходят</translation>
    </message>
    <message>
        <source>elastic: speed = (n / w)^exponent</source>
        <translation>Эластичность: скорость = (n / w)^показатель</translation>
    </message>
    <message>
        <source>elastic: the job stops with fewer workers</source>
        <translation>Эластичность: при меньшем числе рабочих задание останавливается</translation>
    </message>
    <message>
        <source>element-wise operators between two products are one kernel, as Megatron-LM, Transformer Engine and torch.compile make them; false: RMSNorm, rotary embedding and SwiGLU operator by operator; a list: these kinds are fused and the others are not (norm_of_fp32: but for a cast of its input; activation: SwiGLU; dropout: with the sum after it)</source>
        <translation>Поэлементные операторы между двумя произведениями — одно ядро, как в Megatron-LM, Transformer Engine и torch.compile; false: RMSNorm, поворотные эмбеддинги и SwiGLU по операторам; список: эти виды объединены, остальные нет (norm_of_fp32: кроме приведения типа на входе; activation: SwiGLU; dropout: вместе со следующей суммой)</translation>
    </message>
    <message>
        <source>all kinds are fused</source>
        <translation>Объединены все виды</translation>
    </message>
    <message>
        <source>no kind is fused</source>
        <translation>Не объединён ни один вид</translation>
    </message>
    <message>
        <source>the kinds that are fused</source>
        <translation>Объединённые виды</translation>
    </message>
    <message>
        <source>kind of element-wise operators</source>
        <translation>Вид поэлементных операторов</translation>
    </message>
    <message>
        <source>end of the process</source>
        <translation>Конец процесса</translation>
    </message>
    <message>
        <source>entry of 'jobs' that says how the service trains; its steps are the work</source>
        <translation>Запись в 'jobs', которая говорит, как служба обучается; её шаги — это работа</translation>
    </message>
    <message>
        <source>equal tasks</source>
        <translation>Одинаковые задачи</translation>
    </message>
    <message>
        <source>exchange gradients during the backward pass</source>
        <translation>Обмениваться градиентами во время обратного прохода</translation>
    </message>
    <message>
        <source>expert parallel: replicas that share the experts</source>
        <translation>Экспертный параллелизм: реплики, делящие экспертов</translation>
    </message>
    <message>
        <source>experts of a layer (num_local_experts)</source>
        <translation>Эксперты слоя (num_local_experts)</translation>
    </message>
    <message>
        <source>experts that a token passes (num_experts_per_tok)</source>
        <translation>Через скольких экспертов проходит токен (num_experts_per_tok)</translation>
    </message>
    <message>
        <source>extra compute time per GB of gradients: copies into fusion buffers, multiprocessors used by collectives</source>
        <translation>Дополнительное время вычислений на ГБ градиентов: копии в буферы слияния, мультипроцессоры под коллективные операции</translation>
    </message>
    <message>
        <source>factor by which compute takes longer</source>
        <translation>Во сколько раз дольше идут вычисления</translation>
    </message>
    <message>
        <source>factor by which computing takes longer</source>
        <translation>Во сколько раз дольше идут вычисления</translation>
    </message>
    <message>
        <source>factor by which submissions come faster</source>
        <translation>Во сколько раз чаще поступают задания</translation>
    </message>
    <message>
        <source>factor by which the restart delay grows</source>
        <translation>Во сколько раз растёт задержка перезапуска</translation>
    </message>
    <message>
        <source>factor on the compute time if several workers run (shared board power, host memory, all-core clock)</source>
        <translation>Множитель времени вычислений, если работает несколько рабочих (общая мощность платы, память хоста, частота всех ядер)</translation>
    </message>
    <message>
        <source>failures at known times</source>
        <translation>Отказы в известное время</translation>
    </message>
    <message>
        <source>fairness f: free GPUs are offered to the share 1 - f of jobs with the worst fairness</source>
        <translation>Справедливость f: свободные GPU предлагаются доле 1 - f заданий с наихудшей справедливостью</translation>
    </message>
    <message>
        <source>fewest replicas</source>
        <translation>Наименьшее число реплик</translation>
    </message>
    <message>
        <source>file of a network</source>
        <translation>Файл сети</translation>
    </message>
    <message>
        <source>file of machines that replace those of the cluster: openb nodes, or a Tiresias cluster</source>
        <translation>Файл машин, заменяющих машины кластера: узлы openb или кластер Tiresias</translation>
    </message>
    <message>
        <source>file of simcal rates: measured rates of products, attention and all-reduce replace those of the catalogue</source>
        <translation>Файл скоростей simcal: измеренные скорости произведений, внимания и all-reduce заменяют скорости каталога</translation>
    </message>
    <message>
        <source>first value</source>
        <translation>Первое значение</translation>
    </message>
    <message>
        <source>flash: the fused kernel made for the GPU; flash2: FlashAttention-2, which reaches less on GPUs since 2022; flash1: FlashAttention of 2022 and its Triton version; unfused: keeps the score matrix</source>
        <translation>flash: слитное ядро для данного GPU; flash2: FlashAttention-2, медленнее на GPU с 2022 года; flash1: FlashAttention 2022 года и его версия на Triton; unfused: хранит матрицу оценок</translation>
    </message>
    <message>
        <source>floating-point operations of one worker in one step</source>
        <translation>Операции с плавающей точкой одного рабочего за шаг</translation>
    </message>
    <message>
        <source>for RequestedToCapacityRatio: pairs of used share in % and score</source>
        <translation>Для RequestedToCapacityRatio: пары занятой доли в % и оценки</translation>
    </message>
    <message>
        <source>for a link: share of its bandwidth that remains</source>
        <translation>Для канала: доля пропускной способности, которая остаётся</translation>
    </message>
    <message>
        <source>for each team: the node group that belongs to it</source>
        <translation>Для каждой команды: её группа узлов</translation>
    </message>
    <message>
        <source>for notebooks: share of the held GPU time that is used</source>
        <translation>Для блокнотов: доля удерживаемого времени GPU, которая используется</translation>
    </message>
    <message>
        <source>format of the trace; auto: recognised from its first lines</source>
        <translation>Формат трассы; auto: определяется по первым строкам</translation>
    </message>
    <message>
        <source>framework version installed on the machine itself</source>
        <translation>Версия фреймворка, установленная на самой машине</translation>
    </message>
    <message>
        <source>framework version that its machines must have if it runs without containers</source>
        <translation>Версия фреймворка, которая должна быть на машинах, если он работает без контейнеров</translation>
    </message>
    <message>
        <source>framework's cost of one collective, in addition to the library's</source>
        <translation>Затраты фреймворка на одну коллективную операцию, сверх библиотечных</translation>
    </message>
    <message>
        <source>from a failure until all processes run again, without loading the checkpoint</source>
        <translation>От отказа до работы всех процессов, без загрузки контрольной точки</translation>
    </message>
    <message>
        <source>gated feed-forward network (SwiGLU): three matrices</source>
        <translation>Вентильная сеть прямого распространения (SwiGLU): три матрицы</translation>
    </message>
    <message>
        <source>generated jobs</source>
        <translation>Порождённые задания</translation>
    </message>
    <message>
        <source>global links per router (h)</source>
        <translation>Глобальные каналы на маршрутизатор (h)</translation>
    </message>
    <message>
        <source>gpu_share in thousandths</source>
        <translation>gpu_share в тысячных</translation>
    </message>
    <message>
        <source>gradient bytes that a server's CPU adds per second (0: takes no time)</source>
        <translation>Байты градиентов, которые CPU сервера складывает за секунду (0: мгновенно)</translation>
    </message>
    <message>
        <source>gradients and weights travel beside the computation</source>
        <translation>Градиенты и веса передаются одновременно с вычислениями</translation>
    </message>
    <message>
        <source>groups of machines</source>
        <translation>Группы машин</translation>
    </message>
    <message>
        <source>groups of tasks: parameter servers, workers</source>
        <translation>Группы задач: серверы параметров, рабочие</translation>
    </message>
    <message>
        <source>half-life of usage: after this time a GPU-second counts half</source>
        <translation>Период полураспада учёта: после него GPU-секунда весит вдвое меньше</translation>
    </message>
    <message>
        <source>heads of attention (num_attention_heads)</source>
        <translation>Головы внимания (num_attention_heads)</translation>
    </message>
    <message>
        <source>heads of keys and values (num_key_value_heads)</source>
        <translation>Головы ключей и значений (num_key_value_heads)</translation>
    </message>
    <message>
        <source>highest rate of one upload</source>
        <translation>Наибольшая скорость одной выгрузки</translation>
    </message>
    <message>
        <source>host call and kernel launch of one collective</source>
        <translation>Вызов с хоста и запуск ядра одной коллективной операции</translation>
    </message>
    <message>
        <source>host memory of each task</source>
        <translation>Память хоста каждой задачи</translation>
    </message>
    <message>
        <source>hour of the day with most submissions</source>
        <translation>Час суток с наибольшим числом поступлений</translation>
    </message>
    <message>
        <source>how a count of values is spaced</source>
        <translation>Как расставлены несколько значений</translation>
    </message>
    <message>
        <source>how far ahead the backfill scheduler looks</source>
        <translation>На сколько вперёд смотрит планировщик backfill</translation>
    </message>
    <message>
        <source>how gradients are fused into messages</source>
        <translation>Как градиенты сливаются в сообщения</translation>
    </message>
    <message>
        <source>how gradients of one node are summed before they leave it: by a collective of its GPUs, or in host memory</source>
        <translation>Как складываются градиенты узла, прежде чем покинуть его: коллективной операцией его GPU или в памяти хоста</translation>
    </message>
    <message>
        <source>how training jobs save, and go on after failures</source>
        <translation>Как задания обучения сохраняются и продолжают после отказов</translation>
    </message>
    <message>
        <source>how long it lasts</source>
        <translation>Сколько длится</translation>
    </message>
    <message>
        <source>how long the scheduler may take for an answer, in real time</source>
        <translation>Сколько реального времени планировщик может думать над ответом</translation>
    </message>
    <message>
        <source>how much of the GPU's memory a process takes</source>
        <translation>Сколько памяти GPU берёт процесс</translation>
    </message>
    <message>
        <source>how much the steps of equal workers differ: not at all (none), as GPUs of one kind do (gpus: 1.5 %), or as workers that decode real images do (real_data: 3.9 %); a barrier waits for the slowest, and without one each keeps its own speed. auto: gpus where the computing time is that of a kind of GPU; none on processors, where the time is given (single_gpu_step, layers with times), and where jitter, stragglers or a deviation say how workers differ; without a barrier gpus everywhere but beside jitter</source>
        <translation>Насколько различаются шаги одинаковых рабочих: никак (none), как у GPU одного вида (gpus: 1.5 %) или как у рабочих, декодирующих настоящие изображения (real_data: 3.9 %); барьер ждёт самого медленного, а без барьера каждый сохраняет свою скорость. auto: gpus, если время вычислений взято по виду GPU; none на процессорах, если время задано (single_gpu_step, слои с временами) и если различия заданы (jitter, stragglers, отклонение); без барьера gpus всегда, кроме случая с jitter</translation>
    </message>
    <message>
        <source>how one transformer is divided among GPUs, instead of a mode</source>
        <translation>Как один трансформер разделён между GPU, вместо режима</translation>
    </message>
    <message>
        <source>how the job trains</source>
        <translation>Как обучается задание</translation>
    </message>
    <message>
        <source>how the job trains; only the settings of the chosen mode have an effect</source>
        <translation>Как обучается задание; действуют только настройки выбранного режима</translation>
    </message>
    <message>
        <source>how the loss of a task affects the others</source>
        <translation>Как потеря задачи влияет на остальные</translation>
    </message>
    <message>
        <source>how the machines are connected</source>
        <translation>Как соединены машины</translation>
    </message>
    <message>
        <source>how the network is simulated</source>
        <translation>Как моделируется сеть</translation>
    </message>
    <message>
        <source>how the program that retrains learns of it</source>
        <translation>Как переобучающая программа узнаёт об этом</translation>
    </message>
    <message>
        <source>how the program that retrains learns that a training has ended</source>
        <translation>Как переобучающая программа узнаёт, что обучение закончилось</translation>
    </message>
    <message>
        <source>how the program that retrains learns that the data have arrived</source>
        <translation>Как переобучающая программа узнаёт, что данные прибыли</translation>
    </message>
    <message>
        <source>how the queue is scheduled</source>
        <translation>Как планируется очередь</translation>
    </message>
    <message>
        <source>how the tasks of jobs find each other before the first step</source>
        <translation>Как задачи заданий находят друг друга перед первым шагом</translation>
    </message>
    <message>
        <source>images that the node has from the start</source>
        <translation>Образы, которые есть у узла с начала</translation>
    </message>
    <message>
        <source>init_process_group: node of rank 0</source>
        <translation>init_process_group: узел с рангом 0</translation>
    </message>
    <message>
        <source>init_process_group: number of ranks to wait for</source>
        <translation>init_process_group: скольких рангов ждать</translation>
    </message>
    <message>
        <source>init_process_group: number of the rank</source>
        <translation>init_process_group: номер ранга</translation>
    </message>
    <message>
        <source>init_process_group: port of rank 0</source>
        <translation>init_process_group: порт ранга 0</translation>
    </message>
    <message>
        <source>its machines, by name or by the name of their group</source>
        <translation>Её машины, по имени или по имени группы</translation>
    </message>
    <message>
        <source>job that they train</source>
        <translation>Задание, которое они обучают</translation>
    </message>
    <message>
        <source>jobs for the queue</source>
        <translation>Задания для очереди</translation>
    </message>
    <message>
        <source>jobs from a file</source>
        <translation>Задания из файла</translation>
    </message>
    <message>
        <source>jobs of a user that may run at once: MaxJobsPerUser</source>
        <translation>Сколько заданий пользователя могут идти сразу: MaxJobsPerUser</translation>
    </message>
    <message>
        <source>jobs of one user that the backfill scheduler looks at; 0 = no limit</source>
        <translation>Сколько заданий одного пользователя рассматривает backfill; 0 = без ограничения</translation>
    </message>
    <message>
        <source>jobs submitted at this time after the first submission or later</source>
        <translation>Задания, поступившие через это время после первого или позже</translation>
    </message>
    <message>
        <source>so many jobs, the first submitted, do not count</source>
        <translation>Столько заданий, поступивших первыми, не учитываются</translation>
    </message>
    <message>
        <source>jobs submitted after so many do not count</source>
        <translation>Задания, поступившие после стольких, не учитываются</translation>
    </message>
    <message>
        <source>bandwidth of the link of two GPUs, one direction</source>
        <translation>Пропускная способность канала между двумя GPU, в одну сторону</translation>
    </message>
    <message>
        <source>how often the main scheduler looks at all jobs</source>
        <translation>Как часто основной планировщик просматривает все задания</translation>
    </message>
    <message>
        <source>with more or fewer replicas than the layout has (in a queue, or after failures) the global batch stays, and they accumulate over fewer or more micro-batches; false: the batch grows with the replicas</source>
        <translation>Когда реплик больше или меньше, чем в разбиении (в очереди или после отказов), общий батч остаётся прежним, и они накапливают градиенты за меньшее или большее число микробатчей; false: батч растёт с числом реплик</translation>
    </message>
    <message>
        <source>with keep_batch: where the replicas&apos; micro-batches do not divide the global batch it is decreased until they do (Megatron-LM&apos;s --decrease-batch-size-if-needed); false: so many replicas cannot train</source>
        <translation>С keep_batch: если микробатчи реплик не делят общий батч, он уменьшается, пока не разделится (--decrease-batch-size-if-needed в Megatron-LM); false: столько реплик обучать не могут</translation>
    </message>
    <message>
        <source>the output projection too is multiplied in the job&apos;s precision (fp8_output_proj of Megatron-Core); false: in 16 bit</source>
        <translation>Выходная проекция тоже умножается в точности задания (fp8_output_proj в Megatron-Core); false: в 16 битах</translation>
    </message>
    <message>
        <source>layers behind the last that are trained to predict later tokens (multi-token prediction of DeepSeek-V3, --mtp-num-layers), each with an output projection of its own, on the last stage</source>
        <translation>Слои после последнего, которые учатся предсказывать более поздние токены (multi-token prediction в DeepSeek-V3, --mtp-num-layers), каждый со своей выходной проекцией, на последней ступени</translation>
    </message>
    <message>
        <source>jobs that the main scheduler looks at when something has happened</source>
        <translation>Сколько заданий основной планировщик просматривает после события</translation>
    </message>
    <message>
        <source>latency of one such link</source>
        <translation>Задержка одного такого канала</translation>
    </message>
    <message>
        <source>rate of the storage to which jobs with speed: step write their weights and optimiser states, and from which they load them; on top of checkpoint_cost and restart_cost</source>
        <translation>Скорость хранилища, в которое задания со speed: step записывают веса и состояния оптимизатора и из которого их загружают; сверх checkpoint_cost и restart_cost</translation>
    </message>
    <message>
        <source>shortest time between two runs of the main scheduler</source>
        <translation>Наименьшее время между двумя запусками основного планировщика</translation>
    </message>
    <message>
        <source>simulate one of many equal workers and give the others their share of the servers&apos; capacities, where workers and their machines are alike; auto: if the job runs alone, no link between switches can delay workers and, with pull: after_update or by_layer, no server is on a worker&apos;s machine; of very many asynchronous ones, with servers on machines of their own, it then simulates a sample; yes: wherever they are alike</source>
        <translation>Моделировать одного из многих одинаковых рабочих, а остальным отдать их долю мощности серверов, если рабочие и их машины одинаковы; auto: если задание выполняется одно, ни один канал между коммутаторами не может задержать рабочих и при pull: after_update или by_layer на машинах рабочих нет серверов; из очень многих асинхронных, если серверы стоят на своих машинах, моделируется выборка; yes: везде, где они одинаковы</translation>
    </message>
    <message>
        <source>what collectives reach between GPUs of two sockets, one direction: a CPU passes on what is not its own in small packets</source>
        <translation>Скорость коллективных операций между GPU двух сокетов, в одну сторону: процессор передаёт чужие данные малыми пакетами</translation>
    </message>
    <message>
        <source>when the backfill scheduler runs first</source>
        <translation>Когда планировщик обратного заполнения запускается впервые</translation>
    </message>
    <message>
        <source>when the schedulers ran, as the log of a slurmctld says, instead of the intervals: &quot;m0.5 m1.5 b2.25&quot; (seconds; m: main scheduler, b: backfill)</source>
        <translation>Когда работали планировщики по журналу slurmctld, вместо интервалов: &quot;m0.5 m1.5 b2.25&quot; (секунды; m: основной планировщик, b: обратное заполнение)</translation>
    </message>
    <message>
        <source>which machines a job gets. placement: those that the placement policy chooses. weights: all free GPUs of machine after machine in order of the cluster, as select/cons_tres where each has a larger Weight than the one before</source>
        <translation>Какие машины получает задание. placement: те, что выбирает политика размещения. weights: все свободные GPU машины за машиной в порядке кластера, как select/cons_tres, где у каждой Weight больше, чем у предыдущей</translation>
    </message>
    <message>
        <source>with cp, how results of the pieces of a sequence are added up: a kernel each (Transformer Engine), operator by operator (PyTorch, torchtitan), or so under torch.compile, which waits for every message</source>
        <translation>С cp: как складываются результаты частей последовательности: по одному ядру на каждую (Transformer Engine), оператор за оператором (PyTorch, torchtitan) или так же под torch.compile, который ждёт каждого сообщения</translation>
    </message>
    <message>
        <source>least attained service, in the order of Tiresias&apos; own simulator (dlas-gpu, three queues)</source>
        <translation>Наименьшее полученное обслуживание в порядке собственного симулятора Tiresias (dlas-gpu, три очереди)</translation>
    </message>
    <message>
        <source>jobs submitted at this time or before</source>
        <translation>Задания, поступившие к этому времени или раньше</translation>
    </message>
    <message>
        <source>jobs that are matched at once; the time it takes grows with their cube</source>
        <translation>Сколько заданий сопоставляются сразу; время растёт как их куб</translation>
    </message>
    <message>
        <source>jobs that may run at once: GrpJobs</source>
        <translation>Сколько заданий могут идти сразу: GrpJobs</translation>
    </message>
    <message>
        <source>jobs that must end before this one starts: a list of names, or names separated by spaces</source>
        <translation>Задания, которые должны закончиться до начала этого: список имён или имена через пробел</translation>
    </message>
    <message>
        <source>jobs that the backfill scheduler looks at</source>
        <translation>Сколько заданий рассматривает планировщик backfill</translation>
    </message>
    <message>
        <source>jobs that the main scheduler looks at</source>
        <translation>Сколько заданий рассматривает основной планировщик</translation>
    </message>
    <message>
        <source>jobs that use the same waiting tasks, one after another</source>
        <translation>Задания, использующие одни и те же ждущие задачи, одно за другим</translation>
    </message>
    <message>
        <source>jobs whose figures count; the others run too, and load the cluster: without the time in which the empty cluster fills, and without the end</source>
        <translation>Задания, чьи показатели учитываются; остальные тоже идут и нагружают кластер: без времени заполнения пустого кластера и без конца</translation>
    </message>
    <message>
        <source>jobs with gpu_share &lt; 1 share GPUs; they slow each other down if they ask for more than a whole GPU together</source>
        <translation>Задания с gpu_share &lt; 1 делят GPU; они замедляют друг друга, если вместе просят больше целого GPU</translation>
    </message>
    <message>
        <source>join the rails by spine switches</source>
        <translation>Соединить рельсы коммутаторами spine</translation>
    </message>
    <message>
        <source>kernels start as CUDA graphs, by torch.compile or by hand: the host then needs no time per operator</source>
        <translation>Ядра запускаются как CUDA-графы, через torch.compile или вручную: хост не тратит время на каждый оператор</translation>
    </message>
    <message>
        <source>kill a job whose run time reaches the user's estimate, as batch systems do with the requested time; otherwise it keeps running</source>
        <translation>Останавливать задание, чьё время работы достигло оценки пользователя, как пакетные системы; иначе оно продолжает</translation>
    </message>
    <message>
        <source>kind of link</source>
        <translation>Вид канала</translation>
    </message>
    <message>
        <source>labels and taints of a machine or group</source>
        <translation>Метки и taint машины или группы</translation>
    </message>
    <message>
        <source>labels and taints of machines; every machine has the labels gpu=TYPE and kubernetes.io/hostname=NAME</source>
        <translation>Метки и taint машин; у каждой машины есть метки gpu=TYPE и kubernetes.io/hostname=NAME</translation>
    </message>
    <message>
        <source>labels key=value of which a machine must have at least one</source>
        <translation>Метки key=value, хотя бы одна из которых должна быть у машины</translation>
    </message>
    <message>
        <source>labels key=value that a machine must have</source>
        <translation>Метки key=value, которые должны быть у машины</translation>
    </message>
    <message>
        <source>labels key=value, for the jobs' node_selector and prefers</source>
        <translation>Метки key=value для node_selector и prefers заданий</translation>
    </message>
    <message>
        <source>labels key=value: weight 1 to 100, for the placement policy kubernetes</source>
        <translation>Метки key=value: вес от 1 до 100, для политики размещения kubernetes</translation>
    </message>
    <message>
        <source>labels, for constraints</source>
        <translation>Метки для ограничений</translation>
    </message>
    <message>
        <source>largest chunk of a channel where NVSwitches add up (aws-ofi-nccl on p5: 512 KiB)</source>
        <translation>Наибольшая порция канала, когда складывают NVSwitch (aws-ofi-nccl на p5: 512 KiB)</translation>
    </message>
    <message>
        <source>largest fused message; 0 = no fusion</source>
        <translation>Наибольшее слитное сообщение; 0 = без слияния</translation>
    </message>
    <message>
        <source>largest restart delay; 0 = no growth</source>
        <translation>Наибольшая задержка перезапуска; 0 = не растёт</translation>
    </message>
    <message>
        <source>last value</source>
        <translation>Последнее значение</translation>
    </message>
    <message>
        <source>latency factor of rings over several nodes from ranks/16 x 64 KiB on (2.7: 1.9, 2.26: 1.4)</source>
        <translation>Множитель задержки колец через несколько узлов начиная с ranks/16 x 64 КиБ (2.7: 1.9, 2.26: 1.4)</translation>
    </message>
    <message>
        <source>latency in one direction</source>
        <translation>Задержка в одну сторону</translation>
    </message>
    <message>
        <source>latency of one NVLink hop</source>
        <translation>Задержка одного перехода по NVLink</translation>
    </message>
    <message>
        <source>latency of the links; overrides the catalogue</source>
        <translation>Задержка каналов; заменяет значение каталога</translation>
    </message>
    <message>
        <source>latency that the network&apos;s plug-in tells the library&apos;s tuner (aws-ofi-nccl: 75 us on p4d, p5 and g5, 35 us from p5en on)</source>
        <translation>Задержка, которую плагин сети сообщает настройщику библиотеки (aws-ofi-nccl: 75 us на p4d, p5 и g5, 35 us начиная с p5en)</translation>
    </message>
    <message>
        <source>latency; overrides that of the link</source>
        <translation>Задержка; заменяет значение канала</translation>
    </message>
    <message>
        <source>latent attention: numbers of a token from which keys and values come (kv_lora_rank)</source>
        <translation>Латентное внимание: числа токена, из которых получаются ключи и значения (kv_lora_rank)</translation>
    </message>
    <message>
        <source>layers are computed again without their last product, whose result nothing needs (PyTorch from 2.1 on)</source>
        <translation>Слои пересчитываются без последнего произведения, чей результат не нужен (PyTorch с 2.1)</translation>
    </message>
    <message>
        <source>layers of a stage</source>
        <translation>Слои ступени</translation>
    </message>
    <message>
        <source>layers of each stage in the order of the forward pass, pp x vp of them</source>
        <translation>Слои каждой ступени в порядке прямого прохода, всего pp x vp</translation>
    </message>
    <message>
        <source>layers without experts, the first (first_k_dense_replace)</source>
        <translation>Слои без экспертов, первые (first_k_dense_replace)</translation>
    </message>
    <message>
        <source>leave out jobs submitted after this time</source>
        <translation>Не учитывать задания, поступившие после этого времени</translation>
    </message>
    <message>
        <source>leave out jobs submitted before this time after the first submission</source>
        <translation>Не учитывать задания, поступившие раньше этого времени от первого</translation>
    </message>
    <message>
        <source>length of a lease, after which GPUs are offered again</source>
        <translation>Длительность аренды, после которой GPU снова предлагаются</translation>
    </message>
    <message>
        <source>length of a scheduling round</source>
        <translation>Длительность раунда планирования</translation>
    </message>
    <message>
        <source>length of each axis: "4 4 2" or "4x4x2"</source>
        <translation>Длина каждой оси: "4 4 2" или "4x4x2"</translation>
    </message>
    <message>
        <source>levels of switches</source>
        <translation>Уровни коммутаторов</translation>
    </message>
    <message>
        <source>licence cost of one node, in addition to its price</source>
        <translation>Стоимость лицензии на узел, сверх его цены</translation>
    </message>
    <message>
        <source>limit a process to its share of the GPU's memory: it dies if it needs more. Otherwise the process that finds too little free memory dies</source>
        <translation>Ограничить процесс его долей памяти GPU: он умирает, если нужно больше. Иначе умирает процесс, которому не хватило свободной памяти</translation>
    </message>
    <message>
        <source>linear layers and norms have biases, and dropout is used, as in GPT</source>
        <translation>У линейных слоёв и норм есть смещения, используется dropout, как в GPT</translation>
    </message>
    <message>
        <source>link type of all PCIe links</source>
        <translation>Тип всех каналов PCIe</translation>
    </message>
    <message>
        <source>links between machines and switches</source>
        <translation>Каналы между машинами и коммутаторами</translation>
    </message>
    <message>
        <source>longest run time that a job may ask for (its estimate): MaxTime, MaxWall</source>
        <translation>Наибольшее время работы, которое задание может запросить (его оценка): MaxTime, MaxWall</translation>
    </message>
    <message>
        <source>machine types by name</source>
        <translation>Типы машин по именам</translation>
    </message>
    <message>
        <source>machines and network</source>
        <translation>Машины и сеть</translation>
    </message>
    <message>
        <source>machines in a rack</source>
        <translation>Машин в стойке</translation>
    </message>
    <message>
        <source>machines kept for some users or accounts for a time, or for nobody: a maintenance window. A job that would still run by its estimate does not start there</source>
        <translation>Машины, отведённые на время некоторым пользователям или счетам, либо никому: окно обслуживания. Задание, которое по оценке ещё шло бы тогда, там не начинается</translation>
    </message>
    <message>
        <source>machines of one type, named &lt;name&gt;-0, &lt;name&gt;-1…</source>
        <translation>Машины одного типа с именами &lt;name&gt;-0, &lt;name&gt;-1…</translation>
    </message>
    <message>
        <source>machines of the parameter servers, in their order; begun again where there are more servers</source>
        <translation>Машины серверов параметров по порядку; если серверов больше, список начинается снова</translation>
    </message>
    <message>
        <source>machines, or a pool in which only the number of GPUs counts</source>
        <translation>Машины или пул, в котором важно только число GPU</translation>
    </message>
    <message>
        <source>manager machines, which decide by majority; 0 = started by hand</source>
        <translation>Управляющие машины, решающие большинством; 0 = запуск вручную</translation>
    </message>
    <message>
        <source>mean number of jobs in a burst</source>
        <translation>Среднее число заданий в пачке</translation>
    </message>
    <message>
        <source>mean time between failures of one gpu</source>
        <translation>Среднее время между отказами одного GPU</translation>
    </message>
    <message>
        <source>mean time between failures of one link</source>
        <translation>Среднее время между отказами одного канала</translation>
    </message>
    <message>
        <source>mean time between failures of one manager</source>
        <translation>Среднее время между отказами одной управляющей машины</translation>
    </message>
    <message>
        <source>mean time between failures of one node</source>
        <translation>Среднее время между отказами одного узла</translation>
    </message>
    <message>
        <source>mean time between failures of one object_store</source>
        <translation>Среднее время между отказами одного object_store</translation>
    </message>
    <message>
        <source>mean time between failures of one process</source>
        <translation>Среднее время между отказами одного процесса</translation>
    </message>
    <message>
        <source>mean time between failures of one rack</source>
        <translation>Среднее время между отказами одной стойки</translation>
    </message>
    <message>
        <source>mean time between failures of one storage</source>
        <translation>Среднее время между отказами одного хранилища</translation>
    </message>
    <message>
        <source>mean time between failures of one switch</source>
        <translation>Среднее время между отказами одного коммутатора</translation>
    </message>
    <message>
        <source>mean time between submissions</source>
        <translation>Среднее время между поступлениями</translation>
    </message>
    <message>
        <source>mean time from repair to failure of one node, GPU, …</source>
        <translation>Среднее время от восстановления до отказа одного узла, GPU, …</translation>
    </message>
    <message>
        <source>mean time to failure of one GPU that trains</source>
        <translation>Среднее время до отказа одного обучающего GPU</translation>
    </message>
    <message>
        <source>mean time to repair</source>
        <translation>Среднее время восстановления</translation>
    </message>
    <message>
        <source>mean time to repair, for all kinds</source>
        <translation>Среднее время восстановления, для всех видов</translation>
    </message>
    <message>
        <source>measured time of a step on one GPU; overrides the roofline</source>
        <translation>Измеренное время шага на одном GPU; заменяет модель roofline</translation>
    </message>
    <message>
        <source>median of the run times</source>
        <translation>Медиана времени работы</translation>
    </message>
    <message>
        <source>memory in MiB</source>
        <translation>Память в МиБ</translation>
    </message>
    <message>
        <source>memory of the GPU</source>
        <translation>Память GPU</translation>
    </message>
    <message>
        <source>memory of the host</source>
        <translation>Память хоста</translation>
    </message>
    <message>
        <source>memory of the host; jobs with device: cpu, containers and queued jobs must fit into it</source>
        <translation>Память хоста; в неё должны помещаться задания с device: cpu, контейнеры и задания очереди</translation>
    </message>
    <message>
        <source>memory on each visible GPU</source>
        <translation>Память на каждом видимом GPU</translation>
    </message>
    <message>
        <source>memory that it needs on each GPU; with less it dies</source>
        <translation>Память, нужная ему на каждом GPU; если её меньше, он умирает</translation>
    </message>
    <message>
        <source>memory that it needs over time</source>
        <translation>Память, нужная ему, во времени</translation>
    </message>
    <message>
        <source>memory that the process needs from this time on</source>
        <translation>Память, нужная процессу с этого времени</translation>
    </message>
    <message>
        <source>messages between the program that retrains, storage and cluster</source>
        <translation>Сообщения между переобучающей программой, хранилищем и кластером</translation>
    </message>
    <message>
        <source>micro-steps per update</source>
        <translation>Микрошагов на обновление</translation>
    </message>
    <message>
        <source>models for jobs without one, as name: share; with speed: step the names are those of the scenario's jobs</source>
        <translation>Модели для заданий без неё, в виде имя: доля; при speed: step имена берутся из заданий сценария</translation>
    </message>
    <message>
        <source>models that are retrained</source>
        <translation>Модели, которые переобучаются</translation>
    </message>
    <message>
        <source>most GPUs that a team may borrow: 'team-a=4'</source>
        <translation>Сколько GPU команда может занять у других: 'team-a=4'</translation>
    </message>
    <message>
        <source>most messages per step and direction that are simulated one by one; with more, neighbouring variables of a server share messages</source>
        <translation>Сколько сообщений на шаг и направление моделируется по одному; если больше, соседние переменные сервера делят сообщения</translation>
    </message>
    <message>
        <source>most replicas</source>
        <translation>Наибольшее число реплик</translation>
    </message>
    <message>
        <source>most restarts</source>
        <translation>Наибольшее число перезапусков</translation>
    </message>
    <message>
        <source>most tasks on one node</source>
        <translation>Наибольшее число задач на узле</translation>
    </message>
    <message>
        <source>most that the control plane handles; 0 = no limit</source>
        <translation>Наибольшая нагрузка управляющего слоя; 0 = без ограничения</translation>
    </message>
    <message>
        <source>move an operation whose device is impossible, instead of refusing it</source>
        <translation>Перенести операцию, чьё устройство невозможно, вместо отказа</translation>
    </message>
    <message>
        <source>name in the tables</source>
        <translation>Имя в таблицах</translation>
    </message>
    <message>
        <source>name of a GPU in requests</source>
        <translation>Имя GPU в запросах</translation>
    </message>
    <message>
        <source>name of a node group</source>
        <translation>Имя группы узлов</translation>
    </message>
    <message>
        <source>name of a node group, or of one machine</source>
        <translation>Имя группы узлов или одной машины</translation>
    </message>
    <message>
        <source>name of a profile; the other keys override its values</source>
        <translation>Имя профиля; остальные ключи заменяют его значения</translation>
    </message>
    <message>
        <source>name of a switch, node, NIC or group</source>
        <translation>Имя коммутатора, узла, сетевой карты или группы</translation>
    </message>
    <message>
        <source>name of one of the node_types</source>
        <translation>Имя одного из node_types</translation>
    </message>
    <message>
        <source>name of the QOS</source>
        <translation>Имя QOS</translation>
    </message>
    <message>
        <source>name of the framework: pytorch, tensorflow…; simrun list frameworks shows those with defaults of their own</source>
        <translation>Имя фреймворка: pytorch, tensorflow…; simrun list frameworks показывает те, у которых есть свои умолчания</translation>
    </message>
    <message>
        <source>name of the group</source>
        <translation>Имя группы</translation>
    </message>
    <message>
        <source>name of the image</source>
        <translation>Имя образа</translation>
    </message>
    <message>
        <source>name of the job</source>
        <translation>Имя задания</translation>
    </message>
    <message>
        <source>name of the model</source>
        <translation>Имя модели</translation>
    </message>
    <message>
        <source>name of the operation</source>
        <translation>Имя операции</translation>
    </message>
    <message>
        <source>name of the partition: the queue of its jobs</source>
        <translation>Имя раздела: очередь его заданий</translation>
    </message>
    <message>
        <source>name of the process</source>
        <translation>Имя процесса</translation>
    </message>
    <message>
        <source>name of the runtime</source>
        <translation>Имя среды выполнения</translation>
    </message>
    <message>
        <source>name of the scenario</source>
        <translation>Имя сценария</translation>
    </message>
    <message>
        <source>name of the service</source>
        <translation>Имя службы</translation>
    </message>
    <message>
        <source>name of the variant, and of its curve</source>
        <translation>Имя варианта и его кривой</translation>
    </message>
    <message>
        <source>name, for `after` and the reports</source>
        <translation>Имя для `after` и отчётов</translation>
    </message>
    <message>
        <source>name, which jobs give in `reservation`</source>
        <translation>Имя, которое задания указывают в `reservation`</translation>
    </message>
    <message>
        <source>named sets of changes; each is one curve</source>
        <translation>Именованные наборы изменений; каждый — одна кривая</translation>
    </message>
    <message>
        <source>names of its GPUs (--node-generic-resource gpu=…)</source>
        <translation>Имена её GPU (--node-generic-resource gpu=…)</translation>
    </message>
    <message>
        <source>nccl</source>
        <translation>nccl</translation>
    </message>
    <message>
        <source>network between the machines</source>
        <translation>Сеть между машинами</translation>
    </message>
    <message>
        <source>network that it trains, instead of a demand</source>
        <translation>Сеть, которую он обучает, вместо потребности</translation>
    </message>
    <message>
        <source>network to train</source>
        <translation>Обучаемая нейросеть</translation>
    </message>
    <message>
        <source>network to train: a name, a name with options, a config.json of Hugging Face, an ONNX file or a CSV file of layers</source>
        <translation>Обучаемая нейросеть: имя, имя с параметрами, config.json от Hugging Face, ONNX-файл или CSV-файл слоёв</translation>
    </message>
    <message>
        <source>network with options</source>
        <translation>Нейросеть с параметрами</translation>
    </message>
    <message>
        <source>new number of replicas</source>
        <translation>Новое число реплик</translation>
    </message>
    <message>
        <source>node</source>
        <translation>Узел</translation>
    </message>
    <message>
        <source>node group; only its nodes fail</source>
        <translation>Группа узлов; отказывают только её узлы</translation>
    </message>
    <message>
        <source>node of task 0, 1, …</source>
        <translation>Узел задачи 0, 1, …</translation>
    </message>
    <message>
        <source>node of the client program</source>
        <translation>Узел клиентской программы</translation>
    </message>
    <message>
        <source>node of the client; default: the first server's, or the first worker's</source>
        <translation>Узел клиента; по умолчанию — первого сервера или первого рабочего</translation>
    </message>
    <message>
        <source>node of the processes</source>
        <translation>Узел процессов</translation>
    </message>
    <message>
        <source>node.role == worker</source>
        <translation>node.role == worker</translation>
    </message>
    <message>
        <source>node:port of task 0, 1, …</source>
        <translation>узел:порт задачи 0, 1, …</translation>
    </message>
    <message>
        <source>nodes of the tasks by job: {ps: [ps-0], worker: [worker-0, worker-1]}</source>
        <translation>Узлы задач по заданиям: {ps: [ps-0], worker: [worker-0, worker-1]}</translation>
    </message>
    <message>
        <source>nodes on which the workers run</source>
        <translation>Узлы, на которых работают рабочие</translation>
    </message>
    <message>
        <source>nodes that share one set of rail switches</source>
        <translation>Узлы, делящие один набор коммутаторов rail</translation>
    </message>
    <message>
        <source>norms and dropout are divided over the tensor-parallel group (Korthikanti et al. 2022)</source>
        <translation>Нормы и dropout разделены по группе тензорного параллелизма (Korthikanti et al. 2022)</translation>
    </message>
    <message>
        <source>nothing is replayed: tasks arrive in random orders, are placed once or rejected, and never leave. How much of the cluster can each placement policy allocate?</source>
        <translation>Ничего не воспроизводится: задачи приходят в случайном порядке, размещаются один раз или отклоняются и не уходят. Какую часть кластера сможет выделить каждая политика размещения?</translation>
    </message>
    <message>
        <source>number format of the computation; fp8, mxfp8 and nvfp4 only with training.parallel</source>
        <translation>Числовой формат вычислений; fp8, mxfp8 и nvfp4 только с training.parallel</translation>
    </message>
    <message>
        <source>number of GPUs</source>
        <translation>Число GPU</translation>
    </message>
    <message>
        <source>number of NVLinks between the two GPUs of a pair</source>
        <translation>Число NVLink между двумя GPU пары</translation>
    </message>
    <message>
        <source>number of NVLinks of one GPU: 6 (generation 2), 12 (3), 18 (4, 5)</source>
        <translation>Число NVLink у одного GPU: 6 (поколение 2), 12 (3), 18 (4, 5)</translation>
    </message>
    <message>
        <source>number of axes if `dimensions` is not given</source>
        <translation>Число осей, если `dimensions` не задано</translation>
    </message>
    <message>
        <source>number of calls of session.run</source>
        <translation>Число вызовов session.run</translation>
    </message>
    <message>
        <source>number of equal jobs, named NAME-0, NAME-1…</source>
        <translation>Число одинаковых заданий с именами NAME-0, NAME-1…</translation>
    </message>
    <message>
        <source>number of equal jobs, named name-0, name-1…</source>
        <translation>Число одинаковых заданий с именами name-0, name-1…</translation>
    </message>
    <message>
        <source>number of equal models, named name-0, name-1…</source>
        <translation>Число одинаковых моделей с именами name-0, name-1…</translation>
    </message>
    <message>
        <source>number of equal tasks, each on one machine</source>
        <translation>Число одинаковых задач, каждая на своей машине</translation>
    </message>
    <message>
        <source>type of GPU that they need</source>
        <translation>Тип GPU, нужный им</translation>
    </message>
    <message>
        <source>whole GPUs of each of them</source>
        <translation>Целые GPU каждой из них</translation>
    </message>
    <message>
        <source>number of these tasks</source>
        <translation>Число этих задач</translation>
    </message>
    <message>
        <source>name of these tasks for messages: master, launcher, worker</source>
        <translation>Имя этих задач для сообщений: master, launcher, worker</translation>
    </message>
    <message>
        <source>tasks that are equal among themselves</source>
        <translation>Задачи, одинаковые между собой</translation>
    </message>
    <message>
        <source>tasks that are not all equal, by kind: a launcher or master, and workers; each task on one machine, all start together. What a kind does not say is the job&apos;s</source>
        <translation>Задачи, которые не все одинаковы, по видам: запускающая или главная и рабочие; каждая задача на одной машине, все начинают вместе. Чего вид не говорит, то берётся у задания</translation>
    </message>
    <message>
        <source>number of equal tasks, or a list of tasks that are not equal; each on one machine</source>
        <translation>Число одинаковых задач или список разных задач; каждая на одной машине</translation>
    </message>
    <message>
        <source>number of exchanges in a step; an equal share of the work comes before each</source>
        <translation>Число обменов за шаг; перед каждым — равная доля работы</translation>
    </message>
    <message>
        <source>number of first steps that do not count</source>
        <translation>Сколько первых шагов не учитывать</translation>
    </message>
    <message>
        <source>number of generations</source>
        <translation>Число поколений</translation>
    </message>
    <message>
        <source>number of groups</source>
        <translation>Число групп</translation>
    </message>
    <message>
        <source>number of jobs</source>
        <translation>Число заданий</translation>
    </message>
    <message>
        <source>number of jobs behind the head that are considered; 0 = all</source>
        <translation>Сколько заданий за первым рассматривать; 0 = все</translation>
    </message>
    <message>
        <source>number of jobs to generate with the statistics of the trace</source>
        <translation>Сколько заданий породить со статистикой трассы</translation>
    </message>
    <message>
        <source>number of machines</source>
        <translation>Число машин</translation>
    </message>
    <message>
        <source>number of messages in flight per worker, server and direction; 1: whole tensors one after another, as a stream carries them; 0: all that are ready share the connection</source>
        <translation>Сообщения в пути на рабочего, сервер и направление; 1: целые тензоры один за другим, как их несёт поток; 0: все готовые делят соединение</translation>
    </message>
    <message>
        <source>number of network cards</source>
        <translation>Число сетевых карт</translation>
    </message>
    <message>
        <source>number of parallel links</source>
        <translation>Число параллельных каналов</translation>
    </message>
    <message>
        <source>number of parameter servers; must be given</source>
        <translation>Число серверов параметров; обязательно</translation>
    </message>
    <message>
        <source>number of parameters of a synthetic network</source>
        <translation>Число параметров синтетической нейросети</translation>
    </message>
    <message>
        <source>number of parts in which the data are sent; training starts after the first part</source>
        <translation>Число частей, которыми отправляются данные; обучение начинается после первой</translation>
    </message>
    <message>
        <source>number of plans kept</source>
        <translation>Сколько планов хранить</translation>
    </message>
    <message>
        <source>number of points</source>
        <translation>Число точек</translation>
    </message>
    <message>
        <source>number of queues by attained service, with equal numbers of jobs</source>
        <translation>Число очередей по полученному обслуживанию, с равным числом заданий</translation>
    </message>
    <message>
        <source>number of runs, each with another seed</source>
        <translation>Число прогонов, каждый со своим зерном</translation>
    </message>
    <message>
        <source>number of seeds with which each point runs</source>
        <translation>Число зёрен, с которыми считается каждая точка</translation>
    </message>
    <message>
        <source>number of serving replicas</source>
        <translation>Число обслуживающих реплик</translation>
    </message>
    <message>
        <source>number of spine switches</source>
        <translation>Число коммутаторов spine</translation>
    </message>
    <message>
        <source>number of steps that are read ahead</source>
        <translation>Сколько шагов читать заранее</translation>
    </message>
    <message>
        <source>number of steps to train</source>
        <translation>Сколько шагов обучать</translation>
    </message>
    <message>
        <source>number of tasks</source>
        <translation>Число задач</translation>
    </message>
    <message>
        <source>number of tasks replaced at once</source>
        <translation>Сколько задач заменять сразу</translation>
    </message>
    <message>
        <source>number of teams of these users</source>
        <translation>Число команд этих пользователей</translation>
    </message>
    <message>
        <source>number of the attempt, from 1</source>
        <translation>Номер попытки, с 1</translation>
    </message>
    <message>
        <source>number of the need, from 1</source>
        <translation>Номер потребности, с 1</translation>
    </message>
    <message>
        <source>number of the worker, from 0</source>
        <translation>Номер рабочего, с 0</translation>
    </message>
    <message>
        <source>number of users who submit jobs</source>
        <translation>Число пользователей, подающих задания</translation>
    </message>
    <message>
        <source>number of values, including both ends</source>
        <translation>Число значений, включая оба конца</translation>
    </message>
    <message>
        <source>of fp8: by the largest values of earlier steps, or of the tensor itself, which is then read once more</source>
        <translation>Для fp8: по наибольшим значениям прежних шагов или самого тензора, который тогда читается ещё раз</translation>
    </message>
    <message>
        <source>of the copies, how many may run at once (job array): policy slurm</source>
        <translation>Сколько из копий могут идти сразу (массив заданий): политика slurm</translation>
    </message>
    <message>
        <source>one hop over NVLink, simple protocol</source>
        <translation>Один переход по NVLink, простой протокол</translation>
    </message>
    <message>
        <source>one hop over PCIe, simple protocol</source>
        <translation>Один переход по PCIe, простой протокол</translation>
    </message>
    <message>
        <source>one hop over the network, low-latency protocol (5 us)</source>
        <translation>Один переход по сети, протокол малой задержки (5 мкс)</translation>
    </message>
    <message>
        <source>one hop over the network, simple protocol (2.7: 9.6 us, 2.26: 14 us)</source>
        <translation>Один переход по сети, простой протокол (2.7: 9.6 мкс, 2.26: 14 мкс)</translation>
    </message>
    <message>
        <source>one job</source>
        <translation>Одно задание</translation>
    </message>
    <message>
        <source>one of the scenario's jobs, which gives network, workers and steps; its training time is simulated</source>
        <translation>Одно из заданий сценария, задающее нейросеть, рабочих и шаги; время его обучения моделируется</translation>
    </message>
    <message>
        <source>only whole numbers</source>
        <translation>Только целые числа</translation>
    </message>
    <message>
        <source>operation that runs once per step; the payload is the network's parameters (model one_tensor: `elements`)</source>
        <translation>Операция, выполняемая раз за шаг; нагрузка — параметры нейросети (модель one_tensor: `elements`)</translation>
    </message>
    <message>
        <source>operation whose device this one shares</source>
        <translation>Операция, чьё устройство делит эта</translation>
    </message>
    <message>
        <source>operations between the memories of GPUs</source>
        <translation>Операции между памятью GPU</translation>
    </message>
    <message>
        <source>operations between the memories of machines</source>
        <translation>Операции между памятью машин</translation>
    </message>
    <message>
        <source>operations that a client runs repeatedly</source>
        <translation>Операции, которые клиент выполняет повторно</translation>
    </message>
    <message>
        <source>operations whose results it reads</source>
        <translation>Операции, чьи результаты она читает</translation>
    </message>
    <message>
        <source>operations; each comes after its inputs</source>
        <translation>Операции; каждая идёт после своих входов</translation>
    </message>
    <message>
        <source>optimiser states lie in host memory and are updated there; gradients and weights go over PCIe while the GPU waits</source>
        <translation>Состояния оптимизатора лежат в памяти хоста и обновляются там; градиенты и веса идут по PCIe, пока GPU ждёт</translation>
    </message>
    <message>
        <source>order in which nodes are tried (simrun list placements)</source>
        <translation>Порядок, в котором пробуются узлы (simrun list placements)</translation>
    </message>
    <message>
        <source>order in which the variables of a step come: one of each worker that stays the same (TensorFlow's resource variables), a new one each step (its reference variables), or that of the layers</source>
        <translation>Порядок переменных в шаге: свой неизменный у каждого рабочего (resource variables в TensorFlow), новый на каждом шаге (его reference variables) или порядок слоёв</translation>
    </message>
    <message>
        <source>order of ranks in rings: as given, or by topology; auto = topology if the transport reads GPU memory and `channels` is not given</source>
        <translation>Порядок рангов в кольцах: как задан или по топологии; auto = по топологии, если транспорт читает память GPU и `channels` не задано</translation>
    </message>
    <message>
        <source>order of stopping the old and starting the new task</source>
        <translation>Порядок остановки старой и запуска новой задачи</translation>
    </message>
    <message>
        <source>order of work in the pipeline</source>
        <translation>Порядок работы в конвейере</translation>
    </message>
    <message>
        <source>output projection and embedding are one matrix (tie_word_embeddings)</source>
        <translation>Выходная проекция и эмбеддинг — одна матрица (tie_word_embeddings)</translation>
    </message>
    <message>
        <source>parallel rings over different NICs</source>
        <translation>Параллельные кольца через разные сетевые карты</translation>
    </message>
    <message>
        <source>parents by level; the first is 1 (NIC to edge switch): "1 4 8"; fewer parents than children is oversubscription</source>
        <translation>Родители по уровням; первое число — 1 (карта к граничному коммутатору): "1 4 8"; меньше родителей, чем потомков, — переподписка</translation>
    </message>
    <message>
        <source>part of one GPU, less than 1</source>
        <translation>Часть одного GPU, меньше 1</translation>
    </message>
    <message>
        <source>part of the priority, over the largest of all QOS, times weight_qos</source>
        <translation>Часть приоритета относительно наибольшего среди QOS, умноженная на weight_qos</translation>
    </message>
    <message>
        <source>partition QOS: its limits count for all jobs of the partition, before those of their own</source>
        <translation>QOS раздела: его ограничения действуют для всех заданий раздела, раньше их собственных</translation>
    </message>
    <message>
        <source>partitions: machines and rules for the jobs whose queue has this name. Other queues have all machines</source>
        <translation>Разделы: машины и правила для заданий, чья очередь носит это имя. У остальных очередей все машины</translation>
    </message>
    <message>
        <source>passes over the data in one training</source>
        <translation>Проходы по данным за одно обучение</translation>
    </message>
    <message>
        <source>path of the trace, relative to the scenario</source>
        <translation>Путь к трассе относительно сценария</translation>
    </message>
    <message>
        <source>path: list or range of values</source>
        <translation>путь: список или диапазон значений</translation>
    </message>
    <message>
        <source>path: range of values, or a list to choose from</source>
        <translation>путь: диапазон значений или список для выбора</translation>
    </message>
    <message>
        <source>path: value, for example jobs.0.workers: 8</source>
        <translation>путь: значение, например jobs.0.workers: 8</translation>
    </message>
    <message>
        <source>paths between switches: every packet by the least loaded one, or each flow by a hash of its ends, chosen by run.seed</source>
        <translation>Пути между коммутаторами: каждый пакет по наименее загруженному или каждый поток по хешу его концов, выбранному run.seed</translation>
    </message>
    <message>
        <source>paths whose lists advance together; the lists have equal length</source>
        <translation>Пути, чьи списки продвигаются вместе; длины списков равны</translation>
    </message>
    <message>
        <source>payload of a message</source>
        <translation>Полезная нагрузка сообщения</translation>
    </message>
    <message>
        <source>payload of the one connection between a process of workers and a server, each direction (0: the transport's stream limit)</source>
        <translation>Полезная скорость одного соединения процесса рабочих с сервером, в каждую сторону (0: предел потока транспорта)</translation>
    </message>
    <message>
        <source>workers of a machine are one process with all GPUs (machine), or each GPU has one, with connections of its own (gpu)</source>
        <translation>Рабочие машины — один процесс со всеми GPU (machine), или у каждого GPU свой процесс со своими соединениями (gpu)</translation>
    </message>
    <message>
        <source>payload that one server process sends, or receives, per second (0: by the transport and the machine's cores)</source>
        <translation>Сколько полезной нагрузки один сервер отправляет или принимает за секунду (0: по транспорту и ядрам машины)</translation>
    </message>
    <message>
        <source>period in which the background thread looks for ready gradients</source>
        <translation>Период, с которым фоновый поток ищет готовые градиенты</translation>
    </message>
    <message>
        <source>pipeline stages</source>
        <translation>Ступени конвейера</translation>
    </message>
    <message>
        <source>planned speed = (GPUs / GPUs asked for)^scaling, but for divided transformers</source>
        <translation>Плановая скорость = (GPU / запрошенные GPU)^scaling, кроме разделённых трансформеров</translation>
    </message>
    <message>
        <source>points drawn from ranges</source>
        <translation>Точки, выбранные случайно из диапазонов</translation>
    </message>
    <message>
        <source>points drawn from ranges, each path evenly spread over its range</source>
        <translation>Точки из диапазонов, каждый путь равномерно по своему диапазону</translation>
    </message>
    <message>
        <source>ports of a leaf for NICs; ignored if the node groups give per_rack</source>
        <translation>Порты листа для сетевых карт; не учитывается, если группы узлов задают per_rack</translation>
    </message>
    <message>
        <source>ports of every switch (even)</source>
        <translation>Порты каждого коммутатора (чётное число)</translation>
    </message>
    <message>
        <source>ports of the host that each task needs</source>
        <translation>Порты хоста, нужные каждой задаче</translation>
    </message>
    <message>
        <source>positions are learnt; else rotary or none</source>
        <translation>Позиции обучаемы; иначе поворотные или без них</translation>
    </message>
    <message>
        <source>price of the machine</source>
        <translation>Цена машины</translation>
    </message>
    <message>
        <source>print the device of each operation</source>
        <translation>Печатать устройство каждой операции</translation>
    </message>
    <message>
        <source>priority; the larger number goes first</source>
        <translation>Приоритет; большее число идёт первым</translation>
    </message>
    <message>
        <source>probability that a failing node makes each other node of its rack fail</source>
        <translation>Вероятность, что отказ узла вызывает отказ каждого другого узла стойки</translation>
    </message>
    <message>
        <source>probability that a message is lost</source>
        <translation>Вероятность потери сообщения</translation>
    </message>
    <message>
        <source>probability that a part arrives with a wrong checksum and is sent again</source>
        <translation>Вероятность, что часть придёт с неверной контрольной суммой и будет отправлена снова</translation>
    </message>
    <message>
        <source>processes that share the GPUs of one node</source>
        <translation>Процессы, делящие GPU одного узла</translation>
    </message>
    <message>
        <source>processors that count as one GPU, for formats that count processors</source>
        <translation>Сколько процессоров считать одним GPU, для форматов, считающих процессоры</translation>
    </message>
    <message>
        <source>profile of a real system</source>
        <translation>Профиль настоящей системы</translation>
    </message>
    <message>
        <source>qualities of service, which jobs name in `qos`</source>
        <translation>Классы обслуживания, которые задания называют в `qos`</translation>
    </message>
    <message>
        <source>quality of service, one of slurm.qos</source>
        <translation>Класс обслуживания, один из slurm.qos</translation>
    </message>
    <message>
        <source>queries and keys are normalised head by head (Qwen3)</source>
        <translation>Запросы и ключи нормируются по головам (Qwen3)</translation>
    </message>
    <message>
        <source>queries, keys and values have biases (Qwen2)</source>
        <translation>У запросов, ключей и значений есть смещения (Qwen2)</translation>
    </message>
    <message>
        <source>question that the scenario answers</source>
        <translation>Вопрос, на который отвечает сценарий</translation>
    </message>
    <message>
        <source>queue or partition of the job</source>
        <translation>Очередь или раздел задания</translation>
    </message>
    <message>
        <source>queues of Volcano and their weights: &apos;team-a=3 team-b=1&apos;; all other teams share the queue default of weight 1</source>
        <translation>Очереди Volcano и их веса: 'team-a=3 team-b=1'; все прочие команды делят очередь default веса 1</translation>
    </message>
    <message>
        <source>rack:3@02:00+6h</source>
        <translation>rack:3@02:00+6h</translation>
    </message>
    <message>
        <source>random failures</source>
        <translation>Случайные отказы</translation>
    </message>
    <message>
        <source>random orders of arrival</source>
        <translation>Случайные порядки поступления</translation>
    </message>
    <message>
        <source>random variation of compute times</source>
        <translation>Случайный разброс времени вычислений</translation>
    </message>
    <message>
        <source>rate at which one process serialises and copies at most, each direction; cores may limit it further (cpu_time_per_GB)</source>
        <translation>С какой скоростью один процесс сериализует и копирует самое большее, в каждую сторону; ядра могут ограничить её сильнее (cpu_time_per_GB)</translation>
    </message>
    <message>
        <source>rate at which one task reads from the shared storage at full speed</source>
        <translation>С какой скоростью одна задача читает из общего хранилища на полном ходу</translation>
    </message>
    <message>
        <source>rate of a copy between host and GPU over PCIe, one direction</source>
        <translation>Скорость копирования между хостом и GPU по PCIe, в одну сторону</translation>
    </message>
    <message>
        <source>rate of matrix multiplication on all cores (simcal: cpu_gemm); overrides 'cpu'</source>
        <translation>Скорость матричного умножения на всех ядрах (simcal: cpu_gemm); заменяет 'cpu'</translation>
    </message>
    <message>
        <source>rate of the device-to-host copy of variables in GPU memory, by the thread that serves them (0: no copy)</source>
        <translation>Скорость копирования переменных из памяти GPU на хост обслуживающим потоком (0: без копии)</translation>
    </message>
    <message>
        <source>rate of the storage that all machines share, in either direction</source>
        <translation>Скорость общего хранилища всех машин, в любую сторону</translation>
    </message>
    <message>
        <source>rate that one stream of messages, or one connection of two processes, reaches at most</source>
        <translation>Наибольшая скорость одного потока сообщений или одного соединения двух процессов</translation>
    </message>
    <message>
        <source>rates over time</source>
        <translation>Частоты во времени</translation>
    </message>
    <message>
        <source>ratio of a value to the one before it</source>
        <translation>Отношение значения к предыдущему</translation>
    </message>
    <message>
        <source>read only this many jobs from the start</source>
        <translation>Прочитать только столько заданий с начала</translation>
    </message>
    <message>
        <source>reads and writes GPU memory without the host</source>
        <translation>Читает и пишет память GPU без хоста</translation>
    </message>
    <message>
        <source>registered transport of the collectives</source>
        <translation>Зарегистрированный транспорт коллективных операций</translation>
    </message>
    <message>
        <source>remove ended containers; else their record and disk space remain</source>
        <translation>Удалять завершённые контейнеры; иначе остаются запись о них и место на диске</translation>
    </message>
    <message>
        <source>rendezvous protocol of the framework</source>
        <translation>Протокол встречи задач фреймворка</translation>
    </message>
    <message>
        <source>replicas</source>
        <translation>Реплики</translation>
    </message>
    <message>
        <source>replicas replaced at a time</source>
        <translation>Сколько реплик заменять за раз</translation>
    </message>
    <message>
        <source>requests that replicas answer</source>
        <translation>Запросы, на которые отвечают реплики</translation>
    </message>
    <message>
        <source>requests/s</source>
        <translation>запросов/с</translation>
    </message>
    <message>
        <source>requests/s of one replica</source>
        <translation>Запросов/с одной реплики</translation>
    </message>
    <message>
        <source>requests/s: a number, or a list of {from, rate}</source>
        <translation>Запросов/с: число или список {from, rate}</translation>
    </message>
    <message>
        <source>reservation that the job runs in, one of slurm.reservations</source>
        <translation>Резервирование, в котором идёт задание, одно из slurm.reservations</translation>
    </message>
    <message>
        <source>resource flavors: kinds of machines, by GPU type or name, each with quotas of its own</source>
        <translation>Виды ресурсов (flavor): машины по типу GPU или по имени, у каждого вида свои квоты</translation>
    </message>
    <message>
        <source>resources of one task</source>
        <translation>Ресурсы одной задачи</translation>
    </message>
    <message>
        <source>retraining of deployed models: from the need to the deployed model</source>
        <translation>Переобучение развёрнутых моделей: от потребности до развёрнутой модели</translation>
    </message>
    <message>
        <source>role of the group</source>
        <translation>Роль группы</translation>
    </message>
    <message>
        <source>role of the node</source>
        <translation>Роль узла</translation>
    </message>
    <message>
        <source>rolling update of the serving replicas to the new model</source>
        <translation>Постепенный переход обслуживающих реплик на новую модель</translation>
    </message>
    <message>
        <source>rolling updates</source>
        <translation>Постепенные обновления</translation>
    </message>
    <message>
        <source>routers per group (a)</source>
        <translation>Маршрутизаторы в группе (a)</translation>
    </message>
    <message>
        <source>rule that updates the parameters</source>
        <translation>Правило обновления параметров</translation>
    </message>
    <message>
        <source>run time at full speed</source>
        <translation>Время работы на полной скорости</translation>
    </message>
    <message>
        <source>run time at full speed, without waiting</source>
        <translation>Время работы на полной скорости, без ожидания</translation>
    </message>
    <message>
        <source>work between two checkpoints, in run time of the job; a failure can lose this much, and each costs checkpoint_cost</source>
        <translation>Работа между двумя контрольными точками, во времени выполнения задания; отказ может отнять столько, и каждая точка стоит checkpoint_cost</translation>
    </message>
    <message>
        <source>with a write in the background: training stands still for so long at each checkpoint_interval, until states are copied; it goes on while the rest of checkpoint_cost is written, and a write ends before the next begins</source>
        <translation>При записи в фоне: столько обучение стоит в конце каждого checkpoint_interval, пока копируются состояния; остаток checkpoint_cost пишется, пока оно продолжается, и запись кончается до начала следующей</translation>
    </message>
    <message>
        <source>an elastic job (min_gpus) that loses a machine goes on at once with the GPUs that it has left, from its last checkpoint, and takes back as many as it had before when a machine is repaired; false: it waits in the queue</source>
        <translation>Эластичное задание (min_gpus), потерявшее машину, сразу продолжается на оставшихся GPU с последней контрольной точки и забирает столько же, сколько было, когда машину починят; false: оно ждёт в очереди</translation>
    </message>
    <message>
        <source>run time of a job before the next one gets its turn</source>
        <translation>Время работы задания до очереди следующего</translation>
    </message>
    <message>
        <source>run time that the user estimates; policies plan with it</source>
        <translation>Время работы по оценке пользователя; по нему планируют политики</translation>
    </message>
    <message>
        <source>runtime of the processes</source>
        <translation>Среда выполнения процессов</translation>
    </message>
    <message>
        <source>samples per GPU and step</source>
        <translation>Примеры на GPU и шаг</translation>
    </message>
    <message>
        <source>saving of the trained model</source>
        <translation>Сохранение обученной модели</translation>
    </message>
    <message>
        <source>scale the replicas: ceil(rate / capacity)</source>
        <translation>Менять число реплик: ceil(частота / capacity)</translation>
    </message>
    <message>
        <source>sched/backfill; false: sched/builtin</source>
        <translation>sched/backfill; false: sched/builtin</translation>
    </message>
    <message>
        <source>scoring strategy of NodeResourcesFit</source>
        <translation>Стратегия оценки NodeResourcesFit</translation>
    </message>
    <message>
        <source>seed of all random streams</source>
        <translation>Зерно всех случайных потоков</translation>
    </message>
    <message>
        <source>seed of the draw</source>
        <translation>Зерно выбора</translation>
    </message>
    <message>
        <source>seed of the search</source>
        <translation>Зерно поиска</translation>
    </message>
    <message>
        <source>sequences of one forward pass</source>
        <translation>Последовательности одного прямого прохода</translation>
    </message>
    <message>
        <source>sequences of one optimiser step</source>
        <translation>Последовательности одного шага оптимизатора</translation>
    </message>
    <message>
        <source>service (never ends), training or generic (ends), mpi, serving, notebook, load</source>
        <translation>service (не кончается), training или generic (кончаются), mpi, serving, notebook, load</translation>
    </message>
    <message>
        <source>services to keep running</source>
        <translation>Службы, которые должны работать</translation>
    </message>
    <message>
        <source>settings of a node or group</source>
        <translation>Настройки узла или группы</translation>
    </message>
    <message>
        <source>settings of single nodes or groups, by name</source>
        <translation>Настройки отдельных узлов или групп, по имени</translation>
    </message>
    <message>
        <source>settings of the run</source>
        <translation>Настройки прогона</translation>
    </message>
    <message>
        <source>several to compare: which job starts next</source>
        <translation>Несколько для сравнения: какое задание начинается следующим</translation>
    </message>
    <message>
        <source>several to compare: which machines a job gets</source>
        <translation>Несколько для сравнения: какие машины получает задание</translation>
    </message>
    <message>
        <source>shape of the Weibull distribution; below 1: failures tend to come early</source>
        <translation>Форма распределения Вейбулла; меньше 1: отказы чаще ранние</translation>
    </message>
    <message>
        <source>share by which compute time grows for each further GPU of the job on the node with the most GPUs</source>
        <translation>На какую долю растёт время вычислений с каждым следующим GPU задания на узле с наибольшим числом GPU</translation>
    </message>
    <message>
        <source>share of a GPU's time lost while several processes take turns</source>
        <translation>Доля времени GPU, теряемая, пока процессы сменяют друг друга</translation>
    </message>
    <message>
        <source>share of a compute kernel for which a collective issued during the backward pass waits for multiprocessors</source>
        <translation>Доля вычислительного ядра, в течение которой коллективная операция из обратного прохода ждёт мультипроцессоры</translation>
    </message>
    <message>
        <source>share of communication in a step at full speed</source>
        <translation>Доля обмена в шаге на полной скорости</translation>
    </message>
    <message>
        <source>share of each GPU's time that it would use alone, 0.001 to 1</source>
        <translation>Доля времени каждого GPU, которую он занял бы один, от 0.001 до 1</translation>
    </message>
    <message>
        <source>share of each visible GPU, for policy: fraction</source>
        <translation>Доля каждого видимого GPU, для policy: fraction</translation>
    </message>
    <message>
        <source>share of its nodes' NIC bandwidth that it uses</source>
        <translation>Доля пропускной способности сетевых карт его узлов, которую он использует</translation>
    </message>
    <message>
        <source>share of its time at full speed</source>
        <translation>Доля его времени на полной скорости</translation>
    </message>
    <message>
        <source>share of one GPU, 0.001 to 1: of its time, or of its memory with gpu_sharing by memory</source>
        <translation>Доля одного GPU, от 0.001 до 1: его времени или, при gpu_sharing по памяти, его памяти</translation>
    </message>
    <message>
        <source>share of the GPU's measured ceiling that matrix products reach over a whole step</source>
        <translation>Доля измеренного предела GPU, которой матричные произведения достигают за целый шаг</translation>
    </message>
    <message>
        <source>share of the GPU's memory, for memory_policy: fraction</source>
        <translation>Доля памяти GPU, для memory_policy: fraction</translation>
    </message>
    <message>
        <source>share of the capacity that scaling tries to reach</source>
        <translation>Доля мощности, которой добивается масштабирование</translation>
    </message>
    <message>
        <source>share of the jobs for each number of GPUs: {1: 0.7, 8: 0.3}</source>
        <translation>Доля заданий для каждого числа GPU: {1: 0.7, 8: 0.3}</translation>
    </message>
    <message>
        <source>share of the line rate that payloads of at least this size reach</source>
        <translation>Доля скорости линии, достижимая для нагрузок не меньше этого размера</translation>
    </message>
    <message>
        <source>share of the line rate that payloads reach, whatever their size</source>
        <translation>Доля скорости линии, достижимая для нагрузок любого размера</translation>
    </message>
    <message>
        <source>share of the memory taken by growth that is unusable</source>
        <translation>Доля памяти, взятой ростом, которую нельзя использовать</translation>
    </message>
    <message>
        <source>share of the queue that is matched, who has waited longest first; at least as many jobs as GPUs are free</source>
        <translation>Доля очереди, которая сопоставляется, сначала дольше ждавшие; заданий не меньше, чем свободных GPU</translation>
    </message>
    <message>
        <source>shares of accounts (teams) and users: "physics=40 physics.alice=2"; others have 1</source>
        <translation>Доли счетов (команд) и пользователей: "physics=40 physics.alice=2"; у остальных 1</translation>
    </message>
    <message>
        <source>short form: mean time between failures for each kind</source>
        <translation>Краткая запись: среднее время между отказами для каждого вида</translation>
    </message>
    <message>
        <source>shortest time between two increases of sizes</source>
        <translation>Наименьшее время между двумя увеличениями размеров</translation>
    </message>
    <message>
        <source>simulate one of many equal workers and give the others their share of the servers' capacities; auto: if the job runs alone and no link between switches can delay workers</source>
        <translation>Моделировать одного из многих одинаковых рабочих, а остальным отдать их долю мощности серверов; auto: если задание идёт одно и никакой канал между коммутаторами не может задержать рабочих</translation>
    </message>
    <message>
        <source>simulated time at which the run stops</source>
        <translation>Время моделирования, в которое прогон останавливается</translation>
    </message>
    <message>
        <source>size at which a bucket is closed</source>
        <translation>Размер, при котором закрывается корзина</translation>
    </message>
    <message>
        <source>size at which the first bucket of a step is closed; before PyTorch 2.5 always 1 MiB</source>
        <translation>Размер, при котором закрывается первая корзина шага; до PyTorch 2.5 всегда 1 МиБ</translation>
    </message>
    <message>
        <source>size of a checkpoint; with 'bandwidth', instead of save and load</source>
        <translation>Размер контрольной точки; вместе с 'bandwidth', вместо save и load</translation>
    </message>
    <message>
        <source>size of a request or reply without a tensor</source>
        <translation>Размер запроса или ответа без тензора</translation>
    </message>
    <message>
        <source>size of its result</source>
        <translation>Размер её результата</translation>
    </message>
    <message>
        <source>size of the checkpoint downloaded with the result</source>
        <translation>Размер контрольной точки, загружаемой с результатом</translation>
    </message>
    <message>
        <source>size of the image</source>
        <translation>Размер образа</translation>
    </message>
    <message>
        <source>size of the trained model</source>
        <translation>Размер обученной модели</translation>
    </message>
    <message>
        <source>slow workers</source>
        <translation>Медленные рабочие</translation>
    </message>
    <message>
        <source>source of the samples</source>
        <translation>Источник примеров</translation>
    </message>
    <message>
        <source>speed of computing on each GPU type, relative to 1</source>
        <translation>Скорость вычислений на каждом типе GPU относительно 1</translation>
    </message>
    <message>
        <source>speed of jobs. trace: run times from the trace, wherever a job runs. step: from the training step at the job's place and beside its neighbours; the scenario's jobs say how each model trains</source>
        <translation>Скорость заданий. trace: время из трассы, где бы задание ни шло. step: из шага обучения на месте задания и рядом с его соседями; задания сценария говорят, как обучается каждая модель</translation>
    </message>
    <message>
        <source>speed on this type</source>
        <translation>Скорость на этом типе</translation>
    </message>
    <message>
        <source>standalone: single containers that the orchestrator does not keep running</source>
        <translation>standalone: отдельные контейнеры, которые оркестратор не поддерживает</translation>
    </message>
    <message>
        <source>standard deviation as a share of the worker's compute time</source>
        <translation>Стандартное отклонение в доле времени вычислений рабочего</translation>
    </message>
    <message>
        <source>standard deviation divided by the mean</source>
        <translation>Стандартное отклонение, делённое на среднее</translation>
    </message>
    <message>
        <source>standard deviation of a worker's step; the barrier waits for the slowest</source>
        <translation>Стандартное отклонение шага рабочего; барьер ждёт самого медленного</translation>
    </message>
    <message>
        <source>standard deviation of the logarithm of the repair time</source>
        <translation>Стандартное отклонение логарифма времени восстановления</translation>
    </message>
    <message>
        <source>standard deviation of the logarithm of the run times</source>
        <translation>Стандартное отклонение логарифма времени работы</translation>
    </message>
    <message>
        <source>standard deviation per sample of the worker's batch: input pipelines</source>
        <translation>Стандартное отклонение на пример пакета рабочего: подготовка входных данных</translation>
    </message>
    <message>
        <source>start later jobs that fit if an earlier one does not</source>
        <translation>Начинать более поздние подходящие задания, если более раннее не начинается</translation>
    </message>
    <message>
        <source>start of the process</source>
        <translation>Начало процесса</translation>
    </message>
    <message>
        <source>start time in addition to that of the container</source>
        <translation>Время запуска сверх времени контейнера</translation>
    </message>
    <message>
        <source>start-up of a collective: from the transport's messages, or from the library's hops (nccl)</source>
        <translation>Запуск коллективной операции: из сообщений транспорта или из переходов библиотеки (nccl)</translation>
    </message>
    <message>
        <source>start-up of a ring, simple protocol</source>
        <translation>Запуск кольца, простой протокол</translation>
    </message>
    <message>
        <source>steps per second of each kind of job on each type of GPU: Gavel's JSON. Jobs then run as fast as it says on the type they get, and traces that count steps (Gavel) get their run times</source>
        <translation>Шагов в секунду для каждого вида задания на каждом типе GPU: JSON от Gavel. Задания тогда идут с такой скоростью на полученном типе, а трассы, считающие шаги (Gavel), получают время работы</translation>
    </message>
    <message>
        <source>stop running jobs of lower priority</source>
        <translation>Останавливать идущие задания с меньшим приоритетом</translation>
    </message>
    <message>
        <source>storage that all machines share</source>
        <translation>Хранилище, общее для всех машин</translation>
    </message>
    <message>
        <source>switches</source>
        <translation>Коммутаторы</translation>
    </message>
    <message>
        <source>table of kernels</source>
        <translation>Таблица ядер</translation>
    </message>
    <message>
        <source>taints key=value:NoSchedule or key=value:PreferNoSchedule</source>
        <translation>taint key=value:NoSchedule или key=value:PreferNoSchedule</translation>
    </message>
    <message>
        <source>taints that the job tolerates: key=value, key, or *</source>
        <translation>taint, которые задание допускает: key=value, key или *</translation>
    </message>
    <message>
        <source>task whose session it is</source>
        <translation>Задача, чья это сессия</translation>
    </message>
    <message>
        <source>tasks of a stage in order: F0 F1 B0 B1</source>
        <translation>Задачи ступени по порядку: F0 F1 B0 B1</translation>
    </message>
    <message>
        <source>tasks that a rolling update replaces at once</source>
        <translation>Сколько задач постепенное обновление заменяет сразу</translation>
    </message>
    <message>
        <source>tasks that are late, missing, or differ</source>
        <translation>Задачи, которые опаздывают, отсутствуют или отличаются</translation>
    </message>
    <message>
        <source>tasks that wait for each other</source>
        <translation>Задачи, ждущие друг друга</translation>
    </message>
    <message>
        <source>team that pays</source>
        <translation>Команда, которая платит</translation>
    </message>
    <message>
        <source>team that the job belongs to</source>
        <translation>Команда, которой принадлежит задание</translation>
    </message>
    <message>
        <source>team whose quota its trainings use, with through: queue</source>
        <translation>Команда, чью квоту используют её обучения, при through: queue</translation>
    </message>
    <message>
        <source>team whose quota the job uses</source>
        <translation>Команда, чью квоту использует задание</translation>
    </message>
    <message>
        <source>teams that may borrow unused quota from each other: 'team-a+team-b'</source>
        <translation>Команды, которые могут занимать друг у друга свободную квоту: 'team-a+team-b'</translation>
    </message>
    <message>
        <source>tensor parallel: GPUs that share every matrix; neighbours in a machine</source>
        <translation>Тензорный параллелизм: GPU, делящие каждую матрицу; соседи в машине</translation>
    </message>
    <message>
        <source>tensor-parallel messages that travel beside products: none; those of the backward pass beside products of weight gradients; all, cut into four pieces, beside their own products</source>
        <translation>Сообщения тензорного параллелизма, идущие рядом с произведениями: никакие; сообщения обратного прохода рядом с градиентами весов; все, разрезанные на четыре части, рядом со своими произведениями</translation>
    </message>
    <message>
        <source>tf.device: /job:worker/task:1/gpu:0, /cpu:0; the placer chooses what is not given</source>
        <translation>tf.device: /job:worker/task:1/gpu:0, /cpu:0; чего не дано, выбирает размещатель</translation>
    </message>
    <message>
        <source>the allocated share is reported where so much of the cluster has been asked for</source>
        <translation>Выделенная доля показывается там, где запрошена такая часть кластера</translation>
    </message>
    <message>
        <source>the cohort from which this one may borrow too</source>
        <translation>Когорта, у которой эта тоже может занимать</translation>
    </message>
    <message>
        <source>the installed training framework</source>
        <translation>Установленный фреймворк обучения</translation>
    </message>
    <message>
        <source>the jobs, listed one by one</source>
        <translation>Задания, перечисленные по одному</translation>
    </message>
    <message>
        <source>the library chooses trees and the LL protocol for small messages</source>
        <translation>Для малых сообщений библиотека выбирает деревья и протокол LL</translation>
    </message>
    <message>
        <source>the library lets NVSwitches from generation 4 on add up (NVLS; 2.7: false, 2.26: true)</source>
        <translation>Библиотека поручает сложение коммутаторам NVSwitch с поколения 4 (NVLS; 2.7: false, 2.26: true)</translation>
    </message>
    <message>
        <source>the points to simulate: every combination of the values</source>
        <translation>Моделируемые точки: все сочетания значений</translation>
    </message>
    <message>
        <source>the policy decides only at multiples of this time</source>
        <translation>Политика решает только в моменты, кратные этому времени</translation>
    </message>
    <message>
        <source>the processes; at equal times the earlier in the list goes first</source>
        <translation>Процессы; при равном времени первым идёт стоящий в списке раньше</translation>
    </message>
    <message>
        <source>the same of queries; 0: directly from the token (q_lora_rank)</source>
        <translation>То же для запросов; 0: прямо из токена (q_lora_rank)</translation>
    </message>
    <message>
        <source>the same per gradient tensor: hooks, copies into and out of buffers, calls that only several workers make; with sync_every: of a step that averages</source>
        <translation>То же на тензор градиента: перехватчики, копии в буферы и из них, вызовы, которые делают только несколько рабочих; с sync_every: на шаге, в котором усредняют</translation>
    </message>
    <message>
        <source>the system that starts services on machines</source>
        <translation>Система, запускающая службы на машинах</translation>
    </message>
    <message>
        <source>the tasks of each stage: F forward pass, B backward pass, W gradients of weights, each with its micro-batch, and with the chunk of the GPU in front where vp &gt; 1: 1F0</source>
        <translation>Задачи каждой ступени: F прямой проход, B обратный, W градиенты весов, каждая со своим микропакетом, а при vp &gt; 1 впереди с частью слоёв GPU: 1F0</translation>
    </message>
    <message>
        <source>time after submission at which a training without a result counts as failed</source>
        <translation>Время после подачи, по истечении которого обучение без результата считается неудачным</translation>
    </message>
    <message>
        <source>time after which untracked processes that remain are killed; 0 = never</source>
        <translation>Время, после которого убиваются оставшиеся неотслеживаемые процессы; 0 = никогда</translation>
    </message>
    <message>
        <source>time at which it joins the cluster</source>
        <translation>Время, когда она присоединяется к кластеру</translation>
    </message>
    <message>
        <source>time at which it joins, after the job is placed; or 'never'</source>
        <translation>Время присоединения после размещения задания или 'never'</translation>
    </message>
    <message>
        <source>time between batches</source>
        <translation>Время между пакетами</translation>
    </message>
    <message>
        <source>time between needs</source>
        <translation>Время между потребностями</translation>
    </message>
    <message>
        <source>time between runs of the backfill scheduler</source>
        <translation>Время между прогонами планировщика backfill</translation>
    </message>
    <message>
        <source>time between two batches of an update</source>
        <translation>Время между двумя группами обновления</translation>
    </message>
    <message>
        <source>time between two looks of the planner at the needs; 0 s: at once</source>
        <translation>Время между двумя взглядами планировщика на потребности; 0 с: сразу</translation>
    </message>
    <message>
        <source>time between two polls, or between attempts after a lost message</source>
        <translation>Время между двумя опросами или между попытками после потерянного сообщения</translation>
    </message>
    <message>
        <source>time by which it should end, since the start</source>
        <translation>Срок окончания, считая от начала</translation>
    </message>
    <message>
        <source>time from a change of the rate to the scaling</source>
        <translation>Время от изменения частоты до масштабирования</translation>
    </message>
    <message>
        <source>time from a complete image to a running process</source>
        <translation>Время от полного образа до работающего процесса</translation>
    </message>
    <message>
        <source>time from a job's start until it dies for lack of GPU memory</source>
        <translation>Время от начала задания до его гибели из-за нехватки памяти GPU</translation>
    </message>
    <message>
        <source>time from the end of a process until it is noticed</source>
        <translation>Время от конца процесса до того, как это замечено</translation>
    </message>
    <message>
        <source>time from the loss of a node until it counts as lost</source>
        <translation>Время от потери узла до признания его потерянным</translation>
    </message>
    <message>
        <source>time from the order to stop until the process ends</source>
        <translation>Время от приказа остановиться до конца процесса</translation>
    </message>
    <message>
        <source>time from then until its tasks are replaced</source>
        <translation>Время с этого момента до замены его задач</translation>
    </message>
    <message>
        <source>time from which the rate holds</source>
        <translation>Время, с которого действует частота</translation>
    </message>
    <message>
        <source>time of one CPU core per sample</source>
        <translation>Время одного ядра CPU на пример</translation>
    </message>
    <message>
        <source>time of submission</source>
        <translation>Время подачи</translation>
    </message>
    <message>
        <source>time of submission, since the start</source>
        <translation>Время подачи, считая от начала</translation>
    </message>
    <message>
        <source>time of the change</source>
        <translation>Время изменения</translation>
    </message>
    <message>
        <source>time of the failure</source>
        <translation>Время отказа</translation>
    </message>
    <message>
        <source>time of the first need</source>
        <translation>Время первой потребности</translation>
    </message>
    <message>
        <source>time of the repair, instead of 'lasts'</source>
        <translation>Время восстановления, вместо 'lasts'</translation>
    </message>
    <message>
        <source>time of the request</source>
        <translation>Время запроса</translation>
    </message>
    <message>
        <source>time of the update</source>
        <translation>Время обновления</translation>
    </message>
    <message>
        <source>time on the GPUs without progress at the first start</source>
        <translation>Время на GPU без продвижения при первом запуске</translation>
    </message>
    <message>
        <source>time since the start of the process</source>
        <translation>Время с начала процесса</translation>
    </message>
    <message>
        <source>time that a gang waits for the closest placement, and again for a placement below one leaf switch</source>
        <translation>Время, которое группа ждёт самого близкого размещения, и ещё столько же — размещения под одним листом</translation>
    </message>
    <message>
        <source>time that a stopped job of this QOS runs on</source>
        <translation>Сколько ещё идёт остановленное задание этого QOS</translation>
    </message>
    <message>
        <source>time that is simulated; a job of fewer steps ends before</source>
        <translation>Моделируемое время; задание с меньшим числом шагов кончается раньше</translation>
    </message>
    <message>
        <source>time that the earlier one may continue after a newer one is ready; must be given</source>
        <translation>Сколько может продолжать прежний, когда готов новый; обязательно</translation>
    </message>
    <message>
        <source>(wait / requested time)^3 x GPUs, highest first, with EASY backfill (Cobalt at Argonne)</source>
        <translation>(ожидание / запрошенное время)^3 × GPU, наибольшее первым, с EASY backfill (Cobalt, Аргонн)</translation>
    </message>
    <message>
        <source>GPUs on which single_gpu_step was measured, packed as here; what they exchange is in it then</source>
        <translation>GPU, на которых измерен single_gpu_step, размещённые как здесь; их обмен тогда уже в нём</translation>
    </message>
    <message>
        <source>PreemptMode: what happens to its jobs that others would stop; off: they are never stopped; policy: preempt_mode of the policy</source>
        <translation>PreemptMode: что бывает с её заданиями, которые остановили бы другие; off: их не останавливают; policy: preempt_mode политики</translation>
    </message>
    <message>
        <source>bytes of Adam's mean and variance of a parameter together: 8 (fp32), 4 (16 bit) or 2</source>
        <translation>байты среднего и дисперсии Adam на параметр вместе: 8 (fp32), 4 (16 бит) или 2</translation>
    </message>
    <message>
        <source>each layer's gradients are used and freed in the backward pass (torchtune's optimizer_in_bwd)</source>
        <translation>градиенты слоя применяются и освобождаются в обратном проходе (optimizer_in_bwd в torchtune)</translation>
    </message>
    <message>
        <source>inner width of the small matrices</source>
        <translation>внутренняя ширина малых матриц</translation>
    </message>
    <message>
        <source>kind of storage</source>
        <translation>вид хранилища</translation>
    </message>
    <message>
        <source>library of MPI, whose table chooses algorithms</source>
        <translation>библиотека MPI, чья таблица выбирает алгоритмы</translation>
    </message>
    <message>
        <source>library of MPI, whose table chooses the algorithm of an all-reduce by payload and ranks; without effect where 'collective' is given</source>
        <translation>библиотека MPI, чья таблица выбирает алгоритм all-reduce по размеру и числу рангов; не действует, если задан 'collective'</translation>
    </message>
    <message>
        <source>of a frozen weight: 16, 8, or 4 (QLoRA's NF4)</source>
        <translation>замороженного веса: 16, 8 или 4 (NF4 в QLoRA)</translation>
    </message>
    <message>
        <source>of the layers behind them each n-th has experts (decoder_sparse_step, interleave_moe_layer_step)</source>
        <translation>из слоёв за ними эксперты есть в каждом n-м (decoder_sparse_step, interleave_moe_layer_step)</translation>
    </message>
    <message>
        <source>of wait / requested time; 0: the largest first</source>
        <translation>отношения ожидания к запрошенному времени; 0: наибольшее первым</translation>
    </message>
    <message>
        <source>power that a GPU may take (nvidia-smi -pl): its clock falls</source>
        <translation>мощность, которую может брать GPU (nvidia-smi -pl): его частота падает</translation>
    </message>
    <message>
        <source>rate at which one process pickles and writes, or reads and unpickles</source>
        <translation>скорость, с которой один процесс сериализует и пишет или читает и восстанавливает</translation>
    </message>
    <message>
        <source>rate that all machines share</source>
        <translation>скорость, общая для всех машин</translation>
    </message>
    <message>
        <source>the optimiser keeps weights in fp32 beside those in 16 bit; else it updates those</source>
        <translation>оптимизатор хранит веса в fp32 рядом с 16-битными; иначе обновляет последние</translation>
    </message>
    <message>
        <source>they are beside every matrix of a layer, or beside queries and values alone</source>
        <translation>они рядом с каждой матрицей слоя или только с запросами и значениями</translation>
    </message>
    <message>
        <source>what the backward pass computes again instead of keeping it: nothing, or all inside of each block (gradient checkpointing)</source>
        <translation>что обратный проход вычисляет заново вместо хранения: ничего или всё внутри каждого блока (gradient checkpointing)</translation>
    </message>
    <message>
        <source>what single_gpu_step holds: step, batch_per_gpu and an update; micro_step, batch_per_gpu without one; whole_batch, all accumulation_steps and one update</source>
        <translation>что содержит single_gpu_step: step — batch_per_gpu и обновление; micro_step — batch_per_gpu без него; whole_batch — все accumulation_steps и одно обновление</translation>
    </message>
    <message>
        <source>width of the feed-forward network of layers without experts</source>
        <translation>ширина сети прямого распространения слоёв без экспертов</translation>
    </message>
    <message>
        <source>with background: host memory for the copies is pinned; false: they run at 1.3 GB/s (pageable memory)</source>
        <translation>с background: память хоста для копий закреплена; false: они идут со скоростью 1,3 ГБ/с (страничная память)</translation>
    </message>
    <message>
        <source>with training.parallel: small matrices are trained beside frozen weights (LoRA, QLoRA)</source>
        <translation>с training.parallel: малые матрицы обучаются рядом с замороженными весами (LoRA, QLoRA)</translation>
    </message>
    <message>
        <source>samples per GPU and step; with a fraction (a global batch that the GPUs do not divide) the slowest GPU has the next whole number</source>
        <translation>образцов на GPU и шаг; с дробью (общий пакет не делится на GPU) у самого медленного GPU следующее целое</translation>
    </message>
    <message>
        <source>time that the host needs to start one operator</source>
        <translation>Время хоста на запуск одного оператора</translation>
    </message>
    <message>
        <source>time to create the tasks for the first job; later jobs reuse them</source>
        <translation>Время создания задач для первого задания; следующие используют их снова</translation>
    </message>
    <message>
        <source>time to install another framework on one machine, for tasks without containers</source>
        <translation>Время установки другого фреймворка на машину, для задач без контейнеров</translation>
    </message>
    <message>
        <source>time to load after a preemption or failure</source>
        <translation>Время загрузки после вытеснения или отказа</translation>
    </message>
    <message>
        <source>time to load before work continues after a loss</source>
        <translation>Время загрузки до продолжения работы после потери</translation>
    </message>
    <message>
        <source>time to write a checkpoint: at a preemption, and at the end of each checkpoint_interval</source>
        <translation>Время записи контрольной точки: при вытеснении и в конце каждого checkpoint_interval</translation>
    </message>
    <message>
        <source>time to write a checkpoint, and to load it</source>
        <translation>Время записи контрольной точки и её загрузки</translation>
    </message>
    <message>
        <source>time to save; work stops during it</source>
        <translation>Время сохранения; работа в это время стоит</translation>
    </message>
    <message>
        <source>time to start a kernel on a CPU</source>
        <translation>Время запуска ядра на CPU</translation>
    </message>
    <message>
        <source>time to start a message, on top of the latencies of the links</source>
        <translation>Время начала сообщения сверх задержек каналов</translation>
    </message>
    <message>
        <source>time to stop and start one batch</source>
        <translation>Время остановки и запуска одной группы</translation>
    </message>
    <message>
        <source>time to wait for an answer before the next attempt</source>
        <translation>Сколько ждать ответа до следующей попытки</translation>
    </message>
    <message>
        <source>time until it is repaired</source>
        <translation>Время до восстановления</translation>
    </message>
    <message>
        <source>time-out of the waiting tasks</source>
        <translation>Предельное время ожидания ждущих задач</translation>
    </message>
    <message>
        <source>tokens per sample of a transformer</source>
        <translation>Токенов на пример трансформера</translation>
    </message>
    <message>
        <source>tokens travel to their experts beside the computation of another micro-batch</source>
        <translation>Токены идут к экспертам одновременно с вычислениями другого микропакета</translation>
    </message>
    <message>
        <source>training between two checkpoints</source>
        <translation>Обучение между двумя контрольными точками</translation>
    </message>
    <message>
        <source>training cluster of the service; all services of one cluster have the same cluster_spec</source>
        <translation>Обучающий кластер службы; у всех служб одного кластера один cluster_spec</translation>
    </message>
    <message>
        <source>training goes on while checkpoints are written; it stands still while states are copied to the hosts</source>
        <translation>Обучение идёт, пока пишутся контрольные точки; оно стоит, пока состояния копируются на хосты</translation>
    </message>
    <message>
        <source>training jobs</source>
        <translation>Задания обучения</translation>
    </message>
    <message>
        <source>training time between checkpoints</source>
        <translation>Время обучения между контрольными точками</translation>
    </message>
    <message>
        <source>training time until the failure</source>
        <translation>Время обучения до отказа</translation>
    </message>
    <message>
        <source>training time, instead of 'job'</source>
        <translation>Время обучения, вместо 'job'</translation>
    </message>
    <message>
        <source>trainings that fail</source>
        <translation>Обучения, которые не удаются</translation>
    </message>
    <message>
        <source>transport between tasks, from the catalogue or from 'transports'</source>
        <translation>Транспорт между задачами, из каталога или из 'transports'</translation>
    </message>
    <message>
        <source>transport of the catalogue that it is like but for what stands here</source>
        <translation>Транспорт каталога, на который он похож, кроме указанного здесь</translation>
    </message>
    <message>
        <source>transports that this build of the framework supports</source>
        <translation>Транспорты, которые поддерживает эта сборка фреймворка</translation>
    </message>
    <message>
        <source>true: one shared cluster; false: every model trains on its own machine</source>
        <translation>true: один общий кластер; false: каждая модель обучается на своей машине</translation>
    </message>
    <message>
        <source>two jobs of as many GPUs may run on the same ones, as fast as workload: {throughputs: FILE} says of the pair</source>
        <translation>Два задания с одинаковым числом GPU могут идти на одних и тех же GPU, со скоростью пары из workload: {throughputs: FILE}</translation>
    </message>
    <message>
        <source>type of GPU</source>
        <translation>Тип GPU</translation>
    </message>
    <message>
        <source>type of GPU that the job needs</source>
        <translation>Тип GPU, нужный заданию</translation>
    </message>
    <message>
        <source>type: MatMul, VariableV2…; the table of kernels lists them</source>
        <translation>Тип: MatMul, VariableV2…; их перечисляет таблица ядер</translation>
    </message>
    <message>
        <source>upload of the data to object storage</source>
        <translation>Выгрузка данных в объектное хранилище</translation>
    </message>
    <message>
        <source>use of the node's first GPU without a request for it</source>
        <translation>Использование первого GPU узла без его запроса</translation>
    </message>
    <message>
        <source>user of the account whose limits these are</source>
        <translation>Пользователь учётной записи, к которому относятся ограничения</translation>
    </message>
    <message>
        <source>user who submits the job</source>
        <translation>Пользователь, который подаёт задание</translation>
    </message>
    <message>
        <source>users request up to (1 + badness) times the run time</source>
        <translation>Пользователи просят до (1 + badness) времени работы</translation>
    </message>
    <message>
        <source>users who may run jobs in it</source>
        <translation>Пользователи, которым разрешено запускать в нём задания</translation>
    </message>
    <message>
        <source>value of the label</source>
        <translation>Значение метки</translation>
    </message>
    <message>
        <source>variable bytes that a server's CPU updates per second (0: takes no time)</source>
        <translation>Байты переменных, которые CPU сервера обновляет за секунду (0: мгновенно)</translation>
    </message>
    <message>
        <source>version of the framework</source>
        <translation>Версия фреймворка</translation>
    </message>
    <message>
        <source>version of the real system; older versions have more limits</source>
        <translation>Версия настоящей системы; у старых больше ограничений</translation>
    </message>
    <message>
        <source>version of this format</source>
        <translation>Версия этого формата</translation>
    </message>
    <message>
        <source>virtual stages: chunks of layers on each GPU, for the interleaved schedule</source>
        <translation>Виртуальные ступени: части слоёв на каждом GPU, для чередующегося расписания</translation>
    </message>
    <message>
        <source>Volcano: queues that share by weight, gangs; actions enqueue, allocate, backfill, preempt, reclaim</source>
        <translation>Volcano: очереди делят GPU по весам, группы целиком; действия enqueue, allocate, backfill, preempt, reclaim</translation>
    </message>
    <message>
        <source>weight in fair sharing</source>
        <translation>Вес при справедливом делении</translation>
    </message>
    <message>
        <source>weight of CPU in NodeResourcesFit</source>
        <translation>Вес CPU в NodeResourcesFit</translation>
    </message>
    <message>
        <source>weight of GPUs in NodeResourcesFit; the real default is 0: only CPU and memory count</source>
        <translation>Вес GPU в NodeResourcesFit; настоящее умолчание 0: учитываются только CPU и память</translation>
    </message>
    <message>
        <source>weight of ImageLocality</source>
        <translation>Вес ImageLocality</translation>
    </message>
    <message>
        <source>weight of NodeAffinity</source>
        <translation>Вес NodeAffinity</translation>
    </message>
    <message>
        <source>weight of NodeResourcesBalancedAllocation, over CPU and memory</source>
        <translation>Вес NodeResourcesBalancedAllocation, по процессору и памяти</translation>
    </message>
    <message>
        <source>weight of NodeResourcesFit</source>
        <translation>Вес NodeResourcesFit</translation>
    </message>
    <message>
        <source>weight of PodTopologySpread; pods of jobs have no default constraints, those that a Service selects have: 2</source>
        <translation>Вес PodTopologySpread; у подов заданий нет ограничений по умолчанию, у подов сервиса есть: 2</translation>
    </message>
    <message>
        <source>weight of TaintToleration</source>
        <translation>Вес TaintToleration</translation>
    </message>
    <message>
        <source>weight of memory in NodeResourcesFit</source>
        <translation>Вес памяти в NodeResourcesFit</translation>
    </message>
    <message>
        <source>what fails</source>
        <translation>Что отказывает</translation>
    </message>
    <message>
        <source>what fails, and when</source>
        <translation>Что отказывает и когда</translation>
    </message>
    <message>
        <source>what fails: node:worker-1, gpu:worker-1/0, rack:3, switch:leaf-0, link:worker-1, process:train/worker-0, storage, manager:0, daemon_config:worker-1, daemon_restart:worker-1, object_store</source>
        <translation>Что отказывает: node:worker-1, gpu:worker-1/0, rack:3, switch:leaf-0, link:worker-1, process:train/worker-0, storage, manager:0, daemon_config:worker-1, daemon_restart:worker-1, object_store</translation>
    </message>
    <message>
        <source>what gaps are made of. gpus: GPUs of the whole cluster, only counted. machines: the GPUs of each machine, as Slurm does; always so where partitions or reservations name machines</source>
        <translation>Из чего состоят промежутки. gpus: GPU всего кластера, только счётом. machines: GPU каждой машины, как в Slurm; всегда так, где разделы или резервирования называют машины</translation>
    </message>
    <message>
        <source>what gpu_share means. milli: a share of the GPU's time. memory: a share of its memory; its time is divided among all jobs on it</source>
        <translation>Что значит gpu_share. milli: доля времени GPU. memory: доля его памяти; время делится между всеми заданиями на нём</translation>
    </message>
    <message>
        <source>what happens to a need while the model's last retraining still waits or trains; give several to compare them</source>
        <translation>Что происходит с потребностью, пока последнее переобучение модели ещё ждёт или идёт; для сравнения дайте несколько</translation>
    </message>
    <message>
        <source>what happens to a need while the model's last retraining still waits or trains; give several to compare them, with settings</source>
        <translation>Что происходит с потребностью, пока последнее переобучение модели ещё ждёт или идёт; для сравнения дайте несколько, с настройками</translation>
    </message>
    <message>
        <source>what is done if the queue does not answer to a submission. check: ask whether the job has arrived; blind: submit it again without asking; once: nothing</source>
        <translation>Что делать, если очередь не ответила на подачу. check: спросить, пришло ли задание; blind: подать снова не спрашивая; once: ничего</translation>
    </message>
    <message>
        <source>what it is</source>
        <translation>Что это</translation>
    </message>
    <message>
        <source>what replicas divide among themselves: 1 optimiser states, 2 and gradients, 3 and weights (FSDP)</source>
        <translation>Что реплики делят между собой: 1 состояния оптимизатора, 2 и градиенты, 3 и веса (FSDP)</translation>
    </message>
    <message>
        <source>what the backward pass computes again: nothing; the inside of attention; all but attention and every second product (torchtitan's selective); whole layers</source>
        <translation>Что обратный проход вычисляет снова: ничего; внутренность внимания; всё, кроме внимания и каждого второго произведения (selective в torchtitan); целые слои</translation>
    </message>
    <message>
        <source>what the scheduler's clock shows at the start; some of pybatsim's schedulers refuse a time of 0</source>
        <translation>Что показывают часы планировщика в начале; некоторые планировщики pybatsim отвергают время 0</translation>
    </message>
    <message>
        <source>what the workers compute on</source>
        <translation>На чём вычисляют рабочие</translation>
    </message>
    <message>
        <source>what to optimise: largest minimum of throughput relative to an equal share, shortest makespan, order of arrival, or smallest maximum of finish-time rho</source>
        <translation>Что оптимизировать: наибольший минимум производительности относительно равной доли, наименьшее общее время, порядок поступления или наименьший максимум rho по времени окончания</translation>
    </message>
    <message>
        <source>when a stopped job pays checkpoint_cost. preemption: it keeps its GPUs while it saves, as in the grace time of Slurm, and who gets them begins after that. resume: its GPUs pass on at once, and it pays for saving and loading when it starts again</source>
        <translation>Когда остановленное задание платит checkpoint_cost. preemption: оно держит GPU, пока сохраняется, как в grace time Slurm, и получатель начинает после этого. resume: GPU переходят сразу, а за сохранение и загрузку оно платит при новом запуске</translation>
    </message>
    <message>
        <source>when a task restarts</source>
        <translation>Когда задача запускается снова</translation>
    </message>
    <message>
        <source>when gradients are applied: a registered update rule</source>
        <translation>Когда применяются градиенты: зарегистрированное правило обновления</translation>
    </message>
    <message>
        <source>when gradients are sent: as the backward pass produces them, or all after it</source>
        <translation>Когда отправляются градиенты: по мере обратного прохода или все после него</translation>
    </message>
    <message>
        <source>when it begins, since the start of the workload</source>
        <translation>Когда начинается, считая от начала нагрузки</translation>
    </message>
    <message>
        <source>when the model needs retraining</source>
        <translation>Когда модель нужно переобучить</translation>
    </message>
    <message>
        <source>when the model needs retraining, with settings</source>
        <translation>Когда модель нужно переобучить, с настройками</translation>
    </message>
    <message>
        <source>when variables are fetched: by the forward pass, or as soon as each is updated (workers keep replicas); by_layer: the same, and a layer's next forward pass waits for its own variables only</source>
        <translation>Когда запрашиваются переменные: прямым проходом или сразу после обновления каждой (рабочие хранят копии); by_layer: так же, и следующий прямой проход слоя ждёт только своих переменных</translation>
    </message>
    <message>
        <source>where checkpoints are stored</source>
        <translation>Где хранятся контрольные точки</translation>
    </message>
    <message>
        <source>where its figures are from</source>
        <translation>Откуда его показатели</translation>
    </message>
    <message>
        <source>where parameter servers run</source>
        <translation>Где работают серверы параметров</translation>
    </message>
    <message>
        <source>where samples come from</source>
        <translation>Откуда берутся примеры</translation>
    </message>
    <message>
        <source>where the node keeps the variables: in host memory, or on the GPUs in turn</source>
        <translation>Где узел держит переменные: в памяти хоста или на GPU по очереди</translation>
    </message>
    <message>
        <source>where the scheduler listens, as ZeroMQ names it</source>
        <translation>Где слушает планировщик, как это называет ZeroMQ</translation>
    </message>
    <message>
        <source>whether a job borrows in a flavor before it tries the next one</source>
        <translation>Занимает ли задание в одном виде GPU, прежде чем пробовать следующий</translation>
    </message>
    <message>
        <source>whether a job stops others in a flavor before it tries the next one</source>
        <translation>Останавливает ли задание другие в одном виде GPU, прежде чем пробовать следующий</translation>
    </message>
    <message>
        <source>whether a process reaches that rate in each direction, or in both together (one I/O thread)</source>
        <translation>Достигает ли процесс этой скорости в каждую сторону или в обе вместе (один поток ввода-вывода)</translation>
    </message>
    <message>
        <source>whether a task moves to another node when its node is lost</source>
        <translation>Переходит ли задача на другой узел, когда её узел потерян</translation>
    </message>
    <message>
        <source>whether a task restarts when its process ends</source>
        <translation>Запускается ли задача снова, когда её процесс кончается</translation>
    </message>
    <message>
        <source>whether a team below its quota preempts jobs of borrowers</source>
        <translation>Вытесняет ли команда ниже своей квоты задания занявших</translation>
    </message>
    <message>
        <source>whether a team may use unused quota of its cohort</source>
        <translation>Может ли команда использовать свободную квоту своей когорты</translation>
    </message>
    <message>
        <source>whether all processes of a job are tracked, and ended with it</source>
        <translation>Отслеживаются ли все процессы задания и кончаются ли вместе с ним</translation>
    </message>
    <message>
        <source>whether all tasks of a job start together or none</source>
        <translation>Начинаются ли все задачи задания вместе или никакие</translation>
    </message>
    <message>
        <source>whether an update stops the old task first or starts the new one first</source>
        <translation>Останавливает ли обновление сначала старую задачу или запускает сначала новую</translation>
    </message>
    <message>
        <source>whether containers can use the GPUs</source>
        <translation>Могут ли контейнеры использовать GPU</translation>
    </message>
    <message>
        <source>whether equal steps or equal ratios are equally likely</source>
        <translation>Равновероятны равные шаги или равные отношения</translation>
    </message>
    <message>
        <source>whether jobs of the queue may pass one whose quota is not free</source>
        <translation>Могут ли задания очереди обходить то, для которого нет свободной квоты</translation>
    </message>
    <message>
        <source>whether others may start if the first one does not fit</source>
        <translation>Могут ли начаться другие, если первое не помещается</translation>
    </message>
    <message>
        <source>whether services are brought back to their desired state</source>
        <translation>Возвращаются ли службы к желаемому состоянию</translation>
    </message>
    <message>
        <source>whether sizes are the minimum times a power of two</source>
        <translation>Равны ли размеры минимуму, умноженному на степень двойки</translation>
    </message>
    <message>
        <source>whether tasks can ask for GPUs</source>
        <translation>Могут ли задачи просить GPU</translation>
    </message>
    <message>
        <source>whether tasks can ask for a part of a GPU</source>
        <translation>Могут ли задачи просить часть GPU</translation>
    </message>
    <message>
        <source>whether tasks can ask for a type of GPU</source>
        <translation>Могут ли задачи просить тип GPU</translation>
    </message>
    <message>
        <source>whether tasks of a lost node go to other nodes</source>
        <translation>Уходят ли задачи потерянного узла на другие узлы</translation>
    </message>
    <message>
        <source>whether tasks of higher priority evict others</source>
        <translation>Вытесняют ли другие задачи задачи с более высоким приоритетом</translation>
    </message>
    <message>
        <source>whether tasks without GPU go to nodes without GPU first</source>
        <translation>Идут ли задачи без GPU сначала на узлы без GPU</translation>
    </message>
    <message>
        <source>whether the loss of such a task loses the work since the last checkpoint</source>
        <translation>Теряется ли с такой задачей работа после последней контрольной точки</translation>
    </message>
    <message>
        <source>whether the master answers</source>
        <translation>Отвечает ли мастер</translation>
    </message>
    <message>
        <source>whether the node restarts a container in place, without a manager</source>
        <translation>Перезапускает ли узел контейнер на месте, без управляющего</translation>
    </message>
    <message>
        <source>whether the share of the team or of the user counts</source>
        <translation>Считается ли доля команды или пользователя</translation>
    </message>
    <message>
        <source>whether the thread waits for each exchange to end (MPI)</source>
        <translation>Ждёт ли поток конца каждого обмена (MPI)</translation>
    </message>
    <message>
        <source>whether there is this operation</source>
        <translation>Есть ли эта операция</translation>
    </message>
    <message>
        <source>which job starts next</source>
        <translation>Какое задание начинается следующим</translation>
    </message>
    <message>
        <source>which job starts next, with settings</source>
        <translation>Какое задание начинается следующим, с настройками</translation>
    </message>
    <message>
        <source>which machines a job gets</source>
        <translation>Какие машины получает задание</translation>
    </message>
    <message>
        <source>which machines a job gets, with settings</source>
        <translation>Какие машины получает задание, с настройками</translation>
    </message>
    <message>
        <source>which machines a training gets</source>
        <translation>Какие машины получает обучение</translation>
    </message>
    <message>
        <source>which machines a training gets, with settings</source>
        <translation>Какие машины получает обучение, с настройками</translation>
    </message>
    <message>
        <source>which operations it has</source>
        <translation>Какие у него операции</translation>
    </message>
    <message>
        <source>which server keeps which variable: a registered variable placement</source>
        <translation>Какой сервер хранит какую переменную: зарегистрированное размещение переменных</translation>
    </message>
    <message>
        <source>which tasks are started again, unless they say otherwise</source>
        <translation>Какие задачи запускаются снова, если сами не говорят иного</translation>
    </message>
    <message>
        <source>which training starts next; none: there is no planner; give several to compare them</source>
        <translation>Какое обучение начинается следующим; none: планировщика нет; для сравнения дайте несколько</translation>
    </message>
    <message>
        <source>which training starts next; none: there is no planner; give several to compare them, with settings</source>
        <translation>Какое обучение начинается следующим; none: планировщика нет; для сравнения дайте несколько, с настройками</translation>
    </message>
    <message>
        <source>of jobs with training.parallel: while machines are missing, the job goes on with the replicas that are left, with the global batch that keep_batch and decrease_batch of its layout ask for; else it waits for all of its machines</source>
        <translation>Для заданий с training.parallel: пока машин не хватает, задание продолжается с оставшимися репликами и с тем общим батчем, которого требуют keep_batch и decrease_batch его разбиения; иначе оно ждёт всех своих машин</translation>
    </message>
    <message>
        <source>with elastic: fewest replicas with which it goes on</source>
        <translation>С elastic: наименьшее число реплик, с которым оно продолжается</translation>
    </message>
    <message>
        <source>who borrows least of what its weight gives it goes first, and may stop jobs of who borrows more</source>
        <translation>Первым идёт тот, кто занимает меньше всего относительно веса; он может останавливать задания того, кто занимает больше</translation>
    </message>
    <message>
        <source>who starts trainings. planner: the planner of this section, beside the queue; queue: every training is a job of the workload's queue</source>
        <translation>Кто начинает обучения. planner: планировщик этого раздела, рядом с очередью; queue: каждое обучение — задание очереди</translation>
    </message>
    <message>
        <source>width (hidden_size)</source>
        <translation>Ширина (hidden_size)</translation>
    </message>
    <message>
        <source>width of a head (head_dim)</source>
        <translation>Ширина головы (head_dim)</translation>
    </message>
    <message>
        <source>width of the feed-forward network (intermediate_size)</source>
        <translation>Ширина сети прямого распространения (intermediate_size)</translation>
    </message>
    <message>
        <source>width of the network that every token passes beside its experts</source>
        <translation>Ширина сети, через которую каждый токен проходит помимо экспертов</translation>
    </message>
    <message>
        <source>width of their feed-forward network</source>
        <translation>Ширина их сети прямого распространения</translation>
    </message>
    <message>
        <source>wiring inside the machine</source>
        <translation>Соединения внутри машины</translation>
    </message>
    <message>
        <source>with allow_growth: memory that is no longer needed is freed, not kept as in TensorFlow 1</source>
        <translation>При allow_growth: ненужная память освобождается, а не удерживается, как в TensorFlow 1</translation>
    </message>
    <message>
        <source>with background: rate at which one GPU copies to its host</source>
        <translation>При background: с какой скоростью один GPU копирует на свой хост</translation>
    </message>
    <message>
        <source>with borrow_within_cohort, highest priority of the jobs that it stops so</source>
        <translation>При borrow_within_cohort: наибольший приоритет заданий, которые оно так останавливает</translation>
    </message>
    <message>
        <source>with bounded: most steps between the fastest and the slowest worker</source>
        <translation>При bounded: сколько шагов самое большее между самым быстрым и самым медленным рабочим</translation>
    </message>
    <message>
        <source>with collective: algorithm inside the node</source>
        <translation>При collective: алгоритм внутри узла</translation>
    </message>
    <message>
        <source>with collective: payload rate of one message inside the node (0: set by the links)</source>
        <translation>При collective: полезная скорость одного сообщения внутри узла (0: по каналам)</translation>
    </message>
    <message>
        <source>with collective: transport inside the node</source>
        <translation>При collective: транспорт внутри узла</translation>
    </message>
    <message>
        <source>with cp, how results of the pieces of a sequence are added up: a kernel each (Transformer Engine), or operator by operator (PyTorch, torchtitan)</source>
        <translation>При cp: как складываются результаты частей последовательности: по ядру на каждый (Transformer Engine) или оператор за оператором (PyTorch, torchtitan)</translation>
    </message>
    <message>
        <source>with fair_sharing, weight of its share of what is borrowed</source>
        <translation>При fair_sharing: вес её доли занимаемого</translation>
    </message>
    <message>
        <source>with in_graph: number of batches that the client feeds ahead</source>
        <translation>При in_graph: сколько пакетов клиент подаёт заранее</translation>
    </message>
    <message>
        <source>with kv_rank, the part of head_width that carries positions (qk_rope_head_dim)</source>
        <translation>При kv_rank: часть head_width, несущая позиции (qk_rope_head_dim)</translation>
    </message>
    <message>
        <source>with kv_rank, width of a head's values (v_head_dim)</source>
        <translation>При kv_rank: ширина значений головы (v_head_dim)</translation>
    </message>
    <message>
        <source>with model: samples per step</source>
        <translation>При model: примеров на шаг</translation>
    </message>
    <message>
        <source>with name: transformer, layers (num_hidden_layers)</source>
        <translation>При name: transformer: слои (num_hidden_layers)</translation>
    </message>
    <message>
        <source>with offload_optimizer, rate of a machine's memory in its update; by default four fifths of two sockets with eight channels of DDR4-3200</source>
        <translation>При offload_optimizer: скорость памяти машины при обновлении; по умолчанию четыре пятых двух сокетов с восемью каналами DDR4-3200</translation>
    </message>
    <message>
        <source>with partitioned: largest part of a variable</source>
        <translation>При partitioned: наибольшая часть переменной</translation>
    </message>
    <message>
        <source>with preempt: partition, time that a stopped job runs on</source>
        <translation>При preempt: partition: сколько ещё идёт остановленное задание</translation>
    </message>
    <message>
        <source>with preempt: qos, names of QOS whose jobs its jobs may stop</source>
        <translation>При preempt: qos: имена QOS, чьи задания могут останавливать его задания</translation>
    </message>
    <message>
        <source>with push: after_backward: time to copy one gradient into or out of the buffer (a kernel launch)</source>
        <translation>При push: after_backward: время копирования одного градиента в буфер или из него (запуск ядра)</translation>
    </message>
    <message>
        <source>with speed: step, the name of one of the scenario's jobs</source>
        <translation>При speed: step: имя одного из заданий сценария</translation>
    </message>
    <message>
        <source>with speed: step, training steps of its model instead of a duration</source>
        <translation>При speed: step: шаги обучения модели вместо длительности</translation>
    </message>
    <message>
        <source>with sync and sync_replicas: number of workers that an update does not wait for; of machines, if those sum their gradients first (local_aggregation)</source>
        <translation>При sync и sync_replicas: сколько рабочих обновление не ждёт; сколько машин, если градиенты сначала складываются внутри машины (local_aggregation)</translation>
    </message>
    <message>
        <source>with sync_replicas: tokens that there are at the start; -1: as many as gradients of an update</source>
        <translation>При sync_replicas: сколько жетонов есть в начале; -1: столько, сколько градиентов в обновлении</translation>
    </message>
    <message>
        <source>sync_replicas: gradients that an update does not wait for</source>
        <translation>sync_replicas: сколько градиентов обновление не ждёт</translation>
    </message>
    <message>
        <source>sync_replicas: how often a worker looks whether the chief has made the variables (recovery_wait_secs of TensorFlow's SessionManager)</source>
        <translation>sync_replicas: как часто рабочий проверяет, создал ли главный рабочий переменные (recovery_wait_secs в SessionManager из TensorFlow)</translation>
    </message>
    <message>
        <source>collectives that the library runs side by side, at fidelity tcp</source>
        <translation>Сколько коллективных операций библиотека ведёт одновременно при fidelity: tcp</translation>
    </message>
    <message>
        <source>collectives that the library runs side by side, at fidelity tcp; always 1 with fusion: horovod, whose thread waits for each</source>
        <translation>Сколько коллективных операций библиотека ведёт одновременно при fidelity: tcp; всегда 1 при fusion: horovod, поток которого ждёт каждую</translation>
    </message>
    <message>
        <source>gradients of GPUs are copied to the host and back, if gpu_direct is false</source>
        <translation>Градиенты GPU копируются в память узла и обратно, если gpu_direct: false</translation>
    </message>
    <message>
        <source>size of an acknowledgement on the wire: those of what comes load the way of what goes, in collectives; 0: none, or in the efficiency</source>
        <translation>Размер подтверждения в линии: в коллективных операциях подтверждения принятого занимают путь отправляемого; 0: нет или уже в efficiency</translation>
    </message>
    <message>
        <source>with zero, neighbouring replicas that divide; such groups hold copies, and add up their shares of the gradients (FSDP's HYBRID_SHARD: the GPUs of a machine)</source>
        <translation>При zero: сколько соседних реплик делят; такие группы хранят копии и складывают свои доли градиентов (HYBRID_SHARD в FSDP: GPU машины)</translation>
    </message>
    <message>
        <source>with zero: 3, the next layer's weights travel beside the backward pass of this one (FSDP's BACKWARD_PRE); false: after it (BACKWARD_POST)</source>
        <translation>При zero: 3 веса следующего слоя идут одновременно с обратным проходом этого (BACKWARD_PRE в FSDP); false: после него (BACKWARD_POST)</translation>
    </message>
    <message>
        <source>words (vocab_size)</source>
        <translation>Слова словаря (vocab_size)</translation>
    </message>
    <message>
        <source>work of one execution</source>
        <translation>Работа одного выполнения</translation>
    </message>
    <message>
        <source>work that a client gives to waiting tasks</source>
        <translation>Работа, которую клиент даёт ждущим задачам</translation>
    </message>
    <message>
        <source>worker, ps…</source>
        <translation>worker, ps…</translation>
    </message>
    <message>
        <source>worker|a:2222;b:2222,ps|c:2222, as in the command line of its tasks</source>
        <translation>worker|a:2222;b:2222,ps|c:2222, как в командной строке её задач</translation>
    </message>
    <message>
        <source>year: what each transport supports, and the framework if 'framework' names none</source>
        <translation>Год: что поддерживает каждый транспорт, и фреймворк, если его не называет 'framework'</translation>
    </message>
    <message>
        <source>Docker Swarm: the machine with the fewest running tasks</source>
        <translation>Docker Swarm: машина с наименьшим числом работающих задач</translation>
    </message>
    <message>
        <source>GPUs of one NVLink island; the fullest island that fits</source>
        <translation>GPU одного острова NVLink; самый заполненный из подходящих</translation>
    </message>
    <message>
        <source>Slurm: multifactor priority (age, fair tree, size, partition, QOS), main and backfill scheduler, preemption, rules of the section slurm</source>
        <translation>Slurm: приоритет из нескольких множителей (возраст, fair tree, размер, раздел, QOS), основной планировщик и backfill, вытеснение, правила раздела slurm</translation>
    </message>
    <message>
        <source>a random machine that fits, then a random GPU, with equal probability</source>
        <translation>случайная подходящая машина, затем случайный GPU, равновероятно</translation>
    </message>
    <message>
        <source>a scheduler outside decides, over Batsim's protocol (ZeroMQ)</source>
        <translation>решает внешний планировщик по протоколу Batsim (ZeroMQ)</translation>
    </message>
    <message>
        <source>at random, once per period on average (sudden concept drift)</source>
        <translation>случайно, в среднем раз за период (внезапный дрейф)</translation>
    </message>
    <message>
        <source>dominant resource fairness with quotas, cohorts, borrowing and reclaiming</source>
        <translation>справедливость по главному ресурсу с квотами, когортами, заёмом и возвратом</translation>
    </message>
    <message>
        <source>each GPU on the machine with the most free GPUs; tasks of services: fewest tasks of the service, then fewest tasks (swarmkit)</source>
        <translation>каждый GPU на машине с наибольшим числом свободных GPU; задачи служб: меньше всего задач службы, затем меньше всего задач (swarmkit)</translation>
    </message>
    <message>
        <source>each training on the GPU type that suits it best, the longest first</source>
        <translation>каждое обучение на самом подходящем типе GPU, сначала самое долгое</translation>
    </message>
    <message>
        <source>earliest deadline first with admission, preemptive</source>
        <translation>сначала ближайший срок, с допуском, с вытеснением</translation>
    </message>
    <message>
        <source>every retraining goes into the queue</source>
        <translation>каждое переобучение идёт в очередь</translation>
    </message>
    <message>
        <source>first in, first out, with backfill that delays no reservation at all</source>
        <translation>в порядке поступления, с backfill, не задерживающим ни одного резервирования</translation>
    </message>
    <message>
        <source>first in, first out, with backfill that never delays the head's reservation</source>
        <translation>в порядке поступления, с backfill, никогда не задерживающим резервирование первого</translation>
    </message>
    <message>
        <source>first in, first out, with skipping; gangs wait some time for GPUs close to each other (Philly)</source>
        <translation>в порядке поступления, с пропусками; группы некоторое время ждут близких GPU (Philly)</translation>
    </message>
    <message>
        <source>first in, first out; a head that does not fit blocks the queue unless skip</source>
        <translation>в порядке поступления; неподходящее первое задание держит очередь, если нет skip</translation>
    </message>
    <message>
        <source>fragmentation gradient descent: smallest increase of GPU shares that typical tasks cannot use</source>
        <translation>спуск по градиенту фрагментации: наименьший прирост долей GPU, непригодных для типичных задач</translation>
    </message>
    <message>
        <source>genetic search over orders of jobs with dependencies; never worse than list scheduling</source>
        <translation>генетический поиск порядков заданий с зависимостями; никогда не хуже списочного планирования</translation>
    </message>
    <message>
        <source>genetic search over orders; never worse than list scheduling</source>
        <translation>генетический поиск порядков; никогда не хуже списочного планирования</translation>
    </message>
    <message>
        <source>genetic search that starts from list scheduling and from clustering</source>
        <translation>генетический поиск, начинающий со списочного планирования и кластеризации</translation>
    </message>
    <message>
        <source>highest Gittins index over attained service, preemptive (Tiresias)</source>
        <translation>наибольший индекс Гиттинса по полученному обслуживанию, с вытеснением (Tiresias)</translation>
    </message>
    <message>
        <source>highest priority first, stopping running jobs of lower priority</source>
        <translation>сначала высший приоритет, с остановкой идущих заданий ниже приоритетом</translation>
    </message>
    <message>
        <source>highest priority first; equal ones in order of submission</source>
        <translation>сначала высший приоритет; равные — в порядке подачи</translation>
    </message>
    <message>
        <source>in order of submission</source>
        <translation>в порядке подачи</translation>
    </message>
    <message>
        <source>jobs grow and shrink between their minimum and maximum by marginal gain (Optimus)</source>
        <translation>задания растут и сжимаются между минимумом и максимумом по предельному выигрышу (Optimus)</translation>
    </message>
    <message>
        <source>jobs run in turn for one slice each, preemptive (Gandiva)</source>
        <translation>задания идут по очереди, каждое на один квант, с вытеснением (Gandiva)</translation>
    </message>
    <message>
        <source>jobs to GPU types by minimum-cost matching: smallest mean completion time (AlloX)</source>
        <translation>задания на типы GPU паросочетанием наименьшей стоимости: наименьшее среднее время завершения (AlloX)</translation>
    </message>
    <message>
        <source>kube-scheduler: filter, then plug-in scores times their weights</source>
        <translation>kube-scheduler: отбор, затем оценки плагинов, умноженные на их веса</translation>
    </message>
    <message>
        <source>leases go to the jobs furthest from their fair share (Themis)</source>
        <translation>аренда достаётся заданиям, дальше всех отставшим от справедливой доли (Themis)</translation>
    </message>
    <message>
        <source>least attained service in discretised queues, preemptive (Tiresias)</source>
        <translation>наименьшее полученное обслуживание по дискретным очередям, с вытеснением (Tiresias)</translation>
    </message>
    <message>
        <source>least decayed usage per share first</source>
        <translation>сначала наименьшее затухающее использование на долю</translation>
    </message>
    <message>
        <source>linear clustering of jobs with dependencies</source>
        <translation>линейная кластеризация заданий с зависимостями</translation>
    </message>
    <message>
        <source>list scheduling of jobs with dependencies by upward rank (HEFT)</source>
        <translation>списочное планирование заданий с зависимостями по восходящему рангу (HEFT)</translation>
    </message>
    <message>
        <source>list scheduling: the longest first, each where it ends earliest</source>
        <translation>списочное планирование: сначала самое долгое, каждое туда, где закончится раньше</translation>
    </message>
    <message>
        <source>machines that already run tasks with the same kind of GPU request</source>
        <translation>машины, где уже идут задачи с таким же запросом GPU</translation>
    </message>
    <message>
        <source>newer needs are merged into one retraining that starts when the earlier one has ended</source>
        <translation>новые потребности сливаются в одно переобучение, которое начинается после прежнего</translation>
    </message>
    <message>
        <source>no new retraining until the earlier one has ended; the last that was due meanwhile begins then</source>
        <translation>никакого нового переобучения, пока не закончилось прежнее; затем начинается последнее из пропущенных</translation>
    </message>
    <message>
        <source>no planner: duplicates are sent, jobs are submitted again without asking, first come first served</source>
        <translation>планировщика нет: повторы отправляются, задания подаются снова не спрашивая, в порядке поступления</translation>
    </message>
    <message>
        <source>once per period</source>
        <translation>раз за период</translation>
    </message>
    <message>
        <source>shared GPUs first, then whole ones of machines in use, then idle machines</source>
        <translation>сначала разделяемые GPU, затем целые на занятых машинах, затем свободные машины</translation>
    </message>
    <message>
        <source>shares of time on each GPU type by linear program, in rounds (Gavel)</source>
        <translation>доли времени на каждом типе GPU линейной программой, по раундам (Gavel)</translation>
    </message>
    <message>
        <source>shortest estimate first, without preemption</source>
        <translation>сначала наименьшая оценка, без вытеснения</translation>
    </message>
    <message>
        <source>shortest remaining time first, preemptive, gangs that do not fit are skipped</source>
        <translation>сначала наименьшее оставшееся время, с вытеснением; неподходящие группы пропускаются</translation>
    </message>
    <message>
        <source>the earlier retraining may finish within a time limit; then it is stopped</source>
        <translation>прежнее переобучение может закончиться за ограниченное время, затем его останавливают</translation>
    </message>
    <message>
        <source>the first machine that fits, in order of the cluster</source>
        <translation>первая подходящая машина в порядке кластера</translation>
    </message>
    <message>
        <source>the gang below one aggregation switch if possible, else anywhere</source>
        <translation>группа под одним агрегирующим коммутатором, если можно, иначе где угодно</translation>
    </message>
    <message>
        <source>the gang in one rack if possible, else below one aggregation switch, else anywhere</source>
        <translation>группа в одной стойке, если можно, иначе под одним агрегирующим коммутатором, иначе где угодно</translation>
    </message>
    <message>
        <source>the machine with the fewest free GPUs that fits; for tasks of services, of those in use first</source>
        <translation>подходящая машина с наименьшим числом свободных GPU; для задач служб сначала из занятых</translation>
    </message>
    <message>
        <source>the machine with the largest share of free CPU, memory and GPUs (kube-scheduler)</source>
        <translation>машина с наибольшей долей свободных CPU, памяти и GPU (kube-scheduler)</translation>
    </message>
    <message>
        <source>the machine with the smallest dot product of free and requested resources</source>
        <translation>машина с наименьшим скалярным произведением свободных и запрошенных ресурсов</translation>
    </message>
    <message>
        <source>the machine, then the GPU, with the least free resources after placement</source>
        <translation>машина, затем GPU, где после размещения остаётся меньше всего свободного</translation>
    </message>
    <message>
        <source>the newer retraining stops the earlier one immediately</source>
        <translation>новое переобучение сразу останавливает прежнее</translation>
    </message>
    <message>
        <source>when the data of the deployed model are one period old</source>
        <translation>когда данные развёрнутой модели старше одного периода</translation>
    </message>
    <message>
        <source>models whose steps were measured: a job of such a model takes, on the GPUs it has, the batch with the highest goodput = samples per second x what a sample is worth. Its run time means the GPUs that it asks for, on as few machines as possible. The policies pollux, optimus and sia plan with it</source>
        <translation>Модели с измеренными шагами: задание такой модели берёт на своих GPU пакет с наибольшим полезным темпом = образцы в секунду x ценность образца. Его время работы относится к запрошенным GPU на возможно меньшем числе машин. С этим планируют политики pollux, optimus и sia</translation>
    </message>
    <message>
        <source>measured steps, as AdaptDL&apos;s placements.csv: columns placement (44: two machines with 4 GPUs each), local_bsz, step_time and sync_time in seconds</source>
        <translation>Измеренные шаги, как placements.csv у AdaptDL: столбцы placement (44: две машины по 4 GPU), local_bsz, step_time и sync_time в секундах</translation>
    </message>
    <message>
        <source>the same by type of GPU</source>
        <translation>То же по типам GPU</translation>
    </message>
    <message>
        <source>measured steps on this type</source>
        <translation>Измеренные шаги на этом типе</translation>
    </message>
    <message>
        <source>samples of a step</source>
        <translation>Образцы одного шага</translation>
    </message>
    <message>
        <source>global batch that the job was written for</source>
        <translation>Общий пакет, для которого написано задание</translation>
    </message>
    <message>
        <source>largest global batch; its learning rate follows (AdaScale)</source>
        <translation>Наибольший общий пакет; скорость обучения следует за ним (AdaScale)</translation>
    </message>
    <message>
        <source>most steps whose gradients are only added up before a step with exchange, so that a batch may be larger than fits the GPUs</source>
        <translation>Сколько шагов не больше лишь складывают градиенты перед шагом с обменом, чтобы пакет мог быть больше, чем помещается на GPU</translation>
    </message>
    <message>
        <source>largest batch of a GPU</source>
        <translation>Наибольший пакет на GPU</translation>
    </message>
    <message>
        <source>gradient noise scale: of a batch m, a sample is worth (noise + initial) / (noise + m) of one of the initial batch (Pollux, OSDI 2021)</source>
        <translation>Масштаб шума градиента: образец пакета m стоит (шум + начальный) / (шум + m) образца начального пакета (Pollux, OSDI 2021)</translation>
    </message>
    <message>
        <source>a phase</source>
        <translation>Фаза</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>Образцы</translation>
    </message>
    <message>
        <source>share of the work from which on it counts</source>
        <translation>Доля работы, начиная с которой это действует</translation>
    </message>
    <message>
        <source>time from one plan of all sizes to the next</source>
        <translation>Время от одного плана всех размеров до следующего</translation>
    </message>
    <message>
        <source>exponent of the mean of the speed-ups, not 0; the smaller, the fairer</source>
        <translation>Показатель среднего ускорений, не 0; чем меньше, тем справедливее</translation>
    </message>
    <message>
        <source>what the plan takes a restart to cost</source>
        <translation>Во что план оценивает перезапуск</translation>
    </message>
    <message>
        <source>length of a round</source>
        <translation>Длина раунда</translation>
    </message>
    <message>
        <source>exponent of the goodputs, not 0; the smaller, the fairer</source>
        <translation>Показатель полезных темпов, не 0; чем меньше, тем справедливее</translation>
    </message>
    <message>
        <source>penalty for a job without GPUs, as a job on its smallest configuration counts 1</source>
        <translation>Штраф за задание без GPU; задание на наименьшей конфигурации считается за 1</translation>
    </message>
    <message>
        <source>all sizes anew in rounds: the remaining time that falls most per GPU, by measured speeds (Optimus)</source>
        <translation>все размеры заново по раундам: где оставшееся время падает сильнее всего на GPU, по измеренным скоростям (Optimus)</translation>
    </message>
    <message>
        <source>all sizes anew in rounds: the largest mean speed-up of goodput, with the batch that suits (Pollux)</source>
        <translation>все размеры заново по раундам: наибольшее среднее ускорение полезного темпа при подходящем пакете (Pollux)</translation>
    </message>
    <message>
        <source>in rounds each job gets GPUs of one type: the best sum of normalised goodputs (Sia)</source>
        <translation>по раундам каждое задание получает GPU одного типа: лучшая сумма нормированных полезных темпов (Sia)</translation>
    </message>
</context>
<context>
    <name>Messages</name>
    <message>
        <source>bottleneck.connection</source>
        <translation>одно соединение {transport} со скоростью {rate}</translation>
    </message>
    <message>
        <source>check.at_point</source>
        <translation>в точке {point}: {what}</translation>
    </message>
    <message>
        <source>idle.to_the_end</source>
        <translation>такие запуски всегда идут до конца</translation>
    </message>
    <message>
        <source>idle.no_queue</source>
        <translation>в сценарии нет очереди ('scheduling')</translation>
    </message>
    <message>
        <source>idle.other_memory</source>
        <translation>политика памяти — '{policy}', а не 'fraction'</translation>
    </message>
    <message>
        <source>idle.no_distribution</source>
        <translation>задайте 'distribution'</translation>
    </message>
    <message>
        <source>idle.no_variation</source>
        <translation>'coefficient_of_variation' равен 0</translation>
    </message>
    <message>
        <source>idle.mode_ignores</source>
        <translation>режим {mode} этого не учитывает</translation>
    </message>
    <message>
        <source>idle.no_tokens</source>
        <translation>у '{model}' нет последовательностей токенов</translation>
    </message>
    <message>
        <source>idle.fixed_size</source>
        <translation>размер '{model}' задан</translation>
    </message>
    <message>
        <source>idle.synthetic</source>
        <translation>образцы синтетические; укажите 'source: disk' или 'source: storage'</translation>
    </message>
    <message>
        <source>idle.no_input</source>
        <translation>не заданы ни 'bandwidth' для чтения образцов, ни время их подготовки</translation>
    </message>
    <message>
        <source>idle.no_bandwidth</source>
        <translation>не задана 'bandwidth', с которой они читаются</translation>
    </message>
    <message>
        <source>idle.no_bytes</source>
        <translation>не заданы читаемые 'bytes_per_sample'</translation>
    </message>
    <message>
        <source>idle.only_with</source>
        <translation>нужно {what}</translation>
    </message>
    <message>
        <source>idle.no_cores</source>
        <translation>ни одно задание не готовит на них образцы (input: preprocess_per_sample), и очереди нет</translation>
    </message>
    <message>
        <source>idle.no_cpu_job</source>
        <translation>ни одно задание не считает на CPU (training: device: cpu), и очереди нет</translation>
    </message>
    <message>
        <source>idle.only_servers</source>
        <translation>время CPU на передачу учитывается только для серверов параметров</translation>
    </message>
    <message>
        <source>idle.unused_transport</source>
        <translation>транспорт '{name}' не действует: ни одно задание им не пользуется</translation>
    </message>
    <message>
        <source>idle.no_windows</source>
        <translation>при точности {fidelity} окна TCP здесь не решают, как делятся связи: {why}</translation>
    </message>
    <message>
        <source>idle.no_queues</source>
        <translation>при точности {fidelity} у связей нет очередей, и скорость их всегда полная; возьмите fidelity tcp</translation>
    </message>
    <message>
        <source>idle.alone_in_queues</source>
        <translation>рабочий, который представляет всех, не встречает других в очередях и ничего из-за них не теряет; при fidelity tcp уберите 'one_represents_all'</translation>
    </message>
    <message>
        <source>idle.no_burst</source>
        <translation>задайте 'burst'</translation>
    </message>
    <message>
        <source>idle.over_rdma</source>
        <translation>сообщения '{names}' идут по RDMA, где нет окон и потерь: они делят связи поровну, и так же TCP там, где встречает их. Через сокеты — напишите {sockets}</translation>
    </message>
    <message>
        <source>check.no_effect</source>
        <translation>'{key}' не действует: {why}</translation>
    </message>
    <message>
        <source>check.no_effect_with</source>
        <translation>'{key}' не действует с {owner}</translation>
    </message>
    <message>
        <source>assumed.any_placements</source>
        <translation>любое число размещений в секунду</translation>
    </message>
    <message>
        <source>assumed.images_there</source>
        <translation>образы уже на месте</translation>
    </message>
    <message>
        <source>assumed.pulls_without_limit</source>
        <translation>загрузка образов без ограничения</translation>
    </message>
    <message>
        <source>assumed.no_checkpoints</source>
        <translation>контрольных точек нет</translation>
    </message>
    <message>
        <source>assumed.container</source>
        <translation>среда: контейнер</translation>
    </message>
    <message>
        <source>assumed.no_orchestrator</source>
        <translation>оркестратора нет</translation>
    </message>
    <message>
        <source>assumed.no_failures</source>
        <translation>обучения не отказывают</translation>
    </message>
    <message>
        <source>assumed.only_faults</source>
        <translation>обучения отказывают только так, как сказано в 'faults'</translation>
    </message>
    <message>
        <source>assumed.estimates_given</source>
        <translation>оценки времени: из заданий</translation>
    </message>
    <message>
        <source>assumed.estimates_right</source>
        <translation>оценки времени: сами времена выполнения</translation>
    </message>
    <message>
        <source>assumed.no_cpu_and_memory</source>
        <translation>задания не просят CPU и памяти</translation>
    </message>
    <message>
        <source>assumed.of_types</source>
        <translation>{what} ({types})</translation>
    </message>
    <message>
        <source>absurd.trays_apart</source>
        <translation>здесь {machines} машин соединяет только сеть; NVLink соединяет {gpus} {gpu} в {trays} лотках: пишите 'gpus: {gpus}' для лотков стойки вместе</translation>
    </message>
    <message>
        <source>absurd.unlike_board</source>
        <translation>в машинах с {gpu} их {usual} (карта с несколькими кристаллами — одна), соединение {wiring}; {gpus} считаются соединёнными как {taken}: задайте 'gpus' или 'intra'</translation>
    </message>
    <message>
        <source>absurd.no_units</source>
        <translation>у {gpu} нет блоков для {precision}, поэтому задание '{job}' считает со скоростью fp32</translation>
    </message>
    <message>
        <source>absurd.slow_network</source>
        <translation>сеть — {link}, так как сценарий её не называет; у машин с {gpu} обычно более быстрая: задайте 'cluster.network.link', например IB-NDR или 100GbE</translation>
    </message>
    <message>
        <source>calibration.in_doubt</source>
        <translation>калибровка '{name}': {doubt}</translation>
    </message>
    <message>
        <source>calibration.unused</source>
        <translation>калибровка '{name}' не действует: сценарий не использует ни одной её постоянной</translation>
    </message>
    <message>
        <source>check.idle_cards</source>
        <translation>GPU передаёт через одну сетевую карту, поэтому {idle} из {cards} не несут коллективных операций; для карт, которыми GPU пользуется вместе, пишите 'nics: {gpus}' и их сумму в 'nic_bandwidth'</translation>
    </message>
    <message>
        <source>calibration.no_date</source>
        <translation>дата '{date}' не читается, возраст неизвестен</translation>
    </message>
    <message>
        <source>calibration.stale</source>
        <translation>устарела: измерена {days} дн. назад</translation>
    </message>
    <message>
        <source>calibration.part</source>
        <translation>неполная: калибровка прервана или частично не удалась</translation>
    </message>
    <message>
        <source>calibration.quick</source>
        <translation>быстрая: мало измерений, широкие погрешности</translation>
    </message>
    <message>
        <source>calibration.other_program</source>
        <translation>подогнано программой {program}, а это simrun {version}, чьи шаги могут отличаться: подгоните снова (simrun calibrate)</translation>
    </message>
    <message>
        <source>calibration.data_sheet</source>
        <translation>из паспорта, не измерена</translation>
    </message>
    <message>
        <source>explain.warning</source>
        <translation>предупреждение: {what}</translation>
    </message>
    <message>
        <source>explain.parts</source>
        <translation>части шага критического рабочего</translation>
    </message>
    <message>
        <source>explain.path</source>
        <translation>критический путь одного шага</translation>
    </message>
    <message>
        <source>explain.busiest</source>
        <translation>самые занятые</translation>
    </message>
    <message>
        <source>explain.links</source>
        <translation>самые загруженные связи этого запуска</translation>
    </message>
    <message>
        <source>explain.several</source>
        <translation>{name} (операций: {operations})</translation>
    </message>
    <message>
        <source>explain.shorter</source>
        <translation>… и ещё {more} более коротких в summary.json</translation>
    </message>
    <message>
        <source>explain.more_rows</source>
        <translation>… и ещё {more} строк в jobs.csv; --job, --point и --all выбирают из них</translation>
    </message>
    <message numerus="yes">
        <source>explain.title</source>
        <translation>
            <numerusform>{what}, {gpus} GPU</numerusform>
            <numerusform>{what}, {gpus} GPU</numerusform>
            <numerusform>{what}, {gpus} GPU</numerusform>
        </translation>
    </message>
    <message>
        <source>explain.title_at</source>
        <translation>{title}  [{point}]</translation>
    </message>
    <message>
        <source>explain.rates</source>
        <translation>{rate} {sample}/с (80 %: {sure}), шаг {step}, {efficiency} линейного масштабирования; узкое место: {bottleneck}</translation>
    </message>
    <message>
        <source>explain.assumed</source>
        <translation>принято: {list}</translation>
    </message>
    <message>
        <source>divided.compute</source>
        <translation>вычисления ({share} шага)</translation>
    </message>
    <message>
        <source>divided.host</source>
        <translation>запуск ядер ({share} шага)</translation>
    </message>
    <message>
        <source>divided.tensor</source>
        <translation>коллективные операции тензорного параллелизма ({share} шага)</translation>
    </message>
    <message>
        <source>divided.context</source>
        <translation>обмен ключами и значениями ({share} шага)</translation>
    </message>
    <message>
        <source>divided.expert</source>
        <translation>all-to-all экспертов ({share} шага)</translation>
    </message>
    <message>
        <source>divided.data</source>
        <translation>градиенты и веса между репликами ({share} шага)</translation>
    </message>
    <message>
        <source>divided.bubble</source>
        <translation>пузырь конвейера ({share} шага)</translation>
    </message>
    <message>
        <source>divided.pipeline</source>
        <translation>сообщения между ступенями ({share} шага)</translation>
    </message>
    <message>
        <source>divided.optimizer</source>
        <translation>оптимизатор ({share} шага)</translation>
    </message>
    <message>
        <source>failures.storage_assumed</source>
        <translation>каждый процесс пишет контрольные точки со скоростью {process}, хранилище принимает от машины {machine} (иначе — {key})</translation>
    </message>
    <message>
        <source>failures.run_again</source>
        <translation>процессы снова работают через {time} после отказа (иначе — checkpoints.restart)</translation>
    </message>
    <message>
        <source>bottleneck.gpu</source>
        <translation>вычисления на GPU: {share} шага</translation>
    </message>
    <message>
        <source>bottleneck.cpu</source>
        <translation>вычисления на CPU: {share} шага</translation>
    </message>
    <message>
        <source>bottleneck.host</source>
        <translation>запуск операторов хостом: {share} шага, из них GPU вычисляет {compute}</translation>
    </message>
    <message>
        <source>bottleneck.latency</source>
        <translation>задержка сообщений: связи заняты не более чем на {share}</translation>
    </message>
    <message>
        <source>bottleneck.input</source>
        <translation>подготовка входных данных: {share} шага</translation>
    </message>
    <message>
        <source>bottleneck.wait</source>
        <translation>ожидание других рабочих: {share} шага</translation>
    </message>
    <message>
        <source>bottleneck.nothing</source>
        <translation>нет: шаг не занимает времени</translation>
    </message>
    <message>
        <source>bottleneck.busy</source>
        <translation>{what}: занятость {share}</translation>
    </message>
    <message>
        <source>bottleneck.busy_both</source>
        <translation>{what}: занятость {out} на отправку, {in} на приём</translation>
    </message>
    <message>
        <source>bottleneck.nic</source>
        <translation>сетевая карта {task}</translation>
    </message>
    <message numerus="yes">
        <source>bottleneck.shared</source>
        <translation>
            <numerusform>{what}, общее для {jobs} заданий: занятость {share}</numerusform>
            <numerusform>{what}, общее для {jobs} заданий: занятость {share}</numerusform>
            <numerusform>{what}, общее для {jobs} заданий: занятость {share}</numerusform>
        </translation>
    </message>
    <message>
        <source>check.unnamed</source>
        <translation>задание '{job}' не учитывается: ничто в '{part}' его не называет (job: {job}); назовите его там или удалите</translation>
    </message>
    <message>
        <source>failures.with_failures</source>
        <translation>с отказами: {outcome}; задание: {failures}, {spares}</translation>
    </message>
    <message>
        <source>failures.with_checkpoints</source>
        <translation>с контрольными точками: {outcome}; задание: {failures}, {spares}</translation>
    </message>
    <message>
        <source>failures.done</source>
        <translation>закончено через {time} вместо {work}, полезная доля {goodput}</translation>
    </message>
    <message>
        <source>failures.done_at_goodput</source>
        <translation>закончено через {time} (при полезной доле первых {first}, checkpoints.time) вместо {work}, полезная доля {goodput}</translation>
    </message>
    <message>
        <source>failures.never</source>
        <translation>никогда не закончится: {why}</translation>
    </message>
    <message numerus="yes">
        <source>failures.some</source>
        <translation>
            <numerusform>отказов: {failures}</numerusform>
            <numerusform>отказов: {failures}</numerusform>
            <numerusform>отказов: {failures}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>failures.spares</source>
        <translation>
            <numerusform>запасных машин: {spares}</numerusform>
            <numerusform>запасных машин: {spares}</numerusform>
            <numerusform>запасных машин: {spares}</numerusform>
        </translation>
    </message>
    <message>
        <source>failures.none</source>
        <translation>отказов: нет</translation>
    </message>
    <message>
        <source>failures.no_spare</source>
        <translation>запасных машин нет</translation>
    </message>
    <message>
        <source>failures.not_repaired</source>
        <translation>{what} не ремонтируется, и запасной машины нет</translation>
    </message>
    <message>
        <source>failures.not_replaced</source>
        <translation>{what} не ремонтируется, и ни одна запасная машина не может её заменить</translation>
    </message>
    <message>
        <source>failures.nothing_kept</source>
        <translation>за первые {time} (checkpoints.time) ничего из обучения не сохранено</translation>
    </message>
    <message>
        <source>failures.lost</source>
        <translation>потеряно: контрольные точки {saving}, повторённая работа {redone}, перезапуски {restarts}, ожидание машин {waiting}{fewer}</translation>
    </message>
    <message>
        <source>failures.fewer_workers</source>
        <translation>, меньше исполнителей {share}</translation>
    </message>
    <message>
        <source>failures.checkpoint</source>
        <translation>контрольная точка: {size} за {time}, {every}{chance}</translation>
    </message>
    <message>
        <source>failures.none_written</source>
        <translation>ни одна не пишется</translation>
    </message>
    <message>
        <source>failures.every</source>
        <translation>каждые {interval}</translation>
    </message>
    <message>
        <source>failures.every_instead</source>
        <translation>каждые {interval} вместо {wanted}, так как каждая начинается, когда записана предыдущая</translation>
    </message>
    <message>
        <source>failures.by_chance</source>
        <translation>; отказ останавливает задание в среднем каждые {mtbf}: лучше всего каждые {best} ({why}){expected}</translation>
    </message>
    <message>
        <source>failures.by_daly</source>
        <translation>формула Дейли</translation>
    </message>
    <message>
        <source>failures.time_to_write</source>
        <translation>время записи одной; {daly} по формуле Дейли</translation>
    </message>
    <message>
        <source>failures.expected</source>
        <translation>, ожидается {time} без ожидания машин</translation>
    </message>
    <message>
        <source>failures.stops_redone</source>
        <translation>останавливает задание, повторяется {time}</translation>
    </message>
    <message>
        <source>failures.stops</source>
        <translation>останавливает задание, ничего не повторяется</translation>
    </message>
    <message>
        <source>failures.others_go_on</source>
        <translation>остальные продолжают со скоростью {share}</translation>
    </message>
    <message>
        <source>failures.others_wait</source>
        <translation>остальные ждут</translation>
    </message>
    <message>
        <source>failures.all_again</source>
        <translation>{effect}; все снова обучают через {time}</translation>
    </message>
    <message>
        <source>failures.hit</source>
        <translation>{what} через {time}: {effect}</translation>
    </message>
    <message>
        <source>failures.more_hits</source>
        <translation>ещё {more} в events.csv</translation>
    </message>
    <message>
        <source>failures.loses_all</source>
        <translation>без контрольных точек: отказ отнимает всё ({key})</translation>
    </message>
    <message>
        <source>failures.of_job</source>
        <translation>{job} {told}</translation>
    </message>
    <message>
        <source>failures.of_seed</source>
        <translation>{job}, seed {seed}, {told}</translation>
    </message>
    <message>
        <source>failures.costs</source>
        <translation>{head}
{lines}</translation>
    </message>
    <message>
        <source>basis.measured</source>
        <translation>измерено (калибровка «{name}» от {date})</translation>
    </message>
    <message>
        <source>basis.fitted</source>
        <translation>подогнано под измеренные шаги (калибровка «{name}» от {date})</translation>
    </message>
    <message>
        <source>basis.from_sheet</source>
        <translation>из паспорта (калибровка «{name}» от {date})</translation>
    </message>
    <message>
        <source>basis.step_given</source>
        <translation>шаг на одном GPU {step} задан сценарием</translation>
    </message>
    <message>
        <source>basis.layers_given</source>
        <translation>времена слоёв, как они даны</translation>
    </message>
    <message>
        <source>basis.cpus_roofline</source>
        <translation>вычисления по скорости CPU машин {machines} (roofline)</translation>
    </message>
    <message>
        <source>basis.kernel_rates</source>
        <translation>вычисления по скоростям ядер {gpu}, {source}</translation>
    </message>
    <message>
        <source>basis.data_sheet</source>
        <translation>вычисления по паспорту {gpu} (roofline)</translation>
    </message>
    <message>
        <source>basis.measured_transport</source>
        <translation>транспорт {transport}, {source}</translation>
    </message>
    <message>
        <source>basis.from_catalogue</source>
        <translation>сеть из каталога</translation>
    </message>
    <message>
        <source>basis.based_on</source>
        <translation>{model}: {compute}, {network}</translation>
    </message>
    <message>
        <source>basis.with_more</source>
        <translation>{basis}{more}</translation>
    </message>
    <message>
        <source>basis.a_step</source>
        <translation>; этот шаг считается микрошагом с обновлением (measured_step_is)</translation>
    </message>
    <message>
        <source>basis.a_micro_step</source>
        <translation>; этот шаг — микрошаг без обновления</translation>
    </message>
    <message>
        <source>basis.a_whole_batch</source>
        <translation>; этот шаг — все микрошаги и одно обновление</translation>
    </message>
    <message>
        <source>basis.of_several</source>
        <translation>; этот шаг измерен на {gpus} GPU, обмен между ними вычтен</translation>
    </message>
    <message>
        <source>basis.summed_by</source>
        <translation>; all-reduce: {how}</translation>
    </message>
    <message>
        <source>basis.passed_over</source>
        <translation>; all-reduce: {how}, как велит таблица библиотеки (она считает {counted}, а для {other} — {more}, хотя на деле {less} вместо {takes})</translation>
    </message>
    <message>
        <source>services.image_without_gpu</source>
        <translation>сервис '{service}' просит GPU, но его образ '{image}' не поддерживает GPU</translation>
    </message>
    <message>
        <source>services.image_for_gpu</source>
        <translation>сервис '{service}' не просит GPU, но его образ '{image}' собран для GPU</translation>
    </message>
    <message>
        <source>services.never_all</source>
        <translation>у {group} реплик: {replicas}, а на машинах одновременно помещается {places}; поэтому все вместе они никогда не работают: добавьте узлы или просите меньше</translation>
    </message>
    <message>
        <source>services.no_room</source>
        <translation>у {group} реплик: {replicas}, а на машинах одновременно помещается {places}; остальные ждут: добавьте узлы или просите меньше</translation>
    </message>
    <message>
        <source>services.never_done</source>
        <translation>сервис '{service}': restart: always заново начинает и обучение, которое выполнило свою работу, поэтому оно не заканчивается; on_failure, значение по умолчанию для обучений, заканчивает его</translation>
    </message>
    <message>
        <source>parallel.tensor_crosses</source>
        <translation>tp = {tp} больше, чем GPU в машине ({gpus}): его коллективные операции идут по сети. Шаг занимает {step}; в машине с {tp} GPU — {larger}{inside}</translation>
    </message>
    <message>
        <source>parallel.tensor_inside</source>
        <translation>, а с tp: {tp}, dp: {dp} — {step}</translation>
    </message>
    <message>
        <source>taken.closed_form_inside</source>
        <translation>сообщения внутри машин занимают время по формуле</translation>
    </message>
    <message>
        <source>taken.no_other_traffic</source>
        <translation>коллективные операции не встречают другого трафика, коммутаторы пропускают всё сразу</translation>
    </message>
    <message>
        <source>taken.products</source>
        <translation>умножения матриц достигают {percent} % измеренного предела GPU (product_efficiency)</translation>
    </message>
    <message>
        <source>taken.adam</source>
        <translation>Adam с состояниями fp32</translation>
    </message>
    <message>
        <source>taken.elementwise_alone</source>
        <translation>RMSNorm, поворотные эмбеддинги и SwiGLU выполняются по операторам, как в PyTorch без компиляции (fused_elementwise: true для torch.compile)</translation>
    </message>
    <message>
        <source>taken.elementwise_fused</source>
        <translation>RMSNorm, поворотные эмбеддинги и SwiGLU — объединённые ядра (fused_elementwise)</translation>
    </message>
    <message>
        <source>taken.dropout</source>
        <translation>значения случайно отбрасываются, как опубликована модель (dropout)</translation>
    </message>
    <message>
        <source>taken.inputs_in_16_bit</source>
        <translation>входы линейных слоёв хранятся в 16 битах (low_precision_storage)</translation>
    </message>
    <message>
        <source>taken.inputs_rounded</source>
        <translation>входы линейных слоёв хранятся округлёнными (low_precision_storage)</translation>
    </message>
    <message>
        <source>taken.keys_gathered</source>
        <translation>ключи и значения собираются, как в torchtitan (context_exchange)</translation>
    </message>
    <message>
        <source>taken.keys_in_ring</source>
        <translation>ключи и значения идут по кольцу (context_exchange)</translation>
    </message>
    <message>
        <source>taken.tensor_pytorch</source>
        <translation>сообщения тензорного параллелизма — как у DTensor из PyTorch, вместе с его FSDP (tensor_messages: megatron для DeepSpeed с моделью Megatron-LM)</translation>
    </message>
    <message>
        <source>taken.tensor_megatron</source>
        <translation>сообщения тензорного параллелизма — как у Megatron-LM (tensor_messages)</translation>
    </message>
    <message>
        <source>taken.tensor_beside</source>
        <translation>сообщения тензорного параллелизма в обратном проходе идут рядом с умножениями для градиентов весов (overlap_tensor)</translation>
    </message>
    <message>
        <source>taken.tensor_waits</source>
        <translation>сообщений тензорного параллелизма ждут (overlap_tensor)</translation>
    </message>
    <message>
        <source>taken.sharding</source>
        <translation>zero: 2 — как в {software} (sharding)</translation>
    </message>
    <message>
        <source>taken.one_replica</source>
        <translation>одна реплика (больше — через dp или workers)</translation>
    </message>
    <message>
        <source>taken.even_experts</source>
        <translation>токены распределены по экспертам поровну (expert_imbalance)</translation>
    </message>
    <message>
        <source>taken.experts_megatron</source>
        <translation>токены попадают к экспертам ядрами Megatron-Core (expert_kernels)</translation>
    </message>
    <message>
        <source>taken.experts_pytorch</source>
        <translation>токены попадают к экспертам операторами PyTorch, как в torchtitan (expert_kernels)</translation>
    </message>
    <message>
        <source>taken.gradients_last</source>
        <translation>градиенты передаются после последнего обратного прохода</translation>
    </message>
    <message>
        <source>taken.memory_of_machines</source>
        <translation>на машинах хватает памяти для состояний оптимизатора их GPU</translation>
    </message>
    <message>
        <source>taken.states_paged</source>
        <translation>состояния оптимизатора, для которых на GPU нет места, лежат на хосте и на каждом шаге проходят по PCIe на GPU и обратно</translation>
    </message>
    <message>
        <source>parallel.step_of</source>
        <translation>{job}, шаг {step}</translation>
    </message>
    <message>
        <source>parallel.narrow_switches</source>
        <translation>карты машин передают в {times} раза больше, чем несут коммутаторы, а точность closed_form этого не учитывает (fluid учитывает): шаг занимает {alone}, если больше никто не передаёт, и {together}, если передают все сразу</translation>
    </message>
    <message>
        <source>idle.takes_no_time</source>
        <translation>при упаковке ничто не занимает времени</translation>
    </message>
    <message>
        <source>queue.team_without_jobs</source>
        <translation>{place}: у команды '{team}' нет заданий в очереди, только переобучение '{model}'{more}</translation>
    </message>
    <message>
        <source>queue.meant</source>
        <translation>; возможно, имелась в виду '{name}'?</translation>
    </message>
    <message>
        <source>queue.teams_are</source>
        <translation>; команды с заданиями: {teams}</translation>
    </message>
    <message>
        <source>retraining.too_large</source>
        <translation>модель '{model}' нельзя обучить: ей нужно GPU: {needed}, в кластере их {gpus}; добавьте узлы или уменьшите число GPU</translation>
    </message>
    <message>
        <source>retraining.nothing_trains</source>
        <translation>ничего не обучается</translation>
    </message>
    <message>
        <source>retraining.those_train</source>
        <translation>обучаются: {what}</translation>
    </message>
    <message>
        <source>retraining.gpus_busy</source>
        <translation>занято {busy} из {gpus} GPU</translation>
    </message>
    <message>
        <source>failures.mean_of_seeds</source>
        <translation>с отказами, в среднем по {seeds} seed: закончено в {time}, полезная доля {goodput}</translation>
    </message>
    <message>
        <source>failures.some_never_end</source>
        <translation>с отказами, {seeds} seed: с некоторыми никогда не закончится, полезная доля в среднем {goodput}</translation>
    </message>
    <message>
        <source>idle.no_ethernet</source>
        <translation>в сети нет связей Ethernet</translation>
    </message>
    <message>
        <source>servers.belongs_elsewhere</source>
        <translation>'{key}' не действует с {policy}; это относится к {needed}</translation>
    </message>
    <message>
        <source>jobs.may_lack</source>
        <translation>задание '{job}': есть ли у транспорта '{transport}' операция {operation} между {devices}, зависит от сборки библиотеки; модель считает, что есть</translation>
    </message>
    <message>
        <source>channels.on_processors</source>
        <translation>'collective_channels' не действует на процессорах, где коллективные операции не занимают мультипроцессоров; уберите этот ключ</translation>
    </message>
    <message>
        <source>channels.on_hosts</source>
        <translation>'collective_channels' не действует с транспортом {transport}: его коллективные операции выполняются на хостах и не занимают мультипроцессоров; уберите этот ключ</translation>
    </message>
    <message>
        <source>channels.beside</source>
        <translation>'collective_channels' не действует вместе с {key}; уберите этот ключ</translation>
    </message>
    <message>
        <source>plan.answer</source>
        <translation>ответ: {design}: {objective}{range}</translation>
    </message>
    <message>
        <source>plan.range</source>
        <translation> [от {low} до {high} узлов: столько нужно при {share} зёрен]</translation>
    </message>
    <message>
        <source>plan.tightest</source>
        <translation>самая трудная цель: {goal} (запас {margin}){closest}</translation>
    </message>
    <message>
        <source>plan.closest</source>
        <translation>; ближайший из вариантов, которые {preferred}, но не достигли цели: {design}, {objective}, {goal}{value}</translation>
    </message>
    <message>
        <source>plan.cheaper</source>
        <translation>дешевле</translation>
    </message>
    <message>
        <source>plan.better</source>
        <translation>лучше</translation>
    </message>
    <message>
        <source>plan.with_value</source>
        <translation>: {value}</translation>
    </message>
    <message>
        <source>plan.waits_for</source>
        <translation>ждёт: {resource}</translation>
    </message>
    <message>
        <source>plan.under_all</source>
        <translation>вариант должен достигать целей при всех политиках: {policies}; --policies {first} спрашивает об одной из них</translation>
    </message>
    <message>
        <source>plan.left_out</source>
        <translation>цели допускают то, что этот вариант не выполняет: {work}</translation>
    </message>
    <message>
        <source>plan.none</source>
        <translation>ни один вариант не достигает целей</translation>
    </message>
    <message>
        <source>plan.none_shown</source>
        <translation>не решено: {seeds} начальных чисел не показывают ни одного варианта, достигающего целей, но и не исключают все; ближе всех {design}: {objective}</translation>
    </message>
    <message>
        <source>plan.nearest_miss</source>
        <translation>ни один вариант не достигает целей; ближе всего {design}: {objective}</translation>
    </message>
    <message>
        <source>assumed.framework.channels_last</source>
        <translation>channels_last: {value} для изображений</translation>
    </message>
    <message>
        <source>assumed.jobs.host_per_operator</source>
        <translation>{value} хоста на оператор</translation>
    </message>
    <message>
        <source>assumed.jobs.precision</source>
        <translation>точность {value}</translation>
    </message>
    <message>
        <source>assumed.jobs.batch_per_gpu</source>
        <translation>батч {value} на GPU</translation>
    </message>
    <message>
        <source>assumed.jobs.workers</source>
        <translation>рабочих процессов: {value}</translation>
    </message>
    <message>
        <source>assumed.jobs.training.mode</source>
        <translation>режим {value}</translation>
    </message>
    <message>
        <source>assumed.jobs.training.collective</source>
        <translation>коллективная операция {value}</translation>
    </message>
    <message>
        <source>assumed.jobs.training.transport</source>
        <translation>транспорт {value}</translation>
    </message>
    <message>
        <source>assumed.jobs.training.spread</source>
        <translation>шаги рабочих различаются на 1.5 % (spread)</translation>
    </message>
    <message>
        <source>assumed.jobs.training.parallel.spread</source>
        <translation>шаги рабочих различаются на 1.5 % (spread)</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.intra</source>
        <translation>соединение GPU в машине {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.generation</source>
        <translation>поколение NVLink {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.nics</source>
        <translation>сетевых карт на машину: {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.nic_bandwidth</source>
        <translation>сетевые карты по {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.network.topology</source>
        <translation>топология {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.network.routing</source>
        <translation>пути между коммутаторами: {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.network.link</source>
        <translation>сеть {value}</translation>
    </message>
    <message>
        <source>assumed.transports.*</source>
        <translation>{value}, как велит имя сети</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.cpu_cores</source>
        <translation>ядер CPU на машину: {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.memory</source>
        <translation>память машины {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.price</source>
        <translation>цены машин нет</translation>
    </message>
    <message>
        <source>assumed.workload.trace.processors_per_gpu</source>
        <translation>процессоров на GPU: {value}</translation>
    </message>
    <message>
        <source>assumed.workload.generate.jobs</source>
        <translation>заданий: {value}</translation>
    </message>
    <message>
        <source>assumed.workload.generate.arrivals</source>
        <translation>поступление {value}</translation>
    </message>
    <message>
        <source>assumed.workload.generate.mean_interarrival</source>
        <translation>между подачами {value}</translation>
    </message>
    <message>
        <source>assumed.workload.generate.median_duration</source>
        <translation>медиана времени выполнения {value}</translation>
    </message>
    <message>
        <source>assumed.workload.generate.duration_sigma</source>
        <translation>стандартное отклонение логарифма времени выполнения {value}</translation>
    </message>
    <message>
        <source>assumed.workload.generate.gpus</source>
        <translation>GPU у задания: {value}</translation>
    </message>
    <message>
        <source>assumed.workload.estimate_badness</source>
        <translation>оценки времени: {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.policy</source>
        <translation>правило {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.placement</source>
        <translation>размещение {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.speed</source>
        <translation>время выполнения как задано, где бы задание ни шло</translation>
    </message>
    <message>
        <source>assumed.scheduling.start_cost</source>
        <translation>цена запуска {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.checkpoint_cost</source>
        <translation>цена контрольной точки {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.restart_cost</source>
        <translation>цена перезапуска {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.checkpoint_interval</source>
        <translation>контрольные точки {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.kill_at_estimate</source>
        <translation>задания выполняются дольше своих оценок</translation>
    </message>
    <message>
        <source>assumed.scheduling.gpu_sharing.by</source>
        <translation>gpu_share по {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.gpu_sharing.switch_loss</source>
        <translation>потеря на переключение {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.gpu_sharing.out_of_memory_after</source>
        <translation>память GPU кончается через {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator</source>
        <translation>оркестратор {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.placement</source>
        <translation>задачи размещает {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.node_detection</source>
        <translation>пропажа машины замечается через {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.eviction_delay</source>
        <translation>её задачи заменяются ещё через {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.process_detection</source>
        <translation>смерть процесса замечается через {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.restart</source>
        <translation>перезапуск {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.restart_delay</source>
        <translation>задержка перезапуска {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.container_start</source>
        <translation>контейнеры запускаются за {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.container_stop</source>
        <translation>контейнеры останавливаются за {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.placements_per_second</source>
        <translation>размещений в секунду: {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.registry_bandwidth</source>
        <translation>загрузка образов {value}</translation>
    </message>
    <message>
        <source>assumed.services.image</source>
        <translation>образы {value}</translation>
    </message>
    <message>
        <source>assumed.services.runtime</source>
        <translation>среда {value}</translation>
    </message>
    <message>
        <source>assumed.services.checkpoint.interval</source>
        <translation>контрольные точки {value}</translation>
    </message>
    <message>
        <source>assumed.services.checkpoint.save</source>
        <translation>сохранение занимает {value}</translation>
    </message>
    <message>
        <source>assumed.services.checkpoint.load</source>
        <translation>загрузка занимает {value}</translation>
    </message>
    <message>
        <source>assumed.services.communication_share</source>
        <translation>доля обмена {value}</translation>
    </message>
    <message>
        <source>assumed.services.network_cost</source>
        <translation>потеря в сети контейнеров {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.duplicates</source>
        <translation>дубликаты {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.planner</source>
        <translation>планировщик {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.placement</source>
        <translation>обучения размещает {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.models.trigger</source>
        <translation>повод {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.models.period</source>
        <translation>период {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.models.variation</source>
        <translation>разброс времени обучения {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.models.data</source>
        <translation>данные к загрузке {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.models.checkpoint_interval</source>
        <translation>контрольные точки {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.upload.bandwidth</source>
        <translation>загрузка {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.upload.corruption</source>
        <translation>повреждённых частей {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.upload.confirm.period</source>
        <translation>прибытие данных проверяется каждые {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.submission</source>
        <translation>подача {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.status.period</source>
        <translation>конец обучений проверяется каждые {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.messages.latency</source>
        <translation>сообщения идут {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.messages.loss</source>
        <translation>потерянных сообщений {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.save.bandwidth</source>
        <translation>сохранение модели {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.download.bandwidth</source>
        <translation>скачивание {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.deploy.stop_and_start</source>
        <translation>реплики перезапускаются за {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.mean_time_to_failure</source>
        <translation>обучения {value}</translation>
    </message>
    <message>
        <source>accuracy.goal</source>
        <translation>{goal}: с вероятностью {probability}, с учётом ошибок модели</translation>
    </message>
    <message numerus="yes">
        <source>accuracy.holds</source>
        <translation>
            <numerusform>Насколько это точно: в опубликованных таблицах такого вида ({kind}) в 8 случаях из 10 измерено от {low} до {high} предсказанного шага, в 19 из 20 — от {low_95} до {high_95} (частей таблиц: {units}; середина {middle}).</numerusform>
            <numerusform>Насколько это точно: в опубликованных таблицах такого вида ({kind}) в 8 случаях из 10 измерено от {low} до {high} предсказанного шага, в 19 из 20 — от {low_95} до {high_95} (частей таблиц: {units}; середина {middle}).</numerusform>
            <numerusform>Насколько это точно: в опубликованных таблицах такого вида ({kind}) в 8 случаях из 10 измерено от {low} до {high} предсказанного шага, в 19 из 20 — от {low_95} до {high_95} (частей таблиц: {units}; середина {middle}).</numerusform>
        </translation>
    </message>
    <message>
        <source>accuracy.better</source>
        <translation>{one} лучше, чем {other}, по показателю {measure}: с вероятностью {probability}, с учётом ошибок модели</translation>
    </message>
    <message>
        <source>accuracy.too_close</source>
        <translation>{one} и {other} слишком близки по показателю {measure}: {probability} за первый вариант, с учётом ошибок модели</translation>
    </message>
    <message>
        <source>layouts.one_of</source>
        <translation>{layout} или одно из ещё {others}, которые могут быть не медленнее. У самого быстрого из многих и ошибка самая удачная: ожидайте {tokens} токенов/с, на {share} меньше предсказанного (80 %: от {low} до {high}).</translation>
    </message>
    <message>
        <source>layouts.may_not_fit</source>
        <translation>{layout} занимает {share} памяти {gpu} и может не поместиться: {how}.{other}</translation>
    </message>
    <message>
        <source>layouts.leaner</source>
        <translation> Самое быстрое, что занимает не больше 80 %: {layout}, {step}, {memory}.</translation>
    </message>
    <message>
        <source>layouts.none_leaner</source>
        <translation> Ни один вариант не занимает меньше 80 %.</translation>
    </message>
    <message>
        <source>compare.of_a_part</source>
        <translation>; {left} из {jobs} заданий не выполнены, поэтому его показатели не сравниваются</translation>
    </message>
    <message>
        <source>services.one_draw</source>
        <translation>отказы — одна выборка с одним и тем же зерном для каждой точки; replicas в sweep сравнивают средние.</translation>
    </message>
    <message>
        <source>services.not_finished</source>
        <translation>{service} не выполнил свою работу</translation>
    </message>
    <message>
        <source>services.other_work</source>
        <translation>точки выполняют разный объём работы и поэтому не сравниваются.</translation>
    </message>
    <message>
        <source>services.not_compared</source>
        <translation>не сравнивается: {point}, где сервис дал сбой или не закончился.</translation>
    </message>
    <message>
        <source>services.holds</source>
        <translation>{task} держит GPU {gpu} машины {machine}{memory}</translation>
    </message>
    <message>
        <source>services.idle_gpus</source>
        <translation>сообщения; GPU простаивают {share} времени</translation>
    </message>
    <message>
        <source>services.of_its_memory</source>
        <translation> и {reserved} из {memory} его памяти</translation>
    </message>
    <message>
        <source>services.steps</source>
        <translation>шаг {service} занимает {step} там, где работают её задачи ({rate}); узкое место: {bottleneck}</translation>
    </message>
    <message>
        <source>jobs.training_starts</source>
        <translation>обучение '{job}' начинается в {time}, через {later} после получения GPU: тогда его задачи нашли друг друга.</translation>
    </message>
    <message>
        <source>services.of_point</source>
        <translation>{point}: {what}.</translation>
    </message>
    <message>
        <source>services.of_run</source>
        <translation>{what}.</translation>
    </message>
    <message>
        <source>services.no_failures</source>
        <translation>отказов нет</translation>
    </message>
    <message numerus="yes">
        <source>services.restarted</source>
        <translation>
            <numerusform>{restarts} перезапуск процессов</numerusform>
            <numerusform>{restarts} перезапуска процессов</numerusform>
            <numerusform>{restarts} перезапусков процессов</numerusform>
        </translation>
    </message>
    <message>
        <source>services.failures_hit</source>
        <translation>{failures}, затронуто {tasks}</translation>
    </message>
    <message numerus="yes">
        <source>services.failures</source>
        <translation>
            <numerusform>отказов: {failures}</numerusform>
            <numerusform>отказов: {failures}</numerusform>
            <numerusform>отказов: {failures}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>services.tasks</source>
        <translation>
            <numerusform>задач: {tasks}</numerusform>
            <numerusform>задач: {tasks}</numerusform>
            <numerusform>задач: {tasks}</numerusform>
        </translation>
    </message>
    <message>
        <source>services.waits_for_input</source>
        <translation>{service} ждёт {share} своего времени данных из общего хранилища</translation>
    </message>
    <message>
        <source>services.recovery</source>
        <translation>восстановление в среднем за {mean}, в худшем случае за {worst}</translation>
    </message>
    <message numerus="yes">
        <source>services.never_back</source>
        <translation>
            <numerusform>не вернулось задач: {tasks}</numerusform>
            <numerusform>не вернулось задач: {tasks}</numerusform>
            <numerusform>не вернулось задач: {tasks}</numerusform>
        </translation>
    </message>
    <message>
        <source>services.failed</source>
        <translation>{service}: сбой</translation>
    </message>
    <message>
        <source>services.not_done</source>
        <translation>{service} не завершён, потому что {task} не выполняется: {why}</translation>
    </message>
    <message>
        <source>services.held</source>
        <translation>из {hours} занятых GPU-ч {parts}</translation>
    </message>
    <message>
        <source>services.useful</source>
        <translation>полезны {share}</translation>
    </message>
    <message>
        <source>gpu_memory.all_fit</source>
        <translation>{point}: {processes} помещаются вместе</translation>
    </message>
    <message>
        <source>gpu_memory.some_fit</source>
        <translation>{point}: {processes} помещаются, {other} рядом с ними — нет</translation>
    </message>
    <message>
        <source>run.decisive</source>
        <translation>{key} принято за {value}; с {other} было бы {change}</translation>
    </message>
    <message>
        <source>graph.runs_on</source>
        <translation>{operation} на {device} ({why})</translation>
    </message>
    <message>
        <source>services.not_used</source>
        <translation>зарезервированы и не использованы {share}</translation>
    </message>
    <message>
        <source>services.lost</source>
        <translation>потеряны и повторены {share}</translation>
    </message>
    <message>
        <source>services.stalled</source>
        <translation>простаивали {share}</translation>
    </message>
    <message>
        <source>services.starting</source>
        <translation>ушли на запуск, загрузку и остановку {share}</translation>
    </message>
    <message>
        <source>services.saving</source>
        <translation>ушли на сохранение {share}</translation>
    </message>
    <message>
        <source>services.idle</source>
        <translation>без работы {share}</translation>
    </message>
    <message>
        <source>services.orphaned</source>
        <translation>брошенные процессы держали {share}</translation>
    </message>
    <message>
        <source>services.use_of_held</source>
        <translation>{service} использует {used} из {held} GPU-ч, которые занимает ({share})</translation>
    </message>
    <message>
        <source>services.for_machines</source>
        <translation>{price} за машины</translation>
    </message>
    <message>
        <source>services.ends_first</source>
        <translation>{best} заканчивает первым, через {time}; {worst} занимает {longest} (на {longer} дольше).</translation>
    </message>
    <message>
        <source>services.starts_first</source>
        <translation>{best} запускается первым: каждый сервис работает не позже чем через {time} после прибытия; при {worst} на это уходит {longest}.</translation>
    </message>
    <message>
        <source>services.recovers_first</source>
        <translation>{best} восстанавливается первым, в среднем через {time} после отказа; {worst} требует {longest}.</translation>
    </message>
    <message>
        <source>services.cheapest</source>
        <translation>{best} стоит меньше всего, {price}; {worst} стоит {most}.</translation>
    </message>
    <message>
        <source>services.most_useful</source>
        <translation>{best} теряет меньше всего: полезны {share} времени GPU; при {worst} — {least}.</translation>
    </message>
    <message numerus="yes">
        <source>services.all_equal</source>
        <translation>
            <numerusform>все точки ({points}) заканчиваются с одними и теми же цифрами.</numerusform>
            <numerusform>все точки ({points}) заканчиваются с одними и теми же цифрами.</numerusform>
            <numerusform>все точки ({points}) заканчиваются с одними и теми же цифрами.</numerusform>
        </translation>
    </message>
    <message>
        <source>parallel.trains</source>
        <translation>{model} на {gpus} {gpu} ({layout}): шаг занимает {step}, {tokens} токенов/с, {utilisation} пика по флопам модели; {held_back}.</translation>
    </message>
    <message>
        <source>parallel.beside_compute</source>
        <translation>{compute} шага — вычисления, наибольшая часть кроме них: {part}</translation>
    </message>
    <message>
        <source>parallel.compute_alone</source>
        <translation>{compute} шага — вычисления</translation>
    </message>
    <message>
        <source>parallel.fastest</source>
        <translation>больше всего токенов в секунду: {point}. {trains}</translation>
    </message>
    <message>
        <source>parallel.never_done</source>
        <translation>задание '{job}' не заканчивается. {trains}</translation>
    </message>
    <message>
        <source>parallel.assumed_by</source>
        <translation>предполагает {what}: {list}</translation>
    </message>
    <message>
        <source>parallel.shares</source>
        <translation>Доли шага: вычисления, простой конвейера, нескрытые сообщения тензорного (TP), параллелизма данных (DP) и конвейерного (PP).</translation>
    </message>
    <message>
        <source>parallel.held_back</source>
        <translation>узкое место: {part}</translation>
    </message>
    <message>
        <source>parallel.held_back_then</source>
        <translation>узкое место: {part}; затем {next}</translation>
    </message>
    <message>
        <source>jobs.cards_of</source>
        <translation>сетевые карты машины {machine}</translation>
    </message>
    <message>
        <source>jobs.no_failure_hits</source>
        <translation>ни один отказ не задевает задание '{job}', которое заканчивается через {time}; задайте больше шагов (steps) или более ранние отказы его машин</translation>
    </message>
    <message>
        <source>jobs.computes_nothing</source>
        <translation>задание '{job}': его GPU ничего не вычисляют, поэтому эффективности в сравнении с одним GPU нет</translation>
    </message>
    <message>
        <source>jobs.one_of_traffic</source>
        <translation>задание '{job}': все рабочие обмениваются одинаково: в traffic.csv один из них, без остальных {others}</translation>
    </message>
    <message>
        <source>jobs.some_for_all</source>
        <translation>задание '{job}': часть одинаковых рабочих моделируется за всех; цифры относятся ко всем, а steps.csv, links.csv и traffic.csv содержат только часть; с one_represents_all: no моделируются все</translation>
    </message>
    <message>
        <source>jobs.rings_meet</source>
        <translation>задание '{job}': {rings} колец делят сетевые карты каждой машины; при точности {fidelity} каждый раунд ждёт своего начала, хотя могло бы передавать другое кольцо, и шаг может быть длиннее на несколько процентов; возьмите --fidelity step</translation>
    </message>
    <message>
        <source>jobs.slow_gpus</source>
        <translation>задание '{job}': {slow} считает в {times} раза дольше, чем {fast}, который ждёт его на каждом шаге; одни {workers} рабочих на {fast} считали бы {rate} примеров/с: назовите их машины в 'nodes'</translation>
    </message>
    <message>
        <source>jobs.workers_share_cpus</source>
        <translation>задание '{job}': {workers} рабочих делят процессоры машины {machine}; каждый считает с 1/{workers} их скорости</translation>
    </message>
    <message>
        <source>jobs.jobs_share_cpus</source>
        <translation>задания '{one}' и '{other}' одновременно считают на процессорах машины {machine}, и каждое учтено так, будто они только его; дайте каждому свои машины ключом 'nodes'</translation>
    </message>
    <message>
        <source>jobs.uneven_servers</source>
        <translation>задание '{job}': {server} хранит {share} переменных (поровну было бы {even}), потому что variable_placement — {placement}, если задание не говорит иного; greedy выравнивает целые переменные, partitioned делит их</translation>
    </message>
    <message>
        <source>jobs.never_starts</source>
        <translation>задание '{job}' не начинается: {why}</translation>
    </message>
    <message>
        <source>jobs.machines_sampled</source>
        <translation>все машины делают одно и то же: смоделировано {sampled} из {all}; цифры относятся ко всем, а links.csv и traffic.csv содержат {sampled}</translation>
    </message>
    <message>
        <source>jobs.no_contention</source>
        <translation>задания '{one}' и '{other}' делят {what}, но при точности closed_form коллективные операции разных заданий не замедляют друг друга; возьмите --fidelity fluid</translation>
    </message>
    <message>
        <source>jobs.network</source>
        <translation>сеть между машинами</translation>
    </message>
    <message>
        <source>jobs.never_ends</source>
        <translation>задание '{job}' никогда не закончится: {why}</translation>
    </message>
    <message>
        <source>jobs.times_as_many</source>
        <translation>{rate} {sample}/с, в {times} раза больше, чем {other}, у которого узкое место — {bottleneck}</translation>
    </message>
    <message>
        <source>jobs.more_than</source>
        <translation>{rate} {sample}/с, на {share} больше, чем {other}, у которого узкое место — {bottleneck}</translation>
    </message>
    <message>
        <source>jobs.not_known</source>
        <translation>неизвестно</translation>
    </message>
    <message>
        <source>jobs.equally_fast</source>
        <translation>{model}: {one} и {other} одинаково быстры на {gpus} GPU ({rate} {sample}/с); выберите то, что проще.</translation>
    </message>
    <message numerus="yes">
        <source>jobs.wins_from</source>
        <translation>
            <numerusform>{model}: {winner} выигрывает начиная с {gpus} GPU; на {most} — {ahead}</numerusform>
            <numerusform>{model}: {winner} выигрывает начиная с {gpus} GPU; на {most} — {ahead}</numerusform>
            <numerusform>{model}: {winner} выигрывает начиная с {gpus} GPU; на {most} — {ahead}</numerusform>
        </translation>
    </message>
    <message>
        <source>jobs.wins_at</source>
        <translation>{model}: {winner} выигрывает на {gpus} GPU: {ahead}</translation>
    </message>
    <message>
        <source>jobs.wins</source>
        <translation>{model}: {winner} выигрывает: {ahead}</translation>
    </message>
    <message>
        <source>jobs.wins_with_fewer</source>
        <translation>{wins}; с меньшим числом GPU выигрывает {winner}: на {gpus} GPU — {ahead}</translation>
    </message>
    <message>
        <source>jobs.no_more</source>
        <translation>{wins}.</translation>
    </message>
    <message>
        <source>jobs.stale</source>
        <translation>{wins}. Он обучает на устаревших параметрах (среднее отставание {staleness}); сходимость не моделируется.</translation>
    </message>
    <message>
        <source>jobs.stale_beside_sync</source>
        <translation>{wins}. Он обучает на устаревших параметрах (среднее отставание {staleness}); сходимость не моделируется: лучший синхронный вариант — {variant}, {rate} {sample}/с.</translation>
    </message>
    <message>
        <source>jobs.of_point</source>
        <translation>{point}: {what}</translation>
    </message>
    <message>
        <source>jobs.host_waits</source>
        <translation>задание '{job}': GPU ждёт хост {share} шага, принято {time} на оператор; задайте '{key}' (0 s с графами CUDA) или больший batch_per_gpu{rows}</translation>
    </message>
    <message>
        <source>jobs.more_rows</source>
        <translation>, с которым передаётся больше строк таблиц</translation>
    </message>
    <message>
        <source>wait.none</source>
        <translation>ничего</translation>
    </message>
    <message>
        <source>wait.behind_head</source>
        <translation>задание перед ним в очереди не может начаться</translation>
    </message>
    <message>
        <source>wait.gpus</source>
        <translation>свободно меньше GPU, чем ему нужно</translation>
    </message>
    <message>
        <source>wait.fragmented</source>
        <translation>свободных GPU достаточно, но не на машинах, куда помещается вся группа</translation>
    </message>
    <message>
        <source>wait.cpu</source>
        <translation>на машинах со свободными GPU мало CPU</translation>
    </message>
    <message>
        <source>wait.memory</source>
        <translation>на машинах со свободными GPU мало памяти</translation>
    </message>
    <message>
        <source>wait.gpu_type</source>
        <translation>свободные GPU другого типа</translation>
    </message>
    <message>
        <source>wait.locality</source>
        <translation>свободные GPU дальше друг от друга, чем пока допускает правило</translation>
    </message>
    <message>
        <source>wait.quota</source>
        <translation>у его команды не осталось для него квоты</translation>
    </message>
    <message>
        <source>wait.reservation</source>
        <translation>свободные GPU удерживает бронь — машин или задания перед ним</translation>
    </message>
    <message>
        <source>wait.lower_rank</source>
        <translation>правило отдаёт GPU другим заданиям</translation>
    </message>
    <message>
        <source>wait.dependency</source>
        <translation>не завершено задание, от которого оно зависит</translation>
    </message>
    <message>
        <source>wait.saving</source>
        <translation>остановленное ради него задание ещё сохраняет состояние на этих GPU</translation>
    </message>
    <message>
        <source>wait.next_decision</source>
        <translation>правило с тех пор не запускалось</translation>
    </message>
    <message>
        <source>wait.never_fits</source>
        <translation>ему нужно больше, чем есть во всём кластере, или то, чего нет ни на одной машине</translation>
    </message>
    <message>
        <source>wait.out_of_memory</source>
        <translation>ему несколько раз не хватило памяти GPU</translation>
    </message>
    <message>
        <source>wait.changing</source>
        <translation>причина менялась слишком много раз</translation>
    </message>
    <message>
        <source>wait.quota_never</source>
        <translation>ему нужно больше квоты, чем его команда может получить</translation>
    </message>
    <message>
        <source>wait.qos_group_jobs</source>
        <translation>в его QOS выполняется предельное число заданий (QOSGrpJobsLimit)</translation>
    </message>
    <message>
        <source>wait.qos_user_jobs</source>
        <translation>у его пользователя выполняется предельное число заданий этого QOS (QOSMaxJobsPerUserLimit)</translation>
    </message>
    <message>
        <source>wait.qos_time</source>
        <translation>его QOS допускает только более короткие задания (QOSMaxWallDurationPerJobLimit)</translation>
    </message>
    <message>
        <source>wait.qos_group_gpus</source>
        <translation>его QOS занял бы больше GPU, чем можно (QOSGrpGRES)</translation>
    </message>
    <message>
        <source>wait.qos_job_gpus</source>
        <translation>его QOS допускает меньше GPU на задание (QOSMaxGRESPerJob)</translation>
    </message>
    <message>
        <source>wait.qos_account_gpus</source>
        <translation>его счёт занял бы в этом QOS больше GPU, чем можно (MaxGRESPerAccount)</translation>
    </message>
    <message>
        <source>wait.qos_user_gpus</source>
        <translation>его пользователь занял бы в этом QOS больше GPU, чем можно (QOSMaxGRESPerUser)</translation>
    </message>
    <message>
        <source>wait.qos_group_submitted</source>
        <translation>в его QOS было подано предельное число заданий (QOSGrpSubmitJobsLimit)</translation>
    </message>
    <message>
        <source>wait.qos_user_submitted</source>
        <translation>его пользователь подал предельное число заданий этого QOS (QOSMaxSubmitJobPerUserLimit)</translation>
    </message>
    <message>
        <source>wait.association_group_jobs</source>
        <translation>на его счёте или на счёте выше выполняется предельное число заданий (AssocGrpJobsLimit)</translation>
    </message>
    <message>
        <source>wait.association_jobs</source>
        <translation>у его пользователя выполняется предельное число заданий этого счёта (AssocMaxJobsLimit)</translation>
    </message>
    <message>
        <source>wait.association_time</source>
        <translation>его счёт допускает только более короткие задания (AssocMaxWallDurationPerJobLimit)</translation>
    </message>
    <message>
        <source>wait.association_group_gpus</source>
        <translation>его счёт или счёт выше занял бы больше GPU, чем можно (AssocGrpGRES)</translation>
    </message>
    <message>
        <source>wait.association_job_gpus</source>
        <translation>его счёт допускает меньше GPU на задание (AssocMaxGRESPerJob)</translation>
    </message>
    <message>
        <source>wait.association_group_submitted</source>
        <translation>на его счёте или на счёте выше было подано предельное число заданий (AssocGrpSubmitJobsLimit)</translation>
    </message>
    <message>
        <source>wait.association_submitted</source>
        <translation>его пользователь подал предельное число заданий этого счёта (AssocMaxSubmitJobLimit)</translation>
    </message>
    <message>
        <source>wait.partition_time</source>
        <translation>его раздел допускает только более короткие задания (PartitionTimeLimit)</translation>
    </message>
    <message>
        <source>wait.array_tasks</source>
        <translation>выполняется предельное число заданий его массива (JobArrayTaskLimit)</translation>
    </message>
    <message>
        <source>wait.reservation_over</source>
        <translation>её резервирование закончилось, и вместе с ним задание</translation>
    </message>
    <message>
        <source>wait.site_rule</source>
        <translation>площадка тогда закрыта, или правило площадки удерживает задание (scheduling.site)</translation>
    </message>
    <message>
        <source>queue.not_compared</source>
        <translation>не сравнивается: {policy}: {why}.</translation>
    </message>
    <message>
        <source>queue.decides_seldom</source>
        <translation>{policy} принимает решения через промежутки времени: задания ждут следующего решения до {longest} подряд рядом с подходящими GPU ({share} всего ожидания), а самое короткое задание занимает {shortest}; при более коротких промежутках задания начинаются раньше.</translation>
    </message>
    <message>
        <source>queue.lowest_mean</source>
        <translation>наименьшее среднее время выполнения: {policy} ({time}; при {other} — {longest}): {difference}{reason}.</translation>
    </message>
    <message>
        <source>queue.starts_sooner</source>
        <translation>задание начинается на {time} раньше, чем при {other}{waits}</translation>
    </message>
    <message>
        <source>queue.starts_later</source>
        <translation>задание начинается на {time} позже, чем при {other}{waits}</translation>
    </message>
    <message>
        <source>queue.waits_longer</source>
        <translation>, и ждёт на {time} дольше после вытеснения</translation>
    </message>
    <message>
        <source>queue.waits_less</source>
        <translation>, и ждёт на {time} меньше после вытеснения</translation>
    </message>
    <message>
        <source>queue.main_reason</source>
        <translation>; {share} времени ожидания при {policy} имеет причину: {why}</translation>
    </message>
    <message numerus="yes">
        <source>queue.preempts</source>
        <translation>
            <numerusform>{policy} вытесняет выполняющиеся задания {times} раз; {causes} стоят {hours} GPU-часов без продвижения; при более дорогом вытеснении (scheduling.checkpoint_cost, restart_cost) ответ может измениться.</numerusform>
            <numerusform>{policy} вытесняет выполняющиеся задания {times} раза; {causes} стоят {hours} GPU-часов без продвижения; при более дорогом вытеснении (scheduling.checkpoint_cost, restart_cost) ответ может измениться.</numerusform>
            <numerusform>{policy} вытесняет выполняющиеся задания {times} раз; {causes} стоят {hours} GPU-часов без продвижения; при более дорогом вытеснении (scheduling.checkpoint_cost, restart_cost) ответ может измениться.</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.starts_and_preemptions</source>
        <translation>запуски и вытеснения</translation>
    </message>
    <message>
        <source>queue.and_failures</source>
        <translation>запуски, вытеснения и отказы</translation>
    </message>
    <message>
        <source>queue.shortest_waits</source>
        <translation>самые короткие долгие ожидания (p99 всего ожидания, и после вытеснения): {policy} ({time}; при {other} — {longest}).</translation>
    </message>
    <message>
        <source>queue.fairest</source>
        <translation>справедливее всего: {policy} (ни одно задание не длится дольше своего времени на равной доле кластера более чем в {times} раза; при {other} — в {most}).</translation>
    </message>
    <message>
        <source>queue.shortest_makespan</source>
        <translation>кратчайшее общее время: {policy} ({time}, занятость {busy}; при {other} — {longest}).</translation>
    </message>
    <message>
        <source>queue.same_result</source>
        <translation>все правила дают одинаковый результат: ни одно задание не ждёт GPU, которые дало бы ему другое правило.</translation>
    </message>
    <message>
        <source>queue.by_gpus</source>
        <translation>по числу GPU задания, лучшее и худшее среднее замедление: {groups}.</translation>
    </message>
    <message>
        <source>queue.by_team</source>
        <translation>по командам: {groups}.</translation>
    </message>
    <message numerus="yes">
        <source>queue.job</source>
        <translation>
            <numerusform>задание {job} ({gpus} GPU{owner}) при {policy}{at}: отправлено в {when}{then}</numerusform>
            <numerusform>задание {job} ({gpus} GPU{owner}) при {policy}{at}: отправлено в {when}{then}</numerusform>
            <numerusform>задание {job} ({gpus} GPU{owner}) при {policy}{at}: отправлено в {when}{then}</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.at_point</source>
        <translation> в точке {point}</translation>
    </message>
    <message>
        <source>clock.day</source>
        <translation>день {day} {time}</translation>
    </message>
    <message>
        <source>queue.started_later</source>
        <translation>, начато в {when}, через {time}</translation>
    </message>
    <message>
        <source>queue.started_at_once</source>
        <translation>, начато сразу</translation>
    </message>
    <message>
        <source>queue.never_started</source>
        <translation>, не начато: {why}</translation>
    </message>
    <message>
        <source>queue.refused</source>
        <translation>, отклонено при отправке: {why}</translation>
    </message>
    <message>
        <source>queue.taken_back</source>
        <translation>, отозвано до завершения</translation>
    </message>
    <message>
        <source>queue.finished_at</source>
        <translation>, завершено в {when}</translation>
    </message>
    <message numerus="yes">
        <source>queue.stopped</source>
        <translation>
            <numerusform>, остановок: {times}</numerusform>
            <numerusform>, остановок: {times}</numerusform>
            <numerusform>, остановок: {times}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>queue.out_of_memory</source>
        <translation>
            <numerusform>, раз не хватило памяти GPU: {times}</numerusform>
            <numerusform>, раз не хватило памяти GPU: {times}</numerusform>
            <numerusform>, раз не хватило памяти GPU: {times}</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.never_finished</source>
        <translation>, не завершено: {why}</translation>
    </message>
    <message>
        <source>queue.failure_stopped</source>
        <translation>в {when} его остановил отказ: {failure}</translation>
    </message>
    <message>
        <source>queue.policy_stopped</source>
        <translation>в {when} его остановила политика; его GPU никто сразу не получил</translation>
    </message>
    <message>
        <source>queue.stopped_for</source>
        <translation>в {when} его остановили ради {job}</translation>
    </message>
    <message numerus="yes">
        <source>queue.more_stops</source>
        <translation>
            <numerusform>… остановлено ещё {times} раз, см. events.csv</numerusform>
            <numerusform>… остановлено ещё {times} раза, см. events.csv</numerusform>
            <numerusform>… остановлено ещё {times} раз, см. events.csv</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.more_waits</source>
        <translation>… ещё {more} в waits.csv</translation>
    </message>
    <message>
        <source>queue.waited</source>
        <translation>с {from} до {to} ({time}): {why}{more}</translation>
    </message>
    <message>
        <source>queue.needed_and_free</source>
        <translation> (нужно {needed}, свободно {free})</translation>
    </message>
    <message>
        <source>queue.free</source>
        <translation> (свободно {free})</translation>
    </message>
    <message>
        <source>queue.blocked_by</source>
        <translation>: задание {job}</translation>
    </message>
    <message>
        <source>queue.of_flavor</source>
        <translation>: тип ресурсов {flavor}</translation>
    </message>
    <message numerus="yes">
        <source>queue.which_needs</source>
        <translation>
            <numerusform>, которому нужно GPU: {gpus}</numerusform>
            <numerusform>, которому нужно GPU: {gpus}</numerusform>
            <numerusform>, которому нужно GPU: {gpus}</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.planned</source>
        <translation>; начало запланировано на {when}</translation>
    </message>
    <message>
        <source>queue.down_meanwhile</source>
        <translation>; тем временем не работали: {machines}</translation>
    </message>
    <message>
        <source>queue.more_down</source>
        <translation> и ещё {more} в failures.csv</translation>
    </message>
    <message>
        <source>queue.down_between</source>
        <translation>{nodes} ({failure}с {from} до {to})</translation>
    </message>
    <message>
        <source>queue.down_since</source>
        <translation>{nodes} ({failure}с {from})</translation>
    </message>
    <message>
        <source>queue.mostly</source>
        <translation>в основном ({share} ожидания): {why}{job}</translation>
    </message>
    <message>
        <source>queue.because_of_job</source>
        <translation>, задание {job}</translation>
    </message>
    <message>
        <source>queue.could_start</source>
        <translation>оно могло начаться в {when}{earlier}: свободных GPU хватало, но политика его не начала</translation>
    </message>
    <message>
        <source>queue.earlier_by</source>
        <translation>, на {time} раньше</translation>
    </message>
    <message>
        <source>queue.could_not_start</source>
        <translation>раньше оно начаться не могло: ни при одном более раннем решении ему не хватало свободных GPU</translation>
    </message>
    <message numerus="yes">
        <source>queue.passed</source>
        <translation>
            <numerusform>пока оно ждало, на GPU работало {jobs} задание, отправленное позже{without}</numerusform>
            <numerusform>пока оно ждало, на GPU работали {jobs} задания, отправленные позже{without}</numerusform>
            <numerusform>пока оно ждало, на GPU работали {jobs} заданий, отправленных позже{without}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>queue.free_without</source>
        <translation>
            <numerusform>; без {them} {gpus} GPU были бы свободны в {when}{earlier}</numerusform>
            <numerusform>; без {them} {gpus} GPU были бы свободны в {when}{earlier}</numerusform>
            <numerusform>; без {them} {gpus} GPU были бы свободны в {when}{earlier}</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.not_earlier</source>
        <translation>; и без {them} оно не началось бы раньше</translation>
    </message>
    <message>
        <source>queue.it</source>
        <translation>него</translation>
    </message>
    <message>
        <source>queue.them</source>
        <translation>них</translation>
    </message>
    <message>
        <source>queue.slowed</source>
        <translation>оно потеряло {time}, так как делило {link} с заданием {job}</translation>
    </message>
    <message>
        <source>queue.how_to_ask</source>
        <translation>почему задание ждало: simrun explain job NAME {folder}</translation>
    </message>
    <message>
        <source>queue.relative_to</source>
        <translation>сверх оптимума: относительно {time}, кратчайшего срока при любом порядке без вытеснения (проверены все порядки)</translation>
    </message>
    <message>
        <source>queue.killed_at_limit</source>
        <translation>{jobs} заданий остановлены на своём пределе времени при {policy} и не завершены, хотя считаются закончившимися; они перечислены в jobs.csv</translation>
    </message>
    <message>
        <source>retraining.need</source>
        <translation>потребность</translation>
    </message>
    <message>
        <source>retraining.upload</source>
        <translation>загрузка данных</translation>
    </message>
    <message>
        <source>retraining.confirm</source>
        <translation>подтверждение</translation>
    </message>
    <message>
        <source>retraining.queue</source>
        <translation>очередь</translation>
    </message>
    <message>
        <source>retraining.train</source>
        <translation>обучение</translation>
    </message>
    <message>
        <source>retraining.save</source>
        <translation>сохранение</translation>
    </message>
    <message>
        <source>retraining.detect</source>
        <translation>обнаружение</translation>
    </message>
    <message>
        <source>retraining.download</source>
        <translation>скачивание</translation>
    </message>
    <message>
        <source>retraining.deploy</source>
        <translation>развёртывание</translation>
    </message>
    <message>
        <source>retraining.never_trained</source>
        <translation>&apos;{model}&apos; нельзя обучить{at}: {why}; добавьте узлы или уменьшите число GPU</translation>
    </message>
    <message numerus="yes">
        <source>retraining.starves</source>
        <translation>
            <numerusform>при {policy} &apos;{model}&apos;{at} голодает: завершение {done} на {needs} потребностей, {stopped} остановлено более новыми; потребности приходят чаще, чем кончаются обучения; возьмите coalesce, более долгое ожидание или больше GPU</numerusform>
            <numerusform>при {policy} &apos;{model}&apos;{at} голодает: завершений {done} на {needs} потребностей, {stopped} остановлено более новыми; потребности приходят чаще, чем кончаются обучения; возьмите coalesce, более долгое ожидание или больше GPU</numerusform>
            <numerusform>при {policy} &apos;{model}&apos;{at} голодает: завершений {done} на {needs} потребностей, {stopped} остановлено более новыми; потребности приходят чаще, чем кончаются обучения; возьмите coalesce, более долгое ожидание или больше GPU</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>retraining.almost_starves</source>
        <translation>
            <numerusform>при {policy} &apos;{model}&apos;{at} почти голодает: завершение {done} на {needs} потребностей, {stopped} остановлено более новыми; потребности приходят чаще, чем кончаются обучения; возьмите coalesce, более долгое ожидание или больше GPU</numerusform>
            <numerusform>при {policy} &apos;{model}&apos;{at} почти голодает: завершений {done} на {needs} потребностей, {stopped} остановлено более новыми; потребности приходят чаще, чем кончаются обучения; возьмите coalesce, более долгое ожидание или больше GPU</numerusform>
            <numerusform>при {policy} &apos;{model}&apos;{at} почти голодает: завершений {done} на {needs} потребностей, {stopped} остановлено более новыми; потребности приходят чаще, чем кончаются обучения; возьмите coalesce, более долгое ожидание или больше GPU</numerusform>
        </translation>
    </message>
    <message>
        <source>retraining.never_arrived</source>
        <translation>{lost} из {needs} обучений &apos;{model}&apos; отправлены, но не дошли до очереди{at} ({policy}); submission: check отправляет их снова</translation>
    </message>
    <message>
        <source>retraining.always_failed</source>
        <translation>{failed} из {needs} переобучений &apos;{model}&apos; не удались при каждой попытке{at} ({policy})</translation>
    </message>
    <message>
        <source>retraining.at_point</source>
        <translation> в точке {point}</translation>
    </message>
    <message>
        <source>retraining.more_warnings</source>
        <translation>и ещё {more} таких при {policy}</translation>
    </message>
    <message>
        <source>retraining.not_listed</source>
        <translation>{policy}: {more} событий и решений после первых {listed} не перечислены</translation>
    </message>
    <message>
        <source>retraining.same_end</source>
        <translation>все планировщики завершают обучения одновременно, через {time}.</translation>
    </message>
    <message>
        <source>retraining.ends_first</source>
        <translation>{planner} завершает обучения первым, через {time}; {other} — через {longest} (на {longer} дольше).</translation>
    </message>
    <message>
        <source>retraining.none_deployed</source>
        <translation>ни одна модель не развёрнута: причина названа в предупреждениях.</translation>
    </message>
    <message>
        <source>retraining.half_served</source>
        <translation>половина потребностей удовлетворяется за {time}; {share} времени до развёрнутой модели занимает {segment} ({spent}).</translation>
    </message>
    <message>
        <source>retraining.no_effect</source>
        <translation>выбор здесь ни на что не влияет: модель устарела {share} времени при любом из них.</translation>
    </message>
    <message>
        <source>retraining.freshest</source>
        <translation>{policy} даёт самые свежие модели{starving}: их данным в среднем {age} периода против {older} у {other}; модели устаревают на {stale} времени против {more}{besides}.</translation>
    </message>
    <message>
        <source>retraining.starves_none</source>
        <translation> и ни одну не обделяет</translation>
    </message>
    <message>
        <source>retraining.equally_fresh</source>
        <translation>{policy} и {other} дают одинаково свежие модели: их данным в среднем {age} периода; модели устаревают на {stale}{besides}.</translation>
    </message>
    <message>
        <source>retraining.of_the_time</source>
        <translation>{share} времени</translation>
    </message>
    <message>
        <source>retraining.of_the_time_with</source>
        <translation>{share} времени при {policy}, на {more} при {other}</translation>
    </message>
    <message>
        <source>retraining.deployed</source>
        <translation>, развёрнуто {models} моделей против {others}</translation>
    </message>
    <message>
        <source>retraining.wasted</source>
        <translation>, впустую потрачено {hours} GPU-часов против {others}</translation>
    </message>
    <message>
        <source>retraining.almost_as_good</source>
        <translation>; {policy} почти не хуже ({age} периода) и тратит впустую {hours} GPU-часов</translation>
    </message>
    <message>
        <source>retraining.wastes_none</source>
        <translation>; {policy} почти не хуже ({age} периода) и не тратит GPU-часов впустую</translation>
    </message>
    <message>
        <source>together.all</source>
        <translation>все вместе</translation>
    </message>
    <message>
        <source>together.without_queue</source>
        <translation>без очереди</translation>
    </message>
    <message>
        <source>together.without_services</source>
        <translation>без сервисов</translation>
    </message>
    <message>
        <source>together.without_retraining</source>
        <translation>без переобучения</translation>
    </message>
    <message>
        <source>together.without_failures</source>
        <translation>без отказов</translation>
    </message>
    <message>
        <source>together.mean_jct</source>
        <translation>среднее время выполнения</translation>
    </message>
    <message>
        <source>together.waiting</source>
        <translation>ожидание</translation>
    </message>
    <message>
        <source>together.need_to_deployed</source>
        <translation>медиана от потребности до развёртывания</translation>
    </message>
    <message>
        <source>together.availability</source>
        <translation>доступность сервисов</translation>
    </message>
    <message>
        <source>together.changes</source>
        <translation>{title}{left_out}: {measure} — {without} вместо {with}</translation>
    </message>
    <message>
        <source>services.nodes_fit</source>
        <translation>подходят {fit} из {nodes} узлов: {why}</translation>
    </message>
    <message>
        <source>services.down</source>
        <translation>{nodes} — не работает</translation>
    </message>
    <message>
        <source>services.cut_off</source>
        <translation>{nodes} — отрезано</translation>
    </message>
    <message>
        <source>services.daemon</source>
        <translation>{nodes} — демон контейнеров остановлен (ошибка настройки или перезапуск)</translation>
    </message>
    <message>
        <source>services.joins_later</source>
        <translation>{nodes} — ещё не присоединено</translation>
    </message>
    <message>
        <source>services.manager</source>
        <translation>{nodes} — только управляющий</translation>
    </message>
    <message>
        <source>services.constraint</source>
        <translation>{nodes} — не выполнено условие</translation>
    </message>
    <message>
        <source>services.most_per_node</source>
        <translation>{nodes} — предел задач на узел</translation>
    </message>
    <message>
        <source>services.host_port</source>
        <translation>{nodes} — порт узла занят</translation>
    </message>
    <message>
        <source>services.gpu_runtime</source>
        <translation>{nodes} — нет среды GPU</translation>
    </message>
    <message>
        <source>services.gpu_type</source>
        <translation>{nodes} — GPU другого типа</translation>
    </message>
    <message>
        <source>services.gpu</source>
        <translation>{nodes} — не хватает GPU</translation>
    </message>
    <message>
        <source>services.cpu</source>
        <translation>{nodes} — не хватает CPU</translation>
    </message>
    <message>
        <source>services.memory</source>
        <translation>{nodes} — не хватает памяти</translation>
    </message>
    <message>
        <source>services.fits</source>
        <translation>{nodes} подходят</translation>
    </message>
    <message>
        <source>services.absent</source>
        <translation>отсутствует</translation>
    </message>
    <message>
        <source>services.waiting</source>
        <translation>ждёт</translation>
    </message>
    <message>
        <source>services.backoff</source>
        <translation>ждёт перезапуска</translation>
    </message>
    <message>
        <source>services.unnoticed</source>
        <translation>мертва, ещё не замечено</translation>
    </message>
    <message>
        <source>services.evicting</source>
        <translation>потеряна, ещё не заменена</translation>
    </message>
    <message>
        <source>services.pulling</source>
        <translation>получает образ</translation>
    </message>
    <message>
        <source>services.task_starts</source>
        <translation>запускается</translation>
    </message>
    <message>
        <source>services.running</source>
        <translation>работает</translation>
    </message>
    <message>
        <source>services.stopping</source>
        <translation>останавливается</translation>
    </message>
    <message>
        <source>services.finished</source>
        <translation>завершена</translation>
    </message>
    <message>
        <source>services.gone</source>
        <translation>нет</translation>
    </message>
    <message>
        <source>services.no_quorum</source>
        <translation>потеряно большинство управляющих узлов: нет кворума</translation>
    </message>
    <message>
        <source>services.busy</source>
        <translation>управляющий слой занят размещением других задач</translation>
    </message>
    <message>
        <source>services.together</source>
        <translation>все задачи ({tasks}) должны начаться вместе; после {placed} из них: {why}</translation>
    </message>
    <message>
        <source>services.waits_for</source>
        <translation>ждёт возвращения {node}: у неё нет политики переноса</translation>
    </message>
    <message>
        <source>services.lost_container</source>
        <translation>{node} потерян, а отдельный контейнер никакой сервис не заменяет</translation>
    </message>
    <message>
        <source>services.lost_processes</source>
        <translation>{node} потерян, а оркестратор не заменяет его процессы</translation>
    </message>
    <message>
        <source>services.lost_for_good</source>
        <translation>{node} потерян, и политики переноса нет</translation>
    </message>
    <message>
        <source>services.lost_rank</source>
        <translation>{service} завершён: задание MPI не переживает потери ранга</translation>
    </message>
    <message>
        <source>services.never_restarts</source>
        <translation>его политика перезапуска — never</translation>
    </message>
    <message numerus="yes">
        <source>services.few_restarts</source>
        <translation>
            <numerusform>его политика допускает перезапусков: {restarts}</numerusform>
            <numerusform>его политика допускает перезапусков: {restarts}</numerusform>
            <numerusform>его политика допускает перезапусков: {restarts}</numerusform>
        </translation>
    </message>
    <message>
        <source>services.life</source>
        <translation>с {from} до {to} ({time}): {state}{more}</translation>
    </message>
    <message>
        <source>services.on_node</source>
        <translation> на {node}</translation>
    </message>
    <message>
        <source>services.because</source>
        <translation>: {why}</translation>
    </message>
    <message>
        <source>services.none_waited</source>
        <translation>ни одна задача не ждала и не была потеряна</translation>
    </message>
    <message>
        <source>services.these_waited</source>
        <translation>задачи, которые ждали или были потеряны</translation>
    </message>
    <message>
        <source>report.gpus_then</source>
        <translation>GPU в момент {when}</translation>
    </message>
    <message>
        <source>services.how_to_ask</source>
        <translation>события одной задачи: simrun explain task NAME {folder}</translation>
    </message>
    <message>
        <source>services.waited_for</source>
        <translation>{task}: {state} с {when} в течение {time}{more}</translation>
    </message>
    <message>
        <source>services.gone_from</source>
        <translation>{task}: {state} с {when}{more}</translation>
    </message>
    <message>
        <source>retraining.open</source>
        <translation>не закончено</translation>
    </message>
    <message>
        <source>retraining.outdated</source>
        <translation>устарело</translation>
    </message>
    <message>
        <source>retraining.replaced</source>
        <translation>заменено</translation>
    </message>
    <message>
        <source>retraining.coalesced</source>
        <translation>объединено с более новым</translation>
    </message>
    <message>
        <source>retraining.forbidden</source>
        <translation>не начато</translation>
    </message>
    <message>
        <source>retraining.lost</source>
        <translation>потеряно</translation>
    </message>
    <message>
        <source>retraining.impossible</source>
        <translation>невозможно</translation>
    </message>
    <message>
        <source>retraining.end_deployed</source>
        <translation>развёрнуто</translation>
    </message>
    <message>
        <source>retraining.end_failed</source>
        <translation>ошибка</translation>
    </message>
    <message>
        <source>retraining.needs</source>
        <translation>{model} нуждается в переобучении</translation>
    </message>
    <message>
        <source>retraining.data</source>
        <translation>данные: {bytes}</translation>
    </message>
    <message>
        <source>retraining.data_in_parts</source>
        <translation>данные: {bytes}, частей: {parts}</translation>
    </message>
    <message>
        <source>retraining.wrong_checksum</source>
        <translation>неверная контрольная сумма: данные отправляются снова</translation>
    </message>
    <message>
        <source>retraining.data_arrived</source>
        <translation>контрольная сумма верна: данные получены</translation>
    </message>
    <message>
        <source>retraining.first_part_arrived</source>
        <translation>контрольная сумма верна: первая часть получена</translation>
    </message>
    <message>
        <source>retraining.stop</source>
        <translation>остановить {earlier}: у {request} более новые данные</translation>
    </message>
    <message>
        <source>retraining.script</source>
        <translation>скрипт</translation>
    </message>
    <message>
        <source>retraining.script_again</source>
        <translation>скрипт, отправлен снова</translation>
    </message>
    <message>
        <source>retraining.is_it_there</source>
        <translation>пришёл ли скрипт?</translation>
    </message>
    <message>
        <source>retraining.it_is_there</source>
        <translation>скрипт пришёл</translation>
    </message>
    <message>
        <source>retraining.it_is_not_there</source>
        <translation>скрипт не пришёл</translation>
    </message>
    <message>
        <source>retraining.arrived_twice</source>
        <translation>скрипт пришёл дважды: лишнее задание</translation>
    </message>
    <message>
        <source>retraining.accepted</source>
        <translation>принято</translation>
    </message>
    <message>
        <source>retraining.no_answer</source>
        <translation>ответа нет</translation>
    </message>
    <message>
        <source>retraining.waits_for_end</source>
        <translation>ждёт конца {request}{limit}</translation>
    </message>
    <message>
        <source>retraining.at_most</source>
        <translation>, не дольше {time}</translation>
    </message>
    <message>
        <source>retraining.counted_as_failed</source>
        <translation>нет результата за {time}: считается неудачей</translation>
    </message>
    <message>
        <source>retraining.no_result</source>
        <translation>нет результата за {time}</translation>
    </message>
    <message>
        <source>retraining.fails_after</source>
        <translation>обучение прерывается отказом через {time}</translation>
    </message>
    <message>
        <source>retraining.hit_and_waits</source>
        <translation>обучение прервано отказом: оно снова ждёт</translation>
    </message>
    <message>
        <source>retraining.preempted_and_waits</source>
        <translation>обучение вытеснено: оно снова ждёт</translation>
    </message>
    <message>
        <source>retraining.trained_model</source>
        <translation>обученная модель, {bytes}</translation>
    </message>
    <message>
        <source>retraining.training_ended</source>
        <translation>обучение закончено</translation>
    </message>
    <message>
        <source>retraining.training_has_failed</source>
        <translation>обучение не удалось</translation>
    </message>
    <message>
        <source>retraining.downloaded</source>
        <translation>результат скачивается</translation>
    </message>
    <message>
        <source>retraining.replaces</source>
        <translation>новая модель заменяет старую</translation>
    </message>
    <message>
        <source>retraining.rolling</source>
        <translation>постепенное обновление реплик: всего {replicas}, по {at_once} сразу, не меньше {least}</translation>
    </message>
    <message>
        <source>retraining.serves</source>
        <translation>новая модель обслуживает</translation>
    </message>
    <message>
        <source>retraining.ends</source>
        <translation>{request} заканчивается: {end}{why}</translation>
    </message>
    <message>
        <source>retraining.by</source>
        <translation>на {request}</translation>
    </message>
    <message>
        <source>retraining.joined</source>
        <translation>влито в {request}</translation>
    </message>
    <message>
        <source>retraining.had_not_ended</source>
        <translation>{request} ещё не закончено</translation>
    </message>
    <message>
        <source>retraining.newer_serves</source>
        <translation>уже обслуживает модель на более новых данных</translation>
    </message>
    <message>
        <source>retraining.training_failed</source>
        <translation>обучение не удалось</translation>
    </message>
    <message>
        <source>retraining.has_newer</source>
        <translation>у {request} более новые данные</translation>
    </message>
    <message>
        <source>retraining.never_reached</source>
        <translation>скрипт так и не дошёл до очереди</translation>
    </message>
    <message numerus="yes">
        <source>retraining.after_attempts</source>
        <translation>
            <numerusform>{why} (после {attempts} попытки)</numerusform>
            <numerusform>{why} (после {attempts} попыток)</numerusform>
            <numerusform>{why} (после {attempts} попыток)</numerusform>
        </translation>
    </message>
    <message>
        <source>retraining.run_ended</source>
        <translation>прогон закончился на этапе {segment}</translation>
    </message>
    <message>
        <source>retraining.needs_gpus</source>
        <translation>ему нужно {gpus} GPU, в кластере {all}</translation>
    </message>
    <message>
        <source>retraining.never_runs</source>
        <translation>очередь никогда не сможет его запустить</translation>
    </message>
    <message>
        <source>retraining.others_do_not_fit</source>
        <translation>предыдущие обучения сейчас не помещаются</translation>
    </message>
    <message>
        <source>retraining.only_one</source>
        <translation>оно одно в очереди</translation>
    </message>
    <message>
        <source>retraining.first_by_order</source>
        <translation>первое в порядке планировщика</translation>
    </message>
    <message>
        <source>retraining.request</source>
        <translation>{request} при {policy}{at}: нужно в {when}, {ended} через {time}{why}</translation>
    </message>
    <message>
        <source>retraining.because</source>
        <translation> ({why})</translation>
    </message>
    <message>
        <source>retraining.sum</source>
        <translation>{parts} = {time}</translation>
    </message>
    <message>
        <source>retraining.part</source>
        <translation>{segment} {time}</translation>
    </message>
    <message>
        <source>retraining.input_bound</source>
        <translation>обучение ждало данных {time}: его сдерживает ввод</translation>
    </message>
    <message>
        <source>retraining.decision</source>
        <translation>решение в {when}: начать {request}, {why}</translation>
    </message>
    <message>
        <source>retraining.how_to_ask</source>
        <translation>сообщения и решения одного переобучения: simrun explain job MODEL-NUMBER {folder}</translation>
    </message>
    <message>
        <source>retraining.models</source>
        <translation>модели: {models}; например, {first}-1</translation>
    </message>
    <message numerus="yes">
        <source>retraining.training_starts</source>
        <translation>
            <numerusform>обучение начинается на {gpus} GPU ({nodes}){checkpoint}</numerusform>
            <numerusform>обучение начинается на {gpus} GPU ({nodes}){checkpoint}</numerusform>
            <numerusform>обучение начинается на {gpus} GPU ({nodes}){checkpoint}</numerusform>
        </translation>
    </message>
    <message>
        <source>retraining.from_checkpoint</source>
        <translation>, с контрольной точки на {share}</translation>
    </message>
    <message>
        <source>retraining.of_plans</source>
        <translation>планы (для первой очереди с несколькими обучениями)</translation>
    </message>
    <message>
        <source>retraining.of_segments</source>
        <translation>среднее время от потребности до развёрнутой модели, для развёрнутых моделей</translation>
    </message>
    <message>
        <source>services.unfinished_work</source>
        <translation>окончено в {when} с незавершённой работой; `simrun explain` говорит почему</translation>
    </message>
    <message>
        <source>services.warned_at</source>
        <translation>{point}: {what}</translation>
    </message>
    <message>
        <source>services.more_rows</source>
        <translation>… ещё {more} в {file}</translation>
    </message>
    <message>
        <source>compare.absent_there</source>
        <translation>(нет)</translation>
    </message>
    <message>
        <source>compare.advice</source>
        <translation>совет: {parts}.</translation>
    </message>
    <message>
        <source>compare.alone</source>
        <translation>{runs} запуска(ов) из папок результатов; каждый один раз, поэтому интервалов нет</translation>
    </message>
    <message>
        <source>compare.as_good</source>
        <translation>, но {second} может быть не хуже</translation>
    </message>
    <message>
        <source>compare.beats_all</source>
        <translation>{name} лучше любого ps:N с N &lt;= {servers}</translation>
    </message>
    <message>
        <source>compare.beats_fewer</source>
        <translation>{name} лучше любого ps:N с N &lt; {servers}</translation>
    </message>
    <message>
        <source>compare.best_in</source>
        <translation>{best} лучше всех по {measure} ({value}; на втором месте {second}: {next}{sure})</translation>
    </message>
    <message>
        <source>accuracy.measured</source>
        <translation>Насколько это точно: шаг именно этого сценария измерен. Если измерить ещё раз, он считается равным от {low} до {high} предсказанного шага в 8 случаях из 10, от {low_95} до {high_95} — в 19 из 20: то, что осталось после подгонки, и 5 % от запуска к запуску.</translation>
    </message>
    <message>
        <source>jobs.close_call</source>
        <translation>{model}: {one} и {other} слишком близки, чтобы решить, на {gpus} GPU: {one} — {ahead}; {probability}, что это быстрее, по ошибкам модели</translation>
    </message>
    <message>
        <source>plan.may_be_as_good</source>
        <translation>не хуже могут быть, по ошибкам модели: {designs}</translation>
    </message>
    <message>
        <source>run.one_draw</source>
        <translation>goodput и время завершения — один случайный розыгрыш сбоев (seed {seed}): --seed даёт другие, run.replicas: 20 берёт среднее стольких, а simrun plan решает по стольким, сколько нужно</translation>
    </message>
    <message>
        <source>study.cost_without</source>
        <translation>цена не различает сети: в прейскуранте нет сетевых карт {links}, они считаются бесплатными; --prices с вашим списком их учтёт</translation>
    </message>
    <message>
        <source>compare.close_call</source>
        <translation>, слишком близко, чтобы решить: {probability} за первый</translation>
    </message>
    <message>
        <source>compare.differs</source>
        <translation>отличается</translation>
    </message>
    <message>
        <source>compare.equal_for_all</source>
        <translation>одинаково у всех: {figures}</translation>
    </message>
    <message>
        <source>compare.one_seed</source>
        <translation>{candidates} вариантов с одним начальным числом: другое даёт другие значения, и ни одна разница не надёжна; --replicas 10 скажет насколько</translation>
    </message>
    <message>
        <source>compare.exact</source>
        <translation>кандидатов: {candidates}; начальное число не влияет, поэтому все различия точны</translation>
    </message>
    <message>
        <source>compare.fewer_rules</source>
        <translation>для {name} действует меньше правил, поэтому в совет он не входит:</translation>
    </message>
    <message>
        <source>compare.fewer_rules_for_all</source>
        <translation>для {names} действует меньше правил, поэтому в совет они не входят:</translation>
    </message>
    <message>
        <source>compare.inputs_of</source>
        <translation>входные данные {candidate} в сравнении с {baseline}:</translation>
    </message>
    <message>
        <source>compare.intervals</source>
        <translation>в сравнении с {baseline}: интервалы {confidence} разностей, {pairs}</translation>
    </message>
    <message>
        <source>compare.is_beaten</source>
        <translation>{name} уступает ps:N при N &gt;= {servers}</translation>
    </message>
    <message>
        <source>compare.jobs_in_pairs</source>
        <translation>{runs} запуска(ов) из папок результатов; времена одних и тех же заданий сравниваются попарно</translation>
    </message>
    <message>
        <source>compare.may_be_chance</source>
        <translation>возможно, случайность</translation>
    </message>
    <message>
        <source>compare.more_groups</source>
        <translation>… ещё {more} в compare.csv</translation>
    </message>
    <message>
        <source>compare.more_inputs</source>
        <translation>… и ещё {more}</translation>
    </message>
    <message>
        <source>compare.of_same_jobs</source>
        <translation>те же задания</translation>
    </message>
    <message numerus="yes">
        <source>compare.of_seeds</source>
        <translation>
            <numerusform>{seeds} начальное число</numerusform>
            <numerusform>{seeds} начальных числа</numerusform>
            <numerusform>{seeds} начальных чисел</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>compare.over_jobs</source>
        <translation>
            <numerusform>ожидание и завершение — по {jobs} заданию</numerusform>
            <numerusform>ожидание и завершение — по {jobs} заданиям</numerusform>
            <numerusform>ожидание и завершение — по {jobs} заданиям</numerusform>
        </translation>
    </message>
    <message>
        <source>compare.precision</source>
        <translation>точность: {precision}</translation>
    </message>
    <message>
        <source>compare.same_inputs</source>
        <translation>входные данные {candidate} в сравнении с {baseline}: различий нет</translation>
    </message>
    <message>
        <source>compare.same_seeds</source>
        <translation>кандидатов: {candidates}, начальных чисел: {seeds}, у всех одни и те же; *: отличается от {baseline} с уверенностью {confidence} (парный t-тест с поправкой Холма)</translation>
    </message>
    <message>
        <source>compare.wins_nothing</source>
        <translation>{candidate} ни в чём не побеждает: {why}{of}</translation>
    </message>
    <message>
        <source>explain.compute</source>
        <translation>вычисления</translation>
    </message>
    <message>
        <source>explain.exposed</source>
        <translation>неперекрытый обмен</translation>
    </message>
    <message>
        <source>explain.host</source>
        <translation>хост запускает операторы</translation>
    </message>
    <message>
        <source>explain.input</source>
        <translation>ввод</translation>
    </message>
    <message>
        <source>explain.wait</source>
        <translation>ожидание других</translation>
    </message>
    <message numerus="yes">
        <source>layouts.asked_for</source>
        <translation>
            <numerusform>{model}, {wanted}: {designs} вариант, раскладок: {layouts}</numerusform>
            <numerusform>{model}, {wanted}: {designs} варианта, раскладок: {layouts}</numerusform>
            <numerusform>{model}, {wanted}: {designs} вариантов, раскладок: {layouts}</numerusform>
        </translation>
    </message>
    <message>
        <source>layouts.closed_form</source>
        <translation>По формулам: коллективные операции не встречают другого трафика. Проценты — от самого быстрого шага.</translation>
    </message>
    <message>
        <source>layouts.does_not_fit</source>
        <translation>не помещается в {memory}</translation>
    </message>
    <message>
        <source>layouts.fits_from</source>
        <translation>Помещается на {gpus} GPU.</translation>
    </message>
    <message>
        <source>layouts.front</source>
        <translation>front: ни у какого другого варианта нет больше токенов/с при меньшей цене и меньшей памяти.</translation>
    </message>
    <message>
        <source>layouts.gpus_tried</source>
        <translation>пакет {batch}; проверено GPU: {gpus} (--gpus A..B удваивает, A,B,C берёт эти числа)</translation>
    </message>
    <message>
        <source>layouts.is_fastest</source>
        <translation>самая быстрая</translation>
    </message>
    <message>
        <source>layouts.layouts_of</source>
        <translation>{model} на {gpus}: раскладок {layouts}, из них {large} требуют больше, чем {memory} у GPU</translation>
    </message>
    <message>
        <source>layouts.met_surely</source>
        <translation>Цели по скорости достигаются с вероятностью {sure} при погрешностях модели.</translation>
    </message>
    <message>
        <source>layouts.less_memory</source>
        <translation>меньше памяти стоит времени (быстрее с меньшей памятью раскладок нет):</translation>
    </message>
    <message>
        <source>layouts.more_gpus</source>
        <translation> один GPU даёт {rate} токенов/с, поэтому для {goal} их нужно не меньше {gpus}.</translation>
    </message>
    <message>
        <source>layouts.more_gpus_asked</source>
        <translation> один GPU даёт {rate} токенов/с, поэтому для {goal} их нужно не меньше {gpus} (--gpus {number}).</translation>
    </message>
    <message>
        <source>layouts.none_meets</source>
        <translation>Ни один вариант не достигает целей. Ближайший:{more}</translation>
    </message>
    <message>
        <source>layouts.none_surely</source>
        <translation>Ни один вариант не достигает целей с вероятностью {wanted}. Ближайший достигает их по прогнозу, с вероятностью {sure} при погрешностях модели (--sure 0 его принимает).</translation>
    </message>
    <message>
        <source>layouts.others_lose</source>
        <translation>{design}, {layout}; на чём теряют другие раскладки на этих GPU:</translation>
    </message>
    <message>
        <source>layouts.part_of_cluster</source>
        <translation>{cluster}: {machines}; {used} из {gpus} GPU (--gpus {gpus} берёт все)</translation>
    </message>
    <message>
        <source>layouts.the_fastest</source>
        <translation>самая быстрая раскладка</translation>
    </message>
    <message>
        <source>layouts.usual_machines</source>
        <translation>принято: {machines} (другие задают --cluster или сценарий)</translation>
    </message>
    <message>
        <source>plan.all_simulated</source>
        <translation>каждый вариант смоделирован</translation>
    </message>
    <message>
        <source>plan.all_simulated_by</source>
        <translation>каждый вариант смоделирован ({fidelity})</translation>
    </message>
    <message>
        <source>plan.changes_nothing</source>
        <translation>{knob}: не меняет {measure} (пар: {pairs})</translation>
    </message>
    <message>
        <source>plan.few_seeds</source>
        <translation>начальных чисел ({seeds}) недостаточно, чтобы решить; попробуйте --replicas {more}</translation>
    </message>
    <message>
        <source>plan.fewer_nodes</source>
        <translation>меньше узлов</translation>
    </message>
    <message numerus="yes">
        <source>plan.front_of</source>
        <translation>
            <numerusform>Фронт Парето: {objective} против {measure} ({designs} вариант{shown})</numerusform>
            <numerusform>Фронт Парето: {objective} против {measure} ({designs} варианта{shown})</numerusform>
            <numerusform>Фронт Парето: {objective} против {measure} ({designs} вариантов{shown})</numerusform>
        </translation>
    </message>
    <message>
        <source>plan.less_of</source>
        <translation>меньшим {objective}</translation>
    </message>
    <message>
        <source>plan.maximise</source>
        <translation>{name}: наибольшее {objective}{goals}</translation>
    </message>
    <message>
        <source>plan.minimise</source>
        <translation>{name}: наименьшее {objective}{goals}</translation>
    </message>
    <message>
        <source>plan.miss_of_goal</source>
        <translation>{goal}: {value} ({margin})</translation>
    </message>
    <message>
        <source>plan.missed_by</source>
        <translation>не хватает {share}</translation>
    </message>
    <message>
        <source>plan.more_nodes</source>
        <translation>больше узлов</translation>
    </message>
    <message>
        <source>plan.more_of</source>
        <translation>большим {objective}</translation>
    </message>
    <message>
        <source>plan.never_lowers</source>
        <translation>{knob}: больше — никогда не меньше {measure} (пар: {pairs})</translation>
    </message>
    <message>
        <source>plan.never_raises</source>
        <translation>{knob}: больше — никогда не больше {measure} (пар: {pairs})</translation>
    </message>
    <message>
        <source>plan.no_chance</source>
        <translation>; начальное число не влияет</translation>
    </message>
    <message>
        <source>plan.not_measured</source>
        <translation>не измерено</translation>
    </message>
    <message>
        <source>plan.not_monotone</source>
        <translation>{knob}: {measure} меняется не в одну сторону: растёт в {up}, падает в {down} из {pairs} пар; худший случай {exception}</translation>
    </message>
    <message>
        <source>plan.note_on</source>
        <translation>примечание к {goal}: {note}</translation>
    </message>
    <message>
        <source>plan.of_knobs</source>
        <translation>влияние каждого параметра (на одно значение больше, остальное то же; проверено, а не принято)</translation>
    </message>
    <message numerus="yes">
        <source>plan.pruning_checked</source>
        <translation>
            <numerusform>отсев проверен на {designs} варианте: первое моделирование ошиблось в худшую сторону не больше чем на {worst}; допустимо {allowed}</numerusform>
            <numerusform>отсев проверен на {designs} вариантах: первое моделирование ошиблось в худшую сторону не больше чем на {worst}; допустимо {allowed}</numerusform>
            <numerusform>отсев проверен на {designs} вариантах: первое моделирование ошиблось в худшую сторону не больше чем на {worst}; допустимо {allowed}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>plan.refused</source>
        <translation>
            <numerusform>{designs} вариант: {why}</numerusform>
            <numerusform>{designs} варианта: {why}</numerusform>
            <numerusform>{designs} вариантов: {why}</numerusform>
        </translation>
    </message>
    <message>
        <source>plan.rows_shown</source>
        <translation>, показано {rows}</translation>
    </message>
    <message>
        <source>plan.simulation</source>
        <translation>моделированием</translation>
    </message>
    <message>
        <source>plan.some_cannot_run</source>
        <translation>; не могут работать: {designs}</translation>
    </message>
    <message>
        <source>plan.some_discarded</source>
        <translation>{pruned} отброшено после первого моделирования ({screen}), {decided} решено: {decider}</translation>
    </message>
    <message>
        <source>plan.the_answer</source>
        <translation>ответ</translation>
    </message>
    <message>
        <source>plan.the_nearest_miss</source>
        <translation>ближе всех к цели</translation>
    </message>
    <message>
        <source>plan.the_runner_up</source>
        <translation>второй</translation>
    </message>
    <message>
        <source>plan.times_limit</source>
        <translation>в {times} раза больше предела</translation>
    </message>
    <message numerus="yes">
        <source>plan.undecided</source>
        <translation>
            <numerusform>не решено: {designs} вариант с {which}, возможно, тоже достигает целей; начальных чисел ({seeds}) недостаточно (попробуйте --replicas {more})</numerusform>
            <numerusform>не решено: {designs} варианта с {which}, возможно, тоже достигают целей; начальных чисел ({seeds}) недостаточно (попробуйте --replicas {more})</numerusform>
            <numerusform>не решено: {designs} вариантов с {which}, возможно, тоже достигают целей; начальных чисел ({seeds}) недостаточно (попробуйте --replicas {more})</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>plan.unsure</source>
        <translation>
            <numerusform>не наверняка: {designs} вариант с {which} по прогнозу достиг бы целей, но с вероятностью ниже {share} при погрешностях модели (--sure 0 его принимает)</numerusform>
            <numerusform>не наверняка: {designs} варианта с {which} по прогнозу достигли бы целей, но с вероятностью ниже {share} при погрешностях модели (--sure 0 их принимает)</numerusform>
            <numerusform>не наверняка: {designs} вариантов с {which} по прогнозу достигли бы целей, но с вероятностью ниже {share} при погрешностях модели (--sure 0 их принимает)</numerusform>
        </translation>
    </message>
    <message>
        <source>plan.unsure_best</source>
        <translation>по прогнозу он их достигает, но с вероятностью ниже {share} при погрешностях модели (--sure 0 его принимает)</translation>
    </message>
    <message>
        <source>plan.up_to_seeds</source>
        <translation>, до {seeds} начальных чисел на каждый</translation>
    </message>
    <message numerus="yes">
        <source>plan.work</source>
        <translation>
            <numerusform>{designs} вариант, моделирований: {runs}: {how}</numerusform>
            <numerusform>{designs} варианта, моделирований: {runs}: {how}</numerusform>
            <numerusform>{designs} вариантов, моделирований: {runs}: {how}</numerusform>
        </translation>
    </message>
    <message>
        <source>replay.answer</source>
        <translation>ответ: недельная ошибка предсказания {error}, у среднего прошлой недели {other}; его среднее ожидание в {times} раза больше записанного{but}</translation>
    </message>
    <message>
        <source>replay.assumed_of_queue</source>
        <translation>принято: {what}</translation>
    </message>
    <message>
        <source>replay.first_half</source>
        <translation>что лучше всего объясняет первую половину</translation>
    </message>
    <message>
        <source>replay.had_room</source>
        <translation>для ждущих заданий было место {share} часов их ожидания: чем больше, тем меньше объясняет одна очередь</translation>
    </message>
    <message>
        <source>replay.intervals_hold</source>
        <translation>в 80-процентных интервалах недельных средних лежит {share} недель</translation>
    </message>
    <message>
        <source>replay.last_week_is_better</source>
        <translation>. Среднее прошлой недели здесь лучше: причин ожидания в журнале нет</translation>
    </message>
    <message>
        <source>replay.last_weeks</source>
        <translation>что лучше всего объясняет последние недели</translation>
    </message>
    <message>
        <source>replay.log</source>
        <translation>{log}: заданий с записанным ожиданием {jobs}, GPU: {gpus}</translation>
    </message>
    <message>
        <source>replay.mean_waits</source>
        <translation>среднее ожидание во второй половине</translation>
    </message>
    <message>
        <source>replay.model</source>
        <translation>{policy} на {usable} машины, {last_week} от прошлой недели</translation>
    </message>
    <message>
        <source>replay.most_wrong</source>
        <translation>недели с наибольшей ошибкой</translation>
    </message>
    <message numerus="yes">
        <source>replay.never_start</source>
        <translation>
            <numerusform>; {jobs} задание начинается лишь в одном из двух</numerusform>
            <numerusform>; {jobs} задания начинаются лишь в одном из двух</numerusform>
            <numerusform>; {jobs} заданий начинаются лишь в одном из двух</numerusform>
        </translation>
    </message>
    <message>
        <source>replay.not_shown</source>
        <translation>. Это меньше собственной ошибки повтора {error} ч или может быть случайностью: этот журнал не может показать изменение</translation>
    </message>
    <message>
        <source>replay.replay_has_room</source>
        <translation>в прогоне scenario.yaml место для них есть в {share}</translation>
    </message>
    <message>
        <source>replay.nobody_waited</source>
        <translation>. Во второй половине никто не ждал: сравнивать ожидания не с чем</translation>
    </message>
    <message>
        <source>replay.falls_too_far</source>
        <translation>. Ожидание не может сократиться больше чем на записанные {recorded} ч: неизменённый прогон ждёт слишком долго, и этот журнал не может показать изменение</translation>
    </message>
    <message>
        <source>replay.second_half</source>
        <translation>вторая половина, заданий: {jobs}, недель: {weeks}; каждая предсказана тем, что объясняет недели до неё</translation>
    </message>
    <message>
        <source>replay.shows</source>
        <translation>что показывает журнал</translation>
    </message>
    <message>
        <source>replay.start_answer</source>
        <translation>начнётся через {p50}, в 80 % из 200 вариантов будущего через {low} – {high}</translation>
    </message>
    <message numerus="yes">
        <source>replay.starts</source>
        <translation>
            <numerusform>если отправить это задание сейчас: {job} в нынешней очереди, за {jobs} заданием</numerusform>
            <numerusform>если отправить это задание сейчас: {job} в нынешней очереди, за {jobs} заданиями</numerusform>
            <numerusform>если отправить это задание сейчас: {job} в нынешней очереди, за {jobs} заданиями</numerusform>
        </translation>
    </message>
    <message>
        <source>replay.bounds</source>
        <translation>границы, в которых должны начаться девять заданий из десяти, по начавшимся раньше</translation>
    </message>
    <message>
        <source>replay.time_after</source>
        <translation>время после журнала, для работы как в последние четыре недели</translation>
    </message>
    <message>
        <source>replay.too_few_jobs</source>
        <translation>. По такому числу заданий судить нельзя</translation>
    </message>
    <message>
        <source>replay.users_stay</source>
        <translation>те же задания приходят в то же время: пользователи, которые отвечают на другое ожидание, так не поступают</translation>
    </message>
    <message>
        <source>replay.weekly_error</source>
        <translation>недельная ошибка: сумма по неделям |предсказанное − записанное| ожидание, делённая на всё записанное; каждая неделя повторяется с состояния записи в её начале</translation>
    </message>
    <message>
        <source>replay.what_if</source>
        <translation>что если {change}: вторая половина по scenario.yaml и по изменённому, пересэмплированных недель: {weeks}</translation>
    </message>
    <message>
        <source>replay.what_if_answer</source>
        <translation>{change}: среднее ожидание {difference} ч (от {low} до {high} ч); среднее без изменения в {times} раза больше записанного{but}</translation>
    </message>
    <message>
        <source>replay.with_error</source>
        <translation>{model}: недельная ошибка {error}</translation>
    </message>
    <message>
        <source>score.decisions</source>
        <translation>решения: пар {pairs}, решено {decided} (различие больше 5 %; первая стратегия побеждает в {first}): верно {right} = {share}, одна скорость {one_rate}</translation>
    </message>
    <message>
        <source>score.errors</source>
        <translation>{table}: ошибка времени шага в %, медиана / p90 / среднее{more}</translation>
    </message>
    <message numerus="yes">
        <source>score.not_predicted</source>
        <translation>
            <numerusform>не предсказана {rows} строка (впервые строка {line}): {fault}</numerusform>
            <numerusform>не предсказаны {rows} строки (впервые строка {line}): {fault}</numerusform>
            <numerusform>не предсказано {rows} строк (впервые строка {line}): {fault}</numerusform>
        </translation>
    </message>
    <message>
        <source>score.set_by_rows</source>
        <translation>задано строками калибровки: {constants}</translation>
    </message>
    <message>
        <source>score.transfer</source>
        <translation>names only: ничего не подогнано. transfer: каждая постоянная из строк других моделей, или не более чем с 8 GPU для строк с большим числом.</translation>
    </message>
    <message>
        <source>score.with_calibration</source>
        <translation>; с калибровкой «{calibration}»</translation>
    </message>
    <message>
        <source>score.worse</source>
        <translation>{unit}: хуже формулы с одной скоростью: {which}</translation>
    </message>
    <message>
        <source>score.wrong</source>
        <translation>неверно: {decision}</translation>
    </message>
    <message>
        <source>sensitivity.at_both_ends</source>
        <translation>от {low} до {high} ответ меняется с {at_low} на {at_high}</translation>
    </message>
    <message>
        <source>sensitivity.at_one_end</source>
        <translation>при {runs} ответ {answer}, а при {fails} запуск невозможен</translation>
    </message>
    <message>
        <source>sensitivity.cannot_run</source>
        <translation>запуск невозможен</translation>
    </message>
    <message>
        <source>sensitivity.cannot_vary</source>
        <translation>нельзя менять: {input}: {why}</translation>
    </message>
    <message>
        <source>sensitivity.mean_of_seeds</source>
        <translation>; среднее по {seeds} начальным числам</translation>
    </message>
    <message>
        <source>sensitivity.more</source>
        <translation>… и ещё {more} в sensitivity.csv</translation>
    </message>
    <message>
        <source>sensitivity.most_important</source>
        <translation>важнее всего {input}: {effect}</translation>
    </message>
    <message>
        <source>sensitivity.no_effect</source>
        <translation>не влияют ({count}): {inputs}</translation>
    </message>
    <message>
        <source>sensitivity.cut_off</source>
        <translation>; без {samples} из {all} выборок, которые не могут выполниться</translation>
    </message>
    <message>
        <source>sensitivity.not_varied</source>
        <translation>не варьируются: ошибки самой модели (docs/accuracy.md); машины, GPU, память, ядра, цены и политики (-i PATH=10% варьирует одно из них)</translation>
    </message>
    <message>
        <source>sensitivity.nothing_changes</source>
        <translation>ни одна величина этого не меняет</translation>
    </message>
    <message>
        <source>sensitivity.point</source>
        <translation>точка: {point}</translation>
    </message>
    <message numerus="yes">
        <source>sensitivity.together</source>
        <translation>
            <numerusform>; от {low} до {high}, если менять {inputs} неточную величину (5–95 % из {samples} выборок)</numerusform>
            <numerusform>; от {low} до {high}, если менять вместе {inputs} неточные величины (5–95 % из {samples} выборок)</numerusform>
            <numerusform>; от {low} до {high}, если менять вместе {inputs} неточных величин (5–95 % из {samples} выборок)</numerusform>
        </translation>
    </message>
    <message>
        <source>sensitivity.value_is</source>
        <translation>{measure}: {value}{more}</translation>
    </message>
    <message>
        <source>together.held_by</source>
        <translation>{who} {hours} ({share})</translation>
    </message>
    <message>
        <source>together.ledger</source>
        <translation>{title}из {all} GPU-часов: {held}, свободно или не работает {free} ({share})</translation>
    </message>
    <message>
        <source>together.queue</source>
        <translation>очередь</translation>
    </message>
    <message>
        <source>together.retraining</source>
        <translation>переобучение</translation>
    </message>
    <message>
        <source>together.services</source>
        <translation>сервисы</translation>
    </message>
    <message>
        <source>together.shares_links</source>
        <translation>{name} делит связи {time} и обучается там на {speed} своей скорости без соседей, чаще всего рядом с {neighbour} на {link}</translation>
    </message>
    <message>
        <source>calibrate.at_end</source>
        <translation>на краю допустимого</translation>
    </message>
    <message>
        <source>calibrate.columns</source>
        <translation>times: во сколько раз от известного по именам; decides: какая доля первого шага от этого зависит. Постоянные, которые эти строки не различают, сдвинуты настолько, насколько каждая неточна (results/error_model.csv).</translation>
    </message>
    <message>
        <source>calibrate.not_explained</source>
        <translation>не объяснено</translation>
    </message>
    <message>
        <source>calibrate.unexplained</source>
        <translation>Никакие значения в допустимых пределах не объясняют {measured} ({row}); ближайшее — {nearest}. Возможно, действует то, чего в сценарии нет: ввод данных, другое задание на машинах, другие программы.</translation>
    </message>
    <message>
        <source>results.based_on</source>
        <translation>на основе: {note}</translation>
    </message>
    <message>
        <source>results.job</source>
        <translation>{title}: {rates}</translation>
    </message>
    <message>
        <source>results.no_job_ran</source>
        <translation>ни одно задание не запустилось</translation>
    </message>
</context>
<context>
    <name>Results</name>
    <message>
        <source>cannot run</source>
        <translation>не выполняется</translation>
    </message>
    <message>
        <source>met</source>
        <translation>цель достигнута</translation>
    </message>
    <message>
        <source>missed</source>
        <translation>цель не достигнута</translation>
    </message>
    <message>
        <source>undecided</source>
        <translation>не решено</translation>
    </message>
    <message>
        <source>unsure</source>
        <translation>не наверняка</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>отброшено</translation>
    </message>
    <message>
        <source>image</source>
        <translation>изображений</translation>
    </message>
    <message>
        <source>sample</source>
        <translation>образцов</translation>
    </message>
    <message>
        <source>useful image</source>
        <translation>полезных изображений</translation>
    </message>
    <message>
        <source>useful sample</source>
        <translation>полезных образцов</translation>
    </message>
    <message>
        <source>useful sequence</source>
        <translation>полезных последовательностей</translation>
    </message>
    <message>
        <source>sequence</source>
        <translation>последовательностей</translation>
    </message>
    <message>
        <source>token</source>
        <translation>токенов</translation>
    </message>
    <message>
        <source>%1 GPU</source>
        <translation>%1 GPU</translation>
    </message>
    <message>
        <source>%1 GPUs</source>
        <translation>%1 GPU</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1: %2.</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <translation>%1; %2</translation>
    </message>
    <message>
        <source>assumed: %1</source>
        <translation>принято: %1</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>compute</source>
        <translation>вычисления</translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation>неперекрытый обмен</translation>
    </message>
    <message>
        <source>input</source>
        <translation>ввод</translation>
    </message>
    <message>
        <source>wait for others</source>
        <translation>ожидание других</translation>
    </message>
    <message>
        <source>host starts operators</source>
        <translation>хост запускает операторы</translation>
    </message>
    <message>
        <source>role</source>
        <translation>роль</translation>
    </message>
    <message>
        <source>time</source>
        <translation>время</translation>
    </message>
    <message>
        <source>waited</source>
        <translation>ждал</translation>
    </message>
    <message>
        <source>where</source>
        <translation>где</translation>
    </message>
    <message>
        <source>what</source>
        <translation>что</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>вид</translation>
    </message>
    <message>
        <source>used</source>
        <translation>загрузка</translation>
    </message>
    <message>
        <source>occupied</source>
        <translation>занято</translation>
    </message>
    <message>
        <source>carried</source>
        <translation>передано</translation>
    </message>
    <message>
        <source>link</source>
        <translation>связь</translation>
    </message>
    <message>
        <source>bandwidth</source>
        <translation>скорость</translation>
    </message>
    <message>
        <source>jobs</source>
        <translation>задания</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>прямой</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>обратный</translation>
    </message>
    <message>
        <source>pull</source>
        <translation>получение</translation>
    </message>
    <message>
        <source>push</source>
        <translation>отправка</translation>
    </message>
    <message>
        <source>exchange</source>
        <translation>обмен</translation>
    </message>
    <message>
        <source>aggregate</source>
        <translation>сложение</translation>
    </message>
    <message>
        <source>update</source>
        <translation>обновление</translation>
    </message>
    <message>
        <source>resource</source>
        <translation>ресурс</translation>
    </message>
    <message>
        <source>connection</source>
        <translation>соединение</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>обмен данными</translation>
    </message>
    <message>
        <source>network</source>
        <translation>сеть</translation>
    </message>
    <message>
        <source>kernels of forward and backward passes on the busiest rank</source>
        <translation>ядра прямого и обратного проходов на самом занятом ранге</translation>
    </message>
    <message>
        <source>waiting for kernels to be launched</source>
        <translation>ожидание запуска ядер</translation>
    </message>
    <message>
        <source>tensor-parallel collectives that nothing hides</source>
        <translation>неперекрытые коллективные операции тензорного параллелизма</translation>
    </message>
    <message>
        <source>exchange of keys and values that nothing hides</source>
        <translation>неперекрытый обмен ключами и значениями</translation>
    </message>
    <message>
        <source>all-to-all of experts</source>
        <translation>обмен all-to-all между экспертами</translation>
    </message>
    <message>
        <source>gradients and weights between replicas that nothing hides</source>
        <translation>неперекрытый обмен градиентами и весами между репликами</translation>
    </message>
    <message>
        <source>waiting for other stages, were messages instant</source>
        <translation>ожидание других стадий, будь сообщения мгновенными</translation>
    </message>
    <message>
        <source>more of it because messages between stages take time</source>
        <translation>добавка к нему: сообщения между стадиями занимают время</translation>
    </message>
    <message>
        <source>update of the parameters</source>
        <translation>обновление параметров</translation>
    </message>
    <message>
        <source>training between two checkpoints; 0: none are written</source>
        <translation>обучение между двумя контрольными точками; 0: они не пишутся</translation>
    </message>
    <message>
        <source>queue:</source>
        <translation>очередь:</translation>
    </message>
    <message>
        <source>priority:</source>
        <translation>приоритет:</translation>
    </message>
    <message>
        <source>state:</source>
        <translation>состояние:</translation>
    </message>
    <message>
        <source>load:</source>
        <translation>загрузка:</translation>
    </message>
    <message>
        <source>nothing trains</source>
        <translation>ничего не обучается</translation>
    </message>
    <message>
        <source>wait for the slowest</source>
        <translation>ожидание самого медленного</translation>
    </message>
    <message>
        <source>other</source>
        <translation>прочее</translation>
    </message>
</context>
<context>
    <name>Columns</name>
    <message>
        <source>GPU hours</source>
        <translation>GPU-часы</translation>
    </message>
    <message>
        <source>GPU mask</source>
        <translation>маска GPU</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>память GPU</translation>
    </message>
    <message>
        <source>GPU share</source>
        <translation>доля GPU</translation>
    </message>
    <message>
        <source>JCT</source>
        <translation>время завершения</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>активации</translation>
    </message>
    <message>
        <source>alone</source>
        <translation>в одиночку</translation>
    </message>
    <message>
        <source>arrival</source>
        <translation>поступление</translation>
    </message>
    <message>
        <source>asked GPUs</source>
        <translation>запрошено GPU</translation>
    </message>
    <message>
        <source>at</source>
        <translation>когда</translation>
    </message>
    <message>
        <source>attempt</source>
        <translation>попытка</translation>
    </message>
    <message>
        <source>attempts</source>
        <translation>попытки</translation>
    </message>
    <message>
        <source>availability</source>
        <translation>доступность</translation>
    </message>
    <message>
        <source>bandwidth</source>
        <translation>пропускная способность</translation>
    </message>
    <message>
        <source>batch per GPU</source>
        <translation>пакет на GPU</translation>
    </message>
    <message>
        <source>begin</source>
        <translation>начало</translation>
    </message>
    <message>
        <source>blocker</source>
        <translation>кто мешает</translation>
    </message>
    <message>
        <source>bottleneck</source>
        <translation>узкое место</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>простой конвейера</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>занято</translation>
    </message>
    <message>
        <source>busy GPUs</source>
        <translation>занято GPU</translation>
    </message>
    <message>
        <source>by</source>
        <translation>кем</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>байты</translation>
    </message>
    <message>
        <source>bytes per step</source>
        <translation>байт за шаг</translation>
    </message>
    <message>
        <source>cause</source>
        <translation>причина</translation>
    </message>
    <message>
        <source>caused by</source>
        <translation>вызвано</translation>
    </message>
    <message>
        <source>checkpoint interval</source>
        <translation>интервал контрольных точек</translation>
    </message>
    <message>
        <source>chunk</source>
        <translation>часть</translation>
    </message>
    <message>
        <source>chunks</source>
        <translation>части</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>часы</translation>
    </message>
    <message>
        <source>coalesced</source>
        <translation>объединено</translation>
    </message>
    <message>
        <source>completions</source>
        <translation>завершено</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>вычисления</translation>
    </message>
    <message>
        <source>confirm</source>
        <translation>подтверждение</translation>
    </message>
    <message>
        <source>container GPU</source>
        <translation>GPU в контейнере</translation>
    </message>
    <message>
        <source>cost</source>
        <translation>стоимость</translation>
    </message>
    <message>
        <source>data until</source>
        <translation>данные до</translation>
    </message>
    <message>
        <source>deploy</source>
        <translation>развёртывание</translation>
    </message>
    <message>
        <source>deployed</source>
        <translation>развёрнуто</translation>
    </message>
    <message>
        <source>deployed at</source>
        <translation>когда развёрнуто</translation>
    </message>
    <message>
        <source>desired</source>
        <translation>требуется</translation>
    </message>
    <message>
        <source>detail</source>
        <translation>подробности</translation>
    </message>
    <message>
        <source>detect</source>
        <translation>обнаружение</translation>
    </message>
    <message>
        <source>detected</source>
        <translation>обнаружено</translation>
    </message>
    <message>
        <source>download</source>
        <translation>загрузка</translation>
    </message>
    <message>
        <source>duplicates</source>
        <translation>повторы</translation>
    </message>
    <message>
        <source>duration</source>
        <translation>длительность</translation>
    </message>
    <message>
        <source>end</source>
        <translation>конец</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>завершено</translation>
    </message>
    <message>
        <source>ended at</source>
        <translation>когда завершено</translation>
    </message>
    <message>
        <source>energy</source>
        <translation>энергия</translation>
    </message>
    <message>
        <source>event</source>
        <translation>событие</translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation>открытый обмен</translation>
    </message>
    <message>
        <source>exposed context</source>
        <translation>открытый обмен контекстом</translation>
    </message>
    <message>
        <source>exposed data</source>
        <translation>открытый обмен данными</translation>
    </message>
    <message>
        <source>exposed expert</source>
        <translation>открытый обмен экспертов</translation>
    </message>
    <message>
        <source>exposed pipeline</source>
        <translation>открытый обмен конвейера</translation>
    </message>
    <message>
        <source>exposed tensor</source>
        <translation>открытый тензорный обмен</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>не удалось</translation>
    </message>
    <message>
        <source>failure</source>
        <translation>отказ</translation>
    </message>
    <message>
        <source>failures</source>
        <translation>отказы</translation>
    </message>
    <message>
        <source>fidelity</source>
        <translation>точность модели</translation>
    </message>
    <message>
        <source>finish</source>
        <translation>окончание</translation>
    </message>
    <message>
        <source>finish time fairness</source>
        <translation>справедливость по завершению</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>завершено</translation>
    </message>
    <message>
        <source>finished jobs</source>
        <translation>завершённые задания</translation>
    </message>
    <message>
        <source>first running</source>
        <translation>первый запуск</translation>
    </message>
    <message>
        <source>forbidden</source>
        <translation>запрещено</translation>
    </message>
    <message>
        <source>fragmentation</source>
        <translation>фрагментация</translation>
    </message>
    <message>
        <source>fragmented wait hours</source>
        <translation>часы ожидания из-за фрагментации</translation>
    </message>
    <message>
        <source>free GPUs</source>
        <translation>свободные GPU</translation>
    </message>
    <message>
        <source>from</source>
        <translation>от</translation>
    </message>
    <message>
        <source>goodput</source>
        <translation>полезная работа</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>градиенты</translation>
    </message>
    <message>
        <source>group</source>
        <translation>группа</translation>
    </message>
    <message>
        <source>held</source>
        <translation>удержано</translation>
    </message>
    <message>
        <source>held share</source>
        <translation>доля удержания</translation>
    </message>
    <message>
        <source>high</source>
        <translation>верхняя граница</translation>
    </message>
    <message>
        <source>host</source>
        <translation>хост</translation>
    </message>
    <message>
        <source>host GPU</source>
        <translation>GPU хоста</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>простой</translation>
    </message>
    <message>
        <source>idle GPU</source>
        <translation>простой GPU</translation>
    </message>
    <message>
        <source>impossible</source>
        <translation>невозможно</translation>
    </message>
    <message>
        <source>input</source>
        <translation>ввод данных</translation>
    </message>
    <message>
        <source>input wait</source>
        <translation>ожидание данных</translation>
    </message>
    <message>
        <source>jain</source>
        <translation>индекс Джейна</translation>
    </message>
    <message>
        <source>job</source>
        <translation>задание</translation>
    </message>
    <message>
        <source>jobs</source>
        <translation>задания</translation>
    </message>
    <message>
        <source>jobs hit</source>
        <translation>затронуто заданий</translation>
    </message>
    <message>
        <source>killed</source>
        <translation>убито</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>вид</translation>
    </message>
    <message>
        <source>label</source>
        <translation>название</translation>
    </message>
    <message>
        <source>layout</source>
        <translation>раскладка</translation>
    </message>
    <message>
        <source>link</source>
        <translation>связь</translation>
    </message>
    <message>
        <source>load</source>
        <translation>нагрузка</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>потеряно</translation>
    </message>
    <message>
        <source>lost GPU</source>
        <translation>потеряно GPU</translation>
    </message>
    <message>
        <source>lost GPU hours</source>
        <translation>потерянные GPU-часы</translation>
    </message>
    <message>
        <source>lost messages</source>
        <translation>потерянные сообщения</translation>
    </message>
    <message>
        <source>low</source>
        <translation>нижняя граница</translation>
    </message>
    <message>
        <source>makespan</source>
        <translation>общее время</translation>
    </message>
    <message>
        <source>mean JCT</source>
        <translation>среднее время завершения</translation>
    </message>
    <message>
        <source>mean confirm</source>
        <translation>среднее подтверждение</translation>
    </message>
    <message>
        <source>mean deploy</source>
        <translation>среднее развёртывание</translation>
    </message>
    <message>
        <source>mean detect</source>
        <translation>среднее обнаружение</translation>
    </message>
    <message>
        <source>mean download</source>
        <translation>средняя загрузка</translation>
    </message>
    <message>
        <source>mean need</source>
        <translation>средняя потребность</translation>
    </message>
    <message>
        <source>mean power</source>
        <translation>средняя мощность</translation>
    </message>
    <message>
        <source>mean queue</source>
        <translation>средняя очередь</translation>
    </message>
    <message>
        <source>mean running share</source>
        <translation>средняя доля работающих</translation>
    </message>
    <message>
        <source>mean save</source>
        <translation>среднее сохранение</translation>
    </message>
    <message>
        <source>mean train</source>
        <translation>среднее обучение</translation>
    </message>
    <message>
        <source>mean upload</source>
        <translation>средняя отправка</translation>
    </message>
    <message>
        <source>mean waiting</source>
        <translation>среднее ожидание</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>память</translation>
    </message>
    <message>
        <source>message</source>
        <translation>сообщение</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>сообщения</translation>
    </message>
    <message>
        <source>micro batch</source>
        <translation>микропакет</translation>
    </message>
    <message>
        <source>model</source>
        <translation>модель</translation>
    </message>
    <message>
        <source>model flop utilisation</source>
        <translation>использование пика (MFU)</translation>
    </message>
    <message>
        <source>moved to</source>
        <translation>перенесено на</translation>
    </message>
    <message>
        <source>moves</source>
        <translation>переносы</translation>
    </message>
    <message>
        <source>name</source>
        <translation>имя</translation>
    </message>
    <message>
        <source>need</source>
        <translation>потребность</translation>
    </message>
    <message>
        <source>need to deployed mean at least</source>
        <translation>до развёртывания, не меньше</translation>
    </message>
    <message>
        <source>need to deployed p50</source>
        <translation>до развёртывания, медиана</translation>
    </message>
    <message>
        <source>need to deployed p95</source>
        <translation>до развёртывания, 95 % ниже</translation>
    </message>
    <message>
        <source>need to deployed</source>
        <translation>до развёртывания</translation>
    </message>
    <message>
        <source>need to trained mean at least</source>
        <translation>до конца обучения, не меньше</translation>
    </message>
    <message>
        <source>needed at</source>
        <translation>когда понадобилось</translation>
    </message>
    <message>
        <source>needs</source>
        <translation>потребности</translation>
    </message>
    <message>
        <source>neighbour</source>
        <translation>сосед</translation>
    </message>
    <message>
        <source>network</source>
        <translation>сеть</translation>
    </message>
    <message>
        <source>never back</source>
        <translation>не вернулось</translation>
    </message>
    <message>
        <source>never ran</source>
        <translation>не запускалось</translation>
    </message>
    <message>
        <source>node</source>
        <translation>машина</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>машины</translation>
    </message>
    <message>
        <source>number</source>
        <translation>число</translation>
    </message>
    <message>
        <source>open</source>
        <translation>открыто</translation>
    </message>
    <message>
        <source>optimal makespan</source>
        <translation>наименьшее общее время</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>оптимизатор</translation>
    </message>
    <message>
        <source>other</source>
        <translation>прочее</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>нехватка памяти</translation>
    </message>
    <message>
        <source>outdated</source>
        <translation>устарело</translation>
    </message>
    <message>
        <source>owner</source>
        <translation>владелец</translation>
    </message>
    <message>
        <source>pass</source>
        <translation>проход</translation>
    </message>
    <message>
        <source>placed</source>
        <translation>размещено</translation>
    </message>
    <message>
        <source>planned makespan</source>
        <translation>общее время по плану</translation>
    </message>
    <message>
        <source>planned start</source>
        <translation>начало по плану</translation>
    </message>
    <message>
        <source>planner</source>
        <translation>планировщик</translation>
    </message>
    <message>
        <source>plans</source>
        <translation>планы</translation>
    </message>
    <message>
        <source>point</source>
        <translation>точка</translation>
    </message>
    <message>
        <source>policy</source>
        <translation>правило</translation>
    </message>
    <message>
        <source>power</source>
        <translation>мощность</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>точность чисел</translation>
    </message>
    <message>
        <source>preemptions</source>
        <translation>вытеснения</translation>
    </message>
    <message>
        <source>price per million samples</source>
        <translation>цена за миллион образцов</translation>
    </message>
    <message>
        <source>priority</source>
        <translation>приоритет</translation>
    </message>
    <message>
        <source>provenance</source>
        <translation>происхождение</translation>
    </message>
    <message>
        <source>provenance note</source>
        <translation>о происхождении</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>очередь</translation>
    </message>
    <message>
        <source>queue GPU hours</source>
        <translation>GPU-часы очереди</translation>
    </message>
    <message>
        <source>queue lost GPU hours</source>
        <translation>потерянные GPU-часы очереди</translation>
    </message>
    <message>
        <source>queueing delay</source>
        <translation>время в очереди</translation>
    </message>
    <message>
        <source>rack</source>
        <translation>стойка</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>ранг</translation>
    </message>
    <message>
        <source>reason</source>
        <translation>причина</translation>
    </message>
    <message>
        <source>recovered</source>
        <translation>восстановлено</translation>
    </message>
    <message>
        <source>redeploying</source>
        <translation>повторное развёртывание</translation>
    </message>
    <message>
        <source>redone</source>
        <translation>переделано</translation>
    </message>
    <message>
        <source>redone GPU hours</source>
        <translation>переделанные GPU-часы</translation>
    </message>
    <message>
        <source>replaced</source>
        <translation>заменено</translation>
    </message>
    <message>
        <source>replica</source>
        <translation>реплика</translation>
    </message>
    <message>
        <source>replicas</source>
        <translation>реплики</translation>
    </message>
    <message>
        <source>request</source>
        <translation>запрос</translation>
    </message>
    <message>
        <source>restarts</source>
        <translation>перезапуски</translation>
    </message>
    <message>
        <source>restoring</source>
        <translation>восстановление</translation>
    </message>
    <message>
        <source>retraining GPU hours</source>
        <translation>GPU-часы дообучения</translation>
    </message>
    <message>
        <source>run</source>
        <translation>запуск</translation>
    </message>
    <message>
        <source>running</source>
        <translation>работает</translation>
    </message>
    <message>
        <source>running jobs</source>
        <translation>работающие задания</translation>
    </message>
    <message>
        <source>sample</source>
        <translation>образец</translation>
    </message>
    <message>
        <source>samples per second</source>
        <translation>образцов в секунду</translation>
    </message>
    <message>
        <source>save</source>
        <translation>сохранение</translation>
    </message>
    <message>
        <source>saving</source>
        <translation>сохранение</translation>
    </message>
    <message>
        <source>scaling efficiency</source>
        <translation>эффективность масштабирования</translation>
    </message>
    <message>
        <source>servers</source>
        <translation>серверы</translation>
    </message>
    <message>
        <source>service</source>
        <translation>сервис</translation>
    </message>
    <message>
        <source>services GPU hours</source>
        <translation>GPU-часы сервисов</translation>
    </message>
    <message>
        <source>share of speed alone</source>
        <translation>доля скорости в одиночку</translation>
    </message>
    <message>
        <source>simulated steps</source>
        <translation>смоделировано шагов</translation>
    </message>
    <message>
        <source>slowdown</source>
        <translation>замедление</translation>
    </message>
    <message>
        <source>source</source>
        <translation>источник</translation>
    </message>
    <message>
        <source>speed</source>
        <translation>скорость</translation>
    </message>
    <message>
        <source>stale share</source>
        <translation>доля времени с устаревшей моделью</translation>
    </message>
    <message>
        <source>staleness</source>
        <translation>устаревание</translation>
    </message>
    <message>
        <source>stalled</source>
        <translation>остановлено</translation>
    </message>
    <message>
        <source>start</source>
        <translation>начало</translation>
    </message>
    <message>
        <source>state</source>
        <translation>состояние</translation>
    </message>
    <message>
        <source>step</source>
        <translation>шаг</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>шаги</translation>
    </message>
    <message>
        <source>submissions</source>
        <translation>отправки</translation>
    </message>
    <message>
        <source>submit</source>
        <translation>отправка</translation>
    </message>
    <message>
        <source>task</source>
        <translation>задача</translation>
    </message>
    <message>
        <source>tasks hit</source>
        <translation>затронуто задач</translation>
    </message>
    <message>
        <source>team</source>
        <translation>команда</translation>
    </message>
    <message>
        <source>time</source>
        <translation>время</translation>
    </message>
    <message>
        <source>time to recover</source>
        <translation>время восстановления</translation>
    </message>
    <message>
        <source>to</source>
        <translation>до</translation>
    </message>
    <message>
        <source>tokens per sample</source>
        <translation>токенов в образце</translation>
    </message>
    <message>
        <source>tokens per second</source>
        <translation>токенов в секунду</translation>
    </message>
    <message>
        <source>total</source>
        <translation>всего</translation>
    </message>
    <message>
        <source>train</source>
        <translation>обучение</translation>
    </message>
    <message>
        <source>trained at</source>
        <translation>когда обучено</translation>
    </message>
    <message>
        <source>training</source>
        <translation>обучение</translation>
    </message>
    <message>
        <source>type</source>
        <translation>тип</translation>
    </message>
    <message>
        <source>until</source>
        <translation>до</translation>
    </message>
    <message>
        <source>upload</source>
        <translation>отправка</translation>
    </message>
    <message>
        <source>uploads</source>
        <translation>отправки</translation>
    </message>
    <message>
        <source>used</source>
        <translation>использовано</translation>
    </message>
    <message>
        <source>useful</source>
        <translation>полезно</translation>
    </message>
    <message>
        <source>useful tokens per second</source>
        <translation>полезных токенов в секунду</translation>
    </message>
    <message>
        <source>user</source>
        <translation>пользователь</translation>
    </message>
    <message>
        <source>utilisation</source>
        <translation>загрузка</translation>
    </message>
    <message>
        <source>variant</source>
        <translation>вариант</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>вывод</translation>
    </message>
    <message>
        <source>wait</source>
        <translation>ожидание</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>ожидание</translation>
    </message>
    <message>
        <source>waiting jobs</source>
        <translation>ждущие задания</translation>
    </message>
    <message>
        <source>wasted GPU hours</source>
        <translation>потраченные зря GPU-часы</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>веса</translation>
    </message>
    <message>
        <source>what</source>
        <translation>что</translation>
    </message>
    <message>
        <source>why</source>
        <translation>почему</translation>
    </message>
    <message>
        <source>window</source>
        <translation>окно</translation>
    </message>
    <message>
        <source>work done</source>
        <translation>выполнено работы</translation>
    </message>
    <message>
        <source>worker</source>
        <translation>работник</translation>
    </message>
    <message>
        <source>workers</source>
        <translation>работники</translation>
    </message>
    <message>
        <source>worst outage</source>
        <translation>худший простой</translation>
    </message>
</context>
<context>
    <name>Units</name>
    <message>
        <source>ns</source>
        <translation>нс</translation>
    </message>
    <message>
        <source>us</source>
        <translation>мкс</translation>
    </message>
    <message>
        <source>µs</source>
        <translation>мкс</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>мс</translation>
    </message>
    <message>
        <source>s</source>
        <translation>с</translation>
    </message>
    <message>
        <source>min</source>
        <translation>мин</translation>
    </message>
    <message>
        <source>h</source>
        <translation>ч</translation>
    </message>
    <message>
        <source>d</source>
        <translation>д</translation>
    </message>
    <message>
        <source>B</source>
        <translation>Б</translation>
    </message>
    <message>
        <source>kB</source>
        <translation>кБ</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>МБ</translation>
    </message>
    <message>
        <source>GB</source>
        <translation>ГБ</translation>
    </message>
    <message>
        <source>TB</source>
        <translation>ТБ</translation>
    </message>
    <message>
        <source>B/s</source>
        <translation>Б/с</translation>
    </message>
    <message>
        <source>kB/s</source>
        <translation>кБ/с</translation>
    </message>
    <message>
        <source>MB/s</source>
        <translation>МБ/с</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>ГБ/с</translation>
    </message>
    <message>
        <source>TB/s</source>
        <translation>ТБ/с</translation>
    </message>
    <message>
        <source>Mbit/s</source>
        <translation>Мбит/с</translation>
    </message>
    <message>
        <source>Gbit/s</source>
        <translation>Гбит/с</translation>
    </message>
    <message>
        <source>Tbit/s</source>
        <translation>Тбит/с</translation>
    </message>
    <message>
        <source>W</source>
        <translation>Вт</translation>
    </message>
    <message>
        <source>kWh</source>
        <translation>кВт·ч</translation>
    </message>
    <message>
        <source>$/h</source>
        <translation>$/ч</translation>
    </message>
</context>
<context>
    <name>Examples</name>
    <message>
        <source>which container gets which GPU and how much of its memory, and how fast do they train?</source>
        <translation>какой контейнер получает какой GPU и сколько его памяти, и как быстро они обучают?</translation>
    </message>
    <message>
        <source>what do the two GPUs do while a client fits a line?</source>
        <translation>что делают два GPU, пока клиент подбирает прямую?</translation>
    </message>
    <message>
        <source>how much of the GPU time that two jobs hold do they waste without a gang?</source>
        <translation>сколько удерживаемого времени GPU два задания теряют без совместного запуска?</translation>
    </message>
    <message>
        <source>from which load on is a planner worth it, and how good are the models?</source>
        <translation>с какой нагрузки планировщик окупается, и насколько хороши модели?</translation>
    </message>
    <message>
        <source>parameter servers, a gather of touched rows, or dense gradients for a recommendation model with embeddings?</source>
        <translation>серверы параметров, сбор затронутых строк или плотные градиенты для рекомендательной модели с эмбеддингами?</translation>
    </message>
    <message>
        <source>how many steps must workers behind a slow network take by themselves until averaging costs them nothing?</source>
        <translation>сколько шагов работники за медленной сетью должны делать сами, чтобы усреднение ничего не стоило?</translation>
    </message>
    <message>
        <source>does DeepSeek-V3 fit without tensor parallelism, and what do its experts&apos; messages cost?</source>
        <translation>Помещается ли DeepSeek-V3 без тензорного параллелизма и во что обходятся сообщения его экспертов?</translation>
    </message>
    <message>
        <source>Designs, and their measures of the goal</source>
        <translation>Варианты и то, что они дают</translation>
    </message>
    <message>
        <source>which resources does an ended batch container still hold?</source>
        <translation>какие ресурсы ещё держит завершившийся пакетный контейнер?</translation>
    </message>
    <message>
        <source>does a byte leave the machine when all containers of a training job run on it?</source>
        <translation>покидает ли машину хоть один байт, если на ней все контейнеры задания обучения?</translation>
    </message>
    <message>
        <source>do the containers on one machine find each other, and what starts them again?</source>
        <translation>находят ли контейнеры одной машины друг друга и что запускает их снова?</translation>
    </message>
    <message>
        <source>which container gets which GPU, and what restarts after a host fails?</source>
        <translation>какой контейнер получает какой GPU и что перезапускается после отказа хоста?</translation>
    </message>
    <message>
        <source>which library reduces 100 MB fastest over 8 GPUs, and how much time does GPUDirect save?</source>
        <translation>какая библиотека быстрее всего складывает 100 МБ на 8 GPU и сколько времени экономит GPUDirect?</translation>
    </message>
    <message>
        <source>which jobs does one broken machine affect?</source>
        <translation>какие задания затрагивает одна сломанная машина?</translation>
    </message>
    <message>
        <source>which checkpoint interval loses the least time?</source>
        <translation>при каком интервале контрольных точек теряется меньше всего времени?</translation>
    </message>
    <message>
        <source>what does a dead machine cost a training job, and how often should it checkpoint?</source>
        <translation>во что обходится заданию обучения отказавшая машина и как часто ему сохраняться?</translation>
    </message>
    <message>
        <source>how much time do bytes, latency and unequal shares each cost?</source>
        <translation>сколько времени стоят байты, задержка и неравные доли?</translation>
    </message>
    <message>
        <source>what does the work cost, and how much does a licence add?</source>
        <translation>сколько стоит работа и сколько добавляет лицензия?</translation>
    </message>
    <message>
        <source>which jobs do constant loads slow down?</source>
        <translation>какие задания замедляет постоянная нагрузка?</translation>
    </message>
    <message>
        <source>how long does the same work take on a CPU, one GPU, several GPUs, a cluster?</source>
        <translation>сколько длится одна и та же работа на CPU, одном GPU, нескольких GPU и кластере?</translation>
    </message>
    <message>
        <source>how soon does throughput follow the number of workers, and how even is the load on the machines?</source>
        <translation>как быстро скорость следует за числом работников и насколько ровна нагрузка машин?</translation>
    </message>
    <message>
        <source>which transports does this build of the framework have?</source>
        <translation>какие транспорты есть в этой сборке фреймворка?</translation>
    </message>
    <message>
        <source>how much time do two framework versions cost on one cluster?</source>
        <translation>сколько времени стоят две версии фреймворка на одном кластере?</translation>
    </message>
    <message>
        <source>do parameter servers take resources that workers need?</source>
        <translation>отнимают ли серверы параметров ресурсы у работников?</translation>
    </message>
    <message>
        <source>how long does the first start take, and how long the second?</source>
        <translation>сколько длится первый старт и сколько второй?</translation>
    </message>
    <message>
        <source>how much of the reserved GPU time do notebooks use, and how much is left for batch jobs?</source>
        <translation>какую часть зарезервированного времени GPU занимают ноутбуки Jupyter и сколько остаётся пакетным заданиям?</translation>
    </message>
    <message>
        <source>what happens to two jobs for one GPU, without and with requests?</source>
        <translation>что будет с двумя заданиями на один GPU без запросов ресурсов и с ними?</translation>
    </message>
    <message>
        <source>which kinds of jobs gain from bandwidth, and which from latency?</source>
        <translation>каким заданиям помогает пропускная способность, а каким малая задержка?</translation>
    </message>
    <message>
        <source>what happens between a pod's submission and its first step, and why is one pending?</source>
        <translation>что происходит между отправкой пода и первым шагом и почему один из них ждёт?</translation>
    </message>
    <message>
        <source>what depends on the control plane?</source>
        <translation>что зависит от управляющего слоя?</translation>
    </message>
    <message>
        <source>why does a pod wait although GPUs are free?</source>
        <translation>почему под ждёт, хотя GPU свободны?</translation>
    </message>
    <message>
        <source>how long does it take to reach the desired state again after a node is lost?</source>
        <translation>за сколько времени восстанавливается нужное состояние после потери узла?</translation>
    </message>
    <message>
        <source>which version can run a pod with four GPUs?</source>
        <translation>какая версия может запустить под с четырьмя GPU?</translation>
    </message>
    <message>
        <source>which scoring strategy leaves whole machines free for large jobs?</source>
        <translation>какая стратегия оценки оставляет целые машины для больших заданий?</translation>
    </message>
    <message>
        <source>which order serves divided transformers and small jobs best?</source>
        <translation>какой порядок лучше для разделённых трансформеров и малых заданий?</translation>
    </message>
    <message>
        <source>what do divided transformers gain if they may have fewer or more replicas?</source>
        <translation>что выигрывают разделённые трансформеры, если реплик может быть меньше или больше?</translation>
    </message>
    <message>
        <source>how much of the time is useful training, and how often should it save?</source>
        <translation>какая доля времени — полезное обучение и как часто сохранять?</translation>
    </message>
    <message>
        <source>how fast does this layout train, and what holds it back?</source>
        <translation>как быстро обучает эта раскладка и что её сдерживает?</translation>
    </message>
    <message>
        <source>how much waiting do fragmentation-aware placements save on a cluster of four GPU types?</source>
        <translation>сколько ожидания экономит размещение с учётом фрагментации на кластере с четырьмя типами GPU?</translation>
    </message>
    <message>
        <source>what happens inside a training step, and how much of the exchange does the backward pass hide?</source>
        <translation>что происходит внутри шага обучения и какую часть обмена скрывает обратный проход?</translation>
    </message>
    <message>
        <source>what happens to an MPI job when one rank dies, and who holds the GPUs afterwards?</source>
        <translation>что будет с заданием MPI, когда гибнет один ранг, и кто потом держит GPU?</translation>
    </message>
    <message>
        <source>does a batch system or Kubernetes serve a mixed cluster better?</source>
        <translation>что лучше для смешанного кластера: пакетная система или Kubernetes?</translation>
    </message>
    <message>
        <source>what should happen to a retraining if newer data arrive before it has ended?</source>
        <translation>что делать с дообучением, если до его конца пришли более новые данные?</translation>
    </message>
    <message>
        <source>does the orchestrator's name matter?</source>
        <translation>важно ли имя оркестратора?</translation>
    </message>
    <message>
        <source>how long do a change of configuration, new machines and a crash take, by hand and under Kubernetes?</source>
        <translation>сколько длятся смена настроек, новые машины и сбой вручную и под Kubernetes?</translation>
    </message>
    <message>
        <source>how much slower are jobs that are spread over machines and share the network?</source>
        <translation>насколько медленнее задания, разбросанные по машинам с общей сетью?</translation>
    </message>
    <message>
        <source>how much shorter is the makespan if the job on the longest path goes first?</source>
        <translation>насколько короче общее время, если задание на самом длинном пути идёт первым?</translation>
    </message>
    <message>
        <source>which planner ends the night's retrainings first, and how long does planning take?</source>
        <translation>какой планировщик раньше завершает ночные дообучения и сколько длится само планирование?</translation>
    </message>
    <message>
        <source>how much throughput does one slow worker cost with each update rule?</source>
        <translation>сколько скорости стоит один медленный работник при каждом правиле обновления?</translation>
    </message>
    <message>
        <source>how much work does a failed rack cost, with and without rescheduling, with two checkpoint intervals?</source>
        <translation>сколько работы стоит отказ стойки с переносом заданий и без него, при двух интервалах контрольных точек?</translation>
    </message>
    <message>
        <source>when does training start, and what if a rank or the master is missing?</source>
        <translation>когда начинается обучение и что будет, если нет ранга или мастера?</translation>
    </message>
    <message>
        <source>how much of the time is the serving model based on data older than one period?</source>
        <translation>какую часть времени развёрнутая модель основана на данных старше одного периода?</translation>
    </message>
    <message>
        <source>replace a stale retraining at once, after a wait, or not at all?</source>
        <translation>заменять устаревшее дообучение сразу, после ожидания или никогда?</translation>
    </message>
    <message>
        <source>how much later is the end of a training noticed if messages get lost?</source>
        <translation>насколько позже замечают конец обучения, если сообщения теряются?</translation>
    </message>
    <message>
        <source>how much time is lost if the cluster has no status interface?</source>
        <translation>сколько времени теряется, если кластер не сообщает состояние?</translation>
    </message>
    <message>
        <source>how much time do a planner and a shared cluster save from the need to the end of training?</source>
        <translation>сколько времени от потребности до конца обучения экономят планировщик и общий кластер?</translation>
    </message>
    <message>
        <source>from how many workers on does a ring beat parameter servers, and what does a faster network change?</source>
        <translation>с какого числа работников кольцо лучше серверов параметров и что меняет более быстрая сеть?</translation>
    </message>
    <message>
        <source>how much slower is a job in a container or a virtual machine?</source>
        <translation>насколько медленнее задание в контейнере или виртуальной машине?</translation>
    </message>
    <message>
        <source>how many replicas answer the requests, how fast, and what is left for training?</source>
        <translation>сколько реплик отвечает на запросы, как быстро и что остаётся обучению?</translation>
    </message>
    <message>
        <source>which queue policy is best for whom on a shared cluster?</source>
        <translation>какое правило очереди на общем кластере лучше и для кого?</translation>
    </message>
    <message>
        <source>how much slower are jobs that share GPUs by memory?</source>
        <translation>насколько медленнее задания, делящие GPU по памяти?</translation>
    </message>
    <message>
        <source>how many readers can the storage serve at full speed?</source>
        <translation>сколько читателей хранилище обслуживает на полной скорости?</translation>
    </message>
    <message>
        <source>what does one more worker cost a job whose members are fixed?</source>
        <translation>чего стоит ещё один работник заданию с неизменным составом?</translation>
    </message>
    <message>
        <source>a process crashes, a node fails; which tasks restart where and when, and what is lost?</source>
        <translation>падает процесс, отказывает узел: какие задачи, где и когда перезапускаются и что теряется?</translation>
    </message>
    <message>
        <source>which container gets which GPU, and when do containers lose their GPU?</source>
        <translation>какой контейнер получает какой GPU и когда контейнеры его теряют?</translation>
    </message>
    <message>
        <source>what still works when managers are lost?</source>
        <translation>что ещё работает при потере управляющих узлов?</translation>
    </message>
    <message>
        <source>where are replicas placed, and what happens if machines join or fail, or a port is in use?</source>
        <translation>где размещаются реплики и что будет, если машины добавляются, отказывают или порт занят?</translation>
    </message>
    <message>
        <source>how long does a rolling update take, and how many replicas run during it?</source>
        <translation>сколько длится постепенное обновление и сколько реплик при этом работает?</translation>
    </message>
    <message>
        <source>a TensorFlow cluster by hand or Docker Swarm with GPUs?</source>
        <translation>кластер TensorFlow вручную или Docker Swarm с GPU?</translation>
    </message>
    <message>
        <source>which teams does a failed rack affect, with separate and with shared machines?</source>
        <translation>какие команды затрагивает отказ стойки при раздельных и общих машинах?</translation>
    </message>
    <message>
        <source>each team its own machines, or one shared cluster?</source>
        <translation>каждой команде свои машины или один общий кластер?</translation>
    </message>
    <message>
        <source>when does a TensorFlow cluster start, and which tasks exchange data?</source>
        <translation>когда начинает работать кластер TensorFlow и какие задачи обмениваются данными?</translation>
    </message>
    <message>
        <source>which processes fit on the two GPUs of a machine together?</source>
        <translation>какие процессы вместе помещаются на двух GPU машины?</translation>
    </message>
    <message>
        <source>how much slower are a bridge and an overlay than the host's network?</source>
        <translation>насколько мост и оверлейная сеть медленнее сети хоста?</translation>
    </message>
    <message>
        <source>how many workers can one client feed?</source>
        <translation>скольких работников может обеспечить один клиент?</translation>
    </message>
    <message>
        <source>what limits a distributed program of tiny operations, bandwidth or latency?</source>
        <translation>что ограничивает распределённую программу из мелких операций: полоса или задержка?</translation>
    </message>
    <message>
        <source>how much faster are towers in one process than one process per GPU?</source>
        <translation>насколько башни в одном процессе быстрее, чем процесс на каждый GPU?</translation>
    </message>
    <message>
        <source>which operation runs on which device, and why?</source>
        <translation>какая операция на каком устройстве выполняется и почему?</translation>
    </message>
    <message>
        <source>how much time do waiting servers save, and how many idle GPU-hours do they cost?</source>
        <translation>сколько времени экономят ждущие серверы и скольких пустых GPU-часов они стоят?</translation>
    </message>
    <message>
        <source>parameter server or ring all-reduce for VGG-16 and ResNet-50 on 1 to 64 GPUs?</source>
        <translation>сервер параметров или кольцевой all-reduce для VGG-16 и ResNet-50 на 1–64 GPU?</translation>
    </message>
    <message>
        <source>what do quotas of Kueue and weights of Volcano do to three teams?</source>
        <translation>как квоты Kueue и веса Volcano действуют на три команды?</translation>
    </message>
    <message>
        <source>what do serving, retraining and failures cost the teams that share a cluster?</source>
        <translation>чего стоят командам общего кластера сервисы, дообучение и отказы?</translation>
    </message>
    <message>
        <source>which policy gives GPUs to the jobs that learn faster with them?</source>
        <translation>какая политика даёт GPU тем заданиям, которые с ними учатся быстрее?</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::LayoutsDialog</name>
    <message>
        <source>Layouts: ways to divide the transformer</source>
        <translation>Раскладки: способы разделить трансформер</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>Задание</translation>
    </message>
    <message>
        <source>Layouts by the time of a step</source>
        <translation>Раскладки по времени шага</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>Ход поиска</translation>
    </message>
    <message>
        <source>Take it into the scenario</source>
        <translation>Взять в сценарий</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>Не удаётся записать %1: %2</translation>
    </message>
    <message>
        <source>Layouts are looked at…</source>
        <translation>Раскладки рассматриваются…</translation>
    </message>
    <message>
        <source>%1 GPUs of the kind %2, precision %5: %3 layouts were looked at, %4 of them need more memory than the GPU has. Step times are by closed form, on the machines of the scenario. A double click takes a layout into the scenario.</source>
        <translation>GPU: %1, вид %2, точность %5. Рассмотрено раскладок: %3, из них %4 требуют больше памяти, чем есть у GPU. Время шага — по формулам, на машинах сценария. Двойной щелчок берёт раскладку в сценарий.</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>Раскладка</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>Шаг, с</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Токенов/с</translation>
    </message>
    <message>
        <source>MFU, %</source>
        <translation>MFU, %</translation>
    </message>
    <message>
        <source>GPU memory, GiB</source>
        <translation>Память GPU, ГиБ</translation>
    </message>
    <message>
        <source>Why it is slower</source>
        <translation>Почему медленнее</translation>
    </message>
    <message>
        <source>Take a layout</source>
        <translation>Взять раскладку</translation>
    </message>
</context>
<context>
    <name>TableModel</name>
    <message>
        <source>%1 to %2</source>
        <translation>от %1 до %2</translation>
    </message>
</context>
</TS>
