import { type Command, Option } from 'commander';
import {
  LABEL_SOURCES,
  labelCodec,
  labelRemovedCodec,
  labelReviewCodec,
  labelsAddedCodec,
} from '../wire/labels.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { EXIT } from './exit-codes.js';
import { faultyPart, tellFaults } from './faulty-files.js';
import { callsOf, readLabels } from './labels-import.js';
import { reviewText } from './labels-text.js';
import { printable } from './printable.js';
import { ProgressBar } from './progress-bar.js';
import { decoded, jsonOf } from './remote-answer.js';
import { remoteLines } from './remote-lines.js';
import { remoteReach } from './remote-reach.js';
import { askServer } from './server-command.js';
import { addServerFlag, serverOf } from './server-url.js';

/** `labels export|import|add|review|remove`: what a server has been told is right. */
export function addLabelsCommand(program: Command, services: CliServices, act: Act): void {
  const labels = program
    .command('labels')
    .description('what people, and callers, have said is right, to evaluate with and to tune by');
  addExport(labels, services, act);
  addImport(labels, services, act);

  const add = labels
    .command('add')
    .description('say which capabilities are right for an intent')
    .argument('<intent>', 'what somebody may ask for')
    .argument('[capability...]', 'AGENT/CAPABILITY, or a bare id for all that have it')
    .option('--nothing-fits', 'say that none is right');
  askServer(add, services, act, async (reach, intent: string, expected: string[]) => {
    const { nothingFits = false } = add.opts<{ nothingFits?: true }>();
    if (nothingFits !== (expected.length === 0))
      add.error('error: name a CAPABILITY or say --nothing-fits, one of them');
    const answer = await reach.addLabels({ labels: [{ intent, expected }] });
    const [labelId = ''] = answer.labelIds;
    const kept = answer.added === 0 ? 'was kept already' : 'is kept';
    return { text: `${printable(labelId)} ${kept}\n`, wire: labelsAddedCodec.encode(answer) };
  });

  const review = labels
    .command('review')
    .description(
      'show what a person should look at: contradictions, near-duplicates, capabilities that are gone',
    );
  askServer(review, services, act, async (reach) => {
    const found = await reach.reviewLabels();
    return { text: reviewText(found), wire: labelReviewCodec.encode(found) };
  });

  const remove = labels.command('remove').description('remove a label').argument('<id>', 'its label_id');
  askServer(remove, services, act, async (reach, labelId: string) => {
    const removed = await reach.removeLabel(labelId);
    return { text: `${printable(labelId)} is removed\n`, wire: labelRemovedCodec.encode(removed) };
  });
}

function addExport(labels: Command, { env, stdout }: CliServices, act: Act): void {
  const command = labels
    .command('export')
    .description('print all labels, oldest first, as lines that evaluate, tune and import read')
    .addOption(new Option('--source <source>', 'only those that came from there').choices([...LABEL_SOURCES]))
    .option('--hours <hours>', 'only those that were said since then');
  addServerFlag(command);
  act(command, async () => {
    const url = new URL('api/v1/labels', serverOf(command, env));
    const { source, hours } = command.opts<{ source?: string; hours?: string }>();
    if (source !== undefined) url.searchParams.set('source', source);
    if (hours !== undefined) url.searchParams.set('hours', hours);
    for await (const line of remoteLines(url)) {
      decoded(url, labelCodec, jsonOf(line));
      stdout.write(`${printable(line)}\n`);
    }
    return EXIT.done;
  });
}

/** All of a file or, where a line cannot be used, nothing. */
function addImport(labels: Command, services: CliServices, act: Act): void {
  const command = labels
    .command('import')
    .description('keep the labels or queries of a file; of their payloads, names and types alone')
    .argument('<file>', 'a query a line, as evaluate reads them');
  addServerFlag(command);
  act(command, async (file: string) => {
    const reach = remoteReach(serverOf(command, services.env));
    const catalogue = await reach.agents();
    const read = await readLabels(file, catalogue).catch(({ message }: Error) =>
      command.error(`error: ${file} cannot be read: ${message}`),
    );
    if (read.faults.length > 0) {
      tellFaults(read.faults, faultyPart(read), services, 'imported');
      return EXIT.notRouted;
    }
    const bar = new ProgressBar(services.stderr);
    let [done, added] = [0, 0];
    try {
      for (const call of callsOf(read.labels)) {
        added += (await reach.addLabels({ source: 'import', labels: [...call] })).added;
        done += call.length;
        bar.show('Importing', done, read.labels.length);
      }
    } finally {
      bar.clear();
    }
    services.stdout.write(`${done} labels are kept, ${added} of them new\n`);
    return EXIT.done;
  });
}
