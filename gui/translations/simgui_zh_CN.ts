<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Inspector</name>
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
        <source>Cost of each design, and its measure of the goal</source>
        <translation>每个方案花费多少，带来什么？</translation>
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
        <source>recovered.yaml</source>
        <translation>recovered.yaml</translation>
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
        <source>Pareto front: best for its cost</source>
        <translation>前沿：同等代价下的最佳</translation>
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
        <source>(%n designs are far above the chart; see the table)</source>
        <translation>
            <numerusform>（%n 个方案远高于图的范围，见表格）</numerusform>
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
        <translation>时间</translation>
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
        <source>%1: busy %2 % of the time, the busiest of %3 links</source>
        <translation>%1：%2 % 的时间繁忙，是 %3 条链路中最高的</translation>
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
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>forward work, Gflop per sample</source>
        <translation>前向计算，每样本 Gflop</translation>
    </message>
    <message>
        <source>%1: %2 layers, %3 million parameters, %4 MB of gradients in 32 bits, %5 Gflop forward per sample</source>
        <translation>%1：%2 层，%3 百万参数，32 位梯度 %4 MB，每样本前向 %5 Gflop</translation>
    </message>
    <message>
        <source>Gradient of each layer (MB) and its work</source>
        <translation>每层的梯度 (MB) 与计算量</translation>
    </message>
    <message>
        <source>layer, from the input</source>
        <translation>层（从输入起）</translation>
    </message>
    <message>
        <source>MB, Gflop</source>
        <translation>MB, Gflop</translation>
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
</context>
</TS>
