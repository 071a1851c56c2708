import { Markup } from './markup.js';

/** The look of the page, for light and dark screens and for paper. */
export const PAGE_STYLE = new Markup(`
:root { color-scheme: light dark; --ground: #fff; --ink: #1c2024; --quiet: #5c6670; --rule: #dfe3e8; --card: #f5f7f9;
  --after: #1f5fd1; --before: #8b939c; --coverage: #b4530a; --good: #0b7a3b; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --ink: #e6e9ec; --quiet: #9aa4ae; --rule: #31373d;
  --card: #1d2226; --after: #7fb0ff; --before: #7c858e; --coverage: #f2a45c; --good: #5fce8c; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2.8rem 0 .4rem; }
p { margin: .4rem 0; max-width: 46rem; } small, td p, th p { color: var(--quiet); font-size: .85rem; font-weight: 400; margin: 0; }
code { font-size: .85em; color: var(--quiet); }
.verdict { border-left: .4rem solid var(--before); background: var(--card); padding: .8rem 1rem; margin: 1rem 0; }
.verdict.better { border-color: var(--good); } .verdict.worse { border-color: var(--bad); }
.verdict strong { font-size: 1.15rem; }
.reading { display: grid; grid-template-columns: 8rem 1fr; gap: .2rem 1rem; margin: .5rem 0 1rem; max-width: 46rem; }
.reading dt { color: var(--quiet); } .reading dd { margin: 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; min-width: 34rem; font-size: .95rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .8rem .45rem 0; border-bottom: 1px solid var(--rule); }
thead th { color: var(--quiet); font-weight: 500; font-size: .85rem; } tbody th { font-weight: 500; }
td { font-variant-numeric: tabular-nums; } bdi { overflow-wrap: anywhere; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--quiet); font-size: 13px; }
svg .axis { fill: var(--ink); } svg .hint { font-style: italic; }
svg.strip { width: 150px; display: inline-block; vertical-align: middle; } .pair { display: flex; flex-wrap: wrap; gap: 1rem; } .pair svg { flex: 1 1 20rem; }
.grid { stroke: var(--rule); } .goal { stroke: var(--quiet); stroke-dasharray: 2 4; stroke-width: 1.5; }
path { fill: none; stroke-width: 2.5; stroke-linejoin: round; } path.before { stroke-width: 1.5; stroke-dasharray: 5 4; }
path.precision { stroke: var(--after); } path.coverage { stroke: var(--coverage); }
.limit { stroke: var(--ink); stroke-width: 1.5; } .limit.before { stroke-dasharray: 5 4; stroke: var(--before); }
.whisker { stroke-width: 2; } .before .whisker { stroke: var(--before); } .after .whisker { stroke: var(--after); }
.before circle, circle.before { fill: var(--ground); stroke: var(--before); stroke-width: 2; }
.after circle, circle.after { fill: var(--after); } .way { stroke: var(--after); stroke-width: 2; }
g.good { fill: var(--good); stroke: var(--good); } g.bad { fill: var(--bad); stroke: var(--bad); } g.open { fill: var(--before); stroke: var(--before); }
span.good { color: var(--good); } span.bad { color: var(--bad); }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; font-size: .9rem; color: var(--quiet); list-style: none; padding: 0; margin: .6rem 0; }
.key svg { display: inline-block; width: 30px; height: 12px; vertical-align: middle; margin-right: .4rem; }
.bars { min-width: 8rem; } .bar { height: .45rem; margin: .15rem 0; background: var(--after); } .bar.before { background: var(--before); }
summary { cursor: pointer; color: var(--quiet); padding: .4rem 0; }
@media (max-width: 34rem) { .reading { grid-template-columns: 1fr; } .reading dd { margin-bottom: .5rem; } }
@media print { h2 { break-after: avoid; } figure, tr, svg { break-inside: avoid; } }
`);
