<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>trainyard::gui::FlameView</name>
    <message>
        <source>Where the time went: kinds of work and modules</source>
        <translation>时间去向：工作种类和模块</translation>
    </message>
    <message>
        <source>Click or Enter: this part alone · arrows: go from part to part · Escape: all</source>
        <translation>单击或 Enter：只看这一部分 · 方向键：在各部分之间移动 · Escape：全部</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>%1: %2, %3 % of all, %4 pieces</source>
        <translation>%1：%2，占全部的 %3 %，%4 段</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>Flow</source>
        <translation>流</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Limited by</source>
        <translation>受限于</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>容量</translation>
    </message>
    <message>
        <source>Flows</source>
        <translation>流数</translation>
    </message>
    <message>
        <source>Start over</source>
        <translation>重新开始</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>10 steps</source>
        <translation>10 步</translation>
    </message>
    <message>
        <source>100 steps</source>
        <translation>100 步</translation>
    </message>
    <message>
        <source>Run until</source>
        <translation>运行到</translation>
    </message>
    <message>
        <source>To the end</source>
        <translation>到结束</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>filter</source>
        <translation>过滤</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>运行中…</translation>
    </message>
    <message>
        <source>The simulation has ended</source>
        <translation>模拟已结束</translation>
    </message>
    <message>
        <source>Press Start to step through the current scenario</source>
        <translation>“开始”将逐步执行当前场景</translation>
    </message>
    <message>
        <source>Event queue (%1)</source>
        <translation>事件队列（%1）</translation>
    </message>
    <message>
        <source>Active flows (%1)</source>
        <translation>活动流（%1）</translation>
    </message>
    <message>
        <source>Links in use</source>
        <translation>使用中的链路</translation>
    </message>
    <message>
        <source>Engine inspector</source>
        <translation>引擎检查器</translation>
    </message>
    <message>
        <source>Event queue, flows and links of a simulation, step by step; simrun inspect shows the same as text</source>
        <translation>逐步模拟的事件队列、流和链路；simrun inspect 以文本给出相同内容</translation>
    </message>
    <message>
        <source>day %1, %2</source>
        <translation>第 %1 天 %2</translation>
    </message>
    <message>
        <source>arrives</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>ends</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>preempt</source>
        <translation>抢占</translation>
    </message>
    <message>
        <source>resize</source>
        <translation>调整规模</translation>
    </message>
    <message>
        <source>fails and waits again</source>
        <translation>失败，重新等待</translation>
    </message>
    <message>
        <source>is given up</source>
        <translation>被放弃</translation>
    </message>
    <message>
        <source>policy decides again</source>
        <translation>策略再次检查</translation>
    </message>
    <message>
        <source>failure or repair</source>
        <translation>故障或修复</translation>
    </message>
    <message>
        <source>Where, or why not</source>
        <translation>在哪里，或为何不行</translation>
    </message>
    <message>
        <source>%1: not possible</source>
        <translation>%1：无法进行</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Ends</source>
        <translation>结束时间</translation>
    </message>
    <message>
        <source>On</source>
        <translation>所在机器</translation>
    </message>
    <message>
        <source>Waits for</source>
        <translation>已等待</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>%1 · %2 · %3 of %4 GPUs free · the policy has decided %5 times</source>
        <translation>%1 · %2 · 空闲 GPU %3 / %4 · 策略已决策 %5 次</translation>
    </message>
    <message>
        <source>%1 jobs finished, %2 never ran</source>
        <translation>已完成 %1 个作业，从未运行 %2 个</translation>
    </message>
    <message>
        <source>Events at this time, and decisions of the policy (%1)</source>
        <translation>此刻发生的事与策略的决定（%1）</translation>
    </message>
    <message>
        <source>Running jobs (%1)</source>
        <translation>运行中的作业（%1）</translation>
    </message>
    <message>
        <source>Waiting jobs (%1)</source>
        <translation>等待中的作业（%1）</translation>
    </message>
    <message>
        <source>a time such as 0.5 s, 20 min, 2 h or 1 d</source>
        <translation>时间，例如 0.5 s、20 min、2 h 或 1 d</translation>
    </message>
    <message>
        <source>time %1 · %2 instants · rates worked out %3 times, %4 in all, %5 the last time · %6 levels filled · at most %7 flows at once</source>
        <translation>时间 %1 · %2 个时刻 · 速率计算 %3 次，共 %4 个，最近一次 %5 个 · 填充 %6 层 · 同时最多 %7 个流</translation>
    </message>
</context>
<context>
    <name>Picture</name>
    <message>
        <source>%1 could not be written</source>
        <translation>无法写入 %1</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>%1: a job waits %2 on average instead of %3; all are done after %4 instead of %5</source>
        <translation>%1：作业平均等待 %2 而非 %3；全部完成于 %4 而非 %5</translation>
    </message>
    <message>
        <source>no GPU</source>
        <translation>无 GPU</translation>
    </message>
    <message>
        <source>%1 machines: only the groups are drawn</source>
        <translation>共 %1 台机器：仅绘制分组</translation>
    </message>
    <message>
        <source>%1 switches</source>
        <translation>%1 台交换机</translation>
    </message>
    <message>
        <source>%1 – %2: %3 links, %4 in total in each direction</source>
        <translation>%1 – %2：%3 条链路，每个方向合计 %4</translation>
    </message>
    <message>
        <source>workers</source>
        <translation>工作进程</translation>
    </message>
    <message>
        <source>%1 cannot be read</source>
        <translation>无法读取 %1</translation>
    </message>
    <message>
        <source>%1 is damaged: %2</source>
        <translation>%1 已损坏：%2</translation>
    </message>
    <message>
        <source>%1 unpacks to more than %2 MB; open it in Perfetto, or run again with a lower trace level</source>
        <translation>%1 解压后超过 %2 MB；请用 Perfetto 打开，或降低跟踪级别后重新运行</translation>
    </message>
    <message>
        <source>%1 is not a Chrome trace or is damaged: %2</source>
        <translation>%1 不是 Chrome 跟踪文件或已损坏：%2</translation>
    </message>
    <message>
        <source>Timeline: zoom in and out, move left and right</source>
        <translation>时间线：放大和缩小，左右移动</translation>
    </message>
    <message>
        <source>Canvas: zoom in and out, show all</source>
        <translation>画布：放大和缩小，显示全部</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>%1 is not a results folder: it has no summary.json</source>
        <translation>%1 不是结果文件夹：其中没有 summary.json</translation>
    </message>
    <message>
        <source>summary.json of %1 is damaged: %2</source>
        <translation>%1 的 summary.json 已损坏：%2</translation>
    </message>
    <message>
        <source>a newer version (%1) wrote this folder; only the parts that this version knows are shown</source>
        <translation>该文件夹由更新的版本 (%1) 写入；仅显示本版本能识别的内容</translation>
    </message>
    <message>
        <source>%1: in %2 rows the number of cells differs from the header</source>
        <translation>%1：有 %2 行的单元格数与表头不同</translation>
    </message>
    <message>
        <source>%1, rack %2</source>
        <translation>%1，机架 %2</translation>
    </message>
    <message>
        <source>The scenario lists its jobs, or has none yet. Set generate or trace to get jobs that arrive over time.</source>
        <translation>场景直接列出作业或尚无作业：设置 generate 或 trace 使作业随时间到来。</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>job %1</source>
        <translation>作业 %1</translation>
    </message>
    <message>
        <source>where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>%1, low</source>
        <translation>%1，下限</translation>
    </message>
    <message>
        <source>%1, high</source>
        <translation>%1，上限</translation>
    </message>
    <message>
        <source>%1, %</source>
        <translation>%1，%</translation>
    </message>
    <message>
        <source>%1: sure</source>
        <translation>%1：显著</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>This link carried nothing in the run that is shown.</source>
        <translation>在所显示的运行中，此链路没有传输任何数据。</translation>
    </message>
    <message>
        <source>%1 (%2): busy %3 % of the time; it carried %4 in %5 s, %6 % of what %7 could carry; used by %8</source>
        <translation>%1（%2）：%3 % 的时间繁忙；在 %5 秒内传输 %4，为 %7 所能传输的 %6 %；使用者：%8</translation>
    </message>
    <message>
        <source>… and %1 more links of this bundle</source>
        <translation>… 此链路束中还有 %1 条链路</translation>
    </message>
    <message>
        <source>%1 exchanges %2 per step; bottleneck: %3</source>
        <translation>%1 每步交换 %2；瓶颈：%3</translation>
    </message>
    <message>
        <source>%1 is trained</source>
        <translation>%1 训练中</translation>
    </message>
    <message>
        <source>%1 is out of date</source>
        <translation>%1 已过期</translation>
    </message>
    <message>
        <source>out of date</source>
        <translation>已过期</translation>
    </message>
    <message>
        <source>Timeline: keep the clicked lane at the top</source>
        <translation>时间线：将点击的行固定在顶部</translation>
    </message>
    <message>
        <source>manifest.json of %1 is damaged: %2</source>
        <translation>%1 的 manifest.json 已损坏：%2</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>host starts operators</source>
        <translation>主机启动算子</translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation>暴露的通信</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>the pipeline&apos;s bubble</source>
        <translation>流水线气泡</translation>
    </message>
    <message>
        <source>waiting for others</source>
        <translation>等待其他进程</translation>
    </message>
    <message>
        <source>whole step</source>
        <translation>整个步骤</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>Busiest</source>
        <translation>最繁忙</translation>
    </message>
    <message>
        <source>Based on</source>
        <translation>依据</translation>
    </message>
    <message>
        <source>figure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>%1, perfect scaling</source>
        <translation>%1，理想扩展</translation>
    </message>
    <message>
        <source>perfect scaling</source>
        <translation>理想扩展</translation>
    </message>
    <message>
        <source>communication that compute does not hide</source>
        <translation>未被计算掩盖的通信</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>复制为 Markdown</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>复制为 CSV</translation>
    </message>
    <message>
        <source>%1 GPU %2</source>
        <translation>%1 GPU %2</translation>
    </message>
    <message>
        <source>busiest link</source>
        <translation>最忙链路</translation>
    </message>
    <message>
        <source>GPUs busy</source>
        <translation>忙碌 GPU</translation>
    </message>
    <message>
        <source>jobs waiting</source>
        <translation>等待作业</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>故障：%1</translation>
    </message>
    <message>
        <source>Timeline: fold or unfold all groups</source>
        <translation>时间线：折叠或展开所有分组</translation>
    </message>
    <message>
        <source>Timeline: critical path, arrows of messages</source>
        <translation>时间线：关键路径、消息箭头</translation>
    </message>
    <message>
        <source>Timeline: to what the chosen work waited for, to what waited for it</source>
        <translation>时间线：跳到所选工作等待的对象、等待它的对象</translation>
    </message>
    <message>
        <source>Timeline: what is chosen fills the view</source>
        <translation>时间线：使所选部分充满视图</translation>
    </message>
    <message>
        <source>Canvas: select the next item; with Ctrl: move what is selected</source>
        <translation>画布：选择相邻元素；按住 Ctrl 则移动所选元素</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>另存为 CSV…</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>保存表格</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ArrivalsView</name>
    <message>
        <source>Audit of the trace</source>
        <translation>跟踪文件的检查</translation>
    </message>
    <message>
        <source>Jobs over time</source>
        <translation>随时间到来的作业</translation>
    </message>
    <message>
        <source>%1 jobs over %2 days</source>
        <translation>%1 个作业，%2 天</translation>
    </message>
    <message>
        <source>jobs submitted</source>
        <translation>提交的作业</translation>
    </message>
    <message>
        <source>When jobs arrive</source>
        <translation>作业何时到来</translation>
    </message>
    <message>
        <source>time, h</source>
        <translation>时间（小时）</translation>
    </message>
    <message>
        <source>jobs</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>run time</source>
        <translation>运行时间</translation>
    </message>
    <message>
        <source>Run times of jobs</source>
        <translation>运行多长时间</translation>
    </message>
    <message>
        <source>run time, h</source>
        <translation>运行时间（小时）</translation>
    </message>
    <message>
        <source>% of the jobs</source>
        <translation>作业的百分比</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::Chart</name>
    <message>
        <source>Chart</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Numbers of the chart</source>
        <translation>图表数据</translation>
    </message>
    <message>
        <source>Whole chart</source>
        <translation>完整图表</translation>
    </message>
    <message>
        <source>Back from the enlarged part; a right click does the same</source>
        <translation>从放大的部分返回；单击右键也可以</translation>
    </message>
    <message>
        <source>These results are numbers without a chart; there is no picture of them</source>
        <translation>这些结果只有数字，没有图表，因此无法导出图片</translation>
    </message>
    <message>
        <source>Save picture…</source>
        <translation>保存图片…</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>保存图片</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png *.pdf)</source>
        <translation>图片 (*.svg *.png *.pdf)</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Save numbers as CSV…</source>
        <translation>将数值保存为 CSV…</translation>
    </message>
    <message>
        <source>Save numbers</source>
        <translation>保存数值</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Copy numbers as CSV</source>
        <translation>将数值复制为 CSV</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::Checker</name>
    <message>
        <source>simrun could not be started, so nothing is checked: %1</source>
        <translation>无法启动 simrun，因此未做检查：%1</translation>
    </message>
    <message>
        <source>the program simrun was not found in the folder of simgui or on the PATH, so nothing can be checked or run</source>
        <translation>在 simgui 旁边和 PATH 中都找不到 simrun，因此无法检查或运行</translation>
    </message>
    <message>
        <source>nothing was checked, because %1 cannot be written: %2</source>
        <translation>未做检查，因为无法写入 %1：%2</translation>
    </message>
    <message>
        <source>the checker stopped unexpectedly or took longer than 20 seconds</source>
        <translation>检查程序意外停止或用时超过 20 秒</translation>
    </message>
    <message>
        <source>the file is empty; File &gt; New gives a scenario that runs, to start from</source>
        <translation>文件为空；“文件 &gt; 新建”给出一个可以运行的场景作为起点</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Type part of a command…</source>
        <translation>输入命令的一部分…</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>No command has these words</source>
        <translation>没有包含这些词的命令</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::CompareView</name>
    <message>
        <source>Differences of the results</source>
        <translation>结果差异</translation>
    </message>
    <message>
        <source>Differences of the inputs</source>
        <translation>输入差异</translation>
    </message>
    <message>
        <source>Run two scenarios, or open a results folder, to compare</source>
        <translation>运行两次或打开结果文件夹以进行比较</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行列表</translation>
    </message>
    <message>
        <source>Open results folder…</source>
        <translation>打开结果文件夹…</translation>
    </message>
    <message>
        <source>Compared with</source>
        <translation>对比基准</translation>
    </message>
    <message>
        <source>Measure shown in the table</source>
        <translation>表格指标</translation>
    </message>
    <message>
        <source>Curve shown in the chart</source>
        <translation>图表曲线</translation>
    </message>
    <message>
        <source>Run two scenarios, or open results folders, to compare them.</source>
        <translation>运行两次或打开结果文件夹即可比较。</translation>
    </message>
    <message>
        <source>Check at least two runs.</source>
        <translation>请至少勾选两个运行。</translation>
    </message>
    <message>
        <source>comparing…</source>
        <translation>正在比较…</translation>
    </message>
    <message>
        <source>These runs have no measure in common.</source>
        <translation>这些运行没有可比较的共同内容。</translation>
    </message>
    <message>
        <source>The numbers are those of simrun compare, at %1 % confidence.</source>
        <translation>数值与 simrun compare 一致，置信度 %1 %。</translation>
    </message>
    <message>
        <source>Not drawn, because something else varies there: %1</source>
        <translation>未绘制，因为其中变化的是别的量：%1</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::FaultAxis</name>
    <message>
        <source>Failures over time</source>
        <translation>随时间的故障</translation>
    </message>
    <message>
        <source>Arrow keys move the selected failure, Delete removes it; the table shows the same failures</source>
        <translation>方向键移动所选故障，Delete 将其移除；表格列出同样的内容</translation>
    </message>
    <message>
        <source>There are no failures. To add one, double-click here or on a rack on the canvas.</source>
        <translation>没有故障。双击此处或画布上的机架来设置故障。</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::FaultsModel</name>
    <message>
        <source>%1 fails at %2</source>
        <translation>%1 于 %2 发生故障</translation>
    </message>
    <message>
        <source>Remove the failure of %1</source>
        <translation>移除 %1 的故障</translation>
    </message>
    <message>
        <source>Move the failure of %1</source>
        <translation>移动 %1 的故障</translation>
    </message>
    <message>
        <source>for ever</source>
        <translation>永久</translation>
    </message>
    <message>
        <source>Change the failure of %1</source>
        <translation>更改 %1 的故障</translation>
    </message>
    <message>
        <source>What fails</source>
        <translation>故障对象</translation>
    </message>
    <message>
        <source>At</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>For</source>
        <translation>持续</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::FaultsView</name>
    <message>
        <source>Failures</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Add a failure…</source>
        <translation>添加故障…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Fail at…</source>
        <translation>设置故障…</translation>
    </message>
    <message>
        <source>empty: never repaired</source>
        <translation>留空：永久</translation>
    </message>
    <message>
        <source>What fails</source>
        <translation>故障对象</translation>
    </message>
    <message>
        <source>When (hh:mm or 90 min)</source>
        <translation>时间（hh:mm 或 90 min）</translation>
    </message>
    <message>
        <source>For how long</source>
        <translation>持续多久</translation>
    </message>
    <message>
        <source>Give what fails, a time such as 02:00 or 90 min, and a duration such as 6 h, or leave the duration empty.</source>
        <translation>请填写故障对象、时间（如 02:00 或 90 min）以及持续时间（如 6 h）或留空。</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ImportReportView</name>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Import report</source>
        <translation>导入报告</translation>
    </message>
    <message>
        <source>Imported file</source>
        <translation>导入的源文件</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Understood</source>
        <translation>已理解</translation>
    </message>
    <message>
        <source>Assumed</source>
        <translation>已假定</translation>
    </message>
    <message>
        <source>Ignored</source>
        <translation>已忽略</translation>
    </message>
    <message>
        <source>Drop a compose, Kubernetes, Slurm, NCCL or trace file onto the window, or choose Import.</source>
        <translation>将 compose、Kubernetes、Slurm、NCCL 或跟踪文件拖入窗口，或选择“导入”。</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::InfoBar</name>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::InspectorProcess</name>
    <message>
        <source>simrun could not be started: %1</source>
        <translation>无法启动 simrun：%1</translation>
    </message>
    <message>
        <source>simrun stopped unexpectedly (%1)</source>
        <translation>simrun 意外停止（%1）</translation>
    </message>
    <message>
        <source>simrun ended with code %1</source>
        <translation>simrun 以代码 %1 结束</translation>
    </message>
    <message>
        <source>the program simrun was not found in the folder of simgui or on the PATH; install it, or set TRAINYARD_SIMRUN to its path</source>
        <translation>在 simgui 旁或 PATH 中找不到程序 simrun；请安装，或用 TRAINYARD_SIMRUN 指定其位置</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::JobsModel</name>
    <message>
        <source>Remove %1</source>
        <translation>删除 %1</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>设置 %1</translation>
    </message>
    <message>
        <source>The clipboard has no rows</source>
        <translation>剪贴板中没有行</translation>
    </message>
    <message>
        <source>The rows have more cells than the table has columns; a first row may name the columns: %1</source>
        <translation>行中的单元格多于表格的列；首行可以给出列名：%1</translation>
    </message>
    <message>
        <source>Paste jobs</source>
        <translation>粘贴作业</translation>
    </message>
    <message>
        <source>Add a job</source>
        <translation>添加作业</translation>
    </message>
    <message>
        <source>No row could be added</source>
        <translation>未能添加任何行</translation>
    </message>
    <message>
        <source>Remove a job</source>
        <translation>删除作业</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::LoadScrubber</name>
    <message>
        <source>Link load</source>
        <translation>链路负载</translation>
    </message>
    <message>
        <source>Play over time</source>
        <translation>播放时间</translation>
    </message>
    <message>
        <source>Time of the link loads</source>
        <translation>链路负载的时间</translation>
    </message>
    <message>
        <source>whole run</source>
        <translation>整个运行</translation>
    </message>
    <message>
        <source>Shown: %1</source>
        <translation>显示：%1</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::MainWindow</name>
    <message>
        <source>This scenario has no job that could be divided.</source>
        <translation>此场景没有可划分的作业。</translation>
    </message>
    <message>
        <source>&amp;Divide the first job among its GPUs</source>
        <translation>将第一个作业划分到其 GPU(&amp;D)</translation>
    </message>
    <message>
        <source>Pipeline: 2 stages of layers (parallel.pp: 2)</source>
        <translation>流水线：2 个层级段（parallel.pp: 2）</translation>
    </message>
    <message>
        <source>Tensor parallel: 2 GPUs share every matrix (parallel.tp: 2)</source>
        <translation>张量并行：2 个 GPU 分摊每个矩阵（parallel.tp: 2）</translation>
    </message>
    <message>
        <source>DDP: every replica holds all (parallel.zero: 0)</source>
        <translation>DDP：每个副本保存全部（parallel.zero: 0）</translation>
    </message>
    <message>
        <source>FSDP, ZeRO-3: replicas share weights, gradients and optimiser (parallel.zero: 3)</source>
        <translation>FSDP、ZeRO-3：副本分摊权重、梯度和优化器（parallel.zero: 3）</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>工作负载</translation>
    </message>
    <message>
        <source>Policies and faults</source>
        <translation>策略与故障</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Machine type: %1</source>
        <translation>机器类型：%1</translation>
    </message>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation>
            <numerusform>%n 条警告</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n errors</source>
        <translation>
            <numerusform>%n 个错误</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2, %3 s left</source>
        <translation>%1/%2，剩余 %3 秒</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>The run failed: %1</source>
        <translation>运行失败：%1</translation>
    </message>
    <message>
        <source>no reason was given</source>
        <translation>未给出原因</translation>
    </message>
    <message>
        <source>The run was cancelled</source>
        <translation>运行已取消</translation>
    </message>
    <message>
        <source>Scenario text</source>
        <translation>场景文本</translation>
    </message>
    <message>
        <source>Properties</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>Palette</source>
        <translation>组件</translation>
    </message>
    <message>
        <source>GPU machines</source>
        <translation>GPU 机器</translation>
    </message>
    <message>
        <source>Machines without GPU</source>
        <translation>无 GPU 机器</translation>
    </message>
    <message>
        <source>Switch (free network)</source>
        <translation>交换机（自由网络）</translation>
    </message>
    <message>
        <source>Network: star</source>
        <translation>网络：星形</translation>
    </message>
    <message>
        <source>Network: leaf and spine</source>
        <translation>网络：叶脊</translation>
    </message>
    <message>
        <source>Network: fat tree</source>
        <translation>网络：胖树</translation>
    </message>
    <message>
        <source>Network: torus</source>
        <translation>网络：环面</translation>
    </message>
    <message>
        <source>Network: dragonfly</source>
        <translation>网络：蜻蜓</translation>
    </message>
    <message>
        <source>Network: rails</source>
        <translation>网络：轨道</translation>
    </message>
    <message>
        <source>Drag onto the canvas, or double-click</source>
        <translation>拖到画布上，或双击</translation>
    </message>
    <message>
        <source>Outline of the cluster</source>
        <translation>集群大纲</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>大纲</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行列表</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;New scenario</source>
        <translation>新建场景(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Open a scenario</source>
        <translation>打开场景</translation>
    </message>
    <message>
        <source>Scenarios (*.yaml *.yml);;Manifests and results (*.json);;All files (*)</source>
        <translation>场景 (*.yaml *.yml);;清单与结果 (*.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>nothing yet</source>
        <translation>暂无</translation>
    </message>
    <message>
        <source>Open &amp;results folder…</source>
        <translation>打开结果文件夹(&amp;R)…</translation>
    </message>
    <message>
        <source>Open a results folder</source>
        <translation>打开结果文件夹</translation>
    </message>
    <message>
        <source>&amp;Import compose, Kubernetes, Slurm, NCCL…</source>
        <translation>导入 compose、Kubernetes、Slurm、NCCL(&amp;I)…</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Export picture…</source>
        <translation>导出图片(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Welcome page</source>
        <translation>欢迎页(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Remove from the &amp;canvas</source>
        <translation>从画布删除(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Lay out the canvas</source>
        <translation>排列画布(&amp;L)</translation>
    </message>
    <message>
        <source>Draw l&amp;inks</source>
        <translation>绘制链路(&amp;I)</translation>
    </message>
    <message>
        <source>Paste &amp;jobs</source>
        <translation>粘贴作业(&amp;J)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>E&amp;xplain the result</source>
        <translation>解释结果(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>Chart or &amp;table</source>
        <translation>图表或表格(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>Same as the desktop</source>
        <translation>跟随桌面</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Text &amp;size</source>
        <translation>文字大小(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Commands…</source>
        <translation>命令(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>&amp;About Trainyard</source>
        <translation>关于 Trainyard(&amp;A)</translation>
    </message>
    <message>
        <source>About Trainyard</source>
        <translation>关于 Trainyard</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Trainyard&lt;/h3&gt;&lt;p&gt;Cluster simulator and capacity planner for distributed deep-learning training.&lt;/p&gt;&lt;p&gt;The sources are under the Apache License 2.0. This program links Qt Charts, which is under the GNU General Public License 3, so this program as a whole is under that licence; Qt itself is used under the LGPL 3, Dear ImGui under the MIT licence.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Trainyard&lt;/h3&gt;&lt;p&gt;分布式深度学习训练的集群模拟与容量规划。&lt;/p&gt;&lt;p&gt;源代码采用 Apache License 2.0。本程序链接了 GNU 通用公共许可证第 3 版的 Qt Charts，因此整个程序适用该许可证；Qt 按 LGPL 3 使用，Dear ImGui 按 MIT 许可证使用。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>%1[*] – Trainyard</source>
        <translation>%1[*] – Trainyard</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Not opened</source>
        <translation>未打开</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>无法读取 %1：%2</translation>
    </message>
    <message>
        <source>simrun import gave no message</source>
        <translation>simrun import 没有任何输出</translation>
    </message>
    <message>
        <source>Changed on disk</source>
        <translation>磁盘上的文件已更改</translation>
    </message>
    <message>
        <source>Another program changed %1 since it was opened. Overwrite it?</source>
        <translation>%1 打开后被其他程序修改过。要覆盖吗？</translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>未保存</translation>
    </message>
    <message>
        <source>Save the scenario</source>
        <translation>保存场景</translation>
    </message>
    <message>
        <source>Scenarios (*.yaml)</source>
        <translation>场景 (*.yaml)</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>未保存的更改</translation>
    </message>
    <message>
        <source>Save the changes of %1?</source>
        <translation>保存对 %1 的更改吗？</translation>
    </message>
    <message>
        <source>Export picture</source>
        <translation>导出图片</translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation>解释</translation>
    </message>
    <message>
        <source>Recovered text</source>
        <translation>恢复的文本</translation>
    </message>
    <message>
        <source>The program ended last time with unsaved changes in %1. Open them?</source>
        <translation>上次程序退出时 %1 中有未保存的更改。要打开吗？</translation>
    </message>
    <message>
        <source>Make something &amp;fail…</source>
        <translation>设置故障(&amp;F)…</translation>
    </message>
    <message>
        <source>&amp;Step through the simulation</source>
        <translation>逐步模拟(&amp;S)</translation>
    </message>
    <message>
        <source>Import report</source>
        <translation>导入报告</translation>
    </message>
    <message>
        <source>Double-click a job in the table or on the timeline, or press F2.</source>
        <translation>双击表格或时间线上的作业，或按 F2。</translation>
    </message>
    <message>
        <source>Engine inspector</source>
        <translation>引擎检查器</translation>
    </message>
    <message>
        <source>This program was built without Dear ImGui; simrun inspect shows the same as text.</source>
        <translation>此程序构建时未包含 Dear ImGui；simrun inspect 以文本给出相同内容。</translation>
    </message>
    <message>
        <source>%1 was not imported: %2</source>
        <translation>未导入 %1：%2</translation>
    </message>
    <message>
        <source>%1 was removed from the disk. The text is still here; save it to restore the file.</source>
        <translation>%1 已从磁盘消失；文本仍在此处，保存即可恢复。</translation>
    </message>
    <message>
        <source>Another program changed %1, and it was changed here too.</source>
        <translation>%1 已被其他程序修改，此处也有修改。</translation>
    </message>
    <message>
        <source>Another program changed %1.</source>
        <translation>%1 已被其他程序修改。</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>重新读取</translation>
    </message>
    <message>
        <source>Keep this text</source>
        <translation>保留此处内容</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png *.pdf)</source>
        <translation>图片 (*.svg *.png *.pdf)</translation>
    </message>
    <message>
        <source>Written to %1</source>
        <translation>已写入 %1</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>运行进度</translation>
    </message>
    <message>
        <source>running: %1</source>
        <translation>运行中：%1</translation>
    </message>
    <message>
        <source>No problems</source>
        <translation>没有问题</translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation>面板(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Next part of the window</source>
        <translation>窗口的下一部分(&amp;N)</translation>
    </message>
    <message>
        <source>Open or close the panel %1 (%2)</source>
        <translation>打开或关闭面板“%1”（%2）</translation>
    </message>
    <message>
        <source>The plan found a design.</source>
        <translation>规划已找到答案。</translation>
    </message>
    <message>
        <source>No design meets the goals; the nearest miss is shown.</source>
        <translation>没有方案满足目标；显示最接近的方案。</translation>
    </message>
    <message>
        <source>Open it as a scenario</source>
        <translation>作为场景打开</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>&amp;Plan: find the best design…</source>
        <translation>规划：寻找最佳方案(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Replace in the text…</source>
        <translation>在文本中替换(&amp;R)…</translation>
    </message>
    <message>
        <source>&amp;Find in the text…</source>
        <translation>在文本中查找(&amp;F)…</translation>
    </message>
    <message>
        <source>On the canv&amp;as</source>
        <translation>在画布上(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Copy machines and switches</source>
        <translation>复制机器和交换机(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste machines and switches</source>
        <translation>粘贴机器和交换机(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Duplicate</source>
        <translation>创建副本(&amp;D)</translation>
    </message>
    <message>
        <source>Align in a &amp;row</source>
        <translation>水平对齐(&amp;R)</translation>
    </message>
    <message>
        <source>Align in a c&amp;olumn</source>
        <translation>垂直对齐(&amp;O)</translation>
    </message>
    <message>
        <source>Equal d&amp;istances</source>
        <translation>等间距分布(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Link what is selected</source>
        <translation>连接所选项(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Map of the whole canvas</source>
        <translation>整个画布的缩略图(&amp;M)</translation>
    </message>
    <message>
        <source>Reports (*.html *.pdf)</source>
        <translation>报告 (*.html *.pdf)</translation>
    </message>
    <message>
        <source>The run has ended.</source>
        <translation>运行已结束。</translation>
    </message>
    <message>
        <source>Show the problems</source>
        <translation>显示问题</translation>
    </message>
    <message>
        <source>Show the results</source>
        <translation>显示结果</translation>
    </message>
    <message>
        <source>The report is being written…</source>
        <translation>正在写报告…</translation>
    </message>
    <message>
        <source>The report was not written: %1</source>
        <translation>未能写出报告：%1</translation>
    </message>
    <message>
        <source>There are no results to report on: run the scenario first (%1).</source>
        <translation>没有可供报告的结果：请先运行场景（%1）。</translation>
    </message>
    <message>
        <source>Export re&amp;port…</source>
        <translation>导出报告(&amp;P)…</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>导出报告</translation>
    </message>
    <message>
        <source>No scenario is open: choose an example, open a file, or begin with New scenario (%1).</source>
        <translation>没有打开的场景：请选择示例、打开文件，或新建场景（%1）。</translation>
    </message>
    <message>
        <source>A run is going on</source>
        <translation>运行正在进行</translation>
    </message>
    <message>
        <source>A run is not finished. Stop it and quit?</source>
        <translation>有运行尚未完成。停止它并退出吗？</translation>
    </message>
    <message>
        <source>Sensiti&amp;vity: what the answer depends on</source>
        <translation>敏感性：答案取决于什么(&amp;V)</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>&amp;Layouts: ways to divide the transformer…</source>
        <translation>布局：划分 Transformer 的方式(&amp;L)…</translation>
    </message>
    <message>
        <source>Sc&amp;ore: compare with measurements…</source>
        <translation>评分：与测量结果比较(&amp;O)…</translation>
    </message>
    <message>
        <source>Export for another &amp;tool…</source>
        <translation>导出到其他工具(&amp;T)…</translation>
    </message>
    <message>
        <source>Perfetto, Chrome: the timeline (*.json.gz)</source>
        <translation>Perfetto、Chrome：时间线 (*.json.gz)</translation>
    </message>
    <message>
        <source>Standard Workload Format: the jobs of a queue (*.swf)</source>
        <translation>Standard Workload Format：队列的作业 (*.swf)</translation>
    </message>
    <message>
        <source>SimGrid: the cluster (*.xml)</source>
        <translation>SimGrid：集群 (*.xml)</translation>
    </message>
    <message>
        <source>Chakra: a folder with a trace of every rank (*)</source>
        <translation>Chakra：包含每个 rank 轨迹的文件夹 (*)</translation>
    </message>
    <message>
        <source>ASTRA-sim: a folder with traces and the cluster (*)</source>
        <translation>ASTRA-sim：包含轨迹和集群的文件夹 (*)</translation>
    </message>
    <message>
        <source>Kubernetes: manifests (*.yaml)</source>
        <translation>Kubernetes：清单 (*.yaml)</translation>
    </message>
    <message>
        <source>Docker Swarm: a stack (*.yml)</source>
        <translation>Docker Swarm：堆栈 (*.yml)</translation>
    </message>
    <message>
        <source>Export for another tool</source>
        <translation>导出到其他工具</translation>
    </message>
    <message>
        <source>This format is of results: run the scenario first (%1).</source>
        <translation>此格式用于结果：请先运行场景 (%1)。</translation>
    </message>
    <message>
        <source>%1 is the file of the results themselves; choose another name.</source>
        <translation>%1 就是结果自己的文件；请选择其他名称。</translation>
    </message>
    <message>
        <source>These results have no trace file. Those of a queue can be exported as SWF.</source>
        <translation>这些结果没有轨迹文件。队列的结果可导出为 SWF。</translation>
    </message>
    <message>
        <source>Nothing was exported: %1</source>
        <translation>未导出任何内容：%1</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>The layout was taken. What contradicted it went out of the scenario: %1.</source>
        <translation>已采用该布局。与其矛盾的内容已从场景中移除：%1。</translation>
    </message>
    <message>
        <source>No job of this scenario divides a transformer among GPUs: give one training: parallel, or open the example llama3_70b_on_512_h100.</source>
        <translation>此场景中没有作业将 Transformer 划分到多个 GPU：请设置 training: parallel，或打开示例 llama3_70b_on_512_h100。</translation>
    </message>
    <message>
        <source>The rows of %1 are predicted…</source>
        <translation>正在预测 %1 的各行…</translation>
    </message>
    <message>
        <source>The table was not scored: %1</source>
        <translation>未能对该表评分：%1</translation>
    </message>
    <message>
        <source>Every row of the table now has a prediction beside it.</source>
        <translation>表中每一行旁边现在都有预测值。</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>另存为 CSV…</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>保存表格</translation>
    </message>
    <message>
        <source>Tables (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>A table of measurements</source>
        <translation>测量结果表</translation>
    </message>
    <message>
        <source>The file that turns its rows into scenarios</source>
        <translation>将各行转换为场景的文件</translation>
    </message>
    <message>
        <source>Mappings (*.yaml *.yml)</source>
        <translation>映射 (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>Sensitivity: the scenario is simulated as it is, which tells how long the rest takes…</source>
        <translation>敏感性：先按原样模拟场景，以得知其余部分需要多久…</translation>
    </message>
    <message>
        <source>At most %1 simulations: %2 are done, the rest takes about %3</source>
        <translation>最多 %1 次模拟：已完成 %2 次，其余约需 %3</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::PlanDialog</name>
    <message>
        <source>Plan: the best design that meets a goal</source>
        <translation>规划：满足目标的最佳方案</translation>
    </message>
    <message>
        <source>The plan considers every combination of the values below. The answer is the combination that meets the goals with the lowest value of the measure to minimise. The chart shows all combinations.</source>
        <translation>所有可选组合都会被模拟。答案是满足目标且所选量最小的方案；图中显示全部方案。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>And</source>
        <translation>并且</translation>
    </message>
    <message>
        <source>Minimise</source>
        <translation>最小化</translation>
    </message>
    <message>
        <source>Queue policies</source>
        <translation>队列策略</translation>
    </message>
    <message>
        <source>Values to choose from: a..b, or a list with commas</source>
        <translation>可选内容：a..b，或用逗号分隔的值</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add a value to choose</source>
        <translation>添加可选内容</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Remove the selected row</source>
        <translation>删除所选行</translation>
    </message>
    <message>
        <source>Path in the scenario</source>
        <translation>在场景中的位置</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>Values to choose from</source>
        <translation>可选内容</translation>
    </message>
    <message>
        <source>The same as a command</source>
        <translation>等价的命令</translation>
    </message>
    <message>
        <source>Find it</source>
        <translation>寻找</translation>
    </message>
    <message>
        <source>The same as a command: %1</source>
        <translation>等价的命令：%1</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::PolicyList</name>
    <message>
        <source>Choose</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>Type of policy</source>
        <translation>策略种类</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>What it does, and its source</source>
        <translation>作用与出处</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>Do not compare %1</source>
        <translation>不比较 %1</translation>
    </message>
    <message>
        <source>Compare %1</source>
        <translation>比较 %1</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ProblemsPanel</name>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>line %1: </source>
        <translation>第 %1 行：</translation>
    </message>
    <message>
        <source>No problems: simrun accepts this text</source>
        <translation>没有问题：simrun 接受此文本</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ResultsView</name>
    <message>
        <source>Words anywhere in a row, or columns compared: job = 17, waiting &gt; 1 h, team = speech. Enter goes to the rows that are left, and again explains the first</source>
        <translation>行内任意位置的词，或按列比较：job = 17，waiting &gt; 1 h，team = speech。按 Enter 转到剩余的行，再按一次解释第一行</translation>
    </message>
    <message>
        <source>%1 of %2 rows</source>
        <translation>%2 行中的 %1 行</translation>
    </message>
    <message>
        <source>%1 · all points</source>
        <translation>%1 · 所有点</translation>
    </message>
    <message>
        <source>no column is called “%1”</source>
        <translation>没有名为“%1”的列</translation>
    </message>
    <message>
        <source>Filter all views…</source>
        <translation>筛选所有视图…</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Point shown on the canvas</source>
        <translation>画布上显示的点</translation>
    </message>
    <message>
        <source>The canvas and the step breakdown show this point of the sweep</source>
        <translation>画布和步骤分解所显示的扫描点</translation>
    </message>
    <message>
        <source>X axis</source>
        <translation>横轴</translation>
    </message>
    <message>
        <source>Y axis</source>
        <translation>纵轴</translation>
    </message>
    <message>
        <source>One line per</source>
        <translation>每条线对应</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Where the step&apos;s time goes</source>
        <translation>步骤时间的去向</translation>
    </message>
    <message>
        <source>No step breakdown in this folder</source>
        <translation>此文件夹中没有步骤分解</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表</translation>
    </message>
    <message>
        <source>Table to show</source>
        <translation>绘制的表</translation>
    </message>
    <message>
        <source>less</source>
        <translation>收起</translation>
    </message>
    <message numerus="yes">
        <source>%n more lines…</source>
        <translation>
            <numerusform>还有 %n 行…</numerusform>
        </translation>
    </message>
    <message>
        <source>Designs</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>designs: %1</source>
        <translation>方案：%1</translation>
    </message>
    <message>
        <source>all points</source>
        <translation>所有点</translation>
    </message>
    <message>
        <source>Pareto front</source>
        <translation>帕累托前沿</translation>
    </message>
    <message>
        <source>the answer</source>
        <translation>答案</translation>
    </message>
    <message>
        <source>the nearest miss</source>
        <translation>最接近的方案</translation>
    </message>
    <message numerus="yes">
        <source>%n designs are far above the chart; see the table</source>
        <translation>
            <numerusform>%n 个方案远高于图的范围，见表格</numerusform>
        </translation>
    </message>
    <message>
        <source>goal: %1</source>
        <translation>目标：%1</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>The same in every row: %1</source>
        <translation>所有行相同：%1</translation>
    </message>
    <message>
        <source>the timeline of this point is being made…</source>
        <translation>正在生成该点的时间线…</translation>
    </message>
    <message>
        <source>there is no timeline of this point: %1</source>
        <translation>该点没有时间线：%1</translation>
    </message>
    <message>
        <source>No results yet</source>
        <translation>尚无结果</translation>
    </message>
    <message>
        <source>Run (F5) simulates the scenario. Its rates, costs, charts and timeline are then shown here; File, Open results folder… shows those of an earlier run.</source>
        <translation>运行 (F5) 会模拟该场景，随后在此显示速率、成本、图表和时间线；“文件”菜单中的“打开结果文件夹…”可查看以前的运行。</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>%1, run %2</source>
        <translation>%1，运行 %2</translation>
    </message>
    <message>
        <source>Results of %1 in %2</source>
        <translation>%1 的结果，位于 %2</translation>
    </message>
    <message>
        <source>another scenario is open</source>
        <translation>打开的是另一个场景</translation>
    </message>
    <message>
        <source>Run that is shown</source>
        <translation>显示的运行</translation>
    </message>
    <message>
        <source>the scenario was changed since</source>
        <translation>场景此后已更改</translation>
    </message>
    <message>
        <source>Pages of the results</source>
        <translation>结果页面</translation>
    </message>
    <message>
        <source>Further tables and pictures</source>
        <translation>其他表格和图片</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::RulesView</name>
    <message>
        <source>Sections</source>
        <translation>章节</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>All settings</source>
        <translation>全部设置</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>场景</translation>
    </message>
    <message>
        <source>name, question, and what counts for the whole file</source>
        <translation>名称、问题以及对整个文件有效的设置</translation>
    </message>
    <message>
        <source>Pages of policies and settings</source>
        <translation>策略与设置页面</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::RunProcess</name>
    <message>
        <source>simrun could not be started: %1</source>
        <translation>无法启动 simrun：%1</translation>
    </message>
    <message>
        <source>the program simrun was not found in the folder of simgui or on the PATH; install it, or set TRAINYARD_SIMRUN to its path</source>
        <translation>在 simgui 旁边和 PATH 中都找不到 simrun；请安装它，或用 TRAINYARD_SIMRUN 指定其位置</translation>
    </message>
    <message>
        <source>simrun stopped unexpectedly (%1)</source>
        <translation>simrun 意外停止（%1）</translation>
    </message>
    <message>
        <source>simrun printed nothing for %1 s and used no processor time, so it was stopped. The scenario is unchanged.</source>
        <translation>simrun 已 %1 秒没有响应且未占用处理器，已将其停止。场景未改变。</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::RunQueue</name>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>%1 of %2, %3 s left</source>
        <translation>%1/%2，剩余 %3 秒</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>When</source>
        <translation>提交时间</translation>
    </message>
    <message>
        <source>%1 (baseline)</source>
        <translation>%1（基准）</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>en</source>
        <comment>language of dates</comment>
        <translation>zh_CN</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::ScenarioDocument</name>
    <message>
        <source>untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>%1 is not a text file</source>
        <translation>%1 不是文本文件</translation>
    </message>
    <message>
        <source>%1 was not saved: %2. The text is still here; choose another file with Save As.</source>
        <translation>%1 未保存：%2。文本仍在此处；请用“另存为”选择其他位置。</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>%1 is not UTF-8 text: line %2 has a byte that is none of it. Convert the file first, for example with iconv -f latin1 -t utf-8.</source>
        <translation>%1 不是 UTF-8 文本：第 %2 行有无效的字节。请先转换文件，例如用 iconv -f latin1 -t utf-8。</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>重新读取</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::SchemaForm</name>
    <message>
        <source>default: %1</source>
        <translation>默认：%1</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>添加…</translation>
    </message>
    <message numerus="yes">
        <source>Open (%n)…</source>
        <translation>
            <numerusform>打开 (%n)…</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>删除 %1</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>设置 %1</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>上一级</translation>
    </message>
    <message>
        <source>Back to the form that this one was opened from</source>
        <translation>回到打开此表单的上一级表单</translation>
    </message>
    <message>
        <source>Add an item</source>
        <translation>添加一项</translation>
    </message>
    <message>
        <source>More… (%1)</source>
        <translation>更多…（%1）</translation>
    </message>
    <message>
        <source>Settings that are seldom set; without them the defaults count</source>
        <translation>很少设置的选项；不设置时使用默认值</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TimelineView</name>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Work on every GPU, server and link over time; W and S zoom, A and D move</source>
        <translation>每个 GPU、服务器和链路随时间的工作；W 和 S 缩放，A 和 D 移动</translation>
    </message>
    <message>
        <source>No timeline: run the scenario, or open a results folder with a trace</source>
        <translation>没有时间线：运行场景，或打开带跟踪的结果文件夹</translation>
    </message>
    <message>
        <source>%1 on %2 (%3): from %4 to %5, %6</source>
        <translation>%2（%3）上的 %1：从 %4 到 %5，%6</translation>
    </message>
    <message>
        <source>without a name</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>总览</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1, up to %2</source>
        <translation>%1，最多 %2</translation>
    </message>
    <message>
        <source>%1 chosen</source>
        <translation>已选 %1</translation>
    </message>
    <message>
        <source>Nothing that it waited for is drawn</source>
        <translation>它等待的工作未绘出</translation>
    </message>
    <message>
        <source>Nothing drawn waited for it</source>
        <translation>没有绘出的工作等待它</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TopologyItem</name>
    <message>
        <source>%1: %2 × %3. Double-click to expand</source>
        <translation>%1：%2 × %3。双击展开</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: %2 × %3. Double-click to add a failure, Enter to expand</source>
        <translation>%1：%2 × %3。双击设置故障，Enter 展开</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TopologyScene</name>
    <message>
        <source>%1: %2 % of its bandwidth used, the most of %3 links</source>
        <translation>%1：使用了 %2 % 的带宽，是 %3 条链路中最高的</translation>
    </message>
    <message>
        <source>Lay out</source>
        <translation>排列</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>移动 %1</translation>
    </message>
    <message numerus="yes">
        <source>Move %n items</source>
        <translation>
            <numerusform>移动 %n 项</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n items</source>
        <translation>
            <numerusform>%n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>Use a %1 network</source>
        <translation>使用 %1 网络</translation>
    </message>
    <message>
        <source>This network layout places its switches itself. To draw your own, set topology to graph in the network&apos;s properties.</source>
        <translation>网络布局自行放置交换机。要自行绘制，请在网络属性中将 topology 设为 graph。</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>添加 %1</translation>
    </message>
    <message>
        <source>Add GPU machines</source>
        <translation>添加 GPU 机器</translation>
    </message>
    <message>
        <source>Add machines without GPU</source>
        <translation>添加无 GPU 机器</translation>
    </message>
    <message>
        <source>Nothing selected that can be removed; the links and switches of a layout cannot be removed one by one</source>
        <translation>没有选中可删除的项；布局的链路和交换机属于布局本身</translation>
    </message>
    <message numerus="yes">
        <source>Remove %n items</source>
        <translation>
            <numerusform>删除 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Links can be drawn only in a free network. Set topology to graph in the network&apos;s properties.</source>
        <translation>只有自由网络才能绘制链路。请在网络属性中将 topology 设为 graph。</translation>
    </message>
    <message>
        <source>Connect %1 and %2</source>
        <translation>连接 %1 和 %2</translation>
    </message>
    <message>
        <source>Drag machines from the palette, or add them in the text</source>
        <translation>从组件栏拖入机器，或在文本中编写</translation>
    </message>
    <message>
        <source>%1: fail at…</source>
        <translation>%1：设置故障…</translation>
    </message>
    <message>
        <source>Rack %1</source>
        <translation>机架 %1</translation>
    </message>
    <message>
        <source>Network of %1</source>
        <translation>%1 的网络</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>展开</translation>
    </message>
    <message>
        <source>Collapse into %1</source>
        <translation>折叠到 %1</translation>
    </message>
    <message>
        <source>Remove from the scenario</source>
        <translation>从场景中移除</translation>
    </message>
    <message>
        <source>%1 stands for %2; at most %3 are drawn one by one. Give the machines racks (per_rack) to unfold them rack by rack.</source>
        <translation>%1 代表 %2 个；最多逐个绘制 %3 个。为机器设置机架（per_rack）即可按机架展开。</translation>
    </message>
    <message>
        <source>Nothing selected that can be copied; the links and switches of a layout belong to it</source>
        <translation>所选内容无法复制；预设网络的链路和交换机属于该网络</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>已复制：%1</translation>
    </message>
    <message>
        <source>There is no part of a canvas on the clipboard</source>
        <translation>剪贴板中没有画布内容</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>创建副本</translation>
    </message>
    <message>
        <source>Select one item to begin a link, or two to join them</source>
        <translation>选择一个元素以开始连线，或选择两个元素将其连接</translation>
    </message>
    <message>
        <source>Link from %1: go to the other end and press L; Esc gives up</source>
        <translation>从 %1 开始连线：移到另一端并按 L；按 Esc 取消</translation>
    </message>
    <message>
        <source>No link was drawn</source>
        <translation>未绘制链路</translation>
    </message>
    <message>
        <source>Select two or more items to align them</source>
        <translation>请选择两个或更多元素进行对齐</translation>
    </message>
    <message numerus="yes">
        <source>Align %n items</source>
        <translation>
            <numerusform>对齐 %n 个元素</numerusform>
        </translation>
    </message>
    <message>
        <source>Link from here</source>
        <translation>从此处连线</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TopologyView</name>
    <message>
        <source>Cluster canvas</source>
        <translation>集群画布</translation>
    </message>
    <message>
        <source>Machines, switches and links; the outline shows the same as a list</source>
        <translation>机器、交换机和链路；大纲列出相同内容</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::WelcomePage</name>
    <message>
        <source>What will this training cluster do? Pick a question, change it, run it.</source>
        <translation>这个训练集群会怎样？选择一个问题，修改它，运行它。</translation>
    </message>
    <message>
        <source>New scenario</source>
        <translation>新建场景</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Import compose, Kubernetes, Slurm, NCCL…</source>
        <translation>导入 compose、Kubernetes、Slurm、NCCL…</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>Example scenarios</source>
        <translation>现成场景</translation>
    </message>
    <message>
        <source>The folder with the example scenarios was not found; set TRAINYARD_DATA to it</source>
        <translation>找不到随附场景的文件夹；请用 TRAINYARD_DATA 指定</translation>
    </message>
    <message>
        <source>VGG-16: parameter server or ring?</source>
        <translation>VGG-16：参数服务器还是环？</translation>
    </message>
    <message>
        <source>Distributed learning: which architecture, how many servers, which network</source>
        <translation>分布式学习：哪种架构、多少服务器、哪种网络</translation>
    </message>
    <message>
        <source>Where does the parameter server stop scaling?</source>
        <translation>参数服务器在哪里不再扩展？</translation>
    </message>
    <message>
        <source>Distributed-learning notes: ring and servers on 10 to 100 Gbit/s</source>
        <translation>分布式学习笔记：10 到 100 Gbit/s 上的环与服务器</translation>
    </message>
    <message>
        <source>A machine of a Docker Swarm fails</source>
        <translation>Docker Swarm 的一台机器宕机</translation>
    </message>
    <message>
        <source>Swarm paper: what restarts where and when, and what is lost</source>
        <translation>Swarm 论文：什么在何时何地恢复，丢失什么</translation>
    </message>
    <message>
        <source>Two M40 in one host, three containers</source>
        <translation>一台主机两块 M40，三个容器</translation>
    </message>
    <message>
        <source>Container-service article: where containers are placed, which GPU they see</source>
        <translation>容器服务文章：容器落在哪里、看到哪块 GPU</translation>
    </message>
    <message>
        <source>Teams share one cluster, or each has its own</source>
        <translation>团队共享集群，或各用各的</translation>
    </message>
    <message>
        <source>Cluster-management article: waiting, utilisation and quotas</source>
        <translation>集群管理文章：等待、利用率与配额</translation>
    </message>
    <message>
        <source>Models that are retrained every night</source>
        <translation>每晚重新训练的模型</translation>
    </message>
    <message>
        <source>Task-environment paper: how old is the deployed model?</source>
        <translation>任务环境论文：已部署的模型有多旧？</translation>
    </message>
    <message>
        <source>More examples</source>
        <translation>更多场景</translation>
    </message>
    <message>
        <source>Which queue policy is best for whom?</source>
        <translation>哪种队列策略对谁最好？</translation>
    </message>
    <message>
        <source>Capacity planning: waiting, fairness and utilisation under eight policies</source>
        <translation>容量规划：八种策略下的等待、公平与利用率</translation>
    </message>
    <message>
        <source>A rack fails at 02:00</source>
        <translation>一个机架在 02:00 故障</translation>
    </message>
    <message>
        <source>What is lost, what restarts where, and how long it takes</source>
        <translation>丢失什么、什么在哪里恢复、需要多久</translation>
    </message>
    <message>
        <source>Search the examples: ring, failure, Kubernetes, cost…</source>
        <translation>搜索示例：ring、failure、Kubernetes、cost…</translation>
    </message>
    <message>
        <source>Search the examples</source>
        <translation>搜索示例</translation>
    </message>
    <message>
        <source>No example has “%1”. “New scenario” starts with a small cluster to change.</source>
        <translation>没有包含“%1”的示例。“新建场景”从一个小集群开始。</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::WhatIfPanel</name>
    <message>
        <source>Add a slider</source>
        <translation>添加滑块</translation>
    </message>
    <message>
        <source>Move a slider: the scenario runs in the background with the changed value. The dashed curve is the result before the change.</source>
        <translation>移动滑块：场景会以新值在后台运行；虚线是之前的结果。</translation>
    </message>
    <message>
        <source>this scenario has no numbers</source>
        <translation>此场景中没有数值</translation>
    </message>
    <message>
        <source>Remove this slider</source>
        <translation>移除此滑块</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Write this value into the scenario</source>
        <translation>将此值写入场景</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>设置 %1</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>%1 before</source>
        <translation>%1（之前）</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>样本/秒</translation>
    </message>
    <message>
        <source>%1
(%2 s)</source>
        <translation>%1
（%2 秒）</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::WorkloadView</name>
    <message>
        <source>forward work</source>
        <translation>前向计算</translation>
    </message>
    <message>
        <source>share of the model, %</source>
        <translation>占模型的比例，%</translation>
    </message>
    <message>
        <source>What each layer has of the gradient and of the work</source>
        <translation>各层在梯度和计算量中的占比</translation>
    </message>
    <message>
        <source>Add job</source>
        <translation>添加作业</translation>
    </message>
    <message>
        <source>Remove job</source>
        <translation>删除作业</translation>
    </message>
    <message>
        <source>Paste rows</source>
        <translation>粘贴行</translation>
    </message>
    <message>
        <source>Rows from a spreadsheet; a first row may name the columns</source>
        <translation>来自电子表格的行；首行可以给出列名</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>Job %1</source>
        <translation>作业 %1</translation>
    </message>
    <message>
        <source>How the job trains</source>
        <translation>训练方式</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>layer, from the input</source>
        <translation>层（从输入起）</translation>
    </message>
    <message numerus="yes">
        <source>%n jobs added</source>
        <translation>
            <numerusform>已添加 %n 个作业</numerusform>
        </translation>
    </message>
    <message>
        <source>Trace or generated jobs</source>
        <translation>跟踪或生成的作业</translation>
    </message>
    <message>
        <source>A training job shows the layers of its model here. “Add job” adds one.</source>
        <translation>此处显示训练作业的模型各层。“添加作业”可新增一个。</translation>
    </message>
    <message>
        <source>%1 million</source>
        <translation>%1 百万</translation>
    </message>
    <message>
        <source>%1 billion</source>
        <translation>%1 十亿</translation>
    </message>
    <message>
        <source>%1 Gflop</source>
        <translation>%1 Gflop</translation>
    </message>
    <message>
        <source>%1 Tflop</source>
        <translation>%1 Tflop</translation>
    </message>
    <message>
        <source>The forms of %1 are on the page Policies and faults, below All settings.</source>
        <translation>%1 的表单在“策略与故障”页的“全部设置”中。</translation>
    </message>
    <message>
        <source>%1: %2 layers, %3 parameters, %4 of gradients in 32 bits, %5 forward per sample</source>
        <translation>%1：%2 层，%3 参数，32 位梯度 %4，每样本前向 %5</translation>
    </message>
    <message>
        <source>Pages of the workload</source>
        <translation>工作负载页面</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::YamlEditor</name>
    <message>
        <source>Scenario text</source>
        <translation>场景文本</translation>
    </message>
    <message>
        <source>default: %1</source>
        <translation>默认：%1</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>从 %1 到 %2</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>for example: %1</source>
        <translation>例如：%1</translation>
    </message>
    <message>
        <source>Change &apos;%1&apos; to &apos;%2&apos;</source>
        <translation>将“%1”改为“%2”</translation>
    </message>
    <message>
        <source>Complete (Ctrl+Space)</source>
        <translation>补全（Ctrl+空格）</translation>
    </message>
    <message>
        <source>Comment (Ctrl+/)</source>
        <translation>注释（Ctrl+/）</translation>
    </message>
    <message>
        <source> (Ctrl+. takes it)</source>
        <translation>（按 Ctrl+. 采用）</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>95 % are below</source>
        <translation>95 % 低于此值</translation>
    </message>
    <message>
        <source>99 % are below</source>
        <translation>99 % 低于此值</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>low end</source>
        <translation>下限</translation>
    </message>
    <message>
        <source>high end</source>
        <translation>上限</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::FindBar</name>
    <message>
        <source>Aa</source>
        <translation>Aa</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Capital and small letters differ</source>
        <translation>区分大小写</translation>
    </message>
    <message>
        <source>The one before (Shift+Enter)</source>
        <translation>上一个（Shift+Enter）</translation>
    </message>
    <message>
        <source>The next one (Enter)</source>
        <translation>下一个（Enter）</translation>
    </message>
    <message>
        <source>Close (Escape)</source>
        <translation>关闭（Escape）</translation>
    </message>
    <message>
        <source>Replace by</source>
        <translation>替换为</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message numerus="yes">
        <source>%n replaced</source>
        <translation>
            <numerusform>已替换 %n 处</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trainyard::gui::Overview</name>
    <message>
        <source>Fullest from %1 to %2, with %3 GPUs in use; most jobs wait at %4: %5</source>
        <translation>%1 至 %2 最满，使用 %3 个 GPU；%4 时等待的作业最多：%5</translation>
    </message>
    <message>
        <source>The figures that matter</source>
        <translation>主要数字</translation>
    </message>
    <message>
        <source>Assumed: %1</source>
        <translation>假设：%1</translation>
    </message>
    <message>
        <source>%1, the slowest of %2 jobs%3</source>
        <translation>%1，%2 个任务中最慢的%3</translation>
    </message>
    <message>
        <source>%1s per second</source>
        <translation>%1/秒</translation>
    </message>
    <message>
        <source>of the peak in model flop</source>
        <translation>模型浮点运算峰值占比</translation>
    </message>
    <message>
        <source>of perfect scaling</source>
        <translation>占理想扩展的比例</translation>
    </message>
    <message>
        <source>per step</source>
        <translation>每步</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>memory of a GPU</source>
        <translation>每个 GPU 的显存</translation>
    </message>
    <message>
        <source>over the network per step</source>
        <translation>每步网络流量</translation>
    </message>
    <message>
        <source>per million %1s</source>
        <translation>每百万 %1</translation>
    </message>
    <message>
        <source>Bottleneck: %1</source>
        <translation>瓶颈：%1</translation>
    </message>
    <message>
        <source>Completion by policy</source>
        <translation>各策略的完成时间</translation>
    </message>
    <message>
        <source>Waiting by policy</source>
        <translation>各策略的等待时间</translation>
    </message>
    <message>
        <source>GPUs in use over time</source>
        <translation>使用中的 GPU 随时间变化</translation>
    </message>
    <message>
        <source>Jobs that wait over time</source>
        <translation>等待的任务随时间变化</translation>
    </message>
    <message>
        <source>Teams that waited</source>
        <translation>哪些团队在等待</translation>
    </message>
    <message>
        <source>Waiting by GPUs of a job</source>
        <translation>按任务的 GPU 数的等待时间</translation>
    </message>
</context>
<context>
    <name>Keys</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Machines per rack</source>
        <translation>每机架机器数</translation>
    </message>
    <message>
        <source>Topology</source>
        <translation>拓扑</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Switches</source>
        <translation>交换机</translation>
    </message>
    <message>
        <source>Wires</source>
        <translation>连线</translation>
    </message>
    <message>
        <source>Ports of a switch (k)</source>
        <translation>交换机端口数 (k)</translation>
    </message>
    <message>
        <source>Levels</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Routing</source>
        <translation>路由</translation>
    </message>
    <message>
        <source>Leaf ports</source>
        <translation>叶交换机端口数</translation>
    </message>
    <message>
        <source>Oversubscription</source>
        <translation>超额比</translation>
    </message>
    <message>
        <source>Spines</source>
        <translation>脊交换机数</translation>
    </message>
    <message>
        <source>Uplink bandwidth</source>
        <translation>上行带宽</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>维度</translation>
    </message>
    <message>
        <source>Axes</source>
        <translation>轴数</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>组数</translation>
    </message>
    <message>
        <source>Routers</source>
        <translation>路由器数</translation>
    </message>
    <message>
        <source>Ports</source>
        <translation>端口数</translation>
    </message>
    <message>
        <source>Global links</source>
        <translation>全局链路数</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>Wiring inside the machine</source>
        <translation>机内互连</translation>
    </message>
    <message>
        <source>NICs</source>
        <translation>网卡数</translation>
    </message>
    <message>
        <source>NIC bandwidth</source>
        <translation>网卡带宽</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>CPU cores</source>
        <translation>CPU 核数</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Price</source>
        <translation>价格</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Workers (GPUs)</source>
        <translation>工作进程 (GPU)</translation>
    </message>
    <message>
        <source>Batch per GPU</source>
        <translation>每 GPU 批大小</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Arrival</source>
        <translation>到达时间</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>优先级</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Team</source>
        <translation>团队</translation>
    </message>
    <message>
        <source>Copies</source>
        <translation>副本数</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>模式</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>服务器数</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>Transport</source>
        <translation>传输</translation>
    </message>
    <message>
        <source>Parallel</source>
        <translation>并行</translation>
    </message>
    <message>
        <source>Policies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Scheduling</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Orchestrator</source>
        <translation>编排器</translation>
    </message>
    <message>
        <source>Services</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Framework</source>
        <translation>框架</translation>
    </message>
    <message>
        <source>Task environment</source>
        <translation>任务环境</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Until</source>
        <translation>截止</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>成本</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>跟踪</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Fusion</source>
        <translation>融合</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>放置</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Checkpoint interval</source>
        <translation>检查点间隔</translation>
    </message>
    <message>
        <source>Checkpoint cost</source>
        <translation>检查点开销</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>Restart cost</source>
        <translation>重启开销</translation>
    </message>
    <message>
        <source>Restart delay</source>
        <translation>重启延迟</translation>
    </message>
    <message>
        <source>Start cost</source>
        <translation>启动开销</translation>
    </message>
    <message>
        <source>Resources</source>
        <translation>资源</translation>
    </message>
    <message>
        <source>Replicas</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Deadline</source>
        <translation>截止时间</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>持续时间</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>描述</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Node types</source>
        <translation>节点类型</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Users</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Teams</source>
        <translation>团队</translation>
    </message>
    <message>
        <source>Quotas</source>
        <translation>配额</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Reservations</source>
        <translation>预留</translation>
    </message>
    <message>
        <source>Partitions</source>
        <translation>分区</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>限制</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>镜像</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>镜像</translation>
    </message>
    <message>
        <source>Containers</source>
        <translation>容器</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation>全局批大小</translation>
    </message>
    <message>
        <source>Micro batch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Parallelism</source>
        <translation>并行方式</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>分布</translation>
    </message>
    <message>
        <source>Interval</source>
        <translation>间隔</translation>
    </message>
    <message>
        <source>Period</source>
        <translation>周期</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>Stragglers</source>
        <translation>掉队者</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>重叠</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>Update rule</source>
        <translation>更新规则</translation>
    </message>
    <message>
        <source>Protocol</source>
        <translation>协议</translation>
    </message>
    <message>
        <source>Efficiency</source>
        <translation>效率</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>估计</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Variants</source>
        <translation>变体</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>工作</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>工作进程</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Memory fraction</source>
        <translation>显存比例</translation>
    </message>
    <message>
        <source>Bucket size</source>
        <translation>桶大小</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>GPU 显存</translation>
    </message>
    <message>
        <source>GPU share</source>
        <translation>GPU 份额</translation>
    </message>
    <message>
        <source>GPU type</source>
        <translation>GPU 类型</translation>
    </message>
    <message>
        <source>Background</source>
        <translation>后台</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Elastic</source>
        <translation>弹性</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Rendezvous</source>
        <translation>会合</translation>
    </message>
    <message>
        <source>Transports</source>
        <translation>传输方式</translation>
    </message>
    <message>
        <source>Era</source>
        <translation>年代</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>校准</translation>
    </message>
    <message>
        <source>Measured rates</source>
        <translation>实测速率</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::RunsPanel</name>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Shows the results of the chosen run (Return)</source>
        <translation>显示所选运行的结果（回车）</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Gives the chosen run another name</source>
        <translation>为所选运行改名</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>再次运行</translation>
    </message>
    <message>
        <source>Runs the same scenario once more</source>
        <translation>再次运行同一场景</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>删除…</translation>
    </message>
    <message>
        <source>Deletes the chosen run and its results (Del)</source>
        <translation>删除所选运行及其结果（Del）</translation>
    </message>
    <message>
        <source>%1 is gone; the run cannot be repeated</source>
        <translation>%1 已不存在，无法再次运行</translation>
    </message>
    <message>
        <source>Delete the run</source>
        <translation>删除运行</translation>
    </message>
    <message>
        <source>Delete %1 and its results?</source>
        <translation>删除 %1 及其结果？</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Keeps words about the chosen run</source>
        <translation>为所选运行保存备注</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>基准</translation>
    </message>
    <message>
        <source>Compares other runs with the chosen one; the same again: no longer</source>
        <translation>将其他运行与所选运行比较；再次点击则取消</translation>
    </message>
</context>
<context>
    <name>Spans</name>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>push</source>
        <translation>推送</translation>
    </message>
    <message>
        <source>pull</source>
        <translation>拉取</translation>
    </message>
    <message>
        <source>collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>all-reduce</source>
        <translation>all-reduce</translation>
    </message>
    <message>
        <source>exchange</source>
        <translation>交换</translation>
    </message>
    <message>
        <source>aggregate</source>
        <translation>聚合</translation>
    </message>
    <message>
        <source>update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>jobs of the queue</source>
        <translation>队列作业</translation>
    </message>
    <message>
        <source>services</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>retraining</source>
        <translation>再训练</translation>
    </message>
    <message>
        <source>jobs with 1 GPU</source>
        <translation>1 个 GPU 的作业</translation>
    </message>
    <message>
        <source>2 to 8 GPUs</source>
        <translation>2 至 8 个 GPU</translation>
    </message>
    <message>
        <source>9 to 64 GPUs</source>
        <translation>9 至 64 个 GPU</translation>
    </message>
    <message>
        <source>more than 64 GPUs</source>
        <translation>多于 64 个 GPU</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>is trained</source>
        <translation>训练中</translation>
    </message>
    <message>
        <source>is out of date</source>
        <translation>已过期</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::TimelinePage</name>
    <message>
        <source>Critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>Policy that the timeline shows</source>
        <translation>时间线显示的策略</translation>
    </message>
    <message>
        <source>What has a lane of its own</source>
        <translation>每条泳道代表什么</translation>
    </message>
    <message>
        <source>Lanes: machines and GPUs</source>
        <translation>泳道：机器和 GPU</translation>
    </message>
    <message>
        <source>Lanes: jobs that waited longest</source>
        <translation>泳道：等待最久的作业</translation>
    </message>
    <message>
        <source>Outlines what the end of the step waited for (C)</source>
        <translation>勾出步骤结束所等待的内容（C）</translation>
    </message>
    <message>
        <source>A click shows this kind alone</source>
        <translation>单击只显示这一类</translation>
    </message>
    <message>
        <source>Numbers of what is chosen on the timeline</source>
        <translation>时间线上所选内容的数值</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>Shortest</source>
        <translation>最短</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>最长</translation>
    </message>
    <message>
        <source>Share of the lanes</source>
        <translation>占泳道比例</translation>
    </message>
    <message>
        <source>Unfold all</source>
        <translation>全部展开</translation>
    </message>
    <message>
        <source>Fold all</source>
        <translation>全部折叠</translation>
    </message>
    <message>
        <source>Machines and jobs as one lane each, or with all of their lanes (G)</source>
        <translation>机器和作业各一条泳道，或显示全部泳道（G）</translation>
    </message>
    <message>
        <source>Wheel: zoom · drag: move · Shift and drag: add up a range · click: one piece of work</source>
        <translation>滚轮：缩放 · 拖动：移动 · Shift 加拖动：统计一段 · 单击：一项工作</translation>
    </message>
    <message>
        <source>%1 (chosen)</source>
        <translation>%1（所选）</translation>
    </message>
    <message>
        <source>all of %1 on %2</source>
        <translation>%2 上全部 %1</translation>
    </message>
    <message numerus="yes">
        <source>%1 chosen, %n lanes</source>
        <translation>
            <numerusform>已选 %1，%n 条泳道</numerusform>
        </translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Timeline that stands below, on the same time axis</source>
        <translation>下方的时间线，使用同一时间轴</translation>
    </message>
    <message>
        <source>Arrows from messages to what waited for them (M); [ and ] follow them</source>
        <translation>从消息指向等待它的工作的箭头(M)；按 [ 和 ] 沿箭头跳转</translation>
    </message>
    <message>
        <source>Second timeline</source>
        <translation>第二条时间线</translation>
    </message>
    <message>
        <source>Below: nothing</source>
        <translation>下方：无</translation>
    </message>
    <message>
        <source>the timeline of %1 is being made…</source>
        <translation>正在生成 %1 的时间线…</translation>
    </message>
    <message>
        <source>after %1 on %2</source>
        <translation>在 %2 上的 %1 之后</translation>
    </message>
    <message>
        <source>before %1 on %2</source>
        <translation>在 %2 上的 %1 之前</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>Flame graph</source>
        <translation>火焰图</translation>
    </message>
    <message>
        <source>What was chosen</source>
        <translation>所选内容</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::PipelineView</name>
    <message>
        <source>Pipeline of the step</source>
        <translation>一步的流水线</translation>
    </message>
    <message>
        <source>%1, stage %2</source>
        <translation>%1，阶段 %2</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>%1: busy %2 % of the pipeline, memory up to %3</source>
        <translation>%1：流水线时间的 %2 % 忙碌，内存最多 %3</translation>
    </message>
    <message>
        <source>%1: bubble, %2 to %3</source>
        <translation>%1：空泡，%2 至 %3</translation>
    </message>
    <message>
        <source>%1: %2 pass of micro-batch %3, chunk %4, %5 to %6</source>
        <translation>%1：%2，微批 %3，分块 %4，%5 至 %6</translation>
    </message>
    <message>
        <source>Memory: this folder does not say (memory.csv)</source>
        <translation>内存：该文件夹没有数据（memory.csv）</translation>
    </message>
    <message>
        <source>Memory of %1, up to %2</source>
        <translation>%1 的内存，最多 %2</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>空泡</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>weights, gradients, optimiser, buffers</source>
        <translation>权重、梯度、优化器、缓冲区</translation>
    </message>
    <message>
        <source>memory of the GPU</source>
        <translation>GPU 内存</translation>
    </message>
    <message numerus="yes">
        <source>%1 at %2: %3, of them %4 activations of %n chunk(s)</source>
        <translation>
            <numerusform>%1，%2：%3，其中 %4 为 %n 个分块的激活</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation>%1 GiB</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::Minimap</name>
    <message>
        <source>Map of the whole canvas</source>
        <translation>整个画布的缩略图</translation>
    </message>
    <message>
        <source>The whole canvas; click or drag to move there (N hides it)</source>
        <translation>整个画布；单击或拖动可移动视图(按 N 隐藏)</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>communication takes (1 + this value) times as long as on the host's network</source>
        <translation>通信所需时间为主机网络上的 (1 + 此值) 倍</translation>
    </message>
    <message>
        <source>GPUs of each process of workers, as of a container that has several; 0: by worker_processes</source>
        <translation>每个工作进程的 GPU 数，例如拥有多个 GPU 的容器；0：由 worker_processes 决定</translation>
    </message>
    <message>
        <source>column in the file: how long it waited, where there is no start_s</source>
        <translation>文件中的列：等待了多久（没有 start_s 时）</translation>
    </message>
    <message>
        <source>column in the file: when it started, as submit_s: for simrun replay</source>
        <translation>文件中的列：何时开始，格式同 submit_s：供 simrun replay 使用</translation>
    </message>
    <message>
        <source>its name</source>
        <translation>它的名称</translation>
    </message>
    <message>
        <source>name of the user</source>
        <translation>用户名</translation>
    </message>
    <message>
        <source>network of the containers that train: what it takes of each packet between them (bytes, processor time, one flow for a tunnel)</source>
        <translation>参与训练的容器的网络：它们之间每个数据包的开销（字节、处理器时间、每条隧道一个流）</translation>
    </message>
    <message>
        <source>workers of a machine are one process with all GPUs (machine), or each GPU has one, with connections of its own (gpu); of a service, each container is a process, unless this is given</source>
        <translation>一台机器的工作者是拥有全部 GPU 的一个进程（machine），或每个 GPU 一个进程，各有自己的连接（gpu）；对于服务，若未给出此项，则每个容器是一个进程</translation>
    </message>
    <message>
        <source>age at which half of what is above the floor is left</source>
        <translation>高于下限部分减半时的数据年龄</translation>
    </message>
    <message>
        <source>instead of half_life: table with the columns age_h and quality, straight lines between its rows</source>
        <translation>代替 half_life：含 age_h 与 quality 两列的表，行间按直线插值</translation>
    </message>
    <message>
        <source>its tasks are those of the section &apos;graph&apos; (role and number), whose runs are the work</source>
        <translation>其任务即 'graph' 部分的任务（角色与编号），工作量为该图的运行次数</translation>
    </message>
    <message>
        <source>with half_life: quality on data of age 0</source>
        <translation>配合 half_life：数据年龄为 0 时的质量</translation>
    </message>
    <message>
        <source>with half_life: quality that is left in the end</source>
        <translation>配合 half_life：最终剩余的质量</translation>
    </message>
    <message>
        <source>how good the deployed model is by the age of its data, as the user knows it</source>
        <translation>按数据年龄，已部署模型有多好（由用户给出）</translation>
    </message>
    <message>
        <source>what a site does beside its policy, as simrun replay finds it in a log; times as those of submissions</source>
        <translation>站点在策略之外的做法，由 simrun replay 在日志中找到；时间与提交时间同一时钟</translation>
    </message>
    <message>
        <source>times in which no job starts: maintenance, outages</source>
        <translation>没有作业启动的时间：维护、故障</translation>
    </message>
    <message>
        <source>a closed time</source>
        <translation>关闭时段</translation>
    </message>
    <message>
        <source>when it begins</source>
        <translation>何时开始</translation>
    </message>
    <message>
        <source>when it ends</source>
        <translation>何时结束</translation>
    </message>
    <message>
        <source>GPUs that jobs may hold at once then, as machines are down; 0: no job starts</source>
        <translation>此时作业可同时占用的 GPU 数，因为有机器停机；0：没有作业启动</translation>
    </message>
    <message>
        <source>what a user&apos;s jobs may hold at once; the others wait outside</source>
        <translation>一个用户的作业可同时占用的量；其余在队列外等待</translation>
    </message>
    <message>
        <source>a limit</source>
        <translation>限制</translation>
    </message>
    <message>
        <source>jobs; 1: one after the other, as a chain</source>
        <translation>作业数；1：像链一样逐个运行</translation>
    </message>
    <message>
        <source>hours of the day in which long jobs start</source>
        <translation>长作业启动的时段</translation>
    </message>
    <message>
        <source>their estimate is above this</source>
        <translation>其估计时间高于此值</translation>
    </message>
    <message>
        <source>hour of the day, counted from that of the first submission</source>
        <translation>一天中的小时，从首次提交的时刻起算</translation>
    </message>
    <message>
        <source>hour of the day; before &apos;from&apos;: of the next day</source>
        <translation>一天中的小时；早于 &apos;from&apos; 时为次日</translation>
    </message>
    <message>
        <source>jobs that somebody holds, or that wait for others</source>
        <translation>被人扣住或等待其他作业的作业</translation>
    </message>
    <message>
        <source>a hold</source>
        <translation>扣留</translation>
    </message>
    <message>
        <source>it does not start before</source>
        <translation>在此之前不启动</translation>
    </message>
    <message>
        <source>jobs that ask for more GPUs ask for so many instead</source>
        <translation>请求更多 GPU 的作业改为请求这么多</translation>
    </message>
    <message>
        <source>the tensor is a table of so many rows (an embedding), of which a step touches some</source>
        <translation>该张量是有这么多行的表（嵌入），一步只用到其中一部分</translation>
    </message>
    <message>
        <source>rows that one sample looks up</source>
        <translation>一个样本查找的行数</translation>
    </message>
    <message>
        <source>rows that a worker&apos;s batch touches, each counted once, as measured</source>
        <translation>实测：一个工作进程的批次用到的不同行数</translation>
    </message>
    <message>
        <source>gradients of tables of rows (embeddings): the rows that a step touches with their numbers, to and from servers, or all-gathered between workers; dense: as large as the table</source>
        <translation>行表（嵌入）的梯度：一步用到的行及其编号，往返服务器，或在工作进程之间 all-gather；dense：与整张表一样大</translation>
    </message>
    <message>
        <source>which of them travel: each row that a batch touches once, or one for each lookup</source>
        <translation>传输哪些行：批次用到的每行一次，或每次查找一行</translation>
    </message>
    <message>
        <source>of a model with tables of rows: where all other tensors are, on the servers as well, or on each worker, summed by all-reduce (hybrid)</source>
        <translation>有行表的模型：其余张量在哪里，也在服务器上，或在每个工作进程上由 all-reduce 求和（混合）</translation>
    </message>
    <message>
        <source>with dense_gradients: all_reduce: its transport</source>
        <translation>dense_gradients: all_reduce 时所用的传输</translation>
    </message>
    <message>
        <source>steps from one exchange to the next; from 2 on each worker updates a replica of its own in every step, and what is exchanged are parameters, after the update (local SGD)</source>
        <translation>两次交换之间的步数；从 2 起每个工作进程每步更新自己的副本，交换的是更新后的参数（局部 SGD）</translation>
    </message>
    <message>
        <source>with sequence_parallel, who gathers and scatters: Megatron-LM, which gathers inputs once more for gradients of weights; PyTorch's DTensor, which keeps them and copies what it gathers and scatters; the same with a gather for each matrix (ColwiseParallel with input_layouts, without PrepareModuleInput)</source>
        <translation>使用 sequence_parallel 时由谁收集和分散：Megatron-LM，为权重梯度再次收集输入；PyTorch 的 DTensor，保留输入，并复制所收集和分散的数据；同上，但每个矩阵各自收集（ColwiseParallel 带 input_layouts，不用 PrepareModuleInput）</translation>
    </message>
    <message>
        <source>with sync_every: what is done with the average: workers go on with it, or it is the gradient of an outer step with Nesterov&apos;s momentum (DiLoCo), which keeps the last average and a momentum</source>
        <translation>sync_every 时如何使用平均值：工作进程接着用它，或作为带 Nesterov 动量的外层步的梯度（DiLoCo），需保存上次的平均值和动量</translation>
    </message>
    <message>
        <source>recommendation, 26 tables of rows of 16 (sparse gradients), 541 M parameters (Naumov et al. 2019)</source>
        <translation>推荐，26 张行宽 16 的表（稀疏梯度），5.41 亿参数（Naumov 等 2019）</translation>
    </message>
    <message>
        <source>recommendation of MLPerf v1, 26 tables of rows of 128 (sparse gradients), 24.0 G parameters (96 GB)</source>
        <translation>MLPerf v1 的推荐模型，26 张行宽 128 的表（稀疏梯度），240 亿参数（96 GB）</translation>
    </message>
    <message>
        <source>Horovod's thread that waits for an exchange (blocking) also copies sums back to the GPU before it looks again; TensorFlow's does not</source>
        <translation>等待交换的 Horovod 线程（blocking）还会先把求和结果复制回 GPU，再继续查看；TensorFlow 的线程不这样做</translation>
    </message>
    <message>
        <source>images lie in memory as matrix units want them (NHWC, torch.channels_last); else they are turned around for each convolution</source>
        <translation>图像按矩阵单元需要的方式存放（NHWC，torch.channels_last）；否则每次卷积都要重新排列</translation>
    </message>
    <message>
        <source>share of a compute kernel for which a collective issued during the backward pass waits for multiprocessors; default: 0.5 where the library reads GPU memory, 0 where it runs on processors</source>
        <translation>反向传播期间发起的集合通信等待流多处理器的时间，以计算内核时长的份额表示；默认：库直接读取 GPU 内存时为 0.5，在处理器上运行时为 0</translation>
    </message>
    <message>
        <source>InfiniBand switches add up (SHARP): the library's plug-in and NCCL_COLLNET_ENABLE=1; from two nodes on</source>
        <translation>由 InfiniBand 交换机求和（SHARP）：需要库的插件和 NCCL_COLLNET_ENABLE=1；从两个节点起</translation>
    </message>
    <message>
        <source>bytes that wait at a link at most, before some are lost; with fidelity tcp</source>
        <translation>链路上最多排队的字节数，超过则丢失一部分；用于 fidelity tcp</translation>
    </message>
    <message>
        <source>how windows of connections grow and shrink; with fidelity tcp</source>
        <translation>连接的窗口如何增大和缩小；用于 fidelity tcp</translation>
    </message>
    <message>
        <source>packets of 1,514 B that wait at a link at most; with fidelity tcp</source>
        <translation>链路上最多排队的 1,514 字节数据包数；用于 fidelity tcp</translation>
    </message>
    <message>
        <source>links mark packets that find more bytes in the queue; with congestion_control dctcp</source>
        <translation>队列中的字节数更多时，链路标记到达的数据包；用于 congestion_control dctcp</translation>
    </message>
    <message>
        <source>bytes that pass before a link has its bandwidth; they come back at that rate (token bucket: tc tbf, network credits of clouds); with fidelity tcp</source>
        <translation>链路降到其带宽之前可通过的字节数；按该带宽恢复（令牌桶：tc tbf、云的网络积分）；用于 fidelity tcp</translation>
    </message>
    <message>
        <source>at which the burst passes</source>
        <translation>突发数据通过的速率</translation>
    </message>
    <message>
        <source>multiprocessors that collectives take from the backward pass while both run; default: two for each ring (24 and 16 in machines of A100 and of H100 with NVSwitch), 0 on CPUs; without effect beside contention_per_GB</source>
        <translation>集合通信与反向传播同时进行时占用的流多处理器数；默认每个环两个（带 NVSwitch 的 A100 与 H100 机器为 24 和 16），CPU 上为 0；与 contention_per_GB 同用时无效</translation>
    </message>
    <message>
        <source>with cp, how ranks see each other&apos;s keys and values: p2p, pieces go round a ring beside the attention to the piece before; all_gather, all of them before the attention (Llama 3); a2a, each rank gets the whole sequence of its share of the heads (Ulysses). Megatron-Core&apos;s cp_comm_type; torchtitan&apos;s context_parallel_rotate_method, whose alltoall is p2p</source>
        <translation>使用 cp 时，各进程如何得到彼此的键和值：p2p，分段沿环传递，与对前一段的注意力计算同时进行；all_gather，在注意力之前全部收集（Llama 3）；a2a，每个进程得到自己那部分头的完整序列（Ulysses）。即 Megatron-Core 的 cp_comm_type；torchtitan 的 context_parallel_rotate_method，其 alltoall 就是 p2p</translation>
    </message>
    <message>
        <source>with precision fp8, mxfp8 or nvfp4, what the backward pass finds in fewer than 16 bit: linear_inputs, rounded as for the product (Transformer Engine); activation_inputs, of the activation function (Megatron-Core&apos;s activation-func-fp8-input-store); attention_output, in 12 bit (DeepSeek-V3: all three)</source>
        <translation>精度为 fp8、mxfp8 或 nvfp4 时，反向传播以少于 16 位保存的内容：linear_inputs，线性层的输入，与乘法所用的舍入相同（Transformer Engine）；activation_inputs，激活函数的输入（Megatron-Core 的 activation-func-fp8-input-store）；attention_output，12 位的注意力输出（DeepSeek-V3：三者都用）</translation>
    </message>
    <message>
        <source>values are left out at random, in attention and before each sum with the identity path; MLPerf&apos;s GPT-3 and most recipes of today train without</source>
        <translation>随机丢弃数值：在注意力中，以及每次与恒等路径相加之前；MLPerf 的 GPT-3 和如今的大多数方案训练时不使用</translation>
    </message>
    <message>
        <source>with precision fp8, mxfp8 or nvfp4, tokens travel to their experts rounded as for the product; what comes back is in 16 bit (DeepSeek-V3, DeepEP)</source>
        <translation>精度为 fp8、mxfp8 或 nvfp4 时，token 以乘法所用的舍入值发往专家；返回的结果为 16 位（DeepSeek-V3、DeepEP）</translation>
    </message>
    <message>
        <source>groups in which the experts lie (n_group)</source>
        <translation>专家所在的组数（n_group）</translation>
    </message>
    <message>
        <source>groups whose experts a token may pass (topk_group)</source>
        <translation>一个 token 可以经过其专家的组数（topk_group）</translation>
    </message>
    <message>
        <source>parts of every layer that the backward pass computes again: layernorm, activation (of the feed-forward network or the experts), mla_up_proj (latent attention's queries, keys and values), mlp, moe (all of the experts, with their messages), shared_experts (Megatron-Core's --recompute-modules)</source>
        <translation>反向传播中每层要重新计算的部分：layernorm、activation（前馈网络或专家的激活）、mla_up_proj（潜在注意力的查询、键和值）、mlp、moe（专家的全部计算及其通信）、shared_experts（Megatron-Core 的 --recompute-modules）</translation>
    </message>
    <message>
        <source>share of a compute kernel for which a collective issued during the backward pass waits for multiprocessors; default: 0.5 on GPUs, 0 on CPUs</source>
        <translation>反向传播期间发起的集合通信等待流多处理器的时间，以计算内核时长的份额表示；默认 GPU 上 0.5，CPU 上 0</translation>
    </message>
    <message>
        <source>share of the line rate that large payloads reach over InfiniBand; 0: as over other links</source>
        <translation>大数据量在 InfiniBand 上达到的线速份额；0：与其他链路相同</translation>
    </message>
    <message>
        <source>whether a process reaches endpoint_limit in each direction, or in both together (one I/O thread)</source>
        <translation>进程是在每个方向各自达到 endpoint_limit，还是两个方向合计（一个 I/O 线程）</translation>
    </message>
    <message>
        <source>whether a process reaches that rate in each direction, or in both together (one I/O thread); default: the transport's, shared with zmq</source>
        <translation>进程是在每个方向各自达到该速率，还是两个方向合计（一个 I/O 线程）；默认取传输方式的设置，zmq 为合计</translation>
    </message>
    <message>
        <source>with zero: 3, weights are used where they are gathered (FSDP1, Megatron-FSDP); false: each layer's are copied out of the buffer of its collective, and gradients into one (PyTorch's fully_shard, DeepSpeed)</source>
        <translation>用于 zero: 3：权重在收集到的位置直接使用（FSDP1、Megatron-FSDP）；false：每层的权重从集合通信的缓冲区复制出来，梯度复制进去（PyTorch 的 fully_shard、DeepSpeed）</translation>
    </message>
    <message>
        <source>column in the file: submission: a number, or a date with a time of day (2026-01-31 08:30:00)</source>
        <translation>文件中的列：提交时间：数字，或带时刻的日期（2026-01-31 08:30:00）</translation>
    </message>
    <message>
        <source>column in the file: run time without waiting, on the GPUs that the job asks for</source>
        <translation>文件中的列：作业在所申请的 GPU 上的运行时间，不含等待</translation>
    </message>
    <message>
        <source>column in the file: how many it asks for</source>
        <translation>文件中的列：作业申请的 GPU 数</translation>
    </message>
    <message>
        <source>column in the file: of the job; its number where there is none</source>
        <translation>文件中的列：作业名称；没有时用其编号</translation>
    </message>
    <message>
        <source>column in the file: who submitted it</source>
        <translation>文件中的列：提交者</translation>
    </message>
    <message>
        <source>column in the file: whose quota it uses</source>
        <translation>文件中的列：作业使用谁的配额</translation>
    </message>
    <message>
        <source>column in the file: or partition</source>
        <translation>文件中的列：队列（或分区）</translation>
    </message>
    <message>
        <source>column in the file: or queue</source>
        <translation>文件中的列：分区（或队列）</translation>
    </message>
    <message>
        <source>column in the file: labels key=value of machines, separated by spaces</source>
        <translation>文件中的列：机器标签 key=value，以空格分隔</translation>
    </message>
    <message>
        <source>column in the file: what it trains</source>
        <translation>文件中的列：作业训练的模型</translation>
    </message>
    <message>
        <source>column in the file: run time that its user expected</source>
        <translation>文件中的列：用户预计的运行时间</translation>
    </message>
    <message>
        <source>column in the file: when it must have ended</source>
        <translation>文件中的列：最迟结束时间</translation>
    </message>
    <message>
        <source>column in the file: higher goes first</source>
        <translation>文件中的列：数值高者优先</translation>
    </message>
    <message>
        <source>column in the file: of the job in fair shares</source>
        <translation>文件中的列：作业在公平分配中的权重</translation>
    </message>
    <message>
        <source>column in the file: how many it is divided into</source>
        <translation>文件中的列：作业分成的任务数</translation>
    </message>
    <message>
        <source>column in the file: thousandths of each GPU</source>
        <translation>文件中的列：每个 GPU 的千分之几</translation>
    </message>
    <message>
        <source>column in the file: thousandths of the arithmetic of each GPU</source>
        <translation>文件中的列：每个 GPU 算力的千分之几</translation>
    </message>
    <message>
        <source>column in the file: memory on each GPU</source>
        <translation>文件中的列：每个 GPU 上的显存</translation>
    </message>
    <message>
        <source>column in the file: thousandths of a core</source>
        <translation>文件中的列：核心的千分之几</translation>
    </message>
    <message>
        <source>column in the file: memory of the machine</source>
        <translation>文件中的列：机器内存</translation>
    </message>
    <message>
        <source>column in the file: fewest that it can run on</source>
        <translation>文件中的列：作业可运行的最少 GPU 数</translation>
    </message>
    <message>
        <source>column in the file: most that it can use</source>
        <translation>文件中的列：作业最多可用的 GPU 数</translation>
    </message>
    <message>
        <source>column in the file: quality of service (Slurm)</source>
        <translation>文件中的列：服务质量（Slurm 的 QOS）</translation>
    </message>
    <message>
        <source>column in the file: that it runs in</source>
        <translation>文件中的列：作业所属的预留</translation>
    </message>
    <message>
        <source>column in the file: name of its job array</source>
        <translation>文件中的列：作业数组的名称</translation>
    </message>
    <message>
        <source>column in the file: jobs of the array that may run at once</source>
        <translation>文件中的列：数组中可同时运行的作业数</translation>
    </message>
    <message>
        <source>column in the file: type that it asks for</source>
        <translation>文件中的列：作业申请的 GPU 型号</translation>
    </message>
    <message>
        <source>column in the file: type that duration_s was measured on</source>
        <translation>文件中的列：测得 duration_s 的 GPU 型号</translation>
    </message>
    <message>
        <source>column in the file: names of jobs that must have ended, separated by spaces</source>
        <translation>文件中的列：必须先结束的作业名称，以空格分隔</translation>
    </message>
    <message>
        <source>columns of a table of your own (format csv): which of them are those of Trainyard's table</source>
        <translation>您自己的表（csv 格式）的列：哪些对应 Trainyard 表的列</translation>
    </message>
    <message>
        <source>0 = any number</source>
        <translation>0 = 任意数量</translation>
    </message>
    <message>
        <source>12 characters</source>
        <translation>12 个字符</translation>
    </message>
    <message>
        <source>8..64:8 (step), 1..64*2 (factor)</source>
        <translation>8..64:8(步长)，1..64*2(倍数)</translation>
    </message>
    <message>
        <source>a cluster queue</source>
        <translation>一个 ClusterQueue</translation>
    </message>
    <message>
        <source>A cluster, its jobs, and what to find out</source>
        <translation>集群、其作业以及要回答的问题</translation>
    </message>
    <message>
        <source>a cohort</source>
        <translation>一个 cohort</translation>
    </message>
    <message>
        <source>a flavor</source>
        <translation>一个 flavor</translation>
    </message>
    <message>
        <source>a quota</source>
        <translation>一个配额</translation>
    </message>
    <message>
        <source>action preempt: a job stops jobs of lower priority of its queue</source>
        <translation>动作 preempt：作业停止同一队列中优先级更低的作业</translation>
    </message>
    <message>
        <source>action reclaim: a queue that has less than it deserves stops jobs of queues that have more</source>
        <translation>动作 reclaim：占用少于应得份额的队列停止超出份额的队列的作业</translation>
    </message>
    <message>
        <source>cluster queues of one cohort lend each other what they do not use</source>
        <translation>同一 cohort 的队列互相借出未使用的配额</translation>
    </message>
    <message>
        <source>cluster queues: quotas of the team of this name</source>
        <translation>ClusterQueue：同名团队的配额</translation>
    </message>
    <message>
        <source>cohorts with a parent or quotas of their own; others need no entry as long as none has one</source>
        <translation>有上级或自有配额的 cohort；若一个都没有列出，其余的无需列出</translation>
    </message>
    <message>
        <source>account above this one</source>
        <translation>此账户的上级账户</translation>
    </message>
    <message>
        <source>accounts and their users, with limits; those of all jobs count at every level of the tree of accounts</source>
        <translation>账户及其用户的限制；针对所有作业的限制在账户树的每一级都起作用</translation>
    </message>
    <message>
        <source>an association</source>
        <translation>一个关联</translation>
    </message>
    <message>
        <source>CPU cores</source>
        <translation>CPU 核心数</translation>
    </message>
    <message>
        <source>CPU cores of each task</source>
        <translation>每个任务的 CPU 核心数</translation>
    </message>
    <message>
        <source>CPU cores: they preprocess samples, and containers and queued jobs share them</source>
        <translation>CPU 核心：用于样本预处理，由容器和排队作业共享</translation>
    </message>
    <message>
        <source>CPU of the catalogue; it sets how fast jobs with device: cpu compute</source>
        <translation>目录中的 CPU；决定 device: cpu 的作业的计算速度</translation>
    </message>
    <message>
        <source>CPU sockets of the machine</source>
        <translation>机器的 CPU 插槽数</translation>
    </message>
    <message>
        <source>time of a core at each end for a GB; a process of parameter servers moves no more than the cores of its machine can</source>
        <translation>每端每 GB 的核心时间；参数服务器进程的传输不超过其机器各核心所能达到的速率</translation>
    </message>
    <message>
        <source>CPU time of a server per message</source>
        <translation>服务器处理每条消息的 CPU 时间</translation>
    </message>
    <message>
        <source>CSV file with a row per layer: name, parameters (elements of each tensor), forward and backward (times for the job's batch) or flop (forward, per sample), activations</source>
        <translation>每层一行的 CSV 文件：名称、参数(每个张量的元素数)、forward 和 backward(作业批量下的时间)或 flop(每样本前向)、激活</translation>
    </message>
    <message>
        <source>CUDA_VISIBLE_DEVICES: numbers of the GPUs that it sees</source>
        <translation>CUDA_VISIBLE_DEVICES：可见 GPU 的编号</translation>
    </message>
    <message>
        <source>flavors, cohorts and cluster queues, for the queue policy kueue</source>
        <translation>flavor、cohort 和 ClusterQueue，用于队列策略 kueue</translation>
    </message>
    <message>
        <source>GPU of the catalogue</source>
        <translation>目录中的 GPU</translation>
    </message>
    <message>
        <source>GPU type of its machines</source>
        <translation>其机器的 GPU 类型</translation>
    </message>
    <message>
        <source>GPU type that run times were measured on; with several types of GPU whose speeds differ (throughputs, or speed: step)</source>
        <translation>测量运行时间所用的 GPU 类型；用于速度不同的多种 GPU(throughputs 或 speed: step)</translation>
    </message>
    <message>
        <source>GPU-seconds after which a job moves down to the next queue, ascending, separated by spaces</source>
        <translation>作业降入下一队列前的 GPU 秒数，升序，以空格分隔</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>GPUs, CPU, memory and pods by flavor; jobs try the flavors in this order</source>
        <translation>按 flavor 划分的 GPU、CPU、内存和 Pod；作业按此顺序尝试各 flavor</translation>
    </message>
    <message>
        <source>GPUs in the machine</source>
        <translation>机器中的 GPU 数</translation>
    </message>
    <message>
        <source>GPUs of its own machine, with cluster: false</source>
        <translation>自有机器的 GPU 数，用于 cluster: false</translation>
    </message>
    <message>
        <source>GPUs of one job: MaxTRESPerJob</source>
        <translation>单个作业的 GPU 数：MaxTRESPerJob</translation>
    </message>
    <message>
        <source>GPUs of the largest task: smaller jobs are one task on one machine, larger jobs are gangs of such tasks</source>
        <translation>最大任务的 GPU 数：较小作业为单机上的一个任务，较大作业由多个此类任务成组构成</translation>
    </message>
    <message>
        <source>GPUs of the whole gang</source>
        <translation>整组的 GPU 数</translation>
    </message>
    <message>
        <source>GPUs per team: 'team-a=8 team-b=16'; teams without one are not limited</source>
        <translation>各团队的 GPU 数：'team-a=8 team-b=16'；未列出的团队不受限</translation>
    </message>
    <message>
        <source>GPUs that a user's jobs may hold at once: MaxTRESPerUser</source>
        <translation>一个用户的作业可同时占用的 GPU 数：MaxTRESPerUser</translation>
    </message>
    <message>
        <source>GPUs that all arriving tasks ask for, as a share of the cluster's</source>
        <translation>所有到达任务请求的 GPU 占集群 GPU 的份额</translation>
    </message>
    <message>
        <source>GPUs that all its jobs may hold at once: GrpTRES</source>
        <translation>其全部作业可同时占用的 GPU 数：GrpTRES</translation>
    </message>
    <message>
        <source>GPUs that are kept for a queue of Volcano: &apos;team-a=4&apos;</source>
        <translation>为 Volcano 队列保留的 GPU 数：'team-a=4'</translation>
    </message>
    <message>
        <source>GPUs that it has</source>
        <translation>它拥有的 GPU 数</translation>
    </message>
    <message>
        <source>GPUs that the jobs of an account (team) may hold at once: MaxTRESPerAccount</source>
        <translation>一个账户(团队)的作业可同时占用的 GPU 数：MaxTRESPerAccount</translation>
    </message>
    <message>
        <source>GPUs, with train_time</source>
        <translation>GPU 数，与 train_time 一起使用</translation>
    </message>
    <message>
        <source>jobs are let in while they ask for no more than so many times the GPUs, CPU and memory that there are</source>
        <translation>当请求总量不超过 GPU、CPU 和内存总量的这个倍数时，作业才被放入队列</translation>
    </message>
    <message>
        <source>jobs of other queues that borrow, which one of its jobs may stop although it borrows too</source>
        <translation>其作业在自身也借用时仍可停止的、其他借用队列的作业</translation>
    </message>
    <message>
        <source>jobs of other queues that borrow, which one of its jobs within quota may stop</source>
        <translation>其配额内的作业可以停止的、其他借用队列的作业</translation>
    </message>
    <message>
        <source>jobs of the same queue that one of its jobs may stop</source>
        <translation>其作业可以停止的同一队列的作业</translation>
    </message>
    <message>
        <source>Kueue: quotas by GPU flavor, cohorts that borrow and lend, reclaiming; rules of the section kueue</source>
        <translation>Kueue：按 GPU flavor 的配额、可借入借出的 cohort、回收；规则见 kueue 部分</translation>
    </message>
    <message>
        <source>jobs of a user that may wait and run at once, others are refused: MaxSubmitJobsPerUser</source>
        <translation>一个用户可同时等待和运行的作业数，超出的被拒绝：MaxSubmitJobsPerUser</translation>
    </message>
    <message>
        <source>jobs that may wait and run at once, others are refused: GrpSubmitJobs</source>
        <translation>可同时等待和运行的作业数，超出的被拒绝：GrpSubmitJobs</translation>
    </message>
    <message>
        <source>MaxTRESPerUser: GPUs that a user may hold at once; 0 = no limit</source>
        <translation>MaxTRESPerUser：一个用户可同时占用的 GPU 数；0 = 不限</translation>
    </message>
    <message>
        <source>most GPUs that a queue of Volcano may hold: &apos;team-a=16&apos;</source>
        <translation>Volcano 队列最多可占用的 GPU 数：'team-a=16'</translation>
    </message>
    <message>
        <source>CPU cores that it has</source>
        <translation>它拥有的 CPU 核数</translation>
    </message>
    <message>
        <source>quota of CPU cores</source>
        <translation>CPU 核数的配额</translation>
    </message>
    <message>
        <source>most CPU cores that it may borrow from its cohort</source>
        <translation>最多可向其 cohort 借用的 CPU 核数</translation>
    </message>
    <message>
        <source>most CPU cores of its own that others of its cohort may use</source>
        <translation>其 cohort 中其他队列最多可使用的本队列 CPU 核数</translation>
    </message>
    <message>
        <source>memory that it has</source>
        <translation>它拥有的内存</translation>
    </message>
    <message>
        <source>quota of memory</source>
        <translation>内存的配额</translation>
    </message>
    <message>
        <source>most memory that it may borrow from its cohort</source>
        <translation>最多可向其 cohort 借用的内存</translation>
    </message>
    <message>
        <source>most memory of its own that others of its cohort may use</source>
        <translation>其 cohort 中其他队列最多可使用的本队列内存</translation>
    </message>
    <message>
        <source>pods that it has</source>
        <translation>它拥有的 Pod 数</translation>
    </message>
    <message>
        <source>quota of pods</source>
        <translation>Pod 数的配额</translation>
    </message>
    <message>
        <source>most pods that it may borrow from its cohort</source>
        <translation>最多可向其 cohort 借用的 Pod 数</translation>
    </message>
    <message>
        <source>most pods of its own that others of its cohort may use</source>
        <translation>其 cohort 中其他队列最多可使用的本队列 Pod 数</translation>
    </message>
    <message>
        <source>whether a job that asks for a resource of which its cluster queue has no quota never starts, or that resource is not limited</source>
        <translation>作业请求其集群队列没有配额的资源时：永不启动，或该资源不受限制</translation>
    </message>
    <message>
        <source>most CPU cores that a queue of Volcano may hold: &apos;team-a=128&apos;</source>
        <translation>Volcano 队列最多可持有的 CPU 核数：'team-a=128'</translation>
    </message>
    <message>
        <source>CPU cores that are kept for a queue of Volcano: &apos;team-a=32&apos;</source>
        <translation>为 Volcano 队列保留的 CPU 核数：'team-a=32'</translation>
    </message>
    <message>
        <source>most memory that a queue of Volcano may hold: &apos;team-a=512GiB&apos;</source>
        <translation>Volcano 队列最多可持有的内存：'team-a=512GiB'</translation>
    </message>
    <message>
        <source>memory that is kept for a queue of Volcano: &apos;team-a=128GiB&apos;</source>
        <translation>为 Volcano 队列保留的内存：'team-a=128GiB'</translation>
    </message>
    <message>
        <source>GPUs that a queue of Volcano deserves: &apos;team-a=8&apos;. Any such list switches to plugin capacity</source>
        <translation>Volcano 队列应得的 GPU 数：'team-a=8'。给出任一此类列表即改用 capacity 插件</translation>
    </message>
    <message>
        <source>CPU cores that a queue of Volcano deserves (plugin capacity): &apos;team-a=64&apos;</source>
        <translation>Volcano 队列应得的 CPU 核数（capacity 插件）：'team-a=64'</translation>
    </message>
    <message>
        <source>memory that a queue of Volcano deserves (plugin capacity): &apos;team-a=256GiB&apos;</source>
        <translation>Volcano 队列应得的内存（capacity 插件）：'team-a=256GiB'</translation>
    </message>
    <message>
        <source>most GPUs that it may borrow from its cohort</source>
        <translation>最多可向其 cohort 借用的 GPU 数</translation>
    </message>
    <message>
        <source>most of its own GPUs that others of its cohort may use</source>
        <translation>其自有 GPU 中最多可供 cohort 其他成员使用的数量</translation>
    </message>
    <message>
        <source>name of the cluster queue: the team of its jobs</source>
        <translation>ClusterQueue 的名称：其作业所属的团队</translation>
    </message>
    <message>
        <source>name of the cohort, for cluster queues and other cohorts</source>
        <translation>cohort 的名称，供 ClusterQueue 和其他 cohort 引用</translation>
    </message>
    <message>
        <source>name of the flavor, for quotas</source>
        <translation>flavor 的名称，供配额引用</translation>
    </message>
    <message>
        <source>name of the account: the team of its jobs; root: above all others</source>
        <translation>账户名称：其作业的团队；root 位于所有账户之上</translation>
    </message>
    <message>
        <source>NCCL version whose start-up constants are used: 2.7 or 2.26; auto = 2.26 if the GPUs support fp8</source>
        <translation>采用其启动常数的 NCCL 版本：2.7 或 2.26；auto = GPU 支持 fp8 时用 2.26</translation>
    </message>
    <message>
        <source>NICs per router (p)</source>
        <translation>每个路由器的网卡数(p)</translation>
    </message>
    <message>
        <source>NVLink generation; decides the rate of a link (20, 25, 25, 25, 50 GB/s each direction)</source>
        <translation>NVLink 代次；决定链路速率(每方向 20、25、25、25、50 GB/s)</translation>
    </message>
    <message>
        <source>one of kueue.flavors</source>
        <translation>kueue.flavors 之一</translation>
    </message>
    <message>
        <source>ONNX file of a network</source>
        <translation>网络的 ONNX 文件</translation>
    </message>
    <message>
        <source>partitions, QOS, accounts and reservations, for the queue policy slurm</source>
        <translation>分区、QOS、账户和预留，用于队列策略 slurm</translation>
    </message>
    <message>
        <source>PCIe switches below each socket; 0 puts GPUs and NICs on root ports</source>
        <translation>每个插槽下的 PCIe 交换机数；0 表示 GPU 和网卡接在根端口</translation>
    </message>
    <message>
        <source>PreemptMode: requeue (a stopped job waits again, its progress kept), cancel (it is lost)</source>
        <translation>PreemptMode：requeue(被停止的作业重新排队，保留进度)、cancel(作业丢失)</translation>
    </message>
    <message>
        <source>PriorityCalcPeriod: how often priorities are computed</source>
        <translation>PriorityCalcPeriod：计算优先级的周期</translation>
    </message>
    <message>
        <source>PriorityFavorSmall: small jobs get the larger size factor</source>
        <translation>PriorityFavorSmall：小作业获得更大的规模因子</translation>
    </message>
    <message>
        <source>PriorityJobFactor: part of the priority, times weight_partition</source>
        <translation>PriorityJobFactor：优先级的一部分，乘以 weight_partition</translation>
    </message>
    <message>
        <source>PriorityMaxAge: waiting time at which the age factor is 1</source>
        <translation>PriorityMaxAge：年龄因子达到 1 的等待时间</translation>
    </message>
    <message>
        <source>PriorityTier: jobs of a higher tier go first, whatever their priority</source>
        <translation>PriorityTier：高层级作业无论优先级如何都先运行</translation>
    </message>
    <message>
        <source>PriorityWeightAge: of the time a job has waited, over max_age, at most 1</source>
        <translation>PriorityWeightAge：作业等待时间与 max_age 之比，最大为 1</translation>
    </message>
    <message>
        <source>PriorityWeightFairshare: of the Fair Tree rank of the job's user, 1 = first</source>
        <translation>PriorityWeightFairshare：作业用户的 Fair Tree 排名，1 = 第一</translation>
    </message>
    <message>
        <source>PriorityWeightJobSize: of the job's share of all GPUs</source>
        <translation>PriorityWeightJobSize：作业占全部 GPU 的份额</translation>
    </message>
    <message>
        <source>PriorityWeightPartition: of the partition's factor over the largest</source>
        <translation>PriorityWeightPartition：分区因子与最大值之比</translation>
    </message>
    <message>
        <source>PriorityWeightQOS: of the job's `priority` over the largest</source>
        <translation>PriorityWeightQOS：作业的 `priority` 与最大值之比</translation>
    </message>
    <message>
        <source>a QOS</source>
        <translation>一个 QOS</translation>
    </message>
    <message>
        <source>a change of the number of replicas</source>
        <translation>副本数的一次变化</translation>
    </message>
    <message>
        <source>a failure</source>
        <translation>一个故障</translation>
    </message>
    <message>
        <source>a job moves back to the first queue if it waits this many times its run time since it was last there; 0 = never</source>
        <translation>作业等待时间达到其上次在首个队列后运行时间的这么多倍时返回首个队列；0 = 从不</translation>
    </message>
    <message>
        <source>a job whose deadline cannot be met with the jobs admitted before it gets only the remaining GPUs</source>
        <translation>若与先前接纳的作业一起无法满足期限，该作业只获得剩余 GPU</translation>
    </message>
    <message>
        <source>a link of topology graph</source>
        <translation>graph 拓扑的一条链路</translation>
    </message>
    <message>
        <source>a machine type</source>
        <translation>一种机器类型</translation>
    </message>
    <message>
        <source>a model</source>
        <translation>一个模型</translation>
    </message>
    <message>
        <source>a name</source>
        <translation>一个名称</translation>
    </message>
    <message>
        <source>a named set of changes</source>
        <translation>一组具名的更改</translation>
    </message>
    <message>
        <source>a partition</source>
        <translation>一个分区</translation>
    </message>
    <message>
        <source>a placement policy</source>
        <translation>一种放置策略</translation>
    </message>
    <message>
        <source>a placement policy, with settings</source>
        <translation>一种带设置的放置策略</translation>
    </message>
    <message>
        <source>a planner</source>
        <translation>一种规划器</translation>
    </message>
    <message>
        <source>a planner, with settings</source>
        <translation>一种带设置的规划器</translation>
    </message>
    <message>
        <source>a point of the curve</source>
        <translation>曲线上的一个点</translation>
    </message>
    <message>
        <source>a policy for duplicates</source>
        <translation>一种处理重复项的策略</translation>
    </message>
    <message>
        <source>a policy for duplicates, with settings</source>
        <translation>一种带设置的重复项策略</translation>
    </message>
    <message>
        <source>a port</source>
        <translation>一个端口</translation>
    </message>
    <message>
        <source>a process on the node's GPUs</source>
        <translation>节点 GPU 上的一个进程</translation>
    </message>
    <message>
        <source>a queue policy</source>
        <translation>一种队列策略</translation>
    </message>
    <message>
        <source>a queue policy, with settings</source>
        <translation>一种带设置的队列策略</translation>
    </message>
    <message>
        <source>a range of values</source>
        <translation>值的范围</translation>
    </message>
    <message>
        <source>a range to draw from</source>
        <translation>随机抽取的范围</translation>
    </message>
    <message>
        <source>a rate from a time on</source>
        <translation>自某时刻起的速率</translation>
    </message>
    <message>
        <source>a reservation</source>
        <translation>一个预留</translation>
    </message>
    <message>
        <source>a rolling update</source>
        <translation>一次滚动更新</translation>
    </message>
    <message>
        <source>a rule of failures</source>
        <translation>一条故障规则</translation>
    </message>
    <message>
        <source>a service</source>
        <translation>一个服务</translation>
    </message>
    <message>
        <source>a slow worker</source>
        <translation>一个慢工作进程</translation>
    </message>
    <message>
        <source>a task that joins late or never, or has another cluster_spec</source>
        <translation>迟到、不加入或 cluster_spec 不同的任务</translation>
    </message>
    <message>
        <source>a training job</source>
        <translation>一个训练作业</translation>
    </message>
    <message>
        <source>a training that fails</source>
        <translation>一次失败的训练</translation>
    </message>
    <message>
        <source>a transport</source>
        <translation>一种传输方式</translation>
    </message>
    <message>
        <source>accounts (teams) that may run jobs in it</source>
        <translation>可在其中运行作业的账户(团队)</translation>
    </message>
    <message>
        <source>additional work per step, which a single GPU does not have; with sync_every: of a step that averages</source>
        <translation>每步的额外工作，单 GPU 时没有；设置 sync_every 时：指进行平均的步</translation>
    </message>
    <message>
        <source>after the tasks of the workload come copies of randomly chosen ones, up to the load</source>
        <translation>在负载的任务之后，追加随机选取的副本，直至达到该负载</translation>
    </message>
    <message>
        <source>age of its data at which the deployed model becomes stale</source>
        <translation>已部署模型变为过期的数据年龄</translation>
    </message>
    <message>
        <source>all-reduce algorithm</source>
        <translation>all-reduce 算法</translation>
    </message>
    <message>
        <source>all-reduce algorithm; auto = ring, tree, NVSwitch or low-latency protocol as NCCL would choose</source>
        <translation>all-reduce 算法；auto = 按 NCCL 的选择使用环、树、NVSwitch 或低延迟协议</translation>
    </message>
    <message>
        <source>all: 0.95 of each visible GPU at the start; allow_growth: as much as it needs; fraction: per_process_gpu_memory_fraction</source>
        <translation>all：启动时占用每个可见 GPU 的 0.95；allow_growth：按需；fraction：per_process_gpu_memory_fraction</translation>
    </message>
    <message>
        <source>amount of work</source>
        <translation>工作量</translation>
    </message>
    <message>
        <source>amplitude of the daily swing as a share of the mean rate, 0 to 1</source>
        <translation>日波动幅度占平均速率的份额，0 到 1</translation>
    </message>
    <message>
        <source>an image</source>
        <translation>一个镜像</translation>
    </message>
    <message>
        <source>an operation of the graph</source>
        <translation>图中的一个操作</translation>
    </message>
    <message>
        <source>any value</source>
        <translation>任意值</translation>
    </message>
    <message>
        <source>arrival process</source>
        <translation>到达过程</translation>
    </message>
    <message>
        <source>attempts at one retraining before it is given up</source>
        <translation>放弃一次再训练之前的尝试次数</translation>
    </message>
    <message>
        <source>attempts before such a job is given up</source>
        <translation>放弃此类作业之前的尝试次数</translation>
    </message>
    <message>
        <source>attempts for one request and its answer</source>
        <translation>一次请求及应答的尝试次数</translation>
    </message>
    <message>
        <source>bandwidth between routers of a group</source>
        <translation>组内路由器之间的带宽</translation>
    </message>
    <message>
        <source>bandwidth between two routers, one direction</source>
        <translation>两个路由器之间的单向带宽</translation>
    </message>
    <message>
        <source>bandwidth between two sockets, one direction</source>
        <translation>两个插槽之间的单向带宽</translation>
    </message>
    <message>
        <source>bandwidth for all readers together</source>
        <translation>所有读取者共享的带宽</translation>
    </message>
    <message>
        <source>bandwidth of a global link</source>
        <translation>全局链路的带宽</translation>
    </message>
    <message>
        <source>bandwidth of each node's disk, or of the shared storage</source>
        <translation>每个节点磁盘或共享存储的带宽</translation>
    </message>
    <message>
        <source>bandwidth of image pulls of all nodes together</source>
        <translation>所有节点拉取镜像的总带宽</translation>
    </message>
    <message>
        <source>bandwidth of image pulls to one node</source>
        <translation>单个节点拉取镜像的带宽</translation>
    </message>
    <message>
        <source>bandwidth of one NVLink, one direction</source>
        <translation>单条 NVLink 的单向带宽</translation>
    </message>
    <message>
        <source>bandwidth of one direction; overrides that of the link</source>
        <translation>单向带宽；覆盖链路类型的值</translation>
    </message>
    <message>
        <source>bandwidth of one network card</source>
        <translation>单块网卡的带宽</translation>
    </message>
    <message>
        <source>bandwidth of one uplink, one direction</source>
        <translation>单条上行链路的单向带宽</translation>
    </message>
    <message>
        <source>bandwidth of the link that all uploads share</source>
        <translation>所有上传共享的链路带宽</translation>
    </message>
    <message>
        <source>bandwidth of the links; overrides the catalogue</source>
        <translation>链路带宽；覆盖目录值</translation>
    </message>
    <message>
        <source>bandwidth of the storage</source>
        <translation>存储带宽</translation>
    </message>
    <message>
        <source>bandwidth shared by all downloads</source>
        <translation>所有下载共享的带宽</translation>
    </message>
    <message>
        <source>bandwidth to storage, shared by all</source>
        <translation>到存储的带宽，由所有任务共享</translation>
    </message>
    <message>
        <source>bare machine, container, virtual machine</source>
        <translation>裸机、容器、虚拟机</translation>
    </message>
    <message>
        <source>bytes of a gradient as it is kept and sent: 4 (fp32) or 2</source>
        <translation>梯度存储和发送的字节数：4(fp32)或 2</translation>
    </message>
    <message>
        <source>bytes of one gradient element on the wire; default: 2 with fp16 and bf16, else 4, also with amp, whose parameters and gradients are fp32 (with a compression hook 2)</source>
        <translation>每个梯度元素在线路上的字节数；默认：fp16 和 bf16 为 2，其他为 4，amp 也是 4，因为其参数和梯度为 fp32（用压缩钩子为 2）</translation>
    </message>
    <message>
        <source>bytes read and written in a worker's GPU memory in one step</source>
        <translation>一步中工作进程在 GPU 内存中读写的字节数</translation>
    </message>
    <message>
        <source>bytes that each worker puts into the all-reduce in one step (the size of its buffer, not the sum over the workers)</source>
        <translation>每个工作进程每步投入 all-reduce 的字节数(其缓冲区大小，而非各进程之和)</translation>
    </message>
    <message>
        <source>bytes to read per sample</source>
        <translation>每个样本读取的字节数</translation>
    </message>
    <message>
        <source>calibration file written by simcal; its measured constants replace those of the catalogue</source>
        <translation>simcal 写出的校准文件；其测量常数替换目录中的常数</translation>
    </message>
    <message>
        <source>changes of the number of replicas</source>
        <translation>副本数的变化</translation>
    </message>
    <message>
        <source>changes to transports of the catalogue, or new ones with like:</source>
        <translation>对目录中传输方式的更改，或用 like: 定义新的</translation>
    </message>
    <message>
        <source>checkpoints: what survives a loss</source>
        <translation>检查点：故障后能保留什么</translation>
    </message>
    <message>
        <source>children of a switch by level from the bottom, instead of k: "8 8 4"</source>
        <translation>自底层起各级交换机的下级数，代替 k："8 8 4"</translation>
    </message>
    <message>
        <source>clients that give work to waiting tasks</source>
        <translation>向等待任务分派工作的客户端</translation>
    </message>
    <message>
        <source>cluster_spec: /job:worker/task:1</source>
        <translation>cluster_spec：/job:worker/task:1</translation>
    </message>
    <message>
        <source>cluster_spec: addresses of the tasks, {ps: ["ps-0:2222"], worker: ["worker-0:2222"]}</source>
        <translation>cluster_spec：任务地址，{ps: ["ps-0:2222"], worker: ["worker-0:2222"]}</translation>
    </message>
    <message>
        <source>coefficient of variation of the training time between retrainings</source>
        <translation>各次再训练之间训练时间的变异系数</translation>
    </message>
    <message>
        <source>communication takes (1 + this value) times as long, for bridge or overlay networks; 0: host network</source>
        <translation>通信时间为 (1 + 该值) 倍，用于 bridge 或 overlay 网络；0：主机网络</translation>
    </message>
    <message>
        <source>computing of other tasks on its nodes takes (1 + this value) times as long</source>
        <translation>其节点上其他任务的计算时间为 (1 + 该值) 倍</translation>
    </message>
    <message>
        <source>computing time between two checkpoints</source>
        <translation>两个检查点之间的计算时间</translation>
    </message>
    <message>
        <source>conditions on nodes: node, group, role, rack, gpu or a label</source>
        <translation>节点条件：node、group、role、rack、gpu 或标签</translation>
    </message>
    <message>
        <source>conditions that a point must meet: workers * batch_per_gpu &lt;= 256</source>
        <translation>一个点必须满足的条件：workers * batch_per_gpu &lt;= 256</translation>
    </message>
    <message>
        <source>confidence level of the intervals</source>
        <translation>置信区间的置信水平</translation>
    </message>
    <message>
        <source>config.json of a transformer, as it lies beside its weights on Hugging Face</source>
        <translation>transformer 的 config.json，与 Hugging Face 上的权重放在一起</translation>
    </message>
    <message>
        <source>container image</source>
        <translation>容器镜像</translation>
    </message>
    <message>
        <source>container names, one per replica</source>
        <translation>容器名称，每个副本一个</translation>
    </message>
    <message>
        <source>containers of a pod; their resources are added up</source>
        <translation>Pod 中的容器；其资源相加</translation>
    </message>
    <message>
        <source>context parallel: GPUs that share every sequence</source>
        <translation>上下文并行：共享每个序列的 GPU 数</translation>
    </message>
    <message>
        <source>copies of a GB to the host and back, for a transport that cannot read GPU memory; they go on beside the collectives of others</source>
        <translation>传输方式不能读取 GPU 内存时，每 GB 复制到主机并返回的时间；与其他集合操作同时进行</translation>
    </message>
    <message>
        <source>cores that preprocess samples</source>
        <translation>用于样本预处理的核心数</translation>
    </message>
    <message>
        <source>cpus in thousandths</source>
        <translation>以千分之一计的 CPU</translation>
    </message>
    <message>
        <source>data sent to storage for each retraining</source>
        <translation>每次再训练发送到存储的数据量</translation>
    </message>
    <message>
        <source>delay before a restart</source>
        <translation>重启前的延迟</translation>
    </message>
    <message>
        <source>delay before a task is started again</source>
        <translation>任务再次启动前的延迟</translation>
    </message>
    <message>
        <source>detect: also leave out the jobs before the waiting times become steady (MSER-5)</source>
        <translation>detect：也排除等待时间稳定之前的作业(MSER-5)</translation>
    </message>
    <message>
        <source>deviation of each need from its time, as a share of the period (uniform, both sides)</source>
        <translation>每次需求相对其时刻的偏差，占周期的份额(均匀分布，双向)</translation>
    </message>
    <message>
        <source>difference between two values</source>
        <translation>两个值之差</translation>
    </message>
    <message>
        <source>disk space that a container writes and leaves behind</source>
        <translation>容器写入并遗留的磁盘空间</translation>
    </message>
    <message>
        <source>distribution of the repair times</source>
        <translation>修复时间的分布</translation>
    </message>
    <message>
        <source>distribution of these times</source>
        <translation>这些时间的分布</translation>
    </message>
    <message>
        <source>distribution, with mean 1</source>
        <translation>均值为 1 的分布</translation>
    </message>
    <message>
        <source>downlink over uplink bandwidth of a leaf</source>
        <translation>叶交换机下行与上行带宽之比</translation>
    </message>
    <message>
        <source>download of the result</source>
        <translation>下载结果</translation>
    </message>
    <message>
        <source>draw stretches of this length from the trace, with replacement, others for each seed: what another such period could have brought. Days stay days of the week</source>
        <translation>从轨迹中有放回地抽取该长度的片段，每个种子不同：另一个这样的时期可能带来什么。日期保持原来的星期</translation>
    </message>
    <message>
        <source>each task needs a machine of its own</source>
        <translation>每个任务需要独占一台机器</translation>
    </message>
    <message>
        <source>efficiency by size, between points log-linear</source>
        <translation>按大小给出的效率，点间对数线性插值</translation>
    </message>
    <message>
        <source>elastic jobs: fewest GPUs</source>
        <translation>弹性作业：最少 GPU 数</translation>
    </message>
    <message>
        <source>elastic jobs: most GPUs</source>
        <translation>弹性作业：最多 GPU 数</translation>
    </message>
    <message>
        <source>elastic: pause when workers leave or join</source>
        <translation>弹性：工作进程离开或加入时的暂停</translation>
    </message>
    <message>
        <source>elastic: speed = (n / w)^exponent</source>
        <translation>弹性：速度 = (n / w)^指数</translation>
    </message>
    <message>
        <source>elastic: the job stops with fewer workers</source>
        <translation>弹性：工作进程少于该数时作业停止</translation>
    </message>
    <message>
        <source>element-wise operators between two products are one kernel, as Megatron-LM, Transformer Engine and torch.compile make them; false: RMSNorm, rotary embedding and SwiGLU operator by operator; a list: these kinds are fused and the others are not (norm_of_fp32: but for a cast of its input; activation: SwiGLU; dropout: with the sum after it)</source>
        <translation>两个矩阵乘之间的逐元素算子合并为一个内核，如 Megatron-LM、Transformer Engine 和 torch.compile；false：RMSNorm、旋转嵌入和 SwiGLU 逐算子执行；列表：这些种类融合，其余不融合（norm_of_fp32：输入的类型转换除外；activation：SwiGLU；dropout：连同其后的求和）</translation>
    </message>
    <message>
        <source>all kinds are fused</source>
        <translation>所有种类都融合</translation>
    </message>
    <message>
        <source>no kind is fused</source>
        <translation>都不融合</translation>
    </message>
    <message>
        <source>the kinds that are fused</source>
        <translation>融合的种类</translation>
    </message>
    <message>
        <source>kind of element-wise operators</source>
        <translation>逐元素算子的种类</translation>
    </message>
    <message>
        <source>end of the process</source>
        <translation>进程结束</translation>
    </message>
    <message>
        <source>entry of 'jobs' that says how the service trains; its steps are the work</source>
        <translation>'jobs' 中说明该服务如何训练的条目；其步骤即工作量</translation>
    </message>
    <message>
        <source>equal tasks</source>
        <translation>相同的任务</translation>
    </message>
    <message>
        <source>exchange gradients during the backward pass</source>
        <translation>在反向传播期间交换梯度</translation>
    </message>
    <message>
        <source>expert parallel: replicas that share the experts</source>
        <translation>专家并行：共享专家的副本数</translation>
    </message>
    <message>
        <source>experts of a layer (num_local_experts)</source>
        <translation>每层的专家数(num_local_experts)</translation>
    </message>
    <message>
        <source>experts that a token passes (num_experts_per_tok)</source>
        <translation>每个 token 经过的专家数(num_experts_per_tok)</translation>
    </message>
    <message>
        <source>extra compute time per GB of gradients: copies into fusion buffers, multiprocessors used by collectives</source>
        <translation>每 GB 梯度的额外计算时间：拷入融合缓冲区、集合操作占用的多处理器</translation>
    </message>
    <message>
        <source>factor by which compute takes longer</source>
        <translation>计算耗时的倍数</translation>
    </message>
    <message>
        <source>factor by which computing takes longer</source>
        <translation>计算耗时的倍数</translation>
    </message>
    <message>
        <source>factor by which submissions come faster</source>
        <translation>提交加快的倍数</translation>
    </message>
    <message>
        <source>factor by which the restart delay grows</source>
        <translation>重启延迟的增长倍数</translation>
    </message>
    <message>
        <source>factor on the compute time if several workers run (shared board power, host memory, all-core clock)</source>
        <translation>多个工作进程同时运行时计算时间的倍数(共享的板卡功耗、主机内存、全核频率)</translation>
    </message>
    <message>
        <source>failures at known times</source>
        <translation>已知时刻的故障</translation>
    </message>
    <message>
        <source>fairness f: free GPUs are offered to the share 1 - f of jobs with the worst fairness</source>
        <translation>公平性 f：空闲 GPU 提供给公平性最差的 1 - f 部分作业</translation>
    </message>
    <message>
        <source>fewest replicas</source>
        <translation>最少副本数</translation>
    </message>
    <message>
        <source>file of a network</source>
        <translation>网络文件</translation>
    </message>
    <message>
        <source>file of machines that replace those of the cluster: openb nodes, or a Tiresias cluster</source>
        <translation>替换集群机器的机器文件：openb 节点或 Tiresias 集群</translation>
    </message>
    <message>
        <source>file of simcal rates: measured rates of products, attention and all-reduce replace those of the catalogue</source>
        <translation>simcal 速率文件：测得的矩阵乘、注意力和 all-reduce 速率替换目录值</translation>
    </message>
    <message>
        <source>first value</source>
        <translation>第一个值</translation>
    </message>
    <message>
        <source>flash: the fused kernel made for the GPU; flash2: FlashAttention-2, which reaches less on GPUs since 2022; flash1: FlashAttention of 2022 and its Triton version; unfused: keeps the score matrix</source>
        <translation>flash：为该 GPU 编写的融合内核；flash2：FlashAttention-2，在 2022 年后的 GPU 上较慢；flash1：2022 年的 FlashAttention 及其 Triton 版本；unfused：保留得分矩阵</translation>
    </message>
    <message>
        <source>floating-point operations of one worker in one step</source>
        <translation>一个工作进程每步的浮点运算数</translation>
    </message>
    <message>
        <source>for RequestedToCapacityRatio: pairs of used share in % and score</source>
        <translation>用于 RequestedToCapacityRatio：已用份额(%)与得分的配对</translation>
    </message>
    <message>
        <source>for a link: share of its bandwidth that remains</source>
        <translation>用于链路：剩余带宽的份额</translation>
    </message>
    <message>
        <source>for each team: the node group that belongs to it</source>
        <translation>每个团队所属的节点组</translation>
    </message>
    <message>
        <source>for notebooks: share of the held GPU time that is used</source>
        <translation>用于 notebook：所占 GPU 时间中实际使用的份额</translation>
    </message>
    <message>
        <source>format of the trace; auto: recognised from its first lines</source>
        <translation>轨迹格式；auto：由首行识别</translation>
    </message>
    <message>
        <source>framework version installed on the machine itself</source>
        <translation>机器本身安装的框架版本</translation>
    </message>
    <message>
        <source>framework version that its machines must have if it runs without containers</source>
        <translation>不使用容器时其机器必须具有的框架版本</translation>
    </message>
    <message>
        <source>framework's cost of one collective, in addition to the library's</source>
        <translation>框架执行一次集合操作的开销，另加库的开销</translation>
    </message>
    <message>
        <source>from a failure until all processes run again, without loading the checkpoint</source>
        <translation>从故障到所有进程重新运行的时间，不含加载检查点</translation>
    </message>
    <message>
        <source>gated feed-forward network (SwiGLU): three matrices</source>
        <translation>门控前馈网络(SwiGLU)：三个矩阵</translation>
    </message>
    <message>
        <source>generated jobs</source>
        <translation>生成的作业</translation>
    </message>
    <message>
        <source>global links per router (h)</source>
        <translation>每个路由器的全局链路数(h)</translation>
    </message>
    <message>
        <source>gpu_share in thousandths</source>
        <translation>以千分之一计的 gpu_share</translation>
    </message>
    <message>
        <source>gradient bytes that a server's CPU adds per second (0: takes no time)</source>
        <translation>服务器 CPU 每秒累加的梯度字节数(0：不耗时)</translation>
    </message>
    <message>
        <source>gradients and weights travel beside the computation</source>
        <translation>梯度和权重的传输与计算重叠</translation>
    </message>
    <message>
        <source>groups of machines</source>
        <translation>机器组</translation>
    </message>
    <message>
        <source>groups of tasks: parameter servers, workers</source>
        <translation>任务组：参数服务器、工作进程</translation>
    </message>
    <message>
        <source>half-life of usage: after this time a GPU-second counts half</source>
        <translation>使用量的半衰期：此后 GPU 秒只计一半</translation>
    </message>
    <message>
        <source>heads of attention (num_attention_heads)</source>
        <translation>注意力头数(num_attention_heads)</translation>
    </message>
    <message>
        <source>heads of keys and values (num_key_value_heads)</source>
        <translation>键和值的头数(num_key_value_heads)</translation>
    </message>
    <message>
        <source>highest rate of one upload</source>
        <translation>单次上传的最高速率</translation>
    </message>
    <message>
        <source>host call and kernel launch of one collective</source>
        <translation>一次集合操作的主机调用和内核启动</translation>
    </message>
    <message>
        <source>host memory of each task</source>
        <translation>每个任务的主机内存</translation>
    </message>
    <message>
        <source>hour of the day with most submissions</source>
        <translation>一天中提交最多的小时</translation>
    </message>
    <message>
        <source>how a count of values is spaced</source>
        <translation>若干值的间隔方式</translation>
    </message>
    <message>
        <source>how far ahead the backfill scheduler looks</source>
        <translation>backfill 调度器向前看的时长</translation>
    </message>
    <message>
        <source>how gradients are fused into messages</source>
        <translation>梯度如何融合为消息</translation>
    </message>
    <message>
        <source>how gradients of one node are summed before they leave it: by a collective of its GPUs, or in host memory</source>
        <translation>节点内梯度在离开前如何求和：由其 GPU 的集合操作，或在主机内存中</translation>
    </message>
    <message>
        <source>how training jobs save, and go on after failures</source>
        <translation>训练作业如何保存并在故障后继续</translation>
    </message>
    <message>
        <source>how long it lasts</source>
        <translation>持续多久</translation>
    </message>
    <message>
        <source>how long the scheduler may take for an answer, in real time</source>
        <translation>调度器作答允许的实际时间</translation>
    </message>
    <message>
        <source>how much of the GPU's memory a process takes</source>
        <translation>进程占用多少 GPU 内存</translation>
    </message>
    <message>
        <source>how much the steps of equal workers differ: not at all (none), as GPUs of one kind do (gpus: 1.5 %), or as workers that decode real images do (real_data: 3.9 %); a barrier waits for the slowest, and without one each keeps its own speed. auto: gpus where the computing time is that of a kind of GPU; none on processors, where the time is given (single_gpu_step, layers with times), and where jitter, stragglers or a deviation say how workers differ; without a barrier gpus everywhere but beside jitter</source>
        <translation>相同工作进程的步长差异：无 (none)、如同型 GPU (gpus：1.5 %)，或如解码真实图像的工作进程 (real_data：3.9 %)；屏障等待最慢者，没有屏障时各自保持自己的速度。auto：计算时间按 GPU 型号得出时为 gpus；在处理器上、时间已给定 (single_gpu_step、带时间的层) 或已说明差异 (jitter、stragglers、偏差) 时为 none；没有屏障时除给出 jitter 外均为 gpus</translation>
    </message>
    <message>
        <source>how one transformer is divided among GPUs, instead of a mode</source>
        <translation>一个 transformer 如何在 GPU 间划分，代替 mode</translation>
    </message>
    <message>
        <source>how the job trains</source>
        <translation>作业如何训练</translation>
    </message>
    <message>
        <source>how the job trains; only the settings of the chosen mode have an effect</source>
        <translation>作业如何训练；仅所选模式的设置有效</translation>
    </message>
    <message>
        <source>how the loss of a task affects the others</source>
        <translation>一个任务丢失如何影响其他任务</translation>
    </message>
    <message>
        <source>how the machines are connected</source>
        <translation>机器如何连接</translation>
    </message>
    <message>
        <source>how the network is simulated</source>
        <translation>网络如何模拟</translation>
    </message>
    <message>
        <source>how the program that retrains learns of it</source>
        <translation>执行再训练的程序如何得知</translation>
    </message>
    <message>
        <source>how the program that retrains learns that a training has ended</source>
        <translation>执行再训练的程序如何得知训练已结束</translation>
    </message>
    <message>
        <source>how the program that retrains learns that the data have arrived</source>
        <translation>执行再训练的程序如何得知数据已到达</translation>
    </message>
    <message>
        <source>how the queue is scheduled</source>
        <translation>队列如何调度</translation>
    </message>
    <message>
        <source>how the tasks of jobs find each other before the first step</source>
        <translation>作业的任务在第一步之前如何相互发现</translation>
    </message>
    <message>
        <source>images that the node has from the start</source>
        <translation>节点一开始就拥有的镜像</translation>
    </message>
    <message>
        <source>init_process_group: node of rank 0</source>
        <translation>init_process_group：rank 0 所在节点</translation>
    </message>
    <message>
        <source>init_process_group: number of ranks to wait for</source>
        <translation>init_process_group：等待的 rank 数</translation>
    </message>
    <message>
        <source>init_process_group: number of the rank</source>
        <translation>init_process_group：rank 编号</translation>
    </message>
    <message>
        <source>init_process_group: port of rank 0</source>
        <translation>init_process_group：rank 0 的端口</translation>
    </message>
    <message>
        <source>its machines, by name or by the name of their group</source>
        <translation>其机器，按名称或所属组的名称</translation>
    </message>
    <message>
        <source>job that they train</source>
        <translation>它们训练的作业</translation>
    </message>
    <message>
        <source>jobs for the queue</source>
        <translation>排队作业</translation>
    </message>
    <message>
        <source>jobs from a file</source>
        <translation>来自文件的作业</translation>
    </message>
    <message>
        <source>jobs of a user that may run at once: MaxJobsPerUser</source>
        <translation>一个用户可同时运行的作业数：MaxJobsPerUser</translation>
    </message>
    <message>
        <source>jobs of one user that the backfill scheduler looks at; 0 = no limit</source>
        <translation>backfill 调度器考察的每个用户的作业数；0 = 不限</translation>
    </message>
    <message>
        <source>jobs submitted at this time after the first submission or later</source>
        <translation>首次提交后该时刻或更晚提交的作业</translation>
    </message>
    <message>
        <source>so many jobs, the first submitted, do not count</source>
        <translation>最先提交的这么多个作业不计入</translation>
    </message>
    <message>
        <source>jobs submitted after so many do not count</source>
        <translation>在这么多个之后提交的作业不计入</translation>
    </message>
    <message>
        <source>bandwidth of the link of two GPUs, one direction</source>
        <translation>两个 GPU 之间链路的单向带宽</translation>
    </message>
    <message>
        <source>how often the main scheduler looks at all jobs</source>
        <translation>主调度器查看所有作业的间隔</translation>
    </message>
    <message>
        <source>with more or fewer replicas than the layout has (in a queue, or after failures) the global batch stays, and they accumulate over fewer or more micro-batches; false: the batch grows with the replicas</source>
        <translation>当副本多于或少于布局所定（在队列中或故障之后）时，全局批次不变，各副本在更少或更多的微批次上累积梯度；false：批次随副本数增长</translation>
    </message>
    <message>
        <source>with keep_batch: where the replicas&apos; micro-batches do not divide the global batch it is decreased until they do (Megatron-LM&apos;s --decrease-batch-size-if-needed); false: so many replicas cannot train</source>
        <translation>与 keep_batch 一起：若各副本的微批次不能整除全局批次，则减小批次直到能整除（Megatron-LM 的 --decrease-batch-size-if-needed）；false：这么多副本无法训练</translation>
    </message>
    <message>
        <source>the output projection too is multiplied in the job&apos;s precision (fp8_output_proj of Megatron-Core); false: in 16 bit</source>
        <translation>输出投影也用作业的精度相乘（Megatron-Core 的 fp8_output_proj）；false：用 16 位</translation>
    </message>
    <message>
        <source>layers behind the last that are trained to predict later tokens (multi-token prediction of DeepSeek-V3, --mtp-num-layers), each with an output projection of its own, on the last stage</source>
        <translation>最后一层之后、训练用来预测更后面词元的层（DeepSeek-V3 的多词元预测，--mtp-num-layers），各有自己的输出投影，位于最后一个阶段</translation>
    </message>
    <message>
        <source>jobs that the main scheduler looks at when something has happened</source>
        <translation>发生事件后主调度器查看的作业数</translation>
    </message>
    <message>
        <source>latency of one such link</source>
        <translation>一条这样的链路的延迟</translation>
    </message>
    <message>
        <source>rate of the storage to which jobs with speed: step write their weights and optimiser states, and from which they load them; on top of checkpoint_cost and restart_cost</source>
        <translation>使用 speed: step 的作业写入和读取权重与优化器状态的存储速率；在 checkpoint_cost 和 restart_cost 之外</translation>
    </message>
    <message>
        <source>shortest time between two runs of the main scheduler</source>
        <translation>主调度器两次运行之间的最短时间</translation>
    </message>
    <message>
        <source>simulate one of many equal workers and give the others their share of the servers&apos; capacities, where workers and their machines are alike; auto: if the job runs alone, no link between switches can delay workers and, with pull: after_update or by_layer, no server is on a worker&apos;s machine; of very many asynchronous ones, with servers on machines of their own, it then simulates a sample; yes: wherever they are alike</source>
        <translation>工作进程及其机器都相同时，只模拟众多工作进程中的一个，其余按份额占用服务器能力；auto：作业单独运行、交换机之间没有链路会拖慢工作进程，且使用 pull: after_update 或 by_layer 时工作进程的机器上没有服务器；异步工作进程极多且服务器在各自机器上时，模拟一个样本；yes：凡是都相同时</translation>
    </message>
    <message>
        <source>what collectives reach between GPUs of two sockets, one direction: a CPU passes on what is not its own in small packets</source>
        <translation>两个插槽的 GPU 之间集合通信可达的单向速率：CPU 以小包转发不属于自己的数据</translation>
    </message>
    <message>
        <source>when the backfill scheduler runs first</source>
        <translation>回填调度器首次运行的时间</translation>
    </message>
    <message>
        <source>when the schedulers ran, as the log of a slurmctld says, instead of the intervals: &quot;m0.5 m1.5 b2.25&quot; (seconds; m: main scheduler, b: backfill)</source>
        <translation>按 slurmctld 日志给出的调度器运行时刻，代替间隔：&quot;m0.5 m1.5 b2.25&quot;（秒；m：主调度器，b：回填）</translation>
    </message>
    <message>
        <source>which machines a job gets. placement: those that the placement policy chooses. weights: all free GPUs of machine after machine in order of the cluster, as select/cons_tres where each has a larger Weight than the one before</source>
        <translation>作业得到哪些机器。placement：由放置策略选择。weights：按集群顺序逐台取用所有空闲 GPU，如 select/cons_tres 中每台的 Weight 都大于前一台</translation>
    </message>
    <message>
        <source>with cp, how results of the pieces of a sequence are added up: a kernel each (Transformer Engine), operator by operator (PyTorch, torchtitan), or so under torch.compile, which waits for every message</source>
        <translation>使用 cp 时序列各段结果的合并方式：每段一个内核（Transformer Engine）、逐算子（PyTorch、torchtitan），或在 torch.compile 下如此，并等待每条消息</translation>
    </message>
    <message>
        <source>least attained service, in the order of Tiresias&apos; own simulator (dlas-gpu, three queues)</source>
        <translation>按 Tiresias 自带模拟器的次序的最少已得服务（dlas-gpu，三个队列）</translation>
    </message>
    <message>
        <source>jobs submitted at this time or before</source>
        <translation>该时刻或之前提交的作业</translation>
    </message>
    <message>
        <source>jobs that are matched at once; the time it takes grows with their cube</source>
        <translation>一次匹配的作业数；耗时随其立方增长</translation>
    </message>
    <message>
        <source>jobs that may run at once: GrpJobs</source>
        <translation>可同时运行的作业数：GrpJobs</translation>
    </message>
    <message>
        <source>jobs that must end before this one starts: a list of names, or names separated by spaces</source>
        <translation>本作业开始前必须结束的作业：名称列表，或以空格分隔的名称</translation>
    </message>
    <message>
        <source>jobs that the backfill scheduler looks at</source>
        <translation>backfill 调度器考察的作业数</translation>
    </message>
    <message>
        <source>jobs that the main scheduler looks at</source>
        <translation>主调度器考察的作业数</translation>
    </message>
    <message>
        <source>jobs that use the same waiting tasks, one after another</source>
        <translation>依次使用同一组等待任务的作业</translation>
    </message>
    <message>
        <source>jobs whose figures count; the others run too, and load the cluster: without the time in which the empty cluster fills, and without the end</source>
        <translation>计入指标的作业；其余作业也运行并占用集群：不含空集群填充阶段和末尾阶段</translation>
    </message>
    <message>
        <source>jobs with gpu_share &lt; 1 share GPUs; they slow each other down if they ask for more than a whole GPU together</source>
        <translation>gpu_share &lt; 1 的作业共享 GPU；合计超过一个 GPU 时会相互拖慢</translation>
    </message>
    <message>
        <source>join the rails by spine switches</source>
        <translation>用 spine 交换机连接各 rail</translation>
    </message>
    <message>
        <source>kernels start as CUDA graphs, by torch.compile or by hand: the host then needs no time per operator</source>
        <translation>内核以 CUDA graph 启动(torch.compile 或手工)：主机无需逐算子耗时</translation>
    </message>
    <message>
        <source>kill a job whose run time reaches the user's estimate, as batch systems do with the requested time; otherwise it keeps running</source>
        <translation>作业运行时间达到用户估计值时终止，如批处理系统；否则继续运行</translation>
    </message>
    <message>
        <source>kind of link</source>
        <translation>链路种类</translation>
    </message>
    <message>
        <source>labels and taints of a machine or group</source>
        <translation>机器或组的标签和污点</translation>
    </message>
    <message>
        <source>labels and taints of machines; every machine has the labels gpu=TYPE and kubernetes.io/hostname=NAME</source>
        <translation>机器的标签和污点；每台机器都有标签 gpu=TYPE 和 kubernetes.io/hostname=NAME</translation>
    </message>
    <message>
        <source>labels key=value of which a machine must have at least one</source>
        <translation>机器至少须具有其中之一的标签 key=value</translation>
    </message>
    <message>
        <source>labels key=value that a machine must have</source>
        <translation>机器必须具有的标签 key=value</translation>
    </message>
    <message>
        <source>labels key=value, for the jobs' node_selector and prefers</source>
        <translation>供作业 node_selector 和 prefers 使用的标签 key=value</translation>
    </message>
    <message>
        <source>labels key=value: weight 1 to 100, for the placement policy kubernetes</source>
        <translation>标签 key=value：权重 1 到 100，用于放置策略 kubernetes</translation>
    </message>
    <message>
        <source>labels, for constraints</source>
        <translation>用于约束的标签</translation>
    </message>
    <message>
        <source>largest chunk of a channel where NVSwitches add up (aws-ofi-nccl on p5: 512 KiB)</source>
        <translation>由 NVSwitch 做加法时一个通道的最大数据块(aws-ofi-nccl 在 p5 上：512 KiB)</translation>
    </message>
    <message>
        <source>largest fused message; 0 = no fusion</source>
        <translation>融合消息的最大尺寸；0 = 不融合</translation>
    </message>
    <message>
        <source>largest restart delay; 0 = no growth</source>
        <translation>最大重启延迟；0 = 不增长</translation>
    </message>
    <message>
        <source>last value</source>
        <translation>最后一个值</translation>
    </message>
    <message>
        <source>latency factor of rings over several nodes from ranks/16 x 64 KiB on (2.7: 1.9, 2.26: 1.4)</source>
        <translation>跨多节点的环自 ranks/16 x 64 KiB 起的延迟系数(2.7：1.9，2.26：1.4)</translation>
    </message>
    <message>
        <source>latency in one direction</source>
        <translation>单向延迟</translation>
    </message>
    <message>
        <source>latency of one NVLink hop</source>
        <translation>一跳 NVLink 的延迟</translation>
    </message>
    <message>
        <source>latency of the links; overrides the catalogue</source>
        <translation>链路延迟；覆盖目录值</translation>
    </message>
    <message>
        <source>latency that the network&apos;s plug-in tells the library&apos;s tuner (aws-ofi-nccl: 75 us on p4d, p5 and g5, 35 us from p5en on)</source>
        <translation>网络插件告诉库的调优器的延迟(aws-ofi-nccl：p4d、p5 和 g5 为 75 us，p5en 起为 35 us)</translation>
    </message>
    <message>
        <source>latency; overrides that of the link</source>
        <translation>延迟；覆盖链路类型的值</translation>
    </message>
    <message>
        <source>latent attention: numbers of a token from which keys and values come (kv_lora_rank)</source>
        <translation>潜在注意力：由此得到键和值的每 token 数值个数(kv_lora_rank)</translation>
    </message>
    <message>
        <source>layers are computed again without their last product, whose result nothing needs (PyTorch from 2.1 on)</source>
        <translation>重算各层时省去结果无用的最后一个矩阵乘(PyTorch 2.1 起)</translation>
    </message>
    <message>
        <source>layers of a stage</source>
        <translation>一个阶段的层数</translation>
    </message>
    <message>
        <source>layers of each stage in the order of the forward pass, pp x vp of them</source>
        <translation>按前向顺序列出各阶段的层数，共 pp x vp 个</translation>
    </message>
    <message>
        <source>layers without experts, the first (first_k_dense_replace)</source>
        <translation>最前面不含专家的层数(first_k_dense_replace)</translation>
    </message>
    <message>
        <source>leave out jobs submitted after this time</source>
        <translation>排除此时刻之后提交的作业</translation>
    </message>
    <message>
        <source>leave out jobs submitted before this time after the first submission</source>
        <translation>排除首次提交后此时刻之前提交的作业</translation>
    </message>
    <message>
        <source>length of a lease, after which GPUs are offered again</source>
        <translation>租约时长，到期后 GPU 重新提供</translation>
    </message>
    <message>
        <source>length of a scheduling round</source>
        <translation>一轮调度的时长</translation>
    </message>
    <message>
        <source>length of each axis: "4 4 2" or "4x4x2"</source>
        <translation>各轴长度："4 4 2" 或 "4x4x2"</translation>
    </message>
    <message>
        <source>levels of switches</source>
        <translation>交换机级数</translation>
    </message>
    <message>
        <source>licence cost of one node, in addition to its price</source>
        <translation>单节点许可费用，另加其价格</translation>
    </message>
    <message>
        <source>limit a process to its share of the GPU's memory: it dies if it needs more. Otherwise the process that finds too little free memory dies</source>
        <translation>将进程限制在其 GPU 内存份额内：超出即终止。否则空闲内存不足的进程终止</translation>
    </message>
    <message>
        <source>linear layers and norms have biases, and dropout is used, as in GPT</source>
        <translation>线性层和归一化层带偏置，并使用 dropout，如 GPT</translation>
    </message>
    <message>
        <source>link type of all PCIe links</source>
        <translation>所有 PCIe 链路的类型</translation>
    </message>
    <message>
        <source>links between machines and switches</source>
        <translation>机器与交换机之间的链路</translation>
    </message>
    <message>
        <source>longest run time that a job may ask for (its estimate): MaxTime, MaxWall</source>
        <translation>作业可申请的最长运行时间(其估计值)：MaxTime、MaxWall</translation>
    </message>
    <message>
        <source>machine types by name</source>
        <translation>按名称列出的机器类型</translation>
    </message>
    <message>
        <source>machines and network</source>
        <translation>机器和网络</translation>
    </message>
    <message>
        <source>machines in a rack</source>
        <translation>每个机架的机器数</translation>
    </message>
    <message>
        <source>machines kept for some users or accounts for a time, or for nobody: a maintenance window. A job that would still run by its estimate does not start there</source>
        <translation>在一段时间内为某些用户或账户保留的机器，或不给任何人：维护窗口。按估计届时仍在运行的作业不会在其上启动</translation>
    </message>
    <message>
        <source>machines of one type, named &lt;name&gt;-0, &lt;name&gt;-1…</source>
        <translation>同一类型的机器，名为 &lt;name&gt;-0、&lt;name&gt;-1…</translation>
    </message>
    <message>
        <source>machines of the parameter servers, in their order; begun again where there are more servers</source>
        <translation>参数服务器所在机器，按顺序；服务器更多时从头循环</translation>
    </message>
    <message>
        <source>machines, or a pool in which only the number of GPUs counts</source>
        <translation>机器，或只计 GPU 数的资源池</translation>
    </message>
    <message>
        <source>manager machines, which decide by majority; 0 = started by hand</source>
        <translation>按多数决策的管理机；0 = 手动启动</translation>
    </message>
    <message>
        <source>mean number of jobs in a burst</source>
        <translation>每次突发的平均作业数</translation>
    </message>
    <message>
        <source>mean time between failures of one gpu</source>
        <translation>单个 GPU 的平均故障间隔</translation>
    </message>
    <message>
        <source>mean time between failures of one link</source>
        <translation>单条链路的平均故障间隔</translation>
    </message>
    <message>
        <source>mean time between failures of one manager</source>
        <translation>单台管理机的平均故障间隔</translation>
    </message>
    <message>
        <source>mean time between failures of one node</source>
        <translation>单个节点的平均故障间隔</translation>
    </message>
    <message>
        <source>mean time between failures of one object_store</source>
        <translation>单个 object_store 的平均故障间隔</translation>
    </message>
    <message>
        <source>mean time between failures of one process</source>
        <translation>单个进程的平均故障间隔</translation>
    </message>
    <message>
        <source>mean time between failures of one rack</source>
        <translation>单个机架的平均故障间隔</translation>
    </message>
    <message>
        <source>mean time between failures of one storage</source>
        <translation>单个存储的平均故障间隔</translation>
    </message>
    <message>
        <source>mean time between failures of one switch</source>
        <translation>单台交换机的平均故障间隔</translation>
    </message>
    <message>
        <source>mean time between submissions</source>
        <translation>提交的平均间隔</translation>
    </message>
    <message>
        <source>mean time from repair to failure of one node, GPU, …</source>
        <translation>单个节点、GPU 等从修复到下次故障的平均时间</translation>
    </message>
    <message>
        <source>mean time to failure of one GPU that trains</source>
        <translation>单个训练中 GPU 的平均无故障时间</translation>
    </message>
    <message>
        <source>mean time to repair</source>
        <translation>平均修复时间</translation>
    </message>
    <message>
        <source>mean time to repair, for all kinds</source>
        <translation>平均修复时间，适用于所有种类</translation>
    </message>
    <message>
        <source>measured time of a step on one GPU; overrides the roofline</source>
        <translation>单 GPU 上测得的步时；覆盖 roofline 模型</translation>
    </message>
    <message>
        <source>median of the run times</source>
        <translation>运行时间的中位数</translation>
    </message>
    <message>
        <source>memory in MiB</source>
        <translation>内存，单位 MiB</translation>
    </message>
    <message>
        <source>memory of the GPU</source>
        <translation>GPU 内存</translation>
    </message>
    <message>
        <source>memory of the host</source>
        <translation>主机内存</translation>
    </message>
    <message>
        <source>memory of the host; jobs with device: cpu, containers and queued jobs must fit into it</source>
        <translation>主机内存；device: cpu 的作业、容器和排队作业须能放入</translation>
    </message>
    <message>
        <source>memory on each visible GPU</source>
        <translation>每个可见 GPU 上的内存</translation>
    </message>
    <message>
        <source>memory that it needs on each GPU; with less it dies</source>
        <translation>其在每个 GPU 上需要的内存；不足则终止</translation>
    </message>
    <message>
        <source>memory that it needs over time</source>
        <translation>其随时间需要的内存</translation>
    </message>
    <message>
        <source>memory that the process needs from this time on</source>
        <translation>进程自此时刻起需要的内存</translation>
    </message>
    <message>
        <source>messages between the program that retrains, storage and cluster</source>
        <translation>再训练程序、存储与集群之间的消息</translation>
    </message>
    <message>
        <source>micro-steps per update</source>
        <translation>每次更新的微步数</translation>
    </message>
    <message>
        <source>models for jobs without one, as name: share; with speed: step the names are those of the scenario's jobs</source>
        <translation>无模型作业所用的模型，格式为 名称: 份额；speed: step 时名称取自场景的作业</translation>
    </message>
    <message>
        <source>models that are retrained</source>
        <translation>要再训练的模型</translation>
    </message>
    <message>
        <source>most GPUs that a team may borrow: 'team-a=4'</source>
        <translation>一个团队最多可借用的 GPU 数：'team-a=4'</translation>
    </message>
    <message>
        <source>most messages per step and direction that are simulated one by one; with more, neighbouring variables of a server share messages</source>
        <translation>每步每方向逐条模拟的最大消息数；超出时服务器的相邻变量共用消息</translation>
    </message>
    <message>
        <source>most replicas</source>
        <translation>最多副本数</translation>
    </message>
    <message>
        <source>most restarts</source>
        <translation>最多重启次数</translation>
    </message>
    <message>
        <source>most tasks on one node</source>
        <translation>单节点最多任务数</translation>
    </message>
    <message>
        <source>most that the control plane handles; 0 = no limit</source>
        <translation>控制平面的最大处理量；0 = 不限</translation>
    </message>
    <message>
        <source>move an operation whose device is impossible, instead of refusing it</source>
        <translation>设备不可用的操作改放别处，而不是拒绝</translation>
    </message>
    <message>
        <source>name in the tables</source>
        <translation>表格中的名称</translation>
    </message>
    <message>
        <source>name of a GPU in requests</source>
        <translation>请求中 GPU 的名称</translation>
    </message>
    <message>
        <source>name of a node group</source>
        <translation>节点组名称</translation>
    </message>
    <message>
        <source>name of a node group, or of one machine</source>
        <translation>节点组或单台机器的名称</translation>
    </message>
    <message>
        <source>name of a profile; the other keys override its values</source>
        <translation>配置档名称；其他键覆盖其值</translation>
    </message>
    <message>
        <source>name of a switch, node, NIC or group</source>
        <translation>交换机、节点、网卡或组的名称</translation>
    </message>
    <message>
        <source>name of one of the node_types</source>
        <translation>node_types 之一的名称</translation>
    </message>
    <message>
        <source>name of the QOS</source>
        <translation>QOS 的名称</translation>
    </message>
    <message>
        <source>name of the framework: pytorch, tensorflow…; simrun list frameworks shows those with defaults of their own</source>
        <translation>框架名称：pytorch、tensorflow…；simrun list frameworks 列出自带默认值的框架</translation>
    </message>
    <message>
        <source>name of the group</source>
        <translation>组的名称</translation>
    </message>
    <message>
        <source>name of the image</source>
        <translation>镜像名称</translation>
    </message>
    <message>
        <source>name of the job</source>
        <translation>作业名称</translation>
    </message>
    <message>
        <source>name of the model</source>
        <translation>模型名称</translation>
    </message>
    <message>
        <source>name of the operation</source>
        <translation>操作名称</translation>
    </message>
    <message>
        <source>name of the partition: the queue of its jobs</source>
        <translation>分区名称：其作业的队列</translation>
    </message>
    <message>
        <source>name of the process</source>
        <translation>进程名称</translation>
    </message>
    <message>
        <source>name of the runtime</source>
        <translation>运行时名称</translation>
    </message>
    <message>
        <source>name of the scenario</source>
        <translation>场景名称</translation>
    </message>
    <message>
        <source>name of the service</source>
        <translation>服务名称</translation>
    </message>
    <message>
        <source>name of the variant, and of its curve</source>
        <translation>变体及其曲线的名称</translation>
    </message>
    <message>
        <source>name, for `after` and the reports</source>
        <translation>供 `after` 和报告使用的名称</translation>
    </message>
    <message>
        <source>name, which jobs give in `reservation`</source>
        <translation>作业在 `reservation` 中给出的名称</translation>
    </message>
    <message>
        <source>named sets of changes; each is one curve</source>
        <translation>具名的更改集；每个为一条曲线</translation>
    </message>
    <message>
        <source>names of its GPUs (--node-generic-resource gpu=…)</source>
        <translation>其 GPU 的名称(--node-generic-resource gpu=…)</translation>
    </message>
    <message>
        <source>nccl</source>
        <translation>nccl</translation>
    </message>
    <message>
        <source>network between the machines</source>
        <translation>机器之间的网络</translation>
    </message>
    <message>
        <source>network that it trains, instead of a demand</source>
        <translation>其训练的网络，代替资源需求</translation>
    </message>
    <message>
        <source>network to train</source>
        <translation>要训练的网络</translation>
    </message>
    <message>
        <source>network to train: a name, a name with options, a config.json of Hugging Face, an ONNX file or a CSV file of layers</source>
        <translation>要训练的网络：名称、带选项的名称、Hugging Face 的 config.json、ONNX 文件或逐层 CSV 文件</translation>
    </message>
    <message>
        <source>network with options</source>
        <translation>带选项的网络</translation>
    </message>
    <message>
        <source>new number of replicas</source>
        <translation>新的副本数</translation>
    </message>
    <message>
        <source>node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>node group; only its nodes fail</source>
        <translation>节点组；只有其节点会发生故障</translation>
    </message>
    <message>
        <source>node of task 0, 1, …</source>
        <translation>任务 0、1……所在节点</translation>
    </message>
    <message>
        <source>node of the client program</source>
        <translation>客户端程序所在节点</translation>
    </message>
    <message>
        <source>node of the client; default: the first server's, or the first worker's</source>
        <translation>客户端所在节点；默认：第一个服务器或第一个工作进程的节点</translation>
    </message>
    <message>
        <source>node of the processes</source>
        <translation>进程所在节点</translation>
    </message>
    <message>
        <source>node.role == worker</source>
        <translation>node.role == worker</translation>
    </message>
    <message>
        <source>node:port of task 0, 1, …</source>
        <translation>任务 0、1……的 节点:端口</translation>
    </message>
    <message>
        <source>nodes of the tasks by job: {ps: [ps-0], worker: [worker-0, worker-1]}</source>
        <translation>按作业列出任务节点：{ps: [ps-0], worker: [worker-0, worker-1]}</translation>
    </message>
    <message>
        <source>nodes on which the workers run</source>
        <translation>工作进程所在节点</translation>
    </message>
    <message>
        <source>nodes that share one set of rail switches</source>
        <translation>共享一组 rail 交换机的节点</translation>
    </message>
    <message>
        <source>norms and dropout are divided over the tensor-parallel group (Korthikanti et al. 2022)</source>
        <translation>归一化和 dropout 在张量并行组内划分(Korthikanti et al. 2022)</translation>
    </message>
    <message>
        <source>nothing is replayed: tasks arrive in random orders, are placed once or rejected, and never leave. How much of the cluster can each placement policy allocate?</source>
        <translation>不回放：任务按随机顺序到达，放置一次或被拒绝，且不离开。每种放置策略能分配集群的多大部分？</translation>
    </message>
    <message>
        <source>number format of the computation; fp8, mxfp8 and nvfp4 only with training.parallel</source>
        <translation>计算的数值格式；fp8、mxfp8 和 nvfp4 仅用于 training.parallel</translation>
    </message>
    <message>
        <source>number of GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>number of NVLinks between the two GPUs of a pair</source>
        <translation>一对 GPU 之间的 NVLink 数</translation>
    </message>
    <message>
        <source>number of NVLinks of one GPU: 6 (generation 2), 12 (3), 18 (4, 5)</source>
        <translation>单个 GPU 的 NVLink 数：6(第 2 代)、12(第 3 代)、18(第 4、5 代)</translation>
    </message>
    <message>
        <source>number of axes if `dimensions` is not given</source>
        <translation>未给出 `dimensions` 时的轴数</translation>
    </message>
    <message>
        <source>number of calls of session.run</source>
        <translation>session.run 的调用次数</translation>
    </message>
    <message>
        <source>number of equal jobs, named NAME-0, NAME-1…</source>
        <translation>相同作业的数量，名为 NAME-0、NAME-1…</translation>
    </message>
    <message>
        <source>number of equal jobs, named name-0, name-1…</source>
        <translation>相同作业的数量，名为 name-0、name-1…</translation>
    </message>
    <message>
        <source>number of equal models, named name-0, name-1…</source>
        <translation>相同模型的数量，名为 name-0、name-1…</translation>
    </message>
    <message>
        <source>number of equal tasks, each on one machine</source>
        <translation>相同任务的数量，每个在一台机器上</translation>
    </message>
    <message>
        <source>type of GPU that they need</source>
        <translation>它们需要的 GPU 类型</translation>
    </message>
    <message>
        <source>whole GPUs of each of them</source>
        <translation>其中每个任务的整块 GPU</translation>
    </message>
    <message>
        <source>number of these tasks</source>
        <translation>这些任务的数量</translation>
    </message>
    <message>
        <source>name of these tasks for messages: master, launcher, worker</source>
        <translation>这些任务在消息中的名称：master、launcher、worker</translation>
    </message>
    <message>
        <source>tasks that are equal among themselves</source>
        <translation>彼此相同的任务</translation>
    </message>
    <message>
        <source>tasks that are not all equal, by kind: a launcher or master, and workers; each task on one machine, all start together. What a kind does not say is the job&apos;s</source>
        <translation>不全相同的任务，按种类列出：启动器或主任务，以及工作任务；每个任务在一台机器上，全部同时开始。种类未说明的取作业的值</translation>
    </message>
    <message>
        <source>number of equal tasks, or a list of tasks that are not equal; each on one machine</source>
        <translation>相同任务的数量，或不同任务的列表；每个任务在一台机器上</translation>
    </message>
    <message>
        <source>number of exchanges in a step; an equal share of the work comes before each</source>
        <translation>一步中的交换次数；每次之前完成等份的工作</translation>
    </message>
    <message>
        <source>number of first steps that do not count</source>
        <translation>不计入的起始步数</translation>
    </message>
    <message>
        <source>number of generations</source>
        <translation>代数</translation>
    </message>
    <message>
        <source>number of groups</source>
        <translation>组数</translation>
    </message>
    <message>
        <source>number of jobs</source>
        <translation>作业数</translation>
    </message>
    <message>
        <source>number of jobs behind the head that are considered; 0 = all</source>
        <translation>队首之后考察的作业数；0 = 全部</translation>
    </message>
    <message>
        <source>number of jobs to generate with the statistics of the trace</source>
        <translation>按轨迹统计特征生成的作业数</translation>
    </message>
    <message>
        <source>number of machines</source>
        <translation>机器数</translation>
    </message>
    <message>
        <source>number of messages in flight per worker, server and direction; 1: whole tensors one after another, as a stream carries them; 0: all that are ready share the connection</source>
        <translation>每工作进程、服务器和方向的在途消息数；1：整个张量依次传输，如同流；0：所有就绪者共享连接</translation>
    </message>
    <message>
        <source>number of network cards</source>
        <translation>网卡数</translation>
    </message>
    <message>
        <source>number of parallel links</source>
        <translation>并行链路数</translation>
    </message>
    <message>
        <source>number of parameter servers; must be given</source>
        <translation>参数服务器数；必须给出</translation>
    </message>
    <message>
        <source>number of parameters of a synthetic network</source>
        <translation>合成网络的参数数</translation>
    </message>
    <message>
        <source>number of parts in which the data are sent; training starts after the first part</source>
        <translation>数据分几部分发送；收到第一部分后开始训练</translation>
    </message>
    <message>
        <source>number of plans kept</source>
        <translation>保留的计划数</translation>
    </message>
    <message>
        <source>number of points</source>
        <translation>点数</translation>
    </message>
    <message>
        <source>number of queues by attained service, with equal numbers of jobs</source>
        <translation>按已获服务量划分的队列数，各队列作业数相等</translation>
    </message>
    <message>
        <source>number of runs, each with another seed</source>
        <translation>运行次数，每次使用不同种子</translation>
    </message>
    <message>
        <source>number of seeds with which each point runs</source>
        <translation>每个点运行的种子数</translation>
    </message>
    <message>
        <source>number of serving replicas</source>
        <translation>提供服务的副本数</translation>
    </message>
    <message>
        <source>number of spine switches</source>
        <translation>spine 交换机数</translation>
    </message>
    <message>
        <source>number of steps that are read ahead</source>
        <translation>预读的步数</translation>
    </message>
    <message>
        <source>number of steps to train</source>
        <translation>训练步数</translation>
    </message>
    <message>
        <source>number of tasks</source>
        <translation>任务数</translation>
    </message>
    <message>
        <source>number of tasks replaced at once</source>
        <translation>一次替换的任务数</translation>
    </message>
    <message>
        <source>number of teams of these users</source>
        <translation>这些用户的团队数</translation>
    </message>
    <message>
        <source>number of the attempt, from 1</source>
        <translation>尝试编号，从 1 起</translation>
    </message>
    <message>
        <source>number of the need, from 1</source>
        <translation>需求编号，从 1 起</translation>
    </message>
    <message>
        <source>number of the worker, from 0</source>
        <translation>工作进程编号，从 0 起</translation>
    </message>
    <message>
        <source>number of users who submit jobs</source>
        <translation>提交作业的用户数</translation>
    </message>
    <message>
        <source>number of values, including both ends</source>
        <translation>值的个数，含两端</translation>
    </message>
    <message>
        <source>of fp8: by the largest values of earlier steps, or of the tensor itself, which is then read once more</source>
        <translation>用于 fp8：按先前各步的最大值，或按张量本身(需再读一次)</translation>
    </message>
    <message>
        <source>of the copies, how many may run at once (job array): policy slurm</source>
        <translation>副本中可同时运行的数量(作业数组)：策略 slurm</translation>
    </message>
    <message>
        <source>one hop over NVLink, simple protocol</source>
        <translation>一跳 NVLink，simple 协议</translation>
    </message>
    <message>
        <source>one hop over PCIe, simple protocol</source>
        <translation>一跳 PCIe，simple 协议</translation>
    </message>
    <message>
        <source>one hop over the network, low-latency protocol (5 us)</source>
        <translation>一跳网络，低延迟协议(5 us)</translation>
    </message>
    <message>
        <source>one hop over the network, simple protocol (2.7: 9.6 us, 2.26: 14 us)</source>
        <translation>一跳网络，simple 协议(2.7：9.6 us，2.26：14 us)</translation>
    </message>
    <message>
        <source>one job</source>
        <translation>一个作业</translation>
    </message>
    <message>
        <source>one of the scenario's jobs, which gives network, workers and steps; its training time is simulated</source>
        <translation>场景中的一个作业，给出网络、工作进程和步数；其训练时间由模拟得出</translation>
    </message>
    <message>
        <source>only whole numbers</source>
        <translation>仅整数</translation>
    </message>
    <message>
        <source>operation that runs once per step; the payload is the network's parameters (model one_tensor: `elements`)</source>
        <translation>每步执行一次的操作；有效载荷为网络参数(模型 one_tensor：`elements`)</translation>
    </message>
    <message>
        <source>operation whose device this one shares</source>
        <translation>与之共用设备的操作</translation>
    </message>
    <message>
        <source>operations between the memories of GPUs</source>
        <translation>GPU 内存之间的操作</translation>
    </message>
    <message>
        <source>operations between the memories of machines</source>
        <translation>机器内存之间的操作</translation>
    </message>
    <message>
        <source>operations that a client runs repeatedly</source>
        <translation>客户端反复运行的操作</translation>
    </message>
    <message>
        <source>operations whose results it reads</source>
        <translation>读取其结果的操作</translation>
    </message>
    <message>
        <source>operations; each comes after its inputs</source>
        <translation>操作；每个排在其输入之后</translation>
    </message>
    <message>
        <source>optimiser states lie in host memory and are updated there; gradients and weights go over PCIe while the GPU waits</source>
        <translation>优化器状态存放在主机内存并在其中更新；GPU 等待时梯度和权重经 PCIe 传输</translation>
    </message>
    <message>
        <source>order in which nodes are tried (simrun list placements)</source>
        <translation>尝试节点的顺序(simrun list placements)</translation>
    </message>
    <message>
        <source>order in which the variables of a step come: one of each worker that stays the same (TensorFlow's resource variables), a new one each step (its reference variables), or that of the layers</source>
        <translation>一步中变量的顺序：每个工作进程各自固定(TensorFlow 的 resource variables)、每步重排(reference variables)，或按层的顺序</translation>
    </message>
    <message>
        <source>order of ranks in rings: as given, or by topology; auto = topology if the transport reads GPU memory and `channels` is not given</source>
        <translation>环中 rank 的顺序：按给定或按拓扑；auto = 传输方式可读 GPU 内存且未给出 `channels` 时按拓扑</translation>
    </message>
    <message>
        <source>order of stopping the old and starting the new task</source>
        <translation>停止旧任务与启动新任务的顺序</translation>
    </message>
    <message>
        <source>order of work in the pipeline</source>
        <translation>流水线中的工作顺序</translation>
    </message>
    <message>
        <source>output projection and embedding are one matrix (tie_word_embeddings)</source>
        <translation>输出投影与嵌入为同一矩阵(tie_word_embeddings)</translation>
    </message>
    <message>
        <source>parallel rings over different NICs</source>
        <translation>经不同网卡的并行环数</translation>
    </message>
    <message>
        <source>parents by level; the first is 1 (NIC to edge switch): "1 4 8"; fewer parents than children is oversubscription</source>
        <translation>各级的上级数；首个为 1(网卡到边缘交换机)："1 4 8"；上级少于下级即为超额订阅</translation>
    </message>
    <message>
        <source>part of one GPU, less than 1</source>
        <translation>一个 GPU 的一部分，小于 1</translation>
    </message>
    <message>
        <source>part of the priority, over the largest of all QOS, times weight_qos</source>
        <translation>优先级的一部分，与所有 QOS 的最大值之比乘以 weight_qos</translation>
    </message>
    <message>
        <source>partition QOS: its limits count for all jobs of the partition, before those of their own</source>
        <translation>分区 QOS：其限制对分区所有作业生效，先于作业自身的 QOS</translation>
    </message>
    <message>
        <source>partitions: machines and rules for the jobs whose queue has this name. Other queues have all machines</source>
        <translation>分区：队列同名作业的机器和规则。其他队列可用全部机器</translation>
    </message>
    <message>
        <source>passes over the data in one training</source>
        <translation>一次训练遍历数据的次数</translation>
    </message>
    <message>
        <source>path of the trace, relative to the scenario</source>
        <translation>轨迹路径，相对于场景</translation>
    </message>
    <message>
        <source>path: list or range of values</source>
        <translation>路径：值的列表或范围</translation>
    </message>
    <message>
        <source>path: range of values, or a list to choose from</source>
        <translation>路径：值的范围，或供选择的列表</translation>
    </message>
    <message>
        <source>path: value, for example jobs.0.workers: 8</source>
        <translation>路径：值，例如 jobs.0.workers: 8</translation>
    </message>
    <message>
        <source>paths between switches: every packet by the least loaded one, or each flow by a hash of its ends, chosen by run.seed</source>
        <translation>交换机之间的路径：每个包走负载最低者，或每条流按端点哈希(由 run.seed 选定)</translation>
    </message>
    <message>
        <source>paths whose lists advance together; the lists have equal length</source>
        <translation>列表同步推进的路径；各列表等长</translation>
    </message>
    <message>
        <source>payload of a message</source>
        <translation>一条消息的有效载荷</translation>
    </message>
    <message>
        <source>payload of the one connection between a process of workers and a server, each direction (0: the transport's stream limit)</source>
        <translation>一个工作进程与服务器间单个连接的有效速率，每方向(0：取传输方式的单流上限)</translation>
    </message>
    <message>
        <source>workers of a machine are one process with all GPUs (machine), or each GPU has one, with connections of its own (gpu)</source>
        <translation>一台机器的工作者是使用全部 GPU 的一个进程(machine)，或每个 GPU 各有一个进程及自己的连接(gpu)</translation>
    </message>
    <message>
        <source>payload that one server process sends, or receives, per second (0: by the transport and the machine's cores)</source>
        <translation>单个服务器进程每秒发送或接收的有效载荷(0：由传输方式和机器核心决定)</translation>
    </message>
    <message>
        <source>period in which the background thread looks for ready gradients</source>
        <translation>后台线程查找就绪梯度的周期</translation>
    </message>
    <message>
        <source>pipeline stages</source>
        <translation>流水线阶段数</translation>
    </message>
    <message>
        <source>planned speed = (GPUs / GPUs asked for)^scaling, but for divided transformers</source>
        <translation>计划速度 =（GPU 数 / 请求的 GPU 数）^scaling，分割的 Transformer 除外</translation>
    </message>
    <message>
        <source>points drawn from ranges</source>
        <translation>从范围中随机抽取的点</translation>
    </message>
    <message>
        <source>points drawn from ranges, each path evenly spread over its range</source>
        <translation>从范围中抽取的点，每条路径在其范围内均匀分布</translation>
    </message>
    <message>
        <source>ports of a leaf for NICs; ignored if the node groups give per_rack</source>
        <translation>叶交换机接网卡的端口数；节点组给出 per_rack 时忽略</translation>
    </message>
    <message>
        <source>ports of every switch (even)</source>
        <translation>每台交换机的端口数(偶数)</translation>
    </message>
    <message>
        <source>ports of the host that each task needs</source>
        <translation>每个任务需要的主机端口</translation>
    </message>
    <message>
        <source>positions are learnt; else rotary or none</source>
        <translation>位置编码可学习；否则为旋转编码或无</translation>
    </message>
    <message>
        <source>price of the machine</source>
        <translation>机器价格</translation>
    </message>
    <message>
        <source>print the device of each operation</source>
        <translation>打印每个操作的设备</translation>
    </message>
    <message>
        <source>priority; the larger number goes first</source>
        <translation>优先级；数值大者先</translation>
    </message>
    <message>
        <source>probability that a failing node makes each other node of its rack fail</source>
        <translation>一个节点故障导致同机架每个其他节点也故障的概率</translation>
    </message>
    <message>
        <source>probability that a message is lost</source>
        <translation>消息丢失的概率</translation>
    </message>
    <message>
        <source>probability that a part arrives with a wrong checksum and is sent again</source>
        <translation>某部分校验和错误而需重发的概率</translation>
    </message>
    <message>
        <source>processes that share the GPUs of one node</source>
        <translation>共享同一节点 GPU 的进程</translation>
    </message>
    <message>
        <source>processors that count as one GPU, for formats that count processors</source>
        <translation>多少个处理器折算为一个 GPU，用于按处理器计数的格式</translation>
    </message>
    <message>
        <source>profile of a real system</source>
        <translation>真实系统的配置档</translation>
    </message>
    <message>
        <source>qualities of service, which jobs name in `qos`</source>
        <translation>服务质量等级，由作业在 `qos` 中指定</translation>
    </message>
    <message>
        <source>quality of service, one of slurm.qos</source>
        <translation>服务质量等级，slurm.qos 之一</translation>
    </message>
    <message>
        <source>queries and keys are normalised head by head (Qwen3)</source>
        <translation>查询和键逐头归一化(Qwen3)</translation>
    </message>
    <message>
        <source>queries, keys and values have biases (Qwen2)</source>
        <translation>查询、键和值带偏置(Qwen2)</translation>
    </message>
    <message>
        <source>question that the scenario answers</source>
        <translation>场景要回答的问题</translation>
    </message>
    <message>
        <source>queue or partition of the job</source>
        <translation>作业的队列或分区</translation>
    </message>
    <message>
        <source>queues of Volcano and their weights: &apos;team-a=3 team-b=1&apos;; all other teams share the queue default of weight 1</source>
        <translation>Volcano 的队列及其权重：'team-a=3 team-b=1'；其余团队共用权重为 1 的 default 队列</translation>
    </message>
    <message>
        <source>rack:3@02:00+6h</source>
        <translation>rack:3@02:00+6h</translation>
    </message>
    <message>
        <source>random failures</source>
        <translation>随机故障</translation>
    </message>
    <message>
        <source>random orders of arrival</source>
        <translation>随机到达顺序</translation>
    </message>
    <message>
        <source>random variation of compute times</source>
        <translation>计算时间的随机波动</translation>
    </message>
    <message>
        <source>rate at which one process serialises and copies at most, each direction; cores may limit it further (cpu_time_per_GB)</source>
        <translation>单个进程序列化和拷贝的最高速率，每方向；核数可能进一步限制（cpu_time_per_GB）</translation>
    </message>
    <message>
        <source>rate at which one task reads from the shared storage at full speed</source>
        <translation>单个任务全速时从共享存储读取的速率</translation>
    </message>
    <message>
        <source>rate of a copy between host and GPU over PCIe, one direction</source>
        <translation>主机与 GPU 之间经 PCIe 拷贝的单向速率</translation>
    </message>
    <message>
        <source>rate of matrix multiplication on all cores (simcal: cpu_gemm); overrides 'cpu'</source>
        <translation>所有核心上的矩阵乘速率(simcal：cpu_gemm)；覆盖 'cpu'</translation>
    </message>
    <message>
        <source>rate of the device-to-host copy of variables in GPU memory, by the thread that serves them (0: no copy)</source>
        <translation>服务线程将变量从 GPU 内存拷到主机的速率(0：不拷贝)</translation>
    </message>
    <message>
        <source>rate of the storage that all machines share, in either direction</source>
        <translation>所有机器共享存储的速率，任一方向</translation>
    </message>
    <message>
        <source>rate that one stream of messages, or one connection of two processes, reaches at most</source>
        <translation>单个消息流或两个进程间单个连接的最高速率</translation>
    </message>
    <message>
        <source>rates over time</source>
        <translation>随时间变化的速率</translation>
    </message>
    <message>
        <source>ratio of a value to the one before it</source>
        <translation>一个值与前一个值之比</translation>
    </message>
    <message>
        <source>read only this many jobs from the start</source>
        <translation>只读取开头的这么多作业</translation>
    </message>
    <message>
        <source>reads and writes GPU memory without the host</source>
        <translation>不经主机直接读写 GPU 内存</translation>
    </message>
    <message>
        <source>registered transport of the collectives</source>
        <translation>集合操作所用的已注册传输方式</translation>
    </message>
    <message>
        <source>remove ended containers; else their record and disk space remain</source>
        <translation>删除已结束的容器；否则保留其记录和磁盘占用</translation>
    </message>
    <message>
        <source>rendezvous protocol of the framework</source>
        <translation>框架的 rendezvous 协议</translation>
    </message>
    <message>
        <source>replicas</source>
        <translation>副本数</translation>
    </message>
    <message>
        <source>replicas replaced at a time</source>
        <translation>一次替换的副本数</translation>
    </message>
    <message>
        <source>requests that replicas answer</source>
        <translation>副本应答的请求</translation>
    </message>
    <message>
        <source>requests/s</source>
        <translation>请求/s</translation>
    </message>
    <message>
        <source>requests/s of one replica</source>
        <translation>单个副本的请求/s</translation>
    </message>
    <message>
        <source>requests/s: a number, or a list of {from, rate}</source>
        <translation>请求/s：一个数，或 {from, rate} 的列表</translation>
    </message>
    <message>
        <source>reservation that the job runs in, one of slurm.reservations</source>
        <translation>作业运行所在的预留，slurm.reservations 之一</translation>
    </message>
    <message>
        <source>resource flavors: kinds of machines, by GPU type or name, each with quotas of its own</source>
        <translation>资源 flavor：按 GPU 类型或名称划分的机器，各有自己的配额</translation>
    </message>
    <message>
        <source>resources of one task</source>
        <translation>单个任务的资源</translation>
    </message>
    <message>
        <source>retraining of deployed models: from the need to the deployed model</source>
        <translation>已部署模型的再训练：从需求到模型部署</translation>
    </message>
    <message>
        <source>role of the group</source>
        <translation>组的角色</translation>
    </message>
    <message>
        <source>role of the node</source>
        <translation>节点的角色</translation>
    </message>
    <message>
        <source>rolling update of the serving replicas to the new model</source>
        <translation>服务副本滚动更新到新模型</translation>
    </message>
    <message>
        <source>rolling updates</source>
        <translation>滚动更新</translation>
    </message>
    <message>
        <source>routers per group (a)</source>
        <translation>每组路由器数(a)</translation>
    </message>
    <message>
        <source>rule that updates the parameters</source>
        <translation>更新参数的规则</translation>
    </message>
    <message>
        <source>run time at full speed</source>
        <translation>全速运行时间</translation>
    </message>
    <message>
        <source>run time at full speed, without waiting</source>
        <translation>全速运行时间，不含等待</translation>
    </message>
    <message>
        <source>work between two checkpoints, in run time of the job; a failure can lose this much, and each costs checkpoint_cost</source>
        <translation>两个检查点之间的工作量，以作业的运行时间计；一次故障可能损失这么多，每个检查点花费 checkpoint_cost</translation>
    </message>
    <message>
        <source>with a write in the background: training stands still for so long at each checkpoint_interval, until states are copied; it goes on while the rest of checkpoint_cost is written, and a write ends before the next begins</source>
        <translation>后台写入时：每个 checkpoint_interval 结束时训练停顿这么久，直到状态复制完；其余的 checkpoint_cost 在训练继续时写入，前一次写入结束后才开始下一次</translation>
    </message>
    <message>
        <source>an elastic job (min_gpus) that loses a machine goes on at once with the GPUs that it has left, from its last checkpoint, and takes back as many as it had before when a machine is repaired; false: it waits in the queue</source>
        <translation>失去一台机器的弹性作业（min_gpus）立即用剩下的 GPU 从最近的检查点继续，机器修好后取回原来数量的 GPU；false：在队列中等待</translation>
    </message>
    <message>
        <source>run time of a job before the next one gets its turn</source>
        <translation>轮到下一作业前作业的运行时间</translation>
    </message>
    <message>
        <source>run time that the user estimates; policies plan with it</source>
        <translation>用户估计的运行时间；策略据此规划</translation>
    </message>
    <message>
        <source>runtime of the processes</source>
        <translation>进程的运行时</translation>
    </message>
    <message>
        <source>samples per GPU and step</source>
        <translation>每 GPU 每步的样本数</translation>
    </message>
    <message>
        <source>saving of the trained model</source>
        <translation>保存训练好的模型</translation>
    </message>
    <message>
        <source>scale the replicas: ceil(rate / capacity)</source>
        <translation>伸缩副本数：ceil(速率 / capacity)</translation>
    </message>
    <message>
        <source>sched/backfill; false: sched/builtin</source>
        <translation>sched/backfill；false：sched/builtin</translation>
    </message>
    <message>
        <source>scoring strategy of NodeResourcesFit</source>
        <translation>NodeResourcesFit 的打分策略</translation>
    </message>
    <message>
        <source>seed of all random streams</source>
        <translation>所有随机流的种子</translation>
    </message>
    <message>
        <source>seed of the draw</source>
        <translation>抽取的种子</translation>
    </message>
    <message>
        <source>seed of the search</source>
        <translation>搜索的种子</translation>
    </message>
    <message>
        <source>sequences of one forward pass</source>
        <translation>一次前向传播的序列数</translation>
    </message>
    <message>
        <source>sequences of one optimiser step</source>
        <translation>一个优化器步的序列数</translation>
    </message>
    <message>
        <source>service (never ends), training or generic (ends), mpi, serving, notebook, load</source>
        <translation>service(不结束)、training 或 generic(会结束)、mpi、serving、notebook、load</translation>
    </message>
    <message>
        <source>services to keep running</source>
        <translation>要保持运行的服务</translation>
    </message>
    <message>
        <source>settings of a node or group</source>
        <translation>节点或组的设置</translation>
    </message>
    <message>
        <source>settings of single nodes or groups, by name</source>
        <translation>单个节点或组的设置，按名称</translation>
    </message>
    <message>
        <source>settings of the run</source>
        <translation>运行设置</translation>
    </message>
    <message>
        <source>several to compare: which job starts next</source>
        <translation>多项用于比较：下一个启动哪个作业</translation>
    </message>
    <message>
        <source>several to compare: which machines a job gets</source>
        <translation>多项用于比较：作业获得哪些机器</translation>
    </message>
    <message>
        <source>shape of the Weibull distribution; below 1: failures tend to come early</source>
        <translation>Weibull 分布的形状参数；小于 1：故障趋于提早</translation>
    </message>
    <message>
        <source>share by which compute time grows for each further GPU of the job on the node with the most GPUs</source>
        <translation>在 GPU 最多的节点上，作业每增加一个 GPU 计算时间增长的比例</translation>
    </message>
    <message>
        <source>share of a GPU's time lost while several processes take turns</source>
        <translation>多个进程轮流使用 GPU 时损失的时间比例</translation>
    </message>
    <message>
        <source>share of a compute kernel for which a collective issued during the backward pass waits for multiprocessors</source>
        <translation>反向传播中发起的集合操作等待多处理器的时间占计算内核的比例</translation>
    </message>
    <message>
        <source>share of communication in a step at full speed</source>
        <translation>全速时一步中通信所占比例</translation>
    </message>
    <message>
        <source>share of each GPU's time that it would use alone, 0.001 to 1</source>
        <translation>单独运行时占用每个 GPU 时间的份额，0.001 到 1</translation>
    </message>
    <message>
        <source>share of each visible GPU, for policy: fraction</source>
        <translation>每个可见 GPU 的份额，用于 policy: fraction</translation>
    </message>
    <message>
        <source>share of its nodes' NIC bandwidth that it uses</source>
        <translation>其使用的节点网卡带宽份额</translation>
    </message>
    <message>
        <source>share of its time at full speed</source>
        <translation>其全速时间的份额</translation>
    </message>
    <message>
        <source>share of one GPU, 0.001 to 1: of its time, or of its memory with gpu_sharing by memory</source>
        <translation>一个 GPU 的份额，0.001 到 1：时间，或 gpu_sharing 按内存时为其内存</translation>
    </message>
    <message>
        <source>share of the GPU's measured ceiling that matrix products reach over a whole step</source>
        <translation>矩阵乘在整步中达到的 GPU 实测上限的份额</translation>
    </message>
    <message>
        <source>share of the GPU's memory, for memory_policy: fraction</source>
        <translation>GPU 内存份额，用于 memory_policy: fraction</translation>
    </message>
    <message>
        <source>share of the capacity that scaling tries to reach</source>
        <translation>伸缩力求达到的容量份额</translation>
    </message>
    <message>
        <source>share of the jobs for each number of GPUs: {1: 0.7, 8: 0.3}</source>
        <translation>各 GPU 数的作业份额：{1: 0.7, 8: 0.3}</translation>
    </message>
    <message>
        <source>share of the line rate that payloads of at least this size reach</source>
        <translation>不小于该大小的载荷可达的线速份额</translation>
    </message>
    <message>
        <source>share of the line rate that payloads reach, whatever their size</source>
        <translation>任意大小的载荷可达的线速份额</translation>
    </message>
    <message>
        <source>share of the memory taken by growth that is unusable</source>
        <translation>增长所占内存中不可用的份额</translation>
    </message>
    <message>
        <source>share of the queue that is matched, who has waited longest first; at least as many jobs as GPUs are free</source>
        <translation>参与匹配的队列份额，等待最久者优先；至少与空闲 GPU 数相同</translation>
    </message>
    <message>
        <source>shares of accounts (teams) and users: "physics=40 physics.alice=2"; others have 1</source>
        <translation>账户(团队)和用户的份额："physics=40 physics.alice=2"；其余为 1</translation>
    </message>
    <message>
        <source>short form: mean time between failures for each kind</source>
        <translation>简写：每类的平均故障间隔</translation>
    </message>
    <message>
        <source>shortest time between two increases of sizes</source>
        <translation>两次增大规模的最短间隔</translation>
    </message>
    <message>
        <source>simulate one of many equal workers and give the others their share of the servers' capacities; auto: if the job runs alone and no link between switches can delay workers</source>
        <translation>从多个相同工作进程中只模拟一个，其余按份额占用服务器容量；auto：作业单独运行且交换机间链路不会拖延工作进程时</translation>
    </message>
    <message>
        <source>simulated time at which the run stops</source>
        <translation>运行停止的模拟时刻</translation>
    </message>
    <message>
        <source>size at which a bucket is closed</source>
        <translation>桶关闭的大小</translation>
    </message>
    <message>
        <source>size at which the first bucket of a step is closed; before PyTorch 2.5 always 1 MiB</source>
        <translation>每步第一个桶关闭的大小；PyTorch 2.5 之前恒为 1 MiB</translation>
    </message>
    <message>
        <source>size of a checkpoint; with 'bandwidth', instead of save and load</source>
        <translation>检查点大小；与 'bandwidth' 一起使用，代替 save 和 load</translation>
    </message>
    <message>
        <source>size of a request or reply without a tensor</source>
        <translation>不含张量的请求或应答的大小</translation>
    </message>
    <message>
        <source>size of its result</source>
        <translation>其结果的大小</translation>
    </message>
    <message>
        <source>size of the checkpoint downloaded with the result</source>
        <translation>随结果下载的检查点大小</translation>
    </message>
    <message>
        <source>size of the image</source>
        <translation>镜像大小</translation>
    </message>
    <message>
        <source>size of the trained model</source>
        <translation>训练好的模型大小</translation>
    </message>
    <message>
        <source>slow workers</source>
        <translation>慢工作进程</translation>
    </message>
    <message>
        <source>source of the samples</source>
        <translation>样本来源</translation>
    </message>
    <message>
        <source>speed of computing on each GPU type, relative to 1</source>
        <translation>各 GPU 类型的计算速度，相对于 1</translation>
    </message>
    <message>
        <source>speed of jobs. trace: run times from the trace, wherever a job runs. step: from the training step at the job's place and beside its neighbours; the scenario's jobs say how each model trains</source>
        <translation>作业速度。trace：取自轨迹的运行时间，与运行位置无关。step：由作业所在位置及其邻居下的训练步得出；场景的作业说明各模型如何训练</translation>
    </message>
    <message>
        <source>speed on this type</source>
        <translation>在该类型上的速度</translation>
    </message>
    <message>
        <source>standalone: single containers that the orchestrator does not keep running</source>
        <translation>standalone：编排器不负责保持运行的单个容器</translation>
    </message>
    <message>
        <source>standard deviation as a share of the worker's compute time</source>
        <translation>标准差占工作进程计算时间的份额</translation>
    </message>
    <message>
        <source>standard deviation divided by the mean</source>
        <translation>标准差除以均值</translation>
    </message>
    <message>
        <source>standard deviation of a worker's step; the barrier waits for the slowest</source>
        <translation>工作进程步时的标准差；屏障等待最慢者</translation>
    </message>
    <message>
        <source>standard deviation of the logarithm of the repair time</source>
        <translation>修复时间对数的标准差</translation>
    </message>
    <message>
        <source>standard deviation of the logarithm of the run times</source>
        <translation>运行时间对数的标准差</translation>
    </message>
    <message>
        <source>standard deviation per sample of the worker's batch: input pipelines</source>
        <translation>工作进程批中每个样本的标准差：输入流水线</translation>
    </message>
    <message>
        <source>start later jobs that fit if an earlier one does not</source>
        <translation>较早的作业无法启动时，启动后面能放下的作业</translation>
    </message>
    <message>
        <source>start of the process</source>
        <translation>进程开始</translation>
    </message>
    <message>
        <source>start time in addition to that of the container</source>
        <translation>除容器之外的启动时间</translation>
    </message>
    <message>
        <source>start-up of a collective: from the transport's messages, or from the library's hops (nccl)</source>
        <translation>集合操作的启动时间：由传输方式的消息，或由库的各跳(nccl)得出</translation>
    </message>
    <message>
        <source>start-up of a ring, simple protocol</source>
        <translation>环的启动时间，simple 协议</translation>
    </message>
    <message>
        <source>steps per second of each kind of job on each type of GPU: Gavel's JSON. Jobs then run as fast as it says on the type they get, and traces that count steps (Gavel) get their run times</source>
        <translation>每类作业在每种 GPU 上的每秒步数：Gavel 的 JSON。作业按所获类型的速度运行，按步计数的轨迹(Gavel)由此得到运行时间</translation>
    </message>
    <message>
        <source>stop running jobs of lower priority</source>
        <translation>停止正在运行的低优先级作业</translation>
    </message>
    <message>
        <source>storage that all machines share</source>
        <translation>所有机器共享的存储</translation>
    </message>
    <message>
        <source>switches</source>
        <translation>交换机</translation>
    </message>
    <message>
        <source>table of kernels</source>
        <translation>内核表</translation>
    </message>
    <message>
        <source>taints key=value:NoSchedule or key=value:PreferNoSchedule</source>
        <translation>污点 key=value:NoSchedule 或 key=value:PreferNoSchedule</translation>
    </message>
    <message>
        <source>taints that the job tolerates: key=value, key, or *</source>
        <translation>作业容忍的污点：key=value、key 或 *</translation>
    </message>
    <message>
        <source>task whose session it is</source>
        <translation>会话所属的任务</translation>
    </message>
    <message>
        <source>tasks of a stage in order: F0 F1 B0 B1</source>
        <translation>一个阶段的任务顺序：F0 F1 B0 B1</translation>
    </message>
    <message>
        <source>tasks that a rolling update replaces at once</source>
        <translation>滚动更新一次替换的任务数</translation>
    </message>
    <message>
        <source>tasks that are late, missing, or differ</source>
        <translation>迟到、缺失或不同的任务</translation>
    </message>
    <message>
        <source>tasks that wait for each other</source>
        <translation>相互等待的任务</translation>
    </message>
    <message>
        <source>team that pays</source>
        <translation>付费的团队</translation>
    </message>
    <message>
        <source>team that the job belongs to</source>
        <translation>作业所属的团队</translation>
    </message>
    <message>
        <source>team whose quota its trainings use, with through: queue</source>
        <translation>其训练使用哪个团队的配额，用于 through: queue</translation>
    </message>
    <message>
        <source>team whose quota the job uses</source>
        <translation>作业使用其配额的团队</translation>
    </message>
    <message>
        <source>teams that may borrow unused quota from each other: 'team-a+team-b'</source>
        <translation>可互借未用配额的团队：'team-a+team-b'</translation>
    </message>
    <message>
        <source>tensor parallel: GPUs that share every matrix; neighbours in a machine</source>
        <translation>张量并行：共享每个矩阵的 GPU 数；同一机器内相邻</translation>
    </message>
    <message>
        <source>tensor-parallel messages that travel beside products: none; those of the backward pass beside products of weight gradients; all, cut into four pieces, beside their own products</source>
        <translation>与矩阵乘重叠传输的张量并行消息：无；反向传播的消息与权重梯度的矩阵乘重叠；全部，切成四段，与各自的矩阵乘重叠</translation>
    </message>
    <message>
        <source>tf.device: /job:worker/task:1/gpu:0, /cpu:0; the placer chooses what is not given</source>
        <translation>tf.device：/job:worker/task:1/gpu:0、/cpu:0；未给出的由放置器选择</translation>
    </message>
    <message>
        <source>the allocated share is reported where so much of the cluster has been asked for</source>
        <translation>在请求量达到集群的这一比例处报告已分配份额</translation>
    </message>
    <message>
        <source>the cohort from which this one may borrow too</source>
        <translation>此 cohort 还可以向其借用的上级 cohort</translation>
    </message>
    <message>
        <source>the installed training framework</source>
        <translation>已安装的训练框架</translation>
    </message>
    <message>
        <source>the jobs, listed one by one</source>
        <translation>逐个列出的作业</translation>
    </message>
    <message>
        <source>the library chooses trees and the LL protocol for small messages</source>
        <translation>库对小消息选用树和 LL 协议</translation>
    </message>
    <message>
        <source>the library lets NVSwitches from generation 4 on add up (NVLS; 2.7: false, 2.26: true)</source>
        <translation>库让第 4 代起的 NVSwitch 做加法(NVLS；2.7：false，2.26：true)</translation>
    </message>
    <message>
        <source>the points to simulate: every combination of the values</source>
        <translation>要模拟的点：各值的所有组合</translation>
    </message>
    <message>
        <source>the policy decides only at multiples of this time</source>
        <translation>策略只在该时间的整数倍时刻做决定</translation>
    </message>
    <message>
        <source>the processes; at equal times the earlier in the list goes first</source>
        <translation>进程；时刻相同时列表中靠前者先</translation>
    </message>
    <message>
        <source>the same of queries; 0: directly from the token (q_lora_rank)</source>
        <translation>查询的对应值；0：直接由 token 得到(q_lora_rank)</translation>
    </message>
    <message>
        <source>the same per gradient tensor: hooks, copies into and out of buffers, calls that only several workers make; with sync_every: of a step that averages</source>
        <translation>每个梯度张量的对应值：钩子、缓冲区的拷入拷出、仅在多工作进程时才有的调用；设置 sync_every 时：仅在进行平均的步</translation>
    </message>
    <message>
        <source>the system that starts services on machines</source>
        <translation>在机器上启动服务的系统</translation>
    </message>
    <message>
        <source>the tasks of each stage: F forward pass, B backward pass, W gradients of weights, each with its micro-batch, and with the chunk of the GPU in front where vp &gt; 1: 1F0</source>
        <translation>各阶段的任务：F 前向、B 反向、W 权重梯度，各带微批编号；vp &gt; 1 时前面带该 GPU 的块号：1F0</translation>
    </message>
    <message>
        <source>time after submission at which a training without a result counts as failed</source>
        <translation>提交后超过此时间仍无结果的训练视为失败</translation>
    </message>
    <message>
        <source>time after which untracked processes that remain are killed; 0 = never</source>
        <translation>此时间后终止残留的未跟踪进程；0 = 从不</translation>
    </message>
    <message>
        <source>time at which it joins the cluster</source>
        <translation>加入集群的时刻</translation>
    </message>
    <message>
        <source>time at which it joins, after the job is placed; or 'never'</source>
        <translation>作业放置后其加入的时刻；或 'never'</translation>
    </message>
    <message>
        <source>time between batches</source>
        <translation>批次之间的时间</translation>
    </message>
    <message>
        <source>time between needs</source>
        <translation>需求之间的时间</translation>
    </message>
    <message>
        <source>time between runs of the backfill scheduler</source>
        <translation>backfill 调度器两次运行的间隔</translation>
    </message>
    <message>
        <source>time between two batches of an update</source>
        <translation>更新的两个批次之间的时间</translation>
    </message>
    <message>
        <source>time between two looks of the planner at the needs; 0 s: at once</source>
        <translation>规划器两次查看需求的间隔；0 s：立即</translation>
    </message>
    <message>
        <source>time between two polls, or between attempts after a lost message</source>
        <translation>两次轮询之间，或消息丢失后两次尝试之间的时间</translation>
    </message>
    <message>
        <source>time by which it should end, since the start</source>
        <translation>应当结束的时刻，自开始计</translation>
    </message>
    <message>
        <source>time from a change of the rate to the scaling</source>
        <translation>从速率变化到伸缩的时间</translation>
    </message>
    <message>
        <source>time from a complete image to a running process</source>
        <translation>从镜像就绪到进程运行的时间</translation>
    </message>
    <message>
        <source>time from a job's start until it dies for lack of GPU memory</source>
        <translation>从作业启动到因 GPU 内存不足而终止的时间</translation>
    </message>
    <message>
        <source>time from the end of a process until it is noticed</source>
        <translation>从进程结束到被发现的时间</translation>
    </message>
    <message>
        <source>time from the loss of a node until it counts as lost</source>
        <translation>从节点丢失到被判定丢失的时间</translation>
    </message>
    <message>
        <source>time from the order to stop until the process ends</source>
        <translation>从下令停止到进程结束的时间</translation>
    </message>
    <message>
        <source>time from then until its tasks are replaced</source>
        <translation>从那时到其任务被替换的时间</translation>
    </message>
    <message>
        <source>time from which the rate holds</source>
        <translation>该速率开始生效的时刻</translation>
    </message>
    <message>
        <source>time of one CPU core per sample</source>
        <translation>单个 CPU 核心处理每个样本的时间</translation>
    </message>
    <message>
        <source>time of submission</source>
        <translation>提交时刻</translation>
    </message>
    <message>
        <source>time of submission, since the start</source>
        <translation>提交时刻，自开始计</translation>
    </message>
    <message>
        <source>time of the change</source>
        <translation>更改的时刻</translation>
    </message>
    <message>
        <source>time of the failure</source>
        <translation>故障时刻</translation>
    </message>
    <message>
        <source>time of the first need</source>
        <translation>首次需求的时刻</translation>
    </message>
    <message>
        <source>time of the repair, instead of 'lasts'</source>
        <translation>修复的时刻，代替 'lasts'</translation>
    </message>
    <message>
        <source>time of the request</source>
        <translation>请求的时刻</translation>
    </message>
    <message>
        <source>time of the update</source>
        <translation>更新的时刻</translation>
    </message>
    <message>
        <source>time on the GPUs without progress at the first start</source>
        <translation>首次启动时占用 GPU 而无进展的时间</translation>
    </message>
    <message>
        <source>time since the start of the process</source>
        <translation>自进程开始的时间</translation>
    </message>
    <message>
        <source>time that a gang waits for the closest placement, and again for a placement below one leaf switch</source>
        <translation>成组作业等待最紧凑放置的时间，再等同样时间以获得同一叶交换机下的放置</translation>
    </message>
    <message>
        <source>time that a stopped job of this QOS runs on</source>
        <translation>该 QOS 的作业被停止后继续运行的时间</translation>
    </message>
    <message>
        <source>time that is simulated; a job of fewer steps ends before</source>
        <translation>模拟的时长；步数较少的作业会提前结束</translation>
    </message>
    <message>
        <source>time that the earlier one may continue after a newer one is ready; must be given</source>
        <translation>新者就绪后旧者可继续的时间；必须给出</translation>
    </message>
    <message>
        <source>(wait / requested time)^3 x GPUs, highest first, with EASY backfill (Cobalt at Argonne)</source>
        <translation>(等待 / 申请时间)^3 × GPU 数，最大者先，配 EASY 回填（Argonne 的 Cobalt）</translation>
    </message>
    <message>
        <source>GPUs on which single_gpu_step was measured, packed as here; what they exchange is in it then</source>
        <translation>测得 single_gpu_step 所用的 GPU 数，布置与此处相同；其通信已包含在内</translation>
    </message>
    <message>
        <source>PreemptMode: what happens to its jobs that others would stop; off: they are never stopped; policy: preempt_mode of the policy</source>
        <translation>PreemptMode：其作业被其他作业抢占时怎样；off：从不停止；policy：按策略的 preempt_mode</translation>
    </message>
    <message>
        <source>bytes of Adam's mean and variance of a parameter together: 8 (fp32), 4 (16 bit) or 2</source>
        <translation>每个参数的 Adam 均值与方差合计字节数：8（fp32）、4（16 位）或 2</translation>
    </message>
    <message>
        <source>each layer's gradients are used and freed in the backward pass (torchtune's optimizer_in_bwd)</source>
        <translation>每层梯度在反向传播中即用即释放（torchtune 的 optimizer_in_bwd）</translation>
    </message>
    <message>
        <source>inner width of the small matrices</source>
        <translation>小矩阵的内部宽度</translation>
    </message>
    <message>
        <source>kind of storage</source>
        <translation>存储类型</translation>
    </message>
    <message>
        <source>library of MPI, whose table chooses algorithms</source>
        <translation>MPI 库，由其表选择算法</translation>
    </message>
    <message>
        <source>library of MPI, whose table chooses the algorithm of an all-reduce by payload and ranks; without effect where 'collective' is given</source>
        <translation>MPI 库，由其表按数据量与进程数选择 all-reduce 算法；给出 'collective' 时无效</translation>
    </message>
    <message>
        <source>of a frozen weight: 16, 8, or 4 (QLoRA's NF4)</source>
        <translation>冻结权重的位数：16、8 或 4（QLoRA 的 NF4）</translation>
    </message>
    <message>
        <source>of the layers behind them each n-th has experts (decoder_sparse_step, interleave_moe_layer_step)</source>
        <translation>其后的层中每第 n 层有专家（decoder_sparse_step、interleave_moe_layer_step）</translation>
    </message>
    <message>
        <source>of wait / requested time; 0: the largest first</source>
        <translation>等待 / 申请时间的指数；0：最大者先</translation>
    </message>
    <message>
        <source>power that a GPU may take (nvidia-smi -pl): its clock falls</source>
        <translation>GPU 允许的功率（nvidia-smi -pl）：其频率下降</translation>
    </message>
    <message>
        <source>rate at which one process pickles and writes, or reads and unpickles</source>
        <translation>单个进程序列化并写入、或读取并还原的速率</translation>
    </message>
    <message>
        <source>rate that all machines share</source>
        <translation>所有机器共享的速率</translation>
    </message>
    <message>
        <source>the optimiser keeps weights in fp32 beside those in 16 bit; else it updates those</source>
        <translation>优化器在 16 位权重之外保留 fp32 权重；否则直接更新前者</translation>
    </message>
    <message>
        <source>they are beside every matrix of a layer, or beside queries and values alone</source>
        <translation>位于每层的每个矩阵旁，或仅在查询与值旁</translation>
    </message>
    <message>
        <source>what the backward pass computes again instead of keeping it: nothing, or all inside of each block (gradient checkpointing)</source>
        <translation>反向传播重新计算而不保留的内容：无，或每个块内全部（梯度检查点）</translation>
    </message>
    <message>
        <source>what single_gpu_step holds: step, batch_per_gpu and an update; micro_step, batch_per_gpu without one; whole_batch, all accumulation_steps and one update</source>
        <translation>single_gpu_step 包含什么：step 为 batch_per_gpu 与一次更新；micro_step 为无更新的 batch_per_gpu；whole_batch 为全部 accumulation_steps 与一次更新</translation>
    </message>
    <message>
        <source>width of the feed-forward network of layers without experts</source>
        <translation>无专家层的前馈网络宽度</translation>
    </message>
    <message>
        <source>with background: host memory for the copies is pinned; false: they run at 1.3 GB/s (pageable memory)</source>
        <translation>配合 background：拷贝用的主机内存已锁页；false：以 1.3 GB/s 运行（可分页内存）</translation>
    </message>
    <message>
        <source>with training.parallel: small matrices are trained beside frozen weights (LoRA, QLoRA)</source>
        <translation>配合 training.parallel：在冻结权重旁训练小矩阵（LoRA、QLoRA）</translation>
    </message>
    <message>
        <source>samples per GPU and step; with a fraction (a global batch that the GPUs do not divide) the slowest GPU has the next whole number</source>
        <translation>每 GPU 每步样本数；为小数时（全局批量不能被 GPU 数整除）最慢的 GPU 取下一个整数</translation>
    </message>
    <message>
        <source>time that the host needs to start one operator</source>
        <translation>主机启动一个算子所需的时间</translation>
    </message>
    <message>
        <source>time to create the tasks for the first job; later jobs reuse them</source>
        <translation>为首个作业创建任务的时间；后续作业复用</translation>
    </message>
    <message>
        <source>time to install another framework on one machine, for tasks without containers</source>
        <translation>在一台机器上安装另一框架的时间，用于无容器的任务</translation>
    </message>
    <message>
        <source>time to load after a preemption or failure</source>
        <translation>抢占或故障后的加载时间</translation>
    </message>
    <message>
        <source>time to load before work continues after a loss</source>
        <translation>丢失后继续工作前的加载时间</translation>
    </message>
    <message>
        <source>time to write a checkpoint: at a preemption, and at the end of each checkpoint_interval</source>
        <translation>写入检查点的时间：被抢占时，以及每个 checkpoint_interval 结束时</translation>
    </message>
    <message>
        <source>time to write a checkpoint, and to load it</source>
        <translation>写入检查点的时间，也是加载的时间</translation>
    </message>
    <message>
        <source>time to save; work stops during it</source>
        <translation>保存时间；期间工作停止</translation>
    </message>
    <message>
        <source>time to start a kernel on a CPU</source>
        <translation>在 CPU 上启动内核的时间</translation>
    </message>
    <message>
        <source>time to start a message, on top of the latencies of the links</source>
        <translation>启动一条消息的时间，另加链路延迟</translation>
    </message>
    <message>
        <source>time to stop and start one batch</source>
        <translation>停止并启动一个批次的时间</translation>
    </message>
    <message>
        <source>time to wait for an answer before the next attempt</source>
        <translation>下次尝试前等待应答的时间</translation>
    </message>
    <message>
        <source>time until it is repaired</source>
        <translation>到修复为止的时间</translation>
    </message>
    <message>
        <source>time-out of the waiting tasks</source>
        <translation>等待任务的超时时间</translation>
    </message>
    <message>
        <source>tokens per sample of a transformer</source>
        <translation>transformer 每个样本的 token 数</translation>
    </message>
    <message>
        <source>tokens travel to their experts beside the computation of another micro-batch</source>
        <translation>token 发往专家的传输与另一微批的计算重叠</translation>
    </message>
    <message>
        <source>training between two checkpoints</source>
        <translation>两个检查点之间的训练</translation>
    </message>
    <message>
        <source>training cluster of the service; all services of one cluster have the same cluster_spec</source>
        <translation>服务的训练集群；同一集群的所有服务 cluster_spec 相同</translation>
    </message>
    <message>
        <source>training goes on while checkpoints are written; it stands still while states are copied to the hosts</source>
        <translation>写检查点时训练继续；状态拷贝到主机时训练停顿</translation>
    </message>
    <message>
        <source>training jobs</source>
        <translation>训练作业</translation>
    </message>
    <message>
        <source>training time between checkpoints</source>
        <translation>检查点之间的训练时间</translation>
    </message>
    <message>
        <source>training time until the failure</source>
        <translation>故障前的训练时间</translation>
    </message>
    <message>
        <source>training time, instead of 'job'</source>
        <translation>训练时间，代替 'job'</translation>
    </message>
    <message>
        <source>trainings that fail</source>
        <translation>失败的训练</translation>
    </message>
    <message>
        <source>transport between tasks, from the catalogue or from 'transports'</source>
        <translation>任务之间的传输方式，取自目录或 'transports'</translation>
    </message>
    <message>
        <source>transport of the catalogue that it is like but for what stands here</source>
        <translation>除此处所列外与之相同的目录传输方式</translation>
    </message>
    <message>
        <source>transports that this build of the framework supports</source>
        <translation>此框架构建所支持的传输方式</translation>
    </message>
    <message>
        <source>true: one shared cluster; false: every model trains on its own machine</source>
        <translation>true：一个共享集群；false：每个模型在自己的机器上训练</translation>
    </message>
    <message>
        <source>two jobs of as many GPUs may run on the same ones, as fast as workload: {throughputs: FILE} says of the pair</source>
        <translation>GPU 数相同的两个作业可在同一组 GPU 上运行，速度取自 workload: {throughputs: FILE} 中的配对</translation>
    </message>
    <message>
        <source>type of GPU</source>
        <translation>GPU 类型</translation>
    </message>
    <message>
        <source>type of GPU that the job needs</source>
        <translation>作业需要的 GPU 类型</translation>
    </message>
    <message>
        <source>type: MatMul, VariableV2…; the table of kernels lists them</source>
        <translation>类型：MatMul、VariableV2…；见内核表</translation>
    </message>
    <message>
        <source>upload of the data to object storage</source>
        <translation>将数据上传到对象存储</translation>
    </message>
    <message>
        <source>use of the node's first GPU without a request for it</source>
        <translation>未请求即使用节点的首个 GPU</translation>
    </message>
    <message>
        <source>user of the account whose limits these are</source>
        <translation>这些限制所属的账户用户</translation>
    </message>
    <message>
        <source>user who submits the job</source>
        <translation>提交作业的用户</translation>
    </message>
    <message>
        <source>users request up to (1 + badness) times the run time</source>
        <translation>用户申请至多 (1 + badness) 倍的运行时间</translation>
    </message>
    <message>
        <source>users who may run jobs in it</source>
        <translation>可在其中运行作业的用户</translation>
    </message>
    <message>
        <source>value of the label</source>
        <translation>标签的值</translation>
    </message>
    <message>
        <source>variable bytes that a server's CPU updates per second (0: takes no time)</source>
        <translation>服务器 CPU 每秒更新的变量字节数(0：不耗时)</translation>
    </message>
    <message>
        <source>version of the framework</source>
        <translation>框架版本</translation>
    </message>
    <message>
        <source>version of the real system; older versions have more limits</source>
        <translation>真实系统的版本；旧版本限制更多</translation>
    </message>
    <message>
        <source>version of this format</source>
        <translation>此格式的版本</translation>
    </message>
    <message>
        <source>virtual stages: chunks of layers on each GPU, for the interleaved schedule</source>
        <translation>虚拟阶段：每个 GPU 上的层块数，用于交错调度</translation>
    </message>
    <message>
        <source>Volcano: queues that share by weight, gangs; actions enqueue, allocate, backfill, preempt, reclaim</source>
        <translation>Volcano：队列按权重共享，整组调度；动作 enqueue、allocate、backfill、preempt、reclaim</translation>
    </message>
    <message>
        <source>weight in fair sharing</source>
        <translation>公平共享的权重</translation>
    </message>
    <message>
        <source>weight of CPU in NodeResourcesFit</source>
        <translation>NodeResourcesFit 中 CPU 的权重</translation>
    </message>
    <message>
        <source>weight of GPUs in NodeResourcesFit; the real default is 0: only CPU and memory count</source>
        <translation>NodeResourcesFit 中 GPU 的权重；真实默认值为 0：只计 CPU 和内存</translation>
    </message>
    <message>
        <source>weight of ImageLocality</source>
        <translation>ImageLocality 的权重</translation>
    </message>
    <message>
        <source>weight of NodeAffinity</source>
        <translation>NodeAffinity 的权重</translation>
    </message>
    <message>
        <source>weight of NodeResourcesBalancedAllocation, over CPU and memory</source>
        <translation>NodeResourcesBalancedAllocation 的权重，针对 CPU 和内存</translation>
    </message>
    <message>
        <source>weight of NodeResourcesFit</source>
        <translation>NodeResourcesFit 的权重</translation>
    </message>
    <message>
        <source>weight of PodTopologySpread; pods of jobs have no default constraints, those that a Service selects have: 2</source>
        <translation>PodTopologySpread 的权重；作业的 Pod 没有默认约束，Service 选中的 Pod 有：2</translation>
    </message>
    <message>
        <source>weight of TaintToleration</source>
        <translation>TaintToleration 的权重</translation>
    </message>
    <message>
        <source>weight of memory in NodeResourcesFit</source>
        <translation>NodeResourcesFit 中内存的权重</translation>
    </message>
    <message>
        <source>what fails</source>
        <translation>发生故障的对象</translation>
    </message>
    <message>
        <source>what fails, and when</source>
        <translation>什么发生故障、何时</translation>
    </message>
    <message>
        <source>what fails: node:worker-1, gpu:worker-1/0, rack:3, switch:leaf-0, link:worker-1, process:train/worker-0, storage, manager:0, daemon_config:worker-1, daemon_restart:worker-1, object_store</source>
        <translation>发生故障的对象：node:worker-1、gpu:worker-1/0、rack:3、switch:leaf-0、link:worker-1、process:train/worker-0、storage、manager:0、daemon_config:worker-1、daemon_restart:worker-1、object_store</translation>
    </message>
    <message>
        <source>what gaps are made of. gpus: GPUs of the whole cluster, only counted. machines: the GPUs of each machine, as Slurm does; always so where partitions or reservations name machines</source>
        <translation>空隙按什么计。gpus：整个集群的 GPU，只计数。machines：每台机器的 GPU，如 Slurm；分区或预留指定机器时总是如此</translation>
    </message>
    <message>
        <source>what gpu_share means. milli: a share of the GPU's time. memory: a share of its memory; its time is divided among all jobs on it</source>
        <translation>gpu_share 的含义。milli：GPU 时间的份额。memory：GPU 内存的份额；时间由其上所有作业分享</translation>
    </message>
    <message>
        <source>what happens to a need while the model's last retraining still waits or trains; give several to compare them</source>
        <translation>模型上一次再训练仍在等待或进行时如何处理新需求；给出多个以比较</translation>
    </message>
    <message>
        <source>what happens to a need while the model's last retraining still waits or trains; give several to compare them, with settings</source>
        <translation>模型上一次再训练仍在等待或进行时如何处理新需求；给出多个以比较，带设置</translation>
    </message>
    <message>
        <source>what is done if the queue does not answer to a submission. check: ask whether the job has arrived; blind: submit it again without asking; once: nothing</source>
        <translation>队列未应答提交时如何处理。check：询问作业是否已到达；blind：不询问直接重新提交；once：不处理</translation>
    </message>
    <message>
        <source>what it is</source>
        <translation>它是什么</translation>
    </message>
    <message>
        <source>what replicas divide among themselves: 1 optimiser states, 2 and gradients, 3 and weights (FSDP)</source>
        <translation>副本之间划分的内容：1 优化器状态，2 加梯度，3 加权重(FSDP)</translation>
    </message>
    <message>
        <source>what the backward pass computes again: nothing; the inside of attention; all but attention and every second product (torchtitan's selective); whole layers</source>
        <translation>反向传播重算的内容：无；注意力内部；除注意力和每隔一个矩阵乘外的全部(torchtitan 的 selective)；整层</translation>
    </message>
    <message>
        <source>what the scheduler's clock shows at the start; some of pybatsim's schedulers refuse a time of 0</source>
        <translation>调度器时钟的起始值；某些 pybatsim 调度器拒绝时刻 0</translation>
    </message>
    <message>
        <source>what the workers compute on</source>
        <translation>工作进程用什么计算</translation>
    </message>
    <message>
        <source>what to optimise: largest minimum of throughput relative to an equal share, shortest makespan, order of arrival, or smallest maximum of finish-time rho</source>
        <translation>优化目标：相对均等份额的吞吐量最小值最大、总完工时间最短、到达顺序，或完成时间 rho 的最大值最小</translation>
    </message>
    <message>
        <source>when a stopped job pays checkpoint_cost. preemption: it keeps its GPUs while it saves, as in the grace time of Slurm, and who gets them begins after that. resume: its GPUs pass on at once, and it pays for saving and loading when it starts again</source>
        <translation>被停止的作业何时付出 checkpoint_cost。preemption：保存期间仍占用 GPU，如 Slurm 的宽限时间，接手者之后开始。resume：GPU 立即转交，再次启动时付出保存和加载的代价</translation>
    </message>
    <message>
        <source>when a task restarts</source>
        <translation>任务何时重启</translation>
    </message>
    <message>
        <source>when gradients are applied: a registered update rule</source>
        <translation>何时应用梯度：已注册的更新规则</translation>
    </message>
    <message>
        <source>when gradients are sent: as the backward pass produces them, or all after it</source>
        <translation>何时发送梯度：随反向传播逐个发送，或全部在其后发送</translation>
    </message>
    <message>
        <source>when it begins, since the start of the workload</source>
        <translation>何时开始，自负载开始计</translation>
    </message>
    <message>
        <source>when the model needs retraining</source>
        <translation>模型何时需要再训练</translation>
    </message>
    <message>
        <source>when the model needs retraining, with settings</source>
        <translation>模型何时需要再训练，带设置</translation>
    </message>
    <message>
        <source>when variables are fetched: by the forward pass, or as soon as each is updated (workers keep replicas); by_layer: the same, and a layer's next forward pass waits for its own variables only</source>
        <translation>何时拉取变量：由前向传播拉取，或每个变量更新后立即拉取（工作进程保存副本）；by_layer：同上，且下一次前向传播中各层只等待自己的变量</translation>
    </message>
    <message>
        <source>where checkpoints are stored</source>
        <translation>检查点存放位置</translation>
    </message>
    <message>
        <source>where its figures are from</source>
        <translation>其数据的来源</translation>
    </message>
    <message>
        <source>where parameter servers run</source>
        <translation>参数服务器运行的位置</translation>
    </message>
    <message>
        <source>where samples come from</source>
        <translation>样本来自何处</translation>
    </message>
    <message>
        <source>where the node keeps the variables: in host memory, or on the GPUs in turn</source>
        <translation>节点将变量放在何处：主机内存，或依次放在各 GPU 上</translation>
    </message>
    <message>
        <source>where the scheduler listens, as ZeroMQ names it</source>
        <translation>调度器监听的地址，ZeroMQ 写法</translation>
    </message>
    <message>
        <source>whether a job borrows in a flavor before it tries the next one</source>
        <translation>作业是否先在一个 flavor 中借用，再尝试下一个</translation>
    </message>
    <message>
        <source>whether a job stops others in a flavor before it tries the next one</source>
        <translation>作业是否先在一个 flavor 中停止其他作业，再尝试下一个</translation>
    </message>
    <message>
        <source>whether a process reaches that rate in each direction, or in both together (one I/O thread)</source>
        <translation>进程是每个方向各达到该速率，还是两方向合计(单个 I/O 线程)</translation>
    </message>
    <message>
        <source>whether a task moves to another node when its node is lost</source>
        <translation>节点丢失时任务是否迁移到其他节点</translation>
    </message>
    <message>
        <source>whether a task restarts when its process ends</source>
        <translation>进程结束时任务是否重启</translation>
    </message>
    <message>
        <source>whether a team below its quota preempts jobs of borrowers</source>
        <translation>未达配额的团队是否抢占借用者的作业</translation>
    </message>
    <message>
        <source>whether a team may use unused quota of its cohort</source>
        <translation>团队是否可使用其 cohort 的空闲配额</translation>
    </message>
    <message>
        <source>whether all processes of a job are tracked, and ended with it</source>
        <translation>作业的所有进程是否被跟踪并随其结束</translation>
    </message>
    <message>
        <source>whether all tasks of a job start together or none</source>
        <translation>作业的所有任务是否一起启动，否则都不启动</translation>
    </message>
    <message>
        <source>whether an update stops the old task first or starts the new one first</source>
        <translation>更新时先停旧任务还是先启新任务</translation>
    </message>
    <message>
        <source>whether containers can use the GPUs</source>
        <translation>容器能否使用 GPU</translation>
    </message>
    <message>
        <source>whether equal steps or equal ratios are equally likely</source>
        <translation>等差还是等比的取值概率相等</translation>
    </message>
    <message>
        <source>whether jobs of the queue may pass one whose quota is not free</source>
        <translation>队列中的作业能否越过配额不足的作业</translation>
    </message>
    <message>
        <source>whether others may start if the first one does not fit</source>
        <translation>首个放不下时其他作业能否启动</translation>
    </message>
    <message>
        <source>whether services are brought back to their desired state</source>
        <translation>服务是否恢复到期望状态</translation>
    </message>
    <message>
        <source>whether sizes are the minimum times a power of two</source>
        <translation>规模是否为最小值乘以 2 的幂</translation>
    </message>
    <message>
        <source>whether tasks can ask for GPUs</source>
        <translation>任务能否请求 GPU</translation>
    </message>
    <message>
        <source>whether tasks can ask for a part of a GPU</source>
        <translation>任务能否请求 GPU 的一部分</translation>
    </message>
    <message>
        <source>whether tasks can ask for a type of GPU</source>
        <translation>任务能否请求 GPU 类型</translation>
    </message>
    <message>
        <source>whether tasks of a lost node go to other nodes</source>
        <translation>丢失节点的任务是否转到其他节点</translation>
    </message>
    <message>
        <source>whether tasks of higher priority evict others</source>
        <translation>高优先级任务是否驱逐其他任务</translation>
    </message>
    <message>
        <source>whether tasks without GPU go to nodes without GPU first</source>
        <translation>无 GPU 任务是否优先放到无 GPU 节点</translation>
    </message>
    <message>
        <source>whether the loss of such a task loses the work since the last checkpoint</source>
        <translation>丢失该任务是否会损失上个检查点之后的工作</translation>
    </message>
    <message>
        <source>whether the master answers</source>
        <translation>master 是否应答</translation>
    </message>
    <message>
        <source>whether the node restarts a container in place, without a manager</source>
        <translation>节点是否就地重启容器，无需管理机</translation>
    </message>
    <message>
        <source>whether the share of the team or of the user counts</source>
        <translation>计团队份额还是用户份额</translation>
    </message>
    <message>
        <source>whether the thread waits for each exchange to end (MPI)</source>
        <translation>线程是否等待每次交换结束(MPI)</translation>
    </message>
    <message>
        <source>whether there is this operation</source>
        <translation>是否有此操作</translation>
    </message>
    <message>
        <source>which job starts next</source>
        <translation>下一个启动哪个作业</translation>
    </message>
    <message>
        <source>which job starts next, with settings</source>
        <translation>下一个启动哪个作业，带设置</translation>
    </message>
    <message>
        <source>which machines a job gets</source>
        <translation>作业获得哪些机器</translation>
    </message>
    <message>
        <source>which machines a job gets, with settings</source>
        <translation>作业获得哪些机器，带设置</translation>
    </message>
    <message>
        <source>which machines a training gets</source>
        <translation>训练获得哪些机器</translation>
    </message>
    <message>
        <source>which machines a training gets, with settings</source>
        <translation>训练获得哪些机器，带设置</translation>
    </message>
    <message>
        <source>which operations it has</source>
        <translation>它有哪些操作</translation>
    </message>
    <message>
        <source>which server keeps which variable: a registered variable placement</source>
        <translation>哪台服务器保存哪个变量：已注册的变量放置方式</translation>
    </message>
    <message>
        <source>which tasks are started again, unless they say otherwise</source>
        <translation>默认重启哪些任务，除非任务另有说明</translation>
    </message>
    <message>
        <source>which training starts next; none: there is no planner; give several to compare them</source>
        <translation>下一个启动哪次训练；none：没有规划器；给出多个以比较</translation>
    </message>
    <message>
        <source>which training starts next; none: there is no planner; give several to compare them, with settings</source>
        <translation>下一个启动哪次训练；none：没有规划器；给出多个以比较，带设置</translation>
    </message>
    <message>
        <source>of jobs with training.parallel: while machines are missing, the job goes on with the replicas that are left, with the global batch that keep_batch and decrease_batch of its layout ask for; else it waits for all of its machines</source>
        <translation>对带 training.parallel 的作业：缺少机器时，作业用剩下的副本继续训练，全局批次由其布局的 keep_batch 和 decrease_batch 决定；否则等待所有机器</translation>
    </message>
    <message>
        <source>with elastic: fewest replicas with which it goes on</source>
        <translation>与 elastic 一起：继续训练所需的最少副本数</translation>
    </message>
    <message>
        <source>who borrows least of what its weight gives it goes first, and may stop jobs of who borrows more</source>
        <translation>相对其权重借用最少者优先，并可停止借用更多者的作业</translation>
    </message>
    <message>
        <source>who starts trainings. planner: the planner of this section, beside the queue; queue: every training is a job of the workload's queue</source>
        <translation>由谁启动训练。planner：本节的规划器，与队列并行；queue：每次训练都是负载队列中的一个作业</translation>
    </message>
    <message>
        <source>width (hidden_size)</source>
        <translation>宽度(hidden_size)</translation>
    </message>
    <message>
        <source>width of a head (head_dim)</source>
        <translation>单头宽度(head_dim)</translation>
    </message>
    <message>
        <source>width of the feed-forward network (intermediate_size)</source>
        <translation>前馈网络宽度(intermediate_size)</translation>
    </message>
    <message>
        <source>width of the network that every token passes beside its experts</source>
        <translation>每个 token 在专家之外都经过的网络宽度</translation>
    </message>
    <message>
        <source>width of their feed-forward network</source>
        <translation>其前馈网络的宽度</translation>
    </message>
    <message>
        <source>wiring inside the machine</source>
        <translation>机器内部互连</translation>
    </message>
    <message>
        <source>with allow_growth: memory that is no longer needed is freed, not kept as in TensorFlow 1</source>
        <translation>用于 allow_growth：释放不再需要的内存，而不像 TensorFlow 1 那样保留</translation>
    </message>
    <message>
        <source>with background: rate at which one GPU copies to its host</source>
        <translation>用于 background：单个 GPU 向主机拷贝的速率</translation>
    </message>
    <message>
        <source>with borrow_within_cohort, highest priority of the jobs that it stops so</source>
        <translation>使用 borrow_within_cohort 时，可这样停止的作业的最高优先级</translation>
    </message>
    <message>
        <source>with bounded: most steps between the fastest and the slowest worker</source>
        <translation>用于 bounded：最快与最慢工作进程之间最多相差的步数</translation>
    </message>
    <message>
        <source>with collective: algorithm inside the node</source>
        <translation>用于 collective：节点内算法</translation>
    </message>
    <message>
        <source>with collective: payload rate of one message inside the node (0: set by the links)</source>
        <translation>用于 collective：节点内单条消息的有效速率(0：由链路决定)</translation>
    </message>
    <message>
        <source>with collective: transport inside the node</source>
        <translation>用于 collective：节点内的传输方式</translation>
    </message>
    <message>
        <source>with cp, how results of the pieces of a sequence are added up: a kernel each (Transformer Engine), or operator by operator (PyTorch, torchtitan)</source>
        <translation>用于 cp：序列各段结果如何累加：每段一个内核(Transformer Engine)，或逐算子(PyTorch、torchtitan)</translation>
    </message>
    <message>
        <source>with fair_sharing, weight of its share of what is borrowed</source>
        <translation>使用 fair_sharing 时，其借用份额的权重</translation>
    </message>
    <message>
        <source>with in_graph: number of batches that the client feeds ahead</source>
        <translation>用于 in_graph：客户端预先馈送的批数</translation>
    </message>
    <message>
        <source>with kv_rank, the part of head_width that carries positions (qk_rope_head_dim)</source>
        <translation>用于 kv_rank：head_width 中承载位置信息的部分(qk_rope_head_dim)</translation>
    </message>
    <message>
        <source>with kv_rank, width of a head's values (v_head_dim)</source>
        <translation>用于 kv_rank：单头值的宽度(v_head_dim)</translation>
    </message>
    <message>
        <source>with model: samples per step</source>
        <translation>用于 model：每步样本数</translation>
    </message>
    <message>
        <source>with name: transformer, layers (num_hidden_layers)</source>
        <translation>用于 name: transformer：层数(num_hidden_layers)</translation>
    </message>
    <message>
        <source>with offload_optimizer, rate of a machine's memory in its update; by default four fifths of two sockets with eight channels of DDR4-3200</source>
        <translation>用于 offload_optimizer：更新时机器内存的速率；默认为两个插槽、各八通道 DDR4-3200 的五分之四</translation>
    </message>
    <message>
        <source>with partitioned: largest part of a variable</source>
        <translation>用于 partitioned：变量的最大分片</translation>
    </message>
    <message>
        <source>with preempt: partition, time that a stopped job runs on</source>
        <translation>用于 preempt: partition：被停止的作业继续运行的时间</translation>
    </message>
    <message>
        <source>with preempt: qos, names of QOS whose jobs its jobs may stop</source>
        <translation>用于 preempt: qos：其作业可停止哪些 QOS 的作业</translation>
    </message>
    <message>
        <source>with push: after_backward: time to copy one gradient into or out of the buffer (a kernel launch)</source>
        <translation>用于 push: after_backward：将一个梯度拷入或拷出缓冲区的时间(一次内核启动)</translation>
    </message>
    <message>
        <source>with speed: step, the name of one of the scenario's jobs</source>
        <translation>用于 speed: step：场景中某个作业的名称</translation>
    </message>
    <message>
        <source>with speed: step, training steps of its model instead of a duration</source>
        <translation>用于 speed: step：以模型的训练步数代替时长</translation>
    </message>
    <message>
        <source>with sync and sync_replicas: number of workers that an update does not wait for; of machines, if those sum their gradients first (local_aggregation)</source>
        <translation>用于 sync 和 sync_replicas：更新不等待的工作进程数；若机器内先求梯度之和（local_aggregation），则为机器数</translation>
    </message>
    <message>
        <source>with sync_replicas: tokens that there are at the start; -1: as many as gradients of an update</source>
        <translation>用于 sync_replicas：开始时的令牌数；-1：与一次更新的梯度数相同</translation>
    </message>
    <message>
        <source>sync_replicas: gradients that an update does not wait for</source>
        <translation>sync_replicas：更新不等待的梯度数</translation>
    </message>
    <message>
        <source>sync_replicas: how often a worker looks whether the chief has made the variables (recovery_wait_secs of TensorFlow's SessionManager)</source>
        <translation>sync_replicas：工作进程隔多久查看主工作进程是否已创建变量（TensorFlow SessionManager 的 recovery_wait_secs）</translation>
    </message>
    <message>
        <source>collectives that the library runs side by side, at fidelity tcp</source>
        <translation>fidelity: tcp 时，库同时进行的集合操作数</translation>
    </message>
    <message>
        <source>collectives that the library runs side by side, at fidelity tcp; always 1 with fusion: horovod, whose thread waits for each</source>
        <translation>fidelity: tcp 时，库同时进行的集合操作数；fusion: horovod 时总是 1，其线程逐个等待</translation>
    </message>
    <message>
        <source>gradients of GPUs are copied to the host and back, if gpu_direct is false</source>
        <translation>gpu_direct 为 false 时，GPU 的梯度复制到主机并返回</translation>
    </message>
    <message>
        <source>size of an acknowledgement on the wire: those of what comes load the way of what goes, in collectives; 0: none, or in the efficiency</source>
        <translation>线路上一个确认的大小：在集合操作中，对所收数据的确认占用发送方向；0：没有，或已计入 efficiency</translation>
    </message>
    <message>
        <source>with zero, neighbouring replicas that divide; such groups hold copies, and add up their shares of the gradients (FSDP's HYBRID_SHARD: the GPUs of a machine)</source>
        <translation>用于 zero：参与划分的相邻副本数；各组保留副本并累加其梯度份额(FSDP 的 HYBRID_SHARD：一台机器的 GPU)</translation>
    </message>
    <message>
        <source>with zero: 3, the next layer's weights travel beside the backward pass of this one (FSDP's BACKWARD_PRE); false: after it (BACKWARD_POST)</source>
        <translation>用于 zero: 3：下一层权重的传输与本层反向传播重叠(FSDP 的 BACKWARD_PRE)；false：在其后(BACKWARD_POST)</translation>
    </message>
    <message>
        <source>words (vocab_size)</source>
        <translation>词表大小(vocab_size)</translation>
    </message>
    <message>
        <source>work of one execution</source>
        <translation>一次执行的工作量</translation>
    </message>
    <message>
        <source>work that a client gives to waiting tasks</source>
        <translation>客户端交给等待任务的工作</translation>
    </message>
    <message>
        <source>worker, ps…</source>
        <translation>worker、ps…</translation>
    </message>
    <message>
        <source>worker|a:2222;b:2222,ps|c:2222, as in the command line of its tasks</source>
        <translation>worker|a:2222;b:2222,ps|c:2222，与其任务的命令行写法相同</translation>
    </message>
    <message>
        <source>year: what each transport supports, and the framework if 'framework' names none</source>
        <translation>年份：各传输方式支持什么，以及 'framework' 未指明时的框架</translation>
    </message>
    <message>
        <source>Docker Swarm: the machine with the fewest running tasks</source>
        <translation>Docker Swarm：运行任务最少的机器</translation>
    </message>
    <message>
        <source>GPUs of one NVLink island; the fullest island that fits</source>
        <translation>同一 NVLink 岛内的 GPU；能放下的最满的岛</translation>
    </message>
    <message>
        <source>Slurm: multifactor priority (age, fair tree, size, partition, QOS), main and backfill scheduler, preemption, rules of the section slurm</source>
        <translation>Slurm：多因子优先级(年龄、fair tree、规模、分区、QOS)、主调度器与 backfill 调度器、抢占、slurm 一节的规则</translation>
    </message>
    <message>
        <source>a random machine that fits, then a random GPU, with equal probability</source>
        <translation>等概率随机选一台能放下的机器，再随机选一个 GPU</translation>
    </message>
    <message>
        <source>a scheduler outside decides, over Batsim's protocol (ZeroMQ)</source>
        <translation>由外部调度器决定，使用 Batsim 协议(ZeroMQ)</translation>
    </message>
    <message>
        <source>at random, once per period on average (sudden concept drift)</source>
        <translation>随机，平均每个周期一次(突发概念漂移)</translation>
    </message>
    <message>
        <source>dominant resource fairness with quotas, cohorts, borrowing and reclaiming</source>
        <translation>主导资源公平，带配额、cohort、借用与回收</translation>
    </message>
    <message>
        <source>each GPU on the machine with the most free GPUs; tasks of services: fewest tasks of the service, then fewest tasks (swarmkit)</source>
        <translation>每个 GPU 放到空闲 GPU 最多的机器；服务任务：先选该服务任务最少、再选任务最少的机器(swarmkit)</translation>
    </message>
    <message>
        <source>each training on the GPU type that suits it best, the longest first</source>
        <translation>每次训练放到最适合的 GPU 类型上，最长者优先</translation>
    </message>
    <message>
        <source>earliest deadline first with admission, preemptive</source>
        <translation>最早截止期优先，带准入控制，可抢占</translation>
    </message>
    <message>
        <source>every retraining goes into the queue</source>
        <translation>每次再训练都进入队列</translation>
    </message>
    <message>
        <source>first in, first out, with backfill that delays no reservation at all</source>
        <translation>先进先出，backfill 不推迟任何预留</translation>
    </message>
    <message>
        <source>first in, first out, with backfill that never delays the head's reservation</source>
        <translation>先进先出，backfill 绝不推迟队首的预留</translation>
    </message>
    <message>
        <source>first in, first out, with skipping; gangs wait some time for GPUs close to each other (Philly)</source>
        <translation>先进先出，可跳过；成组作业会等待一段时间以获得相近的 GPU(Philly)</translation>
    </message>
    <message>
        <source>first in, first out; a head that does not fit blocks the queue unless skip</source>
        <translation>先进先出；队首放不下时阻塞队列，除非设置 skip</translation>
    </message>
    <message>
        <source>fragmentation gradient descent: smallest increase of GPU shares that typical tasks cannot use</source>
        <translation>碎片梯度下降：使典型任务无法使用的 GPU 份额增加最少</translation>
    </message>
    <message>
        <source>genetic search over orders of jobs with dependencies; never worse than list scheduling</source>
        <translation>对有依赖作业的顺序做遗传搜索；不差于列表调度</translation>
    </message>
    <message>
        <source>genetic search over orders; never worse than list scheduling</source>
        <translation>对顺序做遗传搜索；不差于列表调度</translation>
    </message>
    <message>
        <source>genetic search that starts from list scheduling and from clustering</source>
        <translation>从列表调度和聚类结果出发的遗传搜索</translation>
    </message>
    <message>
        <source>highest Gittins index over attained service, preemptive (Tiresias)</source>
        <translation>按已获服务的 Gittins 指数最高者优先，可抢占(Tiresias)</translation>
    </message>
    <message>
        <source>highest priority first, stopping running jobs of lower priority</source>
        <translation>最高优先级优先，停止正在运行的低优先级作业</translation>
    </message>
    <message>
        <source>highest priority first; equal ones in order of submission</source>
        <translation>最高优先级优先；相同者按提交顺序</translation>
    </message>
    <message>
        <source>in order of submission</source>
        <translation>按提交顺序</translation>
    </message>
    <message>
        <source>jobs grow and shrink between their minimum and maximum by marginal gain (Optimus)</source>
        <translation>作业按边际收益在最小与最大规模之间伸缩(Optimus)</translation>
    </message>
    <message>
        <source>jobs run in turn for one slice each, preemptive (Gandiva)</source>
        <translation>作业轮流各运行一个时间片，可抢占(Gandiva)</translation>
    </message>
    <message>
        <source>jobs to GPU types by minimum-cost matching: smallest mean completion time (AlloX)</source>
        <translation>以最小费用匹配把作业分配到 GPU 类型：平均完成时间最短(AlloX)</translation>
    </message>
    <message>
        <source>kube-scheduler: filter, then plug-in scores times their weights</source>
        <translation>kube-scheduler：先过滤，再按插件得分乘以权重</translation>
    </message>
    <message>
        <source>leases go to the jobs furthest from their fair share (Themis)</source>
        <translation>租约给予离公平份额最远的作业(Themis)</translation>
    </message>
    <message>
        <source>least attained service in discretised queues, preemptive (Tiresias)</source>
        <translation>离散队列中已获服务最少者优先，可抢占(Tiresias)</translation>
    </message>
    <message>
        <source>least decayed usage per share first</source>
        <translation>按份额计的衰减使用量最少者优先</translation>
    </message>
    <message>
        <source>linear clustering of jobs with dependencies</source>
        <translation>对有依赖作业做线性聚类</translation>
    </message>
    <message>
        <source>list scheduling of jobs with dependencies by upward rank (HEFT)</source>
        <translation>按向上秩对有依赖作业做列表调度(HEFT)</translation>
    </message>
    <message>
        <source>list scheduling: the longest first, each where it ends earliest</source>
        <translation>列表调度：最长者优先，各放到最早完成之处</translation>
    </message>
    <message>
        <source>machines that already run tasks with the same kind of GPU request</source>
        <translation>已运行同类 GPU 请求任务的机器</translation>
    </message>
    <message>
        <source>newer needs are merged into one retraining that starts when the earlier one has ended</source>
        <translation>新需求合并为一次再训练，在前一次结束后开始</translation>
    </message>
    <message>
        <source>no new retraining until the earlier one has ended; the last that was due meanwhile begins then</source>
        <translation>前一次结束前不进行新的再训练；结束后开始其间最后一次到期的再训练</translation>
    </message>
    <message>
        <source>no planner: duplicates are sent, jobs are submitted again without asking, first come first served</source>
        <translation>无规划器：重复项照发，作业不询问即重新提交，先到先服务</translation>
    </message>
    <message>
        <source>once per period</source>
        <translation>每周期一次</translation>
    </message>
    <message>
        <source>shared GPUs first, then whole ones of machines in use, then idle machines</source>
        <translation>先共享 GPU，再使用中机器的整块 GPU，最后空闲机器</translation>
    </message>
    <message>
        <source>shares of time on each GPU type by linear program, in rounds (Gavel)</source>
        <translation>用线性规划求各 GPU 类型上的时间份额，按轮次执行(Gavel)</translation>
    </message>
    <message>
        <source>shortest estimate first, without preemption</source>
        <translation>估计时间最短者优先，不抢占</translation>
    </message>
    <message>
        <source>shortest remaining time first, preemptive, gangs that do not fit are skipped</source>
        <translation>剩余时间最短者优先，可抢占；放不下的成组作业跳过</translation>
    </message>
    <message>
        <source>the earlier retraining may finish within a time limit; then it is stopped</source>
        <translation>前一次再训练可在时限内完成，之后被停止</translation>
    </message>
    <message>
        <source>the first machine that fits, in order of the cluster</source>
        <translation>按集群顺序的第一台能放下的机器</translation>
    </message>
    <message>
        <source>the gang below one aggregation switch if possible, else anywhere</source>
        <translation>尽可能放在同一汇聚交换机下，否则任意位置</translation>
    </message>
    <message>
        <source>the gang in one rack if possible, else below one aggregation switch, else anywhere</source>
        <translation>尽可能放在同一机架，否则同一汇聚交换机下，否则任意位置</translation>
    </message>
    <message>
        <source>the machine with the fewest free GPUs that fits; for tasks of services, of those in use first</source>
        <translation>能放下且空闲 GPU 最少的机器；服务任务先选使用中的机器</translation>
    </message>
    <message>
        <source>the machine with the largest share of free CPU, memory and GPUs (kube-scheduler)</source>
        <translation>空闲 CPU、内存和 GPU 份额最大的机器(kube-scheduler)</translation>
    </message>
    <message>
        <source>the machine with the smallest dot product of free and requested resources</source>
        <translation>空闲资源与请求资源点积最小的机器</translation>
    </message>
    <message>
        <source>the machine, then the GPU, with the least free resources after placement</source>
        <translation>放置后剩余资源最少的机器，再选 GPU</translation>
    </message>
    <message>
        <source>the newer retraining stops the earlier one immediately</source>
        <translation>新的再训练立即停止前一次</translation>
    </message>
    <message>
        <source>when the data of the deployed model are one period old</source>
        <translation>已部署模型的数据满一个周期时</translation>
    </message>
    <message>
        <source>models whose steps were measured: a job of such a model takes, on the GPUs it has, the batch with the highest goodput = samples per second x what a sample is worth. Its run time means the GPUs that it asks for, on as few machines as possible. The policies pollux, optimus and sia plan with it</source>
        <translation>步长已实测的模型：这类作业在其 GPU 上采用有效吞吐（goodput）最高的批量，即每秒样本数 x 每个样本的价值。其运行时间指所请求的 GPU 位于尽可能少的机器上。策略 pollux、optimus 和 sia 据此规划</translation>
    </message>
    <message>
        <source>measured steps, as AdaptDL&apos;s placements.csv: columns placement (44: two machines with 4 GPUs each), local_bsz, step_time and sync_time in seconds</source>
        <translation>实测步长，格式同 AdaptDL 的 placements.csv：列 placement（44：两台机器各 4 个 GPU）、local_bsz、step_time 和 sync_time（秒）</translation>
    </message>
    <message>
        <source>the same by type of GPU</source>
        <translation>同上，按 GPU 类型</translation>
    </message>
    <message>
        <source>measured steps on this type</source>
        <translation>该类型上的实测步长</translation>
    </message>
    <message>
        <source>samples of a step</source>
        <translation>一步的样本数</translation>
    </message>
    <message>
        <source>global batch that the job was written for</source>
        <translation>作业原本的全局批量</translation>
    </message>
    <message>
        <source>largest global batch; its learning rate follows (AdaScale)</source>
        <translation>最大全局批量；学习率随之调整（AdaScale）</translation>
    </message>
    <message>
        <source>most steps whose gradients are only added up before a step with exchange, so that a batch may be larger than fits the GPUs</source>
        <translation>在带交换的一步之前最多累积多少步梯度，使批量可以超过 GPU 容纳的大小</translation>
    </message>
    <message>
        <source>largest batch of a GPU</source>
        <translation>每个 GPU 的最大批量</translation>
    </message>
    <message>
        <source>gradient noise scale: of a batch m, a sample is worth (noise + initial) / (noise + m) of one of the initial batch (Pollux, OSDI 2021)</source>
        <translation>梯度噪声尺度：批量 m 的一个样本相当于初始批量样本的 (噪声 + 初始) / (噪声 + m)（Pollux，OSDI 2021）</translation>
    </message>
    <message>
        <source>a phase</source>
        <translation>一个阶段</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>share of the work from which on it counts</source>
        <translation>从工作的这一比例起生效</translation>
    </message>
    <message>
        <source>time from one plan of all sizes to the next</source>
        <translation>两次规划所有规模之间的时间</translation>
    </message>
    <message>
        <source>exponent of the mean of the speed-ups, not 0; the smaller, the fairer</source>
        <translation>加速比均值的指数，不为 0；越小越公平</translation>
    </message>
    <message>
        <source>what the plan takes a restart to cost</source>
        <translation>规划中一次重启的代价</translation>
    </message>
    <message>
        <source>length of a round</source>
        <translation>一轮的长度</translation>
    </message>
    <message>
        <source>exponent of the goodputs, not 0; the smaller, the fairer</source>
        <translation>有效吞吐的指数，不为 0；越小越公平</translation>
    </message>
    <message>
        <source>penalty for a job without GPUs, as a job on its smallest configuration counts 1</source>
        <translation>作业没有 GPU 的惩罚；处于最小配置的作业计为 1</translation>
    </message>
    <message>
        <source>all sizes anew in rounds: the remaining time that falls most per GPU, by measured speeds (Optimus)</source>
        <translation>按轮重新分配所有规模：每个 GPU 使剩余时间下降最多者优先，按实测速度（Optimus）</translation>
    </message>
    <message>
        <source>all sizes anew in rounds: the largest mean speed-up of goodput, with the batch that suits (Pollux)</source>
        <translation>按轮重新分配所有规模：有效吞吐的平均加速比最大，并采用合适的批量（Pollux）</translation>
    </message>
    <message>
        <source>in rounds each job gets GPUs of one type: the best sum of normalised goodputs (Sia)</source>
        <translation>按轮为每个作业分配一种类型的 GPU：归一化有效吞吐之和最优（Sia）</translation>
    </message>
</context>
<context>
    <name>Messages</name>
    <message>
        <source>bottleneck.connection</source>
        <translation>单个 {transport} 连接（{rate}）</translation>
    </message>
    <message>
        <source>check.at_point</source>
        <translation>在点 {point}：{what}</translation>
    </message>
    <message>
        <source>idle.to_the_end</source>
        <translation>这类运行总是直到结束</translation>
    </message>
    <message>
        <source>idle.no_queue</source>
        <translation>场景没有队列（'scheduling'）</translation>
    </message>
    <message>
        <source>idle.other_memory</source>
        <translation>内存策略是 '{policy}'，不是 'fraction'</translation>
    </message>
    <message>
        <source>idle.no_distribution</source>
        <translation>请给出 'distribution'</translation>
    </message>
    <message>
        <source>idle.no_variation</source>
        <translation>'coefficient_of_variation' 为 0</translation>
    </message>
    <message>
        <source>idle.mode_ignores</source>
        <translation>模式 {mode} 不考虑它</translation>
    </message>
    <message>
        <source>idle.no_tokens</source>
        <translation>'{model}' 没有词元序列</translation>
    </message>
    <message>
        <source>idle.fixed_size</source>
        <translation>'{model}' 的大小是固定的</translation>
    </message>
    <message>
        <source>idle.synthetic</source>
        <translation>样本是合成的；请写 'source: disk' 或 'source: storage'</translation>
    </message>
    <message>
        <source>idle.no_input</source>
        <translation>既没有给出读取样本的 'bandwidth'，也没有给出预处理时间</translation>
    </message>
    <message>
        <source>idle.no_bandwidth</source>
        <translation>没有给出读取它们的 'bandwidth'</translation>
    </message>
    <message>
        <source>idle.no_bytes</source>
        <translation>没有给出所读取的 'bytes_per_sample'</translation>
    </message>
    <message>
        <source>idle.only_with</source>
        <translation>需要 {what}</translation>
    </message>
    <message>
        <source>idle.no_cores</source>
        <translation>没有作业在其上预处理样本（input: preprocess_per_sample），也没有队列</translation>
    </message>
    <message>
        <source>idle.no_cpu_job</source>
        <translation>没有作业在 CPU 上计算（training: device: cpu），也没有队列</translation>
    </message>
    <message>
        <source>idle.only_servers</source>
        <translation>传输的 CPU 时间仅对参数服务器有效</translation>
    </message>
    <message>
        <source>idle.unused_transport</source>
        <translation>传输 '{name}' 不起作用：没有作业使用它</translation>
    </message>
    <message>
        <source>idle.no_windows</source>
        <translation>在精度 {fidelity} 下，这里 TCP 窗口不决定链路如何分享：{why}</translation>
    </message>
    <message>
        <source>idle.no_queues</source>
        <translation>在精度 {fidelity} 下链路没有队列，带宽始终不变；请用 fidelity tcp</translation>
    </message>
    <message>
        <source>idle.alone_in_queues</source>
        <translation>代表全部的一个工作进程不会在队列中遇到其他进程，也不会因此受损；在 fidelity tcp 下请删除 'one_represents_all'</translation>
    </message>
    <message>
        <source>idle.no_burst</source>
        <translation>请给出 'burst'</translation>
    </message>
    <message>
        <source>idle.over_rdma</source>
        <translation>'{names}' 的消息走 RDMA，没有窗口也不会丢失：它们平均分享链路，遇到它们的 TCP 也一样。要走套接字，请写 {sockets}</translation>
    </message>
    <message>
        <source>check.no_effect</source>
        <translation>'{key}' 不起作用：{why}</translation>
    </message>
    <message>
        <source>check.no_effect_with</source>
        <translation>'{key}' 与 {owner} 一起不起作用</translation>
    </message>
    <message>
        <source>assumed.any_placements</source>
        <translation>每秒放置数不限</translation>
    </message>
    <message>
        <source>assumed.images_there</source>
        <translation>镜像已经就位</translation>
    </message>
    <message>
        <source>assumed.pulls_without_limit</source>
        <translation>拉取镜像不限速</translation>
    </message>
    <message>
        <source>assumed.no_checkpoints</source>
        <translation>没有检查点</translation>
    </message>
    <message>
        <source>assumed.container</source>
        <translation>运行时：容器</translation>
    </message>
    <message>
        <source>assumed.no_orchestrator</source>
        <translation>没有编排器</translation>
    </message>
    <message>
        <source>assumed.no_failures</source>
        <translation>训练不会失败</translation>
    </message>
    <message>
        <source>assumed.only_faults</source>
        <translation>训练仅按 'faults' 所述失败</translation>
    </message>
    <message>
        <source>assumed.estimates_given</source>
        <translation>时间估计：取自作业</translation>
    </message>
    <message>
        <source>assumed.estimates_right</source>
        <translation>时间估计：即运行时间</translation>
    </message>
    <message>
        <source>assumed.no_cpu_and_memory</source>
        <translation>作业不要求 CPU 和内存</translation>
    </message>
    <message>
        <source>assumed.of_types</source>
        <translation>{what} ({types})</translation>
    </message>
    <message>
        <source>absurd.trays_apart</source>
        <translation>这里 {machines} 台机器只靠网络相连；NVLink 连接 {trays} 个托盘中的 {gpus} 个 {gpu}：请为整个机架的托盘写 'gpus: {gpus}'</translation>
    </message>
    <message>
        <source>absurd.unlike_board</source>
        <translation>装有 {gpu} 的机器有 {usual} 个（多芯片卡算一个），连接方式 {wiring}；{gpus} 个按 {taken} 处理：请设置 'gpus' 或 'intra'</translation>
    </message>
    <message>
        <source>absurd.no_units</source>
        <translation>{gpu} 没有 {precision} 的计算单元，因此作业 '{job}' 以 fp32 的速度计算</translation>
    </message>
    <message>
        <source>absurd.slow_network</source>
        <translation>场景未指定网络，因此用 {link}；装有 {gpu} 的机器通常更快：请设置 'cluster.network.link'，例如 IB-NDR 或 100GbE</translation>
    </message>
    <message>
        <source>calibration.in_doubt</source>
        <translation>校准 '{name}'：{doubt}</translation>
    </message>
    <message>
        <source>calibration.unused</source>
        <translation>校准 '{name}' 不起作用：场景没有使用它的任何常数</translation>
    </message>
    <message>
        <source>check.idle_cards</source>
        <translation>一个 GPU 只用一块网卡发送，因此 {cards} 块中的 {idle} 块不承载集合通信；若 GPU 同时使用多块网卡，请写 'nics: {gpus}'，并把总和写入 'nic_bandwidth'</translation>
    </message>
    <message>
        <source>calibration.no_date</source>
        <translation>日期 '{date}' 无法读取，时效未知</translation>
    </message>
    <message>
        <source>calibration.stale</source>
        <translation>已过时：{days} 天前测量</translation>
    </message>
    <message>
        <source>calibration.part</source>
        <translation>不完整：校准被中断或部分失败</translation>
    </message>
    <message>
        <source>calibration.quick</source>
        <translation>快速：样本少，误差大</translation>
    </message>
    <message>
        <source>calibration.other_program</source>
        <translation>由 {program} 拟合，而这是 simrun {version}，其步长可能不同：请重新拟合（simrun calibrate）</translation>
    </message>
    <message>
        <source>calibration.data_sheet</source>
        <translation>来自数据表，未测量</translation>
    </message>
    <message>
        <source>explain.warning</source>
        <translation>警告：{what}</translation>
    </message>
    <message>
        <source>explain.parts</source>
        <translation>关键工作进程一步的组成</translation>
    </message>
    <message>
        <source>explain.path</source>
        <translation>一步的关键路径</translation>
    </message>
    <message>
        <source>explain.busiest</source>
        <translation>最繁忙的部分</translation>
    </message>
    <message>
        <source>explain.links</source>
        <translation>本次运行最忙的链路</translation>
    </message>
    <message>
        <source>explain.several</source>
        <translation>{name}（{operations} 个操作）</translation>
    </message>
    <message>
        <source>explain.shorter</source>
        <translation>……summary.json 中还有 {more} 个较短的</translation>
    </message>
    <message>
        <source>explain.more_rows</source>
        <translation>……jobs.csv 中还有 {more} 行；用 --job、--point 或 --all 选择</translation>
    </message>
    <message numerus="yes">
        <source>explain.title</source>
        <translation>
            <numerusform>{what}，{gpus} 个 GPU</numerusform>
        </translation>
    </message>
    <message>
        <source>explain.title_at</source>
        <translation>{title}  [{point}]</translation>
    </message>
    <message>
        <source>explain.rates</source>
        <translation>{rate} {sample}/秒（80 % 把握：{sure}），步时 {step}，线性扩展的 {efficiency}；瓶颈：{bottleneck}</translation>
    </message>
    <message>
        <source>explain.assumed</source>
        <translation>假定：{list}</translation>
    </message>
    <message>
        <source>divided.compute</source>
        <translation>计算(占步时 {share})</translation>
    </message>
    <message>
        <source>divided.host</source>
        <translation>启动内核(占步时 {share})</translation>
    </message>
    <message>
        <source>divided.tensor</source>
        <translation>张量并行集合操作(占步时 {share})</translation>
    </message>
    <message>
        <source>divided.context</source>
        <translation>键和值的交换(占步时 {share})</translation>
    </message>
    <message>
        <source>divided.expert</source>
        <translation>专家 all-to-all(占步时 {share})</translation>
    </message>
    <message>
        <source>divided.data</source>
        <translation>副本间的梯度和权重(占步时 {share})</translation>
    </message>
    <message>
        <source>divided.bubble</source>
        <translation>流水线气泡(占步时 {share})</translation>
    </message>
    <message>
        <source>divided.pipeline</source>
        <translation>阶段间消息(占步时 {share})</translation>
    </message>
    <message>
        <source>divided.optimizer</source>
        <translation>优化器(占步时 {share})</translation>
    </message>
    <message>
        <source>failures.storage_assumed</source>
        <translation>每个进程以 {process} 写检查点，存储从每台机器接收 {machine}（可用 {key} 指定）</translation>
    </message>
    <message>
        <source>failures.run_again</source>
        <translation>故障后 {time} 进程重新运行（可用 checkpoints.restart 指定）</translation>
    </message>
    <message>
        <source>bottleneck.gpu</source>
        <translation>GPU 计算：占步时 {share}</translation>
    </message>
    <message>
        <source>bottleneck.cpu</source>
        <translation>CPU 计算：占步时 {share}</translation>
    </message>
    <message>
        <source>bottleneck.host</source>
        <translation>主机启动算子：占步时 {share}，其中 GPU 计算占 {compute}</translation>
    </message>
    <message>
        <source>bottleneck.latency</source>
        <translation>消息延迟：链路占用最多 {share}</translation>
    </message>
    <message>
        <source>bottleneck.input</source>
        <translation>输入流水线：占步时 {share}</translation>
    </message>
    <message>
        <source>bottleneck.wait</source>
        <translation>等待其他工作进程：占步时 {share}</translation>
    </message>
    <message>
        <source>bottleneck.nothing</source>
        <translation>无：该步不耗时</translation>
    </message>
    <message>
        <source>bottleneck.busy</source>
        <translation>{what}：占用 {share}</translation>
    </message>
    <message>
        <source>bottleneck.busy_both</source>
        <translation>{what}：发送占用 {out}，接收 {in}</translation>
    </message>
    <message>
        <source>bottleneck.nic</source>
        <translation>{task} 的网卡</translation>
    </message>
    <message numerus="yes">
        <source>bottleneck.shared</source>
        <translation>
            <numerusform>{what}，{jobs} 个作业共用：占用 {share}</numerusform>
        </translation>
    </message>
    <message>
        <source>check.unnamed</source>
        <translation>作业 '{job}' 被忽略：'{part}' 中没有引用它（job: {job}）；请在那里引用或删除它</translation>
    </message>
    <message>
        <source>failures.with_failures</source>
        <translation>有故障：{outcome}；作业：{failures}，{spares}</translation>
    </message>
    <message>
        <source>failures.with_checkpoints</source>
        <translation>有检查点：{outcome}；作业：{failures}，{spares}</translation>
    </message>
    <message>
        <source>failures.done</source>
        <translation>{time} 后完成，而不是 {work}，有效比例 {goodput}</translation>
    </message>
    <message>
        <source>failures.done_at_goodput</source>
        <translation>{time} 后完成（按前 {first} 的有效比例，checkpoints.time），而不是 {work}，有效比例 {goodput}</translation>
    </message>
    <message>
        <source>failures.never</source>
        <translation>永远不会结束：{why}</translation>
    </message>
    <message numerus="yes">
        <source>failures.some</source>
        <translation>
            <numerusform>故障 {failures} 次</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>failures.spares</source>
        <translation>
            <numerusform>备用机器 {spares} 台</numerusform>
        </translation>
    </message>
    <message>
        <source>failures.none</source>
        <translation>无故障</translation>
    </message>
    <message>
        <source>failures.no_spare</source>
        <translation>没有备用机器</translation>
    </message>
    <message>
        <source>failures.not_repaired</source>
        <translation>{what} 不会修复，也没有备用机器</translation>
    </message>
    <message>
        <source>failures.not_replaced</source>
        <translation>{what} 不会修复，也没有备用机器能代替它</translation>
    </message>
    <message>
        <source>failures.nothing_kept</source>
        <translation>前 {time}（checkpoints.time）内没有保留任何训练</translation>
    </message>
    <message>
        <source>failures.lost</source>
        <translation>损失：检查点 {saving}，重做的工作 {redone}，重启 {restarts}，等待机器 {waiting}{fewer}</translation>
    </message>
    <message>
        <source>failures.fewer_workers</source>
        <translation>，工作进程减少 {share}</translation>
    </message>
    <message>
        <source>failures.checkpoint</source>
        <translation>检查点：{size}，{time}，{every}{chance}</translation>
    </message>
    <message>
        <source>failures.none_written</source>
        <translation>不写入</translation>
    </message>
    <message>
        <source>failures.every</source>
        <translation>每 {interval} 一次</translation>
    </message>
    <message>
        <source>failures.every_instead</source>
        <translation>每 {interval} 一次而不是 {wanted}，因为前一个写完后下一个才开始</translation>
    </message>
    <message>
        <source>failures.by_chance</source>
        <translation>；平均每 {mtbf} 有一次故障停止作业：最好每 {best} 一次（{why}）{expected}</translation>
    </message>
    <message>
        <source>failures.by_daly</source>
        <translation>Daly 公式</translation>
    </message>
    <message>
        <source>failures.time_to_write</source>
        <translation>写一个的时间；按 Daly 公式为 {daly}</translation>
    </message>
    <message>
        <source>failures.expected</source>
        <translation>，不计等待机器预计 {time}</translation>
    </message>
    <message>
        <source>failures.stops_redone</source>
        <translation>停止作业，重做 {time}</translation>
    </message>
    <message>
        <source>failures.stops</source>
        <translation>停止作业，没有重做</translation>
    </message>
    <message>
        <source>failures.others_go_on</source>
        <translation>其余以 {share} 的速度继续</translation>
    </message>
    <message>
        <source>failures.others_wait</source>
        <translation>其余等待它</translation>
    </message>
    <message>
        <source>failures.all_again</source>
        <translation>{effect}；{time} 后全部恢复训练</translation>
    </message>
    <message>
        <source>failures.hit</source>
        <translation>{what}，{time} 后：{effect}</translation>
    </message>
    <message>
        <source>failures.more_hits</source>
        <translation>另有 {more} 个在 events.csv 中</translation>
    </message>
    <message>
        <source>failures.loses_all</source>
        <translation>没有检查点，一次故障会损失全部（{key}）</translation>
    </message>
    <message>
        <source>failures.of_job</source>
        <translation>{job}，{told}</translation>
    </message>
    <message>
        <source>failures.of_seed</source>
        <translation>{job}，种子 {seed}，{told}</translation>
    </message>
    <message>
        <source>failures.costs</source>
        <translation>{head}
{lines}</translation>
    </message>
    <message>
        <source>basis.measured</source>
        <translation>实测（{date} 的校准“{name}”）</translation>
    </message>
    <message>
        <source>basis.fitted</source>
        <translation>按测得的步长拟合（{date} 的校准 “{name}”）</translation>
    </message>
    <message>
        <source>basis.from_sheet</source>
        <translation>取自数据表（{date} 的校准“{name}”）</translation>
    </message>
    <message>
        <source>basis.step_given</source>
        <translation>单 GPU 步时 {step} 由场景给出</translation>
    </message>
    <message>
        <source>basis.layers_given</source>
        <translation>按给定的各层时间</translation>
    </message>
    <message>
        <source>basis.cpus_roofline</source>
        <translation>计算取自 {machines} 的 CPU 速率（roofline）</translation>
    </message>
    <message>
        <source>basis.kernel_rates</source>
        <translation>计算取自 {gpu} 的内核速率，{source}</translation>
    </message>
    <message>
        <source>basis.data_sheet</source>
        <translation>计算取自 {gpu} 的数据表（roofline）</translation>
    </message>
    <message>
        <source>basis.measured_transport</source>
        <translation>传输 {transport}，{source}</translation>
    </message>
    <message>
        <source>basis.from_catalogue</source>
        <translation>网络取自目录</translation>
    </message>
    <message>
        <source>basis.based_on</source>
        <translation>{model}：{compute}，{network}</translation>
    </message>
    <message>
        <source>basis.with_more</source>
        <translation>{basis}{more}</translation>
    </message>
    <message>
        <source>basis.a_step</source>
        <translation>；该步按含更新的微步计（measured_step_is）</translation>
    </message>
    <message>
        <source>basis.a_micro_step</source>
        <translation>；该步是不含更新的微步</translation>
    </message>
    <message>
        <source>basis.a_whole_batch</source>
        <translation>；该步是全部微步加一次更新</translation>
    </message>
    <message>
        <source>basis.of_several</source>
        <translation>；该步在 {gpus} 个 GPU 上测得，已扣除其间的交换</translation>
    </message>
    <message>
        <source>basis.summed_by</source>
        <translation>；all-reduce 采用 {how}</translation>
    </message>
    <message>
        <source>basis.passed_over</source>
        <translation>；all-reduce 按库自身的表采用 {how}（表中计 {counted}，{other} 计 {more}，而后者实际只需 {less}，不是 {takes}）</translation>
    </message>
    <message>
        <source>services.image_without_gpu</source>
        <translation>服务 '{service}' 请求 GPU，但其镜像 '{image}' 不支持 GPU</translation>
    </message>
    <message>
        <source>services.image_for_gpu</source>
        <translation>服务 '{service}' 不请求 GPU，但其镜像 '{image}' 是为 GPU 构建的</translation>
    </message>
    <message>
        <source>services.never_all</source>
        <translation>{group} 有 {replicas} 个副本，机器同时只能容纳 {places} 个；因此它们永远不会全部运行：请增加节点或减少请求</translation>
    </message>
    <message>
        <source>services.no_room</source>
        <translation>{group} 有 {replicas} 个副本，机器同时只能容纳 {places} 个；其余等待：请增加节点或减少请求</translation>
    </message>
    <message>
        <source>services.never_done</source>
        <translation>服务 '{service}'：restart: always 也会重新开始已完成的训练，因此它永远不会结束；训练的默认值 on_failure 会使其结束</translation>
    </message>
    <message>
        <source>parallel.tensor_crosses</source>
        <translation>tp = {tp} 大于一台机器的 {gpus} 个 GPU：其集合通信要跨网络。一步用时 {step}；在有 {tp} 个 GPU 的机器上为 {larger}{inside}</translation>
    </message>
    <message>
        <source>parallel.tensor_inside</source>
        <translation>，用 tp: {tp}、dp: {dp} 则为 {step}</translation>
    </message>
    <message>
        <source>taken.closed_form_inside</source>
        <translation>机器内的消息按公式计时</translation>
    </message>
    <message>
        <source>taken.no_other_traffic</source>
        <translation>集合操作不遇到其他流量，交换机同时承载全部</translation>
    </message>
    <message>
        <source>taken.products</source>
        <translation>矩阵乘法达到 GPU 实测上限的 {percent} % (product_efficiency)</translation>
    </message>
    <message>
        <source>taken.adam</source>
        <translation>Adam，fp32 状态</translation>
    </message>
    <message>
        <source>taken.elementwise_alone</source>
        <translation>RMSNorm、旋转嵌入和 SwiGLU 逐算子执行，如 eager PyTorch（torch.compile 时写 fused_elementwise: true）</translation>
    </message>
    <message>
        <source>taken.elementwise_fused</source>
        <translation>RMSNorm、旋转嵌入和 SwiGLU 是融合内核 (fused_elementwise)</translation>
    </message>
    <message>
        <source>taken.dropout</source>
        <translation>按模型发表时的做法随机丢弃数值 (dropout)</translation>
    </message>
    <message>
        <source>taken.inputs_in_16_bit</source>
        <translation>线性层的输入以 16 位保存 (low_precision_storage)</translation>
    </message>
    <message>
        <source>taken.inputs_rounded</source>
        <translation>线性层的输入以舍入后的形式保存 (low_precision_storage)</translation>
    </message>
    <message>
        <source>taken.keys_gathered</source>
        <translation>键和值被收集，与 torchtitan 相同 (context_exchange)</translation>
    </message>
    <message>
        <source>taken.keys_in_ring</source>
        <translation>键和值沿环传递 (context_exchange)</translation>
    </message>
    <message>
        <source>taken.tensor_pytorch</source>
        <translation>张量并行的消息与 PyTorch 的 DTensor 相同，如同它的 FSDP（用 DeepSpeed 训练 Megatron-LM 模型时写 tensor_messages: megatron）</translation>
    </message>
    <message>
        <source>taken.tensor_megatron</source>
        <translation>张量并行的消息与 Megatron-LM 相同（tensor_messages）</translation>
    </message>
    <message>
        <source>taken.tensor_beside</source>
        <translation>反向传播中张量并行的消息与权重梯度的乘法同时进行（overlap_tensor）</translation>
    </message>
    <message>
        <source>taken.tensor_waits</source>
        <translation>等待张量并行的消息（overlap_tensor）</translation>
    </message>
    <message>
        <source>taken.sharding</source>
        <translation>zero: 2 按 {software} 的方式（sharding）</translation>
    </message>
    <message>
        <source>taken.one_replica</source>
        <translation>一个副本（用 dp 或 workers 增加）</translation>
    </message>
    <message>
        <source>taken.even_experts</source>
        <translation>词元在专家间均匀分布 (expert_imbalance)</translation>
    </message>
    <message>
        <source>taken.experts_megatron</source>
        <translation>token 由 Megatron-Core 的内核送到专家 (expert_kernels)</translation>
    </message>
    <message>
        <source>taken.experts_pytorch</source>
        <translation>token 由 PyTorch 的算子送到专家，如 torchtitan (expert_kernels)</translation>
    </message>
    <message>
        <source>taken.gradients_last</source>
        <translation>梯度在最后一次反向传播之后传输</translation>
    </message>
    <message>
        <source>taken.memory_of_machines</source>
        <translation>机器内存放得下其 GPU 的优化器状态</translation>
    </message>
    <message>
        <source>taken.states_paged</source>
        <translation>GPU 放不下的优化器状态存放在主机上，每一步都经 PCIe 传到 GPU 再传回</translation>
    </message>
    <message>
        <source>parallel.step_of</source>
        <translation>{job}，步时 {step}</translation>
    </message>
    <message>
        <source>parallel.narrow_switches</source>
        <translation>机器网卡的发送量是交换机承载量的 {times} 倍，closed_form 不计入这一点（fluid 计入）：无人争用时步时 {alone}，全部同时发送时 {together}</translation>
    </message>
    <message>
        <source>idle.takes_no_time</source>
        <translation>装箱不耗时间</translation>
    </message>
    <message>
        <source>queue.team_without_jobs</source>
        <translation>{place}：团队 '{team}' 在队列中没有作业，只有 '{model}' 的再训练{more}</translation>
    </message>
    <message>
        <source>queue.meant</source>
        <translation>；是否指 '{name}'？</translation>
    </message>
    <message>
        <source>queue.teams_are</source>
        <translation>；有作业的团队：{teams}</translation>
    </message>
    <message>
        <source>retraining.too_large</source>
        <translation>模型 '{model}' 无法训练：需要 {needed} 个 GPU，集群有 {gpus} 个；请增加节点或减少其 GPU</translation>
    </message>
    <message>
        <source>retraining.nothing_trains</source>
        <translation>没有训练</translation>
    </message>
    <message>
        <source>retraining.those_train</source>
        <translation>{what} 在训练</translation>
    </message>
    <message>
        <source>retraining.gpus_busy</source>
        <translation>{gpus} 个 GPU 中 {busy} 个忙</translation>
    </message>
    <message>
        <source>failures.mean_of_seeds</source>
        <translation>有故障，{seeds} 个种子的平均：{time} 完成，有效比例 {goodput}</translation>
    </message>
    <message>
        <source>failures.some_never_end</source>
        <translation>有故障，{seeds} 个种子：其中一些永远不会结束，平均有效比例 {goodput}</translation>
    </message>
    <message>
        <source>idle.no_ethernet</source>
        <translation>网络中没有以太网链路</translation>
    </message>
    <message>
        <source>servers.belongs_elsewhere</source>
        <translation>'{key}' 与 {policy} 一起不起作用；它属于 {needed}</translation>
    </message>
    <message>
        <source>jobs.may_lack</source>
        <translation>作业 '{job}'：传输 '{transport}' 在 {devices} 之间是否有 {operation} 取决于库的构建方式；模拟假定有</translation>
    </message>
    <message>
        <source>channels.on_processors</source>
        <translation>'collective_channels' 在处理器上不起作用：那里的集合通信不占用多处理器；请删除此键</translation>
    </message>
    <message>
        <source>channels.on_hosts</source>
        <translation>'collective_channels' 对传输 {transport} 不起作用：其集合通信在主机上运行，不占用多处理器；请删除此键</translation>
    </message>
    <message>
        <source>channels.beside</source>
        <translation>'collective_channels' 与 {key} 同时使用时不起作用；请删除此键</translation>
    </message>
    <message>
        <source>plan.answer</source>
        <translation>答案：{design}：{objective}{range}</translation>
    </message>
    <message>
        <source>plan.range</source>
        <translation> [{low} 到 {high} 个节点：{share} 的种子所需]</translation>
    </message>
    <message>
        <source>plan.tightest</source>
        <translation>最紧的目标：{goal}（余量 {margin}）{closest}</translation>
    </message>
    <message>
        <source>plan.closest</source>
        <translation>；未达标的{preferred}方案中最接近的：{design}，{objective}，{goal}{value}</translation>
    </message>
    <message>
        <source>plan.cheaper</source>
        <translation>更便宜</translation>
    </message>
    <message>
        <source>plan.better</source>
        <translation>更好</translation>
    </message>
    <message>
        <source>plan.with_value</source>
        <translation>：{value}</translation>
    </message>
    <message>
        <source>plan.waits_for</source>
        <translation>等待：{resource}</translation>
    </message>
    <message>
        <source>plan.under_all</source>
        <translation>方案必须在以下所有策略下达到目标：{policies}；用 --policies {first} 只看其中一个</translation>
    </message>
    <message>
        <source>plan.left_out</source>
        <translation>目标允许该方案不完成的工作：{work}</translation>
    </message>
    <message>
        <source>plan.none</source>
        <translation>没有方案达到目标</translation>
    </message>
    <message>
        <source>plan.none_shown</source>
        <translation>未能决定：{seeds} 个种子没有显示任何方案达到目标，也没有排除全部方案；最接近的是 {design}：{objective}</translation>
    </message>
    <message>
        <source>plan.nearest_miss</source>
        <translation>没有方案达到目标；最接近的是 {design}：{objective}</translation>
    </message>
    <message>
        <source>assumed.framework.channels_last</source>
        <translation>图像的 channels_last：{value}</translation>
    </message>
    <message>
        <source>assumed.jobs.host_per_operator</source>
        <translation>每个算子占用主机 {value}</translation>
    </message>
    <message>
        <source>assumed.jobs.precision</source>
        <translation>精度 {value}</translation>
    </message>
    <message>
        <source>assumed.jobs.batch_per_gpu</source>
        <translation>每个 GPU 批量 {value}</translation>
    </message>
    <message>
        <source>assumed.jobs.workers</source>
        <translation>{value} 个工作进程</translation>
    </message>
    <message>
        <source>assumed.jobs.training.mode</source>
        <translation>模式 {value}</translation>
    </message>
    <message>
        <source>assumed.jobs.training.collective</source>
        <translation>集合操作 {value}</translation>
    </message>
    <message>
        <source>assumed.jobs.training.transport</source>
        <translation>传输 {value}</translation>
    </message>
    <message>
        <source>assumed.jobs.training.spread</source>
        <translation>工作进程的步长相差 1.5 % (spread)</translation>
    </message>
    <message>
        <source>assumed.jobs.training.parallel.spread</source>
        <translation>工作进程的步长相差 1.5 % (spread)</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.intra</source>
        <translation>机内连接 {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.generation</source>
        <translation>NVLink 第 {value} 代</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.nics</source>
        <translation>每台机器网卡数：{value}</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.nic_bandwidth</source>
        <translation>网卡 {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.network.topology</source>
        <translation>拓扑 {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.network.routing</source>
        <translation>交换机间路径：{value}</translation>
    </message>
    <message>
        <source>assumed.cluster.network.link</source>
        <translation>网络 {value}</translation>
    </message>
    <message>
        <source>assumed.transports.*</source>
        <translation>{value}（由网络名称决定）</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.cpu_cores</source>
        <translation>每台机器 {value} 个 CPU 核</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.memory</source>
        <translation>机器内存 {value}</translation>
    </message>
    <message>
        <source>assumed.cluster.node_types.price</source>
        <translation>机器没有价格</translation>
    </message>
    <message>
        <source>assumed.workload.trace.processors_per_gpu</source>
        <translation>每个 GPU {value} 个处理器</translation>
    </message>
    <message>
        <source>assumed.workload.generate.jobs</source>
        <translation>{value} 个作业</translation>
    </message>
    <message>
        <source>assumed.workload.generate.arrivals</source>
        <translation>到达 {value}</translation>
    </message>
    <message>
        <source>assumed.workload.generate.mean_interarrival</source>
        <translation>提交间隔 {value}</translation>
    </message>
    <message>
        <source>assumed.workload.generate.median_duration</source>
        <translation>运行时间中位数 {value}</translation>
    </message>
    <message>
        <source>assumed.workload.generate.duration_sigma</source>
        <translation>运行时间对数的标准差 {value}</translation>
    </message>
    <message>
        <source>assumed.workload.generate.gpus</source>
        <translation>作业的 GPU：{value}</translation>
    </message>
    <message>
        <source>assumed.workload.estimate_badness</source>
        <translation>时间估计：{value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.policy</source>
        <translation>策略 {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.placement</source>
        <translation>放置 {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.speed</source>
        <translation>运行时间按给定值，与运行位置无关</translation>
    </message>
    <message>
        <source>assumed.scheduling.start_cost</source>
        <translation>启动代价 {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.checkpoint_cost</source>
        <translation>检查点的代价 {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.restart_cost</source>
        <translation>重启代价 {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.checkpoint_interval</source>
        <translation>检查点 {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.kill_at_estimate</source>
        <translation>作业超过估计时间仍继续运行</translation>
    </message>
    <message>
        <source>assumed.scheduling.gpu_sharing.by</source>
        <translation>gpu_share 按 {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.gpu_sharing.switch_loss</source>
        <translation>切换损失 {value}</translation>
    </message>
    <message>
        <source>assumed.scheduling.gpu_sharing.out_of_memory_after</source>
        <translation>{value} 后耗尽 GPU 显存</translation>
    </message>
    <message>
        <source>assumed.orchestrator</source>
        <translation>编排器 {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.placement</source>
        <translation>任务放置按 {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.node_detection</source>
        <translation>{value} 后发现机器丢失</translation>
    </message>
    <message>
        <source>assumed.orchestrator.eviction_delay</source>
        <translation>再过 {value} 替换其任务</translation>
    </message>
    <message>
        <source>assumed.orchestrator.process_detection</source>
        <translation>{value} 后发现进程死亡</translation>
    </message>
    <message>
        <source>assumed.orchestrator.restart</source>
        <translation>重启 {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.restart_delay</source>
        <translation>重启延迟 {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.container_start</source>
        <translation>容器启动需 {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.container_stop</source>
        <translation>容器停止需 {value}</translation>
    </message>
    <message>
        <source>assumed.orchestrator.placements_per_second</source>
        <translation>每秒 {value} 次放置</translation>
    </message>
    <message>
        <source>assumed.orchestrator.registry_bandwidth</source>
        <translation>拉取镜像 {value}</translation>
    </message>
    <message>
        <source>assumed.services.image</source>
        <translation>镜像 {value}</translation>
    </message>
    <message>
        <source>assumed.services.runtime</source>
        <translation>运行时 {value}</translation>
    </message>
    <message>
        <source>assumed.services.checkpoint.interval</source>
        <translation>检查点 {value}</translation>
    </message>
    <message>
        <source>assumed.services.checkpoint.save</source>
        <translation>保存需 {value}</translation>
    </message>
    <message>
        <source>assumed.services.checkpoint.load</source>
        <translation>加载需 {value}</translation>
    </message>
    <message>
        <source>assumed.services.communication_share</source>
        <translation>通信占比 {value}</translation>
    </message>
    <message>
        <source>assumed.services.network_cost</source>
        <translation>容器网络损失 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.duplicates</source>
        <translation>重复请求 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.planner</source>
        <translation>规划器 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.placement</source>
        <translation>训练放置按 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.models.trigger</source>
        <translation>触发 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.models.period</source>
        <translation>周期 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.models.variation</source>
        <translation>训练时间波动 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.models.data</source>
        <translation>待上传数据 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.models.checkpoint_interval</source>
        <translation>检查点 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.upload.bandwidth</source>
        <translation>上传 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.upload.corruption</source>
        <translation>损坏的分块 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.upload.confirm.period</source>
        <translation>每 {value} 检查数据是否到达</translation>
    </message>
    <message>
        <source>assumed.task_environment.submission</source>
        <translation>提交 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.status.period</source>
        <translation>每 {value} 检查训练是否结束</translation>
    </message>
    <message>
        <source>assumed.task_environment.messages.latency</source>
        <translation>消息耗时 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.messages.loss</source>
        <translation>丢失的消息 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.save.bandwidth</source>
        <translation>保存模型 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.download.bandwidth</source>
        <translation>下载 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.deploy.stop_and_start</source>
        <translation>副本重启需 {value}</translation>
    </message>
    <message>
        <source>assumed.task_environment.mean_time_to_failure</source>
        <translation>训练 {value}</translation>
    </message>
    <message>
        <source>accuracy.goal</source>
        <translation>{goal}：按模型误差，把握 {probability}</translation>
    </message>
    <message numerus="yes">
        <source>accuracy.holds</source>
        <translation>
            <numerusform>准确程度：在此类已发表的表格（{kind}）中，10 次里有 8 次测得预测步长的 {low} 到 {high} 倍，20 次里有 19 次为 {low_95} 到 {high_95} 倍（{units} 个表格部分；中位为 {middle}）。</numerusform>
        </translation>
    </message>
    <message>
        <source>accuracy.better</source>
        <translation>按模型误差，{one} 在 {measure} 上优于 {other}：把握 {probability}</translation>
    </message>
    <message>
        <source>accuracy.too_close</source>
        <translation>{one} 与 {other} 在 {measure} 上难分高下：按模型误差，前者的把握为 {probability}</translation>
    </message>
    <message>
        <source>layouts.one_of</source>
        <translation>{layout}，或另外 {others} 个可能同样快的方案之一。众多方案中最快的，其误差也最走运：预计 {tokens} 词元/秒，比预测少 {share}（80 % 把握：{low} 到 {high}）。</translation>
    </message>
    <message>
        <source>layouts.may_not_fit</source>
        <translation>{layout} 占 {gpu} 显存的 {share}，可能放不下：{how}。{other}</translation>
    </message>
    <message>
        <source>layouts.leaner</source>
        <translation> 占用不超过 80 % 的最快方案：{layout}，{step}，{memory}。</translation>
    </message>
    <message>
        <source>layouts.none_leaner</source>
        <translation> 没有占用不超过 80 % 的方案。</translation>
    </message>
    <message>
        <source>compare.of_a_part</source>
        <translation>；{jobs} 个作业中有 {left} 个没有完成，因此其数值不参与比较</translation>
    </message>
    <message>
        <source>services.one_draw</source>
        <translation>故障只抽取一次，每个点用同一种子；sweep 中的 replicas 比较均值。</translation>
    </message>
    <message>
        <source>services.not_finished</source>
        <translation>{service} 没有完成其工作</translation>
    </message>
    <message>
        <source>services.other_work</source>
        <translation>各点的工作量不同，因此不作比较。</translation>
    </message>
    <message>
        <source>services.not_compared</source>
        <translation>未比较：{point}，其中有服务失败或未结束。</translation>
    </message>
    <message>
        <source>services.holds</source>
        <translation>{task} 占用 {machine} 的 GPU {gpu}{memory}</translation>
    </message>
    <message>
        <source>services.idle_gpus</source>
        <translation>消息；GPU 有 {share} 的时间空闲</translation>
    </message>
    <message>
        <source>services.of_its_memory</source>
        <translation>及其 {memory} 显存中的 {reserved}</translation>
    </message>
    <message>
        <source>services.steps</source>
        <translation>{service} 的任务在其所在位置每步用时 {step}（{rate}）；瓶颈：{bottleneck}</translation>
    </message>
    <message>
        <source>jobs.training_starts</source>
        <translation>'{job}' 的训练在 {time} 开始，在作业获得 GPU 后 {later}：这时它的任务已互相找到。</translation>
    </message>
    <message>
        <source>services.of_point</source>
        <translation>{point}：{what}。</translation>
    </message>
    <message>
        <source>services.of_run</source>
        <translation>{what}。</translation>
    </message>
    <message>
        <source>services.no_failures</source>
        <translation>没有故障</translation>
    </message>
    <message numerus="yes">
        <source>services.restarted</source>
        <translation>
            <numerusform>进程重启 {restarts} 次</numerusform>
        </translation>
    </message>
    <message>
        <source>services.failures_hit</source>
        <translation>{failures}，波及 {tasks}</translation>
    </message>
    <message numerus="yes">
        <source>services.failures</source>
        <translation>
            <numerusform>故障 {failures} 次</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>services.tasks</source>
        <translation>
            <numerusform>{tasks} 个任务</numerusform>
        </translation>
    </message>
    <message>
        <source>services.waits_for_input</source>
        <translation>{service} 有 {share} 的时间在等待共享存储的输入</translation>
    </message>
    <message>
        <source>services.recovery</source>
        <translation>平均 {mean} 恢复，最长 {worst}</translation>
    </message>
    <message numerus="yes">
        <source>services.never_back</source>
        <translation>
            <numerusform>{tasks} 个任务再也没有恢复</numerusform>
        </translation>
    </message>
    <message>
        <source>services.failed</source>
        <translation>{service} 失败</translation>
    </message>
    <message>
        <source>services.not_done</source>
        <translation>{service} 未完成，因为 {task} 没有运行：{why}</translation>
    </message>
    <message>
        <source>services.held</source>
        <translation>占用的 {hours} GPU 小时中，{parts}</translation>
    </message>
    <message>
        <source>services.useful</source>
        <translation>有用 {share}</translation>
    </message>
    <message>
        <source>gpu_memory.all_fit</source>
        <translation>{point}：{processes} 可以同时放下</translation>
    </message>
    <message>
        <source>gpu_memory.some_fit</source>
        <translation>{point}：{processes} 放得下，{other} 与它们一起放不下</translation>
    </message>
    <message>
        <source>run.decisive</source>
        <translation>{key} 取为 {value}；若为 {other}，则{change}</translation>
    </message>
    <message>
        <source>graph.runs_on</source>
        <translation>{operation} 在 {device}（{why}）</translation>
    </message>
    <message>
        <source>services.not_used</source>
        <translation>预留但未使用 {share}</translation>
    </message>
    <message>
        <source>services.lost</source>
        <translation>丢失后重做 {share}</translation>
    </message>
    <message>
        <source>services.stalled</source>
        <translation>停滞 {share}</translation>
    </message>
    <message>
        <source>services.starting</source>
        <translation>用于启动、加载和停止 {share}</translation>
    </message>
    <message>
        <source>services.saving</source>
        <translation>用于保存 {share}</translation>
    </message>
    <message>
        <source>services.idle</source>
        <translation>没有工作 {share}</translation>
    </message>
    <message>
        <source>services.orphaned</source>
        <translation>孤儿进程占用 {share}</translation>
    </message>
    <message>
        <source>services.use_of_held</source>
        <translation>{service} 在其占用的 {held} GPU 小时中使用了 {used}（{share}）</translation>
    </message>
    <message>
        <source>services.for_machines</source>
        <translation>机器费用 {price}</translation>
    </message>
    <message>
        <source>services.ends_first</source>
        <translation>{best} 最先结束，用时 {time}；{worst} 用时 {longest}（长 {longer}）。</translation>
    </message>
    <message>
        <source>services.starts_first</source>
        <translation>{best} 启动最快：每个服务最迟在到达后 {time} 内运行；{worst} 需要 {longest}。</translation>
    </message>
    <message>
        <source>services.recovers_first</source>
        <translation>{best} 恢复最快，故障后平均 {time}；{worst} 需要 {longest}。</translation>
    </message>
    <message>
        <source>services.cheapest</source>
        <translation>{best} 费用最低，{price}；{worst} 为 {most}。</translation>
    </message>
    <message>
        <source>services.most_useful</source>
        <translation>{best} 浪费最少：{share} 的 GPU 时间有用；{worst} 为 {least}。</translation>
    </message>
    <message numerus="yes">
        <source>services.all_equal</source>
        <translation>
            <numerusform>全部 {points} 个点的结果相同。</numerusform>
        </translation>
    </message>
    <message>
        <source>parallel.trains</source>
        <translation>{model} 在 {gpus} 个 {gpu} 上（{layout}）：每步 {step}，{tokens} token/s，为模型浮点峰值的 {utilisation}；{held_back}。</translation>
    </message>
    <message>
        <source>parallel.beside_compute</source>
        <translation>步时的 {compute} 是计算，其余最大的部分是 {part}</translation>
    </message>
    <message>
        <source>parallel.compute_alone</source>
        <translation>步时的 {compute} 是计算</translation>
    </message>
    <message>
        <source>parallel.fastest</source>
        <translation>每秒 token 最多的是 {point}。{trains}</translation>
    </message>
    <message>
        <source>parallel.never_done</source>
        <translation>作业 '{job}' 不会结束。{trains}</translation>
    </message>
    <message>
        <source>parallel.assumed_by</source>
        <translation>{what} 的假设：{list}</translation>
    </message>
    <message>
        <source>parallel.shares</source>
        <translation>步的占比：计算、流水线气泡，以及张量（TP）、数据（DP）和流水线并行（PP）的未隐藏消息。</translation>
    </message>
    <message>
        <source>parallel.held_back</source>
        <translation>瓶颈：{part}</translation>
    </message>
    <message>
        <source>parallel.held_back_then</source>
        <translation>瓶颈：{part}；其次是 {next}</translation>
    </message>
    <message>
        <source>jobs.cards_of</source>
        <translation>{machine} 的网卡</translation>
    </message>
    <message>
        <source>jobs.no_failure_hits</source>
        <translation>没有故障影响作业 '{job}'（它在 {time} 后结束）；请增加 steps，或让其机器更早发生故障</translation>
    </message>
    <message>
        <source>jobs.computes_nothing</source>
        <translation>作业 '{job}'：其 GPU 不做任何计算，因此没有与单个 GPU 相比的效率</translation>
    </message>
    <message>
        <source>jobs.one_of_traffic</source>
        <translation>作业 '{job}'：所有工作进程交换相同：traffic.csv 只列其一，不列其余 {others} 个</translation>
    </message>
    <message>
        <source>jobs.some_for_all</source>
        <translation>作业 '{job}'：部分相同的工作进程代表全部进行模拟；数字是全部的，steps.csv、links.csv 和 traffic.csv 只列出部分；one_represents_all: no 则全部模拟</translation>
    </message>
    <message>
        <source>jobs.rings_meet</source>
        <translation>作业 '{job}'：{rings} 个环共用每台机器的网卡；{fidelity} 让每轮等待启动，而另一个环本可发送，步时可能偏长百分之几；请用 --fidelity step</translation>
    </message>
    <message>
        <source>jobs.slow_gpus</source>
        <translation>作业 '{job}'：{slow} 的计算时间是 {fast} 的 {times} 倍，后者每步都要等待；仅 {fast} 上的 {workers} 个工作进程每秒就能计算 {rate} 个样本：请用 'nodes' 指定其机器</translation>
    </message>
    <message>
        <source>jobs.workers_share_cpus</source>
        <translation>作业 '{job}'：{workers} 个工作进程共用 {machine} 的 CPU，每个只有其速率的 1/{workers}</translation>
    </message>
    <message>
        <source>jobs.jobs_share_cpus</source>
        <translation>作业 '{one}' 和 '{other}' 同时在 {machine} 的 CPU 上计算，并各自按独占计；请用 'nodes' 给每个作业自己的机器</translation>
    </message>
    <message>
        <source>jobs.uneven_servers</source>
        <translation>作业 '{job}'：{server} 保存 {share} 的变量（均分为 {even}），因为作业未另行指定时 variable_placement 为 {placement}；greedy 按整个变量均衡，partitioned 将变量切分</translation>
    </message>
    <message>
        <source>jobs.never_starts</source>
        <translation>作业 '{job}' 从未开始：{why}</translation>
    </message>
    <message>
        <source>jobs.machines_sampled</source>
        <translation>所有机器行为相同：{all} 台中模拟了 {sampled} 台；数字是全部的，links.csv 和 traffic.csv 列出 {sampled} 台</translation>
    </message>
    <message>
        <source>jobs.no_contention</source>
        <translation>作业 '{one}' 和 '{other}' 共用 {what}，但 closed_form 不会让不同作业的集合通信互相减慢；请用 --fidelity fluid</translation>
    </message>
    <message>
        <source>jobs.network</source>
        <translation>机器之间的网络</translation>
    </message>
    <message>
        <source>jobs.never_ends</source>
        <translation>作业 '{job}' 永远不会结束：{why}</translation>
    </message>
    <message>
        <source>jobs.times_as_many</source>
        <translation>每秒 {rate} {sample}，是 {other} 的 {times} 倍，后者的瓶颈是 {bottleneck}</translation>
    </message>
    <message>
        <source>jobs.more_than</source>
        <translation>每秒 {rate} {sample}，比 {other} 多 {share}，后者的瓶颈是 {bottleneck}</translation>
    </message>
    <message>
        <source>jobs.not_known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>jobs.equally_fast</source>
        <translation>{model}：{one} 和 {other} 在 {gpus} 个 GPU 上一样快（每秒 {rate} {sample}）；选更简单的一个。</translation>
    </message>
    <message numerus="yes">
        <source>jobs.wins_from</source>
        <translation>
            <numerusform>{model}：{winner} 从 {gpus} 个 GPU 起胜出；在 {most} 个上{ahead}</numerusform>
        </translation>
    </message>
    <message>
        <source>jobs.wins_at</source>
        <translation>{model}：{winner} 在 {gpus} 个 GPU 上胜出：{ahead}</translation>
    </message>
    <message>
        <source>jobs.wins</source>
        <translation>{model}：{winner} 胜出：{ahead}</translation>
    </message>
    <message>
        <source>jobs.wins_with_fewer</source>
        <translation>{wins}；GPU 较少时 {winner} 胜出：在 {gpus} 个 GPU 上{ahead}</translation>
    </message>
    <message>
        <source>jobs.no_more</source>
        <translation>{wins}。</translation>
    </message>
    <message>
        <source>jobs.stale</source>
        <translation>{wins}。它用过时的参数训练（平均滞后 {staleness}）；不模拟收敛。</translation>
    </message>
    <message>
        <source>jobs.stale_beside_sync</source>
        <translation>{wins}。它用过时的参数训练（平均滞后 {staleness}）；不模拟收敛：最好的同步方案是 {variant}，每秒 {rate} {sample}。</translation>
    </message>
    <message>
        <source>jobs.of_point</source>
        <translation>{point}: {what}</translation>
    </message>
    <message>
        <source>jobs.host_waits</source>
        <translation>作业 '{job}'：GPU 有 {share} 的步时在等待主机，假定每个算子 {time}；请设置 '{key}'（CUDA 图为 0 s）或更大的 batch_per_gpu{rows}</translation>
    </message>
    <message>
        <source>jobs.more_rows</source>
        <translation>，但这样会传输更多的表行</translation>
    </message>
    <message>
        <source>wait.none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>wait.behind_head</source>
        <translation>队列中它前面的作业被阻塞</translation>
    </message>
    <message>
        <source>wait.gpus</source>
        <translation>空闲 GPU 少于它所需</translation>
    </message>
    <message>
        <source>wait.fragmented</source>
        <translation>空闲 GPU 足够，但所在机器放不下整组任务</translation>
    </message>
    <message>
        <source>wait.cpu</source>
        <translation>有空闲 GPU 的机器 CPU 太少</translation>
    </message>
    <message>
        <source>wait.memory</source>
        <translation>有空闲 GPU 的机器内存太少</translation>
    </message>
    <message>
        <source>wait.gpu_type</source>
        <translation>空闲 GPU 类型不同</translation>
    </message>
    <message>
        <source>wait.locality</source>
        <translation>空闲 GPU 相距比策略目前允许的更远</translation>
    </message>
    <message>
        <source>wait.quota</source>
        <translation>它的团队没有足够的配额给它</translation>
    </message>
    <message>
        <source>wait.reservation</source>
        <translation>空闲 GPU 由预留保留：机器的预留，或前面作业的预留</translation>
    </message>
    <message>
        <source>wait.lower_rank</source>
        <translation>策略把 GPU 给了其他作业</translation>
    </message>
    <message>
        <source>wait.dependency</source>
        <translation>它依赖的作业尚未结束</translation>
    </message>
    <message>
        <source>wait.saving</source>
        <translation>为它停下的作业仍在这些 GPU 上保存状态</translation>
    </message>
    <message>
        <source>wait.next_decision</source>
        <translation>此后策略还没有运行</translation>
    </message>
    <message>
        <source>wait.never_fits</source>
        <translation>它需要的超过整个集群所有，或没有机器能提供</translation>
    </message>
    <message>
        <source>wait.out_of_memory</source>
        <translation>它多次耗尽 GPU 显存</translation>
    </message>
    <message>
        <source>wait.changing</source>
        <translation>原因变化次数太多，无法列出</translation>
    </message>
    <message>
        <source>wait.quota_never</source>
        <translation>它需要的配额超过其团队所能得到的</translation>
    </message>
    <message>
        <source>wait.qos_group_jobs</source>
        <translation>它的 QOS 运行的作业已达上限 (QOSGrpJobsLimit)</translation>
    </message>
    <message>
        <source>wait.qos_user_jobs</source>
        <translation>它的用户在该 QOS 运行的作业已达上限 (QOSMaxJobsPerUserLimit)</translation>
    </message>
    <message>
        <source>wait.qos_time</source>
        <translation>它的 QOS 只允许更短的作业 (QOSMaxWallDurationPerJobLimit)</translation>
    </message>
    <message>
        <source>wait.qos_group_gpus</source>
        <translation>它的 QOS 将超出可占用的 GPU (QOSGrpGRES)</translation>
    </message>
    <message>
        <source>wait.qos_job_gpus</source>
        <translation>它的 QOS 只允许每个作业用更少的 GPU (QOSMaxGRESPerJob)</translation>
    </message>
    <message>
        <source>wait.qos_account_gpus</source>
        <translation>它的账户在该 QOS 将超出允许的 GPU (MaxGRESPerAccount)</translation>
    </message>
    <message>
        <source>wait.qos_user_gpus</source>
        <translation>它的用户在该 QOS 将超出允许的 GPU (QOSMaxGRESPerUser)</translation>
    </message>
    <message>
        <source>wait.qos_group_submitted</source>
        <translation>它的 QOS 提交的作业已达上限 (QOSGrpSubmitJobsLimit)</translation>
    </message>
    <message>
        <source>wait.qos_user_submitted</source>
        <translation>它的用户在该 QOS 提交的作业已达上限 (QOSMaxSubmitJobPerUserLimit)</translation>
    </message>
    <message>
        <source>wait.association_group_jobs</source>
        <translation>它的账户或上级账户运行的作业已达上限 (AssocGrpJobsLimit)</translation>
    </message>
    <message>
        <source>wait.association_jobs</source>
        <translation>它的用户在该账户运行的作业已达上限 (AssocMaxJobsLimit)</translation>
    </message>
    <message>
        <source>wait.association_time</source>
        <translation>它的账户只允许更短的作业 (AssocMaxWallDurationPerJobLimit)</translation>
    </message>
    <message>
        <source>wait.association_group_gpus</source>
        <translation>它的账户或上级账户将超出可占用的 GPU (AssocGrpGRES)</translation>
    </message>
    <message>
        <source>wait.association_job_gpus</source>
        <translation>它的账户只允许每个作业用更少的 GPU (AssocMaxGRESPerJob)</translation>
    </message>
    <message>
        <source>wait.association_group_submitted</source>
        <translation>它的账户或上级账户提交的作业已达上限 (AssocGrpSubmitJobsLimit)</translation>
    </message>
    <message>
        <source>wait.association_submitted</source>
        <translation>它的用户在该账户提交的作业已达上限 (AssocMaxSubmitJobLimit)</translation>
    </message>
    <message>
        <source>wait.partition_time</source>
        <translation>它的分区只允许更短的作业 (PartitionTimeLimit)</translation>
    </message>
    <message>
        <source>wait.array_tasks</source>
        <translation>它的作业数组同时运行的任务已达上限 (JobArrayTaskLimit)</translation>
    </message>
    <message>
        <source>wait.reservation_over</source>
        <translation>它的预留已结束，作业随之结束</translation>
    </message>
    <message>
        <source>wait.site_rule</source>
        <translation>站点当时关闭，或站点规则不让该作业启动（scheduling.site）</translation>
    </message>
    <message>
        <source>queue.not_compared</source>
        <translation>不参与比较：{policy}：{why}。</translation>
    </message>
    <message>
        <source>queue.decides_seldom</source>
        <translation>{policy} 每隔一段时间才做决定：有合适的 GPU 空闲时，作业每次最多等待下一次决定 {longest}（占全部等待时间的 {share}），而最短的作业只需 {shortest}；间隔更短，作业开始得更早。</translation>
    </message>
    <message>
        <source>queue.lowest_mean</source>
        <translation>平均完成时间最短：{policy}（{time}；{other} 为 {longest}）：{difference}{reason}。</translation>
    </message>
    <message>
        <source>queue.starts_sooner</source>
        <translation>作业比在 {other} 下早 {time} 开始{waits}</translation>
    </message>
    <message>
        <source>queue.starts_later</source>
        <translation>作业比在 {other} 下晚 {time} 开始{waits}</translation>
    </message>
    <message>
        <source>queue.waits_longer</source>
        <translation>，被抢占后多等 {time}</translation>
    </message>
    <message>
        <source>queue.waits_less</source>
        <translation>，被抢占后少等 {time}</translation>
    </message>
    <message>
        <source>queue.main_reason</source>
        <translation>；{policy} 的等待时间中 {share} 的原因是：{why}</translation>
    </message>
    <message numerus="yes">
        <source>queue.preempts</source>
        <translation>
            <numerusform>{policy} 抢占运行中的作业 {times} 次；{causes}花费 {hours} GPU 小时而没有进展；抢占代价更高时（scheduling.checkpoint_cost、restart_cost）答案可能不同。</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.starts_and_preemptions</source>
        <translation>启动和抢占</translation>
    </message>
    <message>
        <source>queue.and_failures</source>
        <translation>启动、抢占和故障</translation>
    </message>
    <message>
        <source>queue.shortest_waits</source>
        <translation>最长的等待最短（全部等待的 p99，含被抢占之后）：{policy}（{time}；{other} 为 {longest}）。</translation>
    </message>
    <message>
        <source>queue.fairest</source>
        <translation>最公平：{policy}（没有作业超过它在集群均等份额上所需时间的 {times} 倍；{other} 为 {most} 倍）。</translation>
    </message>
    <message>
        <source>queue.shortest_makespan</source>
        <translation>总时间最短：{policy}（{time}，占用 {busy}；{other} 为 {longest}）。</translation>
    </message>
    <message>
        <source>queue.same_result</source>
        <translation>所有策略结果相同：没有作业在等待其他策略会给它的 GPU。</translation>
    </message>
    <message>
        <source>queue.by_gpus</source>
        <translation>按作业的 GPU 数，平均减速的最好和最差：{groups}。</translation>
    </message>
    <message>
        <source>queue.by_team</source>
        <translation>按团队：{groups}。</translation>
    </message>
    <message numerus="yes">
        <source>queue.job</source>
        <translation>
            <numerusform>作业 {job}（{gpus} 个 GPU{owner}），策略 {policy}{at}：{when} 提交{then}</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.at_point</source>
        <translation>（点 {point}）</translation>
    </message>
    <message>
        <source>clock.day</source>
        <translation>第 {day} 天 {time}</translation>
    </message>
    <message>
        <source>queue.started_later</source>
        <translation>，{when} 开始，晚 {time}</translation>
    </message>
    <message>
        <source>queue.started_at_once</source>
        <translation>，立即开始</translation>
    </message>
    <message>
        <source>queue.never_started</source>
        <translation>，从未开始：{why}</translation>
    </message>
    <message>
        <source>queue.refused</source>
        <translation>，提交时被拒绝：{why}</translation>
    </message>
    <message>
        <source>queue.taken_back</source>
        <translation>，结束前被撤回</translation>
    </message>
    <message>
        <source>queue.finished_at</source>
        <translation>，{when} 完成</translation>
    </message>
    <message numerus="yes">
        <source>queue.stopped</source>
        <translation>
            <numerusform>，被停止 {times} 次</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>queue.out_of_memory</source>
        <translation>
            <numerusform>，GPU 内存不足 {times} 次</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.never_finished</source>
        <translation>，未完成：{why}</translation>
    </message>
    <message>
        <source>queue.failure_stopped</source>
        <translation>{when} 被故障停止：{failure}</translation>
    </message>
    <message>
        <source>queue.policy_stopped</source>
        <translation>{when} 被策略停止；没有作业立即得到它的 GPU</translation>
    </message>
    <message>
        <source>queue.stopped_for</source>
        <translation>{when} 为 {job} 让路而被停止</translation>
    </message>
    <message numerus="yes">
        <source>queue.more_stops</source>
        <translation>
            <numerusform>……又被停止 {times} 次，见 events.csv</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.more_waits</source>
        <translation>……waits.csv 中还有 {more} 个</translation>
    </message>
    <message>
        <source>queue.waited</source>
        <translation>{from} 至 {to}（{time}）：{why}{more}</translation>
    </message>
    <message>
        <source>queue.needed_and_free</source>
        <translation>（需要 {needed}，空闲 {free}）</translation>
    </message>
    <message>
        <source>queue.free</source>
        <translation>（空闲 {free}）</translation>
    </message>
    <message>
        <source>queue.blocked_by</source>
        <translation>：作业 {job}</translation>
    </message>
    <message>
        <source>queue.of_flavor</source>
        <translation>：资源类型 {flavor}</translation>
    </message>
    <message numerus="yes">
        <source>queue.which_needs</source>
        <translation>
            <numerusform>，需要 {gpus} 个 GPU</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.planned</source>
        <translation>；计划于 {when} 开始</translation>
    </message>
    <message>
        <source>queue.down_meanwhile</source>
        <translation>；期间停机：{machines}</translation>
    </message>
    <message>
        <source>queue.more_down</source>
        <translation>，failures.csv 中还有 {more} 个</translation>
    </message>
    <message>
        <source>queue.down_between</source>
        <translation>{nodes} ({failure}{from} 至 {to})</translation>
    </message>
    <message>
        <source>queue.down_since</source>
        <translation>{nodes} ({failure}自 {from} 起)</translation>
    </message>
    <message>
        <source>queue.mostly</source>
        <translation>主要（占等待的 {share}）：{why}{job}</translation>
    </message>
    <message>
        <source>queue.because_of_job</source>
        <translation>，作业 {job}</translation>
    </message>
    <message>
        <source>queue.could_start</source>
        <translation>本可于 {when} 开始{earlier}：当时空闲 GPU 足够，但策略没有启动它</translation>
    </message>
    <message>
        <source>queue.earlier_by</source>
        <translation>，早 {time}</translation>
    </message>
    <message>
        <source>queue.could_not_start</source>
        <translation>不可能更早开始：更早的决策都没有足够的空闲 GPU</translation>
    </message>
    <message numerus="yes">
        <source>queue.passed</source>
        <translation>
            <numerusform>等待期间有 {jobs} 个更晚提交的作业占用 GPU{without}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>queue.free_without</source>
        <translation>
            <numerusform>；没有{them}时 {gpus} 个 GPU 会在 {when} 空闲{earlier}</numerusform>
        </translation>
    </message>
    <message>
        <source>queue.not_earlier</source>
        <translation>；没有{them}时它也不会更早开始</translation>
    </message>
    <message>
        <source>queue.it</source>
        <translation>它</translation>
    </message>
    <message>
        <source>queue.them</source>
        <translation>它们</translation>
    </message>
    <message>
        <source>queue.slowed</source>
        <translation>因与作业 {job} 共用 {link}，损失 {time}</translation>
    </message>
    <message>
        <source>queue.how_to_ask</source>
        <translation>查看作业为何等待：simrun explain job NAME {folder}</translation>
    </message>
    <message>
        <source>queue.relative_to</source>
        <translation>超出最优：相对于 {time}，即无抢占时任意顺序的最短总完成时间（已尝试所有顺序）</translation>
    </message>
    <message>
        <source>queue.killed_at_limit</source>
        <translation>在 {policy} 下有 {jobs} 个作业在其时限被终止，虽计为结束但并未完成；jobs.csv 列出了它们</translation>
    </message>
    <message>
        <source>retraining.need</source>
        <translation>需求</translation>
    </message>
    <message>
        <source>retraining.upload</source>
        <translation>上传</translation>
    </message>
    <message>
        <source>retraining.confirm</source>
        <translation>确认</translation>
    </message>
    <message>
        <source>retraining.queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>retraining.train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>retraining.save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>retraining.detect</source>
        <translation>检测</translation>
    </message>
    <message>
        <source>retraining.download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>retraining.deploy</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>retraining.never_trained</source>
        <translation>&apos;{model}&apos; 无法训练{at}：{why}；请增加节点或减少其 GPU</translation>
    </message>
    <message numerus="yes">
        <source>retraining.starves</source>
        <translation>
            <numerusform>{policy} 下 &apos;{model}&apos;{at} 饥饿：{needs} 次需求中 {done} 次完成，{stopped} 次被更新的停止；需求比训练结束更快；请用 coalesce、更长的等待或更多 GPU</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>retraining.almost_starves</source>
        <translation>
            <numerusform>{policy} 下 &apos;{model}&apos;{at} 几乎饥饿：{needs} 次需求中 {done} 次完成，{stopped} 次被更新的停止；需求比训练结束更快；请用 coalesce、更长的等待或更多 GPU</numerusform>
        </translation>
    </message>
    <message>
        <source>retraining.never_arrived</source>
        <translation>&apos;{model}&apos; 的 {needs} 次训练中有 {lost} 次已发送但从未到达队列{at}（{policy}）；submission: check 会重新发送</translation>
    </message>
    <message>
        <source>retraining.always_failed</source>
        <translation>&apos;{model}&apos; 的 {needs} 次再训练中有 {failed} 次每次尝试都失败{at}（{policy}）</translation>
    </message>
    <message>
        <source>retraining.at_point</source>
        <translation>（点 {point}）</translation>
    </message>
    <message>
        <source>retraining.more_warnings</source>
        <translation>{policy} 下还有 {more} 个此类</translation>
    </message>
    <message>
        <source>retraining.not_listed</source>
        <translation>{policy}：前 {listed} 个之后的 {more} 个事件和决策未列出</translation>
    </message>
    <message>
        <source>retraining.same_end</source>
        <translation>所有规划器同时结束训练，用时 {time}。</translation>
    </message>
    <message>
        <source>retraining.ends_first</source>
        <translation>{planner} 最先结束训练，用时 {time}；{other} 用时 {longest}（长 {longer}）。</translation>
    </message>
    <message>
        <source>retraining.none_deployed</source>
        <translation>没有模型部署：警告中说明了原因。</translation>
    </message>
    <message>
        <source>retraining.half_served</source>
        <translation>一半的需求在 {time} 内得到满足；到模型部署的时间中 {share} 是{segment}（{spent}）。</translation>
    </message>
    <message>
        <source>retraining.no_effect</source>
        <translation>这里的选择没有影响：无论哪个，模型过时的时间都占 {share}。</translation>
    </message>
    <message>
        <source>retraining.freshest</source>
        <translation>{policy} 提供最新的模型{starving}：数据平均为 {age} 个周期，{other} 为 {older}；模型过时的时间占 {stale}，对比 {more}{besides}。</translation>
    </message>
    <message>
        <source>retraining.starves_none</source>
        <translation>且不饿死任何模型</translation>
    </message>
    <message>
        <source>retraining.equally_fresh</source>
        <translation>{policy} 和 {other} 提供的模型一样新：数据平均为 {age} 个周期；模型过时的时间{stale}{besides}。</translation>
    </message>
    <message>
        <source>retraining.of_the_time</source>
        <translation>占 {share}</translation>
    </message>
    <message>
        <source>retraining.of_the_time_with</source>
        <translation> {policy} 占 {share}，{other} 占 {more}</translation>
    </message>
    <message>
        <source>retraining.deployed</source>
        <translation>，部署 {models} 个模型，对比 {others}</translation>
    </message>
    <message>
        <source>retraining.wasted</source>
        <translation>，浪费 {hours} GPU 小时，对比 {others}</translation>
    </message>
    <message>
        <source>retraining.almost_as_good</source>
        <translation>；{policy} 差不多一样好（{age} 个周期），浪费 {hours} GPU 小时</translation>
    </message>
    <message>
        <source>retraining.wastes_none</source>
        <translation>；{policy} 差不多一样好（{age} 个周期），且不浪费 GPU 小时</translation>
    </message>
    <message>
        <source>together.all</source>
        <translation>全部一起</translation>
    </message>
    <message>
        <source>together.without_queue</source>
        <translation>没有队列</translation>
    </message>
    <message>
        <source>together.without_services</source>
        <translation>没有服务</translation>
    </message>
    <message>
        <source>together.without_retraining</source>
        <translation>没有再训练</translation>
    </message>
    <message>
        <source>together.without_failures</source>
        <translation>没有故障</translation>
    </message>
    <message>
        <source>together.mean_jct</source>
        <translation>平均完成时间</translation>
    </message>
    <message>
        <source>together.waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>together.need_to_deployed</source>
        <translation>从需求到部署的中位数</translation>
    </message>
    <message>
        <source>together.availability</source>
        <translation>服务可用率</translation>
    </message>
    <message>
        <source>together.changes</source>
        <translation>{title}{left_out}：{measure}是 {without}，而不是 {with}</translation>
    </message>
    <message>
        <source>services.nodes_fit</source>
        <translation>{nodes} 个节点中 {fit} 个合适：{why}</translation>
    </message>
    <message>
        <source>services.down</source>
        <translation>{nodes} 个停机</translation>
    </message>
    <message>
        <source>services.cut_off</source>
        <translation>{nodes} 个被隔断</translation>
    </message>
    <message>
        <source>services.daemon</source>
        <translation>{nodes} 个容器守护进程已停止（配置错误或重启）</translation>
    </message>
    <message>
        <source>services.joins_later</source>
        <translation>{nodes} 个尚未加入</translation>
    </message>
    <message>
        <source>services.manager</source>
        <translation>{nodes} 个仅作管理节点</translation>
    </message>
    <message>
        <source>services.constraint</source>
        <translation>{nodes} 个不满足约束</translation>
    </message>
    <message>
        <source>services.most_per_node</source>
        <translation>{nodes} 个达到每节点任务上限</translation>
    </message>
    <message>
        <source>services.host_port</source>
        <translation>{nodes} 个主机端口被占用</translation>
    </message>
    <message>
        <source>services.gpu_runtime</source>
        <translation>{nodes} 个没有 GPU 运行时</translation>
    </message>
    <message>
        <source>services.gpu_type</source>
        <translation>{nodes} 个GPU 型号不同</translation>
    </message>
    <message>
        <source>services.gpu</source>
        <translation>{nodes} 个GPU 不足</translation>
    </message>
    <message>
        <source>services.cpu</source>
        <translation>{nodes} 个CPU 不足</translation>
    </message>
    <message>
        <source>services.memory</source>
        <translation>{nodes} 个内存不足</translation>
    </message>
    <message>
        <source>services.fits</source>
        <translation>{nodes} 个合适</translation>
    </message>
    <message>
        <source>services.absent</source>
        <translation>不存在</translation>
    </message>
    <message>
        <source>services.waiting</source>
        <translation>待调度</translation>
    </message>
    <message>
        <source>services.backoff</source>
        <translation>等待重启</translation>
    </message>
    <message>
        <source>services.unnoticed</source>
        <translation>已死，尚未察觉</translation>
    </message>
    <message>
        <source>services.evicting</source>
        <translation>已丢失，尚未替换</translation>
    </message>
    <message>
        <source>services.pulling</source>
        <translation>拉取镜像</translation>
    </message>
    <message>
        <source>services.task_starts</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>services.running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>services.stopping</source>
        <translation>停止中</translation>
    </message>
    <message>
        <source>services.finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>services.gone</source>
        <translation>已消失</translation>
    </message>
    <message>
        <source>services.no_quorum</source>
        <translation>多数管理节点丢失：没有法定人数</translation>
    </message>
    <message>
        <source>services.busy</source>
        <translation>控制平面正忙于放置其他任务</translation>
    </message>
    <message>
        <source>services.together</source>
        <translation>{tasks} 个任务必须同时启动；放置 {placed} 个之后：{why}</translation>
    </message>
    <message>
        <source>services.waits_for</source>
        <translation>等待 {node} 恢复：没有重新调度策略</translation>
    </message>
    <message>
        <source>services.lost_container</source>
        <translation>{node} 丢失，独立容器没有服务来替换</translation>
    </message>
    <message>
        <source>services.lost_processes</source>
        <translation>{node} 已丢失，而编排器不替换其进程</translation>
    </message>
    <message>
        <source>services.lost_for_good</source>
        <translation>{node} 已丢失，且没有重新调度策略</translation>
    </message>
    <message>
        <source>services.lost_rank</source>
        <translation>{service} 已结束：MPI 作业无法承受丢失一个进程</translation>
    </message>
    <message>
        <source>services.never_restarts</source>
        <translation>它的重启策略为 never</translation>
    </message>
    <message numerus="yes">
        <source>services.few_restarts</source>
        <translation>
            <numerusform>它的策略只允许重启 {restarts} 次</numerusform>
        </translation>
    </message>
    <message>
        <source>services.life</source>
        <translation>{from} 至 {to}（{time}）：{state}{more}</translation>
    </message>
    <message>
        <source>services.on_node</source>
        <translation>，在 {node} 上</translation>
    </message>
    <message>
        <source>services.because</source>
        <translation>：{why}</translation>
    </message>
    <message>
        <source>services.none_waited</source>
        <translation>没有任务等待或丢失</translation>
    </message>
    <message>
        <source>services.these_waited</source>
        <translation>等待或丢失的任务</translation>
    </message>
    <message>
        <source>report.gpus_then</source>
        <translation>{when} 时的 GPU</translation>
    </message>
    <message>
        <source>services.how_to_ask</source>
        <translation>一个任务的事件：simrun explain task NAME {folder}</translation>
    </message>
    <message>
        <source>services.waited_for</source>
        <translation>{task} {state}，自 {when} 起 {time}{more}</translation>
    </message>
    <message>
        <source>services.gone_from</source>
        <translation>{task} {state}，自 {when} 起{more}</translation>
    </message>
    <message>
        <source>retraining.open</source>
        <translation>未结束</translation>
    </message>
    <message>
        <source>retraining.outdated</source>
        <translation>已过时</translation>
    </message>
    <message>
        <source>retraining.replaced</source>
        <translation>被替换</translation>
    </message>
    <message>
        <source>retraining.coalesced</source>
        <translation>已并入更新的需求</translation>
    </message>
    <message>
        <source>retraining.forbidden</source>
        <translation>被禁止</translation>
    </message>
    <message>
        <source>retraining.lost</source>
        <translation>丢失</translation>
    </message>
    <message>
        <source>retraining.impossible</source>
        <translation>不可能</translation>
    </message>
    <message>
        <source>retraining.end_deployed</source>
        <translation>已部署</translation>
    </message>
    <message>
        <source>retraining.end_failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>retraining.needs</source>
        <translation>{model} 需要再训练</translation>
    </message>
    <message>
        <source>retraining.data</source>
        <translation>数据 {bytes}</translation>
    </message>
    <message>
        <source>retraining.data_in_parts</source>
        <translation>数据 {bytes}，分 {parts} 部分</translation>
    </message>
    <message>
        <source>retraining.wrong_checksum</source>
        <translation>校验和错误：重新发送数据</translation>
    </message>
    <message>
        <source>retraining.data_arrived</source>
        <translation>校验和正确：数据已到达</translation>
    </message>
    <message>
        <source>retraining.first_part_arrived</source>
        <translation>校验和正确：第一部分已到达</translation>
    </message>
    <message>
        <source>retraining.stop</source>
        <translation>停止 {earlier}：{request} 的数据更新</translation>
    </message>
    <message>
        <source>retraining.script</source>
        <translation>脚本</translation>
    </message>
    <message>
        <source>retraining.script_again</source>
        <translation>脚本，重新发送</translation>
    </message>
    <message>
        <source>retraining.is_it_there</source>
        <translation>脚本到了吗？</translation>
    </message>
    <message>
        <source>retraining.it_is_there</source>
        <translation>脚本已到达</translation>
    </message>
    <message>
        <source>retraining.it_is_not_there</source>
        <translation>脚本未到达</translation>
    </message>
    <message>
        <source>retraining.arrived_twice</source>
        <translation>脚本到达两次：重复作业</translation>
    </message>
    <message>
        <source>retraining.accepted</source>
        <translation>已接受</translation>
    </message>
    <message>
        <source>retraining.no_answer</source>
        <translation>没有回答</translation>
    </message>
    <message>
        <source>retraining.waits_for_end</source>
        <translation>等待 {request} 结束{limit}</translation>
    </message>
    <message>
        <source>retraining.at_most</source>
        <translation>，最多 {time}</translation>
    </message>
    <message>
        <source>retraining.counted_as_failed</source>
        <translation>{time} 内没有结果：算作失败</translation>
    </message>
    <message>
        <source>retraining.no_result</source>
        <translation>{time} 内没有结果</translation>
    </message>
    <message>
        <source>retraining.fails_after</source>
        <translation>训练在 {time} 后失败</translation>
    </message>
    <message>
        <source>retraining.hit_and_waits</source>
        <translation>训练遇到故障：重新等待</translation>
    </message>
    <message>
        <source>retraining.preempted_and_waits</source>
        <translation>训练被抢占：重新等待</translation>
    </message>
    <message>
        <source>retraining.trained_model</source>
        <translation>训练好的模型，{bytes}</translation>
    </message>
    <message>
        <source>retraining.training_ended</source>
        <translation>训练已结束</translation>
    </message>
    <message>
        <source>retraining.training_has_failed</source>
        <translation>训练失败</translation>
    </message>
    <message>
        <source>retraining.downloaded</source>
        <translation>下载结果</translation>
    </message>
    <message>
        <source>retraining.replaces</source>
        <translation>新模型替换旧模型</translation>
    </message>
    <message>
        <source>retraining.rolling</source>
        <translation>滚动更新 {replicas} 个副本，每次 {at_once} 个，不少于 {least} 个</translation>
    </message>
    <message>
        <source>retraining.serves</source>
        <translation>新模型开始服务</translation>
    </message>
    <message>
        <source>retraining.ends</source>
        <translation>{request} 结束：{end}{why}</translation>
    </message>
    <message>
        <source>retraining.by</source>
        <translation>由 {request}</translation>
    </message>
    <message>
        <source>retraining.joined</source>
        <translation>并入 {request}</translation>
    </message>
    <message>
        <source>retraining.had_not_ended</source>
        <translation>{request} 尚未结束</translation>
    </message>
    <message>
        <source>retraining.newer_serves</source>
        <translation>用更新数据训练的模型已在服务</translation>
    </message>
    <message>
        <source>retraining.training_failed</source>
        <translation>训练失败</translation>
    </message>
    <message>
        <source>retraining.has_newer</source>
        <translation>{request} 有更新的数据</translation>
    </message>
    <message>
        <source>retraining.never_reached</source>
        <translation>脚本从未到达队列</translation>
    </message>
    <message numerus="yes">
        <source>retraining.after_attempts</source>
        <translation>
            <numerusform>{why}（尝试 {attempts} 次）</numerusform>
        </translation>
    </message>
    <message>
        <source>retraining.run_ended</source>
        <translation>运行在 {segment} 阶段结束</translation>
    </message>
    <message>
        <source>retraining.needs_gpus</source>
        <translation>它需要 {gpus} 个 GPU，集群有 {all} 个</translation>
    </message>
    <message>
        <source>retraining.never_runs</source>
        <translation>队列永远无法运行它</translation>
    </message>
    <message>
        <source>retraining.others_do_not_fit</source>
        <translation>前面的训练现在放不下</translation>
    </message>
    <message>
        <source>retraining.only_one</source>
        <translation>队列中只有它</translation>
    </message>
    <message>
        <source>retraining.first_by_order</source>
        <translation>按规划器的顺序排第一</translation>
    </message>
    <message>
        <source>retraining.request</source>
        <translation>{request}，{policy}{at}：{when} 需要，{time} 后{ended}{why}</translation>
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
        <translation>训练等待数据 {time}：受输入限制</translation>
    </message>
    <message>
        <source>retraining.decision</source>
        <translation>{when} 的决策：启动 {request}，{why}</translation>
    </message>
    <message>
        <source>retraining.how_to_ask</source>
        <translation>查看一次再训练的消息和决策：simrun explain job MODEL-NUMBER {folder}</translation>
    </message>
    <message>
        <source>retraining.models</source>
        <translation>模型：{models}；例如 {first}-1</translation>
    </message>
    <message numerus="yes">
        <source>retraining.training_starts</source>
        <translation>
            <numerusform>训练在 {gpus} 个 GPU 上开始（{nodes}）{checkpoint}</numerusform>
        </translation>
    </message>
    <message>
        <source>retraining.from_checkpoint</source>
        <translation>，从 {share} 处的检查点</translation>
    </message>
    <message>
        <source>retraining.of_plans</source>
        <translation>计划（针对第一个含多次训练的队列）</translation>
    </message>
    <message>
        <source>retraining.of_segments</source>
        <translation>已部署模型从产生需求到部署完成的平均时间</translation>
    </message>
    <message>
        <source>services.unfinished_work</source>
        <translation>{when} 结束时仍有未完成的工作；`simrun explain` 说明原因</translation>
    </message>
    <message>
        <source>services.warned_at</source>
        <translation>{point}：{what}</translation>
    </message>
    <message>
        <source>services.more_rows</source>
        <translation>……{file} 中还有 {more} 行</translation>
    </message>
    <message>
        <source>compare.absent_there</source>
        <translation>（无）</translation>
    </message>
    <message>
        <source>compare.advice</source>
        <translation>建议：{parts}。</translation>
    </message>
    <message>
        <source>compare.alone</source>
        <translation>来自结果文件夹的 {runs} 次运行；每个只有一次，因此没有区间</translation>
    </message>
    <message>
        <source>compare.as_good</source>
        <translation>，但 {second} 可能同样好</translation>
    </message>
    <message>
        <source>compare.beats_all</source>
        <translation>{name} 优于所有 N &lt;= {servers} 的 ps:N</translation>
    </message>
    <message>
        <source>compare.beats_fewer</source>
        <translation>{name} 优于所有 N &lt; {servers} 的 ps:N</translation>
    </message>
    <message>
        <source>compare.best_in</source>
        <translation>{best} 在 {measure} 上最好（{value}；其次是 {second}：{next}{sure}）</translation>
    </message>
    <message>
        <source>accuracy.measured</source>
        <translation>准确程度：正是这个场景的步长被测量过。再测一次，10 次里有 8 次取为预测步长的 {low} 到 {high} 倍，20 次里有 19 次为 {low_95} 到 {high_95} 倍：拟合留下的偏差，加上每次运行之间的 5 %。</translation>
    </message>
    <message>
        <source>jobs.close_call</source>
        <translation>{model}：在 {gpus} 个 GPU 上 {one} 与 {other} 太接近，无法判定：{one} {ahead}；按模型误差，它更快的概率为 {probability}</translation>
    </message>
    <message>
        <source>plan.may_be_as_good</source>
        <translation>按模型误差，可能同样好：{designs}</translation>
    </message>
    <message>
        <source>run.one_draw</source>
        <translation>goodput 和完成时间只是故障的一次随机抽样（seed {seed}）：--seed 抽取其他样本，run.replicas: 20 取这么多次的平均，simrun plan 则按所需的次数判定</translation>
    </message>
    <message>
        <source>study.cost_without</source>
        <translation>成本不能区分网络：价格表中没有 {links} 的网卡，它们按免费计算；--prices 用您自己的价格表可包含它们</translation>
    </message>
    <message>
        <source>compare.close_call</source>
        <translation>，过于接近，难以判断：前者 {probability}</translation>
    </message>
    <message>
        <source>compare.differs</source>
        <translation>有差异</translation>
    </message>
    <message>
        <source>compare.equal_for_all</source>
        <translation>全部相同：{figures}</translation>
    </message>
    <message>
        <source>compare.one_seed</source>
        <translation>{candidates} 个候选方案只用了一个种子：换种子数值会不同，因此差异都不确定；--replicas 10 会给出确定程度</translation>
    </message>
    <message>
        <source>compare.exact</source>
        <translation>{candidates} 个候选；种子没有影响，因此所有差异都是精确的</translation>
    </message>
    <message>
        <source>compare.fewer_rules</source>
        <translation>{name} 遵守的规则较少，因此不在建议之内：</translation>
    </message>
    <message>
        <source>compare.fewer_rules_for_all</source>
        <translation>{names} 遵守的规则较少，因此都不在建议之内：</translation>
    </message>
    <message>
        <source>compare.inputs_of</source>
        <translation>{candidate} 的输入与 {baseline} 相比：</translation>
    </message>
    <message>
        <source>compare.intervals</source>
        <translation>与 {baseline} 相比：差异的 {confidence} 区间，{pairs}</translation>
    </message>
    <message>
        <source>compare.is_beaten</source>
        <translation>当 N &gt;= {servers} 时 {name} 不如 ps:N</translation>
    </message>
    <message>
        <source>compare.jobs_in_pairs</source>
        <translation>来自结果文件夹的 {runs} 次运行；相同作业的时间成对比较</translation>
    </message>
    <message>
        <source>compare.may_be_chance</source>
        <translation>可能是偶然</translation>
    </message>
    <message>
        <source>compare.more_groups</source>
        <translation>… 还有 {more} 项在 compare.csv 中</translation>
    </message>
    <message>
        <source>compare.more_inputs</source>
        <translation>… 还有 {more} 项</translation>
    </message>
    <message>
        <source>compare.of_same_jobs</source>
        <translation>相同的作业</translation>
    </message>
    <message numerus="yes">
        <source>compare.of_seeds</source>
        <translation>
            <numerusform>{seeds} 个种子</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>compare.over_jobs</source>
        <translation>
            <numerusform>等待与完成时间基于 {jobs} 个作业</numerusform>
        </translation>
    </message>
    <message>
        <source>compare.precision</source>
        <translation>精度：{precision}</translation>
    </message>
    <message>
        <source>compare.same_inputs</source>
        <translation>{candidate} 的输入与 {baseline} 相比：没有差异</translation>
    </message>
    <message>
        <source>compare.same_seeds</source>
        <translation>{candidates} 个候选，使用相同的 {seeds} 个种子；*：与 {baseline} 的差异置信度为 {confidence}（配对 t 检验，Holm 校正）</translation>
    </message>
    <message>
        <source>compare.wins_nothing</source>
        <translation>{candidate} 不参与比较优胜：{why}{of}</translation>
    </message>
    <message>
        <source>explain.compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>explain.exposed</source>
        <translation>未重叠的通信</translation>
    </message>
    <message>
        <source>explain.host</source>
        <translation>主机启动算子</translation>
    </message>
    <message>
        <source>explain.input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>explain.wait</source>
        <translation>等待其他</translation>
    </message>
    <message numerus="yes">
        <source>layouts.asked_for</source>
        <translation>
            <numerusform>{model}，{wanted}：{designs} 个设计，{layouts} 种布局</numerusform>
        </translation>
    </message>
    <message>
        <source>layouts.closed_form</source>
        <translation>闭式公式：集合通信不与其他流量相遇。百分比相对于最快的一步。</translation>
    </message>
    <message>
        <source>layouts.does_not_fit</source>
        <translation>放不进 {memory}</translation>
    </message>
    <message>
        <source>layouts.fits_from</source>
        <translation>{gpus} 个 GPU 可以放下。</translation>
    </message>
    <message>
        <source>layouts.front</source>
        <translation>front：没有其他设计同时有更多 tokens/s、更低的价格和更少的内存。</translation>
    </message>
    <message>
        <source>layouts.gpus_tried</source>
        <translation>批量 {batch}；尝试的 GPU 数：{gpus}（--gpus A..B 逐次加倍，A,B,C 取这些值）</translation>
    </message>
    <message>
        <source>layouts.is_fastest</source>
        <translation>最快</translation>
    </message>
    <message>
        <source>layouts.layouts_of</source>
        <translation>{model} 在 {gpus} 上：{layouts} 种布局，其中 {large} 种超过 GPU 的 {memory}</translation>
    </message>
    <message>
        <source>layouts.met_surely</source>
        <translation>考虑模型误差后，达到速度目标的把握为 {sure}。</translation>
    </message>
    <message>
        <source>layouts.less_memory</source>
        <translation>更少的内存要花更多时间（没有布局用更少内存而更快）：</translation>
    </message>
    <message>
        <source>layouts.more_gpus</source>
        <translation> 一个 GPU 达到 {rate} tokens/s，因此 {goal} 至少需要 {gpus} 个。</translation>
    </message>
    <message>
        <source>layouts.more_gpus_asked</source>
        <translation> 一个 GPU 达到 {rate} tokens/s，因此 {goal} 至少需要 {gpus} 个（--gpus {number}）。</translation>
    </message>
    <message>
        <source>layouts.none_meets</source>
        <translation>没有设计达到目标。最接近的是：{more}</translation>
    </message>
    <message>
        <source>layouts.none_surely</source>
        <translation>没有设计能以 {wanted} 的把握达到目标。最接近的设计按预测能达到，考虑模型误差后把握为 {sure}（--sure 0 可接受它）。</translation>
    </message>
    <message>
        <source>layouts.others_lose</source>
        <translation>{design}，{layout}；这些 GPU 上其他布局损失在哪里：</translation>
    </message>
    <message>
        <source>layouts.part_of_cluster</source>
        <translation>{cluster}：{machines}；使用其 {gpus} 个 GPU 中的 {used} 个（--gpus {gpus} 使用全部）</translation>
    </message>
    <message>
        <source>layouts.the_fastest</source>
        <translation>最快的布局</translation>
    </message>
    <message>
        <source>layouts.usual_machines</source>
        <translation>假定：{machines}（可用 --cluster 或场景指定其他机器）</translation>
    </message>
    <message>
        <source>plan.all_simulated</source>
        <translation>每个设计都已模拟</translation>
    </message>
    <message>
        <source>plan.all_simulated_by</source>
        <translation>每个设计都已模拟（{fidelity}）</translation>
    </message>
    <message>
        <source>plan.changes_nothing</source>
        <translation>{knob}：不改变 {measure}（{pairs} 对）</translation>
    </message>
    <message>
        <source>plan.few_seeds</source>
        <translation>{seeds} 个种子不足以判断；请尝试 --replicas {more}</translation>
    </message>
    <message>
        <source>plan.fewer_nodes</source>
        <translation>更少节点</translation>
    </message>
    <message numerus="yes">
        <source>plan.front_of</source>
        <translation>
            <numerusform>帕累托前沿：{objective} 对 {measure}（{designs} 个设计{shown}）</numerusform>
        </translation>
    </message>
    <message>
        <source>plan.less_of</source>
        <translation>更少 {objective}</translation>
    </message>
    <message>
        <source>plan.maximise</source>
        <translation>{name}：最大化 {objective}{goals}</translation>
    </message>
    <message>
        <source>plan.minimise</source>
        <translation>{name}：最小化 {objective}{goals}</translation>
    </message>
    <message>
        <source>plan.miss_of_goal</source>
        <translation>{goal}：{value}（{margin}）</translation>
    </message>
    <message>
        <source>plan.missed_by</source>
        <translation>相差 {share}</translation>
    </message>
    <message>
        <source>plan.more_nodes</source>
        <translation>更多节点</translation>
    </message>
    <message>
        <source>plan.more_of</source>
        <translation>更多 {objective}</translation>
    </message>
    <message>
        <source>plan.never_lowers</source>
        <translation>{knob}：增大从不降低 {measure}（{pairs} 对）</translation>
    </message>
    <message>
        <source>plan.never_raises</source>
        <translation>{knob}：增大从不提高 {measure}（{pairs} 对）</translation>
    </message>
    <message>
        <source>plan.no_chance</source>
        <translation>；种子没有影响</translation>
    </message>
    <message>
        <source>plan.not_measured</source>
        <translation>未测得</translation>
    </message>
    <message>
        <source>plan.not_monotone</source>
        <translation>{knob}：{measure} 不单调：{pairs} 对中 {up} 对上升、{down} 对下降；最坏情况 {exception}</translation>
    </message>
    <message>
        <source>plan.note_on</source>
        <translation>关于 {goal}：{note}</translation>
    </message>
    <message>
        <source>plan.of_knobs</source>
        <translation>每个旋钮的影响（取大一个值，其余不变；经过检查，而非假定）</translation>
    </message>
    <message numerus="yes">
        <source>plan.pruning_checked</source>
        <translation>
            <numerusform>剪枝已在 {designs} 个设计上检查：首次模拟最多偏悲观 {worst}；允许 {allowed}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>plan.refused</source>
        <translation>
            <numerusform>{designs} 个设计：{why}</numerusform>
        </translation>
    </message>
    <message>
        <source>plan.rows_shown</source>
        <translation>，显示 {rows} 个</translation>
    </message>
    <message>
        <source>plan.simulation</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>plan.some_cannot_run</source>
        <translation>；{designs} 个无法运行</translation>
    </message>
    <message>
        <source>plan.some_discarded</source>
        <translation>首次模拟（{screen}）后舍弃 {pruned} 个，由{decider}决定 {decided} 个</translation>
    </message>
    <message>
        <source>plan.the_answer</source>
        <translation>答案</translation>
    </message>
    <message>
        <source>plan.the_nearest_miss</source>
        <translation>最接近</translation>
    </message>
    <message>
        <source>plan.the_runner_up</source>
        <translation>次优</translation>
    </message>
    <message>
        <source>plan.times_limit</source>
        <translation>为限值的 {times} 倍</translation>
    </message>
    <message numerus="yes">
        <source>plan.undecided</source>
        <translation>
            <numerusform>未定：{designs} 个{which}的设计也可能达到目标；{seeds} 个种子不足以判断（请尝试 --replicas {more}）</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>plan.unsure</source>
        <translation>
            <numerusform>把握不足：{designs} 个{which}的设计按预测能达到目标，但考虑模型误差后把握低于 {share}（--sure 0 可接受它们）</numerusform>
        </translation>
    </message>
    <message>
        <source>plan.unsure_best</source>
        <translation>按预测它能达到目标，但考虑模型误差后把握低于 {share}（--sure 0 可接受它）</translation>
    </message>
    <message>
        <source>plan.up_to_seeds</source>
        <translation>，每个最多 {seeds} 个种子</translation>
    </message>
    <message numerus="yes">
        <source>plan.work</source>
        <translation>
            <numerusform>{designs} 个设计，{runs} 次模拟：{how}</numerusform>
        </translation>
    </message>
    <message>
        <source>replay.answer</source>
        <translation>答案：预测的每周误差为 {error}，上周均值为 {other}；其平均等待是记录的 {times} 倍{but}</translation>
    </message>
    <message>
        <source>replay.assumed_of_queue</source>
        <translation>假设：{what}</translation>
    </message>
    <message>
        <source>replay.first_half</source>
        <translation>最能解释前一半的</translation>
    </message>
    <message>
        <source>replay.had_room</source>
        <translation>等待的作业在其等待时间的 {share} 中其实有空位：越多，队列本身能解释的越少</translation>
    </message>
    <message>
        <source>replay.intervals_hold</source>
        <translation>每周均值的 80 % 区间包含 {share} 的周</translation>
    </message>
    <message>
        <source>replay.last_week_is_better</source>
        <translation>。这里上周均值更好：作业等待的原因不在日志中</translation>
    </message>
    <message>
        <source>replay.last_weeks</source>
        <translation>最能解释最近几周的</translation>
    </message>
    <message>
        <source>replay.log</source>
        <translation>{log}：{jobs} 个有等待记录的作业，{gpus} 个 GPU</translation>
    </message>
    <message>
        <source>replay.mean_waits</source>
        <translation>后一半的平均等待</translation>
    </message>
    <message>
        <source>replay.model</source>
        <translation>{policy}，使用机器的 {usable}，上周占 {last_week}</translation>
    </message>
    <message>
        <source>replay.most_wrong</source>
        <translation>误差最大的几周</translation>
    </message>
    <message numerus="yes">
        <source>replay.never_start</source>
        <translation>
            <numerusform>；{jobs} 个作业只在其中一种情况下启动</numerusform>
        </translation>
    </message>
    <message>
        <source>replay.not_shown</source>
        <translation>。这小于重放自身的误差 {error} h，或可能是偶然：此日志无法显示这一变化</translation>
    </message>
    <message>
        <source>replay.replay_has_room</source>
        <translation>在 scenario.yaml 的运行中，该比例为 {share}</translation>
    </message>
    <message>
        <source>replay.nobody_waited</source>
        <translation>。后一半中没有作业等待：没有可比较的等待</translation>
    </message>
    <message>
        <source>replay.falls_too_far</source>
        <translation>。等待的减少不可能超过记录的 {recorded} h：未改动的运行等待过长，此日志无法显示这一变化</translation>
    </message>
    <message>
        <source>replay.second_half</source>
        <translation>后一半：{weeks} 周中的 {jobs} 个作业，每周由最能解释此前各周的方法预测</translation>
    </message>
    <message>
        <source>replay.shows</source>
        <translation>日志显示的情况</translation>
    </message>
    <message>
        <source>replay.start_answer</source>
        <translation>它将在 {p50} 后启动，200 个未来中的 80 % 在 {low} 到 {high} 之后</translation>
    </message>
    <message numerus="yes">
        <source>replay.starts</source>
        <translation>
            <numerusform>如果现在提交此作业：{job}，进入现有队列，排在 {jobs} 个作业之后</numerusform>
        </translation>
    </message>
    <message>
        <source>replay.bounds</source>
        <translation>十个作业中应有九个在此时限内开始的上界，依据此前已开始的作业</translation>
    </message>
    <message>
        <source>replay.time_after</source>
        <translation>日志之后的时间，工作与最近四周相同</translation>
    </message>
    <message>
        <source>replay.too_few_jobs</source>
        <translation>。作业太少，无法判断</translation>
    </message>
    <message>
        <source>replay.users_stay</source>
        <translation>相同的作业在相同的时间到来：会对不同等待作出反应的用户并非如此</translation>
    </message>
    <message>
        <source>replay.weekly_error</source>
        <translation>每周误差：各周 |预测 − 记录| 等待之和除以全部记录的等待；每周从记录在其开始时的状态重放</translation>
    </message>
    <message>
        <source>replay.what_if</source>
        <translation>如果 {change}：后一半按 scenario.yaml 与改动后的对比，重采样 {weeks} 周</translation>
    </message>
    <message>
        <source>replay.what_if_answer</source>
        <translation>{change}：平均等待 {difference} h（{low} 到 {high} h）；未改动时的均值是记录的 {times} 倍{but}</translation>
    </message>
    <message>
        <source>replay.with_error</source>
        <translation>{model}：每周误差 {error}</translation>
    </message>
    <message>
        <source>score.decisions</source>
        <translation>决策：{pairs} 对，判定 {decided} 对（相差超过 5 %；第一种策略胜 {first} 次）：正确 {right} = {share}，单一速率 {one_rate}</translation>
    </message>
    <message>
        <source>score.errors</source>
        <translation>{table}：步时间误差（%），中位数 / p90 / 平均{more}</translation>
    </message>
    <message numerus="yes">
        <source>score.not_predicted</source>
        <translation>
            <numerusform>{rows} 行未预测（首先是第 {line} 行）：{fault}</numerusform>
        </translation>
    </message>
    <message>
        <source>score.set_by_rows</source>
        <translation>由校准行设定：{constants}</translation>
    </message>
    <message>
        <source>score.transfer</source>
        <translation>names only：没有拟合。transfer：每个常数来自其他模型的行，或对更多 GPU 的行取自至多 8 个 GPU 的行。</translation>
    </message>
    <message>
        <source>score.with_calibration</source>
        <translation>；使用校准“{calibration}”</translation>
    </message>
    <message>
        <source>score.worse</source>
        <translation>{unit}：在 {which} 上不如单一速率公式</translation>
    </message>
    <message>
        <source>score.wrong</source>
        <translation>错误：{decision}</translation>
    </message>
    <message>
        <source>sensitivity.at_both_ends</source>
        <translation>从 {low} 到 {high}，答案从 {at_low} 变为 {at_high}</translation>
    </message>
    <message>
        <source>sensitivity.at_one_end</source>
        <translation>取 {runs} 时答案是 {answer}，取 {fails} 时无法运行</translation>
    </message>
    <message>
        <source>sensitivity.cannot_run</source>
        <translation>无法运行</translation>
    </message>
    <message>
        <source>sensitivity.cannot_vary</source>
        <translation>无法改变：{input}：{why}</translation>
    </message>
    <message>
        <source>sensitivity.mean_of_seeds</source>
        <translation>；{seeds} 个种子的平均</translation>
    </message>
    <message>
        <source>sensitivity.more</source>
        <translation>… 还有 {more} 项在 sensitivity.csv 中</translation>
    </message>
    <message>
        <source>sensitivity.most_important</source>
        <translation>最重要的输入是 {input}：{effect}</translation>
    </message>
    <message>
        <source>sensitivity.no_effect</source>
        <translation>没有影响（{count}）：{inputs}</translation>
    </message>
    <message>
        <source>sensitivity.cut_off</source>
        <translation>；不含 {all} 个样本中无法运行的 {samples} 个</translation>
    </message>
    <message>
        <source>sensitivity.not_varied</source>
        <translation>未改变：模型自身的误差（docs/accuracy.md）；机器、GPU、内存、核心、价格和策略（-i PATH=10% 可改变其中一项）</translation>
    </message>
    <message>
        <source>sensitivity.nothing_changes</source>
        <translation>没有输入会改变它</translation>
    </message>
    <message>
        <source>sensitivity.point</source>
        <translation>点：{point}</translation>
    </message>
    <message numerus="yes">
        <source>sensitivity.together</source>
        <translation>
            <numerusform>；{inputs} 个不确定输入一起变化时为 {low} 到 {high}（{samples} 个样本的 5 到 95 %）</numerusform>
        </translation>
    </message>
    <message>
        <source>sensitivity.value_is</source>
        <translation>{measure}：{value}{more}</translation>
    </message>
    <message>
        <source>together.held_by</source>
        <translation>{who} {hours}（{share}）</translation>
    </message>
    <message>
        <source>together.ledger</source>
        <translation>{title}{all} GPU 小时中：{held}，空闲或停机 {free}（{share}）</translation>
    </message>
    <message>
        <source>together.queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>together.retraining</source>
        <translation>重新训练</translation>
    </message>
    <message>
        <source>together.services</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>together.shares_links</source>
        <translation>{name} 共享链路 {time}，其间以单独运行 {speed} 的速度训练，主要与 {neighbour} 共享 {link}</translation>
    </message>
    <message>
        <source>calibrate.at_end</source>
        <translation>在其范围的端点</translation>
    </message>
    <message>
        <source>calibrate.columns</source>
        <translation>times：相对于按名称已知的值；decides：首个步骤中有多少取决于它。这些行无法区分的常数，按各自的不确定程度移动（results/error_model.csv）。</translation>
    </message>
    <message>
        <source>calibrate.not_explained</source>
        <translation>未解释</translation>
    </message>
    <message>
        <source>calibrate.unexplained</source>
        <translation>范围内没有设置能解释 {measured}（{row}）；最接近的是 {nearest}。可能有场景没有说明的因素：输入、机器上的其他作业、其他软件。</translation>
    </message>
    <message>
        <source>results.based_on</source>
        <translation>依据：{note}</translation>
    </message>
    <message>
        <source>results.job</source>
        <translation>{title}：{rates}</translation>
    </message>
    <message>
        <source>results.no_job_ran</source>
        <translation>没有作业运行</translation>
    </message>
</context>
<context>
    <name>Results</name>
    <message>
        <source>cannot run</source>
        <translation>无法运行</translation>
    </message>
    <message>
        <source>met</source>
        <translation>达标</translation>
    </message>
    <message>
        <source>missed</source>
        <translation>未达标</translation>
    </message>
    <message>
        <source>undecided</source>
        <translation>未定</translation>
    </message>
    <message>
        <source>unsure</source>
        <translation>把握不足</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>image</source>
        <translation>图像</translation>
    </message>
    <message>
        <source>sample</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>useful image</source>
        <translation>有效图像</translation>
    </message>
    <message>
        <source>useful sample</source>
        <translation>有效样本</translation>
    </message>
    <message>
        <source>useful sequence</source>
        <translation>有效序列</translation>
    </message>
    <message>
        <source>sequence</source>
        <translation>序列</translation>
    </message>
    <message>
        <source>token</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>%1 GPU</source>
        <translation>%1 个 GPU</translation>
    </message>
    <message>
        <source>%1 GPUs</source>
        <translation>%1 个 GPU</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <translation>%1；%2</translation>
    </message>
    <message>
        <source>assumed: %1</source>
        <translation>假定：%1</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation>未被掩盖的通信</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>wait for others</source>
        <translation>等待其他</translation>
    </message>
    <message>
        <source>host starts operators</source>
        <translation>主机启动算子</translation>
    </message>
    <message>
        <source>role</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>waited</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>what</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>used</source>
        <translation>利用率</translation>
    </message>
    <message>
        <source>occupied</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>carried</source>
        <translation>传输量</translation>
    </message>
    <message>
        <source>link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>jobs</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>pull</source>
        <translation>拉取</translation>
    </message>
    <message>
        <source>push</source>
        <translation>推送</translation>
    </message>
    <message>
        <source>exchange</source>
        <translation>交换</translation>
    </message>
    <message>
        <source>aggregate</source>
        <translation>聚合</translation>
    </message>
    <message>
        <source>update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>resource</source>
        <translation>资源</translation>
    </message>
    <message>
        <source>connection</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>kernels of forward and backward passes on the busiest rank</source>
        <translation>最忙的 rank 上前向和反向的内核</translation>
    </message>
    <message>
        <source>waiting for kernels to be launched</source>
        <translation>等待内核启动</translation>
    </message>
    <message>
        <source>tensor-parallel collectives that nothing hides</source>
        <translation>未被掩盖的张量并行集合通信</translation>
    </message>
    <message>
        <source>exchange of keys and values that nothing hides</source>
        <translation>未被掩盖的键值交换</translation>
    </message>
    <message>
        <source>all-to-all of experts</source>
        <translation>专家之间的 all-to-all</translation>
    </message>
    <message>
        <source>gradients and weights between replicas that nothing hides</source>
        <translation>副本之间未被掩盖的梯度和权重</translation>
    </message>
    <message>
        <source>waiting for other stages, were messages instant</source>
        <translation>若消息瞬时到达，等待其他阶段的时间</translation>
    </message>
    <message>
        <source>more of it because messages between stages take time</source>
        <translation>因阶段间消息耗时而多等的时间</translation>
    </message>
    <message>
        <source>update of the parameters</source>
        <translation>参数更新</translation>
    </message>
    <message>
        <source>training between two checkpoints; 0: none are written</source>
        <translation>两个检查点之间的训练；0：不写检查点</translation>
    </message>
    <message>
        <source>queue:</source>
        <translation>队列：</translation>
    </message>
    <message>
        <source>priority:</source>
        <translation>优先级：</translation>
    </message>
    <message>
        <source>state:</source>
        <translation>状态：</translation>
    </message>
    <message>
        <source>load:</source>
        <translation>负载：</translation>
    </message>
    <message>
        <source>nothing trains</source>
        <translation>没有训练</translation>
    </message>
    <message>
        <source>wait for the slowest</source>
        <translation>等待最慢者</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
</context>
<context>
    <name>Columns</name>
    <message>
        <source>GPU hours</source>
        <translation>GPU 小时</translation>
    </message>
    <message>
        <source>GPU mask</source>
        <translation>GPU 掩码</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>GPU 显存</translation>
    </message>
    <message>
        <source>GPU share</source>
        <translation>GPU 份额</translation>
    </message>
    <message>
        <source>JCT</source>
        <translation>作业完成时间</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>alone</source>
        <translation>单独运行</translation>
    </message>
    <message>
        <source>arrival</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>asked GPUs</source>
        <translation>请求的 GPU</translation>
    </message>
    <message>
        <source>at</source>
        <translation>时刻</translation>
    </message>
    <message>
        <source>attempt</source>
        <translation>尝试</translation>
    </message>
    <message>
        <source>attempts</source>
        <translation>尝试次数</translation>
    </message>
    <message>
        <source>availability</source>
        <translation>可用性</translation>
    </message>
    <message>
        <source>bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>batch per GPU</source>
        <translation>每 GPU 批大小</translation>
    </message>
    <message>
        <source>begin</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>blocker</source>
        <translation>阻塞者</translation>
    </message>
    <message>
        <source>bottleneck</source>
        <translation>瓶颈</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>流水线气泡</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>busy GPUs</source>
        <translation>忙碌 GPU</translation>
    </message>
    <message>
        <source>by</source>
        <translation>由</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>bytes per step</source>
        <translation>每步字节</translation>
    </message>
    <message>
        <source>cause</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>caused by</source>
        <translation>起因</translation>
    </message>
    <message>
        <source>checkpoint interval</source>
        <translation>检查点间隔</translation>
    </message>
    <message>
        <source>chunk</source>
        <translation>块</translation>
    </message>
    <message>
        <source>chunks</source>
        <translation>块数</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>时钟</translation>
    </message>
    <message>
        <source>coalesced</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>completions</source>
        <translation>完成数</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>confirm</source>
        <translation>确认</translation>
    </message>
    <message>
        <source>container GPU</source>
        <translation>容器内 GPU</translation>
    </message>
    <message>
        <source>cost</source>
        <translation>费用</translation>
    </message>
    <message>
        <source>data until</source>
        <translation>数据截至</translation>
    </message>
    <message>
        <source>deploy</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>deployed</source>
        <translation>已部署</translation>
    </message>
    <message>
        <source>deployed at</source>
        <translation>部署时刻</translation>
    </message>
    <message>
        <source>desired</source>
        <translation>期望</translation>
    </message>
    <message>
        <source>detail</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>detect</source>
        <translation>检测</translation>
    </message>
    <message>
        <source>detected</source>
        <translation>检测到</translation>
    </message>
    <message>
        <source>download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>duplicates</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>duration</source>
        <translation>持续时间</translation>
    </message>
    <message>
        <source>end</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>ended at</source>
        <translation>结束时刻</translation>
    </message>
    <message>
        <source>energy</source>
        <translation>能耗</translation>
    </message>
    <message>
        <source>event</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation>暴露的通信</translation>
    </message>
    <message>
        <source>exposed context</source>
        <translation>暴露的上下文通信</translation>
    </message>
    <message>
        <source>exposed data</source>
        <translation>暴露的数据通信</translation>
    </message>
    <message>
        <source>exposed expert</source>
        <translation>暴露的专家通信</translation>
    </message>
    <message>
        <source>exposed pipeline</source>
        <translation>暴露的流水线通信</translation>
    </message>
    <message>
        <source>exposed tensor</source>
        <translation>暴露的张量通信</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>failure</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>failures</source>
        <translation>故障数</translation>
    </message>
    <message>
        <source>fidelity</source>
        <translation>仿真精度</translation>
    </message>
    <message>
        <source>finish</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>finish time fairness</source>
        <translation>完成时间公平性</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>finished jobs</source>
        <translation>完成的作业</translation>
    </message>
    <message>
        <source>first running</source>
        <translation>首次运行</translation>
    </message>
    <message>
        <source>forbidden</source>
        <translation>禁止</translation>
    </message>
    <message>
        <source>fragmentation</source>
        <translation>碎片化</translation>
    </message>
    <message>
        <source>fragmented wait hours</source>
        <translation>碎片化等待小时</translation>
    </message>
    <message>
        <source>free GPUs</source>
        <translation>空闲 GPU</translation>
    </message>
    <message>
        <source>from</source>
        <translation>从</translation>
    </message>
    <message>
        <source>goodput</source>
        <translation>有效吞吐</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>held</source>
        <translation>占有</translation>
    </message>
    <message>
        <source>held share</source>
        <translation>占有份额</translation>
    </message>
    <message>
        <source>high</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>host GPU</source>
        <translation>主机 GPU</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>idle GPU</source>
        <translation>GPU 空闲</translation>
    </message>
    <message>
        <source>impossible</source>
        <translation>不可能</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>input wait</source>
        <translation>等待输入</translation>
    </message>
    <message>
        <source>jain</source>
        <translation>Jain 指数</translation>
    </message>
    <message>
        <source>job</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>jobs</source>
        <translation>作业数</translation>
    </message>
    <message>
        <source>jobs hit</source>
        <translation>受影响作业</translation>
    </message>
    <message>
        <source>killed</source>
        <translation>被终止</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>label</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>load</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>lost GPU</source>
        <translation>损失的 GPU</translation>
    </message>
    <message>
        <source>lost GPU hours</source>
        <translation>损失的 GPU 小时</translation>
    </message>
    <message>
        <source>lost messages</source>
        <translation>丢失消息</translation>
    </message>
    <message>
        <source>low</source>
        <translation>下限</translation>
    </message>
    <message>
        <source>makespan</source>
        <translation>总完成时间</translation>
    </message>
    <message>
        <source>mean JCT</source>
        <translation>平均完成时间</translation>
    </message>
    <message>
        <source>mean confirm</source>
        <translation>平均确认时间</translation>
    </message>
    <message>
        <source>mean deploy</source>
        <translation>平均部署时间</translation>
    </message>
    <message>
        <source>mean detect</source>
        <translation>平均检测时间</translation>
    </message>
    <message>
        <source>mean download</source>
        <translation>平均下载时间</translation>
    </message>
    <message>
        <source>mean need</source>
        <translation>平均需求</translation>
    </message>
    <message>
        <source>mean power</source>
        <translation>平均功率</translation>
    </message>
    <message>
        <source>mean queue</source>
        <translation>平均排队时间</translation>
    </message>
    <message>
        <source>mean running share</source>
        <translation>平均运行份额</translation>
    </message>
    <message>
        <source>mean save</source>
        <translation>平均保存时间</translation>
    </message>
    <message>
        <source>mean train</source>
        <translation>平均训练时间</translation>
    </message>
    <message>
        <source>mean upload</source>
        <translation>平均上传时间</translation>
    </message>
    <message>
        <source>mean waiting</source>
        <translation>平均等待时间</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>消息数</translation>
    </message>
    <message>
        <source>micro batch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>model flop utilisation</source>
        <translation>模型 FLOP 利用率</translation>
    </message>
    <message>
        <source>moved to</source>
        <translation>迁移到</translation>
    </message>
    <message>
        <source>moves</source>
        <translation>迁移</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>need</source>
        <translation>需求</translation>
    </message>
    <message>
        <source>need to deployed mean at least</source>
        <translation>需求到部署，至少</translation>
    </message>
    <message>
        <source>need to deployed p50</source>
        <translation>需求到部署，中位数</translation>
    </message>
    <message>
        <source>need to deployed p95</source>
        <translation>需求到部署，95 % 低于</translation>
    </message>
    <message>
        <source>need to deployed</source>
        <translation>需求到部署</translation>
    </message>
    <message>
        <source>need to trained mean at least</source>
        <translation>需求到训练完成，至少</translation>
    </message>
    <message>
        <source>needed at</source>
        <translation>需求时刻</translation>
    </message>
    <message>
        <source>needs</source>
        <translation>需求数</translation>
    </message>
    <message>
        <source>neighbour</source>
        <translation>邻居</translation>
    </message>
    <message>
        <source>network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>never back</source>
        <translation>未恢复</translation>
    </message>
    <message>
        <source>never ran</source>
        <translation>从未运行</translation>
    </message>
    <message>
        <source>node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>节点数</translation>
    </message>
    <message>
        <source>number</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>open</source>
        <translation>未结</translation>
    </message>
    <message>
        <source>optimal makespan</source>
        <translation>最优总完成时间</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>outdated</source>
        <translation>过时</translation>
    </message>
    <message>
        <source>owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>pass</source>
        <translation>传播</translation>
    </message>
    <message>
        <source>placed</source>
        <translation>已放置</translation>
    </message>
    <message>
        <source>planned makespan</source>
        <translation>计划总完成时间</translation>
    </message>
    <message>
        <source>planned start</source>
        <translation>计划开始</translation>
    </message>
    <message>
        <source>planner</source>
        <translation>规划器</translation>
    </message>
    <message>
        <source>plans</source>
        <translation>计划数</translation>
    </message>
    <message>
        <source>point</source>
        <translation>点</translation>
    </message>
    <message>
        <source>policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>数值精度</translation>
    </message>
    <message>
        <source>preemptions</source>
        <translation>抢占</translation>
    </message>
    <message>
        <source>price per million samples</source>
        <translation>每百万样本价格</translation>
    </message>
    <message>
        <source>priority</source>
        <translation>优先级</translation>
    </message>
    <message>
        <source>provenance</source>
        <translation>数据来源</translation>
    </message>
    <message>
        <source>provenance note</source>
        <translation>来源说明</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>queue GPU hours</source>
        <translation>队列 GPU 小时</translation>
    </message>
    <message>
        <source>queue lost GPU hours</source>
        <translation>队列损失的 GPU 小时</translation>
    </message>
    <message>
        <source>queueing delay</source>
        <translation>排队延迟</translation>
    </message>
    <message>
        <source>rack</source>
        <translation>机架</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>rank 编号</translation>
    </message>
    <message>
        <source>reason</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>recovered</source>
        <translation>已恢复</translation>
    </message>
    <message>
        <source>redeploying</source>
        <translation>重新部署</translation>
    </message>
    <message>
        <source>redone</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>redone GPU hours</source>
        <translation>重做的 GPU 小时</translation>
    </message>
    <message>
        <source>replaced</source>
        <translation>被替换</translation>
    </message>
    <message>
        <source>replica</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>replicas</source>
        <translation>副本数</translation>
    </message>
    <message>
        <source>request</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>restarts</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>restoring</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>retraining GPU hours</source>
        <translation>重训练 GPU 小时</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>running jobs</source>
        <translation>运行中的作业</translation>
    </message>
    <message>
        <source>sample</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>samples per second</source>
        <translation>每秒样本数</translation>
    </message>
    <message>
        <source>save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>saving</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>scaling efficiency</source>
        <translation>扩展效率</translation>
    </message>
    <message>
        <source>servers</source>
        <translation>服务器数</translation>
    </message>
    <message>
        <source>service</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>services GPU hours</source>
        <translation>服务 GPU 小时</translation>
    </message>
    <message>
        <source>share of speed alone</source>
        <translation>相对单独运行的速度</translation>
    </message>
    <message>
        <source>simulated steps</source>
        <translation>模拟步数</translation>
    </message>
    <message>
        <source>slowdown</source>
        <translation>减速比</translation>
    </message>
    <message>
        <source>source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>stale share</source>
        <translation>过期时间占比</translation>
    </message>
    <message>
        <source>staleness</source>
        <translation>陈旧度</translation>
    </message>
    <message>
        <source>stalled</source>
        <translation>停滞</translation>
    </message>
    <message>
        <source>start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>submissions</source>
        <translation>提交数</translation>
    </message>
    <message>
        <source>submit</source>
        <translation>提交</translation>
    </message>
    <message>
        <source>task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>tasks hit</source>
        <translation>受影响任务</translation>
    </message>
    <message>
        <source>team</source>
        <translation>团队</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>time to recover</source>
        <translation>恢复时间</translation>
    </message>
    <message>
        <source>to</source>
        <translation>到</translation>
    </message>
    <message>
        <source>tokens per sample</source>
        <translation>每样本词元数</translation>
    </message>
    <message>
        <source>tokens per second</source>
        <translation>每秒词元数</translation>
    </message>
    <message>
        <source>total</source>
        <translation>总计</translation>
    </message>
    <message>
        <source>train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>trained at</source>
        <translation>训练完成时刻</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>until</source>
        <translation>直到</translation>
    </message>
    <message>
        <source>upload</source>
        <translation>上传</translation>
    </message>
    <message>
        <source>uploads</source>
        <translation>上传数</translation>
    </message>
    <message>
        <source>used</source>
        <translation>已用</translation>
    </message>
    <message>
        <source>useful</source>
        <translation>有效</translation>
    </message>
    <message>
        <source>useful tokens per second</source>
        <translation>每秒有效词元数</translation>
    </message>
    <message>
        <source>user</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>utilisation</source>
        <translation>利用率</translation>
    </message>
    <message>
        <source>variant</source>
        <translation>变体</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>wait</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>waiting jobs</source>
        <translation>等待的作业</translation>
    </message>
    <message>
        <source>wasted GPU hours</source>
        <translation>浪费的 GPU 小时</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>what</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>work done</source>
        <translation>完成的工作</translation>
    </message>
    <message>
        <source>worker</source>
        <translation>工作进程</translation>
    </message>
    <message>
        <source>workers</source>
        <translation>工作进程数</translation>
    </message>
    <message>
        <source>worst outage</source>
        <translation>最长中断</translation>
    </message>
</context>
<context>
    <name>Units</name>
    <message>
        <source>ns</source>
        <translation>ns</translation>
    </message>
    <message>
        <source>us</source>
        <translation>µs</translation>
    </message>
    <message>
        <source>µs</source>
        <translation>µs</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>min</source>
        <translation>min</translation>
    </message>
    <message>
        <source>h</source>
        <translation>h</translation>
    </message>
    <message>
        <source>d</source>
        <translation>d</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>kB</source>
        <translation>kB</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <source>GB</source>
        <translation>GB</translation>
    </message>
    <message>
        <source>TB</source>
        <translation>TB</translation>
    </message>
    <message>
        <source>B/s</source>
        <translation>B/s</translation>
    </message>
    <message>
        <source>kB/s</source>
        <translation>kB/s</translation>
    </message>
    <message>
        <source>MB/s</source>
        <translation>MB/s</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>TB/s</source>
        <translation>TB/s</translation>
    </message>
    <message>
        <source>Mbit/s</source>
        <translation>Mbit/s</translation>
    </message>
    <message>
        <source>Gbit/s</source>
        <translation>Gbit/s</translation>
    </message>
    <message>
        <source>Tbit/s</source>
        <translation>Tbit/s</translation>
    </message>
    <message>
        <source>W</source>
        <translation>W</translation>
    </message>
    <message>
        <source>kWh</source>
        <translation>kWh</translation>
    </message>
    <message>
        <source>$/h</source>
        <translation>$/h</translation>
    </message>
</context>
<context>
    <name>Examples</name>
    <message>
        <source>which container gets which GPU and how much of its memory, and how fast do they train?</source>
        <translation>哪个容器得到哪块 GPU 及其多少显存，训练有多快？</translation>
    </message>
    <message>
        <source>what do the two GPUs do while a client fits a line?</source>
        <translation>客户端拟合一条直线时，两块 GPU 在做什么？</translation>
    </message>
    <message>
        <source>how much of the GPU time that two jobs hold do they waste without a gang?</source>
        <translation>没有成组调度时，两个作业浪费了所占用 GPU 时间的多少？</translation>
    </message>
    <message>
        <source>from which load on is a planner worth it, and how good are the models?</source>
        <translation>从多大负载起规划器才值得，模型有多好？</translation>
    </message>
    <message>
        <source>parameter servers, a gather of touched rows, or dense gradients for a recommendation model with embeddings?</source>
        <translation>带嵌入的推荐模型：参数服务器、收集用到的行，还是稠密梯度？</translation>
    </message>
    <message>
        <source>how many steps must workers behind a slow network take by themselves until averaging costs them nothing?</source>
        <translation>慢网络上的工作进程要各自走多少步，平均才几乎没有代价？</translation>
    </message>
    <message>
        <source>does DeepSeek-V3 fit without tensor parallelism, and what do its experts&apos; messages cost?</source>
        <translation>DeepSeek-V3 不用张量并行能放得下吗？专家之间的消息代价有多大？</translation>
    </message>
    <message>
        <source>Designs, and their measures of the goal</source>
        <translation>各方案及其目标指标</translation>
    </message>
    <message>
        <source>which resources does an ended batch container still hold?</source>
        <translation>已结束的批处理容器还占用哪些资源？</translation>
    </message>
    <message>
        <source>does a byte leave the machine when all containers of a training job run on it?</source>
        <translation>训练作业的所有容器都在同一台机器上时，会有字节离开机器吗？</translation>
    </message>
    <message>
        <source>do the containers on one machine find each other, and what starts them again?</source>
        <translation>同一台机器上的容器能互相发现吗？由什么重新启动它们？</translation>
    </message>
    <message>
        <source>which container gets which GPU, and what restarts after a host fails?</source>
        <translation>哪个容器得到哪块 GPU？主机故障后什么会重启？</translation>
    </message>
    <message>
        <source>which library reduces 100 MB fastest over 8 GPUs, and how much time does GPUDirect save?</source>
        <translation>哪个库在 8 块 GPU 上归约 100 MB 最快？GPUDirect 节省多少时间？</translation>
    </message>
    <message>
        <source>which jobs does one broken machine affect?</source>
        <translation>一台故障机器会影响哪些作业？</translation>
    </message>
    <message>
        <source>which checkpoint interval loses the least time?</source>
        <translation>哪种检查点间隔损失的时间最少？</translation>
    </message>
    <message>
        <source>what does a dead machine cost a training job, and how often should it checkpoint?</source>
        <translation>一台机器故障会让训练作业付出多少代价，多久写一次检查点？</translation>
    </message>
    <message>
        <source>how much time do bytes, latency and unequal shares each cost?</source>
        <translation>字节数、延迟和不均等的份额各花费多少时间？</translation>
    </message>
    <message>
        <source>what does the work cost, and how much does a licence add?</source>
        <translation>这些工作花费多少？许可证又增加多少？</translation>
    </message>
    <message>
        <source>which jobs do constant loads slow down?</source>
        <translation>持续负载会拖慢哪些作业？</translation>
    </message>
    <message>
        <source>how long does the same work take on a CPU, one GPU, several GPUs, a cluster?</source>
        <translation>同样的工作在 CPU、单 GPU、多 GPU 和集群上各需多久？</translation>
    </message>
    <message>
        <source>how soon does throughput follow the number of workers, and how even is the load on the machines?</source>
        <translation>吞吐量多快跟上工作进程数的变化？机器负载有多均匀？</translation>
    </message>
    <message>
        <source>which transports does this build of the framework have?</source>
        <translation>该框架构建包含哪些传输方式？</translation>
    </message>
    <message>
        <source>how much time do two framework versions cost on one cluster?</source>
        <translation>一个集群上使用两个框架版本要多花多少时间？</translation>
    </message>
    <message>
        <source>do parameter servers take resources that workers need?</source>
        <translation>参数服务器会占用工作进程所需的资源吗？</translation>
    </message>
    <message>
        <source>how long does the first start take, and how long the second?</source>
        <translation>第一次启动需要多久？第二次呢？</translation>
    </message>
    <message>
        <source>how much of the reserved GPU time do notebooks use, and how much is left for batch jobs?</source>
        <translation>notebook 用掉多少预留的 GPU 时间？还剩多少给批处理作业？</translation>
    </message>
    <message>
        <source>what happens to two jobs for one GPU, without and with requests?</source>
        <translation>两个作业争用一块 GPU，有无资源请求时分别会怎样？</translation>
    </message>
    <message>
        <source>which kinds of jobs gain from bandwidth, and which from latency?</source>
        <translation>哪些作业受益于带宽？哪些受益于低延迟？</translation>
    </message>
    <message>
        <source>what happens between a pod's submission and its first step, and why is one pending?</source>
        <translation>从提交 pod 到第一步之间发生什么？为什么有一个处于等待？</translation>
    </message>
    <message>
        <source>what depends on the control plane?</source>
        <translation>哪些功能依赖控制平面？</translation>
    </message>
    <message>
        <source>why does a pod wait although GPUs are free?</source>
        <translation>GPU 空闲，为什么 pod 仍在等待？</translation>
    </message>
    <message>
        <source>how long does it take to reach the desired state again after a node is lost?</source>
        <translation>丢失一个节点后，多久能恢复到期望状态？</translation>
    </message>
    <message>
        <source>which version can run a pod with four GPUs?</source>
        <translation>哪个版本能运行需要四块 GPU 的 pod？</translation>
    </message>
    <message>
        <source>which scoring strategy leaves whole machines free for large jobs?</source>
        <translation>哪种打分策略能为大作业留出整机？</translation>
    </message>
    <message>
        <source>which order serves divided transformers and small jobs best?</source>
        <translation>哪种顺序最适合切分的 transformer 与小作业并存？</translation>
    </message>
    <message>
        <source>what do divided transformers gain if they may have fewer or more replicas?</source>
        <translation>如果分割的 Transformer 可以有更少或更多的副本，会有什么收益？</translation>
    </message>
    <message>
        <source>how much of the time is useful training, and how often should it save?</source>
        <translation>有效训练占多少时间？应多久保存一次？</translation>
    </message>
    <message>
        <source>how fast does this layout train, and what holds it back?</source>
        <translation>这种布局训练有多快？受什么限制？</translation>
    </message>
    <message>
        <source>how much waiting do fragmentation-aware placements save on a cluster of four GPU types?</source>
        <translation>在有四种 GPU 的集群上，考虑碎片的放置能减少多少等待？</translation>
    </message>
    <message>
        <source>what happens inside a training step, and how much of the exchange does the backward pass hide?</source>
        <translation>一个训练步内发生什么？反向传播能掩盖多少通信？</translation>
    </message>
    <message>
        <source>what happens to an MPI job when one rank dies, and who holds the GPUs afterwards?</source>
        <translation>一个 rank 崩溃后 MPI 作业会怎样？之后谁占用 GPU？</translation>
    </message>
    <message>
        <source>does a batch system or Kubernetes serve a mixed cluster better?</source>
        <translation>混合集群用批处理系统好还是 Kubernetes 好？</translation>
    </message>
    <message>
        <source>what should happen to a retraining if newer data arrive before it has ended?</source>
        <translation>重训练未结束就有新数据到达，应如何处理？</translation>
    </message>
    <message>
        <source>does the orchestrator's name matter?</source>
        <translation>编排器的名称重要吗？</translation>
    </message>
    <message>
        <source>how long do a change of configuration, new machines and a crash take, by hand and under Kubernetes?</source>
        <translation>手工与 Kubernetes 下，更改配置、新增机器和崩溃恢复各需多久？</translation>
    </message>
    <message>
        <source>how much slower are jobs that are spread over machines and share the network?</source>
        <translation>分散在多台机器上并共享网络的作业会慢多少？</translation>
    </message>
    <message>
        <source>how much shorter is the makespan if the job on the longest path goes first?</source>
        <translation>如果最长路径上的作业先运行，总完成时间会缩短多少？</translation>
    </message>
    <message>
        <source>which planner ends the night's retrainings first, and how long does planning take?</source>
        <translation>哪个规划器最先完成夜间重训练？规划本身需要多久？</translation>
    </message>
    <message>
        <source>how much throughput does one slow worker cost with each update rule?</source>
        <translation>在各种更新规则下，一个慢工作进程会损失多少吞吐量？</translation>
    </message>
    <message>
        <source>how much work does a failed rack cost, with and without rescheduling, with two checkpoint intervals?</source>
        <translation>机架故障会损失多少工作？有无重新调度、两种检查点间隔下如何？</translation>
    </message>
    <message>
        <source>when does training start, and what if a rank or the master is missing?</source>
        <translation>训练何时开始？缺少某个 rank 或 master 会怎样？</translation>
    </message>
    <message>
        <source>how much of the time is the serving model based on data older than one period?</source>
        <translation>线上模型有多少时间基于早于一个周期的数据？</translation>
    </message>
    <message>
        <source>replace a stale retraining at once, after a wait, or not at all?</source>
        <translation>过时的重训练应立即替换、等待后替换还是不替换？</translation>
    </message>
    <message>
        <source>how much later is the end of a training noticed if messages get lost?</source>
        <translation>消息丢失时，训练结束会晚多久被发现？</translation>
    </message>
    <message>
        <source>how much time is lost if the cluster has no status interface?</source>
        <translation>集群没有状态接口会损失多少时间？</translation>
    </message>
    <message>
        <source>how much time do a planner and a shared cluster save from the need to the end of training?</source>
        <translation>从需求产生到训练结束，规划器和共享集群节省多少时间？</translation>
    </message>
    <message>
        <source>from how many workers on does a ring beat parameter servers, and what does a faster network change?</source>
        <translation>从多少工作进程起环优于参数服务器？更快的网络带来什么变化？</translation>
    </message>
    <message>
        <source>how much slower is a job in a container or a virtual machine?</source>
        <translation>作业在容器或虚拟机中慢多少？</translation>
    </message>
    <message>
        <source>how many replicas answer the requests, how fast, and what is left for training?</source>
        <translation>多少副本应答请求？多快？还剩多少给训练？</translation>
    </message>
    <message>
        <source>which queue policy is best for whom on a shared cluster?</source>
        <translation>在共享集群上，哪种队列策略对谁最好？</translation>
    </message>
    <message>
        <source>how much slower are jobs that share GPUs by memory?</source>
        <translation>按显存共享 GPU 的作业会慢多少？</translation>
    </message>
    <message>
        <source>how many readers can the storage serve at full speed?</source>
        <translation>存储能以全速服务多少个读取者？</translation>
    </message>
    <message>
        <source>what does one more worker cost a job whose members are fixed?</source>
        <translation>对成员固定的作业，增加一个工作进程代价如何？</translation>
    </message>
    <message>
        <source>a process crashes, a node fails; which tasks restart where and when, and what is lost?</source>
        <translation>进程崩溃、节点故障：哪些任务何时在哪里重启？损失什么？</translation>
    </message>
    <message>
        <source>which container gets which GPU, and when do containers lose their GPU?</source>
        <translation>哪个容器得到哪块 GPU？容器何时失去 GPU？</translation>
    </message>
    <message>
        <source>what still works when managers are lost?</source>
        <translation>失去管理节点后还有什么能工作？</translation>
    </message>
    <message>
        <source>where are replicas placed, and what happens if machines join or fail, or a port is in use?</source>
        <translation>副本放置在哪里？机器加入、故障或端口被占用时会怎样？</translation>
    </message>
    <message>
        <source>how long does a rolling update take, and how many replicas run during it?</source>
        <translation>滚动更新需要多久？期间有多少副本在运行？</translation>
    </message>
    <message>
        <source>a TensorFlow cluster by hand or Docker Swarm with GPUs?</source>
        <translation>手工搭建 TensorFlow 集群，还是带 GPU 的 Docker Swarm？</translation>
    </message>
    <message>
        <source>which teams does a failed rack affect, with separate and with shared machines?</source>
        <translation>机器独占与共享时，机架故障各影响哪些团队？</translation>
    </message>
    <message>
        <source>each team its own machines, or one shared cluster?</source>
        <translation>各团队独占机器，还是共享一个集群？</translation>
    </message>
    <message>
        <source>when does a TensorFlow cluster start, and which tasks exchange data?</source>
        <translation>TensorFlow 集群何时启动？哪些任务交换数据？</translation>
    </message>
    <message>
        <source>which processes fit on the two GPUs of a machine together?</source>
        <translation>哪些进程能同时放入一台机器的两块 GPU？</translation>
    </message>
    <message>
        <source>how much slower are a bridge and an overlay than the host's network?</source>
        <translation>网桥和 overlay 网络比主机网络慢多少？</translation>
    </message>
    <message>
        <source>how many workers can one client feed?</source>
        <translation>一个客户端能供应多少工作进程？</translation>
    </message>
    <message>
        <source>what limits a distributed program of tiny operations, bandwidth or latency?</source>
        <translation>由微小操作组成的分布式程序受带宽还是延迟限制？</translation>
    </message>
    <message>
        <source>how much faster are towers in one process than one process per GPU?</source>
        <translation>单进程多 tower 比每 GPU 一个进程快多少？</translation>
    </message>
    <message>
        <source>which operation runs on which device, and why?</source>
        <translation>哪个操作在哪个设备上运行？为什么？</translation>
    </message>
    <message>
        <source>how much time do waiting servers save, and how many idle GPU-hours do they cost?</source>
        <translation>待命的服务器节省多少时间？浪费多少空闲 GPU 小时？</translation>
    </message>
    <message>
        <source>parameter server or ring all-reduce for VGG-16 and ResNet-50 on 1 to 64 GPUs?</source>
        <translation>VGG-16 与 ResNet-50 在 1 到 64 块 GPU 上：参数服务器还是环形 all-reduce？</translation>
    </message>
    <message>
        <source>what do quotas of Kueue and weights of Volcano do to three teams?</source>
        <translation>Kueue 的配额和 Volcano 的权重对三个团队有什么影响？</translation>
    </message>
    <message>
        <source>what do serving, retraining and failures cost the teams that share a cluster?</source>
        <translation>服务、重训练和故障让共享集群的团队付出多少代价？</translation>
    </message>
    <message>
        <source>which policy gives GPUs to the jobs that learn faster with them?</source>
        <translation>哪种策略把 GPU 分给因此学得更快的作业？</translation>
    </message>
</context>
<context>
    <name>trainyard::gui::LayoutsDialog</name>
    <message>
        <source>Layouts: ways to divide the transformer</source>
        <translation>布局：划分 Transformer 的方式</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>作业</translation>
    </message>
    <message>
        <source>Layouts by the time of a step</source>
        <translation>按步时间排列的布局</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>搜索进度</translation>
    </message>
    <message>
        <source>Take it into the scenario</source>
        <translation>用于场景</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>Layouts are looked at…</source>
        <translation>正在比较布局…</translation>
    </message>
    <message>
        <source>%1 GPUs of the kind %2, precision %5: %3 layouts were looked at, %4 of them need more memory than the GPU has. Step times are by closed form, on the machines of the scenario. A double click takes a layout into the scenario.</source>
        <translation>%1 个 %2 GPU，精度 %5：比较了 %3 种布局，其中 %4 种所需显存超过该 GPU。步时间由公式得出，机器为场景中的机器。双击可将布局用于场景。</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Step, s</source>
        <translation>步，秒</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <source>MFU, %</source>
        <translation>MFU，%</translation>
    </message>
    <message>
        <source>GPU memory, GiB</source>
        <translation>GPU 显存，GiB</translation>
    </message>
    <message>
        <source>Why it is slower</source>
        <translation>为何较慢</translation>
    </message>
    <message>
        <source>Take a layout</source>
        <translation>采用布局</translation>
    </message>
</context>
<context>
    <name>TableModel</name>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
</context>
</TS>
