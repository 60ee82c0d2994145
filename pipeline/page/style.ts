/**
 * The page's style sheet. Colours of texts have a contrast of 4.5 to their background, of bars 3, in light and dark; what a colour says, a pattern, a mark or a
 * word says, too. A test measures it.
 */
export const style = `
:root { color-scheme: light dark;
  --back: #ffffff; --front: #1b1f24; --quiet: #57606a; --line: #d8dee4; --panel: #f6f8fa; --link: #0550ae;
  --host: #6e7781; --step: #0969da; --wait: #57606a; --failed: #b3001b; --done: #116329; --warn: #7d4e00; --path: #8250df; }
@media (prefers-color-scheme: dark) { :root {
  --back: #0d1117; --front: #e6edf3; --quiet: #9aa4af; --line: #30363d; --panel: #161b22; --link: #79b8ff;
  --host: #7d8590; --step: #388bfd; --wait: #9aa4af; --failed: #ff7b72; --done: #56d364; --warn: #e3b341; --path: #bc8cff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--front); font: 1rem/1.5 system-ui, "DejaVu Sans", sans-serif; }
header, main, footer, nav { max-width: 86rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.5rem; } header.done { --tone: var(--done); } header.failed { --tone: var(--failed); } header.warn { --tone: var(--warn); } header.plain { --tone: var(--link); }
.state { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem .9rem; margin: 0; color: var(--quiet); }
.result { color: var(--back); background: var(--tone); border-radius: 1rem; padding: .1rem .8rem; font-weight: 600; }
h1 { font-size: clamp(1.35rem, 1rem + 1.6vw, 1.9rem); line-height: 1.25; letter-spacing: -.01em; margin: .6rem 0 .2rem; overflow-wrap: break-word; }
.asked { margin: 0; color: var(--quiet); }
dl.facts { display: flex; flex-wrap: wrap; gap: .6rem 2.2rem; margin: 1.1rem 0; padding: .9rem 1.1rem; background: var(--panel); border-left: 4px solid var(--tone); border-radius: 0 6px 6px 0; }
dt { color: var(--quiet); font-size: .82rem; } dd { margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; } h3 { font-size: 1rem; margin: 1.1rem 0 .3rem; overflow-wrap: break-word; } h3 small { font-weight: 400; color: var(--quiet); margin-left: .35rem; }
p { margin: .35rem 0; max-width: 70rem; overflow-wrap: break-word; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--back); padding: .5rem; z-index: 9; }
nav ul { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; list-style: none; margin: 0; padding: 0; font-size: .92rem; }
nav a { display: inline-block; padding: .3rem 0; }
.quiet { color: var(--quiet); } .failed { color: var(--failed); } .done { color: var(--done); } .warn { color: var(--warn); } header.failed, header.done, header.warn { color: inherit; }
article { border: 1px solid var(--line); border-left: 4px solid var(--failed); border-radius: 0 6px 6px 0; padding: .2rem 1rem .7rem; margin: .7rem 0; } article h3 { margin: .6rem 0; } article.warn { color: inherit; border-left-color: var(--warn); }
pre, code { font: .85rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; } code { display: block; max-width: 60rem; } .lines { white-space: pre-line; }
pre { background: var(--panel); border-radius: 6px; margin: .5rem 0; padding: .6rem .8rem; }
.table { overflow-x: auto; } table { border-collapse: collapse; width: 100%; margin: .3rem 0; font-size: .92rem; } caption { text-align: left; color: var(--quiet); padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem 1.2rem .35rem 0; border-bottom: 1px solid var(--line); font-weight: 400; overflow-wrap: break-word; } th:last-child, td:last-child { padding-right: 0; width: auto; } thead th { font-weight: 600; font-size: .85rem; color: var(--quiet); white-space: nowrap; } tbody th { font-weight: 600; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: 0; margin: .5rem 0; font-size: .88rem; color: var(--quiet); } .legend i.bad, .legend i.span { height: .8rem; } .legend i.path { height: .2rem; vertical-align: .2rem; } .legend i { position: static; display: inline-block; width: 1.6rem; height: .8rem; min-width: 0; margin-right: .4rem; vertical-align: -.05rem; } .legend + p { font-size: .88rem; }
.axis, .row > summary, .line { display: grid; grid-template-columns: var(--name) 1fr 9rem; gap: .8rem; align-items: center; }
.axis { position: sticky; top: 0; background: var(--back); z-index: 2; font-size: .8rem; color: var(--quiet); border-bottom: 1px solid var(--line); padding: .15rem 0; } .axis b { font-weight: 400; } .axis .track { background: none; height: 1.4rem; } .axis span { position: absolute; transform: translateX(-50%); white-space: nowrap; } .axis span:first-child { transform: none; } .axis span.last { transform: translateX(-100%); }
.row { border-bottom: 1px solid var(--line); } .row > summary, .line { padding: .2rem 0; min-height: 1.9rem; } summary { cursor: pointer; list-style: none; } summary::-webkit-details-marker { display: none; } .row > summary:hover { background: var(--panel); }
.row summary .name::before, .fold > summary::before { content: "\\25B8"; color: var(--quiet); display: inline-block; width: 1.1rem; flex: none; } .row[open] > summary .name::before, .fold[open] > summary::before { content: "\\25BE"; } .line .name { padding-left: 1.1rem; }
.name { font-weight: 600; overflow-wrap: anywhere; line-height: 1.25; } .name small { font-weight: 400; color: var(--quiet); }
.took { font-size: .85rem; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.track { position: relative; height: 1.2rem; border-radius: 3px; background-color: var(--panel); background-image: linear-gradient(90deg, var(--line) 1px, transparent 1px); background-size: var(--tick) 100%; }
i { position: absolute; top: 15%; height: 70%; min-width: 2px; border-radius: 2px; background: var(--step); border-right: 1px solid var(--back); }
i.span { top: 40%; height: 20%; background: var(--host); border: 0; } i.host { background: var(--host); } i.status { background: repeating-linear-gradient(90deg, var(--step) 0 4px, transparent 4px 6px); } i.look { background: repeating-linear-gradient(90deg, var(--wait) 0 2px, transparent 2px 5px); }
i.wait { background: var(--back); border: 1px dashed var(--wait); } i.bad { top: 0; height: 100%; background: repeating-linear-gradient(45deg, var(--failed) 0 5px, var(--back) 5px 8px); border: 2px solid var(--failed); min-width: 8px; }
i.open { background: repeating-linear-gradient(-45deg, var(--warn) 0 4px, transparent 4px 7px); border: 1px solid var(--warn); } i.path { top: 88%; height: 14%; background: var(--path); border: 0; min-width: 3px; }
.inside { padding: .2rem 0 .8rem 1.1rem; } .group { margin-top: 1.1rem; } .fold > summary { display: flex; align-items: baseline; padding: .25rem 0; } .fold > summary > h2, .fold > summary > h3 { margin: 0; } .section.fold { border-top: 1px solid var(--line); margin-top: .6rem; padding-top: .35rem; } section + .section.fold { margin-top: 2.2rem; } .section.fold[open] { padding-bottom: 1.2rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
footer { margin: 2.5rem auto 2rem; color: var(--quiet); font-size: .88rem; }
@media (max-width: 40rem) { header, main, footer, nav { padding-left: 1rem; padding-right: 1rem; } header { padding-top: 1rem; }
  dl.facts { gap: .5rem 1.6rem; padding: .7rem .9rem; }
  .axis, .row > summary, .line { grid-template-columns: 1fr auto; gap: 0 .6rem; } .axis .name, .axis .took { display: none; } .axis .track, .row .track { grid-column: 1 / -1; grid-row: 2; } .row > summary, .line { padding: .35rem 0 .45rem; min-height: 2.75rem; } .row .track { height: 1.3rem; } .took { align-self: start; }
  table, tbody, tr, th, td { display: block; } thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } caption { display: block; } tbody tr { border-bottom: 1px solid var(--line); padding: .4rem 0; } tbody th, tbody td { border: 0; padding: .05rem 0; overflow-wrap: anywhere; } td:empty { display: none; } td[data-head]::before { content: attr(data-head) ": "; color: var(--quiet); } }
@media print { :root { --back: #fff; --front: #000; --quiet: #444; --line: #bbb; --panel: #f3f3f3; --link: #000; --host: #6e7781; --step: #0969da; --wait: #444; --failed: #b3001b; --done: #116329; --warn: #7d4e00; --path: #8250df; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } nav, .skip { display: none; } .axis { position: static; } .row, tr, pre { break-inside: avoid; } h2, h3, caption { break-after: avoid; } body { font-size: 10pt; } .fold::details-content { content-visibility: visible; block-size: auto; } .row .name::before, .fold > summary::before { display: none; } .row > summary, .line { min-height: 0; } .line .name { padding-left: 0; } }
`.trim();
