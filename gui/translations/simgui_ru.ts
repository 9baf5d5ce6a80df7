<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ru" sourcelanguage="en">
<context>
    <name>Inspector</name>
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
        <source>Cost of each design, and its measure of the goal</source>
        <translation>Сколько стоит каждый вариант и что он даёт?</translation>
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
        <translation>Надолго ли</translation>
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
        <source>recovered.yaml</source>
        <translation>восстановлено.yaml</translation>
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
        <source>Pareto front: best for its cost</source>
        <translation>граница: лучшее за эту цену</translation>
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
        <source>(%n designs are far above the chart; see the table)</source>
        <translation>
            <numerusform>(%n вариант намного выше рисунка; он есть в таблице)</numerusform>
            <numerusform>(%n варианта намного выше рисунка; они есть в таблице)</numerusform>
            <numerusform>(%n вариантов намного выше рисунка; они есть в таблице)</numerusform>
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
        <source>%1: busy %2 % of the time, the busiest of %3 links</source>
        <translation>%1: занята %2 % времени, больше всех из %3</translation>
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
        <source>layer</source>
        <translation>слой</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>МБ</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>градиент</translation>
    </message>
    <message>
        <source>forward work, Gflop per sample</source>
        <translation>прямой проход, Гфлоп на образец</translation>
    </message>
    <message>
        <source>%1: %2 layers, %3 million parameters, %4 MB of gradients in 32 bits, %5 Gflop forward per sample</source>
        <translation>%1: слоёв %2, параметров %3 млн, градиентов %4 МБ (32 бита), %5 Гфлоп на образец</translation>
    </message>
    <message>
        <source>Gradient of each layer (MB) and its work</source>
        <translation>Градиент каждого слоя (МБ) и его вычисления</translation>
    </message>
    <message>
        <source>layer, from the input</source>
        <translation>слой, считая от входа</translation>
    </message>
    <message>
        <source>MB, Gflop</source>
        <translation>МБ, Гфлоп</translation>
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
        <translation>за миллион (%1)</translation>
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
</context>
</TS>
