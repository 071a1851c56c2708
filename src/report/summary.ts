import type { TuneReport, Verdict } from '../judging/tune-report.js';
import { html, type Markup, NOTHING, quoted } from './markup.js';

const VERDICTS: Readonly<Record<Verdict, string>> = {
  better: 'Better',
  same: 'About the same',
  worse: 'Worse: better not used',
  too_small: 'Too few labels to tell',
};

/** What was tuned, and whether it is any better. */
export function summary(report: TuneReport): Markup {
  const { catalogue, model, weights_version: version, labels, verdict } = report;
  const consequence = report.refused
    ? html`<p>They are refused: <code>top1</code> or <code>precision</code> is worse for sure, or may be worse by more than 5 points. Only <code>--force</code> writes them.</p>`
    : NOTHING;
  return html`<header><h1>What tuning would change</h1>
<p>Weights ${quoted(version.before)} → ${quoted(version.after)}, model ${quoted(model)}, ${catalogue.capabilities} capabilities. Learned from ${labels.learned_from} labels, judged on ${labels.judged_on} others that nothing was learned from.</p>
<div class="verdict ${verdict}"><strong>${VERDICTS[verdict]}</strong><p>${report.verdict_reason}</p>${consequence}</div></header>`;
}

/** What one has to know to read the rest. */
export function words(): Markup {
  return html`<section><h2>The words</h2><dl class="reading">
<dt>intent</dt><dd>What somebody asks for, in their own words.</dd>
<dt>capability</dt><dd>One thing that one agent can do, written <code>agent/capability</code>.</dd>
<dt>label</dt><dd>An intent of which a person, or what happened, has told which capability is right, or that nothing fits.</dd>
<dt>confidence</dt><dd>How sure it is of its best capability, from 0 to 100 %. If it is honest, 80 of 100 answers with 80 % are right.</dd>
<dt>threshold</dt><dd>The least confidence to act on. Below it nobody is called: there is a question, a fallback or a person instead.</dd>
<dt>before, after</dt><dd>The weights that serve now, and those that tuning learned, both asked the same intents.</dd>
</dl></section>`;
}
