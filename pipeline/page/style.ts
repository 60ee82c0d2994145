/**
 * The page's style sheet. Colours of texts have a contrast of 4.5 to their background, of bars 3, in light and dark; what a colour says, a pattern, a mark or a
 * word says, too. A test measures it.
 */
export const style = `
:root { color-scheme: light dark;
  --back: #ffffff; --front: #1b1f24; --quiet: #57606a; --line: #d0d7de; --panel: #f6f8fa; --link: #0550ae;
  --host: #6e7781; --step: #0969da; --wait: #57606a; --failed: #b3001b; --done: #116329; --warn: #7d4e00; --path: #8250df; }
@media (prefers-color-scheme: dark) { :root {
  --back: #0d1117; --front: #e6edf3; --quiet: #9aa4af; --line: #3d444d; --panel: #161b22; --link: #79b8ff;
  --host: #7d8590; --step: #388bfd; --wait: #9aa4af; --failed: #ff7b72; --done: #56d364; --warn: #e3b341; --path: #bc8cff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--front); font: 1rem/1.45 system-ui, "DejaVu Sans", sans-serif; }
header, main, footer, nav { max-width: 84rem; margin: 0 auto; padding: 0 1rem; }
h1 { font-size: 1.35rem; line-height: 1.25; margin: 1rem 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; overflow-wrap: anywhere; }
p { margin: .35rem 0; max-width: 70rem; overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--back); padding: .5rem; z-index: 9; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: .5rem 0; padding: 0; }
nav a { display: inline-block; padding: .3rem 0; }
.quiet { color: var(--quiet); } .result { font-weight: 700; } .failed { color: var(--failed); } .done { color: var(--done); } .warn { color: var(--warn); }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .5rem 0; } dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
pre { background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--failed); padding: .6rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.4 ui-monospace, "DejaVu Sans Mono", monospace; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .92rem; } caption { text-align: left; color: var(--quiet); padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); font-weight: 400; overflow-wrap: anywhere; } thead th { font-weight: 700; } tbody th { font-weight: 600; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: 0; margin: .5rem 0; font-size: .9rem; } .legend i.bad, .legend i.span { height: .8rem; } .legend i.path { height: .2rem; vertical-align: .2rem; } .legend i { position: static; display: inline-block; width: 1.8rem; height: .8rem; min-width: 0; margin-right: .4rem; vertical-align: -.05rem; }
.axis, .row > summary { display: grid; grid-template-columns: 11rem 1fr 8.5rem; gap: .6rem; align-items: center; }
.axis { position: sticky; top: 0; background: var(--back); z-index: 2; font-size: .8rem; color: var(--quiet); border-bottom: 1px solid var(--line); } .axis .track { background: none; height: 1.4rem; } .axis span { position: absolute; transform: translateX(-50%); white-space: nowrap; } .axis span:first-child { transform: none; } .axis span.last { transform: translateX(-100%); }
.row { border-bottom: 1px solid var(--line); } .row > summary { padding: .18rem 0; cursor: pointer; list-style: none; min-height: 1.75rem; } .row > summary::-webkit-details-marker { display: none; } .row > summary:hover { background: var(--panel); }
.row .name::before { content: "\\25B8"; color: var(--quiet); margin-right: .35rem; } .row[open] .name::before { content: "\\25BE"; }
.name { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .name small { font-weight: 400; color: var(--quiet); }
.took { font-size: .85rem; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.track { position: relative; height: 1.15rem; background-color: var(--panel); background-image: linear-gradient(90deg, var(--line) 1px, transparent 1px); background-size: var(--tick) 100%; }
i { position: absolute; top: 15%; height: 70%; min-width: 2px; background: var(--step); border-right: 1px solid var(--back); }
i.span { top: 40%; height: 20%; background: var(--host); border: 0; } i.host { background: var(--host); } i.status { opacity: 1; background: repeating-linear-gradient(90deg, var(--step) 0 4px, transparent 4px 6px); }
i.wait { background: var(--back); border: 1px dashed var(--wait); } i.bad { top: 0; height: 100%; background: repeating-linear-gradient(45deg, var(--failed) 0 5px, var(--back) 5px 8px); border: 2px solid var(--failed); min-width: 8px; }
i.open { background: repeating-linear-gradient(-45deg, var(--warn) 0 4px, transparent 4px 7px); border: 1px solid var(--warn); } i.path { top: 86%; height: 14%; background: var(--path); border: 0; min-width: 3px; }
.inside { padding: .2rem 0 .8rem 1.2rem; } .group { margin-top: 1rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
footer { margin: 2rem auto; color: var(--quiet); font-size: .9rem; }
@media (max-width: 40rem) {
  .axis, .row > summary { grid-template-columns: 1fr auto; gap: 0 .6rem; } .axis .name, .axis .took { display: none; } .axis .track, .row .track { grid-column: 1 / -1; grid-row: 2; } .row > summary { padding: .35rem 0 .45rem; min-height: 2.75rem; } .row .track { height: 1.3rem; }
  table, tbody, tr, th, td { display: block; } thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } caption { display: block; } tbody tr { border-bottom: 1px solid var(--line); padding: .35rem 0; } tbody th, tbody td { border: 0; padding: .05rem 0; } td[data-head]::before { content: attr(data-head) ": "; color: var(--quiet); } }
@media print { :root { --back: #fff; --front: #000; --quiet: #444; --line: #bbb; --panel: #f3f3f3; --link: #000; --host: #6e7781; --step: #0969da; --wait: #444; --failed: #b3001b; --done: #116329; --warn: #7d4e00; --path: #8250df; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } nav, .skip { display: none; } .axis { position: static; } .row, tr, pre { break-inside: avoid; } h2, h3, caption { break-after: avoid; } body { font-size: 10pt; } .row .name::before { content: ""; margin: 0; } .row > summary { min-height: 0; } }
`.trim();
